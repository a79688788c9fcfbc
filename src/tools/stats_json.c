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

static void put_row(bipe_json *json, const char *segmenter, const stats_row *row)
{
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "segmenter", segmenter);
    put_length(json, row->length);
    bipe_json_key_uint(json, "windows", row->segments.total);
    bipe_json_key_uint(json, "segments", row->tokens.total);
    bipe_json_key_uint(json, "tokens", stats_small(row->tokens.sum));
    bipe_json_key(json, "tokens_per_segment");
    bipe_json_begin_object(json);
    put_distribution(json, &row->tokens, of_tokens, OF_TOKENS);
    bipe_json_key_number(json, "below_50", below_short(&row->tokens));
    put_histogram(json, &row->tokens);
    bipe_json_end_object(json);
    bipe_json_key(json, "segments_per_window");
    bipe_json_begin_object(json);
    put_distribution(json, &row->segments, of_segments, OF_SEGMENTS);
    put_histogram(json, &row->segments);
    bipe_json_end_object(json);
    bipe_json_end_object(json);
}

static void put_results(bipe_json *json, const stats_report *report, size_t count)
{
    bipe_json_key(json, "results");
    bipe_json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < report->section[i].count; k++)
            put_row(json, report->section[i].segmenter, &report->section[i].row[k]);
    bipe_json_end_array(json);
}

static void put_files(bipe_json *json, const stats_files *files)
{
    bipe_json_key(json, "per_file");
    bipe_json_begin_array(json);
    for (size_t i = 0; i < files->count; i++) {
        const stats_file *f = &files->file[i];
        bipe_json_begin_object(json);
        bipe_json_key_text(json, "file", f->path);
        bipe_json_key_uint(json, "documents", f->result.documents);
        bipe_json_key_uint(json, "bytes", f->result.bytes);
        bipe_json_key_uint(json, "tokens", f->result.tokens);
        put_results(json, &f->report, f->result.count);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

static void put_sections(bipe_json *json, const stats_report *report)
{
    size_t count = report->result->count;
    put_results(json, report, count);
    bipe_json_key(json, "growth");
    bipe_json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        bipe_json_begin_object(json);
        bipe_json_key_text(json, "segmenter", report->section[i].segmenter);
        bipe_json_key_number(json, "slope", report->section[i].growth.slope);
        bipe_json_key_number(json, "intercept", report->section[i].growth.intercept);
        bipe_json_key_number(json, "r2", report->section[i].growth.r2);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    bipe_json_key(json, "invariance");
    bipe_json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < report->section[i].count; k++) {
            const stats_row *row = &report->section[i].row[k];
            bipe_json_begin_object(json);
            bipe_json_key_text(json, "segmenter", report->section[i].segmenter);
            put_length(json, row->length);
            bipe_json_key_number(json, "ks", row->ks);
            bipe_json_key_number(json, "js", row->js);
            bipe_json_key_number(json, "wasserstein", row->wasserstein);
            bipe_json_end_object(json);
        }
    bipe_json_end_array(json);
}

int stats_write_json(const stats_report *report, const stats_files *files, bipe_output *output, bipe_error *err)
{
    const stats_result *result = report->result;
    bipe_json json;
    bipe_json_open(&json, output, true);
    bipe_json_begin_object(&json);
    bipe_json_key_text(&json, "tool", "bipe-stats");
    bipe_json_key_text(&json, "version", PACKAGE_VERSION);
    bipe_json_key_text(&json, "tokenizer", result->tokenizer);
    bipe_json_key_uint(&json, "files", stats_result_files(result));
    bipe_json_key_uint(&json, "documents", result->documents);
    bipe_json_key_uint(&json, "bytes", result->bytes);
    bipe_json_key_uint(&json, "tokens", result->tokens);
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
    put_sections(&json, report);
    if (files->wanted)
        put_files(&json, files);
    bipe_json_end_object(&json);
    return bipe_json_close(&json, err);
}

/* ---- CSV ---- */

/* Failures stay in the output and come out at the end of the row. */
static void csv_distribution(bipe_output *output, const bipe_distribution *d, const quantile *quantiles, size_t count)
{
    bipe_csv_number(output, bipe_distribution_mean(d), NULL);
    bipe_csv_number(output, bipe_distribution_sd(d), NULL);
    for (size_t i = 0; i < count; i++) {
        if (d->total == 0)
            bipe_output_write(output, ",", 1, NULL);
        else
            bipe_output_printf(output, NULL, ",%" PRIu64, bipe_distribution_quantile(d, quantiles[i].percent));
    }
}

static int csv_row(bipe_output *output, const char *file, const char *segmenter, const stats_row *row, bipe_error *err)
{
    if (file != NULL) {
        bipe_csv_text(output, file, NULL);
        bipe_output_write(output, ",", 1, NULL);
    }
    bipe_csv_text(output, segmenter, NULL);
    if (row->length == BIPE_TALLY_DOCUMENT)
        bipe_output_printf(output, NULL, ",document");
    else
        bipe_output_printf(output, NULL, ",%" PRIu64, row->length);
    bipe_output_printf(output, NULL, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->segments.total, row->tokens.total,
                       stats_small(row->tokens.sum));
    csv_distribution(output, &row->tokens, of_tokens, OF_TOKENS);
    bipe_csv_number(output, below_short(&row->tokens), NULL);
    csv_distribution(output, &row->segments, of_segments, OF_SEGMENTS);
    bipe_csv_number(output, row->ks, NULL);
    bipe_csv_number(output, row->js, NULL);
    bipe_csv_number(output, row->wasserstein, NULL);
    return bipe_output_write(output, "\n", 1, err);
}

static int csv_rows(bipe_output *output, const char *file, const stats_report *report, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < report->section[i].count && status == BIPE_OK; k++)
            status = csv_row(output, file, report->section[i].segmenter, &report->section[i].row[k], err);
    return status;
}

int stats_write_csv(const stats_report *report, const stats_files *files, bipe_output *output, bipe_error *err)
{
    int status = bipe_output_printf(output, err,
                                    "%ssegmenter,length,windows,segments,tokens,tokens_per_segment_mean,tokens_per_segment_sd,"
                                    "tokens_per_segment_min,tokens_per_segment_p50,tokens_per_segment_p90,tokens_per_segment_p95,"
                                    "tokens_per_segment_p99,tokens_per_segment_max,tokens_per_segment_below_50,"
                                    "segments_per_window_mean,segments_per_window_sd,segments_per_window_min,"
                                    "segments_per_window_p5,segments_per_window_p50,segments_per_window_p95,"
                                    "segments_per_window_max,ks,js,wasserstein\n", files->wanted ? "file," : "");
    for (size_t i = 0; i < files->count && status == BIPE_OK; i++)
        status = csv_rows(output, files->file[i].path, &files->file[i].report, files->file[i].result.count, err);
    return status == BIPE_OK ? csv_rows(output, files->wanted ? "total" : NULL, report, report->result->count, err) : status;
}
