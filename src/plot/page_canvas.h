/* page_canvas.h - a canvas that is a page, in a style for papers, made of shapes and lines of text, which Cairo or a
 * writer of SVG draws. For src/plot alone. */
#ifndef BIPE_PLOT_PAGE_CANVAS_H
#define BIPE_PLOT_PAGE_CANVAS_H

#include <stdint.h>

#include "plot/canvas.h"

#define BIPE_PAGE_TEXT 7.2 /* points, the size of all text */
#define BIPE_PAGE_BASE 2.6 /* from the middle of a line of text down to its base line */
enum { BIPE_PAGE_NONE = -1 };

/* Colours are 0xRRGGBB or BIPE_PAGE_NONE. */
typedef struct bipe_ink {
    int32_t fill, line;
    double width;
    const double *dash; /* lengths of dashes and gaps in turn */
    int dashes;
} bipe_ink;

typedef struct bipe_page bipe_page;
struct bipe_page {
    bipe_canvas canvas;
    bipe_output *output;
    /* A line, or where it is filled an area; a circle, if it has one spot. */
    void (*shape)(bipe_page *page, const bipe_spot *spot, size_t count, double radius, bipe_ink ink);
    void (*label)(bipe_page *page, double x, double base, const char *text);
};

/* Sets the canvas of a page whose functions are set, for so many figures; width as for bipe_figures_draw(). */
void bipe_page_open(bipe_page *page, size_t figures, double width,
                    double (*width_of)(bipe_canvas *canvas, const char *text),
                    int (*begin)(bipe_canvas *canvas, double height, bipe_error *err),
                    int (*end)(bipe_canvas *canvas, bipe_error *err));

#endif
