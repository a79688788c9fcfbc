/* plot_tasks.c - scores of bipe-eval for bipe-plot: as bars, a group for each task and metric with a bar for each
 * model; and as maps of length by task, where the names of files say both. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/plot/bipe_plot.h"

/* The task and metric of a row, and its file where these are drawn. */
static void name_group(const plot_item *item, int per, char name[PLOT_NAME_SIZE])
{
    const char *task = plot_text_of(item->row, "task"),
               *place = per == PLOT_PER_TOTAL ? "" : item->part[PLOT_PART_PLACE];
    snprintf(name, PLOT_NAME_SIZE, "%.200s%s%.50s%s%.200s", task, task[0] != '\0' ? ", " : "",
             plot_text_of(item->row, "metric"), place[0] != '\0' ? ", " : "", place);
}

/* member: of rows, which also have its interval. */
int plot_tasks_make(plot_figures *figures, const plot_items *items, const char *member, const char *label, int per,
                    bipe_error *err)
{
    bipe_figure *figure;
    int status = plot_figures_add(figures, member[0] == 'v' ? "scores by task" : "differences by task", label, NULL,
                                  &figure, err);
    if (status == BIPE_OK)
        figure->bars = true;
    if (status == BIPE_OK && member[0] == 'd')
        snprintf(figure->caption, sizeof figure->caption, "Compared with %.200s",
                 plot_text_of(items->item[0].row, "a"));
    for (size_t i = 0; i < items->count && status == BIPE_OK; i++) {
        const plot_item *item = &items->item[i];
        const double value = plot_number(item->row, item->where, member, &status, err),
                     chance = plot_number(item->row, item->where, "chance", &status, err);
        const double low = plot_number(item->row, item->where, "interval.0", &status, err),
                     high = plot_number(item->row, item->where, "interval.1", &status, err);
        char name[PLOT_NAME_SIZE];
        size_t group = 0;
        name_group(item, per, name);
        if (status == BIPE_OK)
            status = bipe_figure_group(figure, name, &group, err);
        if (status == BIPE_OK && member[0] == 'v' && !isnan(chance))
            figure->group[group].level = chance * 100;
        if (status == BIPE_OK)
            status = bipe_figure_point(figure, plot_item_name(items, item),
                                       (bipe_point){(double)group, value * 100, low * 100, high * 100}, err);
    }
    return status;
}

/* ---- maps ---- */

/* 4096, 4k, 1m; NAN: it is no length. */
static double length_of(const char *part, size_t size)
{
    double length = 0;
    size_t digits = 0;
    for (; digits < size && digits < 9 && part[digits] >= '0' && part[digits] <= '9'; digits++)
        length = length * 10 + (part[digits] - '0');
    const char unit = digits + 1 == size ? part[digits] : '\0';
    double times = digits == size                 ? 1
                   : unit == 'k' || unit == 'K'   ? 1 << 10
                   : unit == 'm' || unit == 'M'   ? 1 << 20
                                                  : 0;
    return digits > 0 && times > 0 && length > 0 ? length * times : (double)NAN;
}

bool plot_place_of(const char *path, double *length, char task[PLOT_NAME_SIZE])
{
    const char *before = NULL, *after = NULL; /* the parts beside that of the length */
    size_t before_size = 0, after_size = 0;
    *length = (double)NAN;
    for (const char *part = path, *last = NULL, *end; part[0] != '\0'; part = end + (end[0] == '/')) {
        end = part + strcspn(part, "/");
        size_t size = end[0] == '/' ? (size_t)(end - part) : strcspn(part, "."); /* a file without its ending */
        double own = length_of(part, size);
        if (!isnan(own)) {
            *length = own;
            before = last;
            before_size = last != NULL ? strcspn(last, "/") : 0;
            after = NULL;
        } else if (after == NULL && !isnan(*length)) {
            after = part;
            after_size = size;
        }
        last = part;
    }
    bool next = after != NULL;
    snprintf(task, PLOT_NAME_SIZE, "%.*s", (int)(next ? after_size : before_size),
             next             ? after
             : before != NULL ? before
                              : "");
    return !isnan(*length) && task[0] != '\0';
}

static bipe_figure *find_map(const plot_figures *figures, size_t first, const char *title)
{
    for (size_t f = first; f < figures->count; f++)
        if (strcmp(figures->figure[f].title, title) == 0)
            return &figures->figure[f];
    return NULL;
}

int plot_heat_make(plot_figures *figures, const plot_items *items, bipe_error *err)
{
    size_t first = figures->count;
    int status = BIPE_OK;
    for (size_t i = 0; i < items->count && status == BIPE_OK; i++) {
        const plot_item *item = &items->item[i];
        const double value = plot_number(item->row, item->where, "value", &status, err);
        char title[sizeof ((bipe_figure *)NULL)->title], task[PLOT_NAME_SIZE];
        const char *model = plot_item_model(items, item->part[PLOT_PART_MODEL]);
        double length;
        size_t group = 0;
        if (status != BIPE_OK || !plot_place_of(plot_text_of(item->row, "file"), &length, task))
            continue;
        snprintf(title, sizeof title, "%.50s in %%, %.300s", plot_text_of(item->row, "metric"), model);
        bipe_figure *figure = find_map(figures, first, title);
        if (figure == NULL &&
            (status = plot_figures_add(figures, title, "length (tokens)", NULL, &figure, err)) != BIPE_OK)
            break;
        figure->map = true;
        status = bipe_figure_group(figure, task, &group, err);
        if (status == BIPE_OK)
            status = bipe_figure_point(figure, model, (bipe_point){length, (double)group, value, NAN}, err);
    }
    return status;
}
