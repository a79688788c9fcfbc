/* plot_figures.c - which rows become points of which figure. */
#include "tools/plot/bipe_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"

/* A kind of picture, which is a row of the table at the end. What it has no use for is 0. */
typedef struct plot_kind {
    const char *name;
    unsigned sources; /* of inputs that may hold it: bits 1 << PLOT_STATS and so on */
    const char *list; /* of a result that it is drawn from; NULL: totals, or rows of files or groups */
    bool (*holds)(const plot_input *input, const json_t *rows, size_t row); /* whether a row has anything; NULL: each */
    bool per, steps;  /* only rows of wish->per are drawn; models are checkpoints (plot_items_add()) */
    bool files;       /* only rows of files are */
    bool divergence;  /* only rows with divergences are */
    int (*make)(const struct plot_kind *kind, plot_figures *figures, plot_items *items, const plot_wish *wish,
                bipe_error *err);
    const struct plot_measure *measure[3];
    const char *title, *label;
    plot_intervals intervals;
    int (*make_curves)(plot_figures *figures, const plot_input *input, size_t count, const plot_wish *wish,
                       bipe_error *err);
} plot_kind;

/* Beyond it points of a line are averaged; below SINGLE, numbers of tokens have a bin each. */
enum { POINTS_MOST = 64, SINGLE = 16 };

int plot_figures_add(plot_figures *figures, const char *title, const char *x_label, const char *y_label,
                     bipe_figure **figure, bipe_error *err)
{
    bipe_tool_grow(&figures->figure, &figures->capacity, figures->count + 1, sizeof *figures->figure);
    *figure = &figures->figure[figures->count++];
    **figure = (bipe_figure){.x_label = x_label, .y_label = y_label};
    return bipe_figure_name(*figure, title, err);
}

/* ---- values by length ---- */

/* A value of each row and its interval; of a map, the place and value of a cell. */
typedef struct plot_measure {
    const char *title, *label, *path[3];
    const char *x_label; /* NULL: of the length of windows, or steps */
    bool zero, log, map, exponential, per_byte, by_step; /* log: so that growth in proportion is a straight line;
                                                            per_byte: nats per token become bits per byte; by_step: in
                                                            percent */
} plot_measure;

/* Differences are 0 for what others are compared with, once at each length. */
static int add_value(bipe_figure *figure, const plot_items *items, const plot_item *item, const plot_measure *m,
                     bipe_error *err)
{
    double value[3] = {item->reference ? 0 : (double)NAN, NAN, NAN}, scale = m->by_step ? 100 : 1;
    bipe_series *series;
    int status = bipe_figure_series(figure, plot_item_name(items, item), &series, err);
    if (m->per_byte)
        scale = plot_number(item->row, item->where, "tokens", &status, err) /
                plot_number(item->row, item->where, "bytes", &status, err) / log(2);
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
static int make_measure(plot_figures *figures, const plot_items *items, const plot_measure *m, bipe_error *err)
{
    int status = BIPE_OK;
    size_t first = figures->count;
    for (size_t i = 0; i < items->count && status == BIPE_OK; i++) {
        char title[PLOT_NAME_SIZE + 64];
        const char *name = m->map ? plot_item_name(items, &items->item[i]) : "";
        bipe_figure *figure = find_figure(figures, first, m->map ? name : NULL);
        snprintf(title, sizeof title, "%s%s%s", m->title, m->map ? ", " : "", name);
        const char *x_label = m->by_step ? "step" : m->x_label != NULL ? m->x_label : "window length (tokens)";
        if (figure == NULL &&
            (status = plot_figures_add(figures, title, x_label, m->label, &figure, err)) != BIPE_OK)
            break;
        figure->x_kind = m->by_step ? BIPE_SCALE_WHOLE : BIPE_SCALE_LENGTH;
        figure->y_kind = m->log ? BIPE_SCALE_LOG : BIPE_SCALE_LINEAR;
        figure->zero = m->zero;
        figure->map = m->map;
        status = add_value(figure, items, &items->item[i], m, err);
    }
    return status;
}

static int make_values(const plot_kind *kind, plot_figures *figures, plot_items *items, const plot_wish *wish,
                       bipe_error *err)
{
    return make_measure(figures, items, kind->measure[wish->unit], err);
}

/* Whether a row is one of all texts, of a file or of a group, as asked for. */
static bool is_per(const json_t *row, int per)
{
    bool file = json_is_string(json_object_get(row, "file")), group = json_is_string(json_object_get(row, "group"));
    return !json_is_true(json_object_get(row, "macro")) && per == (group  ? PLOT_PER_GROUP
                                                                   : file ? PLOT_PER_FILE
                                                                          : PLOT_PER_TOTAL);
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

/* ---- Figure 1 of the paper for any text: how many tokens segments have, whatever the window, and how their number
 * grows with it ---- */

/* Bins widen in proportion, so that each holds about as many values as its neighbours on a logarithmic axis. */
static double bin_width(double tokens)
{
    return tokens < SINGLE ? 1 : SINGLE / 4 * exp2(floor(log2(tokens / SINGLE)));
}

/* Adds segments of so many tokens to the last bin, or a new one after those that are empty. y is a density: bins of any
 * width can be compared. */
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
        const json_t *tokens = plot_member(json_array_get(list, i), "0"),
                     *count = plot_member(json_array_get(list, i), "1");
        if (!json_is_number(tokens) || !json_is_number(count))
            return bipe_fail(err, BIPE_ERR_FORMAT, "%stokens_per_segment.histogram[%zu]: expected [tokens, segments]",
                             item->where, i);
        total += json_number_value(count);
        status = density ? add_to_bin(series, json_number_value(tokens), json_number_value(count), err)
                         : bipe_series_add(series, (bipe_point){json_number_value(tokens), total, NAN, NAN}, err);
    }
    for (size_t i = 0; i < series->count; i++)
        series->point[i].y *= 100 / total;
    return status;
}

/* With one segmenter a line for each length, with several a line for each at its largest length, which is that of whole
 * documents. Of the items those with lengths are left. */
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

/* A distribution, below which are the measures of the kind; without any, it is a density. */
static int make_segments(const plot_kind *kind, plot_figures *figures, plot_items *items, const plot_wish *wish,
                         bipe_error *err)
{
    bipe_figure *figure;
    (void)wish;
    int status = plot_figures_add(figures, kind->title, "tokens in a segment", kind->label, &figure, err);
    if (status == BIPE_OK)
        status = make_distribution(figure, items, kind->measure[0] == NULL, err);
    for (size_t i = 0; i < 3 && kind->measure[i] != NULL && items->count > 0 && status == BIPE_OK; i++)
        status = make_measure(figures, items, kind->measure[i], err);
    return status;
}

/* ---- losses by index ---- */

/* The losses of a row: [[index, tokens, mean], ...]. */
static int read_losses(const plot_item *item, bool divergence, bipe_series *series, bipe_error *err)
{
    const json_t *values = plot_member(item->row, "by.values");
    int status = BIPE_OK;
    for (size_t i = 0; i < json_array_size(values) && status == BIPE_OK; i++) {
        const json_t *value = json_array_get(values, i), *index = json_array_get(value, 0),
                     *tokens = json_array_get(value, 1), *mean = json_array_get(value, divergence ? 3 : 2);
        if (!json_is_number(index) || json_number_value(index) < 0 || json_number_value(index) >= PLOT_INDEX_MOST ||
            !json_is_number(tokens) || json_number_value(tokens) < 0)
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "%sby.values[%zu]: expected [index, tokens, loss] with an index below 4194304",
                             item->where, i);
        double number = json_is_number(mean) ? json_number_value(tokens) : 0;
        status = bipe_series_add(series,
                                 (bipe_point){json_number_value(index), number * json_number_value(mean), number, NAN},
                                 err);
    }
    return status;
}

/* Whether the row has losses by this index in windows of this length (0: any). */
static bool is_by(const plot_item *item, size_t kind, double length)
{
    return (item->view != NULL || strcmp(plot_text_of(item->row, "by.index"), plot_index_names[kind]) == 0) &&
           (length == 0 || item->x == length);
}

static int add_losses(bipe_figure *figure, const plot_items *items, const plot_item *item, size_t kind, bool divergence,
                      bipe_error *err)
{
    bipe_series *series, own = {0};
    int status = bipe_figure_series(figure, plot_item_name(items, item), &series, err);
    if (status == BIPE_OK && item->view == NULL)
        status = read_losses(item, divergence, &own, err);
    if (status == BIPE_OK)
        status = bipe_series_average(series, item->view != NULL ? &item->view->by[kind] : &own, POINTS_MOST, err);
    bipe_free(own.point);
    return status;
}

/* A figure for each index that rows have, of one length, since lines for each would hide one another: the given one, or
 * the largest. */
static int make_loss_by(const plot_kind *made, plot_figures *figures, plot_items *items, const plot_wish *wish,
                        bipe_error *err)
{
    const uint64_t given = wish->length;
    static const char *const labels[PLOT_INDEXES] = {"token in the window", "index of the segment",
                                                     "token in its segment"};
    int status = BIPE_OK;
    for (size_t kind = 0; kind < PLOT_INDEXES && status == BIPE_OK; kind++) {
        char title[64], text[BIPE_SCALE_LABEL];
        double length = (double)given;
        bipe_figure *figure = NULL;
        for (size_t i = 0; i < items->count && given == 0; i++)
            length = is_by(&items->item[i], kind, 0) ? fmax(length, items->item[i].x) : length;
        snprintf(title, sizeof title, "%s by %s index, windows of %s", made->title, plot_index_names[kind],
                 bipe_scale_length(length, text));
        for (size_t i = 0; i < items->count && status == BIPE_OK; i++) {
            if (!is_by(&items->item[i], kind, length))
                continue;
            if (figure == NULL &&
                (status = plot_figures_add(figures, title, labels[kind], made->label, &figure, err)) != BIPE_OK)
                break;
            figure->bare = true;
            figure->x_kind = BIPE_SCALE_WHOLE;
            status = add_losses(figure, items, &items->item[i], kind, made->divergence, err);
        }
    }
    return status;
}

static bool has_losses_by(const plot_input *input, const json_t *rows, size_t row)
{
    (void)input;
    return json_is_object(json_object_get(json_array_get(rows, row), "by"));
}

static bool is_diverging(const json_t *row, int per)
{
    (void)per;
    return json_is_object(json_object_get(row, "divergence"));
}

static bool has_divergence(const plot_input *input, const json_t *rows, size_t row)
{
    (void)input;
    return is_diverging(json_array_get(rows, row), 0);
}

static bool has_key_tokens(const plot_input *input, const json_t *rows, size_t row)
{
    (void)input;
    return json_is_object(json_object_get(json_array_get(rows, row), "key"));
}

static bool has_divergences_by(const plot_input *input, const json_t *rows, size_t row)
{
    return has_divergence(input, rows, row) && has_losses_by(input, rows, row);
}

/* ---- scores and differences of bipe-eval ---- */

static bool is_checkpoint(const plot_input *input, const json_t *rows, size_t row)
{
    (void)rows;
    return input->run[row] != NULL;
}

/* Scores by task are bars, and so are differences between them. */
static int make_bars(const plot_kind *kind, plot_figures *figures, plot_items *items, const plot_wish *wish,
                     bipe_error *err)
{
    bool differences = kind->measure[0] != NULL;
    if (differences && !(items->names.count > 0 && json_is_string(json_object_get(items->item[0].row, "b"))))
        return make_values(kind, figures, items, wish, err);
    return plot_tasks_make(figures, items, differences ? "difference" : "value", kind->label, wish->per, err);
}

static bool has_place(const plot_input *input, const json_t *rows, size_t row)
{
    char task[PLOT_NAME_SIZE];
    double length;
    (void)input;
    return plot_place_of(plot_text_of(json_array_get(rows, row), "file"), &length, task);
}

static int make_heat(const plot_kind *kind, plot_figures *figures, plot_items *items, const plot_wish *wish,
                     bipe_error *err)
{
    (void)kind;
    (void)wish;
    return plot_heat_make(figures, items, err);
}

/* ---- the kinds ---- */

#define INTERVAL "interval.0", "interval.1"
#define BY_LENGTH " by window length"
static const plot_measure perplexity = {"perplexity" BY_LENGTH, "perplexity", {"nll", INTERVAL}, .exponential = true};
static const plot_measure nats = {"loss" BY_LENGTH, "loss (nats per token)", {"nll", INTERVAL}, .zero = false};
static const plot_measure bits = {"bits per byte" BY_LENGTH, "bits per byte", {"nll", INTERVAL}, .per_byte = true};
static const plot_measure difference_nats = {
    "difference" BY_LENGTH, "difference (nats per token)", {"nll_difference", INTERVAL}, .zero = true};
static const plot_measure difference_bits = {
    "difference" BY_LENGTH, "difference (bits per byte)",
    {"bits_per_byte_difference", "bits_per_byte_interval.0", "bits_per_byte_interval.1"}, .zero = true};
static const plot_measure divergence = {
    "divergence" BY_LENGTH, "KL divergence (nats per token)",
    {"divergence.mean", "divergence.interval.0", "divergence.interval.1"}, .zero = true};
static const plot_measure longppl = {"perplexity over key tokens" BY_LENGTH, "LongPPL",
                                     {"key.nll", "key.interval.0", "key.interval.1"}, .exponential = true};
static const plot_measure key_nats = {"loss of key tokens" BY_LENGTH, "loss (nats per token)",
                                      {"key.nll", "key.interval.0", "key.interval.1"}, .zero = false};
static const plot_measure segment_tokens = {
    "mean tokens per segment", "tokens", {"tokens_per_segment.mean"}, .zero = true};
static const plot_measure window_segments = {
    "segments per window", "segments",
    {"segments_per_window.mean", "segments_per_window.p5", "segments_per_window.p95"}, .log = true};
static const plot_measure scores = {
    "scores by training step", "score (%)", {"value", INTERVAL}, .zero = true, .by_step = true};
static const plot_measure gain = {"gain by context", "gain (nats per token)", {"gain", INTERVAL},
                                  .x_label = "context (tokens)", .zero = true};
static const plot_measure ladder_loss = {"loss by context", "loss (nats per token)",
                                         {"nll", "nll_interval.0", "nll_interval.1"}, .x_label = "context (tokens)"};
static const plot_measure probe = {"accuracy in %", "depth of the key", {"depth", "accuracy"}, .map = true};

enum {
    STATS = 1 << PLOT_STATS,
    SCORE = 1 << PLOT_SCORE,
    EVAL = 1 << PLOT_EVAL,
    LOG = 1 << PLOT_LOG,
    TOKENS = 1 << PLOT_TOKENS
};

static const plot_kind kinds[] = {
    {"lengths", SCORE, .make = make_values, .measure = {&perplexity, &nats, &bits}, .intervals = PLOT_CONFIDENCE},
    {"segments", STATS, .make = make_segments, .title = "distribution of tokens per segment",
     .label = "share of segments with at most x tokens (%)", .measure = {&segment_tokens, &window_segments},
     .intervals = PLOT_PERCENTILES},
    {"density", STATS, .make = make_segments, .title = "density of tokens per segment",
     .label = "share of segments (% per token)"},
    {"training", LOG, .make_curves = plot_training_make},
    {"probe", SCORE, .list = "probe", .make = make_values, .measure = {&probe, &probe, &probe}},
    {"ladder", SCORE, .list = "ladder", .make = make_values, .measure = {&gain, &gain, &gain},
     .intervals = PLOT_CONFIDENCE},
    {"ladder-loss", SCORE, .list = "ladder", .make = make_values,
     .measure = {&ladder_loss, &ladder_loss, &ladder_loss}, .intervals = PLOT_CONFIDENCE},
    {"key-tokens", SCORE, .holds = has_key_tokens, .make = make_values, .measure = {&longppl, &key_nats, &key_nats},
     .intervals = PLOT_CONFIDENCE},
    {"loss-by", SCORE | TOKENS, .holds = has_losses_by, .make = make_loss_by, .title = "loss",
     .label = "loss (nats per token)"},
    {"scores", EVAL, .holds = is_checkpoint, .steps = true, .make = make_values,
     .measure = {&scores, &scores, &scores}, .intervals = PLOT_CONFIDENCE},
    {"tasks", EVAL, .make = make_bars, .label = "score (%)", .intervals = PLOT_CONFIDENCE},
    {"heat", EVAL, .holds = has_place, .files = true, .make = make_heat},
    {"difference", SCORE | EVAL, .list = "comparisons", .per = true, .make = make_bars,
     .label = "difference to the first model (points)",
     .measure = {&difference_nats, &difference_nats, &difference_bits}, .intervals = PLOT_CONFIDENCE},
    {"divergence", SCORE, .holds = has_divergence, .divergence = true, .make = make_values,
     .measure = {&divergence, &divergence, &divergence}, .intervals = PLOT_CONFIDENCE},
    {"divergence-by", SCORE, .holds = has_divergences_by, .divergence = true, .make = make_loss_by,
     .title = "divergence", .label = "KL divergence (nats per token)"},
    {"text", TOKENS, .list = NULL},
};
const int plot_kind_text = sizeof kinds / sizeof kinds[0] - 1;

const char *plot_kind_name(int kind)
{
    return kind <= plot_kind_text ? kinds[kind].name : NULL;
}

bool plot_kind_has_units(int kind)
{
    return kinds[kind].measure[0] != kinds[kind].measure[2];
}

/* ---- all ---- */

/* The list of a result that a kind is drawn from. Results of all texts are the totals, or else the rows of files. */
static const char *list_of(const plot_input *input, const plot_kind *kind, int per)
{
    bool total = json_array_size(json_object_get(input->root, "total")) > 0;
    if (kind->list != NULL || input->source != PLOT_SCORE)
        return kind->list != NULL ? kind->list : "results";
    return per == PLOT_PER_GROUP ? "groups" : per == PLOT_PER_TOTAL && total ? "total" : "results";
}

unsigned plot_kinds(const plot_input *input)
{
    unsigned held = 0;
    for (int k = 0; k <= plot_kind_text; k++) {
        const plot_kind *kind = &kinds[k];
        const json_t *rows = json_object_get(input->root, list_of(input, kind, PLOT_PER_TOTAL));
        size_t row = 0;
        if (!(kind->sources >> input->source & 1))
            continue;
        while (row < json_array_size(rows) && kind->holds != NULL && !kind->holds(input, rows, row))
            row++;
        held |= input->root == NULL || row < json_array_size(rows) ? 1U << k : 0;
    }
    return held;
}

/* All rows of the inputs that a kind is drawn from, with names; eval: of results of bipe-eval, or else of all
 * others. */
static int find_items(plot_items *items, int number, bool eval, const plot_input *input, size_t count,
                      const plot_wish *wish, bipe_error *err)
{
    const plot_kind *kind = &kinds[number];
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        bool chosen = kind->files || (eval ? has_total(&input[i]) : kind->per);
        if ((plot_kinds(&input[i]) >> number & 1) && (input[i].source == PLOT_EVAL) == eval)
            status = plot_items_add(items, &input[i], list_of(&input[i], kind, wish->per),
                                    kind->divergence ? is_diverging : chosen ? is_per : NULL,
                                    kind->files ? PLOT_PER_FILE : wish->per, kind->steps, err);
    }
    plot_items_settle(items);
    return status == BIPE_OK && items->count > 0 ? plot_names_label(&items->names, &wish->labels, err) : status;
}

/* All points are there: what concerns axes, order and captions. */
static void finish_figure(plot_figures *figures, bipe_figure *figure, const plot_kind *kind, const plot_items *items,
                          const plot_wish *wish)
{
    bool axes = !figure->bars && !figure->map, lengths = figure->x_kind == BIPE_SCALE_LENGTH;
    figures->log_x = figures->log_x || (wish->log_x && axes && !lengths && figure->x_kind != BIPE_SCALE_LOG);
    figures->log_y = figures->log_y || (wish->log_y && axes && figure->y_kind != BIPE_SCALE_LOG);
    figure->x_kind = wish->log_x && axes && !lengths ? BIPE_SCALE_LOG : figure->x_kind;
    figure->y_kind = wish->log_y && axes ? BIPE_SCALE_LOG : figure->y_kind;
    for (size_t s = 0; s < figure->count && !figure->map; s++)
        bipe_series_sort(&figure->series[s]);
    plot_caption(figure, kind->intervals, items);
}

/* Differences of bipe-eval and of bipe-score have figures of their own; all other kinds are of one of both. */
int plot_figures_make(plot_figures *figures, int number, const plot_input *input, size_t count, const plot_wish *wish,
                      bipe_error *err)
{
    const plot_kind *kind = &kinds[number];
    size_t first = figures->count;
    int status = BIPE_OK;
    for (int eval = 0; eval < 2 && status == BIPE_OK; eval++) {
        plot_items items = {0};
        size_t from = figures->count;
        if (kind->make != NULL)
            status = find_items(&items, number, eval, input, count, wish, err);
        else if (!eval)
            status = kind->make_curves(figures, input, count, wish, err);
        if (status == BIPE_OK && items.count > 0)
            status = kind->make(kind, figures, &items, wish, err);
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
