/* micro_plain.c - the micro-kernel for any processor: vectors of four floats, which compilers map to what there is. */
#include "nn/micro.h"

#include <string.h>

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

static int32_t half(uint32_t word, int shift)
{
    return (int16_t)(word >> shift & 0xFFFF);
}

static void run_int16(size_t steps, const nn_left *left, const nn_right *right, float *c, size_t ldc, size_t m,
                      size_t n, bool add)
{
    for (size_t r = 0; r < m; r++)
        for (size_t j = 0; j < n; j++) {
            const float *x = left->at + r / MR * left->group + r % MR * left->row, *w = right->at + j;
            float sum = add ? c[r * ldc + j] : 0;
            for (size_t s = 0; s < steps; s += NN_INT16_WORDS) {
                const float scale = *x * *w;
                int32_t products = 0;
                for (size_t i = 1; i < NN_INT16_WORDS; i++) {
                    uint32_t a, b;
                    memcpy(&a, x + i * left->step, 4);
                    memcpy(&b, w + i * right->ld, 4);
                    products += half(a, 0) * half(b, 0) + half(a, 16) * half(b, 16);
                }
                sum += (float)products * scale;
                x += NN_INT16_WORDS * left->step;
                w += NN_INT16_WORDS * right->ld;
            }
            c[r * ldc + j] = sum;
        }
}

static bool plain_usable(void)
{
    return true;
}

static const nn_micro micro = {.rows = MR, .columns = NV * LANES, .lanes = LANES, .step = 1, .words = 1,
                               .run = run_plain};
const nn_micro nn_micro_plain_int16 = {.rows = MR, .columns = NV * LANES, .lanes = LANES, .step = NN_INT16_BLOCK,
                                       .words = NN_INT16_WORDS, .run = run_int16, .narrow = nn_narrow_int16};
const nn_cpu nn_cpu_plain = {
    .name = "plain", .usable = plain_usable, .f32 = &micro, .int16 = &nn_micro_plain_int16, .rows = &nn_rows_plain,
    .lanes = &nn_lanes_plain};
