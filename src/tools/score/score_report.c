/* score_report.c - the output of bipe-score: a table for people (score_table.c), CSV and JSON for programs. Rows are
 * written as files are finished, so that they survive an interrupted run. */

#include "base/alloc.h"
#include "cli/clusters.h"
#include "cli/result_shards.h"
#include "cli/run_record.h"
#include "cli/tool_alloc.h"
#include "tools/score/score_columns.h"
#include "tools/score/score_parts.h"
#include "tools/score/score_report.h"

struct bipe_score_report {
    bipe_score_format format;
    const bipe_score_setup *setup;
    const bipe_group_names *groups;
    bipe_output *output;
    bipe_score_pool *pool;        /* (lengths) */
    bipe_score_findings findings;
    bool begun;
    uint64_t files;   /* that are done */
    bipe_json json;
    bipe_score_table table;
};

/* ---- JSON ---- */

static void json_begin(bipe_score_report *report)
{
    const bipe_score_setup *setup = report->setup;
    bipe_json *json = &report->json;
    bipe_tool_json(json, report->output, "bipe-score");
    bipe_score_settings_json(setup, json);
    bipe_json_key_array(json, "results");
}

static void json_by(bipe_json *json, const bipe_score_setup *setup, const bipe_score_row *row)
{
    bipe_json_key_object(json, "by");
    bipe_json_key_text(json, "index", bipe_score_by_names[setup->by - 1]);
    bipe_json_key_flat_array(json, "values");
    for (size_t i = 0; i < row->bins.count; i++) {
        const bipe_loss_bin *bin = &row->bins.bin[i];
        if (bin->tokens == 0)
            continue;
        bipe_json_begin_array(json);
        bipe_json_uint(json, i);
        bipe_json_uint(json, bin->tokens);
        bipe_json_number(json, bipe_loss_bin_mean(bin));
        if (i < row->divergence.bins.count)
            bipe_json_number(json, bipe_loss_bin_mean(&row->divergence.bins.bin[i]));
        bipe_json_end_array(json);
    }
    bipe_json_end_array(json);
    bipe_json_end_object(json);
}

/* The sums for --merge. */
static void json_sums(bipe_score_report *report, const bipe_score_row *row, const bipe_loss_units *layout)
{
    bipe_json *json = &report->json;
    score_part part;
    score_part_fill(&part, row);
    part.file = report->files;
    bipe_json_key_object(json, "sums");
    bipe_columns_json_inner(json, score_part_columns, SCORE_PART_SUMS, &part);
    score_bins_json(json, "by", &row->bins);
    score_bins_json(json, "units", &row->units);
    if (row->divergence.groups > 0)
        score_divergence_json(json, &row->divergence, report->groups);
    bipe_json_key_uint(json, "documents", layout->documents);
    bipe_json_key_uint(json, "bundle", layout->bundle);
    bipe_json_key_uint(json, "cell", layout->cell);
    bipe_json_key_uints(json, "first", layout->first, layout->first != NULL ? layout->documents + 1 : 0);
    bipe_json_key_flat_array(json, "groups");
    for (size_t i = 0; i < layout->documents && layout->group != NULL; i++)
        bipe_json_text(json, report->groups->name[layout->group[i]]);
    bipe_json_end_array(json);
    if (layout->cluster != NULL)
        bipe_json_key_uints(json, "clusters", layout->cluster, layout->documents);
    bipe_json_end_object(json);
}

/* layout: of a file, whose shards write down their sums; else NULL. */
static void json_row(bipe_score_report *report, const bipe_score_row *row, const bipe_loss_units *layout)
{
    const bipe_score_setup *setup = report->setup;
    bipe_json *json = &report->json;
    bipe_json_begin_object(json);
    score_row_json(json, setup, row);
    if (setup->by != BIPE_SCORE_BY_NONE && row->group == NULL)
        json_by(json, setup, row);
    if (setup->shard.count > 0 && layout != NULL)
        json_sums(report, row, layout);
    bipe_json_end_object(json);
}

/* The identity of a shard and of its run. */
static void json_shard(bipe_score_report *report)
{
    bipe_json *json = &report->json;
    bipe_result_shard_begin(json, report->setup->identity, &report->setup->shard);
    bipe_json_key_text(json, "model", report->setup->combination[0].model_name);
    bipe_json_key_uint(json, "files", report->setup->file_count);
    bipe_json_key_uints(json, "lengths", report->setup->lengths->value, report->setup->lengths->count);
    bipe_json_end_object(json);
}

static void json_rows(bipe_score_report *report, const char *key, bool groups)
{
    const bipe_score_findings *findings = &report->findings;
    bipe_json_key_array(&report->json, key);
    for (size_t c = 0; c < report->setup->combinations; c++)
        for (size_t r = 0; r < findings->rows; r++)
            if (findings->row[r].combination == c && (findings->row[r].group != NULL) == groups)
                json_row(report, &findings->row[r], NULL);
    bipe_json_end_array(&report->json);
}

static void json_end(bipe_score_report *report, const bipe_score_work *work, bool complete)
{
    bipe_json *json = &report->json;
    bipe_json_end_array(json);
    json_rows(report, "total", false);
    if (report->setup->group != NULL)
        json_rows(report, "groups", true);
    if (report->setup->combinations > 1) {
        bipe_json_key_array(json, "comparisons");
        for (size_t i = 0; i < report->findings.comparisons; i++)
            score_comparison_json(json, report->setup, &report->findings.comparison[i]);
        bipe_json_end_array(json);
    }
    bipe_json_key_object(json, "work");
    bipe_json_key_uint(json, "tokens", work->all);
    bipe_json_key_uint(json, "computed", work->computed);
    bipe_json_end_object(json);
    if (report->setup->shard.count > 0)
        json_shard(report);
    bipe_run_record_put(report->setup->tool, json);
    bipe_json_key_bool(json, "complete", complete);
    bipe_json_end_object(json);
}

/* ---- all three ---- */

bipe_score_report *bipe_score_report_open(bipe_score_format format, const bipe_score_setup *setup,
                                          const bipe_group_names *groups, bipe_output *output)
{
    bipe_score_report *made = bipe_tool_alloc(1, sizeof *made);
    *made = (bipe_score_report){.format = format, .setup = setup, .groups = groups, .output = output,
                                .table = {.setup = setup, .output = output}};
    made->pool = bipe_tool_alloc(setup->lengths->count, sizeof *made->pool);
    for (size_t i = 0; i < setup->lengths->count; i++)
        bipe_score_pool_open(&made->pool[i], setup->combinations);
    return made;
}

/* Nothing is written before there is something to say. Failures stay in the output until it is flushed. */
static void report_begin(bipe_score_report *report)
{
    if (report->begun)
        return;
    report->begun = true;
    switch (report->format) {
    case BIPE_SCORE_JSON: json_begin(report); break;
    case BIPE_SCORE_CSV: score_csv_head(report->output, report->setup); break;
    default: bipe_score_table_begin(&report->table); break;
    }
}

/* A row as CSV, with its comparison, which is among the findings from the given one on. */
static void csv_compared(bipe_score_report *report, const bipe_score_row *row, size_t from)
{
    const bipe_score_comparison *found = NULL;
    for (size_t i = from; i < report->findings.comparisons && found == NULL; i++) {
        const bipe_score_comparison *c = &report->findings.comparison[i];
        if (c->b == row->combination && c->length == row->length && c->file == row->file && c->group == row->group &&
            !c->macro)
            found = c;
    }
    score_row_csv(report->output, report->setup, row, found);
}

int bipe_score_report_file(bipe_score_report *report, bipe_score_row *row, const bipe_loss_units *layout,
                           bipe_error *err)
{
    size_t combinations = report->setup->combinations, lengths = report->setup->lengths->count, some = 0,
           before = report->findings.comparisons;
    for (size_t i = 0; i < lengths; i++)
        bipe_score_compare_file(report->setup, &row[i * combinations], layout, &report->pool[i], &report->findings);
    for (size_t i = 0; i < lengths * combinations; i++)
        some += row[i].length > 0;
    if (some > 0)
        report_begin(report);
    if (some > 0 && report->format == BIPE_SCORE_TABLE)
        bipe_score_table_file(&report->table, row);
    for (size_t c = 0; c < combinations && report->format != BIPE_SCORE_TABLE; c++)
        for (size_t i = 0; i < lengths; i++) {
            const bipe_score_row *one = &row[i * combinations + c];
            if (one->length > 0 && report->format == BIPE_SCORE_JSON)
                json_row(report, one, layout);
            else if (one->length > 0)
                csv_compared(report, one, before);
        }
    report->files++;
    return bipe_output_flush(report->output, err);
}

/* Of all files at the first length that has a row. */
static void note_clusters(const bipe_score_report *report)
{
    const bipe_score_findings *findings = &report->findings;
    for (size_t i = 0; i < findings->rows && report->setup->shard.count == 0; i++)
        if (findings->row[i].group == NULL) {
            bipe_clusters_note(report->setup->tool, report->setup->cluster, findings->row[i].error.estimate.units);
            return;
        }
}

int bipe_score_report_end(bipe_score_report *report, const bipe_score_work *work, bool complete, bipe_error *err)
{
    const bipe_score_findings *findings = &report->findings;
    for (size_t i = 0; i < report->setup->lengths->count; i++)
        bipe_score_compare_all(report->setup, &report->pool[i], report->groups, &report->findings);
    bipe_score_correct(&report->findings);
    note_clusters(report);
    if (report->format == BIPE_SCORE_JSON) {
        report_begin(report);
        json_end(report, work, complete && findings->rows > 0);
        return bipe_json_close(&report->json, err);
    }
    if (report->format == BIPE_SCORE_TABLE && findings->rows > 0)
        bipe_score_table_end(&report->table, findings);
    for (size_t r = 0; r < findings->rows && report->format == BIPE_SCORE_CSV; r++)
        if (findings->row[r].group != NULL || report->setup->file_count > 1) /* with one file its rows have said it */
            csv_compared(report, &findings->row[r], 0);
    return bipe_output_flush(report->output, err);
}

void bipe_score_report_close(bipe_score_report *report)
{
    if (report == NULL)
        return;
    for (size_t i = 0; i < report->setup->lengths->count; i++)
        bipe_score_pool_close(&report->pool[i]);
    bipe_free(report->pool);
    bipe_score_findings_free(&report->findings);
    bipe_free(report);
}
