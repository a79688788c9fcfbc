/* eval_shard.c - shards of a run: what --shard writes beside results, and what --merge makes of it. Values are written
 * exactly ("%a"), so that the merged result has the bytes that one run would have printed.
 *
 *   "complete" (false: a file could not be read to its end),
 *   "shard":{"run","index","count","seed","names":[...],"segmenters":[...],"metrics":[...],
 *     "files":[{"file","skipped","truncated","records":[[NUMBER,(CLUSTER,)"VALUE ...",...],...]}]}
 *
 * where a record has its cluster, with --cluster, and a text for each model: its values by metric, and what chance
 * gets. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "cli/columns.h"
#include "cli/result_shards.h"
#include "cli/tool_alloc.h"
#include "tools/eval/bipe_eval.h"

enum { VALUES_MOST = BIPE_METRICS_MOST + 1, FILES_MOST = 1 << 20 };

/* The values of a record that are written. Returns how many. */
static size_t list_values(bipe_task_values *v, double *value[VALUES_MOST])
{
    size_t count = 0;
    for (size_t i = 0; bipe_metrics[i].name != NULL; i++)
        if (!bipe_metrics[i].combined)
            value[count++] = &v->value[i];
    value[count++] = &v->chance;
    return count;
}

/* ---- what results say of their run, and what --merge reads again ---- */

#define ABOUT(type, field, ...) BIPE_COLUMN(bipe_eval_about, type, field, __VA_ARGS__)
#define OF_RUN(type, field, ...) BIPE_COLUMN(bipe_eval_run, type, field, __VA_ARGS__)
#define OF_FILE(type, field, ...) BIPE_COLUMN(bipe_eval_result, type, field, __VA_ARGS__)

static const bipe_column about_columns[] = {
    ABOUT(TEXT, path, .member = "model.path", .optional = true), /* without one there is no model */
    ABOUT(TEXT, scheme, .member = "model.scheme"),
    ABOUT(UINT, parameters, .member = "model.parameters"),
    ABOUT(UINT, train_length, .member = "model.train_length"),
    ABOUT(TEXT, segmenter, .member = "segmenter", .or_null = true),
    ABOUT(TEXT, precision, .member = "precision"),
};

enum { OF_TASK = 5 };
static const bipe_column run_columns[] = {
    OF_RUN(TEXT, task_name, .member = "task.name"),
    OF_RUN(TEXT, task_version, .member = "task.version", .or_null = true),
    OF_RUN(UINT, given.shots, .member = "task.shots"),
    OF_RUN(TEXT, given.cluster, .member = "task.cluster", .optional = true),
    OF_RUN(TEXT, given.power, .member = "power", .optional = true),
    OF_RUN(UINT, given.seed, .member = "shard.seed"),
};

static const bipe_column file_columns[] = {
    OF_FILE(TEXT, file, .member = "file"),
    OF_FILE(UINT, skipped, .member = "skipped"),
    OF_FILE(UINT, truncated, .member = "truncated"),
};

/* ---- writing ---- */

void bipe_eval_write_about(const bipe_eval_run *run, bipe_json *json)
{
    if (run->about[0].path == NULL)
        bipe_json_key_text(json, "model", NULL);
    bipe_columns_json(json, about_columns, BIPE_COUNT_OF(about_columns), &run->about[0]);
    bipe_columns_json(json, run_columns, OF_TASK, run);
}

/* The common part of the shards of a run. */
static uint64_t hash_run(const bipe_eval_run *run)
{
    const bipe_eval_options *given = &run->given;
    uint64_t hash = bipe_hash_uint(BIPE_HASH_EMPTY, run->task->hash);
    for (size_t m = 0; m < run->models; m++) {
        const bipe_eval_about *a = &run->about[m];
        hash = bipe_hash_text(bipe_hash_text(bipe_hash_text(bipe_hash_text(hash, a->path), a->scheme), a->segmenter),
                              a->precision);
        hash = bipe_hash_uint(bipe_hash_uint(hash, a->parameters), a->train_length);
    }
    const uint64_t number[] = {given->shots,  given->limit, given->length, given->seed, (uint64_t)(given->truncate + 1),
                               given->special};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        hash = bipe_hash_uint(hash, number[i]);
    hash = bipe_hash_text(bipe_hash_text(bipe_hash_text(hash, given->tokenizer), given->scaling), given->shots_from);
    hash = bipe_hash_text(hash, given->cluster);
    for (size_t i = 0; i < run->results; i++)
        hash = bipe_hash_text(hash, run->result[i].file);
    return hash;
}

static void json_names(bipe_json *json, const char *key, const bipe_eval_run *run, bool segmenters)
{
    bipe_json_key_flat_array(json, key);
    for (size_t m = 0; m < run->models; m++)
        bipe_json_text(json, segmenters ? run->about[m].segmenter : run->about[m].name);
    bipe_json_end_array(json);
}

static void json_record(bipe_json *json, const bipe_eval_run *run, const bipe_eval_result *r, size_t record)
{
    bipe_json_begin_flat_array(json);
    bipe_json_uint(json, r->values[record * run->models].number);
    if (run->given.cluster != NULL)
        bipe_json_uint(json, r->values[record * run->models].cluster);
    for (size_t m = 0; m < run->models; m++) {
        double *value[VALUES_MOST];
        size_t count = list_values(&r->values[record * run->models + m], value);
        char text[32 * VALUES_MOST] = "";
        for (size_t i = 0, used = 0; i < count; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%a", i > 0 ? " " : "", *value[i]);
        bipe_json_text(json, text);
    }
    bipe_json_end_array(json);
}

void bipe_eval_write_shard(const bipe_eval_run *run, bipe_json *json)
{
    bipe_json_key_bool(json, "complete", !run->incomplete);
    bipe_result_shard_begin(json, hash_run(run), &run->shard);
    bipe_columns_json_inner(json, run_columns + OF_TASK, 1, run);
    json_names(json, "names", run, false);
    json_names(json, "segmenters", run, true);
    bipe_json_key_flat_array(json, "metrics");
    for (size_t i = 0; i < run->task->metrics; i++)
        bipe_json_text(json, bipe_metrics[run->task->metric[i]].name);
    bipe_json_end_array(json);
    bipe_json_key_array(json, "files");
    for (size_t i = 0; i < run->results; i++) {
        const bipe_eval_result *r = &run->result[i];
        bipe_json_begin_object(json);
        bipe_columns_json(json, file_columns, BIPE_COUNT_OF(file_columns), r);
        bipe_json_key_array(json, "records");
        for (size_t k = 0; k < r->records; k++)
            json_record(json, run, r, k);
        bipe_json_end_array(json);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
    bipe_json_end_object(json);
}

/* ---- merging ---- */

typedef struct merging {
    bipe_eval_run *run;
    json_t *first;        /* texts of the run are in it */
} merging;

/* The models of a run. */
static void load_models(bipe_result *r, bipe_eval_run *run, const json_t *root, const json_t *shard)
{
    const json_t *names = json_object_get(shard, "names"), *segmenters = json_object_get(shard, "segmenters");
    size_t models = json_array_size(names);
    bipe_result_expect(r, models > 0 && models <= BIPE_LENGTH_LIMIT && json_array_size(segmenters) == models,
                       "shard.names", "a list of models, and segmenters for as many");
    if (r->status != BIPE_OK)
        return;
    run->about = bipe_tool_alloc(models, sizeof *run->about);
    bipe_columns_read(r, root, about_columns, BIPE_COUNT_OF(about_columns), &run->about[0]);
    run->models = models;
    for (size_t m = 0; m < models; m++) {
        run->about[m].name = json_string_value(json_array_get(names, m));
        run->about[m].segmenter = json_string_value(json_array_get(segmenters, m));
        bipe_result_expect(r, run->about[m].name != NULL && run->about[m].segmenter != NULL, "shard.names", "texts");
    }
}

static void load_task(bipe_result *r, bipe_eval_run *run, const json_t *root, const json_t *shard)
{
    const json_t *metrics = json_object_get(shard, "metrics");
    bipe_task *task = run->task = bipe_tool_alloc(1, sizeof *task);
    bipe_columns_read(r, root, run_columns, BIPE_COUNT_OF(run_columns), run);
    size_t count = json_array_size(metrics);
    bipe_result_expect(r, count > 0 && count <= BIPE_METRICS_MOST, "shard.metrics", "a list of metrics");
    for (size_t i = 0; i < count && r->status == BIPE_OK; i++) {
        const char *metric = json_string_value(json_array_get(metrics, i));
        size_t k = metric != NULL ? bipe_metric_find(metric) : SIZE_MAX;
        bipe_result_expect(r, k != SIZE_MAX, "shard.metrics", "metrics that bipe-eval knows");
        task->metric[task->metrics++] = k;
    }
}

static void load_values(bipe_result *r, const json_t *text, bipe_task_values *v)
{
    const char *at = json_string_value(text);
    double *value[VALUES_MOST];
    size_t count = list_values(v, value);
    for (size_t i = 0; i < count && r->status == BIPE_OK; i++) {
        char *end = NULL;
        if (at != NULL)
            *value[i] = strtod(at, &end);
        bool number = at != NULL && end != at && *value[i] >= 0 && *value[i] <= 1;
        bipe_result_expect(r, number && *end == (i + 1 < count ? ' ' : '\0'), "records", "numbers from 0 to 1");
        at = r->status == BIPE_OK ? end + 1 : NULL;
    }
}

static void take_records(bipe_result *r, const bipe_eval_run *run, const json_t *records, bipe_eval_result *result)
{
    bipe_task_values *values = bipe_tool_alloc(run->models, sizeof *values);
    size_t before = run->given.cluster != NULL ? 2 : 1; /* what comes before the values */
    for (size_t i = 0; i < json_array_size(records) && r->status == BIPE_OK; i++) {
        const json_t *record = json_array_get(records, i);
        bipe_result_expect(r,
                           json_array_size(record) == run->models + before &&
                               bipe_result_number(json_array_get(record, 0), &values->number) &&
                               (before == 1 || bipe_result_number(json_array_get(record, 1), &values->cluster)),
                           "records", "a number and the values of each model");
        for (size_t m = 0; m < run->models; m++)
            load_values(r, json_array_get(record, m + before), &values[m]);
        if (r->status == BIPE_OK)
            bipe_eval_add(run, result, values);
    }
    bipe_free(values);
}

static void take_files(bipe_result *r, bipe_eval_run *run, const json_t *files, bool first)
{
    size_t count = json_array_size(files);
    bipe_result_expect(r, count > 0 && count <= FILES_MOST && (first || count == run->results), "shard.files",
                       "the files of the run");
    if (first && r->status == BIPE_OK) {
        run->result = bipe_tool_alloc(count, sizeof *run->result);
        run->results = count;
    }
    strcpy(r->where, "shard.files.");
    for (size_t i = 0; i < count && r->status == BIPE_OK; i++) {
        bipe_eval_result *result = &run->result[i];
        bipe_eval_result own = {0};
        const json_t *file = json_array_get(files, i), *records = NULL;
        bipe_columns_read(r, file, file_columns, BIPE_COUNT_OF(file_columns), &own);
        BIPE_MEMBERS(r, file, BIPE_MEMBER("records", LIST, &records));
        if (first)
            result->file = own.file; /* of the first result, which is kept */
        result->skipped += own.skipped;
        result->truncated += own.truncated;
        take_records(r, run, records, result);
    }
}

static void take_result(void *context, bipe_result *r, bool first)
{
    merging *m = context;
    const json_t *shard = json_object_get(r->root, "shard");
    if (first) {
        m->first = json_incref(r->root);
        load_models(r, m->run, r->root, shard);
    }
    if (first && r->status == BIPE_OK)
        load_task(r, m->run, r->root, shard);
    if (r->status == BIPE_OK)
        take_files(r, m->run, json_object_get(shard, "files"), first);
}

static int by_number(const void *x, const void *y)
{
    const bipe_task_values *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

int bipe_eval_sort(const bipe_eval_run *run, bipe_eval_result *r, bipe_error *err)
{
    if (r->records > 1)
        qsort(r->values, r->records, run->models * sizeof *r->values, by_number);
    for (size_t i = run->models; i < r->records * run->models; i += run->models)
        if (r->values[i].number == r->values[i - run->models].number)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: record %" PRIu64 " is in two shards", r->file,
                             r->values[i].number);
    return BIPE_OK;
}

int bipe_eval_merge(bipe_eval_run *run, bipe_files files)
{
    merging m = {.run = run};
    bipe_error err = {0};
    int status = bipe_result_shards_gather(&run->tool, files, "bipe-eval --shard --json", take_result, &m, &err);
    for (size_t i = 0; i < run->results && status == BIPE_OK; i++)
        status = bipe_eval_sort(run, &run->result[i], &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&run->output, run->given.output, &err);
    if (status == BIPE_OK)
        status = bipe_eval_report(run, &err);
    json_decref(m.first);
    return bipe_tool_end(&run->tool, status, &run->output, &err);
}
