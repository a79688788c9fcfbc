/* eval_report.c - the output of bipe-eval: a table for people, JSON and CSV for programs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "cli/csv.h"
#include "cli/run_record.h"
#include "text/label.h"
#include "tools/eval/bipe_eval.h"

/* A line of results: of some files, for a model and a metric. */
typedef struct row {
    const char *file;               /* NULL: of all files */
    uint64_t records, skipped, truncated;
    size_t model;
    size_t metric;
    bipe_eval_estimate value, difference; /* difference: not of the first model */
    double chance;                  /* what choosing blindly gets; 0: not known */
} row;

/* Failures to write stay in the output. */
typedef void row_function(const bipe_eval_run *run, void *context, const row *r);

/* Calls `take` for each metric and model of some files. */
static int each_row(const bipe_eval_run *run, const bipe_eval_result *results, size_t count, const char *file, row_function *take, void *context,
                    bipe_error *err)
{
    row r = {.file = file};
    int status = BIPE_OK;
    for (size_t i = 0; i < count; i++) {
        for (uint64_t k = 0; k < results[i].records; k++)
            r.chance += results[i].values[k * run->models].chance;
        r.records += results[i].records;
        r.skipped += results[i].skipped;
        r.truncated += results[i].truncated;
    }
    r.chance /= r.records > 0 ? (double)r.records : 1;
    for (size_t k = 0; k < run->task->metrics; k++)
        for (r.model = 0; r.model < run->models && status == BIPE_OK; r.model++) {
            r.metric = run->task->metric[k];
            status = bipe_eval_estimate_metric(&r.value, run, results, count, r.model, r.metric, err);
            if (status == BIPE_OK && r.model > 0)
                status = bipe_eval_estimate_difference(&r.difference, run, results, count, r.model, r.metric, err);
            if (status == BIPE_OK)
                take(run, context, &r);
        }
    return status;
}

/* The rows of each file, and of all where there are several. */
static int all_rows(const bipe_eval_run *run, row_function *take, void *context, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < run->results && status == BIPE_OK; i++)
        status = each_row(run, &run->result[i], 1, run->result[i].file, take, context, err);
    return status == BIPE_OK && run->results > 1 ? each_row(run, run->result, run->results, NULL, take, context, err) : status;
}

/* ---- JSON ---- */

static void json_interval(bipe_json *json, const bipe_estimate *e)
{
    if (isfinite(e->low) && isfinite(e->high))
        bipe_json_key_pair(json, "interval", e->low, e->high);
    else
        bipe_json_key_text(json, "interval", NULL);
}

static void json_row(const bipe_eval_run *run, void *context, const row *r)
{
    bipe_json *json = context;
    bipe_json_begin_object(json);
    if (run->models > 1)
        bipe_json_key_text(json, "model", run->about[r->model].name);
    bipe_json_key_text(json, "task", run->task->name);
    bipe_json_key_text(json, "file", r->file);
    bipe_json_key_uint(json, "records", r->records);
    bipe_json_key_uint(json, "skipped", r->skipped);
    bipe_json_key_uint(json, "truncated", r->truncated);
    bipe_json_key_text(json, "metric", bipe_metrics[r->metric].name);
    bipe_json_key_number(json, "value", r->value.estimate.value);
    bipe_json_key_number(json, "stderr", r->value.estimate.error);
    json_interval(json, &r->value.estimate);
    bipe_json_key_text(json, "method", r->value.method);
    if (r->chance > 0)
        bipe_json_key_number(json, "chance", r->chance);
    bipe_json_end_object(json);
}

static void json_comparison(const bipe_eval_run *run, void *context, const row *r)
{
    bipe_json *json = context;
    if (r->model == 0)
        return;
    bipe_json_begin_object(json);
    bipe_json_key_text(json, "task", run->task->name);
    bipe_json_key_text(json, "file", r->file);
    bipe_json_key_text(json, "metric", bipe_metrics[r->metric].name);
    bipe_json_key_text(json, "a", run->about[0].name);
    bipe_json_key_text(json, "b", run->about[r->model].name);
    bipe_json_key_uint(json, "records", r->records);
    bipe_json_key_number(json, "difference", r->difference.estimate.value);
    bipe_json_key_number(json, "stderr", r->difference.estimate.error);
    json_interval(json, &r->difference.estimate);
    bipe_json_key_text(json, "method", r->difference.method);
    bipe_json_key_number(json, "p", r->difference.estimate.p);
    bipe_json_key_text(json, "test", r->difference.test);
    bipe_json_end_object(json);
}

/* The model that answered first; null where predictions were judged. */
static void json_model(bipe_json *json, const bipe_eval_about *about)
{
    if (about->path == NULL) {
        bipe_json_key_text(json, "model", NULL);
    } else {
        bipe_json_key_object(json, "model");
        bipe_json_key_text(json, "path", about->path);
        bipe_json_key_text(json, "scheme", about->scheme);
        bipe_json_key_uint(json, "parameters", about->parameters);
        bipe_json_key_uint(json, "train_length", about->train_length);
        bipe_json_end_object(json);
    }
    bipe_json_key_text(json, "segmenter", about->segmenter);
    bipe_json_key_text(json, "precision", about->precision);
}

static int write_json(bipe_eval_run *run, bipe_error *err)
{
    bipe_json json;
    bipe_tool_json(&json, run->output, "bipe-eval");
    json_model(&json, run->about);
    bipe_json_key_object(&json, "task");
    bipe_json_key_text(&json, "name", run->task->name);
    bipe_json_key_text(&json, "version", run->task->version);
    bipe_json_key_uint(&json, "shots", run->given.shots);
    bipe_json_end_object(&json);
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

static void eval_csv_row(const bipe_eval_run *run, void *context, const row *r)
{
    (void)context;
    const bipe_estimate *e = &r->value.estimate, *d = &r->difference.estimate;
    const double none = (double)NAN, value[] = {e->value, e->error, e->low, e->high}, difference[] = {d->value, d->error, d->low, d->high, d->p};
    const bipe_eval_about *model = &run->about[r->model];
    const char *const field[] = {model->name, model->segmenter != NULL ? model->segmenter : "", run->task->name, r->file != NULL ? r->file : "total"};
    for (size_t i = 0; i < sizeof field / sizeof field[0]; i++)
        bipe_csv_field(run->output, field[i]);
    bipe_output_printf(run->output, NULL, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s", r->records, r->skipped,
                       r->truncated, bipe_metrics[r->metric].name);
    bipe_csv_numbers(run->output, value, sizeof value / sizeof value[0]);
    bipe_output_printf(run->output, NULL, ",%s", r->value.method);
    for (size_t i = 0; i < sizeof difference / sizeof difference[0]; i++)
        bipe_csv_number(run->output, r->model > 0 ? difference[i] : none);
    bipe_output_printf(run->output, NULL, "\n");
}

static int write_csv(bipe_eval_run *run, bipe_error *err)
{
    bipe_output_printf(run->output, NULL, "model,segmenter,task,file,records,skipped,truncated,metric,value,stderr,low,high,method,"
                                          "difference,difference_stderr,difference_low,difference_high,p\n");
    return all_rows(run, eval_csv_row, NULL, err);
}

/* ---- the table ---- */

enum { NAME_WIDTH = 24 };

/* A number of the table; a dash if it is not known. */
static const char *format_cell(char cell[16], double value, bool sign)
{
    if (isfinite(value))
        snprintf(cell, 16, sign ? "%+.4f" : "%.4f", value);
    else
        snprintf(cell, 16, "-");
    return cell;
}

/* The first column. */
static void table_name(const bipe_eval_run *run, const char *name)
{
    int fill = NAME_WIDTH - (int)bipe_label_columns(name);
    bipe_output_name(run->output, name, NULL);
    bipe_output_printf(run->output, NULL, "%*s", fill > 0 ? fill : 0, "");
}

static void eval_table_row(const bipe_eval_run *run, void *context, const row *r)
{
    char value[16], error[16], low[16], high[16], p[16], interval[40] = "-";
    bool differences = context != NULL;
    const bipe_estimate *e = differences ? &r->difference.estimate : &r->value.estimate;
    if (differences && r->model == 0)
        return;
    if (isfinite(e->low) && isfinite(e->high))
        snprintf(interval, sizeof interval, "[%s, %s]", format_cell(low, e->low, differences), format_cell(high, e->high, differences));
    table_name(run, run->models > 1 ? run->about[r->model].name : r->file != NULL ? r->file : "all files");
    bipe_output_printf(run->output, NULL, " %7" PRIu64 " %7" PRIu64 " %9" PRIu64 "  %-8s %8s %7s  %s", r->records, r->skipped, r->truncated,
                       bipe_metrics[r->metric].name, format_cell(value, e->value, differences),
                       format_cell(error, e->error, false), interval);
    if (differences)
        bipe_output_printf(run->output, NULL, "%*s%s", 20 - (int)strlen(interval), "", format_cell(p, e->p, false));
    bipe_output_printf(run->output, NULL, "\n");
}

static void table_head(const bipe_eval_run *run, const char *first, const char *last)
{
    table_name(run, first);
    bipe_output_printf(run->output, NULL, " %7s %7s %9s  %-8s %8s %7s  95 %% interval%s\n", "records", "skipped", "truncated", "metric",
                       last[0] == '\0' ? "value" : "vs first", "stderr", last);
}

static int write_table(bipe_eval_run *run, bipe_error *err)
{
    int status = BIPE_OK;
    bool several = run->models > 1, some = false;
    for (size_t i = 0; i < run->results; i++)
        some = some || run->result[i].records > 0;
    if (!some)
        return BIPE_OK;
    if (!several && run->results > 0) {
        table_head(run, run->task->name, "");
        return all_rows(run, eval_table_row, NULL, err);
    }
    for (size_t i = 0; i < run->results + (run->results > 1) && status == BIPE_OK; i++) {
        bool all = i == run->results;
        const bipe_eval_result *first = all ? run->result : &run->result[i];
        size_t count = all ? run->results : 1;
        const char *file = all ? NULL : first->file;
        bipe_output_printf(run->output, NULL, "%s", i > 0 ? "\n" : "");
        bipe_output_name(run->output, all ? "all files" : file, NULL);
        bipe_output_printf(run->output, NULL, "\n");
        table_head(run, "model", "");
        status = each_row(run, first, count, file, eval_table_row, NULL, err);
        table_head(run, "model", "       p");
        if (status == BIPE_OK)
            status = each_row(run, first, count, file, eval_table_row, run, err);
    }
    return status;
}

int bipe_eval_report(bipe_eval_run *run, bipe_error *err)
{
    return run->given.json ? write_json(run, err) : run->given.csv ? write_csv(run, err) : write_table(run, err);
}
