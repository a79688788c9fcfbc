/* canvas.h - what charts are drawn on: a page, in points (1/72 inch), or a terminal, in columns and rows. y goes down.
 * For src/plot alone. */
#ifndef BIPE_PLOT_CANVAS_H
#define BIPE_PLOT_CANVAS_H

#include "plot/figure.h"

typedef struct bipe_spot {
    double x, y;
} bipe_spot;

/* What a path is: an axis (down and to the right), one of its ticks, a faint line through the plot, the upright line of
 * a level, data, an interval. */
typedef enum bipe_path {
    BIPE_PATH_AXIS,
    BIPE_PATH_TICK,
    BIPE_PATH_GRID,
    BIPE_PATH_LEVEL,
    BIPE_PATH_DATA,
    BIPE_PATH_INTERVAL
} bipe_path;

/* Of data: number `series` of so many. */
typedef struct bipe_stroke {
    bipe_path path;
    size_t series, of;
    size_t colour, dash; /* as in a series */
    bool bare;           /* as in a figure */
} bipe_stroke;

enum { BIPE_MARKS = 8 };

typedef struct bipe_canvas bipe_canvas;
struct bipe_canvas {
    double width;              /* of all */
    double panel;              /* least width of a chart beside others */
    double row, middle;        /* the height of a line of text; its y is the top plus `middle` */
    double dot_x, dot_y;       /* the least distances that can be seen, by which the ends of an axis are inside it */
    double edge, indent;       /* left of a chart, left of its legend */
    double right;              /* right of its plot */
    double gap;                /* between an axis and the labels of its ticks */
    double apart;              /* between texts beside one another */
    double axis;               /* height of the horizontal axis with its ticks */
    double tall, slope;        /* a plot is tall + slope * width high */
    double cell, cell_most;    /* height of a cell of a map, its greatest width */
    double tick;               /* about the width of a label with the distance to the next one */
    double sample, line;       /* of a legend: from a mark or line to its text, and the line's length (0: the mark
                                  alone) */
    double cap;                /* half the width of the ends of an interval */
    double after;              /* between the legend or title and what is next to it */
    double (*width_of)(bipe_canvas *canvas, const char *text);
    /* All is placed, in so much height; before it only width_of() is called. */
    int (*begin)(bipe_canvas *canvas, double height, bipe_error *err);
    /* All is drawn; texts are still there. */
    int (*end)(bipe_canvas *canvas, bipe_error *err);
    /* In one line, cut in the middle to `most`; align: 0 begins at x, 0.5 has its middle there, 1 ends there. Texts
     * live until end() is done, unless they are shorter than BIPE_SCALE_LABEL. */
    void (*text)(bipe_canvas *canvas, double x, double y, double align, double most, const char *text);
    void (*path)(bipe_canvas *canvas, const bipe_spot *spot, size_t count, bipe_stroke stroke);
    void (*mark)(bipe_canvas *canvas, double x, double y, bipe_stroke stroke);
    /* Shades a cell lightly, for black text. The value is from 0 to 1, or NAN: unknown. */
    void (*draw_cell)(bipe_canvas *canvas, bipe_spot from, bipe_spot to, double value);
    /* A bar in a line of text with its middle at y. */
    void (*bar)(bipe_canvas *canvas, double from, double to, double y, bipe_stroke stroke);
};

/* Draws the figures side by side as far as the canvas is wide, in rows. */
int bipe_chart_draw(bipe_canvas *canvas, const bipe_figure *figure, size_t count, bipe_error *err);

#endif
