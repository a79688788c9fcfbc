/* term_canvas.c - charts on a terminal: lines of braille dots (2 x 4 per character), or of full stops in ASCII; a mark
 * for each point, an upright line for its interval. The cells of a map are shaded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "plot/canvas.h"
#include "text/label.h"

/* Marks by number of the series; more than eight series have letters. */
static const char *const marks[BIPE_MARKS] = {"●", "■", "▲", "◆", "○", "□", "△", "◇"};
static const char plain_marks[] = "ox+*#%@&";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/* Of the 256: black or white as the terminal has it, then vermilion, sky blue, blue, orange, green, purple. */
static const uint8_t colours[] = {0, 166, 75, 26, 214, 36, 175};
enum { LETTERS = sizeof letters - 1, COLOURS = sizeof colours, HEIGHT = 16 };
_Static_assert(sizeof letters - 1 == BIPE_TERMINAL_LOOKS, "a letter for each series");

/* A character. A text covers so many columns, from its first on. */
typedef struct place {
    const char *text; /* NULL: none */
    char own[BIPE_SCALE_LABEL];
    size_t columns;
    uint8_t dots;
    bool upright;       /* part of an interval, in ASCII */
    uint8_t front, back; /* colours, 0: the terminal's own */
} place;

typedef struct terminal {
    bipe_canvas canvas;
    bipe_output *output;
    bipe_look look;
    long across, down; /* dots of a character */
    long rows;
    place *place; /* (rows, look.width) */
} terminal;

/* The place of a dot, NULL: outside. */
static place *place_of_dot(const terminal *t, long x, long y)
{
    bool inside = x >= 0 && y >= 0 && x / t->across < (long)t->look.width && y / t->down < t->rows;
    return inside ? &t->place[y / t->down * (long)t->look.width + x / t->across] : NULL;
}

static place *place_at(const terminal *t, double x, double y)
{
    return place_of_dot(t, lround(x * (double)t->across), lround(y * (double)t->down));
}

static double width_of(bipe_canvas *canvas, const char *text)
{
    (void)canvas;
    return (double)bipe_label_columns(text);
}

static int begin_canvas(bipe_canvas *canvas, double height, bipe_error *err)
{
    terminal *t = (terminal *)canvas;
    t->rows = (long)ceil(height);
    t->place = bipe_alloc((size_t)t->rows * t->look.width + 1, sizeof *t->place);
    return t->place != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static void set_text(place *at, const char *text, size_t columns, uint8_t front, uint8_t back)
{
    if (at == NULL)
        return;
    snprintf(at->own, sizeof at->own, "%s", text);
    at->text = strlen(text) < sizeof at->own ? at->own : text;
    at->columns = columns;
    at->front = front;
    at->back = back;
}

static void draw_text(bipe_canvas *canvas, double x, double y, double align, double most, const char *text)
{
    const terminal *t = (const terminal *)canvas;
    size_t columns = bipe_label_columns(text);
    columns = (double)columns > most ? (size_t)most : columns;
    place *at = place_at(t, fmin(x - floor(align * (double)columns), (double)(t->look.width - columns)), y);
    set_text(at, text, columns, 0, at != NULL ? at->back : 0);
}

/* What has another look in ASCII. */
static const char *sign_of(const terminal *t, const char *text, const char *plain)
{
    return t->look.utf8 ? text : plain;
}

static uint8_t colour_of(const terminal *t, size_t series)
{
    return t->look.colour ? colours[series % COLOURS] : 0;
}

static void set_dot(const terminal *t, long x, long y, bipe_stroke stroke)
{
    static const uint8_t dot[4][2] = {{0x01, 0x08},
                                      {0x02, 0x10},
                                      {0x04, 0x20},
                                      {0x40, 0x80}}; /* of a braille character */
    place *at = place_of_dot(t, x, y);
    if (at == NULL)
        return;
    at->dots |= dot[y % t->down][x % t->across];
    at->upright = at->upright || stroke.path == BIPE_PATH_INTERVAL;
    if (at->text == NULL)
        at->front = colour_of(t, stroke.colour);
}

static void draw_dots(const terminal *t, bipe_spot from, bipe_spot to, bipe_stroke stroke)
{
    long x = lround(from.x * (double)t->across), dx = lround(to.x * (double)t->across) - x;
    long y = lround(from.y * (double)t->down), dy = lround(to.y * (double)t->down) - y;
    long steps = labs(dx) > labs(dy) ? labs(dx) : labs(dy);
    for (long k = 0; k <= steps; k++) {
        double share = steps > 0 ? (double)k / (double)steps : 0;
        set_dot(t, x + lround((double)dx * share), y + lround((double)dy * share), stroke);
    }
}

/* Axes are to the left of and below the plot. */
static void draw_path(bipe_canvas *canvas, const bipe_spot *spot, size_t count, bipe_stroke stroke)
{
    const terminal *t = (const terminal *)canvas;
    bool upright = count > 1 && spot[0].x == spot[1].x;
    switch (stroke.path) {
    case BIPE_PATH_GRID: break;
    case BIPE_PATH_TICK:
        set_text(place_at(t, upright ? spot->x : spot->x - 1, spot->y), sign_of(t, upright ? "┬" : "┤", "+"), 1, 0, 0);
        break;
    case BIPE_PATH_AXIS:
        for (double y = spot[0].y; y < spot[1].y; y++)
            set_text(place_at(t, spot[1].x - 1, y), sign_of(t, "│", "|"), 1, 0, 0);
        for (double x = spot[1].x; x < spot[2].x; x++)
            set_text(place_at(t, x, spot[1].y), sign_of(t, "─", "-"), 1, 0, 0);
        set_text(place_at(t, spot[1].x - 1, spot[1].y), sign_of(t, "└", "+"), 1, 0, 0);
        break;
    case BIPE_PATH_LEVEL:
        for (double y = spot[0].y; y < spot[1].y; y++)
            set_text(place_at(t, spot[0].x, y), sign_of(t, "┊", ":"), 1, 0, 0);
        break;
    default:
        if (!upright && stroke.path == BIPE_PATH_INTERVAL) { /* over a bar */
            long from = lround(floor(spot[0].x)), to = lround(floor(spot[1].x));
            for (long x = from; x <= to && from < to; x++)
                set_text(place_at(t, (double)x, spot[0].y),
                         x == from ? sign_of(t, "├", "[")
                         : x == to ? sign_of(t, "┤", "]")
                                   : sign_of(t, "─", "-"),
                         1, 0, 0);
            break;
        }
        for (size_t i = 0; i < count; i++)
            draw_dots(t, spot[i > 0 ? i - 1 : 0], spot[i], stroke);
    }
}

static void draw_mark(bipe_canvas *canvas, double x, double y, bipe_stroke stroke)
{
    const terminal *t = (const terminal *)canvas;
    const char letter[] = {letters[stroke.series % LETTERS], '\0'},
               plain[] = {plain_marks[stroke.series % BIPE_MARKS], '\0'};
    set_text(place_at(t, x, y), stroke.of > BIPE_MARKS ? letter : sign_of(t, marks[stroke.series % BIPE_MARKS], plain),
             1, colour_of(t, stroke.colour), 0);
}

/* With a blank column before the next one, where there is more than one. */
static void draw_cell(bipe_canvas *canvas, bipe_spot from, bipe_spot to, double value)
{
    static const char *const shades[] = {" ", "░", "▒", "▓", "█"}, *const plain[] = {" ", ".", ":", "+", "#"};
    static const uint8_t blues[] = {195, 153, 117, 75, 33};
    const terminal *t = (const terminal *)canvas;
    int level = isnan(value) ? 0 : (int)(value * 4 + 0.5);
    double end = floor(to.x) - (to.x - from.x >= 2);
    for (double x = floor(from.x); x < end && (level > 0 || (t->look.colour && !isnan(value))); x++)
        set_text(place_at(t, x, from.y), t->look.colour ? " " : sign_of(t, shades[level], plain[level]), 1, 0,
                 t->look.colour ? blues[level] : 0);
}

static void draw_bar(bipe_canvas *canvas, double from, double to, double y, bipe_stroke stroke)
{
    const terminal *t = (const terminal *)canvas;
    for (double x = floor(from); x + 0.5 <= to; x++)
        set_text(place_at(t, x, y), sign_of(t, x + 1 <= to ? "█" : "▌", "="), 1, colour_of(t, stroke.colour), 0);
}

/* ---- output ---- */

static void print_place(const terminal *t, const place *at, bipe_output *output)
{
    const char braille[] = {(char)0xE2, (char)(0xA0 | at->dots >> 6), (char)(0x80 | (at->dots & 0x3F)), '\0'};
    if (at->back > 0)
        bipe_output_printf(output, NULL, "\033[48;5;%d;38;5;16m", at->back);
    else if (at->front > 0)
        bipe_output_printf(output, NULL, "\033[38;5;%dm", at->front);
    if (at->text != NULL && (t->look.utf8 || strlen(at->text) > 1))
        bipe_label_print(output, at->text, at->columns, t->look.utf8, NULL);
    else
        bipe_output_printf(output, NULL, "%s",
                           at->text != NULL ? at->text
                           : at->dots == 0  ? " "
                           : t->look.utf8   ? braille
                           : at->upright    ? "|"
                                            : ".");
    bipe_output_printf(output, NULL, at->back > 0 || at->front > 0 ? "\033[0m" : "");
}

/* Prints all rows, without the blanks at the ends of lines. */
static int end_canvas(bipe_canvas *canvas, bipe_error *err)
{
    const terminal *t = (const terminal *)canvas;
    for (long r = 0; r < t->rows; r++) {
        const place *row = t->place + r * (long)t->look.width;
        size_t end = t->look.width;
        while (end > 0 && row[end - 1].dots == 0 && row[end - 1].text == NULL)
            end--;
        for (size_t i = 0; i < end; i += row[i].text != NULL && row[i].columns > 1 ? row[i].columns : 1)
            print_place(t, &row[i], t->output);
        bipe_output_write(t->output, "\n", 1, NULL);
    }
    return bipe_output_flush(t->output, err);
}

int bipe_figures_print(const bipe_figure *figure, size_t count, bipe_look look, bipe_output *output, bipe_error *err)
{
    long across = look.utf8 ? 2 : 1, down = look.utf8 ? 4 : 1;
    terminal t = {.output = output, .look = look, .across = across, .down = down};
    t.canvas = (bipe_canvas){.width = (double)look.width, .panel = BIPE_LOOK_WIDEST, .row = 1,
                             .dot_x = 1 / (double)across, .dot_y = 1 / (double)down, .indent = 2, .right = 3, .gap = 2,
                             .apart = 2, .axis = 1, .tall = HEIGHT, .cell = 1, .cell_most = 12, .tick = 9, .sample = 2,
                             .width_of = width_of, .begin = begin_canvas, .end = end_canvas, .text = draw_text,
                             .path = draw_path, .mark = draw_mark, .draw_cell = draw_cell, .bar = draw_bar};
    int status = bipe_chart_draw(&t.canvas, figure, count, err);
    bipe_free(t.place);
    return status;
}
