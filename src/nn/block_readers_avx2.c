/* block_readers_avx2.c - readers of weights in blocks, for AVX2. */
#include "nn/block_readers.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#include <string.h>

#define TABLE nn_block_readers_avx2
#define TARGET __attribute__((target("avx2")))

typedef __m256 vec;

TARGET static inline vec every(float x)
{
    return _mm256_set1_ps(x);
}

/* Halves in 32 bits each. The significand of a subnormal half is the end of one that begins at 2^-14, which is taken
 * away again. */
TARGET static inline vec halves(__m256i half)
{
    __m256i rest = _mm256_and_si256(half, _mm256_set1_epi32(0x7FFF)), bits = _mm256_slli_epi32(rest, 13);
    __m256i begun = _mm256_add_epi32(bits, _mm256_set1_epi32(113 << 23));
    __m256 small = _mm256_sub_ps(_mm256_castsi256_ps(begun), _mm256_set1_ps(0x1p-14f));
    __m256i endless = _mm256_cmpgt_epi32(rest, _mm256_set1_epi32(0x7BFF)), more = _mm256_set1_epi32(112 << 23);
    __m256i large = _mm256_add_epi32(_mm256_add_epi32(bits, more), _mm256_and_si256(endless, more));
    __m256i is_large = _mm256_cmpgt_epi32(rest, _mm256_set1_epi32(0x3FF));
    __m256 sign = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_srai_epi32(half, 15), 31));
    __m256 size = _mm256_blendv_ps(small, _mm256_castsi256_ps(large), _mm256_castsi256_ps(is_large));
    return _mm256_or_ps(size, sign);
}

TARGET static inline vec half_at(const void *from)
{
    uint16_t half;
    memcpy(&half, from, sizeof half);
    return halves(_mm256_set1_epi32(half));
}

TARGET static inline void put_f16(float *to, const uint8_t *from)
{
    const __m128i *half = (const __m128i *)(const void *)from;
    for (int i = 0; i < 2; i++)
        _mm256_storeu_ps(to + 8 * i, halves(_mm256_cvtepu16_epi32(_mm_loadu_si128(half + i))));
}

/* Eight products, of the lower codes and of the upper ones. */
TARGET static inline vec times(__m128i codes, vec scale)
{
    return _mm256_mul_ps(scale, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(codes)));
}

TARGET static inline __m128i upper(__m128i codes)
{
    return _mm_unpackhi_epi64(codes, codes);
}

TARGET static inline void put(float *to, __m128i codes, vec scale)
{
    _mm256_storeu_ps(to, times(codes, scale));
    _mm256_storeu_ps(to + 8, times(upper(codes), scale));
}

TARGET static inline void put_less(float *to, __m128i codes, vec scale, vec less)
{
    _mm256_storeu_ps(to, _mm256_sub_ps(times(codes, scale), less));
    _mm256_storeu_ps(to + 8, _mm256_sub_ps(times(upper(codes), scale), less));
}

TARGET static inline void put_more(float *to, __m128i codes, vec scale, vec more)
{
    _mm256_storeu_ps(to, _mm256_add_ps(times(codes, scale), more));
    _mm256_storeu_ps(to + 8, _mm256_add_ps(times(upper(codes), scale), more));
}

#include "nn/block_readers_body.h"
#endif
