/* ceiling.h - measures the machine's peak arithmetic rate, as a reference for training speed. */
#ifndef BIPE_TRAIN_CEILING_H
#define BIPE_TRAIN_CEILING_H

#include "base/threads.h"
#include "nn/cpu.h"

/* Float operations a second of all threads of the pool: multiply-adds in registers alone, with the instructions that
 * `cpu` multiplies matrices with at this precision. The best of many short runs, some 60 ms in all. 0: not known
 * (plain, blas). */
double bipe_ceiling(bipe_pool *pool, const nn_cpu *cpu, nn_precision precision);

#endif
