/* ceiling.c - measures what arithmetic a machine can do at best. */
#include "train/ceiling.h"

#include "base/clock.h"

/* RUNS of a millisecond, with many tasks for each thread, so that one that comes late does fewer. */
enum { RUNS = 60, TASKS = 32, ROUNDS = 10000 };

typedef struct loop {
    const nn_cpu *cpu;
    nn_precision precision;
} loop;

static void run_loop(void *context, size_t i, size_t worker)
{
    const loop *l = context;
    (void)i, (void)worker;
    nn_cpu_ceiling(l->cpu, l->precision, ROUNDS);
}

double bipe_ceiling(bipe_pool *pool, const nn_cpu *cpu, nn_precision precision)
{
    loop l = {cpu, precision};
    size_t tasks = TASKS * bipe_pool_threads(pool);
    double each = nn_cpu_ceiling(cpu, precision, ROUNDS), best = 0;
    for (int run = 0; run < RUNS && each > 0; run++) {
        double start = bipe_seconds();
        bipe_pool_run(pool, tasks, run_loop, &l);
        double rate = each * (double)tasks / (bipe_seconds() - start);
        best = rate > best ? rate : best;
    }
    return best;
}
