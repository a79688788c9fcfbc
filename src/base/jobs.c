/* jobs.c - one lock, one list of jobs, and one loop over tasks; see jobs.h. */
#include "base/jobs.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/threads.h"

enum { NEW, QUEUED, RUNNING, DONE }; /* states of a job */

struct bipe_jobs {
    size_t threads, started; /* with the caller's; those of its own */
    void (*close_scratch)(void *scratch);
    void **scratch;          /* (threads) */
    pthread_t *thread;       /* (threads - 1) */
    /* Under `lock`: */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    bipe_job *first, *last;  /* the queue */
    size_t idle;             /* threads that wait for work */
    size_t registered;       /* threads of its own that have a number */
    size_t count, next, running, most; /* tasks: in all, begun, not finished, at a time */
    void (*task)(void *context, size_t i);
    void *context;
    bool closing;
};

/* The number of the thread; 0: the one that opened the queue. */
static _Thread_local size_t own_number;

/* ---- the queue, with the lock ---- */

static void append_job(bipe_jobs *jobs, bipe_job *job)
{
    job->state = QUEUED;
    job->next = NULL;
    job->previous = jobs->last;
    *(jobs->last != NULL ? &jobs->last->next : &jobs->first) = job;
    jobs->last = job;
}

static void remove_job(bipe_jobs *jobs, bipe_job *job)
{
    *(job->previous != NULL ? &job->previous->next : &jobs->first) = job->next;
    *(job->next != NULL ? &job->next->previous : &jobs->last) = job->previous;
}

/* Runs a job of the queue; the lock is released meanwhile. */
static void run_job(bipe_jobs *jobs, bipe_job *job)
{
    remove_job(jobs, job);
    job->state = RUNNING;
    pthread_mutex_unlock(&jobs->lock);
    job->run(job, &jobs->scratch[own_number]);
    pthread_mutex_lock(&jobs->lock);
    job->state = DONE;
    if (jobs->started != 0)
        pthread_cond_broadcast(&jobs->done);
}

/* Runs the next task, in the same way. */
static void run_task(bipe_jobs *jobs)
{
    size_t i = jobs->next++;
    jobs->running++;
    pthread_mutex_unlock(&jobs->lock);
    jobs->task(jobs->context, i);
    pthread_mutex_lock(&jobs->lock);
    jobs->running--;
    pthread_cond_broadcast(&jobs->work); /* another may begin, or all are over */
}

/* Works until `over` says so, with the lock. */
static void work_until(bipe_jobs *jobs, bool (*over)(const bipe_jobs *jobs))
{
    while (!over(jobs)) {
        if (jobs->first != NULL) {
            run_job(jobs, jobs->first);
        } else if (jobs->next < jobs->count && jobs->running < jobs->most) {
            run_task(jobs);
        } else {
            jobs->idle++;
            pthread_cond_wait(&jobs->work, &jobs->lock);
            jobs->idle--;
        }
    }
}

/* ---- threads ---- */

static bool is_closing(const bipe_jobs *jobs)
{
    return jobs->closing;
}

static void *run_thread(void *argument)
{
    bipe_jobs *jobs = argument;
    pthread_mutex_lock(&jobs->lock);
    own_number = ++jobs->registered;
    work_until(jobs, is_closing);
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

/* With the lock. Fewer threads than were asked for do the same work. */
static void start_threads(bipe_jobs *jobs)
{
    while (jobs->started + 1 < jobs->threads) {
        if (bipe_thread_start(&jobs->thread[jobs->started], run_thread, jobs) != 0)
            jobs->threads = jobs->started + 1;
        else
            jobs->started++;
    }
}

int bipe_jobs_open(bipe_jobs **result, size_t threads, void (*close_scratch)(void *scratch), bipe_error *err)
{
    *result = NULL;
    bipe_jobs *jobs = bipe_alloc(1, sizeof *jobs);
    if (jobs == NULL)
        return bipe_fail_memory(err);
    jobs->threads = threads > 1 ? threads : 1;
    jobs->close_scratch = close_scratch;
    jobs->scratch = bipe_alloc(jobs->threads, sizeof *jobs->scratch);
    jobs->thread = bipe_alloc(jobs->threads, sizeof *jobs->thread);
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->work, NULL);
    pthread_cond_init(&jobs->done, NULL);
    if (jobs->scratch == NULL || jobs->thread == NULL) {
        jobs->threads = jobs->scratch != NULL ? jobs->threads : 0;
        bipe_jobs_close(jobs);
        return bipe_fail_memory(err);
    }
    *result = jobs;
    return BIPE_OK;
}

size_t bipe_jobs_threads(const bipe_jobs *jobs)
{
    return jobs->threads;
}

/* ---- jobs and tasks ---- */

void bipe_jobs_submit(bipe_jobs *jobs, bipe_job *job)
{
    pthread_mutex_lock(&jobs->lock);
    append_job(jobs, job);
    start_threads(jobs);
    if (jobs->idle != 0)
        pthread_cond_signal(&jobs->work);
    pthread_mutex_unlock(&jobs->lock);
}

void bipe_jobs_finish(bipe_jobs *jobs, bipe_job *job)
{
    pthread_mutex_lock(&jobs->lock);
    while (job->state == QUEUED || job->state == RUNNING) {
        bipe_job *next = job->state == QUEUED ? job : jobs->first;
        if (next != NULL)
            run_job(jobs, next);
        else
            pthread_cond_wait(&jobs->done, &jobs->lock);
    }
    pthread_mutex_unlock(&jobs->lock);
}

bool bipe_jobs_idle(bipe_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    bool idle = jobs->idle != 0 || jobs->started + 1 < jobs->threads;
    pthread_mutex_unlock(&jobs->lock);
    return idle;
}

static bool all_are_over(const bipe_jobs *jobs)
{
    return jobs->next == jobs->count && jobs->running == 0;
}

void bipe_jobs_each(bipe_jobs *jobs, size_t count, size_t most, void (*task)(void *context, size_t i), void *context)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->task = task;
    jobs->context = context;
    jobs->next = 0;
    jobs->count = count;
    jobs->most = most > 1 ? most : 1;
    start_threads(jobs);
    pthread_cond_broadcast(&jobs->work);
    work_until(jobs, all_are_over);
    pthread_mutex_unlock(&jobs->lock);
}

void bipe_jobs_close(bipe_jobs *jobs)
{
    if (jobs == NULL)
        return;
    pthread_mutex_lock(&jobs->lock);
    jobs->closing = true;
    pthread_cond_broadcast(&jobs->work);
    pthread_mutex_unlock(&jobs->lock);
    for (size_t i = 0; i < jobs->started; i++)
        pthread_join(jobs->thread[i], NULL);
    for (size_t i = 0; i < jobs->threads; i++)
        if (jobs->scratch[i] != NULL)
            jobs->close_scratch(jobs->scratch[i]);
    bipe_free(jobs->scratch);
    bipe_free(jobs->thread);
    pthread_cond_destroy(&jobs->work);
    pthread_cond_destroy(&jobs->done);
    pthread_mutex_destroy(&jobs->lock);
    bipe_free(jobs);
}
