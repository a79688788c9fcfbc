/* plot_tasks.c - scores of bipe-eval as bars for bipe-plot: a group for each task and metric, with a bar for each
 * model. */
#include <math.h>
#include <stdio.h>

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
