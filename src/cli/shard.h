/* shard.h - the option --shard: which part of the work this process does. */
#ifndef BIPE_CLI_SHARD_H
#define BIPE_CLI_SHARD_H

#include <stdint.h>

#include "base/status.h"

enum { BIPE_SHARDS_MOST = 1000000 };

typedef struct bipe_shard {
    uint64_t index, count; /* 0 <= index < count */
} bipe_shard;

/* "I/N"; "auto": the environment says both, of a job array, of tasks that MPI or srun started, or of these in each task
 * of an array; "auto/N": it says I, of a job array. BIPE_ERR_ARGUMENT with what was expected. */
int bipe_shard_parse(bipe_shard *shard, const char *text, bipe_error *err);

#endif
