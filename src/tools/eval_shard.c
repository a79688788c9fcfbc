/* eval_shard.c - shards of a run: what --shard writes beside results, and what --merge makes of it. Values are written exactly ("%a"), so that the
 * merged result has the bytes that one run would have printed.
 *
 *   "shard":{"run","index","count","seed","names":[...],"segmenters":[...],"metrics":[...],
 *     "files":[{"file","skipped","truncated","records":[[NUMBER,"VALUE ...",...],...]}]}
 *
 * where a record has a text for each model: its values by bipe_metric. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "tools/bipe_eval.h"
#include "tools/result_file.h"
#include "tools/stats_shards.h"

enum { VALUES = BIPE_METRIC_ROUGE_L + 1, FILES_MOST = 1 << 20 };

/* ---- writing ---- */

/* The common part of the shards of a run. */
static uint64_t hash_run(const bipe_eval_run *run)
{
    const bipe_eval_options *given = &run->given;
    uint64_t hash = bipe_hash_uint(BIPE_HASH_EMPTY, run->task->hash);
    for (size_t m = 0; m < run->models; m++) {
        const bipe_eval_about *a = &run->about[m];
        hash = bipe_hash_text(bipe_hash_text(bipe_hash_text(bipe_hash_text(hash, a->path), a->scheme), a->segmenter), a->precision);
        hash = bipe_hash_uint(bipe_hash_uint(hash, a->parameters), a->train_length);
    }
    const uint64_t number[] = {given->shots, given->limit, given->length, given->seed, (uint64_t)(given->truncate + 1), given->special};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        hash = bipe_hash_uint(hash, number[i]);
    hash = bipe_hash_text(bipe_hash_text(bipe_hash_text(hash, given->tokenizer), given->scaling), given->shots_from);
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
    for (size_t m = 0; m < run->models; m++) {
        const bipe_eval_values *v = &r->values[record * run->models + m];
        char text[32 * VALUES] = "";
        for (size_t i = 0, used = 0; i < VALUES; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%a", i > 0 ? " " : "", v->value[i]);
        bipe_json_text(json, text);
    }
    bipe_json_end_array(json);
}

void bipe_eval_write_shard(const bipe_eval_run *run, bipe_json *json)
{
    char hash[BIPE_RESULT_HASH_SIZE];
    snprintf(hash, sizeof hash, "%016" PRIx64, hash_run(run));
    bipe_json_key_object(json, "shard");
    bipe_json_key_text(json, "run", hash);
    bipe_json_key_uint(json, "index", run->shard.index);
    bipe_json_key_uint(json, "count", run->shard.count);
    bipe_json_key_uint(json, "seed", run->given.seed);
    json_names(json, "names", run, false);
    json_names(json, "segmenters", run, true);
    bipe_json_key_flat_array(json, "metrics");
    for (size_t i = 0; i < run->task->metrics; i++)
        bipe_json_text(json, bipe_metric_names[run->task->metric[i]]);
    bipe_json_end_array(json);
    bipe_json_key_array(json, "files");
    for (size_t i = 0; i < run->results; i++) {
        const bipe_eval_result *r = &run->result[i];
        bipe_json_begin_object(json);
        bipe_json_key_text(json, "file", r->file);
        bipe_json_key_uint(json, "skipped", r->skipped);
        bipe_json_key_uint(json, "truncated", r->truncated);
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

static int bad_member(bipe_error *err, const char *where, const char *expected)
{
    return bipe_result_wrong(err, "shard.", where, expected);
}

/* The models of a run. */
static int load_models(bipe_eval_run *run, const json_t *root, const json_t *shard, bipe_error *err)
{
    const json_t *names = json_object_get(shard, "names"), *segmenters = json_object_get(shard, "segmenters");
    size_t models = json_array_size(names);
    if (models == 0 || models > BIPE_LENGTH_LIMIT || json_array_size(segmenters) != models)
        return bad_member(err, "names", "a list of models, and segmenters for as many");
    run->about = bipe_alloc(models, sizeof *run->about);
    if (run->about == NULL)
        return bipe_fail_memory(err);
    run->models = models;
    for (size_t m = 0; m < models; m++) {
        run->about[m].name = json_string_value(json_array_get(names, m));
        run->about[m].segmenter = json_string_value(json_array_get(segmenters, m));
        if (run->about[m].name == NULL || run->about[m].segmenter == NULL)
            return bad_member(err, "names", "texts");
    }
    const char *scheme;
    bipe_eval_about *a = &run->about[0];
    int status = bipe_result_members(json_object_get(root, "model"), "model.", (const bipe_result_member[]){
        BIPE_MEMBER("path", TEXT, &a->path), BIPE_MEMBER("scheme", TEXT, &scheme), BIPE_MEMBER("parameters", UINT, &a->parameters),
        BIPE_MEMBER("train_length", UINT, &a->train_length), {0}}, err);
    if (status == BIPE_OK)
        status = bipe_result_members(root, "", (const bipe_result_member[]){BIPE_MEMBER("precision", TEXT, &a->precision), {0}}, err);
    if (status == BIPE_OK && strlen(scheme) >= sizeof a->scheme)
        return bipe_result_wrong(err, "model.", "scheme", "a scheme");
    if (status == BIPE_OK)
        strcpy(a->scheme, scheme);
    return status;
}

static int load_task(bipe_eval_run *run, const json_t *root, const json_t *shard, bipe_error *err)
{
    const json_t *metrics = json_object_get(shard, "metrics");
    const char *name, *version = NULL;
    run->task = bipe_alloc(1, sizeof *run->task);
    if (run->task == NULL)
        return bipe_fail_memory(err);
    int status = bipe_result_members(json_object_get(root, "task"), "task.", (const bipe_result_member[]){
        BIPE_MEMBER("name", TEXT, &name), BIPE_MEMBER("version", TEXT, &version, .optional = true),
        BIPE_MEMBER("shots", UINT, &run->given.shots), {0}}, err);
    if (status == BIPE_OK)
        status = bipe_result_members(shard, "shard.", (const bipe_result_member[]){BIPE_MEMBER("seed", UINT, &run->given.seed), {0}}, err);
    if (status != BIPE_OK)
        return status;
    run->task->name = bipe_strdup(name);
    run->task->version = version != NULL ? bipe_strdup(version) : NULL;
    if (run->task->name == NULL || (version != NULL && run->task->version == NULL))
        return bipe_fail_memory(err);
    if (json_array_size(metrics) == 0 || json_array_size(metrics) > BIPE_METRICS)
        return bad_member(err, "metrics", "a list of metrics");
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const char *metric = json_string_value(json_array_get(metrics, i));
        size_t k = 0;
        while (metric != NULL && k < BIPE_METRICS && strcmp(bipe_metric_names[k], metric) != 0)
            k++;
        if (metric == NULL || k == BIPE_METRICS)
            return bad_member(err, "metrics", "metrics that bipe-eval knows");
        run->task->metric[run->task->metrics++] = (bipe_metric)k;
    }
    return BIPE_OK;
}

static int load_values(const json_t *text, bipe_eval_values *v, bipe_error *err)
{
    const char *at = json_string_value(text);
    for (size_t i = 0; i < VALUES; i++) {
        char *end = NULL;
        if (at != NULL)
            v->value[i] = strtod(at, &end);
        if (at == NULL || end == at || !(v->value[i] >= 0 && v->value[i] <= 1) || *end != (i + 1 < VALUES ? ' ' : '\0'))
            return bad_member(err, "files.records", "numbers from 0 to 1");
        at = end + 1;
    }
    return BIPE_OK;
}

static int take_records(const bipe_eval_run *run, const json_t *records, bipe_eval_result *r, bipe_error *err)
{
    bipe_eval_values *values = bipe_alloc(run->models, sizeof *values);
    int status = values != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; i < json_array_size(records) && status == BIPE_OK; i++) {
        const json_t *record = json_array_get(records, i);
        if (json_array_size(record) != run->models + 1 || !bipe_result_number(json_array_get(record, 0), &values->number))
            status = bad_member(err, "files.records", "a number and the values of each model");
        for (size_t m = 0; m < run->models && status == BIPE_OK; m++)
            status = load_values(json_array_get(record, m + 1), &values[m], err);
        if (status == BIPE_OK)
            status = bipe_eval_add(run, r, values, err);
    }
    bipe_free(values);
    return status;
}

static int take_files(bipe_eval_run *run, const json_t *files, bool first, bipe_error *err)
{
    size_t count = json_array_size(files);
    int status = BIPE_OK;
    if (count == 0 || count > FILES_MOST || (!first && count != run->results))
        return bad_member(err, "files", "the files of the run");
    if (first) {
        run->result = bipe_alloc(count, sizeof *run->result);
        if (run->result == NULL)
            return bipe_fail_memory(err);
        run->results = count;
    }
    for (size_t i = 0; i < count && status == BIPE_OK; i++) {
        bipe_eval_result *r = &run->result[i];
        const char *name;
        const json_t *records;
        uint64_t skipped, truncated;
        status = bipe_result_members(json_array_get(files, i), "shard.files.", (const bipe_result_member[]){
            BIPE_MEMBER("file", TEXT, &name), BIPE_MEMBER("skipped", UINT, &skipped), BIPE_MEMBER("truncated", UINT, &truncated),
            BIPE_MEMBER("records", LIST, &records), {0}}, err);
        if (status != BIPE_OK)
            return status;
        if (first)
            r->file = name; /* of the first result, which is kept */
        r->skipped += skipped;
        r->truncated += truncated;
        status = take_records(run, records, r, err);
    }
    return status;
}

static int take_result(void *context, json_t *root, bool first, bipe_error *err)
{
    merging *m = context;
    const json_t *shard = json_object_get(root, "shard");
    if (first)
        m->first = json_incref(root);
    int status = first ? load_models(m->run, root, shard, err) : BIPE_OK;
    if (status == BIPE_OK && first)
        status = load_task(m->run, root, shard, err);
    return status == BIPE_OK ? take_files(m->run, json_object_get(shard, "files"), first, err) : status;
}

static int by_number(const void *x, const void *y)
{
    const bipe_eval_values *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

/* Puts the records of a file in order, as one run has them. */
static int sort_records(const bipe_eval_run *run, bipe_eval_result *r, bipe_error *err)
{
    if (r->records > 1)
        qsort(r->values, r->records, run->models * sizeof *r->values, by_number);
    for (size_t i = run->models; i < r->records * run->models; i += run->models)
        if (r->values[i].number == r->values[i - run->models].number)
            return bipe_fail(err, BIPE_ERR_FORMAT, "%s: record %" PRIu64 " is in two shards", r->file, r->values[i].number);
    return BIPE_OK;
}

int bipe_eval_merge(bipe_eval_run *run, bipe_files files)
{
    merging m = {.run = run};
    bipe_error err = {0};
    int status = stats_shards_gather(files, "bipe-eval --shard --json", take_result, &m, &err);
    for (size_t i = 0; i < run->results && status == BIPE_OK; i++)
        status = sort_records(run, &run->result[i], &err);
    if (status == BIPE_OK)
        status = bipe_output_open(&run->output, run->given.output, &err);
    if (status == BIPE_OK)
        status = bipe_eval_report(run, &err);
    json_decref(m.first);
    return bipe_tool_end(&run->tool, status, &run->output, &err);
}
