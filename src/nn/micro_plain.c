/* micro_plain.c - the micro-kernel for any processor: vectors of four floats, which compilers map to what there is. */
#include "nn/micro.h"

#define KERNEL run_plain
#define TARGET
#define MR 4
#define NV 2
#define LANES 4
typedef float vec __attribute__((vector_size(16), may_alias));
typedef float unaligned_vec __attribute__((vector_size(16), aligned(4), may_alias));
#define ZERO ((vec){0, 0, 0, 0})
#define LOAD_UNALIGNED(p) (*(const unaligned_vec *)(const void *)(p))
#define SPREAD(p) ((vec){*(p), *(p), *(p), *(p)})
#define STORE(p, v) (*(unaligned_vec *)(void *)(p) = (v))
#define PLUS(a, b) ((a) + (b))
#define MULTIPLY(acc, left, panel) ((acc) + (left) * (panel))
#include "nn/micro_kernel.h"

static bool plain_usable(void)
{
    return true;
}

static const nn_micro micro = {.rows = MR, .columns = NV * LANES, .lanes = LANES, .step = 1, .run = run_plain};
const nn_cpu nn_cpu_plain = {
    .name = "plain", .usable = plain_usable, .f32 = &micro, .rows = &nn_rows_plain, .lanes = &nn_lanes_plain};
