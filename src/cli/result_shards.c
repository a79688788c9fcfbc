/* result_shards.c - groups of shards: put together, compared with what should be there, written and read. */
#include "cli/result_shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/columns.h"
#include "cli/run_record.h"
#include "cli/tool_alloc.h"

enum { MOST_FILES = 1 << 20, MARGIN = 64 };

#define MOST_DOCUMENTS (UINT32_MAX * UINT64_C(1024))

static void free_group(bipe_shard_group *g)
{
    bipe_free(g->index);
    bipe_free(g->file);
}

void bipe_result_shards_free(bipe_result_shards *s)
{
    for (size_t i = 0; i < s->count; i++)
        free_group(&s->group[i]);
    bipe_free(s->group);
    *s = (bipe_result_shards){0};
}

/* Appends a group with numbers like those of `like`, and memory for `indices` and `files`, which is copied as far as
 * `like` has some. */
static bipe_shard_group *copy_group(bipe_result_shards *s, const bipe_shard_group *like, size_t indices, size_t files)
{
    s->group = bipe_tool_need(bipe_realloc(s->group, s->count + 1, sizeof *s->group));
    bipe_shard_group *g = &s->group[s->count++];
    *g = *like;
    g->index = bipe_tool_alloc(indices, sizeof *g->index);
    g->file = bipe_tool_alloc(files, sizeof *g->file);
    if (like->index != NULL)
        memcpy(g->index, like->index, indices * sizeof *g->index);
    if (like->file != NULL)
        memcpy(g->file, like->file, files * sizeof *g->file);
    g->index_count = indices;
    g->file_count = files;
    g->documents = files != 0;
    return g;
}

bipe_shard_group *bipe_result_shards_add(bipe_result_shards *s, uint64_t settings, const bipe_shard *shard,
                                         size_t file_count)
{
    const bipe_shard_group like = {.settings = settings, .inputs = BIPE_NO_UINT, .count = shard->count};
    bipe_shard_group *g = copy_group(s, &like, 1, file_count);
    g->index[0] = shard->index;
    return g;
}

/* The group of these settings, or NULL. */
static bipe_shard_group *find_group(const bipe_result_shards *s, uint64_t settings)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->group[i].settings == settings)
            return &s->group[i];
    return NULL;
}

static int merge_group(bipe_shard_group *into, const bipe_shard_group *from, bipe_error *err)
{
    if (into->count != from->count || into->documents != from->documents || into->file_count != from->file_count)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "holds shards of %" PRIu64 ", expected shards of %" PRIu64
                         " as in a file before it: these overlap", from->count, into->count);
    size_t n = into->index_count + from->index_count, a = 0, b = 0;
    uint64_t *both = bipe_tool_alloc(n, sizeof *both);
    for (size_t k = 0; k < n; k++) {
        bool first = b == from->index_count || (a < into->index_count && into->index[a] <= from->index[b]);
        both[k] = first ? into->index[a++] : from->index[b++];
        if (k != 0 && both[k] == both[k - 1]) {
            int status = bipe_fail(err, BIPE_ERR_ARGUMENT,
                                   "holds shard %" PRIu64 " of %" PRIu64 ", which a file before it holds too", both[k],
                                   into->count);
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
    into->inputs = BIPE_NO_UINT;
    return BIPE_OK;
}

int bipe_result_shards_merge(bipe_result_shards *into, const bipe_result_shards *from, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < from->count && status == BIPE_OK; i++) {
        const bipe_shard_group *g = &from->group[i];
        bipe_shard_group *same = find_group(into, g->settings);
        if (same != NULL)
            status = merge_group(same, g, err);
        else
            copy_group(into, g, g->index_count, g->file_count);
    }
    return status;
}

uint64_t bipe_result_shards_files(const bipe_result_shards *s)
{
    uint64_t files = 0;
    for (size_t i = 0; i < s->count; i++) {
        const bipe_shard_group *g = &s->group[i];
        for (size_t f = 0, k = 0; f < g->file_count; f++) {
            /* The shard that a file would belong to as a whole knows that it is there. There are more shards than
             * files. */
            while (k < g->index_count && g->index[k] < f)
                k++;
            bool there = k < g->index_count && g->index[k] == f;
            files += g->file[f].good != 0 || (there && g->file[f].bad == 0);
        }
    }
    return files;
}

void bipe_result_shards_settle(bipe_result_shards *s)
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

void bipe_shard_group_missing(const bipe_shard_group *g, bipe_error *err)
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
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRIu64 "-%" PRIu64, used != 0 ? ", " : "",
                                     next, to - 1);
        next = to + 1;
    }
    bipe_fail(err, BIPE_ERR_FORMAT, "%s %s of %" PRIu64 " %s missing, expected results of all",
              missing == 1 ? "shard" : "shards", list, g->count, missing == 1 ? "is" : "are");
}

/* ---- JSON ---- */

static const char *const units[] = {"file", "document", NULL};
static const char number_of_shards[] = "a number of shards from 1 to 1000000";

#define GROUP(type, field, ...) BIPE_COLUMN(bipe_shard_group, type, field, __VA_ARGS__)

static const bipe_column group_columns[] = {
    GROUP(HASH, settings, .member = "settings"),
    GROUP(WORD, documents, .member = "unit", .words = units, .expected = "\"file\" or \"document\""),
    GROUP(UINT, count, .member = "count", .most = BIPE_SHARDS_MOST, .expected = number_of_shards),
    GROUP(UINT, errors, .member = "errors", .most = UINT64_C(1) << 40, .expected = "a number up to 2^40"),
    GROUP(HASH, inputs, .member = "inputs", .optional = true),
};
enum { GROUP_COLUMNS = BIPE_COUNT_OF(group_columns), GROUP_HEAD = 3 }; /* so many come before the lists */

void bipe_result_shards_write(const bipe_result_shards *s, bipe_json *json)
{
    if (s->count == 0)
        return;
    bipe_json_key_array(json, "shards");
    for (size_t i = 0; i < s->count; i++) {
        const bipe_shard_group *g = &s->group[i];
        bipe_json_begin_object(json);
        bipe_columns_json(json, group_columns, GROUP_HEAD, g);
        bipe_json_key_uints(json, "index", g->index, g->index_count);
        if (g->documents == 1) {
            bipe_json_key_flat_array(json, "read");
            for (size_t f = 0; f < g->file_count; f++)
                bipe_json_uints(json, (const uint64_t[]){g->file[f].good, g->file[f].bad}, 2);
            bipe_json_end_array(json);
        }
        bipe_columns_json(json, group_columns + GROUP_HEAD, GROUP_COLUMNS - GROUP_HEAD, g);
        bipe_json_end_object(json);
    }
    bipe_json_end_array(json);
}

static void load_group(bipe_result *r, bipe_result_shards *s, const json_t *object)
{
    const json_t *index = NULL, *read = NULL;
    bipe_shard_group head = {.inputs = BIPE_NO_UINT};
    bipe_columns_read(r, object, group_columns, GROUP_COLUMNS, &head);
    BIPE_MEMBERS(r, object, BIPE_MEMBER("index", LIST, &index), BIPE_MEMBER("read", LIST, &read, .optional = true));
    size_t indices = json_array_size(index), files = head.documents == 1 ? json_array_size(read) : 0;
    bipe_result_expect(r, head.count >= 1, "count", number_of_shards);
    bipe_result_expect(r, indices >= 1 && indices <= head.count, "index", "a list of shards");
    bipe_result_expect(r, head.documents == 0 || (files >= 1 && files <= MOST_FILES && files < head.count), "read",
                       "a pair for each file, fewer than there are shards");
    bipe_shard_group *g = r->status == BIPE_OK ? copy_group(s, &head, indices, files) : NULL;
    for (size_t k = 0; k < indices && r->status == BIPE_OK; k++)
        bipe_result_expect(r, bipe_result_number(json_array_get(index, k), &g->index[k]) && g->index[k] < g->count &&
                                  (k == 0 || g->index[k] > g->index[k - 1]), "index", "rising numbers below count");
    for (size_t f = 0; f < files && r->status == BIPE_OK; f++) {
        uint64_t n[2];
        bool good =
            bipe_result_numbers(json_array_get(read, f), n, 2) && n[0] <= MOST_DOCUMENTS && n[1] <= MOST_DOCUMENTS;
        bipe_result_expect(r, good, "read", "pairs of the documents that were read and that could not be");
        if (good)
            g->file[f] = (bipe_shard_file){n[0], n[1]};
    }
}

void bipe_result_shards_load(bipe_result *r, bipe_result_shards *s, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array) && r->status == BIPE_OK; i++) {
        load_group(r, s, bipe_result_element(r, array, "shards", i));
        bipe_result_expect(r, r->status != BIPE_OK || find_group(s, s->group[i].settings) == &s->group[i], "settings",
                           "others than those before");
    }
    bipe_result_end_list(r);
}

/* The shard of a result. */
typedef struct run_shard {
    uint64_t run;
    bipe_shard shard;
} run_shard;

static const bipe_column shard_columns[] = {
    BIPE_COLUMN(run_shard, HASH, run, .member = "shard.run"),
    BIPE_COLUMN(run_shard, UINT, shard.index, .member = "shard.index"),
    BIPE_COLUMN(run_shard, UINT, shard.count, .member = "shard.count", .most = BIPE_SHARDS_MOST,
                .expected = number_of_shards),
};

void bipe_result_shard_begin(bipe_json *json, uint64_t run, const bipe_shard *shard)
{
    bipe_json_key_object(json, "shard");
    bipe_columns_json_inner(json, shard_columns, BIPE_COUNT_OF(shard_columns), &(const run_shard){run, *shard});
}

/* Adds the shard of a result, which must be another one of the same run. False: it is not complete, and is not
 * added. */
static bool add_shard(bipe_result *r, bipe_result_shards *shards)
{
    run_shard own = {0};
    bipe_result_shards one = {0};
    bool complete = true;
    if (r->status == BIPE_OK && json_object_get(r->root, "shard") == NULL)
        r->status = bipe_fail(r->err, BIPE_ERR_FORMAT, "not a result of --shard");
    bipe_columns_read(r, r->root, shard_columns, BIPE_COUNT_OF(shard_columns), &own);
    bipe_result_expect(r, own.shard.index < own.shard.count, "shard.index", "a number below the count");
    if (r->status == BIPE_OK && shards->count != 0 && own.run != shards->group[0].settings)
        r->status =
            bipe_fail(r->err, BIPE_ERR_FORMAT, "is a shard of another run (model, options or files) than those before");
    BIPE_MEMBERS(r, r->root, BIPE_MEMBER("complete", BOOL, &complete, .optional = true));
    if (r->status == BIPE_OK && !complete) {
        r->status = bipe_fail(r->err, BIPE_ERR_FORMAT,
                              "shard %" PRIu64 " of %" PRIu64
                              " is not complete: it was interrupted, or something could not be read or scored",
                              own.shard.index, own.shard.count);
        return false;
    }
    if (r->status == BIPE_OK) {
        bipe_result_shards_add(&one, own.run, &own.shard, 0);
        r->status = bipe_result_shards_merge(shards, &one, r->err);
    }
    bipe_result_shards_free(&one);
    return true;
}

/* Whether a result can be left out, and the merge goes on to name all that is missing: one that cannot be read. */
static bool is_left_out(const bipe_result *r)
{
    return r->status == BIPE_ERR_IO || (r->status == BIPE_ERR_FORMAT && r->root == NULL);
}

int bipe_result_shards_gather(bipe_tool *tool, bipe_files files, const char *written_by, bipe_result_take *take,
                              void *context, bipe_error *err)
{
    bipe_result_shards shards = {0};
    int status = BIPE_OK;
    for (size_t i = 0; i < files.count && status == BIPE_OK; i++) {
        bipe_result r;
        bool first = shards.count == 0;
        bipe_result_open(&r, files.path[i], written_by, err);
        bool left_out = is_left_out(&r) || !add_shard(&r, &shards);
        if (r.status == BIPE_OK)
            r.status = bipe_run_record_compare(tool, r.root, err);
        if (r.status == BIPE_OK)
            take(context, &r, first);
        if (r.status == BIPE_OK)
            r.status = bipe_run_record_add(tool, r.root, err);
        status = bipe_result_close(&r);
        if (left_out && status != BIPE_OK && (shards.count != 0 || i + 1 < files.count)) {
            bipe_tool_error(tool, err);
            status = BIPE_OK;
        }
    }
    if (status == BIPE_OK && shards.group[0].index_count < shards.group[0].count) {
        bipe_shard_group_missing(&shards.group[0], err);
        status = err->status;
    }
    bipe_result_shards_free(&shards);
    return status;
}
