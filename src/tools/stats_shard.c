/* stats_shard.c - the part of the work that --shard or the environment gives to this process, and whether it is done already. */
#include "tools/stats_shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "tools/stats_write.h"

/* A number without sign or blanks; *end: behind it. False: there is none, or it is too large. */
static bool take_number(const char *text, const char **end, uint64_t *value)
{
    const char *at = text;
    *value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*value > UINT32_MAX)
            return false;
        *value = *value * 10 + (uint64_t)(*at - '0');
    }
    *end = at;
    return at != text;
}

/* A variable that is a number. */
static bool from_environment(const char *name, uint64_t *value)
{
    const char *text = getenv(name), *end;
    return text != NULL && take_number(text, &end, value) && *end == '\0';
}

static int check(stats_shard *shard, const char *source, bipe_error *err)
{
    if (shard->count <= STATS_MOST_SHARDS && shard->index < shard->count)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_ARGUMENT,
                     "option '--shard': %s is shard %" PRIu64 " of %" PRIu64 ", expected I/N with 0 <= I < N <= %d: shards are counted from 0",
                     source, shard->index, shard->count, STATS_MOST_SHARDS);
}

/* A Slurm array must be a regular one: of others it is not known which tasks there are. */
static int from_slurm_array(stats_shard *shard, bipe_error *err)
{
    uint64_t id = 0, first = 0, last = 0, step = 1, count;
    from_environment("SLURM_ARRAY_TASK_ID", &id);
    if (!from_environment("SLURM_ARRAY_TASK_MIN", &first) || !from_environment("SLURM_ARRAY_TASK_MAX", &last))
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--shard': SLURM_ARRAY_TASK_ID without SLURM_ARRAY_TASK_MIN and SLURM_ARRAY_TASK_MAX, expected I/N");
    from_environment("SLURM_ARRAY_TASK_STEP", &step);
    step = step == 0 ? 1 : step;
    if (!from_environment("SLURM_ARRAY_TASK_COUNT", &count))
        count = last >= first ? (last - first) / step + 1 : 0;
    if (last < first || id < first || id > last || (id - first) % step != 0 || count != (last - first) / step + 1)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--shard': the Slurm array of %" PRIu64 " tasks from %" PRIu64 " to %" PRIu64 " has gaps, expected I/N", count,
                         first, last);
    *shard = (stats_shard){.index = (id - first) / step, .count = count};
    return check(shard, "the Slurm array task", err);
}

static int from_anywhere(stats_shard *shard, bipe_error *err)
{
    static const char *const pairs[][2] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"SLURM_PROCID", "SLURM_NTASKS"},
        {"RANK", "WORLD_SIZE"},
    };
    if (getenv("SLURM_ARRAY_TASK_ID") != NULL)
        return from_slurm_array(shard, err);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (from_environment(pairs[i][0], &shard->index) && from_environment(pairs[i][1], &shard->count))
            return check(shard, pairs[i][0], err);
    return bipe_fail(err, BIPE_ERR_ARGUMENT,
                     "option '--shard': the environment says nothing (of a Slurm array, Open MPI, PMI, Slurm tasks, RANK and WORLD_SIZE), "
                     "expected I/N");
}

int stats_shard_parse(stats_shard *shard, const char *text, bipe_error *err)
{
    const char *end;
    if (strcmp(text, "auto") == 0)
        return from_anywhere(shard, err);
    if (take_number(text, &end, &shard->index) && *end == '/' && take_number(end + 1, &end, &shard->count) && *end == '\0' &&
        shard->index < shard->count && shard->count <= STATS_MOST_SHARDS)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_ARGUMENT,
                     "option '--shard': found '%s', expected I/N with 0 <= I < N <= %d (shards are counted from 0), or auto", text,
                     STATS_MOST_SHARDS);
}

/* ---- hashes ---- */

static uint64_t add_text(uint64_t hash, const char *text)
{
    return text != NULL ? bipe_hash_bytes(hash, text, strlen(text) + 1) : bipe_hash_uint(hash, 0);
}

static void print_hash(char text[STATS_HASH_SIZE], uint64_t hash)
{
    snprintf(text, STATS_HASH_SIZE, "%016" PRIx64, hash);
}

void stats_shard_settings(char text[STATS_HASH_SIZE], const stats_reading *r, bool special)
{
    uint64_t hash = add_text(BIPE_HASH_EMPTY, bipe_tokenizer_spec(r->stream.tokenizer));
    hash = bipe_hash_uint(hash, special);
    hash = bipe_hash_uint(hash, r->stream.spec_count);
    for (size_t i = 0; i < r->stream.spec_count; i++)
        hash = add_text(hash, r->stream.specs[i]);
    hash = bipe_hash_uint(hash, r->length_count);
    for (size_t i = 0; i < r->length_count; i++)
        hash = bipe_hash_uint(hash, r->lengths[i]);
    hash = bipe_hash_uint(hash, (uint64_t)r->stream.documents);
    hash = bipe_hash_uint(hash, (uint64_t)r->stream.ids);
    hash = add_text(hash, r->stream.field);
    if (r->choice.squeeze) /* what was counted before there was this option stays valid */
        hash = bipe_hash_uint(hash, 1);
    hash = bipe_hash_uint(hash, r->files.count);
    for (size_t i = 0; i < r->files.count; i++)
        hash = add_text(hash, r->files.path[i]);
    print_hash(text, hash);
}

/* Adds size and time of a file, if there is one; false when it is no file. */
static bool add_state(uint64_t *hash, const char *path, bool folders)
{
    struct stat s;
    if (strcmp(path, "-") == 0)
        return false;
    if (stat(path, &s) != 0) {
        *hash = bipe_hash_uint(*hash, 0);
        return true;
    }
    if (!S_ISREG(s.st_mode) && !(folders && S_ISDIR(s.st_mode)))
        return false;
    *hash = bipe_hash_uint(*hash, (uint64_t)s.st_size);
    *hash = bipe_hash_uint(*hash, (uint64_t)s.st_mtim.tv_sec);
    *hash = bipe_hash_uint(*hash, (uint64_t)s.st_mtim.tv_nsec);
    return true;
}

void stats_shard_inputs(char text[STATS_HASH_SIZE], const stats_reading *r, const stats_shard *shard)
{
    const char *tokenizer = bipe_tokenizer_spec(r->stream.tokenizer);
    bool documents = stats_shard_of_documents(shard, r->files);
    uint64_t hash = BIPE_HASH_EMPTY;
    text[0] = '\0';
    if (strcmp(tokenizer, "byte") != 0 && strcmp(tokenizer, "char") != 0 && strcmp(tokenizer, "word") != 0 &&
        !add_state(&hash, tokenizer, true))
        return;
    for (size_t i = 0; i < r->files.count; i++)
        if ((documents || i % shard->count == shard->index) && !add_state(&hash, r->files.path[i], false))
            return;
    print_hash(text, hash);
}

bool stats_shard_done(const char *path, const stats_shard *shard, const char *settings, const char *inputs)
{
    stats_result result;
    struct stat s;
    bipe_error unused;
    if (path == NULL || strcmp(path, "-") == 0 || inputs[0] == '\0' || stat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return false;
    bool done = false;
    if (stats_load(&result, path, &unused) == BIPE_OK && result.shards.count == 1) {
        const stats_group *g = &result.shards.group[0];
        done = g->count == shard->count && g->index_count == 1 && g->index[0] == shard->index && g->errors == 0 &&
               strcmp(g->settings, settings) == 0 && strcmp(g->inputs, inputs) == 0;
    }
    stats_result_close(&result);
    return done;
}
