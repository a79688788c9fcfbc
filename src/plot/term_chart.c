/* term_chart.c - a figure on a terminal: lines of braille dots (2 x 4 per character), or of full stops in ASCII; a mark for each point, an
 * upright line for its interval. A map is a table of shaded cells. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "plot/figure.h"
#include "text/label.h"

enum { HEIGHT = 16, X_LABEL_SPACE = 3, LABEL_MOST = 12, MAP_CELL = 8, FEW_POINTS = 24 };

/* Marks by number of the series; more than eight series have letters. */
static const char *const marks[] = {"●", "■", "▲", "◆", "○", "□", "△", "◇"};
static const char plain_marks[] = "ox+*#%@&";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/* Of the 256: black or white as the terminal has it, then vermilion, sky blue, blue, orange, green, purple. */
static const uint8_t colours[] = {0, 166, 75, 26, 214, 36, 175};
enum { MARKS = 8, LETTERS = sizeof letters - 1, COLOURS = sizeof colours };

/* A character of the plot; mark and line: number of the series + 1, 0: none. */
typedef struct cell {
    uint8_t dots;
    bool upright; /* part of an interval, in ASCII */
    size_t mark, line;
} cell;

typedef struct chart {
    const bipe_figure *figure;
    bipe_look look;
    bipe_output *output;
    bipe_scale x, y;
    size_t columns, label; /* of the plot, and of the labels to its left */
    cell *cell;            /* (HEIGHT, columns) */
} chart;

/* In the colour of a series: text, or NULL: its mark. */
static void print_coloured(const chart *c, size_t series, const char *text)
{
    const char letter[2] = {letters[series % LETTERS], '\0'}, plain[2] = {plain_marks[series % MARKS], '\0'};
    bool coloured = c->look.colour && series % COLOURS != 0;
    if (text == NULL)
        text = c->figure->count > MARKS ? letter : c->look.utf8 ? marks[series] : plain;
    if (coloured)
        bipe_output_printf(c->output, NULL, "\033[38;5;%dm%s\033[0m", colours[series % COLOURS], text);
    else
        bipe_output_printf(c->output, NULL, "%s", text);
}

static size_t across(const chart *c)
{
    return c->look.utf8 ? 2 : 1;
}

static size_t down(const chart *c)
{
    return c->look.utf8 ? 4 : 1;
}

/* The dot of a value, from the left or from the top. */
static long dot_x(const chart *c, double value)
{
    return lround(bipe_scale_at(&c->x, value) * (double)(c->columns * across(c) - 1));
}

static long dot_y(const chart *c, double value)
{
    return lround((1 - bipe_scale_at(&c->y, value)) * (double)(HEIGHT * down(c) - 1));
}

static cell *cell_at(const chart *c, long x, long y)
{
    if (x < 0 || y < 0 || x >= (long)(c->columns * across(c)) || y >= (long)(HEIGHT * down(c)))
        return NULL;
    return &c->cell[(size_t)y / down(c) * c->columns + (size_t)x / across(c)];
}

static void set_dot(chart *c, long x, long y, size_t series, bool upright)
{
    static const uint8_t dot[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}; /* of a braille character */
    cell *at = cell_at(c, x, y);
    if (at == NULL)
        return;
    at->dots |= dot[c->look.utf8 ? y % 4 : 0][c->look.utf8 ? x % 2 : 0];
    at->upright = at->upright || upright;
    at->line = series + 1;
}

static void draw_line(chart *c, const bipe_point *a, const bipe_point *b, size_t series)
{
    long x = dot_x(c, a->x), y = dot_y(c, a->y), dx = dot_x(c, b->x) - x, dy = dot_y(c, b->y) - y;
    long steps = labs(dx) > labs(dy) ? labs(dx) : labs(dy);
    for (long i = 0; i <= steps; i++)
        set_dot(c, x + (steps > 0 ? lround((double)dx * (double)i / (double)steps) : 0),
                y + (steps > 0 ? lround((double)dy * (double)i / (double)steps) : 0), series, false);
}

/* The first series is drawn last, so that it is on top. */
static void draw_series(chart *c)
{
    const bipe_figure *figure = c->figure;
    for (size_t s = figure->count; s-- > 0;) {
        const bipe_series *series = &figure->series[s];
        const bipe_point *before = NULL;
        /* A line of many points has marks here and there, each line at other places; a single one needs none. */
        bool every = !figure->bare || series->count <= FEW_POINTS;
        long width = (long)(c->columns * across(c)), next = figure->count > 1 ? width * (long)(s % MARKS) / (3 * MARKS) : LONG_MAX;
        for (size_t i = 0; i < series->count; i++) {
            const bipe_point *p = &series->point[i];
            if (!bipe_figure_shows(figure, p)) {
                before = NULL;
                continue;
            }
            draw_line(c, before != NULL ? before : p, p, s);
            before = p;
            if (bipe_figure_has_interval(figure, p))
                for (long y = dot_y(c, p->high); y <= dot_y(c, p->low); y++)
                    set_dot(c, dot_x(c, p->x), y, s, true);
            cell *at = cell_at(c, dot_x(c, p->x), dot_y(c, p->y));
            if (at == NULL || (!every && dot_x(c, p->x) < next))
                continue;
            at->mark = s + 1;
            next = dot_x(c, p->x) + width / 3;
        }
    }
}

static void print_cell(const chart *c, const cell *at)
{
    const char braille[4] = {(char)0xE2, (char)(0xA0 | at->dots >> 6), (char)(0x80 | (at->dots & 0x3F)), '\0'};
    if (at->mark > 0)
        print_coloured(c, at->mark - 1, NULL);
    else if (at->dots == 0)
        bipe_output_write(c->output, " ", 1, NULL);
    else
        print_coloured(c, at->line - 1, c->look.utf8 ? braille : at->upright ? "|" : ".");
}

static void print_rows(const chart *c)
{
    for (size_t row = 0; row < HEIGHT; row++) {
        char label[BIPE_SCALE_LABEL] = "";
        bool ticked = false;
        for (size_t i = 0; i < c->y.ticks && !ticked; i++)
            if ((size_t)dot_y(c, c->y.tick[i]) / down(c) == row) {
                bipe_scale_label(&c->y, i, label);
                ticked = true;
            }
        bipe_output_printf(c->output, NULL, "%*s %s", (int)c->label, label,
                           c->look.utf8 ? (ticked ? "┤" : "│") : (ticked ? "+" : "|"));
        size_t end = c->columns;
        while (end > 0 && c->cell[row * c->columns + end - 1].dots == 0 && c->cell[row * c->columns + end - 1].mark == 0)
            end--;
        for (size_t i = 0; i < end; i++)
            print_cell(c, &c->cell[row * c->columns + i]);
        bipe_output_write(c->output, "\n", 1, NULL);
    }
}

/* The axis, and below it the labels that find a place beside those before them. */
static void print_x_axis(const chart *c)
{
    char line[BIPE_LOOK_WIDEST + 2 * BIPE_SCALE_LABEL];
    memset(line, ' ', sizeof line);
    size_t filled = 0, last = 0;
    bipe_output_printf(c->output, NULL, "%*s %s", (int)c->label, "", c->look.utf8 ? "└" : "+");
    for (size_t i = 0; i < c->columns; i++) {
        bool ticked = false;
        for (size_t t = 0; t < c->x.ticks; t++)
            ticked = ticked || (size_t)dot_x(c, c->x.tick[t]) / across(c) == i;
        bipe_output_printf(c->output, NULL, "%s", c->look.utf8 ? (ticked ? "┬" : "─") : (ticked ? "+" : "-"));
    }
    for (size_t t = 0; t < c->x.ticks; t++) {
        char label[BIPE_SCALE_LABEL];
        bipe_scale_label(&c->x, t, label);
        size_t size = strlen(label), centre = (size_t)dot_x(c, c->x.tick[t]) / across(c) + c->label + 2;
        size_t from = centre > size / 2 ? centre - size / 2 : 0;
        if (from + size > c->label + 2 + c->columns) /* within the picture, at its right end */
            from = c->label + 2 + c->columns - size;
        if (filled > 0 && from < last + 2)
            continue;
        memcpy(line + from, label, size);
        filled = last = from + size;
    }
    bipe_output_printf(c->output, NULL, "\n%.*s\n", (int)filled, line);
}

/* A text of its own line, from column `from`, no wider than the look. */
static void print_text(const chart *c, size_t from, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    bipe_output_printf(c->output, NULL, "%*s", (int)from, "");
    bipe_label_print(c->output, text, c->look.width - from, c->look.utf8, NULL);
    bipe_output_write(c->output, "\n", 1, NULL);
}

static void print_legend(const chart *c)
{
    size_t widest = 0;
    for (size_t s = 0; s < c->figure->count; s++) {
        size_t columns = bipe_label_columns(c->figure->series[s].name);
        widest = columns > widest ? columns : widest;
    }
    size_t each = widest + 4, most = c->look.width - 4, beside = (c->look.width - 2) / each;
    beside = beside < 1 ? 1 : beside;
    for (size_t s = 0; s < c->figure->count; s++) {
        size_t used;
        bipe_output_printf(c->output, NULL, "%s", s % beside == 0 ? "  " : "");
        print_coloured(c, s, NULL);
        bipe_output_write(c->output, " ", 1, NULL);
        bipe_label_print(c->output, c->figure->series[s].name, most, c->look.utf8, &used);
        if (s % beside == beside - 1 || s + 1 == c->figure->count)
            bipe_output_write(c->output, "\n", 1, NULL);
        else
            bipe_output_printf(c->output, NULL, "%*s", (int)(each - 2 - used), "");
    }
}

static int print_chart(chart *c, bipe_error *err)
{
    for (size_t i = 0; i < c->y.ticks; i++) {
        char label[BIPE_SCALE_LABEL];
        size_t size = strlen(bipe_scale_label(&c->y, i, label));
        c->label = size > c->label ? size : c->label;
    }
    c->columns = c->look.width - c->label - 2 - X_LABEL_SPACE;
    c->cell = bipe_alloc(HEIGHT * c->columns, sizeof *c->cell);
    if (c->cell == NULL)
        return bipe_fail_memory(err);
    draw_series(c);
    if (c->figure->zero && c->y.low < 0)
        for (size_t i = 0; i < c->columns * across(c); i += c->look.utf8 ? 2 : 3) {
            cell *at = cell_at(c, (long)i, dot_y(c, 0));
            if (at != NULL && at->dots == 0)
                set_dot(c, (long)i, dot_y(c, 0), 0, false);
        }
    print_text(c, 0, c->figure->y_label);
    print_rows(c);
    print_x_axis(c);
    size_t columns = c->figure->x_label != NULL ? bipe_label_columns(c->figure->x_label) : 0;
    size_t middle = c->label + 2 + c->columns / 2;
    print_text(c, columns / 2 < middle && middle + columns / 2 < c->look.width ? middle - columns / 2 : 0, c->figure->x_label);
    print_legend(c);
    bipe_free(c->cell);
    return BIPE_OK;
}

/* ---- maps ---- */

static void print_map_cell(const chart *c, const bipe_point *p)
{
    static const char *const shade[] = {" ", "░", "▒", "▓", "█"};
    static const char plain[] = " .:+#";
    static const uint8_t blues[] = {153, 111, 69, 26, 18};
    if (p == NULL || !(p->low >= 0 && p->low <= 1)) {
        bipe_output_printf(c->output, NULL, "%*s", MAP_CELL, "-");
        return;
    }
    int level = (int)(p->low * 4 + 0.5);
    if (c->look.colour)
        bipe_output_printf(c->output, NULL, " \033[48;5;%d;38;5;%dm %5.0f \033[0m", blues[level], level > 1 ? 231 : 16, p->low * 100);
    else if (c->look.utf8)
        bipe_output_printf(c->output, NULL, " %s%s%5.0f", shade[level], shade[level], p->low * 100);
    else
        bipe_output_printf(c->output, NULL, " %c%c%5.0f", plain[level], plain[level], p->low * 100);
}

/* Rows are values of y, columns values of x; those that do not fit follow in further tables. */
static void print_map(chart *c)
{
    const bipe_series *series = &c->figure->series[0];
    const bipe_scale *x = &c->x, *y = &c->y;
    size_t fit = (c->look.width - LABEL_MOST) / MAP_CELL;
    char label[BIPE_SCALE_LABEL], names[512];
    for (size_t first = 0; first < x->ticks; first += fit) {
        bipe_output_printf(c->output, NULL, "%*s", LABEL_MOST - 2, "");
        for (size_t k = first; k < x->ticks && k < first + fit; k++)
            bipe_output_printf(c->output, NULL, "%*s", MAP_CELL, bipe_scale_label(x, k, label));
        for (size_t r = 0; r < y->ticks; r++) {
            bipe_output_printf(c->output, NULL, "\n%*s", LABEL_MOST - 2, bipe_scale_label(y, r, label));
            for (size_t k = first; k < x->ticks && k < first + fit; k++) {
                const bipe_point *found = NULL;
                for (size_t i = 0; i < series->count; i++)
                    if (series->point[i].x == x->tick[k] && series->point[i].y == y->tick[r])
                        found = &series->point[i];
                print_map_cell(c, found);
            }
        }
        bipe_output_write(c->output, "\n", 1, NULL);
    }
    snprintf(names, sizeof names, "columns: %s; rows: %s", c->figure->x_label, c->figure->y_label);
    print_text(c, 2, names);
}

int bipe_figure_print(const bipe_figure *figure, bipe_look look, bipe_output *output, bipe_error *err)
{
    chart c = {.figure = figure, .look = look, .output = output};
    int status = BIPE_OK;
    if (figure->titled)
        print_text(&c, 0, figure->title);
    if (!bipe_figure_axes(figure, (int)(look.width / 9), HEIGHT / 3, &c.x, &c.y)) {
        print_text(&c, 2, "nothing to draw: no values that the axes can show");
        print_legend(&c);
    } else if (figure->map) {
        print_map(&c);
    } else {
        status = print_chart(&c, err);
    }
    return status == BIPE_OK ? bipe_output_flush(output, err) : status;
}
