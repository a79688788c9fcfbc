/* plot_figures.c - which rows become points of which figure: results of bipe-score, logs and tables of tokens. Those of bipe-stats are
 * in plot_stats.c. */
#include "tools/plot_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tools/plot_items.h"
#include "tools/plot_stats.h"
#include "tools/result_file.h"

const char *const plot_kind_names[] = {"lengths", "segments", "training", "probe", "loss-by", "difference", "text", NULL};

/* Beyond it points of a line are averaged. */
enum { POINTS_MOST = 64, CURVE_POINTS_MOST = 400, PROBE_MOST = 4096 };

/* The list of a result that a kind is drawn from, and the member that names model and segmenter of its rows, NULL: themselves. Those of all
 * texts are the totals, or the rows of files where there are none. */
static const char *list_of(const plot_input *input, plot_kind kind, plot_per per, const char **member)
{
    *member = kind == PLOT_DIFFERENCE ? "b" : NULL;
    if (kind == PLOT_PROBE || kind == PLOT_DIFFERENCE)
        return kind == PLOT_PROBE ? "probe" : "comparisons";
    bool total = json_array_size(json_object_get(input->root, "total")) > 0;
    return kind != PLOT_SEGMENTS && per == PLOT_PER_GROUP ? "groups" : kind != PLOT_SEGMENTS && per == PLOT_PER_TOTAL && total ? "total" : "results";
}

bool plot_holds(const plot_input *input, plot_kind kind)
{
    const char *member;
    const json_t *rows = json_object_get(input->root, list_of(input, kind, PLOT_PER_TOTAL, &member));
    bool indexed = false;
    for (size_t i = 0; kind == PLOT_LOSS_BY && i < json_array_size(rows) && !indexed; i++)
        indexed = json_is_object(json_object_get(json_array_get(rows, i), "by"));
    switch (kind) {
    case PLOT_TRAINING: return input->source == PLOT_LOG;
    case PLOT_TEXT: return input->source == PLOT_TOKENS;
    case PLOT_LOSS_BY: return input->source == PLOT_TOKENS || (input->source == PLOT_SCORE && indexed);
    default: return input->source == (kind == PLOT_SEGMENTS ? PLOT_STATS : PLOT_SCORE) && json_array_size(rows) > 0;
    }
}

int plot_figures_add(plot_figures *figures, const char *title, const char *x_label, const char *y_label, bipe_figure **figure, bipe_error *err)
{
    if (bipe_grow(&figures->figure, &figures->capacity, figures->count + 1, sizeof *figures->figure) != 0)
        return bipe_fail_memory(err);
    *figure = &figures->figure[figures->count++];
    **figure = (bipe_figure){0};
    return bipe_figure_name(*figure, title, x_label, y_label, err);
}

int plot_add_values(bipe_figure *figure, const plot_items *items, const plot_item *item, const char *const path[3], bipe_error *err)
{
    char name[PLOT_NAME_SIZE];
    double value[3] = {NAN, NAN, NAN};
    int status = BIPE_OK;
    for (int i = 0; i < 3 && path[i] != NULL; i++)
        value[i] = plot_number(item->row, item->where, path[i], &status, err);
    return status == BIPE_OK ? bipe_figure_point(figure, plot_item_name(items, item, name), (bipe_point){item->length, value[0], value[1], value[2]}, err)
                             : status;
}

/* ---- perplexity against length ---- */

static bipe_point length_point(const plot_item *item, plot_unit unit, int *status, bipe_error *err)
{
    double nll = plot_number(item->row, item->where, "nll", status, err), error = plot_number(item->row, item->where, "stderr", status, err);
    double low = plot_number(item->row, item->where, "interval.0", status, err), high = plot_number(item->row, item->where, "interval.1", status, err);
    double bits = plot_number(item->row, item->where, "tokens", status, err) / plot_number(item->row, item->where, "bytes", status, err) / log(2);
    if (isnan(low)) { /* no interval is given: that of a normal distribution */
        low = nll - 1.96 * error;
        high = nll + 1.96 * error;
    }
    return unit == PLOT_PPL   ? (bipe_point){item->length, exp(nll), exp(low), exp(high)}
           : unit == PLOT_NLL ? (bipe_point){item->length, nll, low, high}
                              : (bipe_point){item->length, nll * bits, low * bits, high * bits};
}

static int make_lengths(plot_figures *figures, const plot_items *items, const plot_wish *wish, bipe_error *err)
{
    static const char *const titles[] = {"perplexity by window length", "loss by window length", "bits per byte by window length"};
    static const char *const labels[] = {"perplexity", "loss (nats per token)", "bits per byte"};
    bipe_figure *figure;
    int status = plot_figures_add(figures, titles[wish->unit], "window length (tokens)", labels[wish->unit], &figure, err);
    if (status != BIPE_OK)
        return status;
    figure->x_kind = BIPE_SCALE_LENGTH;
    for (size_t i = 0; i < items->count && status == BIPE_OK; i++) {
        char name[PLOT_NAME_SIZE];
        bipe_point point = length_point(&items->item[i], wish->unit, &status, err);
        if (status == BIPE_OK)
            status = bipe_figure_point(figure, plot_item_name(items, &items->item[i], name), point, err);
    }
    return status;
}

/* ---- differences ---- */

/* Keeps the rows of all texts, of each file or of each group, as asked for. Names only the part that differs from the first model and
 * segmenter. */
static void choose_differences(plot_items *items, plot_per per)
{
    size_t kept = 0;
    for (size_t i = 0; i < items->count; i++) {
        const json_t *row = items->item[i].row;
        bool file = json_is_string(json_object_get(row, "file")), group = json_is_string(json_object_get(row, "group"));
        if (!json_is_true(json_object_get(row, "macro")) && group == (per == PLOT_PER_GROUP) && (group || file == (per == PLOT_PER_FILE)))
            items->item[kept++] = items->item[i];
        for (int p = PLOT_PART_MODEL; p <= PLOT_PART_SEGMENTER; p++) {
            const char *first = json_string_value(plot_member(row, p == PLOT_PART_MODEL ? "a.model" : "a.segmenter"));
            items->varies[p] = items->varies[p] || (first != NULL && strcmp(first, items->item[i].part[p]) != 0);
        }
    }
    items->count = kept;
}

static int make_difference(plot_figures *figures, const plot_items *items, const plot_wish *wish, bipe_error *err)
{
    static const char *const nats[] = {"nll_difference", "interval.0", "interval.1"};
    static const char *const bits[] = {"bits_per_byte_difference", "bits_per_byte_interval.0", "bits_per_byte_interval.1"};
    const char *model = json_string_value(plot_member(items->item[0].row, "a.model")), *segmenter = json_string_value(plot_member(items->item[0].row, "a.segmenter"));
    char title[PLOT_NAME_SIZE];
    bipe_figure *figure;
    snprintf(title, sizeof title, "difference to %s%s%s by window length", model == NULL ? "the first" : strrchr(model, '/') != NULL ? strrchr(model, '/') + 1 : model,
             segmenter != NULL ? ", " : "", segmenter != NULL ? segmenter : "");
    int status = plot_figures_add(figures, title, "window length (tokens)",
                                  wish->unit == PLOT_BITS ? "difference (bits per byte)" : "difference (nats per token)", &figure, err);
    if (status != BIPE_OK)
        return status;
    figure->x_kind = BIPE_SCALE_LENGTH;
    figure->zero = figure->titled = true;
    for (size_t i = 0; i < items->count && status == BIPE_OK; i++)
        status = plot_add_values(figure, items, &items->item[i], wish->unit == PLOT_BITS ? bits : nats, err);
    return status;
}

/* ---- losses by index ---- */

/* A point is the mean of neighbouring indices, of as many as hold a share of all tokens: single ones where tokens are many, more where
 * few would make it noise. */
static int add_bins(bipe_series *series, const plot_bin *bin, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += bin[i].tokens;
    for (size_t i = 0; i < count && status == BIPE_OK;) {
        double tokens = 0, sum = 0, at = 0;
        for (size_t first = i; i < count && (i - first < count / POINTS_MOST || tokens < all / POINTS_MOST); i++) {
            tokens += bin[i].tokens;
            sum += bin[i].sum;
            at += bin[i].tokens * (double)i;
        }
        if (tokens > 0)
            status = bipe_series_add(series, (bipe_point){at / tokens, sum / tokens, NAN, NAN}, err);
        i += tokens == 0; /* what is left has none */
    }
    return status;
}

/* The bins of a row: [[index, tokens, mean], ...]. Free *bin. */
static int read_bins(const plot_item *item, const json_t *values, plot_bin **bin, size_t *count, bipe_error *err)
{
    size_t capacity = 0;
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i), *index = json_array_get(value, 0), *tokens = json_array_get(value, 1);
        const json_t *mean = json_array_get(value, 2);
        if (!json_is_number(index) || json_number_value(index) < 0 || json_number_value(index) >= PLOT_INDEX_MOST || !json_is_number(tokens))
            return bipe_fail(err, BIPE_ERR_FORMAT, "%sby.values[%zu]: expected [index, tokens, loss] with an index below 4194304", item->where, i);
        size_t at = (size_t)json_number_value(index);
        if (bipe_grow(bin, &capacity, at + 1, sizeof **bin) != 0)
            return bipe_fail_memory(err);
        for (; *count <= at; ++*count)
            (*bin)[*count] = (plot_bin){0, 0};
        if (json_is_number(mean))
            (*bin)[at] = (plot_bin){json_number_value(tokens), json_number_value(tokens) * json_number_value(mean)};
    }
    return BIPE_OK;
}

/* Whether the row has losses by this index. */
static bool is_by(const plot_item *item, size_t kind)
{
    const char *index = json_string_value(plot_member(item->row, "by.index"));
    return item->view != NULL || (index != NULL && strcmp(index, plot_index_names[kind]) == 0);
}

static int add_index_row(bipe_figure *figure, const plot_items *items, const plot_item *item, size_t kind, bipe_error *err)
{
    char name[PLOT_NAME_SIZE];
    plot_bin *bin = NULL;
    bipe_series *series;
    size_t count = 0;
    int status = bipe_figure_series(figure, plot_item_name(items, item, name), &series, err);
    if (status == BIPE_OK && item->view != NULL)
        return add_bins(series, item->view->bin[kind], item->view->bins[kind], err);
    if (status == BIPE_OK)
        status = read_bins(item, plot_member(item->row, "by.values"), &bin, &count, err);
    if (status == BIPE_OK)
        status = add_bins(series, bin, count, err);
    bipe_free(bin);
    return status;
}

/* A figure for each index that rows have, of one length, since lines for each would hide one another: the given one, or the largest. */
static int make_loss_by(plot_figures *figures, const plot_items *items, uint64_t given, bipe_error *err)
{
    static const char *const labels[PLOT_INDEXES] = {"token in the window", "index of the segment", "token in its segment"};
    int status = BIPE_OK;
    size_t before = figures->count;
    for (size_t kind = 0; kind < PLOT_INDEXES && status == BIPE_OK; kind++) {
        char title[64], text[BIPE_SCALE_LABEL];
        double length = (double)given;
        size_t found = 0;
        for (size_t i = 0; i < items->count; i++)
            if (is_by(&items->item[i], kind)) {
                length = given == 0 ? fmax(length, items->item[i].length) : length;
                found += given == 0 || items->item[i].length == length;
            }
        if (found == 0)
            continue;
        bipe_figure *figure;
        snprintf(title, sizeof title, "loss by %s index, windows of %s", plot_index_names[kind], bipe_scale_length(length, text));
        status = plot_figures_add(figures, title, labels[kind], "loss (nats per token)", &figure, err);
        for (size_t i = 0; i < items->count && status == BIPE_OK; i++)
            if (is_by(&items->item[i], kind) && items->item[i].length == length)
                status = add_index_row(figure, items, &items->item[i], kind, err);
        if (status == BIPE_OK)
            figure->bare = true;
    }
    if (status == BIPE_OK && figures->count == before)
        return bipe_fail(err, BIPE_ERR_FORMAT, "option '--length': no input has losses by index in windows of %llu tokens", (unsigned long long)given);
    return status;
}

/* ---- training ---- */

static int make_training(plot_figures *figures, const plot_input *input, size_t count, bipe_error *err)
{
    bipe_figure *figure;
    int status = plot_figures_add(figures, "loss by step", "step", NULL, &figure, err);
    size_t logs = 0, each = 1;
    for (size_t i = 0; i < count; i++)
        logs += input[i].source == PLOT_LOG;
    for (size_t i = 0; i < count && status == BIPE_OK; i++)
        for (size_t s = 0; s < input[i].curve.count && status == BIPE_OK; s++) {
            const bipe_series *from = &input[i].curve.series[s];
            char name[PLOT_NAME_SIZE];
            bipe_series *to;
            snprintf(name, sizeof name, "%.200s%s%.300s", logs > 1 ? input[i].stem : "", logs > 1 ? ", " : "", from->name);
            status = bipe_figure_series(figure, name, &to, err);
            for (size_t k = 0; k < from->count && status == BIPE_OK; k++)
                status = bipe_series_add(to, from->point[k], err);
            if (status == BIPE_OK) {
                size_t mean = bipe_series_thin(to, CURVE_POINTS_MOST);
                each = mean > each ? mean : each;
            }
        }
    char label[64] = "loss (nats per token)";
    if (each > 1)
        snprintf(label, sizeof label, "loss (nats per token), means of %zu steps", each);
    if (status == BIPE_OK) {
        figure->bare = true;
        status = bipe_figure_name(figure, NULL, NULL, label, err);
    }
    return status;
}

/* ---- probes ---- */

/* A map for each model and segmenter: the accuracy by length and depth. */
static int make_probe(plot_figures *figures, const plot_items *items, bipe_error *err)
{
    int status = BIPE_OK;
    size_t first = figures->count;
    for (size_t i = 0; i < items->count && status == BIPE_OK; i++) {
        const plot_item *item = &items->item[i];
        char name[PLOT_NAME_SIZE], title[PLOT_NAME_SIZE + 64];
        bipe_figure *figure = NULL;
        snprintf(title, sizeof title, "accuracy of the probe in %%, %s", plot_item_name(items, item, name));
        for (size_t f = first; f < figures->count; f++)
            if (strcmp(figures->figure[f].series[0].name, name) == 0)
                figure = &figures->figure[f];
        if (figure == NULL)
            status = plot_figures_add(figures, title, "window length (tokens)", "depth of the key", &figure, err);
        if (status != BIPE_OK)
            break;
        if (figure->count > 0 && figure->series[0].count == PROBE_MOST)
            return bipe_result_wrong(err, item->where, "depth", "at most 4096 cells for a model");
        bipe_point point = {item->length, plot_number(item->row, item->where, "depth", &status, err),
                            plot_number(item->row, item->where, "accuracy", &status, err), NAN};
        figure->map = true;
        if (status == BIPE_OK)
            status = bipe_figure_point(figure, name, point, err);
    }
    return status;
}

/* ---- all ---- */

static int collect_items(plot_items *items, plot_kind kind, const plot_input *input, plot_per per, bipe_error *err)
{
    const char *member, *list = list_of(input, kind, per, &member);
    return input->source == PLOT_TOKENS ? plot_items_add_views(items, input, err) : plot_items_add(items, input, list, member, err);
}

int plot_figures_make(plot_figures *figures, plot_kind kind, const plot_input *input, size_t count, const plot_wish *wish, bipe_error *err)
{
    plot_items items = {0};
    size_t first = figures->count;
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++)
        if (plot_holds(&input[i], kind))
            status = collect_items(&items, kind, &input[i], wish->per, err);
    if (status == BIPE_OK && kind == PLOT_DIFFERENCE)
        choose_differences(&items, wish->per);
    if (status == BIPE_OK && items.count == 0 && kind != PLOT_TRAINING) {
        plot_items_close(&items);
        return wish->may_be_empty ? BIPE_OK : bipe_fail(err, BIPE_ERR_FORMAT, "option '--per': no input has rows of that kind");
    }
    if (status == BIPE_OK)
        plot_items_settle(&items);
    if (status == BIPE_OK)
        status = kind == PLOT_LENGTHS      ? make_lengths(figures, &items, wish, err)
                 : kind == PLOT_SEGMENTS   ? plot_stats_make(figures, &items, err)
                 : kind == PLOT_DIFFERENCE ? make_difference(figures, &items, wish, err)
                 : kind == PLOT_LOSS_BY    ? make_loss_by(figures, &items, wish->length, err)
                 : kind == PLOT_PROBE      ? make_probe(figures, &items, err)
                                           : make_training(figures, input, count, err);
    plot_items_close(&items);
    for (size_t f = first; f < figures->count && status == BIPE_OK; f++) {
        bipe_figure *figure = &figures->figure[f];
        figure->x_kind = wish->log_x && figure->x_kind == BIPE_SCALE_LINEAR ? BIPE_SCALE_LOG : figure->x_kind;
        figure->y_kind = wish->log_y ? BIPE_SCALE_LOG : figure->y_kind;
        bool named = wish->title != NULL && f == first;
        figure->titled = figure->titled || named || figures->count - first > 1 || figure->map;
        for (size_t s = 0; s < figure->count && !figure->map; s++)
            bipe_series_sort(&figure->series[s]);
        if (named)
            status = bipe_figure_name(figure, wish->title, NULL, NULL, err);
    }
    return status;
}

void plot_figures_close(plot_figures *figures)
{
    for (size_t i = 0; i < figures->count; i++)
        bipe_figure_close(&figures->figure[i]);
    bipe_free(figures->figure);
    *figures = (plot_figures){0};
}
