/* plot_stats.h - the figures of results of bipe-stats. For plot_figures.c alone. */
#ifndef BIPE_TOOLS_PLOT_STATS_H
#define BIPE_TOOLS_PLOT_STATS_H

#include "tools/plot_figures.h"
#include "tools/plot_items.h"

/* One more figure, empty but for its texts. */
int plot_figures_add(plot_figures *figures, const char *title, const char *x_label, const char *y_label, bipe_figure **figure, bipe_error *err);
/* A point at the length of the row: its members at these paths; NULL: there is none. */
int plot_add_values(bipe_figure *figure, const plot_items *items, const plot_item *item, const char *const path[3], bipe_error *err);
/* The distribution of tokens per segment; tokens per segment and segments per window by length. */
int plot_stats_make(plot_figures *figures, plot_items *items, bipe_error *err);

#endif
