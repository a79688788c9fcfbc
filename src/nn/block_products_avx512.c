/* block_products_avx512.c - products straight from weights in blocks, for AVX-512 with dot products of bytes (VNNI). */
#include "nn/block_products.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#include <string.h>

#define PRODUCTS nn_block_products_avx512
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vnni,fma")))
#define INLINE TARGET static inline __attribute__((always_inline))
#define LANES 16
#define COLUMNS 48
#define HIGH 1
#define OP(name) _mm512_##name
#define OP_ALL(name) _mm512_##name##_si512
typedef __m512i ints;
typedef __m512 floats;

INLINE ints load(const void *from)
{
    return _mm512_load_si512(from);
}

INLINE void store(void *to, ints x)
{
    _mm512_store_si512(to, x);
}

INLINE ints four_rows(const uint8_t *from, size_t stride)
{
    ints rows = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)from));
    rows = _mm512_inserti32x4(rows, _mm_loadu_si128((const __m128i *)(const void *)(from + 4 * stride)), 1);
    rows = _mm512_inserti32x4(rows, _mm_loadu_si128((const __m128i *)(const void *)(from + 8 * stride)), 2);
    return _mm512_inserti32x4(rows, _mm_loadu_si128((const __m128i *)(const void *)(from + 12 * stride)), 3);
}

INLINE floats halves(ints word)
{
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(word));
}

INLINE floats halves_at(const uint8_t *from, size_t stride)
{
    uint16_t half[LANES];
    for (size_t i = 0; i < LANES; i++)
        memcpy(&half[i], from + i * stride, sizeof half[i]);
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)half));
}

INLINE void store_columns(float *y, size_t columns, bool add, floats x)
{
    const __mmask16 mask = columns < LANES ? (__mmask16)((1u << columns) - 1) : 0xFFFF;
    _mm512_mask_storeu_ps(y, mask, add ? _mm512_add_ps(_mm512_maskz_loadu_ps(mask, y), x) : x);
}

INLINE ints dot(ints sum, ints code, ints x, const bool wide)
{
    (void)wide;
    return _mm512_dpbusd_epi32(sum, code, x);
}

INLINE ints level_of(ints code)
{
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_setr_epi8(NN_IQ4_LEVELS)), code);
}

#include "nn/block_products_body.h"
#endif
