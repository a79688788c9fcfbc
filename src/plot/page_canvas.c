/* page_canvas.c - the look of a page: lines differ in colour, mark and dashes. The colours are those of Okabe and Ito
 * (2008) without yellow, in an order in which neighbours also differ in grey. */
#include "plot/page_canvas.h"

#include <math.h>

#include "text/label.h"

#define POINTS_PER_MM (72 / 25.4)
static const double usual_width = 84, usual_wide = 174, panel_least = 50; /* millimetres */
enum {
    DASHES = 4,
    TEXT_SIZE = 1024,
    BLACK = 0x000000,
    WHITE = 0xFFFFFF,
    GRID_GREY = 0xE0E0E0,
    LEVEL_GREY = 0x606060,
    UNKNOWN_GREY = 0xD9D9D9
};

static const int32_t colours[] = {BLACK, 0xD55E00, 0x56B4E9, 0x0072B2, 0xE69F00, 0x007354, 0xCC79A7};
enum { COLOURS = sizeof colours / sizeof colours[0], PAIRS = COLOURS * BIPE_MARKS };
_Static_assert((int)BIPE_PAGE_LOOKS == (int)PAIRS * (int)DASHES,
               "colours and marks, whose numbers have no common divisor, are all different; then dashes");

static const double dash_lengths[DASHES][4] = {{0}, {4, 1.6}, {1.2, 1.4}, {5, 1.4, 1.2, 1.4}};
static const int dash_counts[DASHES] = {0, 2, 2, 4};

static int32_t colour_of(bipe_stroke stroke)
{
    return colours[stroke.colour % COLOURS];
}

static void draw_text(bipe_canvas *canvas, double x, double y, double align, double most, const char *text)
{
    char cut[TEXT_SIZE];
    size_t columns = bipe_label_columns(text);
    columns = columns < TEXT_SIZE / 8 ? columns : TEXT_SIZE / 8;
    while (bipe_label_cut(text, columns, cut, TEXT_SIZE) != NULL && columns > 1 &&
           canvas->width_of(canvas, cut) > most + 0.01)
        columns--;
    ((bipe_page *)canvas)
        ->label((bipe_page *)canvas, x - align * canvas->width_of(canvas, cut), y + BIPE_PAGE_BASE, cut);
}

static void draw_path(bipe_canvas *canvas, const bipe_spot *spot, size_t count, bipe_stroke stroke)
{
    static const double widths[] = {[BIPE_PATH_AXIS] = 0.6,  [BIPE_PATH_TICK] = 0.6, [BIPE_PATH_GRID] = 0.4,
                                    [BIPE_PATH_LEVEL] = 0.7, [BIPE_PATH_DATA] = 0.9, [BIPE_PATH_INTERVAL] = 0.7};
    bool data = stroke.path == BIPE_PATH_DATA, interval = stroke.path == BIPE_PATH_INTERVAL;
    size_t dash = data ? ((stroke.bare ? stroke.dash : stroke.dash / COLOURS) + stroke.dash / PAIRS) % DASHES
                  : stroke.path == BIPE_PATH_LEVEL ? 2
                                                   : 0;
    int32_t colour = data || interval                 ? colour_of(stroke)
                     : stroke.path == BIPE_PATH_GRID  ? GRID_GREY
                     : stroke.path == BIPE_PATH_LEVEL ? LEVEL_GREY
                                                      : BLACK;
    ((bipe_page *)canvas)
        ->shape((bipe_page *)canvas, spot, count, 0,
                (bipe_ink){BIPE_PAGE_NONE, colour, widths[stroke.path], dash_lengths[dash], dash_counts[dash]});
}

/* Filled shapes, then the same ones hollow. */
static void draw_mark(bipe_canvas *canvas, double x, double y, bipe_stroke stroke)
{
    /* Corners of a square, a triangle, and a diamond. */
    static const bipe_spot corners[3][4] = {{{-1.85, -1.85}, {1.85, -1.85}, {1.85, 1.85}, {-1.85, 1.85}},
                                            {{0, -2.5}, {2.3, 1.7}, {-2.3, 1.7}, {0, -2.5}},
                                            {{0, -2.7}, {2.7, 0}, {0, 2.7}, {-2.7, 0}}};
    size_t mark = stroke.series % BIPE_MARKS, form = mark % 4;
    bipe_spot spot[4] = {{x, y}};
    for (size_t i = 0; i < 4 && form > 0; i++)
        spot[i] = (bipe_spot){x + corners[form - 1][i].x, y + corners[form - 1][i].y};
    ((bipe_page *)canvas)
        ->shape((bipe_page *)canvas, spot, form > 0 ? 4 : 1, 2.1,
                (bipe_ink){mark < 4 ? colour_of(stroke) : WHITE, colour_of(stroke), 0.7, NULL, 0});
}

static void fill_area(bipe_canvas *canvas, bipe_spot from, bipe_spot to, int32_t colour)
{
    const bipe_spot spot[] = {from, {to.x, from.y}, to, {from.x, to.y}};
    ((bipe_page *)canvas)->shape((bipe_page *)canvas, spot, 4, 0, (bipe_ink){colour, BIPE_PAGE_NONE, 0, NULL, 0});
}

/* White for 0 to blue for 1, grey for what is unknown. Lightness falls all the way, so that it prints in grey. */
static void draw_cell(bipe_canvas *canvas, bipe_spot from, bipe_spot to, double value)
{
    static const double light[] = {0.97, 0.98, 1}, fall[] = {0.62, 0.38, 0.1};
    int32_t colour = 0;
    for (int i = 0; i < 3 && !isnan(value); i++)
        colour = colour << 8 | (int32_t)lround(255 * (light[i] - fall[i] * value));
    fill_area(canvas, (bipe_spot){from.x + 0.25, from.y + 0.25}, (bipe_spot){to.x - 0.25, to.y - 0.25},
              isnan(value) ? UNKNOWN_GREY : colour);
}

/* In its colour, lightened by half so that the interval can be seen. */
static void draw_bar(bipe_canvas *canvas, double from, double to, double y, bipe_stroke stroke)
{
    int32_t colour = colour_of(stroke), pale = (colour >> 1 & 0x7F7F7F) + 0x7F7F7F;
    double half = canvas->row * 0.32;
    fill_area(canvas, (bipe_spot){from, y - half}, (bipe_spot){to, y + half}, pale);
}

void bipe_page_open(bipe_page *page, size_t figures, double width,
                    double (*width_of)(bipe_canvas *canvas, const char *text),
                    int (*begin)(bipe_canvas *canvas, double height, bipe_error *err),
                    int (*end)(bipe_canvas *canvas, bipe_error *err))
{
    width = POINTS_PER_MM * (width > 0 ? width : figures > 1 ? usual_wide : usual_width);
    page->canvas = (bipe_canvas){.width = width, .panel = panel_least * POINTS_PER_MM, .row = BIPE_PAGE_TEXT * 1.45,
                                 .middle = BIPE_PAGE_TEXT * 0.7, .edge = 4, .indent = 6, .right = 6, .gap = 4.5,
                                 .apart = 3, .axis = 2.5, .tall = -24, .slope = 0.66, .cell = 16, .cell_most = 60,
                                 .tick = 26, .sample = 21, .line = 18, .cap = 1.5, .after = 3, .width_of = width_of,
                                 .begin = begin, .end = end, .text = draw_text, .path = draw_path, .mark = draw_mark,
                                 .draw_cell = draw_cell, .bar = draw_bar};
}
