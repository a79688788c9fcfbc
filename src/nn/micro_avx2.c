/* micro_avx2.c - micro-kernel for AVX2 with FMA: tiles of 4 x 24, twelve sums in sixteen registers. */
#include "nn/block_products.h"
#include "nn/micro.h"

#ifdef BIPE_NN_X86
#include <immintrin.h>
#include <string.h>

#define KERNEL run_avx2
#define COLUMN column_avx2
#define CEILING ceiling
#define TARGET __attribute__((target("avx2,fma")))
#define MR 4
#define NV 3
#define LANES 8
typedef __m256 vec;
#define ZERO _mm256_setzero_ps()
#define LOAD_UNALIGNED(p) _mm256_loadu_ps(p)
#define SPREAD(p) _mm256_broadcast_ss(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define PLUS(a, b) _mm256_add_ps(a, b)
#define MULTIPLY(acc, left, panel) _mm256_fmadd_ps(left, panel, acc)
#define TOGETHER 8
typedef __m128 side;
#define SIDE_ZERO _mm_setzero_ps()
#define SIDE_LOAD(p) _mm_load_ps(p)
#define SIDE_SPREAD(p) _mm_broadcast_ss(p)
#define SIDE_STORE(p, v) _mm_storeu_ps(p, v)
#define SIDE_MULTIPLY(acc, left, word) _mm_fmadd_ps(left, word, acc)
#include "nn/micro_kernel.h"

typedef int ints __attribute__((vector_size(32)));
#define FLOATS(x) _mm256_cvtepi32_ps((__m256i)(x))
#define TIMES(a, b) _mm256_mul_ps(a, b)
#define KERNEL run_int16
#define MULTIPLY(acc, a, b) _mm256_fmadd_ps(a, b, acc)
#define DOT(acc, a, b) (ints)_mm256_add_epi32((__m256i)(acc), _mm256_madd_epi16((__m256i)(a), (__m256i)(b)))
#include "nn/micro_int16.h"

static bool avx2_usable(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static const nn_micro micro = {.rows = MR, .columns = NV * LANES, .lanes = LANES, .step = 1, .words = 1,
                               .run = run_avx2, .column = column_avx2, .ceiling = ceiling};
static const nn_micro micro_int16 = {.rows = MR, .columns = NV * LANES, .lanes = LANES, .step = NN_INT16_BLOCK,
                                     .words = NN_INT16_WORDS, .run = run_int16, .narrow = nn_narrow_int16};
const nn_cpu nn_cpu_avx2 = {
    .name = "avx2", .usable = avx2_usable, .f32 = &micro, .int16 = &micro_int16, .rows = &nn_rows_avx2,
    .lanes = &nn_lanes_avx2, .readers = nn_block_readers_avx2, .products = &nn_block_products_avx2};
#endif
