/* micro_neon.c - micro-kernel for NEON of arm64, which every such processor has: tiles of 8 x 12, 24 sums in 32
 * registers. */
#include "nn/micro.h"

#ifdef BIPE_NN_ARM64
#include <arm_neon.h>

#define KERNEL run_neon
#define CEILING ceiling
#ifdef __clang__
#define TARGET
#else
#define TARGET __attribute__((optimize("no-schedule-insns"))) /* GCC would load all of a step first, and have no
                                                                 registers left for some sums */
#endif
#define MR 8
#define NV 3
#define LANES 4
typedef float32x4_t vec;
#define ZERO vdupq_n_f32(0)
#define LOAD_UNALIGNED(p) vld1q_f32(p)
#define SPREAD(p) vld1q_dup_f32(p)
#define STORE(p, v) vst1q_f32(p, v)
#define PLUS(a, b) vaddq_f32(a, b)
#define MULTIPLY(acc, left, panel) vfmaq_f32(acc, left, panel)
#include "nn/micro_kernel.h"

static bool neon_usable(void)
{
    return true;
}

static const nn_micro micro = {
    .rows = MR, .columns = NV * LANES, .lanes = LANES, .step = 1, .words = 1, .run = run_neon, .ceiling = ceiling};
const nn_cpu nn_cpu_neon = {
    .name = "neon", .usable = neon_usable, .f32 = &micro, .int16 = &nn_micro_plain_int16, .rows = &nn_rows_plain,
    .lanes = &nn_lanes_plain};
#endif
