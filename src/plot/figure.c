/* figure.c - keeps the series of a figure, finds the range of its axes, and writes its points as CSV. */
#include "plot/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "text/label.h"

/* Numbers beyond it have no place on an axis: differences would overflow. */
#define LARGEST 1e290
enum { SERIES_MOST = 1024 };

static int set_text(char **text, const char *value, bipe_error *err)
{
    if (value == NULL)
        return BIPE_OK;
    char *copy = bipe_label_copy(value);
    if (copy == NULL)
        return bipe_fail_memory(err);
    bipe_free(*text);
    *text = copy;
    return BIPE_OK;
}

int bipe_figure_name(bipe_figure *figure, const char *title, const char *x_label, const char *y_label, bipe_error *err)
{
    bool set = set_text(&figure->title, title, err) == BIPE_OK && set_text(&figure->x_label, x_label, err) == BIPE_OK &&
               set_text(&figure->y_label, y_label, err) == BIPE_OK;
    return set ? BIPE_OK : BIPE_ERR_MEMORY;
}

int bipe_figure_series(bipe_figure *figure, const char *name, bipe_series **series, bipe_error *err)
{
    char *copy = NULL;
    int status = set_text(&copy, name, err);
    if (status != BIPE_OK)
        return status;
    for (size_t i = 0; i < figure->count; i++)
        if (strcmp(figure->series[i].name, copy) == 0) {
            *series = &figure->series[i];
            bipe_free(copy);
            return BIPE_OK;
        }
    if (figure->count == SERIES_MOST || bipe_grow(&figure->series, &figure->capacity, figure->count + 1, sizeof *figure->series) != 0) {
        bipe_free(copy);
        return figure->count == SERIES_MOST ? bipe_fail(err, BIPE_ERR_LIMIT, "more than %d lines in one figure, expected fewer", SERIES_MOST)
                                            : bipe_fail_memory(err);
    }
    *series = &figure->series[figure->count++];
    **series = (bipe_series){.name = copy};
    return BIPE_OK;
}

int bipe_series_add(bipe_series *series, bipe_point point, bipe_error *err)
{
    if (bipe_grow(&series->point, &series->capacity, series->count + 1, sizeof *series->point) != 0)
        return bipe_fail_memory(err);
    series->point[series->count++] = point;
    return BIPE_OK;
}

int bipe_figure_point(bipe_figure *figure, const char *name, bipe_point point, bipe_error *err)
{
    bipe_series *series;
    int status = bipe_figure_series(figure, name, &series, err);
    return status == BIPE_OK ? bipe_series_add(series, point, err) : status;
}

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Points that come in order, as nearly all do, are not touched; the others are few. */
void bipe_series_sort(bipe_series *series)
{
    bool sorted = true;
    for (size_t i = 1; i < series->count && sorted; i++)
        sorted = !(series->point[i - 1].x > series->point[i].x);
    if (!sorted) /* x is the first member of a point */
        qsort(series->point, series->count, sizeof *series->point, compare_values);
}

size_t bipe_series_thin(bipe_series *series, size_t most)
{
    size_t count = series->count;
    if (count <= most)
        return 1;
    for (size_t i = 0; i < most; i++) {
        size_t first = count * i / most, last = count * (i + 1) / most, seen = 0;
        bipe_point sum = {0, 0, NAN, NAN};
        for (size_t k = first; k < last; k++)
            if (isfinite(series->point[k].y)) {
                sum.x += series->point[k].x;
                sum.y += series->point[k].y;
                seen++;
            }
        series->point[i] = seen > 0 ? (bipe_point){sum.x / (double)seen, sum.y / (double)seen, NAN, NAN}
                                    : (bipe_point){series->point[first].x, NAN, NAN, NAN};
    }
    series->count = most;
    return (count + most - 1) / most;
}

void bipe_figure_close(bipe_figure *figure)
{
    for (size_t i = 0; i < figure->count; i++) {
        bipe_free(figure->series[i].name);
        bipe_free(figure->series[i].point);
    }
    bipe_free(figure->series);
    bipe_free(figure->title);
    bipe_free(figure->x_label);
    bipe_free(figure->y_label);
    *figure = (bipe_figure){0};
}

static bool shows_point(bipe_scale_kind kind, double value)
{
    return isfinite(value) && fabs(value) < LARGEST && (kind == BIPE_SCALE_LINEAR || value > 1 / LARGEST);
}

bool bipe_figure_shows(const bipe_figure *figure, const bipe_point *point)
{
    return shows_point(figure->x_kind, point->x) && shows_point(figure->y_kind, point->y);
}

bool bipe_figure_has_interval(const bipe_figure *figure, const bipe_point *point)
{
    return !figure->map && shows_point(figure->y_kind, point->low) && shows_point(figure->y_kind, point->high) && point->low <= point->high;
}

/* The value is one of the cells' now. False: there are too many. */
static bool add_cell(bipe_scale *scale, double value)
{
    size_t at = 0;
    while (at < scale->ticks && scale->tick[at] < value)
        at++;
    if (at < scale->ticks && scale->tick[at] == value)
        return true;
    if (scale->ticks == BIPE_SCALE_TICKS)
        return false;
    memmove(scale->tick + at + 1, scale->tick + at, (scale->ticks - at) * sizeof *scale->tick);
    scale->tick[at] = value;
    scale->ticks++;
    return true;
}

static bool map_axes(const bipe_figure *figure, bipe_scale *x, bipe_scale *y)
{
    *x = *y = (bipe_scale){.kind = BIPE_SCALE_CELLS};
    for (size_t i = 0; figure->count > 0 && i < figure->series[0].count; i++) {
        const bipe_point *p = &figure->series[0].point[i];
        if (bipe_figure_shows(figure, p) && (!add_cell(x, p->x) || !add_cell(y, p->y)))
            return false;
    }
    return x->ticks > 0;
}

bool bipe_figure_axes(const bipe_figure *figure, int x_ticks, int y_ticks, bipe_scale *x, bipe_scale *y)
{
    if (figure->map)
        return map_axes(figure, x, y);
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (size_t s = 0; s < figure->count; s++)
        for (size_t i = 0; i < figure->series[s].count; i++) {
            const bipe_point *p = &figure->series[s].point[i];
            if (!bipe_figure_shows(figure, p))
                continue;
            bool whole = bipe_figure_has_interval(figure, p);
            low_x = fmin(low_x, p->x);
            high_x = fmax(high_x, p->x);
            low_y = fmin(low_y, whole ? fmin(p->low, p->y) : p->y);
            high_y = fmax(high_y, whole ? fmax(p->high, p->y) : p->y);
        }
    if (!(low_x <= high_x))
        return false;
    if (figure->zero && figure->y_kind == BIPE_SCALE_LINEAR) {
        low_y = fmin(low_y, 0);
        high_y = fmax(high_y, 0);
    }
    bipe_scale_open(x, figure->x_kind, low_x, high_x, x_ticks, true);
    bipe_scale_open(y, figure->y_kind, low_y, high_y, y_ticks, false);
    return true;
}

size_t bipe_figure_gaps(const bipe_figure *figure, size_t series)
{
    size_t gaps = 0;
    for (size_t i = 0; i < figure->series[series].count; i++)
        gaps += !bipe_figure_shows(figure, &figure->series[series].point[i]);
    return gaps;
}

static void csv_text(const char *text, bipe_output *output)
{
    bipe_output_write(output, "\"", 1, NULL);
    for (size_t size; *text != '\0'; text += size + (text[size] == '"')) {
        size = strcspn(text, "\"");
        bipe_output_printf(output, NULL, "%.*s%s", (int)size, text, text[size] == '"' ? "\"\"" : "");
    }
    bipe_output_write(output, "\",", 2, NULL);
}

int bipe_figure_write_csv(const bipe_figure *figure, size_t count, bipe_output *output, bipe_error *err)
{
    bipe_output_printf(output, NULL, "figure,series,x,y,low,high\n");
    for (size_t f = 0; f < count; f++)
        for (size_t s = 0; s < figure[f].count; s++)
            for (size_t i = 0; i < figure[f].series[s].count; i++) {
                const bipe_point *p = &figure[f].series[s].point[i];
                char number[4][32];
                csv_text(figure[f].title, output);
                csv_text(figure[f].series[s].name, output);
                bipe_output_printf(output, NULL, "%s,%s,%s,%s\n", bipe_format_number(number[0], p->x), bipe_format_number(number[1], p->y),
                                   bipe_format_number(number[2], p->low), bipe_format_number(number[3], p->high));
            }
    return bipe_output_flush(output, err);
}
