/* cairo_canvas.c - charts as SVG, PDF or PNG, in a style for papers. Lines differ in colour, mark and dashes. The colours are those of Okabe and
 * Ito (2008) but yellow, in an order in which neighbours also differ in grey. */
#include "config.h"

#include "plot/canvas.h"

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

#include "text/label.h"

#define POINTS_PER_MM (72 / 25.4)
static const double usual_width = 84, usual_wide = 174, panel_least = 50; /* millimetres */
static const double text_size = 7.2;
enum { DASHES = 4, DOTS_PER_INCH = 300, TEXT_SIZE = 1024 };

static const double colours[][3] = {{0, 0, 0}, {0.835, 0.369, 0}, {0.337, 0.706, 0.914}, {0, 0.447, 0.698}, {0.902, 0.624, 0}, {0, 0.45, 0.33}, {0.8, 0.475, 0.655}};
enum { COLOURS = sizeof colours / sizeof colours[0] };

typedef struct page {
    bipe_canvas canvas;
    bipe_picture picture;
    bipe_output *output;
    cairo_surface_t *surface;
    cairo_t *cr;
} page;

static cairo_t *cr_of(bipe_canvas *canvas)
{
    return ((page *)canvas)->cr;
}

static double width_of(bipe_canvas *canvas, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cr_of(canvas), text, &extents);
    return extents.x_advance;
}

static void put_text(bipe_canvas *canvas, double x, double y, double align, double most, const char *text)
{
    cairo_t *cr = cr_of(canvas);
    char cut[TEXT_SIZE];
    size_t columns = bipe_label_columns(text);
    columns = columns < TEXT_SIZE / 8 ? columns : TEXT_SIZE / 8;
    while (bipe_label_cut(text, columns, cut, TEXT_SIZE) != NULL && columns > 1 && width_of(canvas, cut) > most + 0.01)
        columns--;
    cairo_set_source_rgb(cr, 0, 0, 0);
    cairo_move_to(cr, x - align * width_of(canvas, cut), y + text_size * 0.36);
    cairo_show_text(cr, cut);
}

static void set_colour(cairo_t *cr, size_t series)
{
    const double *c = colours[series % COLOURS];
    cairo_set_source_rgb(cr, c[0], c[1], c[2]);
}

static void put_path(bipe_canvas *canvas, const bipe_spot *spot, size_t count, bipe_stroke stroke)
{
    static const double widths[] = {[BIPE_PATH_AXIS] = 0.6, [BIPE_PATH_TICK] = 0.6, [BIPE_PATH_GRID] = 0.4, [BIPE_PATH_DATA] = 0.9, [BIPE_PATH_INTERVAL] = 0.7};
    static const double dashes[DASHES][4] = {{0}, {4, 1.6}, {1.2, 1.4}, {5, 1.4, 1.2, 1.4}};
    static const int lengths[DASHES] = {0, 2, 2, 4};
    cairo_t *cr = cr_of(canvas);
    size_t dash = stroke.path != BIPE_PATH_DATA ? 0 : (stroke.bare ? stroke.series : stroke.series / COLOURS) % DASHES;
    set_colour(cr, stroke.series); /* black for axes */
    if (stroke.path == BIPE_PATH_GRID)
        cairo_set_source_rgb(cr, 0.88, 0.88, 0.88);
    cairo_set_dash(cr, dashes[dash], lengths[dash], 0);
    cairo_set_line_width(cr, widths[stroke.path]);
    cairo_new_path(cr);
    for (size_t i = 0; i < count; i++)
        cairo_line_to(cr, spot[i].x, spot[i].y);
    cairo_stroke(cr);
}

/* Filled shapes, then the same ones hollow. */
static void put_mark(bipe_canvas *canvas, double x, double y, bipe_stroke stroke)
{
    /* Corners of a square, a triangle, and a diamond. */
    static const bipe_spot corners[3][4] = {{{-1.85, -1.85}, {1.85, -1.85}, {1.85, 1.85}, {-1.85, 1.85}}, {{0, -2.5}, {2.3, 1.7}, {-2.3, 1.7}, {0, -2.5}},
                                            {{0, -2.7}, {2.7, 0}, {0, 2.7}, {-2.7, 0}}};
    cairo_t *cr = cr_of(canvas);
    size_t mark = (stroke.series + stroke.series / BIPE_MARKS) % BIPE_MARKS, shape = mark % 4;
    cairo_new_path(cr);
    if (shape == 0)
        cairo_arc(cr, x, y, 2.1, 0, 2 * M_PI);
    for (size_t i = 0; i < 4 && shape > 0; i++)
        cairo_line_to(cr, x + corners[shape - 1][i].x, y + corners[shape - 1][i].y);
    cairo_close_path(cr);
    cairo_set_source_rgb(cr, 1, 1, 1);
    if (mark < 4)
        set_colour(cr, stroke.series);
    cairo_fill_preserve(cr);
    set_colour(cr, stroke.series);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, 0.7);
    cairo_stroke(cr);
}

/* White for 0 to blue for 1, grey for what is unknown. Lightness falls all the way, so that it prints in grey. */
static void put_cell(bipe_canvas *canvas, bipe_spot from, bipe_spot to, double value)
{
    cairo_t *cr = cr_of(canvas);
    bool known = !isnan(value);
    cairo_set_source_rgb(cr, known ? 0.97 - 0.62 * value : 0.85, known ? 0.98 - 0.38 * value : 0.85, known ? 1 - 0.1 * value : 0.85);
    cairo_rectangle(cr, from.x + 0.25, from.y + 0.25, to.x - from.x - 0.5, to.y - from.y - 0.5);
    cairo_fill(cr);
}

/* ---- surfaces ---- */

static cairo_status_t write_part(void *context, const unsigned char *bytes, unsigned int size)
{
    return bipe_output_write(context, bytes, size, NULL) == BIPE_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void open_context(page *p, cairo_surface_t *surface, double scale)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_destroy(p->cr);
    cairo_surface_destroy(p->surface);
    p->surface = surface;
    p->cr = cairo_create(surface);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(p->cr, options);
    cairo_font_options_destroy(options);
    cairo_scale(p->cr, scale, scale);
    cairo_select_font_face(p->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(p->cr, text_size);
}

static int begin_page(bipe_canvas *canvas, double height, bipe_error *err)
{
    page *p = (page *)canvas;
    double scale = p->picture == BIPE_PICTURE_PNG ? DOTS_PER_INCH / 72.0 : 1, width = canvas->width;
    if (p->picture == BIPE_PICTURE_PNG && fmax(width, height) * scale > SHRT_MAX)
        return bipe_fail(err, BIPE_ERR_LIMIT, "the picture would have more than %d pixels in a row or column: choose a smaller width, or SVG", SHRT_MAX);
    open_context(p, p->picture == BIPE_PICTURE_SVG   ? cairo_svg_surface_create_for_stream(write_part, p->output, width, height)
                    : p->picture == BIPE_PICTURE_PDF ? cairo_pdf_surface_create_for_stream(write_part, p->output, width, height)
                                                     : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale)), scale);
    if (p->picture == BIPE_PICTURE_PDF) /* the same input gives the same bytes */
        cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    cairo_set_source_rgb(p->cr, 1, 1, 1);
    cairo_paint(p->cr);
    return BIPE_OK;
}

static int end_page(page *p, bipe_error *err)
{
    cairo_status_t problem = cairo_status(p->cr);
    if (problem == CAIRO_STATUS_SUCCESS && p->picture == BIPE_PICTURE_PNG)
        problem = cairo_surface_write_to_png_stream(p->surface, write_part, p->output);
    cairo_surface_finish(p->surface);
    if (problem == CAIRO_STATUS_SUCCESS)
        problem = cairo_surface_status(p->surface);
    int status = bipe_output_flush(p->output, err); /* a full disk has its own words */
    if (status == BIPE_OK && problem != CAIRO_STATUS_SUCCESS)
        status = bipe_fail(err, BIPE_ERR_IO, "the picture could not be drawn: %s", cairo_status_to_string(problem));
    return status;
}

int bipe_figures_draw(const bipe_figure *figure, size_t count, bipe_picture picture, double width, bipe_output *output, bipe_error *err)
{
    width = POINTS_PER_MM * (width > 0 ? width : count > 1 ? usual_wide : usual_width);
    page p = {.picture = picture, .output = output};
    p.canvas = (bipe_canvas){.width = width, .panel = panel_least * POINTS_PER_MM, .row = text_size * 1.45, .middle = text_size * 0.7, .edge = 4, .indent = 6,
                             .right = 6, .gap = 4.5, .apart = 3, .axis = 2.5, .tall = -24, .slope = 0.66, .cell = 16, .cell_most = 60, .tick = 26, .sample = 21,
                             .line = 18, .cap = 1.5, .after = 3, .width_of = width_of, .begin = begin_page, .text = put_text, .path = put_path, .mark = put_mark,
                             .put_cell = put_cell};
    open_context(&p, cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1), 1); /* to measure texts */
    int status = bipe_chart_draw(&p.canvas, figure, count, err);
    if (status == BIPE_OK)
        status = end_page(&p, err);
    cairo_destroy(p.cr);
    cairo_surface_destroy(p.surface);
    return status;
}

#endif
