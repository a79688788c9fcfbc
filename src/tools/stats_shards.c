/* stats_shards.c - groups of shards: put together, compared with what should be there, written and read. */
#include "tools/stats_shards.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tools/result_file.h"

enum { WHERE_SIZE = 48, MOST_FILES = 1 << 20, MARGIN = 64 };

static void free_group(stats_group *g)
{
    bipe_free(g->index);
    bipe_free(g->file);
}

void stats_shards_free(stats_shards *s)
{
    for (size_t i = 0; i < s->count; i++)
        free_group(&s->group[i]);
    bipe_free(s->group);
    *s = (stats_shards){0};
}

/* Appends an empty group for `indices` and `files`. */
static stats_group *new_group(stats_shards *s, size_t indices, size_t files)
{
    stats_group *grown = bipe_realloc(s->group, s->count + 1, sizeof *grown);
    if (grown == NULL)
        return NULL;
    s->group = grown;
    stats_group *g = &s->group[s->count];
    *g = (stats_group){.file_count = files, .documents = files != 0};
    g->index = bipe_alloc(indices, sizeof *g->index);
    g->file = bipe_alloc(files, sizeof *g->file);
    if (g->index == NULL || g->file == NULL) {
        free_group(g);
        return NULL;
    }
    s->count++;
    return g;
}

stats_group *stats_shards_add(stats_shards *s, const char *settings, uint64_t index, uint64_t count, size_t file_count)
{
    stats_group *g = new_group(s, 1, file_count);
    if (g == NULL)
        return NULL;
    snprintf(g->settings, sizeof g->settings, "%s", settings);
    g->index[g->index_count++] = index;
    g->count = count;
    return g;
}

static int merge_group(stats_group *into, const stats_group *from, bipe_error *err)
{
    if (into->count != from->count || into->documents != from->documents || into->file_count != from->file_count)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "holds shards of %" PRIu64 ", expected shards of %" PRIu64
                         " as in a file before it: these overlap", from->count, into->count);
    size_t n = into->index_count + from->index_count, a = 0, b = 0;
    uint64_t *both = bipe_alloc(n, sizeof *both);
    if (both == NULL)
        return bipe_fail_memory(err);
    for (size_t k = 0; k < n; k++) {
        bool first = b == from->index_count || (a < into->index_count && into->index[a] <= from->index[b]);
        both[k] = first ? into->index[a++] : from->index[b++];
        if (k != 0 && both[k] == both[k - 1]) {
            int status = bipe_fail(err, BIPE_ERR_ARGUMENT, "holds shard %" PRIu64 " of %" PRIu64 ", which a file before it holds too",
                                   both[k], into->count);
            bipe_free(both);
            return status;
        }
    }
    bipe_free(into->index);
    into->index = both;
    into->index_count = n;
    for (size_t i = 0; i < into->file_count; i++) {
        into->file[i].good += from->file[i].good;
        into->file[i].bad += from->file[i].bad;
    }
    into->errors += from->errors;
    into->inputs[0] = '\0';
    return BIPE_OK;
}

int stats_shards_merge(stats_shards *into, const stats_shards *from, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < from->count && status == BIPE_OK; i++) {
        const stats_group *g = &from->group[i];
        size_t k = 0;
        while (k < into->count && strcmp(into->group[k].settings, g->settings) != 0)
            k++;
        if (k < into->count) {
            status = merge_group(&into->group[k], g, err);
            continue;
        }
        stats_group *copy = new_group(into, g->index_count, g->file_count);
        if (copy == NULL)
            return bipe_fail_memory(err);
        uint64_t *index = copy->index;
        stats_file_read *file = copy->file;
        *copy = *g;
        copy->index = index;
        copy->file = file;
        memcpy(index, g->index, g->index_count * sizeof *index);
        memcpy(file, g->file, g->file_count * sizeof *file);
    }
    return status;
}

uint64_t stats_shards_files(const stats_shards *s)
{
    uint64_t files = 0;
    for (size_t i = 0; i < s->count; i++) {
        const stats_group *g = &s->group[i];
        for (size_t f = 0, k = 0; f < g->file_count; f++) {
            /* The shard that a file would belong to as a whole knows that it is there. There are more shards than files. */
            while (k < g->index_count && g->index[k] < f)
                k++;
            bool there = k < g->index_count && g->index[k] == f;
            files += g->file[f].good != 0 || (there && g->file[f].bad == 0);
        }
    }
    return files;
}

void stats_shards_settle(stats_shards *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->group[i].index_count == s->group[i].count)
            free_group(&s->group[i]);
        else
            s->group[kept++] = s->group[i];
    }
    s->count = kept;
}

void stats_group_missing(const stats_group *g, bipe_error *err)
{
    char list[BIPE_ERROR_SIZE / 2] = "";
    size_t used = 0;
    uint64_t missing = g->count - g->index_count, next = 0;
    for (size_t k = 0; k <= g->index_count; k++) {
        uint64_t to = k < g->index_count ? g->index[k] : g->count; /* [next, to) are missing */
        if (next < to && used + MARGIN >= sizeof list) {
            snprintf(list + used, sizeof list - used, " and others");
            break;
        }
        if (next + 1 == to)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRIu64, used != 0 ? ", " : "", next);
        else if (next < to)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRIu64 "-%" PRIu64, used != 0 ? ", " : "", next, to - 1);
        next = to + 1;
    }
    bipe_fail(err, BIPE_ERR_FORMAT, "%s %s of %" PRIu64 " %s missing, expected results of all", missing == 1 ? "shard" : "shards", list,
              g->count, missing == 1 ? "is" : "are");
}

/* ---- JSON ---- */

void stats_shards_write(const stats_shards *s, bipe_json *json)
{
    if (s->count == 0)
        return;
    bipe_json_key(json, "shards");
    bipe_json_begin_array(json);
    for (size_t i = 0; i < s->count; i++) {
        const stats_group *g = &s->group[i];
        bipe_json_begin_object(json);
        bipe_json_key_text(json, "settings", g->settings);
        bipe_json_key_text(json, "unit", g->documents ? "document" : "file");
        bipe_json_key_uint(json, "count", g->count);
        bipe_json_key(json, "index");
        bipe_json_begin_flat_array(json);
        for (size_t k = 0; k < g->index_count; k++)
            bipe_json_uint(json, g->index[k]);
        bipe_json_end_array(json);
        if (g->documents) {
            bipe_json_key(json, "read");
            bipe_json_begin_flat_array(json);
            for (size_t f = 0; f < g->file_count; f++) {
                bipe_json_begin_flat_array(json);
                bipe_json_uint(json, g->file[f].good);
                bipe_json_uint(json, g->file[f].bad);
                bipe_json_end_array(json);
            }
            bipe_json_end_array(json);
        }
        bipe_json_key_uint(json, "errors", g->errors);
        if (g->inputs[0] != '\0')
            bipe_json_key_text(json, "inputs", g->inputs);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

static bool get_hash(const json_t *value, char hash[STATS_HASH_SIZE])
{
    const char *text = json_string_value(value);
    if (text == NULL || json_string_length(value) != STATS_HASH_SIZE - 1 || strspn(text, "0123456789abcdef") != STATS_HASH_SIZE - 1)
        return false;
    memcpy(hash, text, STATS_HASH_SIZE);
    return true;
}

static bool get_uint(const json_t *value, uint64_t *number)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *number = (uint64_t)json_integer_value(value);
    return true;
}

static int load_group(stats_shards *s, const json_t *object, const char *where, bipe_error *err)
{
    const json_t *index = json_object_get(object, "index"), *read = json_object_get(object, "read");
    const char *unit = json_string_value(json_object_get(object, "unit"));
    uint64_t count;
    if (!get_uint(json_object_get(object, "count"), &count) || count < 1 || count > BIPE_SHARDS_MOST)
        return bipe_result_wrong(err, where, "count", "a number of shards from 1 to 1000000");
    if (unit == NULL || (strcmp(unit, "file") != 0 && strcmp(unit, "document") != 0))
        return bipe_result_wrong(err, where, "unit", "\"file\" or \"document\"");
    bool documents = strcmp(unit, "document") == 0;
    size_t indices = json_array_size(index), files = documents ? json_array_size(read) : 0;
    if (indices < 1 || indices > count)
        return bipe_result_wrong(err, where, "index", "a list of shards");
    if (documents && (files < 1 || files > MOST_FILES || files >= count))
        return bipe_result_wrong(err, where, "read", "a pair for each file, fewer than there are shards");
    stats_group *g = new_group(s, indices, files);
    if (g == NULL)
        return bipe_fail_memory(err);
    g->count = count;
    if (!get_hash(json_object_get(object, "settings"), g->settings))
        return bipe_result_wrong(err, where, "settings", "16 hexadecimal digits");
    if (json_object_get(object, "inputs") != NULL && !get_hash(json_object_get(object, "inputs"), g->inputs))
        return bipe_result_wrong(err, where, "inputs", "16 hexadecimal digits");
    if (!get_uint(json_object_get(object, "errors"), &g->errors) || g->errors > UINT64_C(1) << 40)
        return bipe_result_wrong(err, where, "errors", "a number up to 2^40");
    for (size_t k = 0; k < indices; k++)
        if (!get_uint(json_array_get(index, k), &g->index[k]) || g->index[k] >= count || (k != 0 && g->index[k] <= g->index[k - 1]))
            return bipe_result_wrong(err, where, "index", "rising numbers below count");
    g->index_count = indices;
    for (size_t f = 0; f < files; f++) {
        const json_t *pair = json_array_get(read, f);
        stats_file_read *file = &g->file[f];
        if (json_array_size(pair) != 2 || !get_uint(json_array_get(pair, 0), &file->good) ||
            !get_uint(json_array_get(pair, 1), &file->bad) || file->good > UINT32_MAX * UINT64_C(1024) ||
            file->bad > UINT32_MAX * UINT64_C(1024))
            return bipe_result_wrong(err, where, "read", "pairs of the documents that were read and that could not be");
    }
    return BIPE_OK;
}

int stats_shards_load(stats_shards *s, const json_t *array, bipe_error *err)
{
    if (array == NULL)
        return BIPE_OK;
    if (!json_is_array(array))
        return bipe_result_wrong(err, "", "shards", "a list");
    stats_shards single = {0};
    int status = BIPE_OK;
    for (size_t i = 0; i < json_array_size(array) && status == BIPE_OK; i++) {
        char where[WHERE_SIZE];
        snprintf(where, sizeof where, "shards[%zu].", i);
        status = load_group(&single, json_array_get(array, i), where, err);
        for (size_t k = 0; k < i && status == BIPE_OK; k++)
            if (strcmp(single.group[k].settings, single.group[i].settings) == 0)
                status = bipe_result_wrong(err, where, "settings", "others than those before");
    }
    if (status == BIPE_OK)
        *s = single;
    else
        stats_shards_free(&single);
    return status;
}

int stats_shards_take(stats_shards *shards, const json_t *shard, bipe_error *err)
{
    const char *run;
    uint64_t index, count;
    stats_shards one = { 0 };
    if (shard == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "not a result of --shard");
    int status = bipe_result_text(shard, "shard.", "run", &run, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(shard, "shard.", "index", &index, err);
    if (status == BIPE_OK)
        status = bipe_result_uint(shard, "shard.", "count", &count, err);
    if (status == BIPE_OK && (strlen(run) != STATS_HASH_SIZE - 1 || index >= count || count > BIPE_SHARDS_MOST))
        status = bipe_result_wrong(err, "shard.", "index", "a number below the count, which is at most 1000000, and a run of 16 digits");
    if (status == BIPE_OK && shards->count > 0 && strcmp(run, shards->group[0].settings) != 0)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "is a shard of another run (model, options or files) than those before");
    if (status == BIPE_OK && stats_shards_add(&one, run, index, count, 0) == NULL)
        status = bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = stats_shards_merge(shards, &one, err);
    stats_shards_free(&one);
    return status;
}
