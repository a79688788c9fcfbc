/* block_products_avx2.c - products straight from weights in blocks, for AVX2. */
#include "nn/block_products.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#include <math.h>
#include <string.h>

#define PRODUCTS nn_block_products_avx2
/* Every processor with AVX2 and FMA has conversions of half floats. */
#define TARGET __attribute__((target("avx2,fma,f16c")))
#define INLINE TARGET static inline __attribute__((always_inline))
#define LANES 8
#define COLUMNS 24
#define HIGH 0
#define OP(name) _mm256_##name
#define OP_ALL(name) _mm256_##name##_si256
typedef __m256i ints;
typedef __m256 floats;

INLINE ints load(const void *from)
{
    return _mm256_load_si256(from);
}

INLINE void store(void *to, ints x)
{
    _mm256_store_si256(to, x);
}

INLINE ints four_rows(const uint8_t *from, size_t stride)
{
    ints rows = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)from));
    return _mm256_inserti128_si256(rows, _mm_loadu_si128((const __m128i *)(const void *)(from + 4 * stride)), 1);
}

INLINE floats halves(ints word)
{
    ints low = _mm256_and_si256(word, _mm256_set1_epi32(0xFFFF));
    return _mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)));
}

INLINE floats halves_at(const uint8_t *from, size_t stride)
{
    uint16_t half[LANES];
    for (size_t i = 0; i < LANES; i++)
        memcpy(&half[i], from + i * stride, sizeof half[i]);
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)half));
}

INLINE void store_columns(float *y, size_t columns, bool add, floats x)
{
    const ints mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(columns < LANES ? (int)columns : LANES),
                                         _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_maskstore_ps(y, mask, add ? _mm256_add_ps(_mm256_maskload_ps(y, mask), x) : x);
}

/* Sums of two products of bytes saturate above 127 * 128 * 2, so codes beyond are multiplied by halves of theirs. */
INLINE ints dot(ints sum, ints code, ints x, const bool wide)
{
    const ints low = _mm256_set1_epi8(15);
    if (wide) {
        ints high = _mm256_and_si256(_mm256_srli_epi32(code, 4), low);
        high = _mm256_madd_epi16(_mm256_maddubs_epi16(high, x), _mm256_set1_epi16(16));
        sum = _mm256_add_epi32(sum, high);
        code = _mm256_and_si256(code, low);
    }
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(code, x), _mm256_set1_epi16(1)));
}


INLINE ints level_of(ints code)
{
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_setr_epi8(NN_IQ4_LEVELS)), code);
}

/* The lowest byte of integers, signed; what is left is divided by 256. */
INLINE ints take_byte(ints *x)
{
    ints byte = _mm256_srai_epi32(_mm256_slli_epi32(*x, 24), 24);
    *x = _mm256_srai_epi32(_mm256_sub_epi32(*x, byte), 8);
    return byte;
}

/* The step of 32 values: a power of two, of which the largest is less than 2^23, and by so much that three signed bytes
 * hold it. NaN if one is not finite. */
INLINE float step_of(const ints bits[4])
{
    const ints sign = _mm256_set1_epi32(0x7FFFFFFF);
    ints size = _mm256_max_epi32(_mm256_max_epi32(_mm256_and_si256(bits[0], sign), _mm256_and_si256(bits[1], sign)),
                                 _mm256_max_epi32(_mm256_and_si256(bits[2], sign), _mm256_and_si256(bits[3], sign)));
    __m128i most = _mm_max_epi32(_mm256_castsi256_si128(size), _mm256_extracti128_si256(size, 1));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0x4E));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0xB1));
    /* As integers, NaN is larger than any number. */
    uint32_t exponent = (uint32_t)_mm_cvtsi128_si32(_mm_castps_si128(
                            _mm_mul_ss(_mm_castsi128_ps(most), _mm_set_ss(1.0078125f)))) & 0x7F800000;
    float power;
    memcpy(&power, &exponent, sizeof power);
    return exponent == 0x7F800000 ? NAN : (power < 0x1p-100f ? 0x1p-100f : power) * 0x1p-22f;
}

TARGET void nn_fix_avx2(const float *x, size_t count, nn_fixed *to)
{
    for (; count >= NN_FIXED_VALUES; count -= NN_FIXED_VALUES, x += NN_FIXED_VALUES, to++) {
        ints word[4], sums[3];
        for (int i = 0; i < 4; i++)
            word[i] = _mm256_loadu_si256((const ints *)(const void *)(x + LANES * i));
        to->step = step_of(word);
        const floats steps = _mm256_set1_ps(isnan(to->step) ? 0 : 1 / to->step);
        for (int i = 0; i < 4; i++)
            word[i] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_castsi256_ps(word[i]), steps));
        for (int byte = 2; byte >= 0; byte--) {
            ints first = take_byte(&word[0]), second = take_byte(&word[1]), third = take_byte(&word[2]);
            ints bytes = _mm256_packs_epi16(_mm256_packs_epi32(first, second),
                                            _mm256_packs_epi32(third, take_byte(&word[3])));
            bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
            _mm256_storeu_si256((ints *)(void *)to->part[byte], bytes);
            sums[byte] = _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes), _mm256_set1_epi16(1));
        }
        ints all = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[2]));
        int32_t sum[2][4]; /* of a, b and c in each half */
        _mm256_storeu_si256((ints *)(void *)sum, all);
        for (int half = 0; half < 2; half++)
            memcpy(to->half[half], sum[half], sizeof to->half[half]);
        to->sum = (float)(65536 * (sum[0][0] + sum[1][0]) + 256 * (sum[0][1] + sum[1][1]) + sum[0][2] + sum[1][2]);
    }
}

#include "nn/block_products_body.h"
#endif
