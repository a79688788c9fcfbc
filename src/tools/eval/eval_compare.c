/* eval_compare.c - compares runs by their predictions: --compare reads the metrics of each record from the lines that
 * --predictions wrote, matches records by id, and reports what all have as if all models had been asked at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/result_file.h"
#include "cli/tool_alloc.h"
#include "tools/eval/bipe_eval.h"

enum { MISSING_NAMED = 10 };

/* A line of predictions. */
typedef struct prediction {
    uint64_t id;            /* a hash */
    size_t order;           /* in its file */
    size_t again;           /* earlier lines of the file with the same id: several FILEs may have the same ones */
    char *name;             /* the id */
    const char *missing;    /* a file that has no such record */
    bool truncated;
    bipe_task_values values;
} prediction;

typedef struct predictions {
    bipe_eval_run *run;
    const char *path;
    json_t *model;          /* of the first line; NULL: it has none */
    prediction *line;       /* [count] */
    size_t count, capacity;
    size_t next;            /* the first that has no place yet among those of other files */
} predictions;

/* ---- reading ---- */

/* The metrics of the first line of all are those that are compared. */
static int take_metrics(bipe_eval_run *run, json_t *metrics, bipe_task_values *values, bipe_error *err)
{
    static const char expected[] = "the metrics of the first line, as --predictions writes them (--score judges "
                                   "predictions of other programs)";
    const char *name;
    json_t *value;
    bipe_task *task = run->task;
    bool first = task->metrics == 0;
    size_t found = 0;
    json_object_foreach(metrics, name, value) {
        size_t metric = bipe_metric_find(name);
        double number = json_number_value(value);
        if (metric == SIZE_MAX || bipe_metrics[metric].combined || !json_is_number(value) ||
            !(number >= 0 && number <= 1))
            return bipe_result_wrong(err, "member metrics.", name,
                                     "a metric that bipe-eval knows, and a number from 0 to 1");
        if (first && task->metrics < BIPE_METRICS_MOST)
            task->metric[task->metrics++] = metric;
        for (size_t i = 0; i < task->metrics; i++)
            found += task->metric[i] == metric;
        values->value[metric] = number;
    }
    return found == task->metrics && found > 0 && json_object_size(metrics) == found
               ? BIPE_OK
               : bipe_result_wrong(err, "member ", "metrics", expected);
}

static int take_line(void *context, const bipe_eval_records *records, json_t *record, bipe_error *err)
{
    predictions *p = context;
    bipe_eval_run *run = p->run;
    bipe_buffer id = {0}, cluster = {0};
    prediction line = {.order = p->count};
    json_t *model = json_object_get(record, "model");
    if (p->count == 0)
        p->model = json_incref(model);
    int status = bipe_eval_read_id(record, &id, err);
    if (status == BIPE_OK && !json_equal(model, p->model) && (model != NULL || p->model != NULL))
        status = bipe_result_wrong(err, "", "model", "predictions of one model");
    if (status == BIPE_OK)
        status = take_metrics(run, json_object_get(record, "metrics"), &line.values, err);
    if (status == BIPE_OK && p->path == run->about[0].name) /* the first file says what its records are */
        status = bipe_eval_cluster(run, 0, p->path, records->number, record, &cluster, &line.values.cluster, err);
    if (status == BIPE_OK) {
        line.id = bipe_eval_id_key(&id);
        line.name = bipe_tool_alloc(id.size + 1, 1);
        memcpy(line.name, id.data, id.size);
        line.truncated = json_is_true(json_object_get(record, "truncated"));
        bipe_tool_grow(&p->line, &p->capacity, p->count + 1, sizeof *p->line);
        p->line[p->count++] = line;
    }
    bipe_buffer_free(&id);
    bipe_buffer_free(&cluster);
    return status;
}

/* ---- matching ---- */

static int compare_order(const void *x, const void *y)
{
    const prediction *a = x, *b = y;
    return (a->order > b->order) - (a->order < b->order);
}

static int compare_ids(const void *x, const void *y)
{
    const prediction *a = x, *b = y;
    return a->id != b->id ? (a->id < b->id ? -1 : 1) : compare_order(x, y);
}

static void sort_lines(predictions *p, int (*compare)(const void *, const void *))
{
    if (p->count > 1)
        qsort(p->line, p->count, sizeof *p->line, compare);
}

static int compare_records(const prediction *a, const prediction *b)
{
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a->again > b->again) - (a->again < b->again);
}

/* The record that comes next, of all files; NULL: there is none left. */
static const prediction *next_record(const predictions *p, size_t files)
{
    const prediction *next = NULL;
    for (size_t f = 0; f < files; f++)
        if (p[f].next < p[f].count && (next == NULL || compare_records(&p[f].line[p[f].next], next) < 0))
            next = &p[f].line[p[f].next];
    return next;
}

/* Takes the records that all files have; others are marked. values: (files) */
static void match_records(bipe_eval_run *run, predictions *p, bipe_task_values *values)
{
    size_t files = run->models;
    for (const prediction *next; (next = next_record(p, files)) != NULL;) {
        const prediction key = *next;
        const char *missing = NULL;
        bool truncated = false;
        for (size_t f = 0; f < files; f++)
            if (p[f].next == p[f].count || compare_records(&p[f].line[p[f].next], &key) != 0)
                missing = run->about[f].name;
        for (size_t f = 0; f < files; f++) {
            if (p[f].next == p[f].count || compare_records(&p[f].line[p[f].next], &key) != 0)
                continue;
            prediction *line = &p[f].line[p[f].next++];
            line->missing = missing;
            values[f] = line->values;
            truncated = truncated || line->truncated;
        }
        if (missing == NULL) {
            bipe_eval_add(run, run->result, values);
            run->result->truncated += truncated;
        } else {
            run->result->skipped++;
        }
    }
}

/* Names the records of a file, in their order, that another one lacks. */
static void report_missing(bipe_eval_run *run, const predictions *p, const char *missing)
{
    char names[256] = "";
    size_t count = 0, named = 0, used = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->line[i].missing != missing)
            continue;
        if (count++ == named && named < MISSING_NAMED && used + strlen(p->line[i].name) + 8 < sizeof names) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s '%s'", named > 0 ? "," : ":",
                                     p->line[i].name);
            named++;
        }
    }
    if (count > 0) {
        bipe_error err;
        bipe_fail(&err, BIPE_ERR_FORMAT, "%s: %zu of %zu records left out, as %s has no prediction of %s%s%s",
                  bipe_input_shown(p->path), count, p->count, bipe_input_shown(missing), count == 1 ? "it" : "them",
                  names, named > 0 && named < count ? ", ..." : "");
        bipe_tool_error(&run->tool, &err);
    }
}

/* ---- the comparison ---- */

static int read_files(bipe_eval_run *run, predictions *p, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t f = 0; f < run->models && status == BIPE_OK; f++) {
        p[f].run = run;
        p[f].path = run->about[f].name;
        status = bipe_eval_records_each(run->about[f].name, &run->tool, take_line, &p[f], err);
        sort_lines(&p[f], compare_ids);
        for (size_t i = 1; i < p[f].count; i++)
            p[f].line[i].again = p[f].line[i].id == p[f].line[i - 1].id ? p[f].line[i - 1].again + 1 : 0;
        for (size_t i = 0; i < p[f].count; i++)
            p[f].line[i].values.number = p[f].line[i].order;
    }
    return status;
}

int bipe_eval_compare(bipe_eval_run *run, bipe_files files)
{
    bipe_error err = {0};
    predictions *p = bipe_tool_alloc(files.count, sizeof *p);
    bipe_task_values *values = bipe_tool_alloc(files.count, sizeof *values);
    run->about = bipe_tool_alloc(files.count, sizeof *run->about);
    run->result = bipe_tool_alloc(1, sizeof *run->result);
    run->task = bipe_tool_alloc(1, sizeof *run->task);
    for (run->models = 0; run->models < files.count; run->models++)
        run->about[run->models].name = files.path[run->models];
    run->results = 1;
    int status = bipe_eval_open_cluster(run, &err);
    if (status == BIPE_OK)
        status = read_files(run, p, &err);
    if (status == BIPE_OK) {
        match_records(run, p, values);
        for (size_t f = 0; f < files.count; f++) {
            sort_lines(&p[f], compare_order);
            for (size_t other = 0; other < files.count; other++)
                report_missing(run, &p[f], run->about[other].name);
        }
        run->tool.some_done = run->result->records > 0;
        status = bipe_eval_sort(run, run->result, &err);
    }
    if (status == BIPE_OK)
        status = bipe_output_open(&run->output, run->given.output, &err);
    if (status == BIPE_OK)
        status = bipe_eval_report(run, &err);
    for (size_t f = 0; f < files.count; f++) {
        for (size_t i = 0; i < p[f].count; i++)
            bipe_free(p[f].line[i].name);
        bipe_free(p[f].line);
        json_decref(p[f].model);
    }
    bipe_free(p);
    bipe_free(values);
    return bipe_tool_end(&run->tool, status, &run->output, &err);
}
