/* shard.c - the part of the work that --shard or the environment gives to this process. */
#include "cli/shard.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

/* A variable that is a number; otherwise the value stays as it is. name: may be NULL. */
static bool from_environment(const char *name, uint64_t *value)
{
    const char *text = name != NULL ? getenv(name) : NULL, *end;
    uint64_t number;
    if (text == NULL || !take_number(text, &end, &number) || *end != '\0')
        return false;
    *value = number;
    return true;
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

/* ---- job arrays ---- */

/* The variables of a task of a job array; NULL: the scheduler does not set it. */
typedef struct job_array {
    const char *id, *first, *last, *step, *count;
    uint64_t base; /* the lowest id that an array may have */
} job_array;

static const job_array arrays[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
     "SLURM_ARRAY_TASK_COUNT", 0},
    {"SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", NULL, 1},
    {"LSB_JOBINDEX", NULL, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", NULL, 1},
    {"AWS_BATCH_JOB_ARRAY_INDEX", NULL, NULL, NULL, "AWS_BATCH_JOB_ARRAY_SIZE", 0},
    {"PBS_ARRAY_INDEX", NULL, NULL, NULL, NULL, 0},
    {"PBS_ARRAYID", NULL, NULL, NULL, NULL, 0},
    {"JOB_COMPLETION_INDEX", NULL, NULL, NULL, NULL, 0},
};

/* The array of which this process is a task, and its id; NULL: of none. Outside arrays LSB_JOBINDEX is 0 and
 * SGE_TASK_ID "undefined". */
static const job_array *find_array(uint64_t *id)
{
    for (size_t i = 0; i < COUNT(arrays); i++)
        if (from_environment(arrays[i].id, id) && *id >= arrays[i].base)
            return &arrays[i];
    return NULL;
}

/* Tasks must be numbered from the first to the last: of others it is not known which there are. */
static int number_in_array(bipe_shard *shard, const job_array *array, uint64_t id, bipe_error *err)
{
    uint64_t first = array->base, last = 0, step = 1, count = 0;
    bool counted = from_environment(array->count, &count), ends = from_environment(array->last, &last);
    from_environment(array->first, &first);
    from_environment(array->step, &step);
    step = step == 0 ? 1 : step;
    if (!counted && !ends)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--shard': %s does not say how many shards there are, expected auto/N or I/N",
                         array->id);
    if (ends && !counted)
        count = last >= first ? (last - first) / step + 1 : 0;
    bool whole = !ends || (last >= first && count == (last - first) / step + 1);
    if (!whole || id < first || (id - first) % step != 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--shard': %s is %" PRIu64 ", one of %" PRIu64 " from %" PRIu64 " to %" PRIu64
                         ", so tasks are left out; expected auto/N, with the number of all shards, or I/N",
                         array->id, id, count, first, last);
    *shard = (bipe_shard){.index = (id - first) / step, .count = count};
    return check_shard(shard, array->id, err);
}

/* ---- tasks that are started together ---- */

/* SLURM_NTASKS is set where a job asked for tasks and has not started them, too. */
static const char *const launchers[][2] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    {"RANK", "WORLD_SIZE"}, /* the last: whoever sets these need not have started this process */
};

/* The first of these that started this process; NULL: none. */
static const char *find_launcher(size_t count, bipe_shard *task)
{
    for (size_t i = 0; i < count; i++)
        if (from_environment(launchers[i][0], &task->index) && from_environment(launchers[i][1], &task->count))
            return launchers[i][0];
    return NULL;
}

/* Each task of an array may start several, of which each has a shard. */
static int from_anywhere(bipe_shard *shard, bipe_error *err)
{
    uint64_t id = 0;
    bipe_shard task = {0};
    const job_array *array = find_array(&id);
    const char *launcher = find_launcher(array != NULL ? COUNT(launchers) - 1 : COUNT(launchers), &task);
    if (array == NULL && launcher == NULL)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--shard': the environment names no task (of a job array, of MPI or srun, or RANK "
                         "and WORLD_SIZE), expected I/N");
    int status = launcher != NULL ? check_shard(&task, launcher, err) : BIPE_OK;
    if (status == BIPE_OK && array != NULL)
        status = number_in_array(shard, array, id, err);
    if (status != BIPE_OK || launcher == NULL)
        return status;
    if (array == NULL)
        *shard = task;
    else
        *shard = (bipe_shard){shard->index * task.count + task.index, shard->count * task.count};
    return check_shard(shard, launcher, err);
}

/* One of as many shards as the command line says. The array may be a part of it: what is to be done again. */
static int from_part(bipe_shard *shard, uint64_t count, bipe_error *err)
{
    uint64_t id = 0;
    bipe_shard task = {0};
    const job_array *array = find_array(&id);
    if (array == NULL)
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "option '--shard': the environment names no task of a job array, expected I/N");
    const char *launcher = find_launcher(COUNT(launchers) - 1, &task);
    if (launcher != NULL && task.count > 1)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "option '--shard': %s: %" PRIu64 " tasks would do the same shard, "
                         "expected auto or I/N", launcher, task.count);
    *shard = (bipe_shard){.index = id - array->base, .count = count};
    return check_shard(shard, array->id, err);
}

int bipe_shard_parse(bipe_shard *shard, const char *text, bipe_error *err)
{
    const char *end;
    if (strcmp(text, "auto") == 0)
        return from_anywhere(shard, err);
    if (strncmp(text, "auto/", 5) == 0 && take_number(text + 5, &end, &shard->count) && *end == '\0' &&
        shard->count != 0 && shard->count <= BIPE_SHARDS_MOST)
        return from_part(shard, shard->count, err);
    if (take_number(text, &end, &shard->index) && *end == '/' && take_number(end + 1, &end, &shard->count) &&
        *end == '\0' && shard->index < shard->count && shard->count <= BIPE_SHARDS_MOST)
        return BIPE_OK;
    return bipe_fail(
        err, BIPE_ERR_ARGUMENT,
        "option '--shard': found '%s', expected I/N with 0 <= I < N <= %d (shards are counted from 0), auto or auto/N",
        text,
        BIPE_SHARDS_MOST);
}
