/* stats_json.c - a report for programs: JSON, complete enough to be merged again, and CSV. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "tools/csv.h"
#include "tools/stats_write.h"

enum { SHORT = 50 }; /* tokens: the bound of "below_50" */

static void put_length(bipe_json *json, uint64_t length)
{
    bipe_json_key(json, "length");
    if (length == BIPE_TALLY_DOCUMENT)
        bipe_json_text(json, "document");
    else
        bipe_json_uint(json, length);
}

static void put_quantile(bipe_json *json, const char *key, const bipe_distribution *d, unsigned percent)
{
    bipe_json_key(json, key);
    if (d->total == 0)
        bipe_json_null(json);
    else
        bipe_json_uint(json, bipe_distribution_quantile(d, percent));
}

static void put_histogram(bipe_json *json, const bipe_distribution *d)
{
    bipe_json_key(json, "histogram");
    bipe_json_begin_flat_array(json);
    for (size_t i = 0; i < d->size; i++) {
        bipe_json_begin_flat_array(json);
        bipe_json_uint(json, d->counts[i].value);
        bipe_json_uint(json, d->counts[i].count);
        bipe_json_end_array(json);
    }
    bipe_json_end_array(json);
}

static double below_short(const bipe_distribution *d)
{
    return d->total == 0 ? NAN : (double)bipe_distribution_below(d, SHORT) / (double)d->total;
}

/* The quantiles of one column, by name. */
typedef struct quantile {
    const char *name;
    unsigned percent;
} quantile;

static const quantile of_tokens[] = {{"min", 0}, {"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"max", 100}};
static const quantile of_segments[] = {{"min", 0}, {"p5", 5}, {"p50", 50}, {"p95", 95}, {"max", 100}};
enum { OF_TOKENS = sizeof of_tokens / sizeof of_tokens[0], OF_SEGMENTS = sizeof of_segments / sizeof of_segments[0] };

static void put_distribution(bipe_json *json, const bipe_distribution *d, const quantile *quantiles, size_t count)
{
    bipe_json_key_number(json, "mean", bipe_distribution_mean(d));
    bipe_json_key_number(json, "sd", bipe_distribution_sd(d));
    for (size_t i = 0; i < count; i++)
        put_quantile(json, quantiles[i].name, d, quantiles[i].percent);
}

/* The subject of an object. */
static void put_name(bipe_json *json, const stats_section *section, const char *group)
{
    bipe_json_key_text(json, "segmenter", section->segmenter);
    if (group != NULL)
        bipe_json_key_text(json, "group", group);
}

static void put_row(bipe_json *json, const stats_section *section, const stats_row *row, const char *group)
{
    bipe_json_begin_object(json);
    put_name(json, section, group);
    put_length(json, row->length);
    bipe_json_key_uint(json, "windows", row->segments.total);
    bipe_json_key_uint(json, "segments", row->tokens.total);
    bipe_json_key_uint(json, "tokens", stats_small(row->tokens.sum));
    bipe_json_key(json, "tokens_per_segment");
    bipe_json_begin_object(json);
    put_distribution(json, &row->tokens, of_tokens, OF_TOKENS);
    bipe_json_key_number(json, "below_50", below_short(&row->tokens));
    if (row->length == BIPE_TALLY_DOCUMENT && section->mean.units != 0) {
        bipe_json_key_number(json, "mean_stderr", section->mean.error);
        bipe_json_key_pair(json, "mean_interval", section->mean.low, section->mean.high);
    }
    put_histogram(json, &row->tokens);
    bipe_json_end_object(json);
    bipe_json_key(json, "segments_per_window");
    bipe_json_begin_object(json);
    put_distribution(json, &row->segments, of_segments, OF_SEGMENTS);
    put_histogram(json, &row->segments);
    bipe_json_end_object(json);
    bipe_json_end_object(json);
}

/* Calls a function for all documents and for each group. */
static void put_views(bipe_json *json, const char *key, const stats_report *report, void (*put)(bipe_json *json, const stats_section *section, const char *group))
{
    bool groups = report->result->group_by != NULL;
    bipe_json_key(json, key);
    bipe_json_begin_array(json);
    for (size_t p = 0; p <= (groups ? report->parts : 0); p++)
        for (size_t i = 0; i < report->result->count; i++)
            put(json, p == 0 ? &report->all.section[i] : &report->part[p - 1].section[i], p == 0 ? NULL : report->part[p - 1].part->name);
    bipe_json_end_array(json);
}

static void put_results(bipe_json *json, const stats_section *section, const char *group)
{
    for (size_t k = 0; k < section->count; k++)
        put_row(json, section, &section->row[k], group);
}

static void put_growth(bipe_json *json, const stats_section *section, const char *group)
{
    bipe_json_begin_object(json);
    put_name(json, section, group);
    bipe_json_key_number(json, "slope", section->growth.slope);
    bipe_json_key_number(json, "intercept", section->growth.intercept);
    bipe_json_key_number(json, "r2", section->growth.r2);
    bipe_json_end_object(json);
}

static void put_distances(bipe_json *json, double ks, double js, double wasserstein)
{
    bipe_json_key_number(json, "ks", ks);
    bipe_json_key_number(json, "js", js);
    bipe_json_key_number(json, "wasserstein", wasserstein);
}

static void put_invariance(bipe_json *json, const stats_section *section, const char *group)
{
    for (size_t k = 0; k < section->count; k++) {
        const stats_row *row = &section->row[k];
        bipe_json_begin_object(json);
        put_name(json, section, group);
        put_length(json, row->length);
        put_distances(json, row->ks, row->js, row->wasserstein);
        bipe_json_end_object(json);
    }
}

static void put_counts(bipe_json *json, const char *key, const stats_part *part)
{
    bipe_json_key_text(json, key, part->name);
    bipe_json_key_uint(json, "documents", part->documents);
    bipe_json_key_uint(json, "bytes", part->bytes);
    bipe_json_key_uint(json, "tokens", part->tokens);
}

static void put_files(bipe_json *json, const stats_report *report)
{
    bipe_json_key(json, "per_file");
    bipe_json_begin_array(json);
    for (size_t p = 0; p < report->parts; p++) {
        bipe_json_begin_object(json);
        put_counts(json, "file", report->part[p].part);
        bipe_json_key(json, "results");
        bipe_json_begin_array(json);
        for (size_t i = 0; i < report->result->count; i++)
            put_results(json, &report->part[p].section[i], NULL);
        bipe_json_end_array(json);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

/* What --merge needs of groups, and how they differ. */
static void put_groups(bipe_json *json, const stats_report *report)
{
    bipe_json_key_text(json, "group_by", report->result->group_by);
    bipe_json_key(json, "groups");
    bipe_json_begin_array(json);
    for (size_t p = 0; p < report->parts; p++) {
        const stats_part *part = report->part[p].part;
        bipe_json_begin_object(json);
        put_counts(json, "group", part);
        bipe_json_key(json, "units");
        bipe_json_begin_array(json);
        for (size_t i = 0; i < report->result->count; i++) {
            const bipe_unit_bins *units = &part->units[i];
            bipe_json_begin_flat_array(json);
            bipe_json_uint(json, units->dropped);
            for (size_t k = 0; k < units->count; k++) {
                bipe_json_begin_flat_array(json);
                bipe_json_uint(json, units->bin[k].key);
                bipe_json_uint(json, units->bin[k].sum);
                bipe_json_uint(json, units->bin[k].weight);
                bipe_json_end_array(json);
            }
            bipe_json_end_array(json);
        }
        bipe_json_end_array(json);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    bipe_json_key(json, "comparisons");
    bipe_json_begin_array(json);
    for (size_t i = 0; i < report->contrasts; i++) {
        const stats_contrast *c = &report->contrast[i];
        bipe_json_begin_object(json);
        bipe_json_key_text(json, "segmenter", report->result->segmenter[c->segmenter]);
        bipe_json_key_text(json, "a", report->part[c->a].part->name);
        bipe_json_key_text(json, "b", report->part[c->b].part->name);
        put_distances(json, c->ks, c->js, c->wasserstein);
        bipe_json_key_number(json, "mean_difference", c->difference.value);
        bipe_json_key_number(json, "stderr", c->difference.error);
        bipe_json_key_pair(json, "interval", c->difference.low, c->difference.high);
        bipe_json_key_number(json, "p", c->difference.p);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

int stats_write_json(const stats_report *report, bipe_output *output, bipe_error *err)
{
    const stats_result *result = report->result;
    bipe_json json;
    bipe_json_open(&json, output, true);
    bipe_json_begin_object(&json);
    bipe_json_key_text(&json, "tool", "bipe-stats");
    bipe_json_key_text(&json, "version", PACKAGE_VERSION);
    bipe_json_key_text(&json, "tokenizer", result->tokenizer);
    bipe_json_key_uint(&json, "files", stats_result_files(result));
    bipe_json_key_uint(&json, "documents", result->all.documents);
    bipe_json_key_uint(&json, "bytes", result->all.bytes);
    bipe_json_key_uint(&json, "tokens", result->all.tokens);
    if (result->choice.squeeze)
        bipe_json_key_bool(&json, "squeeze", true);
    if (result->choice.every != 0) {
        bipe_json_key(&json, "sample");
        bipe_json_begin_object(&json);
        bipe_json_key_uint(&json, "every", result->choice.every);
        bipe_json_key_uint(&json, "seed", result->choice.seed);
        bipe_json_end_object(&json);
    }
    stats_shards_write(&result->shards, &json);
    put_views(&json, "results", report, put_results);
    put_views(&json, "growth", report, put_growth);
    put_views(&json, "invariance", report, put_invariance);
    if (result->per_file)
        put_files(&json, report);
    if (result->group_by != NULL)
        put_groups(&json, report);
    bipe_json_end_object(&json);
    return bipe_json_close(&json, err);
}

/* ---- CSV ---- */

/* Failures stay in the output and come out at the end of the row. */
static void csv_distribution(bipe_output *output, const bipe_distribution *d, const quantile *quantiles, size_t count)
{
    bipe_csv_number(output, bipe_distribution_mean(d));
    bipe_csv_number(output, bipe_distribution_sd(d));
    for (size_t i = 0; i < count; i++) {
        if (d->total == 0)
            bipe_output_write(output, ",", 1, NULL);
        else
            bipe_output_printf(output, NULL, ",%" PRIu64, bipe_distribution_quantile(d, quantiles[i].percent));
    }
}

/* The beginning of each row. name: of a file or group; NULL: there are none. */
static void csv_place(bipe_output *output, const char *name, const char *segmenter, uint64_t length)
{
    if (name != NULL) {
        bipe_csv_text(output, name);
        bipe_output_write(output, ",", 1, NULL);
    }
    bipe_csv_text(output, segmenter);
    if (length == BIPE_TALLY_DOCUMENT)
        bipe_output_printf(output, NULL, ",document");
    else
        bipe_output_printf(output, NULL, ",%" PRIu64, length);
}

/* What groups have more of: the interval of the mean, and how they differ from the first; in rows of whole documents. */
static void csv_group(bipe_output *output, const stats_section *section, const stats_row *row, const stats_contrast *c)
{
    const stats_contrast none = {.ks = (double)NAN, .js = (double)NAN, .wasserstein = (double)NAN, .difference = {.p = (double)NAN}};
    bool whole = row->length == BIPE_TALLY_DOCUMENT;
    c = c == NULL || !whole ? &none : c;
    const double value[] = {whole ? section->mean.low : (double)NAN, whole ? section->mean.high : (double)NAN, c->ks, c->js, c->wasserstein,
                            c->difference.p};
    bipe_csv_numbers(output, value, sizeof value / sizeof value[0]);
}

static int csv_row(bipe_output *output, const char *name, const stats_section *section, const stats_row *row, bool groups, const stats_contrast *c,
                   bipe_error *err)
{
    csv_place(output, name, section->segmenter, row->length);
    bipe_output_printf(output, NULL, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->segments.total, row->tokens.total,
                       stats_small(row->tokens.sum));
    csv_distribution(output, &row->tokens, of_tokens, OF_TOKENS);
    bipe_csv_number(output, below_short(&row->tokens));
    csv_distribution(output, &row->segments, of_segments, OF_SEGMENTS);
    bipe_csv_numbers(output, (const double[]){row->ks, row->js, row->wasserstein}, 3);
    if (groups)
        csv_group(output, section, row, c);
    return bipe_output_write(output, "\n", 1, err);
}

static int csv_histogram(bipe_output *output, const char *name, const stats_section *section, const stats_row *row, bipe_error *err)
{
    const struct {
        const char *quantity;
        const bipe_distribution *d;
    } both[] = {{"tokens_per_segment", &row->tokens}, {"segments_per_window", &row->segments}};
    for (size_t q = 0; q < 2; q++)
        for (size_t i = 0; i < both[q].d->size; i++) {
            csv_place(output, name, section->segmenter, row->length);
            int status = bipe_output_printf(output, err, ",%s,%" PRIu64 ",%" PRIu64 "\n", both[q].quantity, both[q].d->counts[i].value,
                                            both[q].d->counts[i].count);
            if (status != BIPE_OK)
                return status;
        }
    return BIPE_OK;
}

int stats_write_csv(const stats_report *report, bool histogram, bipe_output *output, bipe_error *err)
{
    bool groups = report->result->group_by != NULL;
    const char *names = groups ? "group," : report->result->per_file ? "file," : "";
    int status = histogram ? bipe_output_printf(output, err, "%ssegmenter,length,quantity,value,count\n", names)
                           : bipe_output_printf(output, err,
                                    "%ssegmenter,length,windows,segments,tokens,tokens_per_segment_mean,tokens_per_segment_sd,"
                                    "tokens_per_segment_min,tokens_per_segment_p50,tokens_per_segment_p90,tokens_per_segment_p95,"
                                    "tokens_per_segment_p99,tokens_per_segment_max,tokens_per_segment_below_50,"
                                    "segments_per_window_mean,segments_per_window_sd,segments_per_window_min,"
                                    "segments_per_window_p5,segments_per_window_p50,segments_per_window_p95,"
                                    "segments_per_window_max,ks,js,wasserstein%s\n", names,
                                    groups ? ",mean_low,mean_high,first_ks,first_js,first_wasserstein,first_p" : "");
    for (size_t p = 0; p <= report->parts; p++) {
        const stats_view *view = p < report->parts ? &report->part[p] : &report->all;
        const char *name = names[0] == '\0' ? NULL : p < report->parts ? view->part->name : "total";
        for (size_t i = 0; i < report->result->count; i++)
            for (size_t k = 0; k < view->section[i].count && status == BIPE_OK; k++) {
                const stats_section *s = &view->section[i];
                status = histogram ? csv_histogram(output, name, s, &s->row[k], err)
                                   : csv_row(output, name, s, &s->row[k], groups, p < report->parts ? stats_report_contrast(report, i, 0, p) : NULL, err);
            }
    }
    return status;
}
