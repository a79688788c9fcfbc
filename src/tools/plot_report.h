/* plot_report.h - the report of bipe-plot: a page with all tables and figures, the commands that made them, and the files used. */
#ifndef BIPE_TOOLS_PLOT_REPORT_H
#define BIPE_TOOLS_PLOT_REPORT_H

#include "tools/plot_figures.h"

/* command: that which makes the report, argc words. */
typedef struct plot_report {
    const plot_input *input;
    size_t count;
    const plot_wish *wish;
    char *const *command;
    int words;
} plot_report;

int plot_report_write(const plot_report *report, bipe_output *output, bipe_error *err);

/* ---- for the parts of a report; failures stay in the output ---- */

/* The shell command that made a result, in HTML, from the result's members. */
void plot_command_write(const plot_input *input, bipe_output *output);
/* A word of such a command, quoted where a shell needs it, and a blank. */
void plot_command_word(const char *word, bipe_output *output);
/* The different texts under a key of a list's objects, in order; they belong to the list. Returns how many. */
enum { PLOT_DIFFERENT_MOST = 256 };
size_t plot_different(const json_t *list, const char *key, const char *text[PLOT_DIFFERENT_MOST]);

#endif
