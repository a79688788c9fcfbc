/* stats_json.c - a report as JSON, complete enough to be merged again. */
#include "base/json_writer.h"
#include "cli/run_record.h"
#include "tools/stats/bipe_stats.h"

#define CHOICE(type, field, ...) BIPE_COLUMN(stats_choice, type, field, __VA_ARGS__)
#define PART(field) BIPE_COLUMN(stats_part, UINT, field, .member = #field)
#define CONTRAST(type, field, key) BIPE_COLUMN(stats_contrast, type, field, .member = key)

const bipe_column stats_choice_columns[STATS_CHOICE_COLUMNS] = {
    CHOICE(BOOL, squeeze, .member = "squeeze", .optional = true, .expected = "true, or nothing"),
    CHOICE(BOOL, lexical, .member = "lexical", .optional = true),
    CHOICE(BOOL, gold, .member = "gold", .optional = true),
    CHOICE(BOOL, keep_case, .member = "keep_case", .optional = true),
    CHOICE(UINT, every, .member = "sample.every"),
    CHOICE(UINT, seed, .member = "sample.seed"),
};
const bipe_column stats_part_columns[STATS_PART_COLUMNS] = {PART(documents), PART(bytes), PART(tokens)};
static const bipe_column contrast_columns[] = {
    CONTRAST(TEXT, of, "segmenter"), CONTRAST(TEXT, from, "a"), CONTRAST(TEXT, to, "b"),
    CONTRAST(NUMBER, ks, "ks"), CONTRAST(NUMBER, js, "js"), CONTRAST(NUMBER, wasserstein, "wasserstein"),
    CONTRAST(NUMBER, difference.value, "mean_difference"), CONTRAST(NUMBER, difference.error, "stderr"),
    CONTRAST(PAIR, difference.low, "interval"), CONTRAST(NUMBER, difference.p, "p"),
};

/* A list of all documents, and then of the groups; growth once for all lengths. */
static void put_list(bipe_json *json, const char *key, const stats_report *report, stats_list list)
{
    bipe_json_key_array(json, key);
    for (int groups = 0; groups <= (report->result->group_by != NULL); groups++)
        for (const stats_line *line = report->line; line < report->line + report->lines; line++)
            if ((line->path != NULL) == groups && (list != STATS_GROWTH || line == line->first))
                stats_line_json(json, line, list);
    bipe_json_end_array(json);
}

static void put_part(bipe_json *json, const char *key, const stats_part *part)
{
    bipe_json_begin_object(json);
    bipe_json_key_text(json, key, part->name);
    bipe_columns_json(json, stats_part_columns, STATS_PART_COLUMNS, part);
}

static void put_files(bipe_json *json, const stats_report *report)
{
    const stats_line *line = report->line;
    bipe_json_key_array(json, "per_file");
    for (size_t p = 0; p < report->result->parts; p++) {
        const stats_part *part = &report->result->part[p];
        put_part(json, "file", part);
        bipe_json_key_array(json, "results");
        for (; line < report->line + report->lines && line->part == part; line++)
            stats_line_json(json, line, STATS_RESULTS);
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
        put_part(json, "group", part);
        bipe_json_key(json, "units");
        stats_units_json(json, part->units, result->count);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    bipe_json_key_array(json, "comparisons");
    for (size_t i = 0; i < report->contrasts; i++) {
        bipe_json_begin_object(json);
        bipe_columns_json(json, contrast_columns, BIPE_COUNT_OF(contrast_columns), &report->contrast[i]);
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
    bipe_columns_json(&json, stats_part_columns, STATS_PART_COLUMNS, &result->all);
    bipe_columns_json(&json, stats_choice_columns,
                      STATS_CHOICE_COLUMNS - (result->choice.every == 0 ? STATS_SAMPLE_COLUMNS : 0), &result->choice);
    if (result->cluster != NULL)
        bipe_json_key_text(&json, "cluster", result->cluster);
    bipe_result_shards_write(&result->shards, &json);
    put_list(&json, "results", report, STATS_RESULTS);
    put_list(&json, "growth", report, STATS_GROWTH);
    put_list(&json, "invariance", report, STATS_INVARIANCE);
    if (result->per_file)
        put_files(&json, report);
    if (result->group_by != NULL)
        put_groups(&json, report);
    if (result->choice.words)
        stats_words_put(report, &json);
    if (result->choice.gold)
        stats_agreement_put(report, &json);
    bipe_run_record_put(tool, &json);
    bipe_json_end_object(&json);
    bipe_json_close(&json, NULL);
}
