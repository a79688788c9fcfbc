/* plot_figures.c - which rows become points of which figure. */
#include "tools/plot/bipe_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"

const char *const plot_kind_names[] = {"lengths", "segments", "density", "training", "probe", "loss-by", "scores", "tasks", "difference", "text", NULL};

/* Beyond it points of a line are averaged; below SINGLE, numbers of tokens have a bin each. */
enum { POINTS_MOST = 64, SINGLE = 16 };

/* The list of a result that a kind is drawn from. Results of all texts are the totals, or the rows of files where there are none. */
static const char *list_of(const plot_input *input, int kind, int per)
{
    static const char *const lists[PLOT_KINDS] = {[PLOT_PROBE] = "probe", [PLOT_DIFFERENCE] = "comparisons"};
    bool total = json_array_size(json_object_get(input->root, "total")) > 0;
    return lists[kind] != NULL ? lists[kind] : input->source != PLOT_SCORE ? "results" : per == PLOT_PER_GROUP ? "groups" : per == PLOT_PER_TOTAL && total ? "total" : "results";
}

unsigned plot_kinds(const plot_input *input)
{
    static const plot_source sources[PLOT_KINDS] = {PLOT_SCORE, PLOT_STATS, PLOT_STATS, PLOT_LOG, PLOT_SCORE, PLOT_SCORE, PLOT_EVAL, PLOT_EVAL, PLOT_SCORE, PLOT_TOKENS};
    unsigned kinds = input->source == PLOT_TOKENS ? 1U << PLOT_LOSS_BY | 1U << PLOT_TEXT : input->source == PLOT_LOG ? 1U << PLOT_TRAINING : 0;
    for (int k = 0; k < PLOT_KINDS && input->root != NULL; k++) {
        const json_t *rows = json_object_get(input->root, list_of(input, k, PLOT_PER_TOTAL));
        bool each = k == PLOT_LOSS_BY || k == PLOT_SCORES, some = !each && json_array_size(rows) > 0;
        for (size_t i = 0; each && i < json_array_size(rows) && !some; i++)
            some = input->run != NULL ? input->run[i] != NULL : json_is_object(json_object_get(json_array_get(rows, i), "by"));
        kinds |= (input->source == sources[k] || (k == PLOT_DIFFERENCE && input->source == PLOT_EVAL)) && some ? 1U << k : 0;
    }
    return kinds;
}

int plot_figures_add(plot_figures *figures, const char *title, const char *x_label, const char *y_label, bipe_figure **figure, bipe_error *err)
{
    bipe_tool_grow(&figures->figure, &figures->capacity, figures->count + 1, sizeof *figures->figure);
    *figure = &figures->figure[figures->count++];
    **figure = (bipe_figure){.x_label = x_label, .y_label = y_label};
    return bipe_figure_name(*figure, title, err);
}

/* ---- values by length ---- */

/* A value of each row and its interval; of a map, the place and value of a cell. */
typedef struct measure {
    const char *title, *label, *path[3];
    bool zero, log, map, exponential, per_byte, by_step; /* log: so that growth in proportion is a straight line; per_byte: nats per token become bits per byte; by_step: in percent */
} measure;

static const measure losses[] = {
    [PLOT_PPL] = {"perplexity by window length", "perplexity", {"nll", "interval.0", "interval.1"}, .exponential = true},
    [PLOT_NLL] = {"loss by window length", "loss (nats per token)", {"nll", "interval.0", "interval.1"}, .zero = false},
    [PLOT_BITS] = {"bits per byte by window length", "bits per byte", {"nll", "interval.0", "interval.1"}, .per_byte = true}};
static const measure difference_nats = {"difference by window length", "difference (nats per token)", {"nll_difference", "interval.0", "interval.1"}, .zero = true};
static const measure difference_bits = {"difference by window length", "difference (bits per byte)",
                                        {"bits_per_byte_difference", "bits_per_byte_interval.0", "bits_per_byte_interval.1"}, .zero = true};
static const measure segments[] = {
    {"mean tokens per segment", "tokens", {"tokens_per_segment.mean"}, .zero = true},
    {"segments per window", "segments", {"segments_per_window.mean", "segments_per_window.p5", "segments_per_window.p95"}, .log = true}};

static const measure scores = {"scores by training step", "score (%)", {"value", "interval.0", "interval.1"}, .zero = true, .by_step = true};
static const measure probe = {"accuracy in %", "depth of the key", {"depth", "accuracy"}, .map = true};

/* Differences are 0 for what others are compared with, once at each length. */
static int add_value(bipe_figure *figure, const plot_items *items, const plot_item *item, const measure *m, bipe_error *err)
{
    double value[3] = {item->reference ? 0 : (double)NAN, NAN, NAN}, scale = m->by_step ? 100 : 1;
    bipe_series *series;
    int status = bipe_figure_series(figure, plot_item_name(items, item), &series, err);
    if (m->per_byte)
        scale = plot_number(item->row, item->where, "tokens", &status, err) / plot_number(item->row, item->where, "bytes", &status, err) / log(2);
    for (int i = 0; i < 3 && m->path[i] != NULL && !item->reference; i++) {
        value[i] = plot_number(item->row, item->where, m->path[i], &status, err) * scale;
        value[i] = m->exponential ? exp(value[i]) : value[i];
    }
    if (status != BIPE_OK)
        return status;
    for (size_t i = 0; i < series->count && item->reference; i++)
        if (series->point[i].x == item->x)
            return BIPE_OK;
    return bipe_series_add(series, (bipe_point){item->x, value[0], value[1], value[2]}, err);
}

/* The figure from number `first` on that is of `name` (NULL: of all). */
static bipe_figure *find_figure(const plot_figures *figures, size_t first, const char *name)
{
    for (size_t f = first; f < figures->count; f++)
        if (name == NULL || strcmp(figures->figure[f].series[0].name, name) == 0)
            return &figures->figure[f];
    return NULL;
}

/* A figure for all rows; of maps, one for each model and segmenter. */
static int make_values(plot_figures *figures, const plot_items *items, const measure *m, bipe_error *err)
{
    int status = BIPE_OK;
    size_t first = figures->count;
    for (size_t i = 0; i < items->count && status == BIPE_OK; i++) {
        char title[PLOT_NAME_SIZE + 64];
        const char *name = m->map ? plot_item_name(items, &items->item[i]) : "";
        bipe_figure *figure = find_figure(figures, first, m->map ? name : NULL);
        snprintf(title, sizeof title, "%s%s%s", m->title, m->map ? ", " : "", name);
        if (figure == NULL && (status = plot_figures_add(figures, title, m->by_step ? "step" : "window length (tokens)", m->label, &figure, err)) != BIPE_OK)
            break;
        figure->x_kind = m->by_step ? BIPE_SCALE_WHOLE : BIPE_SCALE_LENGTH;
        figure->y_kind = m->log ? BIPE_SCALE_LOG : BIPE_SCALE_LINEAR;
        figure->zero = m->zero;
        figure->map = m->map;
        status = add_value(figure, items, &items->item[i], m, err);
    }
    return status;
}

/* Whether a row is one of all texts, of a file or of a group, as asked for. */
static bool is_per(const json_t *row, int per)
{
    bool file = json_is_string(json_object_get(row, "file")), group = json_is_string(json_object_get(row, "group"));
    return !json_is_true(json_object_get(row, "macro")) && per == (group ? PLOT_PER_GROUP : file ? PLOT_PER_FILE : PLOT_PER_TOTAL);
}

/* With one file bipe-eval writes no rows of all. */
static bool has_total(const plot_input *input)
{
    const json_t *rows = json_object_get(input->root, "results");
    size_t i = 0;
    while (i < json_array_size(rows) && json_is_string(json_object_get(json_array_get(rows, i), "file")))
        i++;
    return i < json_array_size(rows);
}

/* ---- Figure 1 of the paper for any text: how many tokens segments have, whatever the window, and how their number grows with it ---- */

/* Bins widen in proportion, so that each holds about as many values as its neighbours on a logarithmic axis. */
static double bin_width(double tokens)
{
    return tokens < SINGLE ? 1 : SINGLE / 4 * exp2(floor(log2(tokens / SINGLE)));
}

/* Adds segments of so many tokens to the last bin, or a new one after those that are empty. y is a density: bins of any width can be compared. */
static int add_to_bin(bipe_series *series, double tokens, double count, bipe_error *err)
{
    double width = bin_width(tokens), first = floor(tokens / width) * width;
    const bipe_point *last = series->count > 0 ? &series->point[series->count - 1] : NULL;
    double next = last != NULL ? last->x + (bin_width(last->x) + 1) / 2 : first;
    int status = BIPE_OK;
    for (; next < first && status == BIPE_OK; next += bin_width(next))
        status = bipe_series_add(series, (bipe_point){next + (bin_width(next) - 1) / 2, 0, NAN, NAN}, err);
    if (status == BIPE_OK && (last == NULL || next <= first))
        status = bipe_series_add(series, (bipe_point){first + (width - 1) / 2, 0, NAN, NAN}, err);
    if (status == BIPE_OK)
        series->point[series->count - 1].y += count / width;
    return status;
}

/* The share of segments of at most so many tokens, or the density. */
static int add_distribution(bipe_figure *figure, const plot_item *item, const char *name, bool density, bipe_error *err)
{
    const json_t *list = plot_member(item->row, "tokens_per_segment.histogram");
    double total = 0;
    bipe_series *series;
    int status = bipe_figure_series(figure, name, &series, err);
    for (size_t i = 0; i < json_array_size(list) && status == BIPE_OK; i++) {
        const json_t *tokens = plot_member(json_array_get(list, i), "0"), *count = plot_member(json_array_get(list, i), "1");
        if (!json_is_number(tokens) || !json_is_number(count))
            return bipe_fail(err, BIPE_ERR_FORMAT, "%stokens_per_segment.histogram[%zu]: expected [tokens, segments]", item->where, i);
        total += json_number_value(count);
        status = density ? add_to_bin(series, json_number_value(tokens), json_number_value(count), err)
                         : bipe_series_add(series, (bipe_point){json_number_value(tokens), total, NAN, NAN}, err);
    }
    for (size_t i = 0; i < series->count; i++)
        series->point[i].y *= 100 / total;
    return status;
}

/* With one segmenter a line for each length, with several a line for each at its largest length, which is that of whole documents. Of the
 * items those with lengths are left. */
static int make_distribution(bipe_figure *figure, plot_items *items, bool density, bipe_error *err)
{
    size_t left = 0;
    bool several = false;
    int status = BIPE_OK;
    figure->x_kind = BIPE_SCALE_LOG;
    figure->bare = true;
    for (size_t i = 1; i < items->count; i++)
        several = several || !plot_items_share(&items->item[0], &items->item[i], PLOT_PARTS);
    for (size_t i = 0; i < items->count && status == BIPE_OK; i++) {
        const plot_item *item = &items->item[i];
        char name[PLOT_NAME_SIZE] = "documents", length[BIPE_SCALE_LABEL];
        if (several)
            snprintf(name, sizeof name, "%s", plot_item_name(items, item));
        else if (!isnan(item->x))
            snprintf(name, sizeof name, "windows of %s", bipe_scale_length(item->x, length));
        if (!several || i + 1 == items->count || !plot_items_share(item, item + 1, PLOT_PARTS))
            status = add_distribution(figure, item, name, density, err);
        if (!isnan(item->x))
            items->item[left++] = *item;
    }
    items->count = left;
    return status;
}

static int make_segments(plot_figures *figures, plot_items *items, bool density, bipe_error *err)
{
    bipe_figure *figure;
    int status = density ? plot_figures_add(figures, "density of tokens per segment", "tokens in a segment", "share of segments (% per token)", &figure, err)
                         : plot_figures_add(figures, "distribution of tokens per segment", "tokens in a segment", "share of segments with at most x tokens (%)", &figure, err);
    if (status == BIPE_OK)
        status = make_distribution(figure, items, density, err);
    for (size_t i = 0; i < 2 && items->count > 0 && !density && status == BIPE_OK; i++)
        status = make_values(figures, items, &segments[i], err);
    return status;
}

/* ---- losses by index ---- */

/* The losses of a row: [[index, tokens, mean], ...]. */
static int read_losses(const plot_item *item, bipe_series *series, bipe_error *err)
{
    const json_t *values = plot_member(item->row, "by.values");
    int status = BIPE_OK;
    for (size_t i = 0; i < json_array_size(values) && status == BIPE_OK; i++) {
        const json_t *value = json_array_get(values, i), *index = json_array_get(value, 0), *tokens = json_array_get(value, 1), *mean = json_array_get(value, 2);
        if (!json_is_number(index) || json_number_value(index) < 0 || json_number_value(index) >= PLOT_INDEX_MOST || !json_is_number(tokens) || json_number_value(tokens) < 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%sby.values[%zu]: expected [index, tokens, loss] with an index below 4194304", item->where, i);
        double number = json_is_number(mean) ? json_number_value(tokens) : 0;
        status = bipe_series_add(series, (bipe_point){json_number_value(index), number * json_number_value(mean), number, NAN}, err);
    }
    return status;
}

/* Whether the row has losses by this index in windows of this length (0: any). */
static bool is_by(const plot_item *item, size_t kind, double length)
{
    return (item->view != NULL || strcmp(plot_text_of(item->row, "by.index"), plot_index_names[kind]) == 0) && (length == 0 || item->x == length);
}

static int add_losses(bipe_figure *figure, const plot_items *items, const plot_item *item, size_t kind, bipe_error *err)
{
    bipe_series *series, own = {0};
    int status = bipe_figure_series(figure, plot_item_name(items, item), &series, err);
    if (status == BIPE_OK && item->view == NULL)
        status = read_losses(item, &own, err);
    if (status == BIPE_OK)
        status = bipe_series_average(series, item->view != NULL ? &item->view->by[kind] : &own, POINTS_MOST, err);
    bipe_free(own.point);
    return status;
}

/* A figure for each index that rows have, of one length, since lines for each would hide one another: the given one, or the largest. */
static int make_loss_by(plot_figures *figures, const plot_items *items, uint64_t given, bipe_error *err)
{
    static const char *const labels[PLOT_INDEXES] = {"token in the window", "index of the segment", "token in its segment"};
    int status = BIPE_OK;
    for (size_t kind = 0; kind < PLOT_INDEXES && status == BIPE_OK; kind++) {
        char title[64], text[BIPE_SCALE_LABEL];
        double length = (double)given;
        bipe_figure *figure = NULL;
        for (size_t i = 0; i < items->count && given == 0; i++)
            length = is_by(&items->item[i], kind, 0) ? fmax(length, items->item[i].x) : length;
        snprintf(title, sizeof title, "loss by %s index, windows of %s", plot_index_names[kind], bipe_scale_length(length, text));
        for (size_t i = 0; i < items->count && status == BIPE_OK; i++) {
            if (!is_by(&items->item[i], kind, length))
                continue;
            if (figure == NULL && (status = plot_figures_add(figures, title, labels[kind], "loss (nats per token)", &figure, err)) != BIPE_OK)
                break;
            figure->bare = true;
            figure->x_kind = BIPE_SCALE_WHOLE;
            status = add_losses(figure, items, &items->item[i], kind, err);
        }
    }
    return status;
}

/* ---- all ---- */

static int make_kind(plot_figures *figures, plot_kind kind, plot_items *items, const plot_wish *wish, bipe_error *err)
{
    switch (kind) {
    case PLOT_LENGTHS: return make_values(figures, items, &losses[wish->unit], err);
    case PLOT_SEGMENTS: return make_segments(figures, items, false, err);
    case PLOT_DENSITY: return make_segments(figures, items, true, err);
    case PLOT_PROBE: return make_values(figures, items, &probe, err);
    case PLOT_LOSS_BY: return make_loss_by(figures, items, wish->length, err);
    case PLOT_SCORES: return make_values(figures, items, &scores, err);
    case PLOT_TASKS: return plot_tasks_make(figures, items, "value", "score (%)", wish->per, err);
    default: return items->names.count > 0 && json_is_string(json_object_get(items->item[0].row, "b"))
                        ? plot_tasks_make(figures, items, "difference", "difference to the first model (points)", wish->per, err)
                        : make_values(figures, items, wish->unit == PLOT_BITS ? &difference_bits : &difference_nats, err);
    }
}

/* All rows of the inputs that a kind is drawn from, with names; eval: of results of bipe-eval, or else of all others. */
static int find_items(plot_items *items, plot_kind kind, bool eval, const plot_input *input, size_t count, const plot_wish *wish, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        bool chosen = eval ? has_total(&input[i]) : kind == PLOT_DIFFERENCE;
        if ((plot_kinds(&input[i]) >> kind & 1) && (input[i].source == PLOT_EVAL) == eval)
            status = plot_items_add(items, &input[i], list_of(&input[i], kind, wish->per), chosen ? is_per : NULL, wish->per, kind == PLOT_SCORES, err);
    }
    plot_items_settle(items);
    return status == BIPE_OK && items->count > 0 ? plot_names_label(&items->names, &wish->labels, err) : status;
}

/* All points are there: what concerns axes, order and captions. */
static void finish_figure(plot_figures *figures, bipe_figure *figure, plot_kind kind, const plot_items *items, const plot_wish *wish)
{
    bool axes = !figure->bars && !figure->map, lengths = figure->x_kind == BIPE_SCALE_LENGTH;
    figures->log_x = figures->log_x || (wish->log_x && axes && !lengths && figure->x_kind != BIPE_SCALE_LOG);
    figures->log_y = figures->log_y || (wish->log_y && axes && figure->y_kind != BIPE_SCALE_LOG);
    figure->x_kind = wish->log_x && axes && !lengths ? BIPE_SCALE_LOG : figure->x_kind;
    figure->y_kind = wish->log_y && axes ? BIPE_SCALE_LOG : figure->y_kind;
    for (size_t s = 0; s < figure->count && !figure->map; s++)
        bipe_series_sort(&figure->series[s]);
    plot_caption(figure, kind, items);
}

/* Differences of bipe-eval and of bipe-score have figures of their own; all other kinds are of one of both. */
int plot_figures_make(plot_figures *figures, plot_kind kind, const plot_input *input, size_t count, const plot_wish *wish, bipe_error *err)
{
    size_t first = figures->count;
    int status = BIPE_OK;
    for (int eval = 0; eval < 2 && status == BIPE_OK; eval++) {
        plot_items items = {0};
        size_t from = figures->count;
        if (kind != PLOT_TRAINING)
            status = find_items(&items, kind, eval, input, count, wish, err);
        else if (!eval)
            status = plot_training_make(figures, input, count, wish, err);
        if (status == BIPE_OK && items.count > 0)
            status = make_kind(figures, kind, &items, wish, err);
        for (size_t f = from; f < figures->count && status == BIPE_OK; f++)
            finish_figure(figures, &figures->figure[f], kind, &items, wish);
        plot_items_close(&items);
    }
    for (size_t f = first; f < figures->count && status == BIPE_OK; f++) {
        bool named = wish->title != NULL && f == first;
        figures->figure[f].titled = named || figures->count - first > 1 || figures->figure[f].map;
        if (named)
            status = bipe_figure_name(&figures->figure[f], wish->title, err);
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
