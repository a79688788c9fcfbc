/* cpu.c - the choice of kernels. */
#include "nn/micro.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The later the better, but for blas, which is better than plain alone. */
static const nn_cpu *const all[] = {
    &nn_cpu_plain,
    &nn_cpu_blas,
#ifdef BIPE_NN_X86
    &nn_cpu_avx2,
    &nn_cpu_avx512,
    &nn_cpu_avx512bf16,
#endif
#ifdef BIPE_NN_ARM64
    &nn_cpu_neon,
#endif
};

enum { COUNT = sizeof all / sizeof all[0] };

const char *nn_cpu_name(const nn_cpu *cpu)
{
    return cpu->name;
}

size_t nn_cpu_count(void)
{
    return COUNT;
}

const nn_cpu *nn_cpu_at(size_t i)
{
    return i < COUNT && all[i]->usable() ? all[i] : NULL;
}

const nn_cpu *nn_cpu_named(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(all[i]->name, name) == 0)
            return nn_cpu_at(i);
    return NULL;
}

const nn_cpu *nn_cpu_best(void)
{
    static _Atomic(const nn_cpu *) chosen;
    const nn_cpu *cpu = atomic_load_explicit(&chosen, memory_order_acquire);
    if (cpu != NULL)
        return cpu;
    const char *name = getenv("BIPE_KERNELS");
    cpu = name != NULL ? nn_cpu_named(name) : NULL;
    for (size_t i = COUNT; cpu == NULL; i--)
        cpu = nn_cpu_at(i - 1);
    atomic_store_explicit(&chosen, cpu, memory_order_release);
    return cpu;
}

nn_reader *nn_reader_of(int type, nn_reader *plain)
{
    for (const nn_block_reader *r = nn_cpu_best()->readers; r != NULL && r->read != NULL; r++)
        if (r->type == type)
            return r->read;
    return plain;
}

double nn_cpu_ceiling(const nn_cpu *cpu, nn_precision precision, size_t rounds)
{
    const nn_micro *micro = nn_micro_of(cpu, precision);
    float result[NN_MICRO_LANES];
    return micro->ceiling != NULL ? (double)micro->step * micro->ceiling(rounds, result) : 0;
}
