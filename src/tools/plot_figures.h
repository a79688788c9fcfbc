/* plot_figures.h - makes figures of the inputs of bipe-plot. */
#ifndef BIPE_TOOLS_PLOT_FIGURES_H
#define BIPE_TOOLS_PLOT_FIGURES_H

#include "tools/plot_input.h"

/* In the order in which one is chosen where several could be drawn. */
typedef enum plot_kind { PLOT_LENGTHS, PLOT_SEGMENTS, PLOT_TRAINING, PLOT_PROBE, PLOT_LOSS_BY, PLOT_DIFFERENCE, PLOT_TEXT, PLOT_KINDS } plot_kind;
extern const char *const plot_kind_names[]; /* NULL-terminated */

typedef enum plot_unit { PLOT_PPL, PLOT_NLL, PLOT_BITS } plot_unit;
typedef enum plot_per { PLOT_PER_TOTAL, PLOT_PER_FILE, PLOT_PER_GROUP } plot_per;

typedef struct plot_wish {
    plot_unit unit;
    plot_per per;
    bool log_x, log_y;
    bool may_be_empty; /* a kind without rows for `per` is no figure and no error */
    uint64_t length; /* of the windows of losses by index; 0: the largest */
    const char *title;
} plot_wish;

typedef struct plot_figures {
    bipe_figure *figure;
    size_t count, capacity;
} plot_figures;

/* Whether the input has anything for a figure of this kind. */
bool plot_holds(const plot_input *input, plot_kind kind);
/* Adds the figures of one kind, of all inputs that hold it. */
int plot_figures_make(plot_figures *figures, plot_kind kind, const plot_input *input, size_t count, const plot_wish *wish, bipe_error *err);
void plot_figures_close(plot_figures *figures);

#endif
