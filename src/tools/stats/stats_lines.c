/* stats_lines.c - lines of a report: their values, and the columns that JSON and CSV have of them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "tools/stats/bipe_stats.h"

enum { SHORT = 50 }; /* tokens */

/* ---- values ---- */

void stats_fill_spread(stats_spread *s, const bipe_distribution *d)
{
    static const unsigned percent[] = {0, 5, 50, 90, 95, 99, 100};
    uint64_t *const quantile[] = {&s->min, &s->p5, &s->p50, &s->p90, &s->p95, &s->p99, &s->max};
    s->mean = bipe_distribution_mean(d);
    s->sd = bipe_distribution_sd(d);
    s->below = d->total != 0 ? (double)bipe_distribution_below(d, SHORT) / (double)d->total : (double)NAN;
    for (size_t i = 0; i < BIPE_COUNT_OF(quantile); i++)
        *quantile[i] = d->total != 0 ? bipe_distribution_quantile(d, percent[i]) : BIPE_NO_UINT;
}

const char *stats_format_length(char text[STATS_LENGTH_SIZE], uint64_t length)
{
    if (length == BIPE_TALLY_DOCUMENT)
        snprintf(text, STATS_LENGTH_SIZE, "whole");
    else if (length % (1 << 20) == 0)
        snprintf(text, STATS_LENGTH_SIZE, "%" PRIu64 "m", length >> 20);
    else if (length % (1 << 10) == 0)
        snprintf(text, STATS_LENGTH_SIZE, "%" PRIu64 "k", length >> 10);
    else
        snprintf(text, STATS_LENGTH_SIZE, "%" PRIu64, length);
    return text;
}

/* What there is of all lines, by what was counted. */
static int fill_line(stats_line *line, const stats_report *report, const bipe_tally_row *row, bipe_error *err)
{
    static const bipe_estimate none = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};
    const stats_part *part = line->part;
    int status = bipe_distribution_open(&line->tokens, &row->tokens, err);
    if (status == BIPE_OK)
        status = bipe_distribution_open(&line->segments, &row->segments, err);
    if (status == BIPE_OK)
        status = bipe_distribution_open(&line->finer, &row->finer, err);
    if (status != BIPE_OK)
        return status;
    line->path = part->name;
    line->name = part->name != NULL ? part->name + report->folder : NULL;
    line->group = part->units != NULL ? part->name : NULL;
    line->length = row->length;
    line->whole = row->length == BIPE_TALLY_DOCUMENT ? "document" : NULL;
    line->window = stats_format_length(line->window_text, row->length);
    line->documents = part->documents;
    line->windows = line->segments.total;
    line->segments_all = line->tokens.total;
    line->tokens_all = line->tokens.sum < UINT64_MAX ? (uint64_t)line->tokens.sum : UINT64_MAX - 1;
    stats_fill_spread(&line->of_tokens, &line->tokens);
    stats_fill_spread(&line->of_segments, &line->segments);
    stats_fill_spread(&line->of_finer, &line->finer);
    line->ks = bipe_distance_ks(&line->tokens, &line->first->tokens);
    line->js = bipe_distance_js(&line->tokens, &line->first->tokens);
    line->wasserstein = bipe_distance_wasserstein(&line->tokens, &line->first->tokens);
    line->mean = none;
    line->contrast =
        (stats_contrast){.ks = (double)NAN, .js = (double)NAN, .wasserstein = (double)NAN, .difference = none};
    line->measures = stats_measures(&report->result->choice);
    line->expected = line->found = line->right = BIPE_NO_UINT;
    line->f1_difference = none;
    for (size_t id = 0; id < STATS_MEASURES_MOST; id++)
        line->measure[id] = none;
    return BIPE_OK;
}

static int estimate(bipe_estimate *e, const stats_result *result, const bipe_unit_bins *bins, bipe_error *err)
{
    bipe_unit *unit = bipe_unit_bins_units(bins);
    int status = unit != NULL ? bipe_estimate_mean(e, unit, bins->count, 0, err) : bipe_fail_memory(err);
    bipe_free(unit);
    stats_settle_estimate(e, result);
    return status;
}

static void count_boundaries(stats_line *line)
{
    const bipe_unit_bins *precision = &line->units[BIPE_AGREEMENT_PRECISION],
                         *recall = &line->units[BIPE_AGREEMENT_RECALL];
    line->expected = line->found = line->right = 0;
    for (size_t i = 0; i < precision->count; i++) {
        line->found += precision->bin[i].weight;
        line->right += precision->bin[i].sum;
    }
    for (size_t i = 0; i < recall->count; i++)
        line->expected += recall->bin[i].weight;
}

/* What only whole documents have: intervals over them, and values of their words. */
static int fill_documents(stats_line *line, const stats_report *report, size_t segmenter, bipe_error *err)
{
    const stats_part *part = line->part;
    int status = part->units != NULL ? estimate(&line->mean, report->result, &part->units[segmenter], err) : BIPE_OK;
    if (part->measure != NULL)
        line->units = part->measure + segmenter * line->measures;
    for (size_t id = 0; line->units != NULL && id < line->measures && status == BIPE_OK; id++) {
        status = estimate(&line->measure[id], report->result, &line->units[id], err);
        if (report->result->choice.lexical)
            bipe_lexical_estimate((bipe_lexical_id)id, &line->measure[id]);
    }
    if (line->units != NULL && report->result->choice.gold)
        count_boundaries(line);
    return status;
}

/* The line that is farthest from the first; NULL: there is none. */
static const stats_line *farthest_line(const stats_line *first, const stats_line *end)
{
    const stats_line *worst = NULL;
    for (const stats_line *line = first + 1; line < end; line++)
        if (isfinite(line->ks) && (worst == NULL || line->ks > worst->ks))
            worst = line;
    return worst;
}

/* What all lines of a part and segmenter have in common. */
static void fill_common(stats_line *first, const stats_line *end, bipe_fit growth)
{
    const stats_line *worst = farthest_line(first, end);
    uint64_t windows = worst == NULL ? 0 : worst->whole != NULL ? first->windows : worst->windows;
    for (stats_line *line = first; line < end; line++) {
        line->growth = growth;
        line->growth_1k = growth.slope * 1024;
        line->farthest = worst;
        line->farthest_windows = windows;
        line->drift = windows >= STATS_FEW_WINDOWS ? worst->ks : (double)NAN;
    }
}

int stats_lines_make(stats_report *report, const stats_part *part, size_t segmenter, bipe_error *err)
{
    const bipe_tally *tally = &part->tally[segmenter];
    stats_line *first = &report->line[report->lines], *end = first + tally->count;
    bipe_fit_group *group = bipe_alloc(tally->count, sizeof *group);
    int status = group != NULL ? BIPE_OK : bipe_fail_memory(err);
    size_t lengths = 0;
    for (stats_line *line = first; line < end && status == BIPE_OK; line++) {
        *line = (stats_line){.part = part, .segmenter = report->result->segmenter[segmenter], .first = first};
        report->lines++;
        status = fill_line(line, report, &tally->row[line - first], err);
        if (line->whole == NULL)
            group[lengths++] = (bipe_fit_group){.x = line->length, .y = &line->segments};
        else if (status == BIPE_OK)
            status = fill_documents(line, report, segmenter, err);
        if (line->whole != NULL || !stats_compares(report->result))
            report->shown[report->shown_count++] = line;
    }
    if (status == BIPE_OK)
        fill_common(first, end, bipe_fit_line(group, lengths));
    bipe_free(group);
    return status;
}

/* ---- columns of JSON and CSV ---- */

#define LINE(type, field, ...) BIPE_COLUMN(stats_line, type, field, __VA_ARGS__)
#define BOTH(type, field, key) LINE(type, field, .member = key, .name = key)
#define KEYS(object, key) .member = object "." key, .name = object "_" key
#define TOKENS(type, field, key) LINE(type, of_tokens.field, KEYS(STATS_OF_TOKENS, key))
#define SEGMENTS(type, field, key) LINE(type, of_segments.field, KEYS(STATS_OF_SEGMENTS, key))
#define FINER(type, field, key) LINE(type, of_finer.field, KEYS(STATS_OF_FINER, key))
#define WORDS(field, id, key) LINE(NUMBER, measure[BIPE_LEXICAL_##id].field, KEYS(STATS_OF_WORDS, key))
#define GOLD(field, id, key) LINE(NUMBER, measure[BIPE_AGREEMENT_##id].field, KEYS(STATS_OF_GOLD, key))
#define AGREEMENT(id, key) GOLD(value, id, key), GOLD(low, id, key "_low"), GOLD(high, id, key "_high")
#define LEXICAL(id, key) WORDS(value, id, key), WORDS(low, id, key "_low"), WORDS(high, id, key "_high")

static void put_histogram(bipe_json *json, const bipe_distribution *d)
{
    bipe_json_begin_flat_array(json);
    for (size_t i = 0; i < d->size; i++)
        bipe_json_uints(json, (const uint64_t[]){d->counts[i].value, d->counts[i].count}, 2);
    bipe_json_end_array(json);
}

static void put_tokens(bipe_json *json, const void *line)
{
    put_histogram(json, &((const stats_line *)line)->tokens);
}

static void put_segments(bipe_json *json, const void *line)
{
    put_histogram(json, &((const stats_line *)line)->segments);
}

static void put_finer(bipe_json *json, const void *line)
{
    put_histogram(json, &((const stats_line *)line)->finer);
}

void stats_units_json(bipe_json *json, const bipe_unit_bins *units, size_t count)
{
    bipe_json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        bipe_json_begin_flat_array(json);
        bipe_json_uint(json, units[i].dropped);
        for (size_t k = 0; k < units[i].count; k++) {
            const bipe_unit_bin *bin = &units[i].bin[k];
            bipe_json_uints(json, (const uint64_t[]){bin->key, bin->sum, bin->weight}, 3);
        }
        bipe_json_end_array(json);
    }
    bipe_json_end_array(json);
}

static void put_measure_units(bipe_json *json, const void *line)
{
    const stats_line *l = line;
    stats_units_json(json, l->units, l->measures);
}

static bool has_mean(const void *line)
{
    return ((const stats_line *)line)->mean.units != 0;
}

/* --merge ignores files. */
static bool is_merged(const void *line)
{
    const stats_part *part = ((const stats_line *)line)->part;
    return part->name == NULL || part->units != NULL;
}

static const bipe_column path_column[] = {LINE(TEXT, path, .name = "file", .absent = "total")};
static const bipe_column group_column[] = {LINE(TEXT, path, .name = "group", .absent = "total")};
static const bipe_column subject[] = {
    BOTH(TEXT, segmenter, "segmenter"),
    LINE(TEXT, group, .member = "group", .optional = true),
};
static const bipe_column length[] = {
    LINE(UINT, length, .member = "length", .name = "length", .absent = "document", .optional = true),
    LINE(TEXT, whole, .member = "length", .optional = true),
};
static const bipe_column row[] = {
    BOTH(UINT, windows, "windows"), BOTH(UINT, segments_all, "segments"), BOTH(UINT, tokens_all, "tokens"),
    TOKENS(NUMBER, mean, "mean"), TOKENS(NUMBER, sd, "sd"), TOKENS(UINT, min, "min"), TOKENS(UINT, p50, "p50"),
    TOKENS(UINT, p90, "p90"), TOKENS(UINT, p95, "p95"), TOKENS(UINT, p99, "p99"), TOKENS(UINT, max, "max"),
    TOKENS(NUMBER, below, "below_50"),
    LINE(NUMBER, mean.error, .member = STATS_OF_TOKENS ".mean_stderr", .when = has_mean),
    LINE(PAIR, mean.low, .member = STATS_OF_TOKENS ".mean_interval", .when = has_mean),
    LINE(LIST, tokens, .member = STATS_OF_TOKENS ".histogram", .put = put_tokens), SEGMENTS(NUMBER, mean, "mean"),
    SEGMENTS(NUMBER, sd, "sd"), SEGMENTS(UINT, min, "min"), SEGMENTS(UINT, p5, "p5"), SEGMENTS(UINT, p50, "p50"),
    SEGMENTS(UINT, p95, "p95"), SEGMENTS(UINT, max, "max"),
    LINE(LIST, segments, .member = STATS_OF_SEGMENTS ".histogram", .put = put_segments),
};
static const bipe_column finer[] = {
    FINER(NUMBER, mean, "mean"), FINER(NUMBER, sd, "sd"), FINER(UINT, min, "min"), FINER(UINT, p50, "p50"),
    FINER(UINT, p90, "p90"), FINER(UINT, p95, "p95"), FINER(UINT, p99, "p99"), FINER(UINT, max, "max"),
    LINE(LIST, finer, .member = STATS_OF_FINER ".histogram", .put = put_finer),
};
static const bipe_column distances[] = {
    BOTH(NUMBER, ks, "ks"), BOTH(NUMBER, js, "js"), BOTH(NUMBER, wasserstein, "wasserstein"),
};
static const bipe_column growth[] = {
    BOTH(NUMBER, growth.slope, "slope"), BOTH(NUMBER, growth.intercept, "intercept"), BOTH(NUMBER, growth.r2, "r2"),
};
static const bipe_column groups[] = {
    LINE(PAIR, mean.low, .name = "mean_low,mean_high"), LINE(NUMBER, contrast.ks, .name = "first_ks"),
    LINE(NUMBER, contrast.js, .name = "first_js"), LINE(NUMBER, contrast.wasserstein, .name = "first_wasserstein"),
    LINE(NUMBER, contrast.difference.p, .name = "first_p"),
};
static const bipe_column lexical[] = {
    LEXICAL(WORDS, "words"), LEXICAL(TYPES, "types"), LEXICAL(HAPAXES, "hapaxes"), LEXICAL(TTR, "ttr"),
    LEXICAL(MTLD, "mtld"), LEXICAL(HDD, "hdd"), LEXICAL(ARI, "ari"), LEXICAL(COLEMAN_LIAU, "coleman_liau"),
    LEXICAL(LIX, "lix"), LEXICAL(RIX, "rix"), LEXICAL(SENTENCE_MEAN, "sentence_mean"),
    LEXICAL(SENTENCE_MEDIAN, "sentence_median"), LEXICAL(SENTENCE_SD, "sentence_sd"),
    LINE(LIST, units, .member = STATS_OF_WORDS ".units", .put = put_measure_units, .when = is_merged),
};
static const bipe_column gold[] = {
    LINE(UINT, expected, KEYS(STATS_OF_GOLD, "expected")), LINE(UINT, found, KEYS(STATS_OF_GOLD, "found")),
    LINE(UINT, right, KEYS(STATS_OF_GOLD, "right")), AGREEMENT(PRECISION, "precision"), AGREEMENT(RECALL, "recall"),
    AGREEMENT(F1, "f1"), AGREEMENT(INNER_PRECISION, "inner_precision"), AGREEMENT(INNER_RECALL, "inner_recall"),
    AGREEMENT(INNER_F1, "inner_f1"), AGREEMENT(PK, "pk"), AGREEMENT(WINDOWDIFF, "windowdiff"),
    AGREEMENT(EXACT, "exact"), LINE(NUMBER, f1_difference.value, .name = "gold_f1_difference"),
    LINE(PAIR, f1_difference.low, .name = "gold_f1_difference_low,gold_f1_difference_high"),
    LINE(NUMBER, f1_difference.p, .name = "gold_f1_difference_p"),
    LINE(LIST, units, .member = STATS_OF_GOLD ".units", .put = put_measure_units, .when = is_merged),
};

#define PUT_JSON(json, table, line) bipe_columns_json(json, table, BIPE_COUNT_OF(table), line)

void stats_line_json(bipe_json *json, const stats_line *line, stats_list list)
{
    bipe_json_begin_object(json);
    PUT_JSON(json, subject, line);
    if (list == STATS_GROWTH) {
        PUT_JSON(json, growth, line);
    } else {
        PUT_JSON(json, length, line);
        if (list == STATS_INVARIANCE)
            PUT_JSON(json, distances, line);
        else
            PUT_JSON(json, row, line);
    }
    if (list == STATS_RESULTS && line->finer.total != 0)
        PUT_JSON(json, finer, line);
    if (list == STATS_RESULTS && line->units != NULL && line->expected == BIPE_NO_UINT)
        PUT_JSON(json, lexical, line);
    else if (list == STATS_RESULTS && line->units != NULL)
        PUT_JSON(json, gold, line);
    bipe_json_end_object(json);
}

enum {
    CSV_COLUMNS = 2 + BIPE_COUNT_OF(subject) + BIPE_COUNT_OF(length) + BIPE_COUNT_OF(row) + BIPE_COUNT_OF(finer) +
                  BIPE_COUNT_OF(distances) + BIPE_COUNT_OF(groups) + BIPE_COUNT_OF(lexical) + BIPE_COUNT_OF(gold)
};

/* The columns of CSV that a result has; of histograms without their own. */
static size_t csv_columns(bipe_column to[CSV_COLUMNS], const stats_result *r, bool histogram)
{
    const struct {
        bool there;
        const bipe_column *column;
        size_t count;
    } table[] = {
        {r->group_by != NULL, group_column, 1},
        {r->per_file, path_column, 1},
        {true, subject, BIPE_COUNT_OF(subject)},
        {true, length, BIPE_COUNT_OF(length)},
        {!histogram, row, BIPE_COUNT_OF(row)},
        {!histogram && stats_has_finer(r), finer, BIPE_COUNT_OF(finer)},
        {!histogram, distances, BIPE_COUNT_OF(distances)},
        {!histogram && r->group_by != NULL, groups, BIPE_COUNT_OF(groups)},
        {!histogram && r->choice.lexical, lexical, BIPE_COUNT_OF(lexical)},
        {!histogram && r->choice.gold, gold, BIPE_COUNT_OF(gold)},
    };
    size_t count = 0;
    for (size_t i = 0; i < BIPE_COUNT_OF(table); i++)
        for (size_t c = 0; c < table[i].count && table[i].there; c++)
            to[count++] = table[i].column[c];
    return count;
}

void stats_write_csv(const stats_report *report, bool histogram, bipe_output *output)
{
    bipe_column column[CSV_COLUMNS];
    size_t count = csv_columns(column, report->result, histogram);
    bipe_columns_names(output, column, count, ',');
    bipe_output_printf(output, NULL, "%s\n", histogram ? ",quantity,value,count" : "");
    for (const stats_line *line = report->line; line < report->line + report->lines; line++) {
        const bipe_distribution *of[] = {&line->tokens, &line->segments, &line->finer};
        static const char *const quantity[] = {STATS_OF_TOKENS, STATS_OF_SEGMENTS, STATS_OF_FINER};
        if (!histogram)
            bipe_columns_line(output, column, count, ',', line);
        for (size_t q = 0; q < BIPE_COUNT_OF(of) && histogram; q++)
            for (const bipe_count *n = of[q]->counts; n < of[q]->counts + of[q]->size; n++) {
                bipe_columns_values(output, column, count, ',', line);
                bipe_output_printf(output, NULL, ",%s,%" PRIu64 ",%" PRIu64 "\n", quantity[q], n->value, n->count);
            }
    }
}
