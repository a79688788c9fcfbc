/* block_readers_avx512.c - readers of weights in blocks, for AVX-512. */
#include "nn/block_readers.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#include <string.h>

#define TABLE nn_block_readers_avx512
#define TARGET __attribute__((target("avx512f")))

typedef __m512 vec;

TARGET static inline vec every(float x)
{
    return _mm512_set1_ps(x);
}

TARGET static inline vec half_at(const void *from)
{
    int16_t half;
    memcpy(&half, from, sizeof half);
    return _mm512_cvtph_ps(_mm256_set1_epi16(half));
}

TARGET static inline void put_f16(float *to, const uint8_t *from)
{
    _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)from)));
}

TARGET static inline vec times(__m128i codes, vec scale)
{
    return _mm512_mul_ps(scale, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(codes)));
}

TARGET static inline void put(float *to, __m128i codes, vec scale)
{
    _mm512_storeu_ps(to, times(codes, scale));
}

TARGET static inline void put_less(float *to, __m128i codes, vec scale, vec less)
{
    _mm512_storeu_ps(to, _mm512_sub_ps(times(codes, scale), less));
}

TARGET static inline void put_more(float *to, __m128i codes, vec scale, vec more)
{
    _mm512_storeu_ps(to, _mm512_add_ps(times(codes, scale), more));
}

#include "nn/block_readers_body.h"
#endif
