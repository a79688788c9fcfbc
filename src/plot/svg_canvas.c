/* svg_canvas.c - pages as SVG whose text is text: it can be searched, copied and read aloud, and the reader's program
 * has the fonts. The same figure gives the same bytes on every machine, since widths are those of Helvetica, which
 * Arial and Liberation Sans share. */
#include <string.h>

#include "plot/html.h"
#include "plot/page_canvas.h"
#include "text/label.h"
#include "text/utf8.h"

/* Helvetica's characters from blank to ~, in eighteenths of their size (most are whole such), from 'A' for 0 on. */
static const char widths[] =
    "FFHKKQMEGGHLFGFFKKKKKKKKKKFFLLLKTMMNNMLONFJMKPNOMONMLNMRMMLFFFJKGKKJKKFKKEEJEPKKKKGJFKJNJJJGFGL";
_Static_assert(sizeof widths == '~' - ' ' + 2, "a width for each character");

static double width_of(bipe_canvas *canvas, const char *text)
{
    double width = 0;
    (void)canvas;
    for (size_t at = 0, size = strlen(text), used; at < size; at += used) {
        int32_t code;
        used = bipe_utf8_decode((const uint8_t *)text + at, size - at, &code);
        used = used > 0 ? used : size - at;
        width += code >= ' ' && code <= '~'          ? (widths[code - ' '] - 'A') / 18.0
                 : bipe_character_columns(code) == 2 ? 1
                                                     : 0.6 * (double)bipe_character_columns(code);
    }
    return width * BIPE_PAGE_TEXT;
}

static void write_colour(bipe_output *output, const char *what, int32_t colour)
{
    if (colour == BIPE_PAGE_NONE)
        bipe_output_printf(output, NULL, " %s=\"none\"", what);
    else
        bipe_output_printf(output, NULL, " %s=\"#%06x\"", what, (unsigned)colour);
}

static void draw_shape(bipe_page *page, const bipe_spot *spot, size_t count, double radius, bipe_ink ink)
{
    bipe_output *output = page->output;
    if (count == 1 && radius > 0)
        bipe_output_printf(output, NULL, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", spot->x, spot->y, radius);
    for (size_t i = 0; i < count && (count > 1 || radius == 0); i++)
        bipe_output_printf(output, NULL, "%s%.2f %.2f", i > 0 ? "L" : "<path d=\"M", spot[i].x, spot[i].y);
    if (count > 1 || radius == 0)
        bipe_output_printf(output, NULL, "%s\"", ink.fill != BIPE_PAGE_NONE ? "Z" : "");
    write_colour(output, "fill", ink.fill);
    if (ink.line != BIPE_PAGE_NONE) {
        write_colour(output, "stroke", ink.line);
        bipe_output_printf(output, NULL, " stroke-width=\"%.1f\"", ink.width);
    }
    for (int i = 0; i < ink.dashes; i++)
        bipe_output_printf(output, NULL, "%s%.1f%s", i > 0 ? " " : " stroke-dasharray=\"", ink.dash[i],
                           i + 1 == ink.dashes ? "\"" : "");
    bipe_output_printf(output, NULL, "/>\n");
}

static void draw_label(bipe_page *page, double x, double base, const char *text)
{
    bipe_output_printf(page->output, NULL, "<text x=\"%.2f\" y=\"%.2f\">", x, base);
    bipe_html_text(page->output, text);
    bipe_output_printf(page->output, NULL, "</text>\n");
}

static int begin_page(bipe_canvas *canvas, double height, bipe_error *err)
{
    (void)err;
    bipe_output_printf(((bipe_page *)canvas)->output, NULL,
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.2fpt\" height=\"%.2fpt\" viewBox=\"0 0 "
                       "%.2f %.2f\" xml:space=\"preserve\" "

                       "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"%.1f\">\n<rect "
                       "width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                       canvas->width, height, canvas->width, height, BIPE_PAGE_TEXT);
    return BIPE_OK;
}

static int end_page(bipe_canvas *canvas, bipe_error *err)
{
    bipe_output_printf(((bipe_page *)canvas)->output, NULL, "</svg>\n");
    return bipe_output_flush(((bipe_page *)canvas)->output, err);
}

int bipe_figures_draw_svg(const bipe_figure *figure, size_t count, double width, bipe_output *output, bipe_error *err)
{
    bipe_page page = {.output = output, .shape = draw_shape, .label = draw_label};
    bipe_page_open(&page, count, width, width_of, begin_page, end_page);
    return bipe_chart_draw(&page.canvas, figure, count, err);
}
