/* cpu.h - which kernels this machine runs: one choice for the whole room, made once.
 *
 * BIPE_KERNELS in the environment overrides the choice (for tests): plain, blas (which loads OpenBLAS,
 * or another CBLAS), avx2, avx512, avx512bf16 or neon. A name that this machine cannot run is ignored. */
#ifndef BIPE_NN_CPU_H
#define BIPE_NN_CPU_H

#include <stddef.h>

/* What packed values and products are kept in. */
typedef enum nn_precision {
    NN_PRECISION_F32,
    NN_PRECISION_BF16,
    NN_PRECISION_INT16, /* of products; attention has f32 */
    NN_PRECISIONS
} nn_precision;

/* The kernels of one kind of processor: a constant table, never freed. */
typedef struct nn_cpu nn_cpu;

/* The fastest kernels of this machine, or those of BIPE_KERNELS. Safe to call from any thread. */
const nn_cpu *nn_cpu_best(void);
/* Those of a name; NULL where there are none or this machine cannot run them. */
const nn_cpu *nn_cpu_named(const char *name);
const char *nn_cpu_name(const nn_cpu *cpu);
/* All kinds that were built, from the plainest; nn_cpu_at() gives NULL for those that this machine cannot run. */
size_t nn_cpu_count(void);
const nn_cpu *nn_cpu_at(size_t i);

/* Does nothing but `rounds` times a few multiply-adds in registers, as fast as the processor can, with the instructions
 * that these kernels multiply matrices with. Returns the float operations that were done; 0: nothing is known (plain,
 * blas). */
double nn_cpu_ceiling(const nn_cpu *cpu, nn_precision precision, size_t rounds);

#endif
