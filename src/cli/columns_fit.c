/* columns_fit.c - tables for people that fit their lines; see columns_fit.h. */
#include "cli/columns_fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/label.h"

enum { CELL = BIPE_CELL_WIDEST, NAME_WIDTH = 20, NAME_WIDEST = 60, ON_SIDE_MOST = 12 };

/* ---- cells ---- */

const char *bipe_cell_count(char cell[CELL], uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value), out = 0;
    for (int i = 0; i < n; i++) {
        if (i != 0 && (n - i) % 3 == 0)
            cell[out++] = ',';
        cell[out++] = digits[i];
    }
    cell[out] = '\0';
    return cell;
}

const char *bipe_cell_number(char cell[CELL], bipe_cell_form form, double value)
{
    double size = fabs(value);
    if (!isfinite(value))
        snprintf(cell, CELL, "-");
    else if (form == BIPE_CELL_P && value < 0.001)
        snprintf(cell, CELL, "<.001");
    else if (form == BIPE_CELL_SHARE || form == BIPE_CELL_P)
        snprintf(cell, CELL, "%.3f", value);
    else if (form == BIPE_CELL_PERCENT)
        snprintf(cell, CELL, "%.1f%%", 100 * value);
    else if ((form == BIPE_CELL_WHOLE && value == floor(value)) || (value >= 999.5 && value < 1.8e19))
        return bipe_cell_count(cell, (uint64_t)(value + 0.5));
    else
        snprintf(cell, CELL, "%.*f", size >= 999.5 || value == 0 ? 0 : size >= 9.995 ? 1 : 2,
                 size < 0.005 ? 0 : value); /* no -0.00 */
    return cell;
}

static const char *show_pair(char cell[CELL], bipe_cell_form form, const double pair[2])
{
    char low[CELL], high[CELL];
    if (!isfinite(pair[0]) || !isfinite(pair[1]))
        return "-";
    bipe_cell_number(low, form, pair[0]);
    bipe_cell_number(high, form, pair[1]);
    snprintf(cell, CELL, form == BIPE_CELL_SIGNED ? "[%.40s, %.40s]" : "%.40s-%.40s", low, high);
    return cell;
}

const char *bipe_cell_show(char cell[CELL], const bipe_column *c, const void *row)
{
    const void *value = (const char *)row + c->at;
    const char *text = c->kind == BIPE_COLUMN_TEXT ? *(const char *const *)value : NULL;
    if (text != NULL) {
        if (c->width > 0)
            bipe_label_cut(text, (size_t)c->width, cell, CELL);
        else
            snprintf(cell, CELL, "%s", text);
        return bipe_hide_controls(cell);
    }
    switch (c->kind) {
    case BIPE_COLUMN_NUMBER: return bipe_cell_number(cell, c->form, *(const double *)value);
    case BIPE_COLUMN_PAIR: return show_pair(cell, c->form, value);
    case BIPE_COLUMN_UINT:
        if (*(const uint64_t *)value != BIPE_NO_UINT)
            return bipe_cell_count(cell, *(const uint64_t *)value);
        break;
    default: break;
    }
    return c->absent != NULL ? c->absent : "-";
}

/* ---- tables ---- */

static void set_style(const bipe_table *t, const char *code)
{
    if (t->look.colour)
        bipe_output_printf(t->output, NULL, "\033[%sm", code);
}

static void end_line(const bipe_table *t)
{
    bipe_output_write(t->output, "\n", 1, NULL);
}

static void put_cell(const bipe_table *t, const char *text, size_t width, bool left)
{
    size_t size = bipe_label_columns(text);
    int fill = size < width ? (int)(width - size) : 0;
    bipe_output_printf(t->output, NULL, "  %*s", left ? 0 : fill, "");
    if (size > width)
        bipe_label_print(t->output, text, width, t->look.utf8, NULL);
    else
        bipe_output_printf(t->output, NULL, "%s%*s", text, left ? fill : 0, "");
}

/* The widest cell of a column, or of a row. */
static size_t widest_cell(const bipe_column *column, size_t count, const void *const *row, size_t rows, size_t width)
{
    char cell[CELL];
    for (size_t c = 0; c < count; c++)
        for (size_t r = 0; r < rows; r++) {
            size_t n = bipe_label_columns(bipe_cell_show(cell, &column[c], row[r]));
            width = n > width ? n : width;
        }
    return width;
}

/* Leaves columns out, width 0, until a line fits, or none can be spared any more. Returns the width of a line. */
static size_t leave_out(const bipe_column *column, size_t count, size_t *width, size_t total, size_t most)
{
    while (total > most) {
        size_t least = 0;
        for (size_t c = 1; c < count; c++)
            if (width[c] > 0 && column[c].spare > (width[least] > 0 ? column[least].spare : 0))
                least = c;
        if (column[least].spare == 0)
            break;
        total -= width[least] + 2;
        width[least] = 0;
    }
    return total;
}

void bipe_table_rows(bipe_table *t, const bipe_column *column, size_t count, size_t names, const void *const *row,
                     size_t rows)
{
    size_t width[BIPE_TABLE_COLUMNS] = {0}, total = 0;
    size_t wide[BIPE_TABLE_COLUMNS]; /* of names, where there is room */
    char cell[CELL];
    for (size_t c = 0; c < count; c++) {
        if (column[c].heading == NULL)
            continue;
        wide[c] = widest_cell(&column[c], 1, row, rows, strlen(column[c].heading));
        width[c] = c < names && wide[c] > NAME_WIDTH ? NAME_WIDTH : wide[c];
        total += width[c] + 2;
    }
    total = leave_out(column, count, width, total, t->look.width);
    for (size_t c = 0; c < names; c++)
        for (; width[c] < wide[c] && total < t->look.width; total++)
            width[c]++;
    t->headings = 0;
    set_style(t, "2");
    for (size_t c = 0; c < count; c++) {
        if (width[c] == 0)
            continue;
        t->heading[t->headings++] = column[c].heading;
        put_cell(t, column[c].heading, width[c], c < names);
    }
    set_style(t, "0");
    end_line(t);
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < count; c++)
            if (width[c] > 0)
                put_cell(t, bipe_cell_show(cell, &column[c], row[r]), width[c], c < names);
        end_line(t);
    }
}

/* Whether a column has a value in some row, or stays without one. */
static bool has_some(const bipe_column *column, const void *const *row, size_t rows)
{
    char cell[CELL];
    bool some = column->stays && rows > 2;
    for (size_t r = 0; r < rows && !some; r++)
        some = strcmp(bipe_cell_show(cell, column, row[r]), "-") != 0;
    return some;
}

bool bipe_table_on_side(bipe_table *t, const bipe_column *column, size_t count, const void *const *row, size_t rows)
{
    size_t label = 0, width[ON_SIDE_MOST], names = 0, rest = 0;
    char cell[CELL];
    if (rows > ON_SIDE_MOST)
        return false;
    for (size_t c = 0; c < count; c++)
        label = strlen(column[c].heading) > label ? strlen(column[c].heading) : label;
    /* Long names are cut, and short where nothing else fits. */
    const size_t most[] = {NAME_WIDEST, NAME_WIDTH};
    size_t total = SIZE_MAX;
    for (size_t i = 0; i < 2 && total > t->look.width; i++) {
        total = label + 2;
        for (size_t r = 0; r < rows; r++) {
            names = widest_cell(column, 1, &row[r], 1, 0);
            rest = widest_cell(column + 1, count - 1, &row[r], 1, 0);
            names = names > most[i] ? most[i] : names;
            width[r] = names > rest ? names : rest;
            total += width[r] + 2;
        }
    }
    if (total > t->look.width)
        return false;
    t->headings = 0;
    for (size_t c = 0; c < count; c++) {
        if (!has_some(&column[c], row, rows))
            continue;
        t->heading[t->headings++] = column[c].heading;
        set_style(t, c == 0 ? "1" : "0");
        put_cell(t, column[c].heading, label, true);
        for (size_t r = 0; r < rows; r++)
            put_cell(t, bipe_cell_show(cell, &column[c], row[r]), width[r], false);
        end_line(t);
    }
    set_style(t, "0");
    return true;
}

const char *bipe_table_explain(const bipe_table *t, const char *heading, const char *meaning)
{
    for (size_t i = 0; i < t->headings; i++)
        if (strcmp(t->heading[i], heading) == 0)
            return meaning;
    return "";
}

void bipe_table_heading(bipe_table *t, const char *text)
{
    set_style(t, "1");
    bipe_output_printf(t->output, NULL, "%s", text);
    set_style(t, "0");
    end_line(t);
}

void bipe_table_words(bipe_table *t, const char *indent, const char *text)
{
    size_t at = 0;
    for (bool first = true; *text != '\0'; first = false) {
        size_t n = strcspn(text, " ");
        if (first || at + 1 + n > t->look.width) {
            bipe_output_printf(t->output, NULL, "%s%s", first ? "" : "\n  ", indent);
            at = strlen(indent) + (first ? 0 : 2);
        } else {
            bipe_output_write(t->output, " ", 1, NULL);
            at++;
        }
        bipe_output_write(t->output, text, n, NULL);
        at += n;
        text += n;
        while (*text == ' ')
            text++;
    }
    end_line(t);
}
