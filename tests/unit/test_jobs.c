/* test_jobs.c - jobs and tasks by several threads: each runs once, results are there when they were waited for, and
 * scratch stays with its thread. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/jobs.h"
#include "tests/check.h"

enum { JOBS = 500, TASKS = 60 };

typedef struct square {
    bipe_job job;
    uint64_t value, result;
} square;

static atomic_size_t scratches;

static void run_square(bipe_job *job, void **scratch)
{
    square *s = (square *)job;
    if (*scratch == NULL) {
        *scratch = malloc(1);
        atomic_fetch_add(&scratches, 1);
    }
    s->result += s->value * s->value;
}

static void close_scratch(void *scratch)
{
    free(scratch);
    atomic_fetch_sub(&scratches, 1);
}

/* Puts as many as are allowed ahead and takes them in order. */
static uint64_t sum_squares(bipe_jobs *jobs, size_t count, size_t ahead)
{
    square *s = calloc(count, sizeof *s);
    uint64_t sum = 0;
    size_t put = 0;
    for (size_t i = 0; i < count; i++) {
        for (; put < count && put < i + ahead; put++) {
            s[put] = (square){.job = {.run = run_square}, .value = put};
            bipe_jobs_submit(jobs, &s[put].job);
        }
        bipe_jobs_finish(jobs, &s[i].job);
        sum += s[i].result;
    }
    free(s);
    return sum;
}

static uint64_t squares_below(uint64_t n)
{
    return n * (n - 1) * (2 * n - 1) / 6;
}

typedef struct tasks {
    bipe_jobs *jobs;
    uint64_t result[TASKS];
    atomic_size_t running, most;
} tasks;

static void run_task(void *context, size_t i)
{
    tasks *t = context;
    size_t running = atomic_fetch_add(&t->running, 1) + 1, most = atomic_load(&t->most);
    while (running > most && !atomic_compare_exchange_weak(&t->most, &most, running))
        continue;
    t->result[i] = sum_squares(t->jobs, 2 + i, 4);
    atomic_fetch_sub(&t->running, 1);
}

static void test_threads(size_t threads)
{
    bipe_jobs *jobs;
    bipe_error err;
    CHECK(bipe_jobs_open(&jobs, threads, close_scratch, &err) == BIPE_OK);
    CHECK_UINT(bipe_jobs_threads(jobs), threads);
    for (size_t ahead = 1; ahead < 40; ahead += 13)
        CHECK_UINT(sum_squares(jobs, JOBS, ahead), squares_below(JOBS));
    for (size_t most = 1; most < 5; most++) {
        tasks t = {.jobs = jobs};
        bipe_jobs_each(jobs, TASKS, most, run_task, &t);
        for (size_t i = 0; i < TASKS; i++)
            CHECK_UINT(t.result[i], squares_below(2 + i));
        CHECK(atomic_load(&t.most) >= 1 && atomic_load(&t.most) <= most);
    }
    bipe_jobs_each(jobs, 0, 1, run_task, NULL);
    CHECK(atomic_load(&scratches) >= 1 && atomic_load(&scratches) <= threads);
    bipe_jobs_close(jobs);
    CHECK_UINT(atomic_load(&scratches), 0);
}

static void test_no_memory(void)
{
    bipe_jobs *jobs;
    bipe_error err;
    long n = 0;
    for (int status = BIPE_ERR_MEMORY; status != BIPE_OK; n++) {
        bipe_alloc_fail_at(n);
        status = bipe_jobs_open(&jobs, 3, close_scratch, &err);
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || status == BIPE_ERR_MEMORY);
        bipe_jobs_close(jobs);
    }
    CHECK(n == 4);
    bipe_jobs_close(NULL);
}

int main(void)
{
    for (size_t threads = 1; threads <= 5; threads++)
        test_threads(threads);
    test_no_memory();
    return test_result();
}
