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

TARGET_AVX512 void bipe_regex_scan_avx512(const bipe_regex_filter *filter, const uint8_t *at, size_t words, uint64_t *bits)
{
    const __m512i column = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)columns));
    const __m512i nibble = _mm512_set1_epi8(15), upper = _mm512_set1_epi8(-128);
    for (size_t w = 0; w < words; w++)
        bits[w] = ~UINT64_C(0);
    for (int k = 0; k < BIPE_REGEX_REACH; k++) {
        if (filter->all[k])
            continue;
        const __m512i low = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)filter->low[k]));
        const __m512i high = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)filter->high[k]));
        const uint8_t *from = at + k - BIPE_REGEX_BEFORE;
        for (size_t w = 0; w < words; w++) {
            __m512i bytes = _mm512_loadu_si512(from + 64 * w);
            __m512i bit = _mm512_shuffle_epi8(column, _mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibble));
            __m512i row = _mm512_or_si512(_mm512_shuffle_epi8(low, bytes), _mm512_shuffle_epi8(high, _mm512_xor_si512(bytes, upper)));
            bits[w] &= _mm512_test_epi8_mask(row, bit);
        }
    }
}

TARGET_AVX2 void bipe_regex_scan_avx2(const bipe_regex_filter *filter, const uint8_t *at, size_t words, uint64_t *bits)
{
    const __m256i column = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)columns));
    const __m256i nibble = _mm256_set1_epi8(15), upper = _mm256_set1_epi8(-128);
    for (size_t w = 0; w < words; w++)
        bits[w] = ~UINT64_C(0);
    for (int k = 0; k < BIPE_REGEX_REACH; k++) {
        if (filter->all[k])
            continue;
        const __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)filter->low[k]));
        const __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)filter->high[k]));
        const uint8_t *from = at + k - BIPE_REGEX_BEFORE;
        for (size_t w = 0; w < 2 * words; w++) {
            __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(from + 32 * w));
            __m256i bit = _mm256_shuffle_epi8(column, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
            __m256i row = _mm256_or_si256(_mm256_shuffle_epi8(low, bytes), _mm256_shuffle_epi8(high, _mm256_xor_si256(bytes, upper)));
            uint32_t none = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(row, bit), _mm256_setzero_si256()));
            bits[w / 2] &= ~((uint64_t)none << 32 * (w % 2));
        }
    }
}
#else
/* Another machine: an empty file is no C. */
typedef int bipe_regex_filter_x86_is_empty;
#endif
