/* threads.c - a pool whose threads take the iterations of a loop from a common counter and sleep between loops. */
#include "config.h"

#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

enum {
    SPINS = 1000 /* looks at a count before a thread sleeps, some 20 us: less than to sleep and be woken up takes */
};

typedef struct worker {
    bipe_pool *pool;
    pthread_t thread;
    size_t index; /* 1 and up; the calling thread is worker 0 */
} worker;

struct bipe_pool {
    size_t threads;      /* with the calling one */
    size_t started;      /* threads of its own */
    worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    unsigned long round; /* under `lock`: raised for each loop */
    size_t busy;         /* under `lock`: own threads that have not finished the round */
    bool closing;        /* under `lock` */
    void (*task)(void *context, size_t i, size_t worker);
    void *context;
    size_t count;
    atomic_size_t next;  /* the iteration to be taken; more than SIZE_MAX - threads iterations are not foreseen */
};

size_t bipe_processors(void)
{
#ifdef HAVE_SCHED_GETAFFINITY
    /* The set must be as large as the kernel's; 4096 processors to begin with, then more. */
    for (size_t processors = 4096; processors <= (size_t)1 << 20; processors *= 4) {
        size_t size = CPU_ALLOC_SIZE(processors);
        cpu_set_t *set = bipe_alloc(size, 1);
        if (set == NULL)
            break;
        int got = sched_getaffinity(0, size, set);
        int count = got == 0 ? CPU_COUNT_S(size, set) : 0;
        bipe_free(set);
        if (count > 0)
            return (size_t)count;
    }
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

static void run_iterations(bipe_pool *pool, size_t index)
{
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (i >= pool->count)
            return;
        pool->task(pool->context, i, index);
    }
}

static void *run_worker(void *argument)
{
    worker *self = argument;
    bipe_pool *pool = self->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == seen && !pool->closing)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->closing)
            break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        run_iterations(pool, self->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

int bipe_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failed = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

void bipe_waits_open(bipe_waits *waits)
{
    pthread_mutex_init(&waits->lock, NULL);
    pthread_cond_init(&waits->raised, NULL);
    atomic_init(&waits->waiting, 0);
}

void bipe_waits_close(bipe_waits *waits)
{
    pthread_cond_destroy(&waits->raised);
    pthread_mutex_destroy(&waits->lock);
}

/* Either this thread sees the count raised after it said that it waits, or the one that raises it sees it waiting. */
void bipe_wait_for(bipe_waits *waits, const atomic_size_t *count, size_t least)
{
    for (int spins = 0; spins < SPINS; spins++) {
        if (atomic_load_explicit(count, memory_order_acquire) >= least)
            return;
#if defined __x86_64__ && defined __GNUC__
        __builtin_ia32_pause();
#endif
    }
    pthread_mutex_lock(&waits->lock);
    atomic_fetch_add(&waits->waiting, 1);
    while (atomic_load(count) < least)
        pthread_cond_wait(&waits->raised, &waits->lock);
    atomic_fetch_sub(&waits->waiting, 1);
    pthread_mutex_unlock(&waits->lock);
}

void bipe_raise(bipe_waits *waits, atomic_size_t *count)
{
    atomic_fetch_add(count, 1);
    if (atomic_load(&waits->waiting) == 0)
        return;
    pthread_mutex_lock(&waits->lock);
    pthread_cond_broadcast(&waits->raised);
    pthread_mutex_unlock(&waits->lock);
}

int bipe_pool_open(bipe_pool **result, size_t threads, bipe_error *err)
{
    *result = NULL;
    if (threads < 1)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "found 0 threads, expected at least 1");
    bipe_pool *pool = bipe_alloc(1, sizeof *pool);
    if (pool == NULL)
        return bipe_fail_memory(err);
    pool->threads = threads;
    pool->workers = bipe_alloc(threads, sizeof *pool->workers);
    if (pool->workers == NULL) {
        bipe_free(pool);
        return bipe_fail_memory(err);
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);

    int failed = 0;
    while (pool->started + 1 < threads && failed == 0) {
        worker *w = &pool->workers[pool->started];
        w->pool = pool;
        w->index = pool->started + 1;
        failed = bipe_thread_start(&w->thread, run_worker, w);
        pool->started += failed == 0;
    }
    if (failed != 0) {
        int status = bipe_fail(err, BIPE_ERR_LIMIT, "thread %zu of %zu could not be started: %s", pool->started + 2,
                               threads, strerror(failed));
        bipe_pool_close(pool);
        return status;
    }
    *result = pool;
    return BIPE_OK;
}

size_t bipe_pool_threads(const bipe_pool *pool)
{
    return pool->threads;
}

void bipe_pool_run(bipe_pool *pool, size_t count, void (*task)(void *context, size_t i, size_t worker), void *context)
{
    if (pool == NULL || pool->started == 0 || count < 2) {
        for (size_t i = 0; i < count; i++)
            task(context, i, 0);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->context = context;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->busy = pool->started;
    pool->round++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);

    run_iterations(pool, 0);

    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void bipe_pool_close(bipe_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->end);
    pthread_mutex_destroy(&pool->lock);
    bipe_free(pool->workers);
    bipe_free(pool);
}
