/* cairo_canvas.c - pages as PDF or PNG, drawn by Cairo, with text by Pango, which finds fonts for all scripts and
 * writes them in their direction. */
#include "config.h"

#include "plot/page_canvas.h"

#ifndef HAVE_CAIRO

int bipe_figures_draw(const bipe_figure *figure, size_t count, bipe_picture picture, double width, bipe_output *output,
                      size_t *missing, bipe_error *err)
{
    *missing = 0;
    if (picture == BIPE_PICTURE_SVG)
        return bipe_figures_draw_svg(figure, count, width, output, err);
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                     "PDF and PNG need Cairo and Pango, and this bipe-plot was built without them; it writes SVG");
}

#else

#include <cairo-pdf.h>
#include <cairo.h>
#include <limits.h>
#include <math.h>
#include <pango/pangocairo.h>

enum { DOTS_PER_INCH = 300 };

typedef struct cairo_page {
    bipe_page page;
    bipe_picture picture;
    cairo_surface_t *surface;
    cairo_t *cr;
    PangoLayout *layout; /* for one text after the other */
    size_t missing;
} cairo_page;

static double width_of(bipe_canvas *canvas, const char *text)
{
    PangoRectangle extent;
    PangoLayout *layout = ((cairo_page *)canvas)->layout;
    pango_layout_set_text(layout, text, -1);
    pango_layout_get_extents(layout, NULL, &extent);
    return (double)extent.width / PANGO_SCALE;
}

static void draw_label(bipe_page *page, double x, double base, const char *text)
{
    cairo_page *p = (cairo_page *)page;
    pango_layout_set_text(p->layout, text, -1);
    p->missing += (size_t)pango_layout_get_unknown_glyphs_count(p->layout);
    cairo_set_source_rgb(p->cr, 0, 0, 0);
    cairo_move_to(p->cr, x, base);
    pango_cairo_show_layout_line(p->cr, pango_layout_get_line_readonly(p->layout, 0));
}

static void set_colour(cairo_t *cr, int32_t colour)
{
    cairo_set_source_rgb(cr, (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0);
}

static void draw_shape(bipe_page *page, const bipe_spot *spot, size_t count, double radius, bipe_ink ink)
{
    cairo_t *cr = ((cairo_page *)page)->cr;
    cairo_new_path(cr);
    if (count == 1 && radius > 0)
        cairo_arc(cr, spot->x, spot->y, radius, 0, 2 * M_PI);
    for (size_t i = 0; i < count && (count > 1 || radius == 0); i++)
        cairo_line_to(cr, spot[i].x, spot[i].y);
    if (ink.fill != BIPE_PAGE_NONE) {
        cairo_close_path(cr);
        set_colour(cr, ink.fill);
        cairo_fill_preserve(cr);
    }
    if (ink.line != BIPE_PAGE_NONE) {
        set_colour(cr, ink.line);
        cairo_set_dash(cr, ink.dash, ink.dashes, 0);
        cairo_set_line_width(cr, ink.width);
        cairo_stroke(cr);
    }
}

/* ---- surfaces ---- */

static cairo_status_t write_part(void *context, const unsigned char *bytes, unsigned int size)
{
    return bipe_output_write(context, bytes, size, NULL) == BIPE_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void close_context(cairo_page *p)
{
    if (p->layout != NULL)
        g_object_unref(p->layout);
    cairo_destroy(p->cr);
    cairo_surface_destroy(p->surface);
}

static void open_context(cairo_page *p, cairo_surface_t *surface, double scale)
{
    cairo_font_options_t *options = cairo_font_options_create();
    PangoFontDescription *font = pango_font_description_from_string("sans-serif");
    close_context(p);
    p->surface = surface;
    p->cr = cairo_create(surface);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_scale(p->cr, scale, scale);
    p->layout = pango_cairo_create_layout(p->cr);
    pango_cairo_context_set_font_options(pango_layout_get_context(p->layout), options);
    pango_context_set_round_glyph_positions(pango_layout_get_context(p->layout), false);
    pango_font_description_set_absolute_size(font, BIPE_PAGE_TEXT * PANGO_SCALE);
    pango_layout_set_font_description(p->layout, font);
    pango_layout_set_single_paragraph_mode(p->layout, true);
    pango_font_description_free(font);
    cairo_font_options_destroy(options);
}

static int begin_page(bipe_canvas *canvas, double height, bipe_error *err)
{
    cairo_page *p = (cairo_page *)canvas;
    double scale = p->picture == BIPE_PICTURE_PNG ? DOTS_PER_INCH / 72.0 : 1, width = canvas->width;
    if (p->picture == BIPE_PICTURE_PNG && fmax(width, height) * scale > SHRT_MAX)
        return bipe_fail(
            err, BIPE_ERR_LIMIT,
            "the picture would have more than %d pixels in a row or column: choose a smaller width, or SVG", SHRT_MAX);
    open_context(p,
                 p->picture == BIPE_PICTURE_PDF
                     ? cairo_pdf_surface_create_for_stream(write_part, p->page.output, width, height)
                     : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale),
                                                  (int)ceil(height * scale)),
                 scale);
    if (p->picture == BIPE_PICTURE_PDF) /* the same input gives the same bytes */
        cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    cairo_set_source_rgb(p->cr, 1, 1, 1);
    cairo_paint(p->cr);
    return BIPE_OK;
}

static int end_page(bipe_canvas *canvas, bipe_error *err)
{
    cairo_page *p = (cairo_page *)canvas;
    cairo_status_t problem = cairo_status(p->cr);
    if (problem == CAIRO_STATUS_SUCCESS && p->picture == BIPE_PICTURE_PNG)
        problem = cairo_surface_write_to_png_stream(p->surface, write_part, p->page.output);
    cairo_surface_finish(p->surface);
    if (problem == CAIRO_STATUS_SUCCESS)
        problem = cairo_surface_status(p->surface);
    int status = bipe_output_flush(p->page.output, err); /* a full disk has its own words */
    if (status == BIPE_OK && problem != CAIRO_STATUS_SUCCESS)
        status = bipe_fail(err, BIPE_ERR_IO, "the picture could not be drawn: %s", cairo_status_to_string(problem));
    return status;
}

int bipe_figures_draw(const bipe_figure *figure, size_t count, bipe_picture picture, double width, bipe_output *output,
                      size_t *missing, bipe_error *err)
{
    *missing = 0;
    if (picture == BIPE_PICTURE_SVG)
        return bipe_figures_draw_svg(figure, count, width, output, err);
    cairo_page p = {.page = {.output = output, .shape = draw_shape, .label = draw_label}, .picture = picture};
    bipe_page_open(&p.page, count, width, width_of, begin_page, end_page);
    open_context(&p, cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1), 1); /* to measure texts */
    int status = bipe_chart_draw(&p.page.canvas, figure, count, err);
    *missing = p.missing;
    close_context(&p);
    return status;
}

#endif
