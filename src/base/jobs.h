/* jobs.h - a queue of short jobs that several threads share. Its user submits jobs in the order of results, waits for
 * the oldest and works meanwhile. A job's result must depend on the job alone; then threads do not matter. */
#ifndef BIPE_BASE_JOBS_H
#define BIPE_BASE_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_jobs bipe_jobs;

/* A job: the first member of the caller's own struct, zero-initialised. */
typedef struct bipe_job {
    /* scratch: where the thread that runs it keeps a pointer from job to job, NULL at first. */
    void (*run)(struct bipe_job *job, void **scratch);
    struct bipe_job *next, *previous; /* in the queue */
    int state;
} bipe_job;

/* threads: at least 1, including the caller's; the others start with the first job. close_scratch: closes what a thread
 * has kept; it never gets NULL. A thread works for one such queue in its life. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_jobs_open(bipe_jobs **jobs, size_t threads, void (*close_scratch)(void *scratch), bipe_error *err);
size_t bipe_jobs_threads(const bipe_jobs *jobs);

/* From any thread of the queue. The job stays where it is until it is finished. */
void bipe_jobs_submit(bipe_jobs *jobs, bipe_job *job);
/* Returns when the job has run: the caller runs it, if nobody has begun, and others while it waits. */
void bipe_jobs_finish(bipe_jobs *jobs, bipe_job *job);
/* Whether a thread has nothing to do. */
bool bipe_jobs_idle(bipe_jobs *jobs);

/* Runs task(context, i) for each i < count, in this order, at most `most` at a time, on all threads, and returns when
 * all have returned. They may be long, and submit and finish jobs; threads without a task run those. */
void bipe_jobs_each(bipe_jobs *jobs, size_t count, size_t most, void (*task)(void *context, size_t i), void *context);

/* No job is in the queue. NULL is allowed. */
void bipe_jobs_close(bipe_jobs *jobs);

#ifdef __cplusplus
}
#endif
#endif
