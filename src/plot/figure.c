/* figure.c - keeps the series of a figure, and finds the range of its axes. */
#include "plot/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/label.h"

/* Numbers beyond it have no place on an axis: differences would overflow. */
#define LARGEST 1e290
enum { SERIES_MOST = 1024 };

int bipe_figure_name(bipe_figure *figure, const char *title, bipe_error *err)
{
    char *copy = bipe_label_copy(title);
    if (copy == NULL)
        return bipe_fail_memory(err);
    bipe_label_cut(copy, sizeof figure->title / 4 - 2, figure->title, sizeof figure->title);
    bipe_free(copy);
    return BIPE_OK;
}

int bipe_figure_series(bipe_figure *figure, const char *name, bipe_series **series, bipe_error *err)
{
    char *copy = bipe_label_copy(name);
    size_t i = 0;
    while (copy != NULL && i < figure->count && strcmp(figure->series[i].name, copy) != 0)
        i++;
    if (i == SERIES_MOST) {
        bipe_free(copy);
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d lines in one figure, expected fewer", SERIES_MOST);
    }
    if (copy == NULL || bipe_grow(&figure->series, &figure->capacity, i + 1, sizeof *figure->series) != 0) {
        bipe_free(copy);
        return bipe_fail_memory(err);
    }
    *series = &figure->series[i];
    if (i < figure->count)
        bipe_free(copy);
    else
        figure->series[figure->count++] = (bipe_series){.name = copy, .colour = i, .dash = i};
    return BIPE_OK;
}

int bipe_figure_group(bipe_figure *figure, const char *name, size_t *group, bipe_error *err)
{
    char *copy = bipe_label_copy(name);
    *group = 0;
    while (copy != NULL && *group < figure->groups && strcmp(figure->group[*group].name, copy) != 0)
        ++*group;
    if (copy != NULL && *group == figure->groups &&
        bipe_grow(&figure->group, &figure->group_capacity, *group + 1, sizeof *figure->group) == 0) {
        figure->group[figure->groups++] = (bipe_group){copy, NAN};
        return BIPE_OK;
    }
    bool known = copy != NULL && *group < figure->groups;
    bipe_free(copy);
    return known ? BIPE_OK : bipe_fail_memory(err);
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

void bipe_series_sort(bipe_series *series)
{
    if (series->count > 1) /* x is the first member of a point */
        qsort(series->point, series->count, sizeof *series->point, compare_values);
}

int bipe_series_average(bipe_series *to, const bipe_series *from, size_t most, bipe_error *err)
{
    double all = 0;
    int status = BIPE_OK;
    for (size_t i = 0; i < from->count; i++)
        all += from->point[i].low;
    for (size_t i = 0; i < from->count && status == BIPE_OK;) {
        double share = 0, values = 0, x = 0, y = 0;
        size_t first = i;
        for (; i < from->count && (i - first < from->count / most || share < all / (double)most); i++) {
            const bipe_point *p = &from->point[i];
            share += p->low;
            if (isfinite(p->y)) {
                values += p->low;
                x += p->low * p->x;
                y += p->y;
            }
        }
        if (values > 0)
            status = bipe_series_add(to, (bipe_point){x / values, y / values, NAN, NAN}, err);
        else if (share > 0)
            status = bipe_series_add(to, (bipe_point){from->point[first].x, NAN, NAN, NAN}, err);
        i += i == first; /* nothing is left */
    }
    return status;
}

void bipe_figure_close(bipe_figure *figure)
{
    for (size_t i = 0; i < figure->count; i++) {
        bipe_free(figure->series[i].name);
        bipe_free(figure->series[i].point);
    }
    for (size_t i = 0; i < figure->groups; i++)
        bipe_free(figure->group[i].name);
    bipe_free(figure->group);
    bipe_free(figure->series);
    *figure = (bipe_figure){0};
}

static bool shows_point(bipe_scale_kind kind, double value)
{
    return isfinite(value) && fabs(value) < LARGEST &&
           (kind == BIPE_SCALE_LINEAR || kind == BIPE_SCALE_WHOLE || value > 1 / LARGEST);
}

bool bipe_figure_shows(const bipe_figure *figure, const bipe_point *point)
{
    return shows_point(figure->x_kind, point->x) && shows_point(figure->y_kind, point->y);
}

bool bipe_figure_has_interval(const bipe_figure *figure, const bipe_point *point)
{
    return !figure->map && shows_point(figure->y_kind, point->low) && shows_point(figure->y_kind, point->high) &&
           point->low <= point->high;
}

/* The different values of a map, in order. False: none, or too many. */
static bool open_cells(bipe_scale *scale, const bipe_figure *figure, bool upright)
{
    *scale = (bipe_scale){.kind = BIPE_SCALE_CELLS};
    for (size_t i = 0; figure->count > 0 && i < figure->series[0].count; i++) {
        const bipe_point *p = &figure->series[0].point[i];
        double value = upright ? p->y : p->x;
        size_t at = 0;
        while (at < scale->ticks && scale->tick[at] != value)
            at++;
        if (!bipe_figure_shows(figure, p) || at < scale->ticks)
            continue;
        if (scale->ticks == BIPE_SCALE_TICKS)
            return false;
        scale->tick[scale->ticks++] = value;
    }
    qsort(scale->tick, scale->ticks, sizeof *scale->tick, compare_values);
    return scale->ticks > 0;
}

bool bipe_figure_axes(const bipe_figure *figure, int x_ticks, int y_ticks, bipe_scale *x, bipe_scale *y)
{
    if (figure->map)
        return open_cells(x, figure, false) && open_cells(y, figure, true);
    bool zero = (figure->zero || figure->bars) && figure->y_kind == BIPE_SCALE_LINEAR;
    double low_x = INFINITY, high_x = -INFINITY, low_y = zero ? 0 : INFINITY, high_y = zero ? 0 : -INFINITY;
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
    for (size_t i = 0; i < figure->groups; i++)
        high_y = fmax(high_y, figure->group[i].level);
    *y = (bipe_scale){.kind = BIPE_SCALE_CELLS};
    if (figure->bars) { /* values go to the right */
        bipe_scale_open(x, figure->y_kind, low_y, high_y, x_ticks, false);
        return true;
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
