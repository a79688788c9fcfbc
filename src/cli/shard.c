/* shard.c - the part of the work that --shard or the environment gives to this process. */
#include "cli/shard.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A number without sign or blanks; *end: after it. False: there is none, or it is too large. */
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

static int check_shard(bipe_shard *shard, const char *source, bipe_error *err)
{
    if (shard->count <= BIPE_SHARDS_MOST && shard->index < shard->count)
        return BIPE_OK;
    return bipe_fail(err, BIPE_ERR_ARGUMENT,
                     "option '--shard': %s is shard %" PRIu64 " of %" PRIu64
                     ", expected I/N with 0 <= I < N <= %d: shards are counted from 0",
                     source, shard->index, shard->count, BIPE_SHARDS_MOST);
}

/* A Slurm array must be a regular one: of others it is not known which tasks there are. */
static int from_slurm_array(bipe_shard *shard, bipe_error *err)
{
    uint64_t id = 0, first = 0, last = 0, step = 1, count;
    from_environment("SLURM_ARRAY_TASK_ID", &id);
    if (!from_environment("SLURM_ARRAY_TASK_MIN", &first) || !from_environment("SLURM_ARRAY_TASK_MAX", &last))
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--shard': SLURM_ARRAY_TASK_ID without SLURM_ARRAY_TASK_MIN and SLURM_ARRAY_TASK_MAX, "
                         "expected I/N");
    from_environment("SLURM_ARRAY_TASK_STEP", &step);
    step = step == 0 ? 1 : step;
    if (!from_environment("SLURM_ARRAY_TASK_COUNT", &count))
        count = last >= first ? (last - first) / step + 1 : 0;
    if (last < first || id < first || id > last || (id - first) % step != 0 || count != (last - first) / step + 1)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--shard': the Slurm array of %" PRIu64 " tasks from %" PRIu64 " to %" PRIu64
                         " has gaps, expected I/N",
                         count, first, last);
    *shard = (bipe_shard){.index = (id - first) / step, .count = count};
    return check_shard(shard, "the Slurm array task", err);
}

static int from_anywhere(bipe_shard *shard, bipe_error *err)
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
            return check_shard(shard, pairs[i][0], err);
    return bipe_fail(err, BIPE_ERR_ARGUMENT,
                     "option '--shard': the environment says nothing (of a Slurm array, Open MPI, PMI, Slurm tasks, "
                     "RANK and WORLD_SIZE), "
                     "expected I/N");
}

int bipe_shard_parse(bipe_shard *shard, const char *text, bipe_error *err)
{
    const char *end;
    if (strcmp(text, "auto") == 0)
        return from_anywhere(shard, err);
    if (take_number(text, &end, &shard->index) && *end == '/' && take_number(end + 1, &end, &shard->count) &&
        *end == '\0' && shard->index < shard->count && shard->count <= BIPE_SHARDS_MOST)
        return BIPE_OK;
    return bipe_fail(
        err, BIPE_ERR_ARGUMENT,
        "option '--shard': found '%s', expected I/N with 0 <= I < N <= %d (shards are counted from 0), or auto", text,
        BIPE_SHARDS_MOST);
}
