/* threads.h - starts threads, and runs loops on a pool of them (<bipe/pool.h>), one loop at a time.
 *
 * Which thread runs which iteration is not defined, so each iteration must write to memory of its own:
 * then the results do not depend on the number of threads. */
#ifndef BIPE_BASE_THREADS_H
#define BIPE_BASE_THREADS_H

#include <bipe/pool.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/status.h"

/* The processors that this process may run on (affinity respected), at least 1. */
size_t bipe_processors(void);

/* As pthread_create(), with all signals blocked: they are for the thread that the tool runs in. 0 or an errno. */
int bipe_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* Waiting for a count that other threads raise. The caller owns the counters. */
typedef struct bipe_waits {
    pthread_mutex_t lock;
    pthread_cond_t raised;
    atomic_size_t waiting; /* threads */
} bipe_waits;

void bipe_waits_open(bipe_waits *waits);
void bipe_waits_close(bipe_waits *waits);
/* Returns when *count is `least` or more. */
void bipe_wait_for(bipe_waits *waits, const atomic_size_t *count, size_t least);
/* Adds 1 and wakes waiters, which then see all earlier writes of this thread. */
void bipe_raise(bipe_waits *waits, atomic_size_t *count);

size_t bipe_pool_threads(const bipe_pool *pool);

/* Calls task(context, i, worker) once for every i < count and returns when all have returned;
 * worker < bipe_pool_threads() names scratch memory. The calling thread takes part; without a pool (NULL) it does all,
 * as worker 0. Not reentrant. */
void bipe_pool_run(bipe_pool *pool, size_t count, void (*task)(void *context, size_t i, size_t worker),
                   void *context);

#endif
