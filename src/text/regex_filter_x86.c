/* regex_filter_x86.c - scanners of filters for x86-64: AVX-512, AVX2.
 *
 * Whether byte b is in a set is a bit of a table of 16 x 8 bits, for each half of the byte values: a shuffle looks up the row
 * b % 16 and another one the bit of column b / 16; they have a bit in common for members. The first shuffle gives 0 for bytes from
 * 128 on by itself; for the upper half it looks at b ^ 128. */
#include "text/regex_filter.h"

#ifdef BIPE_REGEX_FILTER_X86
#include <immintrin.h>

#define TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx2")))
#define TARGET_AVX2 __attribute__((target("avx2")))

/* The bit of a column, twice. */
static const uint8_t columns[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

bool bipe_regex_avx512_usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && bipe_regex_avx2_usable();
}

bool bipe_regex_avx2_usable(void)
{
    return __builtin_cpu_supports("avx2");
}

/* 16 bytes, as often as they fit. */
TARGET_AVX512 static inline __m512i repeat_avx512(const uint8_t bytes[16])
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

TARGET_AVX512 void bipe_regex_scan_avx512(const bipe_regex_filter *filter, const uint8_t *at, size_t words, uint64_t *bits)
{
    const __m512i column = repeat_avx512(columns), nibble = _mm512_set1_epi8(15), upper = _mm512_set1_epi8(-128);
    for (size_t w = 0; w < words; w++)
        bits[w] = ~UINT64_C(0);
    for (int k = 0; k < BIPE_REGEX_REACH; k++) {
        const __m512i low = repeat_avx512(filter->low[k]), high = repeat_avx512(filter->high[k]);
        const __m512i one = _mm512_set1_epi8((char)filter->pair[k][0]), two = _mm512_set1_epi8((char)filter->pair[k][1]);
        const uint8_t *from = at + k - BIPE_REGEX_BEFORE;
        switch (filter->kind[k]) {
        case BIPE_REGEX_ALL: break;
        case BIPE_REGEX_PAIR:
            for (size_t w = 0; w < words; w++) {
                __m512i bytes = _mm512_loadu_si512(from + 64 * w);
                bits[w] &= _mm512_cmpeq_epi8_mask(bytes, one) | _mm512_cmpeq_epi8_mask(bytes, two);
            }
            break;
        case BIPE_REGEX_LOWER:
            for (size_t w = 0; w < words; w++) {
                __m512i bytes = _mm512_loadu_si512(from + 64 * w);
                __m512i bit = _mm512_shuffle_epi8(column, _mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibble));
                bits[w] &= _mm512_test_epi8_mask(_mm512_shuffle_epi8(low, bytes), bit);
            }
            break;
        case BIPE_REGEX_ANY:
            for (size_t w = 0; w < words; w++) {
                __m512i bytes = _mm512_loadu_si512(from + 64 * w);
                __m512i bit = _mm512_shuffle_epi8(column, _mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibble));
                __m512i row = _mm512_or_si512(_mm512_shuffle_epi8(low, bytes), _mm512_shuffle_epi8(high, _mm512_xor_si512(bytes, upper)));
                bits[w] &= _mm512_test_epi8_mask(row, bit);
            }
        }
    }
}

TARGET_AVX2 static inline __m256i load_avx2(const uint8_t *bytes)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

/* 16 bytes, twice. */
TARGET_AVX2 static inline __m256i repeat_avx2(const uint8_t bytes[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

/* Clears the bits of 32 places whose answer is not 0xFF; `w`: which half of a word. */
TARGET_AVX2 static inline void keep_avx2(uint64_t *bits, size_t w, __m256i answer)
{
    uint32_t none = ~(uint32_t)_mm256_movemask_epi8(answer);
    bits[w / 2] &= ~((uint64_t)none << 32 * (w % 2));
}

TARGET_AVX2 void bipe_regex_scan_avx2(const bipe_regex_filter *filter, const uint8_t *at, size_t words, uint64_t *bits)
{
    const __m256i column = repeat_avx2(columns), nibble = _mm256_set1_epi8(15), upper = _mm256_set1_epi8(-128);
    for (size_t w = 0; w < words; w++)
        bits[w] = ~UINT64_C(0);
    for (int k = 0; k < BIPE_REGEX_REACH; k++) {
        const __m256i low = repeat_avx2(filter->low[k]), high = repeat_avx2(filter->high[k]);
        const __m256i one = _mm256_set1_epi8((char)filter->pair[k][0]), two = _mm256_set1_epi8((char)filter->pair[k][1]);
        const uint8_t *from = at + k - BIPE_REGEX_BEFORE;
        switch (filter->kind[k]) {
        case BIPE_REGEX_ALL: break;
        case BIPE_REGEX_PAIR:
            for (size_t w = 0; w < 2 * words; w++) {
                __m256i bytes = load_avx2(from + 32 * w);
                keep_avx2(bits, w, _mm256_or_si256(_mm256_cmpeq_epi8(bytes, one), _mm256_cmpeq_epi8(bytes, two)));
            }
            break;
        case BIPE_REGEX_LOWER:
            for (size_t w = 0; w < 2 * words; w++) {
                __m256i bytes = load_avx2(from + 32 * w);
                __m256i bit = _mm256_shuffle_epi8(column, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
                keep_avx2(bits, w, _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(low, bytes), bit), bit));
            }
            break;
        case BIPE_REGEX_ANY:
            for (size_t w = 0; w < 2 * words; w++) {
                __m256i bytes = load_avx2(from + 32 * w);
                __m256i bit = _mm256_shuffle_epi8(column, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
                __m256i row = _mm256_or_si256(_mm256_shuffle_epi8(low, bytes), _mm256_shuffle_epi8(high, _mm256_xor_si256(bytes, upper)));
                keep_avx2(bits, w, _mm256_cmpeq_epi8(_mm256_and_si256(row, bit), bit));
            }
        }
    }
}
#else
/* Another machine: an empty file is no C. */
typedef int bipe_regex_filter_x86_is_empty;
#endif
