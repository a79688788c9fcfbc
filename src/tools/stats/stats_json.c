/* stats_json.c - a report for programs: JSON, complete enough to be merged again, and CSV. */
#include <inttypes.h>

#include "base/json_writer.h"
#include "cli/csv.h"
#include "cli/run_record.h"
#include "tools/stats/bipe_stats.h"

static void put_length(bipe_json *json, uint64_t length)
{
    bipe_json_key(json, "length");
    if (length == BIPE_TALLY_DOCUMENT)
        bipe_json_text(json, "document");
    else
        bipe_json_uint(json, length);
}

static void put_histogram(bipe_json *json, const bipe_distribution *d)
{
    bipe_json_key_flat_array(json, "histogram");
    for (size_t i = 0; i < d->size; i++)
        bipe_json_uints(json, (const uint64_t[]){d->counts[i].value, d->counts[i].count}, 2);
    bipe_json_end_array(json);
}

/* Values by name, one quantity after the other. */
static void put_quantities(bipe_json *json, const stats_line *line, size_t from, size_t to)
{
    for (size_t id = from; id <= to; id++) {
        stats_value v = stats_quantity_value(line, (stats_quantity_id)id);
        if (v.whole)
            bipe_json_key_uint(json, stats_quantities[id].name, v.count);
        else
            bipe_json_key_number(json, stats_quantities[id].name, v.real);
    }
}

/* The beginning of an object: its subject. */
static void begin_object(bipe_json *json, const stats_line *line)
{
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "segmenter", line->segmenter);
    if (line->part->units != NULL && line->part->name != NULL)
        bipe_json_key_text(json, "group", line->part->name);
}

/* Units, which --merge needs. */
static void put_units(bipe_json *json, const bipe_unit_bins *units, size_t count)
{
    bipe_json_key_array(json, "units");
    for (size_t i = 0; i < count; i++) {
        bipe_json_begin_flat_array(json);
        bipe_json_uint(json, units[i].dropped);
        for (size_t k = 0; k < units[i].count; k++)
            bipe_json_uints(json, (const uint64_t[]){units[i].bin[k].key, units[i].bin[k].sum, units[i].bin[k].weight}, 3);
        bipe_json_end_array(json);
    }
    bipe_json_end_array(json);
}

static void put_lexical(bipe_json *json, const stats_line *line)
{
    bipe_json_key_object(json, STATS_OF_WORDS);
    put_quantities(json, line, STATS_LEXICAL, STATS_QUANTITIES - 1);
    if (line->part->name == NULL || line->part->units != NULL) /* --merge ignores files */
        put_units(json, line->units, BIPE_LEXICAL_COUNT);
    bipe_json_end_object(json);
}

static void put_row(bipe_json *json, const stats_line *line)
{
    const bipe_estimate *mean = &line->first->mean;
    begin_object(json, line);
    put_length(json, line->length);
    put_quantities(json, line, STATS_WINDOWS, STATS_TOKENS);
    bipe_json_key_object(json, STATS_OF_TOKENS);
    put_quantities(json, line, STATS_MEAN, STATS_BELOW);
    if (line->length == BIPE_TALLY_DOCUMENT && mean->units != 0) {
        bipe_json_key_number(json, "mean_stderr", mean->error);
        bipe_json_key_pair(json, "mean_interval", mean->low, mean->high);
    }
    put_histogram(json, &line->tokens);
    bipe_json_end_object(json);
    bipe_json_key_object(json, STATS_OF_SEGMENTS);
    put_quantities(json, line, STATS_WINDOW_MEAN, STATS_WINDOW_MAX);
    put_histogram(json, &line->segments);
    bipe_json_end_object(json);
    if (line->lexical != NULL)
        put_lexical(json, line);
    bipe_json_end_object(json);
}

static void put_invariance(bipe_json *json, const stats_line *line)
{
    begin_object(json, line);
    put_length(json, line->length);
    put_quantities(json, line, STATS_KS, STATS_WASSERSTEIN);
    bipe_json_end_object(json);
}

static void put_growth(bipe_json *json, const stats_line *line)
{
    if (line != line->first) /* once for all lengths */
        return;
    begin_object(json, line);
    bipe_json_key_number(json, "slope", line->growth.slope);
    bipe_json_key_number(json, "intercept", line->growth.intercept);
    bipe_json_key_number(json, "r2", line->growth.r2);
    bipe_json_end_object(json);
}

/* A list of all documents, and then of the groups. */
static void put_list(bipe_json *json, const char *key, const stats_report *report, void (*put)(bipe_json *json, const stats_line *line))
{
    bipe_json_key_array(json, key);
    for (int groups = 0; groups <= (report->result->group_by != NULL); groups++)
        for (const stats_line *line = report->line; line < report->line + report->lines; line++)
            if ((line->part->name != NULL) == groups)
                put(json, line);
    bipe_json_end_array(json);
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
    const stats_line *line = report->line;
    bipe_json_key_array(json, "per_file");
    for (size_t p = 0; p < report->result->parts; p++) {
        const stats_part *part = &report->result->part[p];
        bipe_json_begin_object(json);
        put_counts(json, "file", part);
        bipe_json_key_array(json, "results");
        for (; line < report->line + report->lines && line->part == part; line++)
            put_row(json, line);
        bipe_json_end_array(json);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

/* What --merge needs of groups, and how they differ. */
static void put_groups(bipe_json *json, const stats_report *report)
{
    const stats_result *result = report->result;
    bipe_json_key_text(json, "group_by", result->group_by);
    bipe_json_key_array(json, "groups");
    for (size_t p = 0; p < result->parts; p++) {
        const stats_part *part = &result->part[p];
        bipe_json_begin_object(json);
        put_counts(json, "group", part);
        put_units(json, part->units, result->count);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    bipe_json_key_array(json, "comparisons");
    for (size_t i = 0; i < report->contrasts; i++) {
        const stats_contrast *c = &report->contrast[i];
        bipe_json_begin_object(json);
        bipe_json_key_text(json, "segmenter", result->segmenter[c->segmenter]);
        bipe_json_key_text(json, "a", result->part[c->a].name);
        bipe_json_key_text(json, "b", result->part[c->b].name);
        bipe_json_key_number(json, "ks", c->ks);
        bipe_json_key_number(json, "js", c->js);
        bipe_json_key_number(json, "wasserstein", c->wasserstein);
        bipe_json_key_number(json, "mean_difference", c->difference.value);
        bipe_json_key_number(json, "stderr", c->difference.error);
        bipe_json_key_pair(json, "interval", c->difference.low, c->difference.high);
        bipe_json_key_number(json, "p", c->difference.p);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

void stats_write_json(const bipe_tool *tool, const stats_report *report, bipe_output *output)
{
    const stats_result *result = report->result;
    bipe_json json;
    bipe_tool_json(&json, output, "bipe-stats");
    bipe_json_key_text(&json, "tokenizer", result->tokenizer);
    bipe_json_key_uint(&json, "files", stats_result_files(result));
    bipe_json_key_uint(&json, "documents", result->all.documents);
    bipe_json_key_uint(&json, "bytes", result->all.bytes);
    bipe_json_key_uint(&json, "tokens", result->all.tokens);
    if (result->choice.squeeze)
        bipe_json_key_bool(&json, "squeeze", true);
    if (result->choice.lexical)
        bipe_json_key_bool(&json, "lexical", true);
    if (result->choice.keep_case)
        bipe_json_key_bool(&json, "keep_case", true);
    if (result->choice.every != 0) {
        bipe_json_key_object(&json, "sample");
        bipe_json_key_uint(&json, "every", result->choice.every);
        bipe_json_key_uint(&json, "seed", result->choice.seed);
        bipe_json_end_object(&json);
    }
    bipe_result_shards_write(&result->shards, &json);
    put_list(&json, "results", report, put_row);
    put_list(&json, "growth", report, put_growth);
    put_list(&json, "invariance", report, put_invariance);
    if (result->per_file)
        put_files(&json, report);
    if (result->group_by != NULL)
        put_groups(&json, report);
    if (result->choice.words)
        stats_words_put(report, &json);
    bipe_run_record_put(tool, &json);
    bipe_json_end_object(&json);
    bipe_json_close(&json, NULL);
}

/* ---- CSV ---- */

/* The beginning of each row. */
static void csv_place(bipe_output *output, const stats_line *line, bool named)
{
    if (named)
        bipe_csv_field(output, line->part->name != NULL ? line->part->name : "total");
    bipe_csv_text(output, line->segmenter);
    if (line->length == BIPE_TALLY_DOCUMENT)
        bipe_output_printf(output, NULL, ",document");
    else
        bipe_output_printf(output, NULL, ",%" PRIu64, line->length);
}

static void stats_csv_row(bipe_output *output, const stats_result *result, const stats_line *line, bool named)
{
    csv_place(output, line, named);
    for (size_t id = 0; id < STATS_QUANTITIES; id++) {
        if (!stats_has_quantity(result, id))
            continue;
        stats_value v = stats_quantity_value(line, (stats_quantity_id)id);
        if (v.whole)
            bipe_output_printf(output, NULL, ",%" PRIu64, v.count);
        else
            bipe_csv_number(output, v.real);
    }
    bipe_output_printf(output, NULL, "\n");
}

static void csv_histogram(bipe_output *output, const stats_line *line, bool named, const char *quantity, const bipe_distribution *d)
{
    for (size_t i = 0; i < d->size; i++) {
        csv_place(output, line, named);
        bipe_output_printf(output, NULL, ",%s,%" PRIu64 ",%" PRIu64 "\n", quantity, d->counts[i].value, d->counts[i].count);
    }
}

void stats_write_csv(const stats_report *report, bool histogram, bipe_output *output)
{
    bool groups = report->result->group_by != NULL, named = groups || report->result->per_file;
    bipe_output_printf(output, NULL, "%ssegmenter,length%s", groups ? "group," : named ? "file," : "", histogram ? ",quantity,value,count" : "");
    for (size_t id = 0; id < STATS_QUANTITIES && !histogram; id++) {
        const stats_quantity *q = &stats_quantities[id];
        if (stats_has_quantity(report->result, id))
            bipe_output_printf(output, NULL, ",%s%s%s", q->object != NULL ? q->object : "", q->object != NULL ? "_" : "", q->name);
    }
    bipe_output_printf(output, NULL, "\n");
    for (const stats_line *line = report->line; line < report->line + report->lines; line++)
        if (histogram) {
            csv_histogram(output, line, named, STATS_OF_TOKENS, &line->tokens);
            csv_histogram(output, line, named, STATS_OF_SEGMENTS, &line->segments);
        } else {
            stats_csv_row(output, report->result, line, named);
        }
}
