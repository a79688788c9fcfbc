/* eval_report.c - the output of bipe-eval: a table for people, JSON and CSV for programs. */
#include <math.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "cli/clusters.h"
#include "cli/columns.h"
#include "cli/power.h"
#include "cli/run_record.h"
#include "cli/tool_alloc.h"
#include "text/label.h"
#include "tools/eval/bipe_eval.h"

/* A line of results: of some files, for a model and a metric, and how the model compares with the first. */
typedef struct row {
    const char *model, *first, *segmenter, *task, *file, *metric; /* file NULL: of all files */
    const char *one;     /* of several models; else NULL */
    const char *nothing; /* NULL */
    uint64_t records, skipped, truncated;
    double needed;       /* NaN: --power is not given, or it is not known */
    bipe_eval_estimate of, less; /* its value, and less that of the first model: NaN and NULL for that one */
    double p_holm;       /* less.estimate.p, corrected for all comparisons of files, or of all files together */
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
    CELL(NUMBER, less.estimate.p, .name = "p", .heading = "p", .width = 6, .decimals = 4),
    CELL(NUMBER, p_holm, .name = "p_holm", .heading = "Holm", .width = 6, .decimals = 4),
    CELL(NUMBER, needed, .name = "needed", .heading = "needed", .width = 7),
};

enum { COLUMNS = BIPE_COUNT_OF(columns), HOLM_AT = COLUMNS - 2, NEEDED_AT = COLUMNS - 1 };

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
    CELL(NUMBER, p_holm, .member = "p_holm"),
    CELL(TEXT, less.test, .member = "test"),
    CELL(NUMBER, needed, .member = "needed"), /* with --power */
};

/* ---- rows ---- */

/* All rows of a report, for each group those of each metric and model: files one by one, and then all where there are
 * several. */
typedef struct table {
    const bipe_eval_run *run;
    size_t groups, each;  /* rows of a group */
    row *row;             /* (groups * each) */
    size_t corrected;     /* the most comparisons for which p is corrected */
} table;

/* The row of a metric and a model in a group. It is filled in its place, since its texts are in it. */
static int fill_row(const bipe_eval_run *run, size_t group, size_t i, row *r, bipe_error *err)
{
    const double none = (double)NAN;
    const bool all = group == run->results;
    const bipe_eval_result *results = all ? run->result : &run->result[group];
    const size_t count = all ? run->results : 1, metric = run->task->metric[i / run->models], m = i % run->models;
    *r = (row){.model = run->about[m].name, .first = run->about[0].name, .segmenter = run->about[m].segmenter,
               .task = run->task_name, .file = all ? NULL : results->file, .metric = bipe_metrics[metric].name,
               .one = run->models > 1 ? run->about[m].name : NULL, .needed = none, .p_holm = none,
               .less = {.estimate = {none, none, none, none, none, 0}}};
    for (size_t f = 0; f < count; f++) {
        for (uint64_t k = 0; k < results[f].records; k++)
            r->chance += results[f].values[k * run->models].chance;
        r->records += results[f].records;
        r->skipped += results[f].skipped;
        r->truncated += results[f].truncated;
    }
    r->chance = r->chance > 0 ? r->chance / (double)r->records : none;
    int status = bipe_eval_estimate_metric(&r->of, run, results, count, m, metric, err);
    if (status == BIPE_OK && m > 0)
        status = bipe_eval_estimate_difference(&r->less, run, results, count, m, metric, err);
    uint64_t needed = bipe_power_needed(run->given.power, &r->less.estimate);
    if (status == BIPE_OK && m > 0 && needed != BIPE_UNITS_UNKNOWN)
        r->needed = (double)needed;
    return status;
}

/* Corrects p of rows from .. to - 1 for all of them. */
static int correct_rows(table *t, size_t from, size_t to, bipe_error *err)
{
    size_t count = 0;
    double *p = bipe_tool_alloc(to - from, sizeof *p);
    for (size_t i = from; i < to; i++) {
        p[i - from] = t->row[i].less.estimate.p;
        count += !isnan(p[i - from]);
    }
    int status = bipe_correct_holm(p, to - from, err);
    for (size_t i = from; i < to; i++)
        t->row[i].p_holm = p[i - from];
    t->corrected = t->corrected > count ? t->corrected : count;
    bipe_free(p);
    return status;
}

static int make_table(table *t, const bipe_eval_run *run, bipe_error *err)
{
    int status = BIPE_OK;
    *t = (table){.run = run, .groups = run->results + (run->results > 1), .each = run->task->metrics * run->models};
    t->row = bipe_tool_alloc(t->groups * t->each, sizeof *t->row);
    for (size_t i = 0; i < t->groups * t->each && status == BIPE_OK; i++)
        status = fill_row(run, i / t->each, i % t->each, &t->row[i], err);
    if (status == BIPE_OK)
        status = correct_rows(t, 0, run->results * t->each, err);
    if (status == BIPE_OK)
        status = correct_rows(t, run->results * t->each, t->groups * t->each, err);
    return status;
}

/* ---- JSON and CSV ---- */

static void json_rows(bipe_json *json, const char *key, const table *t, const bipe_column *column, size_t count,
                      bool comparisons)
{
    bipe_json_key_array(json, key);
    for (size_t i = 0; i < t->groups * t->each; i++) {
        if (comparisons && t->row[i].less.test == NULL)
            continue;
        bipe_json_begin_object(json);
        bipe_columns_json(json, column, count, &t->row[i]);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

static void write_json(bipe_eval_run *run, const table *t)
{
    bipe_json json;
    bipe_tool_json(&json, run->output, "bipe-eval");
    bipe_eval_write_about(run, &json);
    json_rows(&json, "results", t, columns, COLUMNS, false);
    if (run->models > 1)
        json_rows(&json, "comparisons", t, comparison_columns,
                  BIPE_COUNT_OF(comparison_columns) - (run->given.power == NULL), true);
    if (run->shard.count > 0)
        bipe_eval_write_shard(run, &json);
    bipe_run_record_put(&run->tool, &json);
    bipe_json_end_object(&json);
    bipe_json_close(&json, NULL);
}

static void write_csv(bipe_eval_run *run, const table *t)
{
    bipe_columns_head(run->output, columns, COLUMNS, ',');
    for (size_t i = 0; i < t->groups * t->each; i++)
        bipe_columns_line(run->output, columns, COLUMNS, ',', &t->row[i]);
}

/* ---- the table ---- */

enum { NAME_WIDTH = 24 };

/* The columns of values, or of differences; r NULL: their headings. */
static void table_line(const table *t, const char *name, bool differences, const row *r)
{
    bipe_output *output = t->run->output;
    const bipe_task *task = t->run->task;
    bipe_column chosen[COLUMNS];
    size_t count = 0, end = differences ? COLUMNS : DIFFERENCES_AT;
    for (size_t i = 0; i < end; i++)
        if ((i < VALUES_AT || i >= DIFFERENCES_AT || !differences) && (i != HOLM_AT || t->corrected > 1) &&
            (i != NEEDED_AT || t->run->given.power != NULL))
            chosen[count++] = columns[i];
    for (size_t i = 0; i < task->metrics; i++) { /* the names of metrics, on the left */
        const int size = (int)strlen(bipe_metrics[task->metric[i]].name);
        if (size > -chosen[VALUES_AT - 1].width)
            chosen[VALUES_AT - 1].width = -size;
    }
    int fill = NAME_WIDTH - (int)bipe_label_columns(name);
    bipe_output_name(output, name, NULL);
    bipe_output_printf(output, NULL, "%*s", fill > 0 ? fill : 0, "");
    if (r == NULL)
        bipe_columns_table_head(output, chosen, count);
    else
        bipe_columns_table(output, chosen, count, r);
    bipe_output_printf(output, NULL, "\n");
}

/* The rows of a group. */
static void table_group(const table *t, size_t group, bool differences)
{
    for (size_t i = group * t->each; i < (group + 1) * t->each; i++) {
        const row *r = &t->row[i];
        if (!differences || r->less.test != NULL)
            table_line(t, r->one != NULL ? r->one : r->file != NULL ? r->file : "all files", differences, r);
    }
}

static void write_table(bipe_eval_run *run, const table *t)
{
    bipe_output *output = run->output;
    bool some = false;
    for (size_t i = 0; i < run->results; i++)
        some = some || run->result[i].records > 0;
    if (some && run->models == 1)
        table_line(t, run->task_name, false, NULL);
    for (size_t i = 0; i < t->groups && some; i++) {
        const char *name = i == run->results ? "all files" : run->result[i].file;
        if (run->models > 1) {
            bipe_output_printf(output, NULL, "%s", i > 0 ? "\n" : "");
            if (name != NULL) /* predictions do not say what FILE they are about */
                bipe_output_name(output, name, NULL);
            bipe_output_printf(output, NULL, name != NULL ? "\n" : "");
            table_line(t, "model", false, NULL);
        }
        table_group(t, i, false);
        if (run->models > 1) {
            table_line(t, "model", true, NULL);
            table_group(t, i, true);
        }
    }
}

/* What the errors are from, and what numbers are needed. */
static void table_notes(bipe_eval_run *run, size_t clusters, size_t corrected)
{
    bipe_output *output = run->output;
    char words[64];
    bipe_output_printf(output, NULL, clusters > 1 || corrected > 1 || run->given.power != NULL ? "\n" : "");
    if (corrected > 1)
        bipe_output_printf(output, NULL, "Holm: p, corrected for all comparisons%s\n",
                           run->results > 1 ? " of single files, and for those of all files together" : "");
    if (clusters > 1) {
        bipe_output_printf(output, NULL, "errors are from %zu clusters by ", clusters);
        bipe_output_name(output, run->given.cluster, NULL);
        bipe_output_printf(output, NULL, "\n");
    }
    if (run->given.power != NULL)
        bipe_output_printf(output, NULL, "needed: %s for a difference of %s\n",
                           run->given.cluster != NULL ? "clusters" : "records",
                           bipe_power_words(run->given.power, words));
}

int bipe_eval_report(bipe_eval_run *run, bipe_error *err)
{
    table t;
    size_t clusters = 0;
    int status = make_table(&t, run, err);
    if (status == BIPE_OK && run->given.cluster != NULL)
        status = bipe_eval_clusters(run, &clusters, err);
    if (status == BIPE_OK && run->given.json) {
        write_json(run, &t);
    } else if (status == BIPE_OK && run->given.csv) {
        write_csv(run, &t);
    } else if (status == BIPE_OK) {
        write_table(run, &t);
        table_notes(run, clusters, t.corrected);
    }
    if (status == BIPE_OK && run->shard.count == 0)
        bipe_clusters_note(&run->tool, run->given.cluster, clusters);
    bipe_free(t.row);
    return status;
}
