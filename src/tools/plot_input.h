/* plot_input.h - reads the inputs of bipe-plot: results, logs and tables of the other tools, detected from content. */
#ifndef BIPE_TOOLS_PLOT_INPUT_H
#define BIPE_TOOLS_PLOT_INPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/input.h"
#include "plot/figure.h"
#include "plot/loss_text.h"

typedef enum plot_source { PLOT_STATS, PLOT_SCORE, PLOT_LOG, PLOT_TOKENS } plot_source;

/* The kind of an input, for messages. */
extern const char *const plot_source_names[];

/* Lines of an input that has been looked at. */
typedef struct plot_lines {
    bipe_input *input;
    bipe_buffer buffer;
    size_t at;
    uint64_t number; /* of the present line, from 1 */
} plot_lines;

/* Losses by index: their number and sum. */
typedef struct plot_bin {
    double tokens, sum;
} plot_bin;

enum { PLOT_INDEXES = 3, PLOT_INDEX_MOST = 1 << 22, PLOT_TOKENS_MOST = 1 << 22, PLOT_LINE_MOST = 16 << 20 };
/* "token", "segment", "intra". */
extern const char *const plot_index_names[PLOT_INDEXES];

/* The tokens of one model, segmenter and length in a table. */
typedef struct plot_view {
    char *model, *segmenter, *file; /* model, segmenter: "" where the table has no such columns */
    uint64_t length;
    plot_bin *bin[PLOT_INDEXES];
    size_t bins[PLOT_INDEXES], capacity[PLOT_INDEXES];
    bipe_loss_view text; /* empty unless tokens are kept */
} plot_view;

typedef struct plot_input {
    const char *path;
    char *stem; /* the name of the file without folders and ending */
    plot_source source;
    json_t *root;      /* of PLOT_STATS and PLOT_SCORE */
    bipe_figure curve; /* of PLOT_LOG: a series for the training loss and one for each file of validation */
    plot_view *view;   /* of PLOT_TOKENS */
    size_t views, view_capacity;
} plot_input;

/* Reads the whole input. `keep`: the tokens of a table are kept, those of `length` (0: of the first length). Close it in any case. */
int plot_input_read(plot_input *input, const char *path, bool keep, uint64_t length, bipe_error *err);
void plot_input_close(plot_input *input);

/* The next line, without its end, which may be written into until the next call; BIPE_END after the last. */
int plot_lines_next(plot_lines *lines, char **line, bipe_error *err);
/* A table of tokens whose header line is given. For plot_input.c alone. */
int plot_tokens_read(plot_input *input, plot_lines *lines, char *header, bool keep, uint64_t length, bipe_error *err);

/* The member at a path: "interval.0" is the first of the list object.interval. NULL: there is none. */
const json_t *plot_member(const json_t *object, const char *path);
/* It as a number; null and nothing are NAN, and so is everything once *status is a failure. */
double plot_number(const json_t *object, const char *where, const char *path, int *status, bipe_error *err);
/* A finite number with a full stop in any locale, of either sign. */
bool plot_parse(const char *text, double *value);

#endif
