/* lanes_avx512.c - tiles of scores for AVX-512. */
#include "nn/lanes.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

#define TABLE nn_lanes_avx512
#define TARGET __attribute__((target("avx512f")))
#define LANES 16
typedef __m512 vec;
typedef __m512i ints;
#define LOAD(p) _mm512_load_ps(p)
#define LOAD_UNALIGNED(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_store_ps(p, v)
#define SPREAD(x) _mm512_set1_ps(x)
#define PLUS(a, b) _mm512_add_ps(a, b)
#define MINUS(a, b) _mm512_sub_ps(a, b)
#define TIMES(a, b) _mm512_mul_ps(a, b)
#define DIVIDE(a, b) _mm512_div_ps(a, b)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define FNMA(a, b, c) _mm512_fnmadd_ps(a, b, c)
#define MAXIMUM(a, b) _mm512_max_ps(a, b)
#define MINIMUM(a, b) _mm512_min_ps(a, b)
#define POWER(x) _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(x), 23))
#define ILOAD(p) _mm512_loadu_si512(p)
#define ISPREAD(i) _mm512_set1_epi32((int32_t)(i))
#define IMINUS(a, b) _mm512_sub_epi32(a, b)
#define IMAXIMUM(a, b) _mm512_max_epi32(a, b)
#define IMINIMUM(a, b) _mm512_min_epi32(a, b)
#define IABS(a) _mm512_abs_epi32(a)
#define TO_FLOAT(a) _mm512_cvtepi32_ps(a)
/* As unsigned numbers, negative distances are far above any window. */
#define BETWEEN(d, w, v) _mm512_mask_mov_ps(SPREAD(-__builtin_inff()), _mm512_cmplt_epu32_mask(d, w), v)
#define GATHER(table, i) _mm512_i32gather_ps(i, table, 4)
#define DIFFERS(v) (_mm512_cmp_ps_mask(v, SPREAD(1.0f), _CMP_NEQ_UQ) != 0)

/* 0xEA: (a & b) | c */
#define HALF_UP(v) _mm512_add_epi32(_mm512_castps_si512(v), ISPREAD(0x8000))
#define PAIRS(a, b, to) \
    _mm512_store_si512(to, _mm512_ternarylogic_epi32(HALF_UP(b), ISPREAD(0xFFFF0000), \
                                                     _mm512_srli_epi32(HALF_UP(a), 16), 0xEA))

#include "nn/lanes_body.h"
#endif
