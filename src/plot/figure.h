/* figure.h - series of points over two axes, and the ways to draw them. What is drawn is of no concern here. */
#ifndef BIPE_PLOT_FIGURE_H
#define BIPE_PLOT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/output.h"
#include "plot/scale.h"

/* y NAN: a gap in the line. low and high: the ends of an interval, NAN: none. In a map `low` is the value of the cell at x and y, from 0 to 1. */
typedef struct bipe_point {
    double x, y, low, high;
} bipe_point;

typedef struct bipe_series {
    char *name;
    bipe_point *point;
    size_t count, capacity;
} bipe_series;

/* Zero-initialise to make an empty one; texts are copies, well-formed UTF-8 in one line. */
typedef struct bipe_figure {
    char *title, *x_label, *y_label;
    bipe_series *series;
    size_t count, capacity;
    bipe_scale_kind x_kind, y_kind;
    bool bare;   /* lines without marks: many points */
    bool zero;   /* y = 0 is drawn as a line and belongs to the axis */
    bool titled; /* the title is shown */
    bool map;    /* cells of the first series, without lines */
} bipe_figure;

/* What the place is like that a figure is printed on. */
typedef struct bipe_look {
    size_t width; /* columns, at least BIPE_LOOK_NARROWEST */
    bool utf8;    /* otherwise ASCII alone */
    bool colour;  /* 256 colours */
} bipe_look;

enum { BIPE_LOOK_NARROWEST = 24, BIPE_LOOK_WIDEST = 400, BIPE_LOOK_USUAL = 80 };

/* NULL leaves a text as it is. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_figure_name(bipe_figure *figure, const char *title, const char *x_label, const char *y_label, bipe_error *err);
/* The series of this name, which is made when there is none. It belongs to the figure and lives until the next call. */
int bipe_figure_series(bipe_figure *figure, const char *name, bipe_series **series, bipe_error *err);
int bipe_series_add(bipe_series *series, bipe_point point, bipe_error *err);
/* A point of the series of this name. */
int bipe_figure_point(bipe_figure *figure, const char *name, bipe_point point, bipe_error *err);
/* By rising x; points of one x keep their order. */
void bipe_series_sort(bipe_series *series);
/* At most `most` points remain, each the mean of neighbours; returns of how many, at most. */
size_t bipe_series_thin(bipe_series *series, size_t most);
void bipe_figure_close(bipe_figure *figure);

/* Whether the axes can show the point: finite, and above 0 on an axis of powers. */
bool bipe_figure_shows(const bipe_figure *figure, const bipe_point *point);
/* An interval is whole and can be shown. */
bool bipe_figure_has_interval(const bipe_figure *figure, const bipe_point *point);
/* The axes of what can be shown, with about so many ticks; of a map, the cells. False: nothing can be shown, or a map has
 * more than BIPE_SCALE_TICKS values. */
bool bipe_figure_axes(const bipe_figure *figure, int x_ticks, int y_ticks, bipe_scale *x, bipe_scale *y);
/* The points that cannot be shown, of series number `series`. */
size_t bipe_figure_gaps(const bipe_figure *figure, size_t series);
/* The points of all figures as CSV. */
int bipe_figure_write_csv(const bipe_figure *figure, size_t count, bipe_output *output, bipe_error *err);
int bipe_figure_print(const bipe_figure *figure, bipe_look look, bipe_output *output, bipe_error *err);

/* ---- pictures by Cairo ---- */
typedef enum bipe_picture { BIPE_PICTURE_SVG, BIPE_PICTURE_PDF, BIPE_PICTURE_PNG } bipe_picture;

/* Draws the figures beside one another, or one below the other where `width` millimetres are few (0: 84 for one figure, 174 for more).
 * BIPE_ERR_UNSUPPORTED: built without Cairo. */
int bipe_figures_draw(const bipe_figure *figure, size_t count, bipe_picture picture, double width, bipe_output *output, bipe_error *err);

#endif
