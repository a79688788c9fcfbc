/* eval_report.c - the output of bipe-eval: a table for people, JSON and CSV for programs. */
#include <math.h>

#include "base/json_writer.h"
#include "cli/clusters.h"
#include "cli/columns.h"
#include "cli/run_record.h"
#include "text/label.h"
#include "tools/eval/bipe_eval.h"

/* A line of results: of some files, for a model and a metric, and how the model compares with the first. */
typedef struct row {
    const char *model, *first, *segmenter, *task, *file, *metric; /* file NULL: of all files */
    const char *one;     /* of several models; else NULL */
    const char *nothing; /* NULL */
    uint64_t records, skipped, truncated;
    bipe_eval_estimate of, less; /* its value, and less that of the first model: NaN and NULL for that one */
    double chance;       /* what choosing blindly gets; NaN: not known */
} row;

_Static_assert(offsetof(bipe_estimate, high) == offsetof(bipe_estimate, low) + sizeof(double), "an interval is a pair");

#define CELL(type, field, ...) BIPE_COLUMN(row, type, field, __VA_ARGS__)
#define BLANK CELL(TEXT, nothing, .heading = "")

/* JSON and CSV have all, in this order. The table has those before VALUES_AT, and then either part. */
static const bipe_column columns[] = {
    CELL(TEXT, one, .member = "model", .optional = true),
    CELL(TEXT, model, .name = "model"),
    CELL(TEXT, segmenter, .name = "segmenter"),
    CELL(TEXT, task, .member = "task", .name = "task"),
    CELL(TEXT, file, .member = "file", .name = "file", .absent = "total"),
    CELL(UINT, records, .member = "records", .name = "records", .heading = "records", .width = 7),
    CELL(UINT, skipped, .member = "skipped", .name = "skipped", .heading = "skipped", .width = 7),
    CELL(UINT, truncated, .member = "truncated", .name = "truncated", .heading = "truncated", .width = 9),
    BLANK,
    CELL(TEXT, metric, .member = "metric", .name = "metric", .heading = "metric", .width = -8),
#define VALUES_AT 10
    CELL(NUMBER, of.estimate.value, .member = "value", .name = "value", .heading = "value", .width = 8, .decimals = 4),
    CELL(NUMBER, of.estimate.error, .member = "stderr", .name = "stderr", .heading = "stderr", .width = 7,
         .decimals = 4),
    BLANK,
    CELL(INTERVAL, of.estimate.low, .member = "interval", .name = "low,high", .heading = "95 % interval",
         .decimals = 4),
    CELL(TEXT, of.method, .member = "method", .name = "method"),
    CELL(NUMBER, chance, .member = "chance", .optional = true),
#define DIFFERENCES_AT 16
    CELL(NUMBER, less.estimate.value, .name = "difference", .heading = "vs first", .width = 8, .decimals = 4,
         .form = BIPE_CELL_SIGNED),
    CELL(NUMBER, less.estimate.error, .name = "difference_stderr", .heading = "stderr", .width = 7, .decimals = 4),
    BLANK,
    CELL(INTERVAL, less.estimate.low, .name = "difference_low,difference_high", .heading = "95 % interval",
         .width = -19, .decimals = 4, .form = BIPE_CELL_SIGNED),
    CELL(NUMBER, less.estimate.p, .name = "p", .heading = "p", .decimals = 4),
};

enum { COLUMNS = BIPE_COUNT_OF(columns) };

static const bipe_column comparison_columns[] = {
    CELL(TEXT, task, .member = "task"),
    CELL(TEXT, file, .member = "file"),
    CELL(TEXT, metric, .member = "metric"),
    CELL(TEXT, first, .member = "a"),
    CELL(TEXT, model, .member = "b"),
    CELL(UINT, records, .member = "records"),
    CELL(NUMBER, less.estimate.value, .member = "difference"),
    CELL(NUMBER, less.estimate.error, .member = "stderr"),
    CELL(INTERVAL, less.estimate.low, .member = "interval"),
    CELL(TEXT, less.method, .member = "method"),
    CELL(NUMBER, less.estimate.p, .member = "p"),
    CELL(TEXT, less.test, .member = "test"),
};

/* Failures to write stay in the output. */
typedef void row_function(void *context, const row *r);

/* Files one by one, and then all where there are several. */
static size_t count_groups(const bipe_eval_run *run)
{
    return run->results + (run->results > 1);
}

/* Calls `take` for each metric and model of a group. */
static int each_row(const bipe_eval_run *run, size_t group, row_function *take, void *context, bipe_error *err)
{
    const double none = (double)NAN;
    const bool all = group == run->results;
    const bipe_eval_result *results = all ? run->result : &run->result[group];
    const size_t count = all ? run->results : 1;
    row r = {.first = run->about[0].name, .task = run->task_name, .file = all ? NULL : results->file};
    int status = BIPE_OK;
    for (size_t i = 0; i < count; i++) {
        for (uint64_t k = 0; k < results[i].records; k++)
            r.chance += results[i].values[k * run->models].chance;
        r.records += results[i].records;
        r.skipped += results[i].skipped;
        r.truncated += results[i].truncated;
    }
    r.chance = r.chance > 0 ? r.chance / (double)r.records : none;
    for (size_t i = 0; i < run->task->metrics * run->models && status == BIPE_OK; i++) {
        size_t metric = run->task->metric[i / run->models], m = i % run->models;
        r.model = run->about[m].name;
        r.one = run->models > 1 ? r.model : NULL;
        r.segmenter = run->about[m].segmenter;
        r.metric = bipe_metrics[metric].name;
        r.less = (bipe_eval_estimate){.estimate = {none, none, none, none, none, 0}};
        status = bipe_eval_estimate_metric(&r.of, run, results, count, m, metric, err);
        if (status == BIPE_OK && m > 0)
            status = bipe_eval_estimate_difference(&r.less, run, results, count, m, metric, err);
        if (status == BIPE_OK)
            take(context, &r);
    }
    return status;
}

static int all_rows(const bipe_eval_run *run, row_function *take, void *context, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < count_groups(run) && status == BIPE_OK; i++)
        status = each_row(run, i, take, context, err);
    return status;
}

/* ---- JSON ---- */

static void json_row(void *json, const row *r)
{
    bipe_json_begin_object(json);
    bipe_columns_json(json, columns, COLUMNS, r);
    bipe_json_end_object(json);
}

static void json_comparison(void *json, const row *r)
{
    if (r->less.test == NULL)
        return;
    bipe_json_begin_object(json);
    bipe_columns_json(json, comparison_columns, BIPE_COUNT_OF(comparison_columns), r);
    bipe_json_end_object(json);
}

static int write_json(bipe_eval_run *run, bipe_error *err)
{
    bipe_json json;
    bipe_tool_json(&json, run->output, "bipe-eval");
    bipe_eval_write_about(run, &json);
    bipe_json_key_array(&json, "results");
    int status = all_rows(run, json_row, &json, err);
    bipe_json_end_array(&json);
    if (status == BIPE_OK && run->models > 1) {
        bipe_json_key_array(&json, "comparisons");
        status = all_rows(run, json_comparison, &json, err);
        bipe_json_end_array(&json);
    }
    if (run->shard.count > 0)
        bipe_eval_write_shard(run, &json);
    bipe_run_record_put(&run->tool, &json);
    bipe_json_end_object(&json);
    bipe_json_close(&json, NULL);
    return status;
}

/* ---- CSV ---- */

static void csv_row(void *output, const row *r)
{
    bipe_columns_line(output, columns, COLUMNS, ',', r);
}

static int write_csv(bipe_eval_run *run, bipe_error *err)
{
    bipe_columns_head(run->output, columns, COLUMNS, ',');
    return all_rows(run, csv_row, run->output, err);
}

/* ---- the table ---- */

enum { NAME_WIDTH = 24 };

/* The columns of values, or of differences; r NULL: their headings. */
static void table_line(bipe_output *output, const char *name, bool differences, const row *r)
{
    const bipe_column *part = columns + (differences ? DIFFERENCES_AT : VALUES_AT);
    size_t count = differences ? COLUMNS - DIFFERENCES_AT : DIFFERENCES_AT - VALUES_AT;
    int fill = NAME_WIDTH - (int)bipe_label_columns(name);
    bipe_output_name(output, name, NULL);
    bipe_output_printf(output, NULL, "%*s", fill > 0 ? fill : 0, "");
    if (r == NULL) {
        bipe_columns_table_head(output, columns, VALUES_AT);
        bipe_columns_table_head(output, part, count);
    } else {
        bipe_columns_table(output, columns, VALUES_AT, r);
        bipe_columns_table(output, part, count, r);
    }
    bipe_output_printf(output, NULL, "\n");
}

static void table_value(void *output, const row *r)
{
    table_line(output, r->one != NULL ? r->one : r->file != NULL ? r->file : "all files", false, r);
}

static void table_difference(void *output, const row *r)
{
    if (r->less.test != NULL)
        table_line(output, r->one, true, r);
}

static int write_table(bipe_eval_run *run, bipe_error *err)
{
    int status = BIPE_OK;
    bipe_output *output = run->output;
    bool some = false;
    for (size_t i = 0; i < run->results; i++)
        some = some || run->result[i].records > 0;
    if (!some)
        return BIPE_OK;
    if (run->models == 1) {
        table_line(output, run->task_name, false, NULL);
        return all_rows(run, table_value, output, err);
    }
    for (size_t i = 0; i < count_groups(run) && status == BIPE_OK; i++) {
        bipe_output_printf(output, NULL, "%s", i > 0 ? "\n" : "");
        const char *name = i == run->results ? "all files" : run->result[i].file;
        if (name != NULL) /* predictions do not say what FILE they are about */
            bipe_output_name(output, name, NULL);
        bipe_output_printf(output, NULL, name != NULL ? "\n" : "");
        table_line(output, "model", false, NULL);
        status = each_row(run, i, table_value, output, err);
        table_line(output, "model", true, NULL);
        if (status == BIPE_OK)
            status = each_row(run, i, table_difference, output, err);
    }
    return status;
}

int bipe_eval_report(bipe_eval_run *run, bipe_error *err)
{
    const char *by = run->given.cluster;
    size_t clusters = 0;
    int status = by != NULL ? bipe_eval_clusters(run, &clusters, err) : BIPE_OK;
    if (status == BIPE_OK)
        status = run->given.json  ? write_json(run, err)
                 : run->given.csv ? write_csv(run, err)
                                  : write_table(run, err);
    if (status == BIPE_OK && clusters > 1 && !run->given.json && !run->given.csv) {
        bipe_output_printf(run->output, NULL, "\nerrors are from %zu clusters by ", clusters);
        bipe_output_name(run->output, by, NULL);
        bipe_output_printf(run->output, NULL, "\n");
    }
    if (status == BIPE_OK && run->shard.count == 0)
        bipe_clusters_note(&run->tool, by, clusters);
    return status;
}
