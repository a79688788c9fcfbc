/* ranks.h - processes that train one model together: each takes its share of a batch, and their gradients are added.
 * Without MPI (configure --with-mpi) there is one process, and nothing here does anything. */
#ifndef BIPE_TRAIN_RANKS_H
#define BIPE_TRAIN_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct bipe_ranks {
    int rank, count; /* this process, 0 .. count - 1 */
} bipe_ranks;

/* For programs, at their start and at their end (after which a process that failed takes the others with it). */
bipe_ranks bipe_ranks_start(void);
void bipe_ranks_end(const bipe_ranks *ranks, bool failed);
/* The variable of Open MPI, PMI or Slurm that says that this process, which is alone by *ranks, was started as one of
 * several; *count: of how many. NULL: it was not. */
const char *bipe_ranks_launched_alone(const bipe_ranks *ranks, unsigned long *count);

/* Adds the arrays of all processes, in the order of their ranks; each gets the same sum. */
int bipe_ranks_add_floats(const bipe_ranks *ranks, float *values, size_t count, bipe_error *err);
int bipe_ranks_add_doubles(const bipe_ranks *ranks, double *values, size_t count, bipe_error *err);
/* Whether it holds in any process. */
bool bipe_ranks_any(const bipe_ranks *ranks, bool here);

#endif
