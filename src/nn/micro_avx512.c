/* micro_avx512.c - micro-kernels for AVX-512, without and with dot products of bfloat16 and of integers: tiles of 8 x
 * 48, 24 sums in 32 registers; a single column in vectors of 8 rows. */
#include "nn/block_products.h"
#include "nn/micro.h"

#ifdef BIPE_NN_X86
#include <immintrin.h>
#include <string.h>

#define MR 8
#define NV 3
#define LANES 16
typedef __m512 vec;
#define ZERO _mm512_setzero_ps()
#define LOAD_UNALIGNED(p) _mm512_loadu_ps(p)
#define SPREAD(p) _mm512_set1_ps(*(p))
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define PLUS(a, b) _mm512_add_ps(a, b)

#define TOGETHER 8
typedef __m256 side;
#define SIDE_ZERO _mm256_setzero_ps()
#define SIDE_LOAD(p) _mm256_load_ps(p)
#define SIDE_SPREAD(p) _mm256_broadcast_ss(p)
#define SIDE_STORE(p, v) _mm256_storeu_ps(p, v)

#define KERNEL run_avx512
#define COLUMN column_avx512
#define CEILING ceiling_f32
#define TARGET __attribute__((target("avx512f,fma")))
#define SIDE_MULTIPLY(acc, left, word) _mm256_fmadd_ps(left, word, acc)
#define MULTIPLY(acc, left, panel) _mm512_fmadd_ps(left, panel, acc)
#include "nn/micro_kernel.h"
#undef TARGET

#define KERNEL run_bf16
#define COLUMN column_bf16
#define CEILING ceiling_bf16
#define TARGET __attribute__((target("avx512f,avx512vl,avx512bf16")))
#define SIDE_MULTIPLY(acc, left, word) _mm256_dpbf16_ps(acc, (__m256bh)(left), (__m256bh)(word))
#define MULTIPLY(acc, left, panel) _mm512_dpbf16_ps(acc, (__m512bh)(left), (__m512bh)(panel))
#include "nn/micro_kernel.h"

TARGET static void narrow_bf16(const float *from, size_t words, float *to)
{
    size_t i = 0;
    for (; i + LANES <= words; i += LANES, from += 2 * LANES)
        _mm512_storeu_ps(to + i, (__m512)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + LANES), _mm512_loadu_ps(from)));
    if (i < words) {
        size_t left = 2 * (words - i);
        __mmask16 low = left < LANES ? (__mmask16)((1u << left) - 1) : 0xFFFF;
        __mmask16 high = left <= LANES ? 0 : (__mmask16)((1u << (left - LANES)) - 1);
        __mmask16 mask = (__mmask16)((1u << (words - i)) - 1);
        __m512 a = _mm512_maskz_loadu_ps(low, from), b = _mm512_maskz_loadu_ps(high, from + LANES);
        _mm512_mask_storeu_ps(to + i, mask, (__m512)_mm512_cvtne2ps_pbh(b, a));
    }
}

#undef TARGET

typedef int ints __attribute__((vector_size(64)));
#define FLOATS(x) _mm512_cvtepi32_ps((__m512i)(x))
#define TIMES(a, b) _mm512_mul_ps(a, b)
#define KERNEL run_vnni
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vnni,fma")))
#define MULTIPLY(acc, a, b) _mm512_fmadd_ps(a, b, acc)
#define DOT(acc, a, b) (ints)_mm512_dpwssd_epi32((__m512i)(acc), (__m512i)(a), (__m512i)(b))
#include "nn/micro_int16.h"
#undef TARGET

#define KERNEL run_int16
#define TARGET __attribute__((target("avx512f,avx512bw,fma")))
#define MULTIPLY(acc, a, b) _mm512_fmadd_ps(a, b, acc)
#define DOT(acc, a, b) (ints)_mm512_add_epi32((__m512i)(acc), _mm512_madd_epi16((__m512i)(a), (__m512i)(b)))
#include "nn/micro_int16.h"

/* With dot products of integers where the processor has them. */
static void run_some_int16(size_t steps, const nn_left *left, const nn_right *right, float *c, size_t ldc, size_t m,
                           size_t n, bool add)
{
    (__builtin_cpu_supports("avx512vnni") ? run_vnni : run_int16)(steps, left, right, c, ldc, m, n, add);
}

static bool usable_f32(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma");
}

static bool usable_bf16(void)
{
    return usable_f32() && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bf16") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni");
}

static const nn_micro micro_f32 = {.rows = MR, .columns = NV * LANES, .lanes = LANES, .step = 1, .words = 1,
                                   .run = run_avx512, .column = column_avx512, .ceiling = ceiling_f32};
static const nn_micro micro_bf16 = {.rows = MR, .columns = NV * LANES, .lanes = LANES, .step = 2, .words = 1,
                                    .run = run_bf16, .column = column_bf16, .narrow = narrow_bf16,
                                    .ceiling = ceiling_bf16};
static const nn_micro micro_int16 = {.rows = MR, .columns = NV * LANES, .lanes = LANES, .step = NN_INT16_BLOCK,
                                     .words = NN_INT16_WORDS, .run = run_some_int16, .narrow = nn_narrow_int16};
const nn_cpu nn_cpu_avx512 = {
    .name = "avx512", .usable = usable_f32, .f32 = &micro_f32, .int16 = &micro_int16, .rows = &nn_rows_avx512,
    .lanes = &nn_lanes_avx512, .readers = nn_block_readers_avx512, .products = &nn_block_products_avx2};
const nn_cpu nn_cpu_avx512bf16 = {
    .name = "avx512bf16", .usable = usable_bf16, .f32 = &micro_f32, .bf16 = &micro_bf16, .int16 = &micro_int16,
    .rows = &nn_rows_avx512, .lanes = &nn_lanes_avx512, .readers = nn_block_readers_avx512,
    .products = &nn_block_products_avx512};
#endif
