/* cairo_chart.c - figures as SVG, PDF or PNG, in a style for papers: lengths are in points (1/72 inch). Lines differ in colour, mark and
 * dashes. The colours are those of Okabe and Ito (2008) but yellow, in an order in which neighbours also differ in grey. */
#include "config.h"

#include "plot/figure.h"

#ifndef HAVE_CAIRO

int bipe_figures_draw(const bipe_figure *figure, size_t count, bipe_picture picture, double width, bipe_output *output, bipe_error *err)
{
    (void)figure, (void)count, (void)picture, (void)width, (void)output;
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "pictures need Cairo, and this bipe-plot was built without it");
}

#else

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "text/label.h"

#define POINTS_PER_MM (72 / 25.4)
static const double usual_width = 84, usual_wide = 174, panel_least = 50, least_width = 30; /* millimetres */
static const double title_size = 8.2, label_size = 8, tick_size = 7, margin = 4, tick_length = 2.5;
enum { MARKS = 8, DASHES = 4, DOTS_PER_INCH = 300, TEXT_SIZE = 1024, LINES_WITH_MARKS = 24, FEW_POINTS = 24 };

static const double colours[][3] = {{0, 0, 0}, {0.835, 0.369, 0}, {0.337, 0.706, 0.914}, {0, 0.447, 0.698}, {0.902, 0.624, 0}, {0, 0.45, 0.33}, {0.8, 0.475, 0.655}};
enum { COLOURS = sizeof colours / sizeof colours[0] };

/* A figure and its place. */
typedef struct panel {
    const bipe_figure *figure;
    bool some; /* there is something to draw */
    bipe_scale x, y;
    double left, top, width, height; /* all of it */
    double plot_left, plot_top, plot_width, plot_height;
    double legend_top, legend_each; /* where the legend begins, the width of an entry */
    size_t legend_columns;
} panel;

static double text_width(cairo_t *cr, double size, const char *text)
{
    cairo_text_extents_t extents;
    cairo_set_font_size(cr, size);
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
}

/* The text, cut in the middle until it is at most `most` wide. */
static const char *fit_text(cairo_t *cr, double size, const char *text, double most, char to[TEXT_SIZE])
{
    size_t columns = bipe_label_columns(text);
    columns = columns < TEXT_SIZE / 8 ? columns : TEXT_SIZE / 8;
    while (bipe_label_cut(text, columns, to, TEXT_SIZE) != NULL && columns > 1 && text_width(cr, size, to) > most)
        columns--;
    return to;
}

/* align: 0 begins at x, 0.5 has its middle there, 1 ends there. y is the baseline. */
static void draw_text(cairo_t *cr, double size, double x, double y, double align, const char *text)
{
    double width = text_width(cr, size, text);
    cairo_move_to(cr, x - align * width, y);
    cairo_show_text(cr, text);
}

static void set_colour(cairo_t *cr, size_t series)
{
    const double *c = colours[series % COLOURS];
    cairo_set_source_rgb(cr, c[0], c[1], c[2]);
}

static void set_dash(cairo_t *cr, const bipe_figure *figure, size_t series)
{
    static const double dashes[DASHES][4] = {{0}, {4, 1.6}, {1.2, 1.4}, {5, 1.4, 1.2, 1.4}};
    static const int lengths[DASHES] = {0, 2, 2, 4};
    size_t dash = (figure->bare ? series : series / COLOURS) % DASHES;
    cairo_set_dash(cr, dashes[dash], lengths[dash], 0);
}

/* Filled shapes, then the same ones hollow. */
static void draw_mark(cairo_t *cr, double x, double y, size_t series)
{
    const double r = 2.1;
    size_t mark = (series + series / MARKS) % MARKS;
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_new_path(cr);
    switch (mark % 4) {
    case 0: cairo_arc(cr, x, y, r, 0, 2 * M_PI); break;
    case 1: cairo_rectangle(cr, x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r); break;
    case 2:
        cairo_move_to(cr, x, y - 1.2 * r);
        cairo_line_to(cr, x + 1.1 * r, y + 0.8 * r);
        cairo_line_to(cr, x - 1.1 * r, y + 0.8 * r);
        break;
    default:
        cairo_move_to(cr, x, y - 1.3 * r);
        cairo_line_to(cr, x + 1.3 * r, y);
        cairo_line_to(cr, x, y + 1.3 * r);
        cairo_line_to(cr, x - 1.3 * r, y);
    }
    cairo_close_path(cr);
    if (mark >= 4)
        cairo_set_source_rgb(cr, 1, 1, 1);
    else
        set_colour(cr, series);
    cairo_fill_preserve(cr);
    set_colour(cr, series);
    cairo_set_line_width(cr, 0.7);
    cairo_stroke(cr);
}

/* ---- measuring ---- */

static double widest_label(cairo_t *cr, const panel *p)
{
    double widest = 0;
    char label[BIPE_SCALE_LABEL];
    for (size_t i = 0; i < p->y.ticks; i++)
        widest = fmax(widest, text_width(cr, tick_size, bipe_scale_label(&p->y, i, label)));
    return widest;
}

/* Everything but where the panel lies; its height results. */
static void measure_panel(cairo_t *cr, panel *p, double width)
{
    const bipe_figure *figure = p->figure;
    double label_line = label_size * 1.35;
    p->width = width;
    p->some = bipe_figure_axes(figure, (int)(width / 26), 5, &p->x, &p->y);
    p->plot_left = margin + label_line + (p->some ? widest_label(cr, p) : 0) + tick_length + 3;
    p->plot_top = margin + (figure->titled ? title_size * 1.7 : tick_size / 2);
    p->plot_width = width - p->plot_left - margin - 2;
    p->plot_height = figure->map ? fmin(p->plot_width, 16.0 * (double)(p->y.ticks > 0 ? p->y.ticks : 1)) : (width - 36) * 0.66;
    p->legend_top = p->plot_top + p->plot_height + tick_length + tick_size * 1.4 + label_line + 3;
    double widest = 0;
    for (size_t s = 0; s < figure->count; s++) {
        char cut[TEXT_SIZE];
        widest = fmax(widest, text_width(cr, tick_size, fit_text(cr, tick_size, figure->series[s].name, width - 2 * margin - 24, cut)));
    }
    p->legend_each = widest + 30;
    p->legend_columns = p->legend_each > 0 && p->legend_each < width - margin ? (size_t)((width - margin) / p->legend_each) : 1;
    p->legend_columns = p->legend_columns < 1 ? 1 : p->legend_columns;
    size_t lines = figure->map ? 0 : (figure->count + p->legend_columns - 1) / p->legend_columns;
    p->height = p->legend_top + (double)lines * tick_size * 1.5 + margin;
}

/* ---- drawing ---- */

static double x_at(const panel *p, double value)
{
    return p->plot_left + bipe_scale_at(&p->x, value) * p->plot_width;
}

static double y_at(const panel *p, double value)
{
    double at = bipe_scale_at(&p->y, value); /* the rows of a map go down */
    return p->plot_top + (p->figure->map ? at : 1 - at) * p->plot_height;
}

static void draw_segment(cairo_t *cr, double x1, double y1, double x2, double y2)
{
    cairo_move_to(cr, x1, y1);
    cairo_line_to(cr, x2, y2);
    cairo_stroke(cr);
}

static void draw_axes(cairo_t *cr, const panel *p)
{
    char label[BIPE_SCALE_LABEL];
    double right = p->plot_left + p->plot_width, bottom = p->plot_top + p->plot_height, last = -INFINITY;
    cairo_set_dash(cr, NULL, 0, 0);
    for (size_t i = 0; i < p->y.ticks; i++) {
        double y = y_at(p, p->y.tick[i]);
        cairo_set_source_rgb(cr, 0.88, 0.88, 0.88);
        cairo_set_line_width(cr, 0.4);
        draw_segment(cr, p->plot_left, y, right, y);
        cairo_set_source_rgb(cr, 0, 0, 0);
        cairo_set_line_width(cr, 0.6);
        draw_segment(cr, p->plot_left - tick_length, y, p->plot_left, y);
        draw_text(cr, tick_size, p->plot_left - tick_length - 2, y + tick_size * 0.36, 1, bipe_scale_label(&p->y, i, label));
    }
    for (size_t i = 0; i < p->x.ticks; i++) {
        double x = x_at(p, p->x.tick[i]), half = text_width(cr, tick_size, bipe_scale_label(&p->x, i, label)) / 2;
        double middle = fmin(x, p->width - 1 - half); /* within the panel */
        draw_segment(cr, x, bottom, x, bottom + tick_length);
        if (middle - half > last + 3) {
            draw_text(cr, tick_size, middle, bottom + tick_length + tick_size * 1.1, 0.5, label);
            last = middle + half;
        }
    }
    cairo_move_to(cr, p->plot_left, p->plot_top);
    cairo_line_to(cr, p->plot_left, bottom);
    cairo_line_to(cr, right, bottom);
    cairo_stroke(cr);
    if (p->figure->zero && p->y.low < 0 && p->y.high > 0) {
        cairo_set_line_width(cr, 0.8);
        cairo_set_source_rgb(cr, 0.4, 0.4, 0.4);
        draw_segment(cr, p->plot_left, y_at(p, 0), right, y_at(p, 0));
    }
}

static void draw_series(cairo_t *cr, const panel *p, size_t s)
{
    const bipe_figure *figure = p->figure;
    const bipe_series *series = &figure->series[s];
    const bipe_point *before = NULL;
    set_colour(cr, s);
    cairo_set_line_width(cr, figure->bare ? 0.9 : 1);
    set_dash(cr, figure, s);
    cairo_new_path(cr);
    for (size_t i = 0; i < series->count; i++) {
        const bipe_point *at = &series->point[i];
        bool shown = bipe_figure_shows(figure, at);
        if (shown && before != NULL)
            cairo_line_to(cr, x_at(p, at->x), y_at(p, at->y));
        else if (shown)
            cairo_move_to(cr, x_at(p, at->x), y_at(p, at->y));
        before = shown ? at : NULL;
    }
    cairo_stroke(cr);
    /* A line of many points has marks here and there, each line at other places; a single one needs none. */
    bool every = !figure->bare || series->count <= FEW_POINTS;
    double next = every ? -INFINITY : figure->count == 1 || figure->count > LINES_WITH_MARKS ? INFINITY
                                                                 : p->plot_left + p->plot_width * (double)(s % MARKS) / (3 * MARKS);
    for (size_t i = 0; i < series->count; i++) {
        const bipe_point *at = &series->point[i];
        if (!bipe_figure_shows(figure, at))
            continue;
        double x = x_at(p, at->x);
        if (bipe_figure_has_interval(figure, at)) {
            cairo_set_dash(cr, NULL, 0, 0);
            cairo_set_line_width(cr, 0.7);
            draw_segment(cr, x, y_at(p, at->low), x, y_at(p, at->high));
            draw_segment(cr, x - 1.5, y_at(p, at->low), x + 1.5, y_at(p, at->low));
            draw_segment(cr, x - 1.5, y_at(p, at->high), x + 1.5, y_at(p, at->high));
        }
        if (x >= next) {
            draw_mark(cr, x, y_at(p, at->y), s);
            next = every ? next : x + p->plot_width / 3;
        }
    }
}

static void draw_legend(cairo_t *cr, const panel *p)
{
    for (size_t s = 0; s < p->figure->count; s++) {
        char cut[TEXT_SIZE];
        double x = margin + (double)(s % p->legend_columns) * p->legend_each;
        double y = p->legend_top + (double)(s / p->legend_columns) * tick_size * 1.5 + tick_size;
        set_colour(cr, s);
        set_dash(cr, p->figure, s);
        cairo_set_line_width(cr, 1);
        draw_segment(cr, x, y - tick_size * 0.35, x + 18, y - tick_size * 0.35);
        if (!p->figure->bare || (p->figure->count > 1 && p->figure->count <= LINES_WITH_MARKS))
            draw_mark(cr, x + 9, y - tick_size * 0.35, s);
        cairo_set_source_rgb(cr, 0, 0, 0);
        draw_text(cr, tick_size, x + 21, y, 0, fit_text(cr, tick_size, p->figure->series[s].name, p->width - 2 * margin - 24, cut));
    }
}

/* White for 0 to dark blue for 1: lightness falls all the way, so that it prints in grey. */
static void draw_cell(cairo_t *cr, const panel *p, double x, double y, double value)
{
    double width = p->plot_width / (double)p->x.ticks, height = p->plot_height / (double)p->y.ticks, size = fmin(tick_size, height * 0.8);
    bool known = value >= 0 && value <= 1;
    char text[16] = "\342\200\223";
    if (known)
        snprintf(text, sizeof text, "%.0f", value * 100);
    cairo_set_source_rgb(cr, known ? 0.97 - 0.94 * value : 0.85, known ? 0.98 - 0.79 * value : 0.85, known ? 1 - 0.58 * value : 0.85);
    cairo_rectangle(cr, x - width / 2, y - height / 2, width, height);
    cairo_fill_preserve(cr);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_set_line_width(cr, 0.5);
    cairo_stroke(cr);
    if (!known || value < 0.6)
        cairo_set_source_rgb(cr, 0, 0, 0);
    if (text_width(cr, size, text) + 2 < width)
        draw_text(cr, size, x, y + size * 0.36, 0.5, text);
}

static void draw_map(cairo_t *cr, const panel *p)
{
    const bipe_series *series = &p->figure->series[0];
    for (size_t c = 0; c < p->x.ticks * p->y.ticks; c++)
        draw_cell(cr, p, x_at(p, p->x.tick[c % p->x.ticks]), y_at(p, p->y.tick[c / p->x.ticks]), NAN);
    for (size_t i = 0; i < series->count; i++)
        if (bipe_figure_shows(p->figure, &series->point[i]))
            draw_cell(cr, p, x_at(p, series->point[i].x), y_at(p, series->point[i].y), series->point[i].low);
}

static void draw_panel(cairo_t *cr, const panel *p)
{
    const bipe_figure *figure = p->figure;
    double middle = p->plot_left + p->plot_width / 2;
    char cut[TEXT_SIZE];
    cairo_save(cr);
    cairo_translate(cr, p->left, p->top);
    cairo_set_source_rgb(cr, 0, 0, 0);
    if (figure->titled && figure->title != NULL)
        draw_text(cr, title_size, margin, margin + title_size, 0, fit_text(cr, title_size, figure->title, p->width - 2 * margin, cut));
    if (!p->some) {
        draw_text(cr, tick_size, middle, p->plot_top + p->plot_height / 2, 0.5,
                  fit_text(cr, tick_size, "no point has values that the axes can show", p->plot_width, cut));
    } else {
        draw_axes(cr, p);
        if (figure->map)
            draw_map(cr, p);
        for (size_t s = figure->map ? 0 : figure->count; s-- > 0;) /* the first is on top */
            draw_series(cr, p, s);
    }
    cairo_set_source_rgb(cr, 0, 0, 0);
    if (figure->x_label != NULL)
        draw_text(cr, label_size, middle, p->legend_top - 5, 0.5, fit_text(cr, label_size, figure->x_label, p->plot_width, cut));
    if (figure->y_label != NULL) {
        cairo_save(cr);
        cairo_translate(cr, margin + label_size, p->plot_top + p->plot_height / 2);
        cairo_rotate(cr, -M_PI / 2);
        draw_text(cr, label_size, 0, 0, 0.5, fit_text(cr, label_size, figure->y_label, p->plot_height + tick_size, cut));
        cairo_restore(cr);
    }
    if (!figure->map)
        draw_legend(cr, p);
    cairo_restore(cr);
}

/* ---- surfaces ---- */

static cairo_status_t write_part(void *context, const unsigned char *bytes, unsigned int size)
{
    return bipe_output_write(context, bytes, size, NULL) == BIPE_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void set_font(cairo_t *cr)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
}

/* Places the panels in rows; the height of the picture. */
static double place_panels(panel *p, size_t count, size_t beside, double width)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cr = cairo_create(surface);
    double line = 0, height = 0;
    set_font(cr);
    for (size_t i = 0; i < count; i++) {
        if (i % beside == 0) {
            height += line;
            line = 0;
        }
        measure_panel(cr, &p[i], width / (double)beside);
        p[i].left = (double)(i % beside) * width / (double)beside;
        p[i].top = height;
        line = fmax(line, p[i].height);
    }
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return height + line;
}

static int draw_all(const panel *p, size_t count, bipe_picture picture, double width, double height, bipe_output *output, bipe_error *err)
{
    double scale = picture == BIPE_PICTURE_PNG ? DOTS_PER_INCH / 72.0 : 1;
    cairo_surface_t *surface = picture == BIPE_PICTURE_SVG   ? cairo_svg_surface_create_for_stream(write_part, output, width, height)
                               : picture == BIPE_PICTURE_PDF ? cairo_pdf_surface_create_for_stream(write_part, output, width, height)
                                                             : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
    cairo_t *cr = cairo_create(surface);
    set_font(cr);
    cairo_scale(cr, scale, scale);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    for (size_t i = 0; i < count; i++)
        draw_panel(cr, &p[i]);
    cairo_status_t problem = cairo_status(cr);
    cairo_destroy(cr);
    if (problem == CAIRO_STATUS_SUCCESS && picture == BIPE_PICTURE_PNG)
        problem = cairo_surface_write_to_png_stream(surface, write_part, output);
    cairo_surface_finish(surface);
    if (problem == CAIRO_STATUS_SUCCESS)
        problem = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    int status = bipe_output_flush(output, err); /* a full disk has its own words */
    if (status == BIPE_OK && problem != CAIRO_STATUS_SUCCESS)
        status = problem == CAIRO_STATUS_NO_MEMORY ? bipe_fail_memory(err)
                                                   : bipe_fail(err, BIPE_ERR_IO, "the picture could not be drawn: %s", cairo_status_to_string(problem));
    return status;
}

int bipe_figures_draw(const bipe_figure *figure, size_t count, bipe_picture picture, double width, bipe_output *output, bipe_error *err)
{
    panel *p = bipe_alloc(count, sizeof *p);
    if (p == NULL)
        return bipe_fail_memory(err);
    width = width > 0 ? fmax(width, least_width) : count > 1 ? usual_wide : usual_width;
    size_t fit = (size_t)(width / panel_least), beside = fit < 1 ? 1 : fit < count ? fit : count;
    beside = beside < 1 ? 1 : beside > 3 ? 3 : beside;
    for (size_t i = 0; i < count; i++)
        p[i].figure = &figure[i];
    double points = width * POINTS_PER_MM, height = place_panels(p, count, beside, points);
    int status = BIPE_OK;
    if (picture == BIPE_PICTURE_PNG && fmax(points, height) * DOTS_PER_INCH / 72 > SHRT_MAX)
        status = bipe_fail(err, BIPE_ERR_LIMIT, "the picture would have more than %d pixels in a row or column: choose a smaller width, or SVG", SHRT_MAX);
    if (status == BIPE_OK)
        status = draw_all(p, count, picture, points, fmax(height, 1), output, err);
    bipe_free(p);
    return status;
}

#endif
