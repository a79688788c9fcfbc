/* plot_captions.c - what bipe-plot says below a figure: what its intervals are, what a dotted line is, and which lines
 * hide one another. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text/label.h"
#include "tools/plot/bipe_plot.h"

/* Of lines that coincide: so many are named, each in so many columns. */
enum { NAMED_MOST = 4, NAME_COLUMNS = 40, NAME_SIZE = 4 * NAME_COLUMNS + 4 };

/* One sentence more below the figure, if there is room for it. */
BIPE_PRINTF(2, 3)
static void add_caption(bipe_figure *figure, const char *format, ...)
{
    va_list values;
    size_t before = strlen(figure->caption), used = before;
    if (used > 0 && used + 2 < sizeof figure->caption) {
        memcpy(figure->caption + used, ". ", 3);
        used += 2;
    }
    va_start(values, format);
    int size = vsnprintf(figure->caption + used, sizeof figure->caption - used, format, values);
    va_end(values);
    if (size < 0 || (size_t)size >= sizeof figure->caption - used)
        figure->caption[before] = '\0';
}

/* Says below the figure what its intervals are: the ways in which they were found, but for numbers. */
static void describe_intervals(bipe_figure *figure, const plot_items *items)
{
    char ways[BIPE_FIGURE_CAPTION / 2] = "";
    bool some = false;
    for (size_t i = 0; i < items->count; i++) {
        const char *method = plot_text_of(items->item[i].row, "method");
        char way[96] = "";
        if (json_is_number(plot_member(items->item[i].row, "interval.0")))
            some = true;
        else
            continue;
        for (const char *end; method[0] != '\0'; method = end + (end[0] == ' ')) {
            end = method + strcspn(method, " ");
            if (strspn(method, "0123456789") < (size_t)(end - method))
                snprintf(way + strlen(way), sizeof way - strlen(way), "%s%.*s", way[0] != '\0' ? " " : "",
                         (int)(end - method), method);
        }
        if (strstr(ways, way) == NULL && strlen(ways) + strlen(way) + 8 < sizeof ways)
            snprintf(ways + strlen(ways), sizeof ways - strlen(ways), "%s%s", ways[0] != '\0' ? ", or " : "", way);
    }
    if (some)
        add_caption(figure, "Intervals: 95 %%%s%s", ways[0] != '\0' ? ", " : "", ways);
}

static bool has_intervals(const bipe_figure *figure)
{
    bool some = false;
    for (size_t s = 0; s < figure->count; s++)
        for (size_t i = 0; i < figure->series[s].count && !some; i++)
            some = bipe_figure_has_interval(figure, &figure->series[s].point[i]);
    return some;
}

/* Whether all points of two lines that can be seen are the same, and there are some. */
static bool coincide(const bipe_figure *figure, const bipe_series *a, const bipe_series *b)
{
    size_t i = 0, k = 0, same = 0;
    for (;; i++, k++, same++) {
        while (i < a->count && !bipe_figure_shows(figure, &a->point[i]))
            i++;
        while (k < b->count && !bipe_figure_shows(figure, &b->point[k]))
            k++;
        if (i == a->count || k == b->count)
            return i == a->count && k == b->count && same > 0;
        if (a->point[i].x != b->point[k].x || a->point[i].y != b->point[k].y)
            return false;
    }
}

/* Whether a line lies under one before it. */
static bool is_hidden(const bipe_figure *figure, size_t number)
{
    size_t s = 0;
    while (s < number && !coincide(figure, &figure->series[s], &figure->series[number]))
        s++;
    return s < number;
}

/* Names line number `first` and those that lie exactly under it. */
static void describe_hidden(bipe_figure *figure, size_t first)
{
    char names[NAMED_MOST * NAME_SIZE + 32] = "", name[NAME_SIZE];
    size_t found = 1;
    for (size_t s = first; s < figure->count; s++) {
        if (s > first && !coincide(figure, &figure->series[first], &figure->series[s]))
            continue;
        found += s > first;
        if (found <= NAMED_MOST)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", s > first ? "; " : "",
                     bipe_label_cut(figure->series[s].name, NAME_COLUMNS, name, sizeof name));
    }
    if (found > NAMED_MOST)
        snprintf(names + strlen(names), sizeof names - strlen(names), "; %zu more", found - NAMED_MOST);
    if (found > 1)
        add_caption(figure, "Lines that coincide: %s", names);
}

void plot_caption(bipe_figure *figure, plot_intervals intervals, const plot_items *items)
{
    if (intervals == PLOT_CONFIDENCE)
        describe_intervals(figure, items);
    else if (intervals == PLOT_PERCENTILES && has_intervals(figure))
        add_caption(figure, "Points: means of windows; lines: from their 5th to their 95th percentile");
    for (size_t g = 0; g < figure->groups; g++)
        if (!isnan(figure->group[g].level) && strstr(figure->caption, "chance") == NULL)
            add_caption(figure, "Dotted: chance");
    for (size_t s = 0; s < figure->count && !figure->map && !figure->bars; s++)
        if (!is_hidden(figure, s))
            describe_hidden(figure, s);
}
