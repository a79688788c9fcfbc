/* figure.h - series of points over two axes, and the ways to draw them. Knows nothing of their meaning. */
#ifndef BIPE_PLOT_FIGURE_H
#define BIPE_PLOT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/output.h"
#include "plot/scale.h"
#include "plot/look.h"

/* y NAN: a gap in the line. low and high: the ends of an interval, NAN: none. In a map `low` is the value of the cell
 * at x and y, from 0 to 1. */
typedef struct bipe_point {
    double x, y, low, high;
} bipe_point;

typedef struct bipe_series {
    char *name;
    size_t colour, dash; /* as those of that series have by default: series may share a colour and differ in dashes */
    bipe_point *point;
    size_t count, capacity;
} bipe_series;

/* Of bars: those under one heading, and the place of a line through them (NAN: none). Of a map: the name of a row. */
typedef struct bipe_group {
    char *name;
    double level;
} bipe_group;

/* No two of so many series have the same colour, mark and dashes on a page, or the same mark on a terminal. */
enum { BIPE_PAGE_LOOKS = 224, BIPE_TERMINAL_LOOKS = 62, BIPE_FIGURE_CAPTION = 1024 };

/* Zero-initialise to make an empty one. Title and names are well-formed UTF-8 in one line. */
typedef struct bipe_figure {
    char title[640];
    char caption[BIPE_FIGURE_CAPTION]; /* below the figure: what intervals are, which lines coincide */
    const char *x_label, *y_label; /* NULL: none */
    bipe_series *series;
    size_t count, capacity;
    bipe_group *group; /* of bars; of a map whose y are their numbers */
    size_t groups, group_capacity;
    bipe_scale_kind x_kind, y_kind;
    bool bare;   /* lines without marks: many points */
    bool zero;   /* y = 0 belongs to the axis */
    bool titled; /* the title is shown */
    bool map;    /* cells of the first series, without lines */
    bool bars;   /* from 0 to y in group number x; the vertical axis is for names, and x_label is that of y */
} bipe_figure;

int bipe_figure_name(bipe_figure *figure, const char *title, bipe_error *err);
/* The series of this name, added if missing. Owned by the figure, valid until the next call. */
int bipe_figure_series(bipe_figure *figure, const char *name, bipe_series **series, bipe_error *err);
int bipe_series_add(bipe_series *series, bipe_point point, bipe_error *err);
/* The number of the group of this name, added if missing. */
int bipe_figure_group(bipe_figure *figure, const char *name, size_t *group, bipe_error *err);
/* Adds a point to the series of this name. */
int bipe_figure_point(bipe_figure *figure, const char *name, bipe_point point, bipe_error *err);
/* Sorts by rising x. */
void bipe_series_sort(bipe_series *series);
/* Adds to a series the means of neighbours of another, whose points are sums: y the sum of `low` values at x (`low` of
 * them need not have one: y NAN). Each mean holds about 1/most of the points and of the values, so single ones where
 * there are few points. */
int bipe_series_average(bipe_series *to, const bipe_series *from, size_t most, bipe_error *err);
void bipe_figure_close(bipe_figure *figure);

/* Whether the axes can show the point: finite, and above 0 on an axis of powers. */
bool bipe_figure_shows(const bipe_figure *figure, const bipe_point *point);
/* Whether both ends of the interval can be shown. */
bool bipe_figure_has_interval(const bipe_figure *figure, const bipe_point *point);
/* Axes, of a map cells, for all points that can be shown, with about so many ticks. False: nothing can be shown, or a
 * map has more than BIPE_SCALE_TICKS values. */
bool bipe_figure_axes(const bipe_figure *figure, int x_ticks, int y_ticks, bipe_scale *x, bipe_scale *y);
/* The number of points of series number `series` that cannot be shown. */
size_t bipe_figure_gaps(const bipe_figure *figure, size_t series);

/* ---- drawing ---- */

/* On a terminal, one below the other. */
int bipe_figures_print(const bipe_figure *figure, size_t count, bipe_look look, bipe_output *output, bipe_error *err);

typedef enum bipe_picture { BIPE_PICTURE_SVG, BIPE_PICTURE_PDF, BIPE_PICTURE_PNG } bipe_picture;
enum { BIPE_PICTURE_NARROWEST = 30, BIPE_PICTURE_WIDEST = 10000 }; /* millimetres */

/* Side by side, or one below the other if `width` is too small; in millimetres, at least BIPE_PICTURE_NARROWEST; 0: 84
 * for one figure, 174 for more. *missing: the characters of PDF and PNG for which no font has a glyph.
 * BIPE_ERR_UNSUPPORTED: built without Cairo, and not SVG. */
int bipe_figures_draw(const bipe_figure *figure, size_t count, bipe_picture picture, double width, bipe_output *output,
                      size_t *missing, bipe_error *err);
/* SVG alone, which needs no library. */
int bipe_figures_draw_svg(const bipe_figure *figure, size_t count, double width, bipe_output *output, bipe_error *err);

#endif
