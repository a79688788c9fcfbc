/* plot_text.h - a text shaded by losses for bipe-plot: chooses the tokens from the tables, and reads their documents. */
#ifndef BIPE_TOOLS_PLOT_TEXT_H
#define BIPE_TOOLS_PLOT_TEXT_H

#include "tools/plot_input.h"

typedef struct plot_text {
    bipe_loss_text text;
    bipe_loss_view view[2]; /* what text.view is; the tokens belong to the inputs */
    char name[2][512], title[512];
    bipe_loss_document *document;
    size_t capacity;
    size_t left_out; /* further models, segmenters and files in the tables */
} plot_text;

/* Takes the first file of the tables, and its first two models or segmenters. path: the text, NULL: the file that the tables name. */
int plot_text_open(plot_text *text, const plot_input *input, size_t count, const char *path, const char *title, bipe_error *err);
void plot_text_close(plot_text *text);

#endif
