/* chart.c - figures on any canvas: places titles, axes, lines and legends so that nothing overlaps or is cut off, and
 * draws them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "plot/canvas.h"

enum { FEW_POINTS = 24, Y_TICKS = 5, BESIDE_MOST = 3 };
static const double NAMES_MOST = 0.42; /* of the width, for the names of bars */

/* A figure and its place on the canvas. */
typedef struct panel {
    bipe_canvas *canvas;
    const bipe_figure *figure;
    bool some; /* there is something to draw */
    bipe_scale x, y;
    double begin, width, bottom;             /* all of it; begin: its left edge */
    double title, y_label, x_labels, legend; /* tops of lines of text; x_labels: of the ticks, the name of the axis is
                                                below them */
    double left, top, right, floor;          /* the plot */
    double each;                             /* the width of an entry of the legend */
    size_t columns;                          /* of the legend */
    double note;                             /* top of the caption */
    char caption[BIPE_FIGURE_CAPTION];       /* lines, each with a NUL after it */
    size_t caption_lines;
} panel;

/* Breaks the caption at blanks into lines as wide as the panel. */
static void wrap_caption(panel *p)
{
    bipe_canvas *c = p->canvas;
    char *line = p->caption, *blank = NULL;
    snprintf(p->caption, sizeof p->caption, "%s", p->figure->caption);
    p->caption_lines = line[0] != '\0';
    for (char *at = strchr(line, ' '); p->caption_lines > 0; at = strchr(at + 1, ' ')) {
        if (at != NULL)
            *at = '\0';
        if (blank != NULL && c->width_of(c, line) > p->width - 2 * c->indent) {
            *blank = '\0';
            line = blank + 1;
            p->caption_lines++;
        }
        if (at == NULL)
            return;
        *(blank = at) = ' ';
    }
}

static size_t group_lines(const bipe_figure *figure, size_t group)
{
    size_t lines = 0;
    for (size_t s = 0; s < figure->count; s++)
        for (size_t i = 0; i < figure->series[s].count; i++)
            lines += figure->series[s].point[i].x == (double)group;
    return lines;
}

/* The lines of text that bars take: one for each, and headings. */
static size_t bar_lines(const bipe_figure *figure)
{
    size_t lines = figure->groups;
    for (size_t g = 0; g < figure->groups; g++)
        lines += group_lines(figure, g);
    return lines;
}

/* The label of tick number `i`, or the name of a row of a map. */
static const char *y_label(const panel *p, size_t i, char text[BIPE_SCALE_LABEL])
{
    bool named = p->figure->map && p->figure->groups > 0;
    return named ? p->figure->group[(size_t)p->y.tick[i]].name : bipe_scale_label(&p->y, i, text);
}

/* Returns the height from `top` on. */
static double measure_panel(panel *p, double begin, double top, double width)
{
    bipe_canvas *c = p->canvas;
    const bipe_figure *figure = p->figure;
    double label = 0, name = 0, most = width - c->indent - c->sample - c->edge;
    char text[BIPE_SCALE_LABEL];
    bool lined = !figure->map && !figure->bars;
    p->begin = begin;
    p->width = width;
    p->some = bipe_figure_axes(figure, (int)(width / c->tick), Y_TICKS, &p->x, &p->y);
    for (size_t i = 0; p->some && i < p->y.ticks; i++)
        label = fmax(label, fmin(c->width_of(c, y_label(p, i, text)), width * NAMES_MOST));
    for (size_t s = 0; figure->bars && s < figure->count; s++)
        label = fmax(label, fmin(c->width_of(c, figure->series[s].name), width * NAMES_MOST));
    p->title = top + c->edge;
    p->y_label = p->title + (figure->titled ? c->row : 0);
    p->left = begin + c->edge + label + c->gap;
    p->top = p->y_label + (figure->y_label != NULL ? c->row + c->after : 0);
    p->right = begin + width - c->right;
    if (figure->map && p->some)
        p->right = fmin(p->right, p->left + c->cell_most * (double)p->x.ticks);
    if (figure->bars)
        p->right -= c->width_of(c, "-100.0") + c->apart;
    p->floor = p->top + (!p->some       ? c->row
                         : figure->map  ? c->cell * (double)p->y.ticks
                         : figure->bars ? c->row * (double)bar_lines(figure)
                                        : c->tall + c->slope * width);
    p->x_labels = p->floor + (p->some ? c->axis : 0);
    p->legend = p->x_labels + (p->some ? c->row : 0) + (figure->x_label != NULL ? c->row : 0) + c->after;
    for (size_t s = 0; s < figure->count; s++)
        name = fmax(name, fmin(most, c->width_of(c, figure->series[s].name)));
    p->each = c->sample + name + c->indent;
    p->columns = (size_t)((width - c->indent) / p->each);
    p->columns = p->columns < 1 ? 1 : p->columns;
    size_t lines = lined ? (figure->count + p->columns - 1) / p->columns : 0;
    wrap_caption(p);
    p->note = p->legend + (double)lines * c->row;
    return p->note + (double)p->caption_lines * c->row + c->edge - top;
}

static double x_at(const panel *p, double value)
{
    return p->left + bipe_scale_at(&p->x, value) * (p->right - p->left - p->canvas->dot_x);
}

static double y_at(const panel *p, double value)
{
    double at = bipe_scale_at(&p->y, value); /* the rows of a map go down */
    return p->top + (p->figure->map ? at : 1 - at) * (p->floor - p->top - p->canvas->dot_y);
}

/* A text whose middle is at x, or nearer to the middle of the panel, so that it is within it. Returns where it
 * begins. */
static double place_within(const panel *p, double x, double width)
{
    double most = p->begin + p->width - width;
    x -= width / 2;
    return x < p->begin || most < p->begin ? p->begin : x > most ? most : x;
}

static void draw_line(bipe_canvas *c, double x1, double y1, double x2, double y2, bipe_stroke stroke)
{
    c->path(c, (bipe_spot[]){{x1, y1}, {x2, y2}}, 2, stroke);
}

static void draw_axes(const panel *p)
{
    bipe_canvas *c = p->canvas;
    char label[BIPE_SCALE_LABEL];
    double last = -INFINITY;
    double top = p->figure->bars && c->line > 0 ? p->floor : p->top; /* that of bars is drawn between their headings */
    c->path(c, (bipe_spot[]){{p->left, top}, {p->left, p->floor}, {p->right, p->floor}}, 3,
            (bipe_stroke){.path = BIPE_PATH_AXIS});
    for (size_t i = 0; i < p->y.ticks; i++) {
        double y = y_at(p, p->y.tick[i]);
        if (y < p->floor - 0.01 && !p->figure->map) /* not on the axis */
            draw_line(c, p->left, y, p->right, y, (bipe_stroke){.path = BIPE_PATH_GRID});
        draw_line(c, p->left, y, p->left - c->axis, y, (bipe_stroke){.path = BIPE_PATH_TICK});
        c->text(c, p->left - c->gap, y, 1, p->left - c->gap - p->begin, y_label(p, i, label));
    }
    for (size_t i = 0; i < p->x.ticks; i++) {
        double x = x_at(p, p->x.tick[i]), width = c->width_of(c, bipe_scale_label(&p->x, i, label)),
               from = place_within(p, x, width);
        draw_line(c, x, p->floor, x, p->floor + c->axis, (bipe_stroke){.path = BIPE_PATH_TICK});
        if (from < last + c->apart)
            continue;
        c->text(c, from + width / 2, p->x_labels + c->middle, 0.5, INFINITY, label);
        last = from + width;
    }
}

static bipe_stroke stroke_of(const bipe_figure *figure, size_t number, bipe_path path)
{
    return (bipe_stroke){path,        number, figure->count, figure->series[number].colour, figure->series[number].dash,
                         figure->bare};
}

/* Upright or level, with ends across it. */
static void draw_interval(bipe_canvas *c, bipe_spot from, bipe_spot to, bipe_stroke stroke)
{
    double across = from.x == to.x ? c->cap : 0, along = c->cap - across;
    draw_line(c, from.x, from.y, to.x, to.y, stroke);
    for (int end = 0; end < 2 && c->cap > 0; end++) {
        bipe_spot at = end ? to : from;
        draw_line(c, at.x - across, at.y - along, at.x + across, at.y + along, stroke);
    }
}

/* `spot` has places for all points. */
static void draw_series(const panel *p, size_t number, bipe_spot *spot)
{
    bipe_canvas *c = p->canvas;
    const bipe_figure *figure = p->figure;
    const bipe_series *series = &figure->series[number];
    const bipe_stroke stroke = stroke_of(figure, number, BIPE_PATH_DATA),
                      interval = stroke_of(figure, number, BIPE_PATH_INTERVAL);
    double third = (p->right - p->left) / 3;
    size_t run = 0;
    for (size_t i = 0; i <= series->count; i++) {
        bool shown = i < series->count && bipe_figure_shows(figure, &series->point[i]);
        if (shown)
            spot[run++] = (bipe_spot){x_at(p, series->point[i].x), y_at(p, series->point[i].y)};
        if (!shown && run > 0)
            c->path(c, spot, run, stroke);
        run = shown ? run : 0;
    }
    /* A line of many points has marks here and there, each line at other places; a single one needs none. */
    bool every = !figure->bare || series->count <= FEW_POINTS;
    double next = every                ? -INFINITY
                  : figure->count == 1 ? INFINITY
                                       : p->left + third * (double)(number % BIPE_MARKS) / BIPE_MARKS;
    for (size_t i = 0; i < series->count; i++) {
        const bipe_point *point = &series->point[i];
        if (!bipe_figure_shows(figure, point))
            continue;
        double x = x_at(p, point->x), low = y_at(p, point->low), high = y_at(p, point->high);
        bool whole = bipe_figure_has_interval(figure, point);
        if (whole)
            draw_interval(c, (bipe_spot){x, low}, (bipe_spot){x, high}, interval);
        if (x < next)
            continue;
        c->mark(c, x, y_at(p, point->y), stroke);
        next = every ? next : x + third;
    }
}

static void draw_map(const panel *p)
{
    bipe_canvas *c = p->canvas;
    const bipe_series *series = &p->figure->series[0];
    double width = (p->right - p->left) / (double)p->x.ticks;
    for (size_t k = 0; k < p->x.ticks * p->y.ticks; k++) {
        double x = p->x.tick[k % p->x.ticks], y = p->y.tick[k / p->x.ticks], value = NAN;
        for (size_t i = 0; i < series->count; i++)
            if (series->point[i].x == x && series->point[i].y == y)
                value = series->point[i].low >= 0 && series->point[i].low <= 1 ? series->point[i].low : (double)NAN;
        bipe_spot from = {p->left + width * (double)(k % p->x.ticks), p->top + c->cell * (double)(k / p->x.ticks)};
        char text[8] = " -";
        if (!isnan(value))
            snprintf(text, sizeof text, " %.0f", value * 100);
        c->draw_cell(c, from, (bipe_spot){from.x + width, from.y + c->cell}, value);
        if (c->width_of(c, text) < width)
            c->text(c, from.x + width / 2, from.y + (c->cell - c->row) / 2 + c->middle, 0.5, INFINITY, text);
    }
}

/* The bar with its texts, or what is in front of it. */
static void draw_bar(const panel *p, size_t number, const bipe_point *point, double y, bool front)
{
    bipe_canvas *c = p->canvas;
    bipe_stroke stroke = stroke_of(p->figure, number, BIPE_PATH_DATA);
    char text[BIPE_SCALE_LABEL];
    bool shown = bipe_figure_shows(p->figure, point);
    if (front && shown && bipe_figure_has_interval(p->figure, point)) {
        draw_interval(c, (bipe_spot){x_at(p, point->low), y}, (bipe_spot){x_at(p, point->high), y},
                      stroke_of(p->figure, number, BIPE_PATH_INTERVAL));
        stroke.series = 0; /* names are beside the bars */
        stroke.of = 1;
        if (c->line == 0) /* the interval hides the end of the bar */
            c->mark(c, x_at(p, point->y), y, stroke);
    }
    if (front)
        return;
    snprintf(text, sizeof text, !shown ? "-" : fabs(point->y) < 1e5 ? "%.1f" : "%.3g", point->y);
    c->text(c, p->left - c->gap, y, 1, (p->width - c->edge) * NAMES_MOST, p->figure->series[number].name);
    c->text(c, p->begin + p->width - c->right, y, 1, INFINITY, text);
    if (shown)
        c->bar(c, x_at(p, fmin(point->y, 0)), x_at(p, fmax(point->y, 0)), y, stroke);
}

static void draw_bars(const panel *p)
{
    bipe_canvas *c = p->canvas;
    const bipe_figure *figure = p->figure;
    double y = p->top + c->middle;
    for (size_t g = 0; g < figure->groups; g++) {
        double level = figure->group[g].level, first = y + c->row, from = first - c->middle,
               to = from + c->row * (double)group_lines(figure, g);
        c->text(c, p->begin + c->edge, y, 0, p->width - 2 * c->edge, figure->group[g].name);
        for (size_t i = 0; i < p->x.ticks; i++)
            draw_line(c, x_at(p, p->x.tick[i]), from, x_at(p, p->x.tick[i]), to, (bipe_stroke){.path = BIPE_PATH_GRID});
        for (int front = 0; front < 2; front++) {
            y = first;
            for (size_t s = 0; s < figure->count; s++)
                for (size_t i = 0; i < figure->series[s].count; i++)
                    if (figure->series[s].point[i].x == (double)g) {
                        draw_bar(p, s, &figure->series[s].point[i], y, front);
                        y += c->row;
                    }
            if (isfinite(level) && !front)
                draw_line(c, x_at(p, level), from, x_at(p, level), to, (bipe_stroke){.path = BIPE_PATH_LEVEL});
            if (c->line > 0 && !front)
                draw_line(c, x_at(p, 0), from, x_at(p, 0), to, (bipe_stroke){.path = BIPE_PATH_AXIS});
        }
    }
}

static int draw_panel(const panel *p, bipe_error *err)
{
    bipe_canvas *c = p->canvas;
    const bipe_figure *figure = p->figure;
    double most = p->width - 2 * c->edge;
    size_t points = 1;
    for (size_t s = 0; s < figure->count; s++)
        points = figure->series[s].count > points ? figure->series[s].count : points;
    bipe_spot *spot = bipe_alloc(points, sizeof *spot);
    if (spot == NULL)
        return bipe_fail_memory(err);
    if (figure->titled)
        c->text(c, p->begin + c->edge, p->title + c->middle, 0, most, figure->title);
    if (figure->y_label != NULL)
        c->text(c, p->begin + c->edge, p->y_label + c->middle, 0, most, figure->y_label);
    if (!p->some)
        c->text(c, p->begin + c->indent, p->top + c->middle, 0, most - c->indent,
                "nothing to draw: no values that the axes can show");
    else
        draw_axes(p);
    if (p->some && figure->map)
        draw_map(p);
    if (p->some && figure->bars)
        draw_bars(p);
    bool lined = !figure->map && !figure->bars;
    for (size_t s = lined && p->some ? figure->count : 0; s-- > 0;) /* the first is on top */
        draw_series(p, s, spot);
    if (figure->x_label != NULL) {
        double width = fmin(c->width_of(c, figure->x_label), most);
        c->text(c, place_within(p, (p->left + p->right) / 2, width), p->x_labels + (p->some ? c->row : 0) + c->middle,
                0, most, figure->x_label);
    }
    for (size_t s = 0; s < figure->count && lined; s++) {
        double x = p->begin + c->indent + (double)(s % p->columns) * p->each,
               y = p->legend + (double)(s / p->columns) * c->row + c->middle;
        const bipe_stroke stroke = stroke_of(figure, s, BIPE_PATH_DATA);
        if (c->line > 0)
            draw_line(c, x, y, x + c->line, y, stroke);
        if (c->line == 0 || !figure->bare || figure->count > 1)
            c->mark(c, x + c->line / 2, y, stroke);
        c->text(c, x + c->sample, y, 0, p->each - c->sample - c->indent, figure->series[s].name);
    }
    const char *line = p->caption;
    for (size_t i = 0; i < p->caption_lines; i++, line += strlen(line) + 1)
        c->text(c, p->begin + c->indent, p->note + (double)i * c->row + c->middle, 0, p->width - 2 * c->indent, line);
    bipe_free(spot);
    return BIPE_OK;
}

int bipe_chart_draw(bipe_canvas *canvas, const bipe_figure *figure, size_t count, bipe_error *err)
{
    panel *p = bipe_alloc(count, sizeof *p);
    if (p == NULL)
        return bipe_fail_memory(err);
    size_t fit = (size_t)fmin(canvas->width / canvas->panel, BESIDE_MOST), beside = fit < 1       ? 1
                                                                                    : fit < count ? fit
                                                                                                  : count;
    double width = canvas->width / (double)beside, top = 0, line = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % beside == 0 && i > 0) {
            top += line + canvas->row - canvas->edge;
            line = 0;
        }
        p[i].canvas = canvas;
        p[i].figure = &figure[i];
        line = fmax(line, measure_panel(&p[i], (double)(i % beside) * width, top, width));
    }
    int status = canvas->begin(canvas, top + line, err);
    for (size_t i = 0; i < count && status == BIPE_OK; i++)
        status = draw_panel(&p[i], err);
    if (status == BIPE_OK)
        status = canvas->end(canvas, err);
    bipe_free(p);
    return status;
}
