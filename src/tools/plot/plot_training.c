/* plot_training.c - logs of bipe-train as curves for bipe-plot, and as rows of a table: a colour for each log, and
 * dashes for each kind of curve. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tools/plot/bipe_plot.h"

/* Points of a curve; more are averaged. */
enum { POINTS_MOST = 400 };

static bool is_training(const bipe_series *series)
{
    return strcmp(series->name, "training") == 0;
}

/* Whether a curve may be drawn. A log may have validations and the last step alone, whose loss is then left out. */
static bool is_curve(const plot_input *input, const bipe_series *series, int curve)
{
    size_t most = 0;
    for (size_t s = 0; s < input->curve.count; s++)
        most = input->curve.series[s].count > most ? input->curve.series[s].count : most;
    bool kind = curve == PLOT_CURVE_TRAINING ? is_training(series)
                                             : curve != PLOT_CURVE_VALIDATION || !is_training(series);
    return kind && (series->count > 1 || most <= 1 || !is_training(series));
}

/* The curve of a log by its name; NULL: it has none, or the name is NULL. */
static const bipe_series *find_curve(const plot_input *input, const char *name)
{
    for (size_t s = 0; name != NULL && s < input->curve.count; s++)
        if (strcmp(input->curve.series[s].name, name) == 0 && is_curve(input, &input->curve.series[s], PLOT_CURVE_ALL))
            return &input->curve.series[s];
    return NULL;
}

/* The one curve of each of several logs: the first validation that all of them have, or else their training. NULL:
 * there is none. */
static const char *find_single(const plot_input *input, size_t count)
{
    const char *name = NULL;
    const plot_input *first = NULL;
    size_t logs = 0;
    for (size_t i = count; i-- > 0;)
        if (input[i].source == PLOT_LOG) {
            first = &input[i];
            logs++;
        }
    for (int training = 0; training < 2; training++)
        for (size_t s = 0; logs > 1 && name == NULL && s < first->curve.count; s++) {
            bool shared = is_training(&first->curve.series[s]) == training;
            for (size_t i = 0; i < count && shared; i++)
                shared = input[i].source != PLOT_LOG || find_curve(&input[i], first->curve.series[s].name) != NULL;
            name = shared ? first->curve.series[s].name : NULL;
        }
    return name;
}

/* The names of all logs, and of the kinds of curves that are drawn. Logs are named without an ending such as .train
 * that all have. */
static void find_names(plot_names *logs, plot_names *kinds, const plot_input *input, size_t count, int curve,
                       const char *only)
{
    const char *shared = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *dot = input[i].source == PLOT_LOG ? strrchr(input[i].name, '.') : NULL;
        if (input[i].source == PLOT_LOG)
            shared = dot == NULL || dot == input[i].name || (shared != NULL && strcmp(shared, dot) != 0) ? "" : dot;
    }
    for (size_t i = 0; i < count; i++) {
        char name[PLOT_NAME_SIZE];
        snprintf(name, sizeof name, "%.*s",
                 (int)(strlen(input[i].name) - (shared != NULL && input[i].source == PLOT_LOG ? strlen(shared) : 0)),
                 input[i].name);
        if (input[i].source == PLOT_LOG)
            plot_names_add(logs, name);
        for (size_t s = 0; s < input[i].curve.count; s++) {
            const bipe_series *from = &input[i].curve.series[s];
            size_t k = 0;
            while (k < kinds->count && strcmp(kinds->text[k], from->name) != 0)
                k++;
            if (k == kinds->count && is_curve(&input[i], from, curve) &&
                (only == NULL || strcmp(only, from->name) == 0))
                plot_names_add(kinds, from->name);
        }
    }
}

static int add_curve(bipe_figure *figure, const char *log, const char *kind, const bipe_series *from, size_t colour,
                     size_t dash, bipe_error *err)
{
    char name[2 * PLOT_NAME_SIZE];
    bipe_series *to;
    snprintf(name, sizeof name, "%s%s%s", log, log[0] != '\0' && kind[0] != '\0' ? ", " : "", kind);
    int status = bipe_figure_series(figure, name, &to, err);
    if (status != BIPE_OK)
        return status;
    to->colour = colour;
    to->dash = dash;
    return bipe_series_average(to, from, POINTS_MOST, err);
}

int plot_training_make(plot_figures *figures, const plot_input *input, size_t count, const plot_wish *wish,
                       bipe_error *err)
{
    const char *only = wish->curve == PLOT_CURVE_ONE ? find_single(input, count) : NULL;
    bipe_figure *figure = NULL;
    plot_names logs = {0}, kinds = {0};
    int status = BIPE_OK;
    find_names(&logs, &kinds, input, count, wish->curve, only);
    size_t named = logs.count;
    if (named > 0)
        status = plot_figures_add(figures, "loss by step", "training step", "loss (nats per token)", &figure, err);
    if (status == BIPE_OK && named > 0)
        status = plot_names_label(&logs, &wish->labels, err);
    for (size_t i = 0, log = 0; i < count && status == BIPE_OK && figure != NULL; log += input[i++].source == PLOT_LOG)
        for (size_t k = 0; k < kinds.count && status == BIPE_OK; k++) {
            const bipe_series *from = find_curve(&input[i], kinds.text[k]);
            figure->bare = true;
            figure->x_kind = BIPE_SCALE_WHOLE;
            if (from != NULL)
                status = add_curve(figure, named > 1 || wish->labels.count > 0 ? logs.text[log] : "",
                                   named > 1 && kinds.count == 1 ? "" : kinds.text[k], from, named > 1 ? log : k, k,
                                   err);
        }
    if (status == BIPE_OK && figure != NULL && named > 1 && kinds.count == 1)
        snprintf(figure->caption, sizeof figure->caption, "Loss: %.400s", kinds.text[0]);
    plot_names_close(&logs);
    plot_names_close(&kinds);
    return status;
}

/* ---- as a table ---- */

/* The steps that have a row: those of validations, and the last. */
static int find_steps(bipe_series *steps, const bipe_figure *curves, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t s = 0; s < curves->count; s++) {
        const bipe_series *from = &curves->series[s];
        for (size_t i = is_training(from) && from->count > 0 ? from->count - 1 : 0;
             i < from->count && status == BIPE_OK; i++)
            status = bipe_series_add(steps, from->point[i], err);
    }
    bipe_series_sort(steps);
    return status;
}

/* by_step: rows by the text of their step. */
static void set_losses(json_t *by_step, const bipe_series *steps, const bipe_figure *curves)
{
    char step[32];
    for (size_t i = 0; i < steps->count; i++)
        if (i == 0 || steps->point[i].x != steps->point[i - 1].x) {
            snprintf(step, sizeof step, "%.17g", steps->point[i].x);
            json_object_set_new(by_step, step, json_pack("{s:f}", "step", steps->point[i].x));
        }
    for (size_t s = 0; s < curves->count; s++)
        for (size_t i = 0; i < curves->series[s].count; i++) {
            const bipe_point *point = &curves->series[s].point[i];
            snprintf(step, sizeof step, "%.17g", point->x);
            json_t *row = json_object_get(by_step, step);
            if (row != NULL && isfinite(point->y))
                json_object_set_new_nocheck(row, curves->series[s].name, json_real(point->y));
        }
}

int plot_training_rows(json_t **rows, const plot_input *input, bipe_error *err)
{
    json_t *by_step = json_object(), *row;
    bipe_series steps = {0};
    const char *step;
    *rows = json_array();
    int status = find_steps(&steps, &input->curve, err);
    set_losses(by_step, &steps, &input->curve);
    json_object_foreach (by_step, step, row)
        json_array_append(*rows, row);
    json_decref(by_step);
    bipe_free(steps.point);
    return status;
}
