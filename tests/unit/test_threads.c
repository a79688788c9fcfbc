/* test_threads.c - each iteration runs exactly once, by a worker whose scratch is its own, whatever the number of
 * threads; waiting threads are woken. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "tests/check.h"

enum { MOST = 5000, WORKERS = 8 };

typedef struct work {
    unsigned char runs[MOST];
    uint64_t scratch[WORKERS];
    size_t threads;
    int wrong_worker;
} work;

static void count_run(void *context, size_t i, size_t worker)
{
    work *w = context;
    w->runs[i]++;
    if (worker >= w->threads)
        w->wrong_worker = 1;
    else
        w->scratch[worker] += i + 1;
}

static void test_all_run_once(size_t threads)
{
    static const size_t counts[] = {0, 1, 2, 3, 7, 64, MOST};
    bipe_pool *pool;
    bipe_error err;
    CHECK(bipe_pool_open(&pool, threads, &err) == BIPE_OK);
    CHECK_UINT(bipe_pool_threads(pool), threads);
    for (int round = 0; round < 200; round++) {
        size_t count = counts[(size_t)round % (sizeof counts / sizeof counts[0])];
        work *w = calloc(1, sizeof *w);
        w->threads = threads;
        bipe_pool_run(pool, count, count_run, w);
        uint64_t sum = 0;
        size_t once = 0;
        for (size_t i = 0; i < WORKERS; i++)
            sum += w->scratch[i];
        for (size_t i = 0; i < MOST; i++)
            once += w->runs[i] == (i < count);
        CHECK_UINT(once, MOST);
        CHECK_UINT(sum, (uint64_t)count * (count + 1) / 2);
        CHECK(!w->wrong_worker);
        free(w);
    }
    bipe_pool_close(pool);
}

/* With two iterations that wait for each other, two threads must be at work at the same time. */
static pthread_barrier_t barrier;

static void meet(void *context, size_t i, size_t worker)
{
    pthread_barrier_wait(&barrier);
    ((size_t *)context)[i] = worker;
}

static void test_at_the_same_time(void)
{
    bipe_pool *pool;
    bipe_error err;
    size_t workers[2] = {9, 9};
    CHECK(bipe_pool_open(&pool, 2, &err) == BIPE_OK);
    pthread_barrier_init(&barrier, NULL, 2);
    bipe_pool_run(pool, 2, meet, workers);
    CHECK(workers[0] + workers[1] == 1);
    pthread_barrier_destroy(&barrier);
    bipe_pool_close(pool);
}

/* A thread that waits for a count, and what it then sees of the one that raised it. */
typedef struct waiter {
    pthread_t thread;
    bipe_waits *waits;
    const atomic_size_t *count;
    const size_t *done;
    size_t least, seen;
} waiter;

static void *wait_and_look(void *argument)
{
    waiter *w = argument;
    bipe_wait_for(w->waits, w->count, w->least);
    w->seen = *w->done;
    return NULL;
}

/* All are asleep when the count is raised, and each is woken when its turn has come: otherwise joining it would never
 * end. */
static void test_waits(void)
{
    enum { WAITERS = 3 };
    for (int round = 0; round < 20; round++) {
        bipe_waits waits;
        atomic_size_t count;
        size_t done = 0;
        waiter w[WAITERS];
        bipe_waits_open(&waits);
        atomic_init(&count, 0);
        for (size_t i = 0; i < WAITERS; i++) {
            w[i] = (waiter){.waits = &waits, .count = &count, .done = &done, .least = i + 1};
            if (bipe_thread_start(&w[i].thread, wait_and_look, &w[i]) != 0)
                abort();
        }
        while (atomic_load(&waits.waiting) != WAITERS)
            sched_yield();
        pthread_mutex_lock(&waits.lock); /* the last to say that it waits gives it back in its sleep */
        pthread_mutex_unlock(&waits.lock);
        for (size_t i = 0; i < WAITERS; i++) {
            done = i + 1;
            bipe_raise(&waits, &count);
            pthread_join(w[i].thread, NULL);
            CHECK_UINT(w[i].seen, i + 1);
            CHECK_UINT(atomic_load(&waits.waiting), WAITERS - 1 - i);
        }
        bipe_wait_for(&waits, &count, WAITERS); /* at once */
        bipe_waits_close(&waits);
    }
}

static void test_bad(void)
{
    bipe_pool *pool;
    bipe_error err;
    CHECK(bipe_pool_open(&pool, 0, &err) == BIPE_ERR_ARGUMENT && pool == NULL);
    CHECK(bipe_pool_open(&pool, SIZE_MAX, &err) == BIPE_ERR_MEMORY && pool == NULL);
    bipe_pool_close(NULL);
    long n;
    int status = BIPE_ERR_MEMORY;
    for (n = 0; n < 20 && status != BIPE_OK; n++) {
        bipe_alloc_fail_at(n);
        status = bipe_pool_open(&pool, 3, &err);
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || status == BIPE_ERR_MEMORY);
    }
    CHECK(n > 2 && n < 20);
    bipe_pool_close(pool);
}

static void test_processors(void)
{
    CHECK(bipe_processors() >= 1);
#ifdef HAVE_SCHED_GETAFFINITY
    cpu_set_t before, one;
    if (sched_getaffinity(0, sizeof before, &before) != 0)
        return;
    CHECK_UINT(bipe_processors(), (uint64_t)CPU_COUNT(&before));
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK_UINT(bipe_processors(), 1);
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
#endif
}

int main(void)
{
    alarm(600); /* ends the test when a thread is never woken */
    test_waits();
    test_processors();
    test_all_run_once(1);
    test_all_run_once(2);
    test_all_run_once(3);
    test_all_run_once(WORKERS);
    test_at_the_same_time();
    test_bad();
    return test_result();
}
