/* lanes_avx2.c - tiles of scores for AVX2 with FMA. */
#include "nn/lanes.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

#define TABLE nn_lanes_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
typedef __m256 vec;
typedef __m256i ints;
#define LOAD(p) _mm256_load_ps(p)
#define LOAD_UNALIGNED(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_store_ps(p, v)
#define SPREAD(x) _mm256_set1_ps(x)
#define PLUS(a, b) _mm256_add_ps(a, b)
#define MINUS(a, b) _mm256_sub_ps(a, b)
#define TIMES(a, b) _mm256_mul_ps(a, b)
#define DIVIDE(a, b) _mm256_div_ps(a, b)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define FNMA(a, b, c) _mm256_fnmadd_ps(a, b, c)
#define MAXIMUM(a, b) _mm256_max_ps(a, b)
#define MINIMUM(a, b) _mm256_min_ps(a, b)
#define POWER(x) _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(x), 23))
#define ILOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define ISPREAD(i) _mm256_set1_epi32((int32_t)(i))
#define IMINUS(a, b) _mm256_sub_epi32(a, b)
#define IMAXIMUM(a, b) _mm256_max_epi32(a, b)
#define IMINIMUM(a, b) _mm256_min_epi32(a, b)
#define IABS(a) _mm256_abs_epi32(a)
#define TO_FLOAT(a) _mm256_cvtepi32_ps(a)
#define BETWEEN(d, w, v) \
    _mm256_blendv_ps(SPREAD(-__builtin_inff()), v, \
                     _mm256_castsi256_ps(_mm256_andnot_si256(_mm256_srai_epi32(d, 31), _mm256_cmpgt_epi32(w, d))))
#define GATHER(table, i) _mm256_i32gather_ps(table, i, 4)
#define DIFFERS(v) (_mm256_movemask_ps(_mm256_cmp_ps(v, SPREAD(1.0f), _CMP_NEQ_UQ)) != 0)
#define PAIRS(a, b, to) ((void)(a), (void)(b), (void)(to)) /* no kernel of this unit takes pairs */

#include "nn/lanes_body.h"
#endif
