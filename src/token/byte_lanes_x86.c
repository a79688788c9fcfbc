/* byte_lanes_x86.c - words merged side by side with AVX2: eight numbers, and a bucket of four entries, at once. */
#include "token/byte_lanes.h"

#ifdef BIPE_BYTE_LANES_X86
#include <immintrin.h>

#define TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

_Static_assert(BIPE_BYTE_MERGES_BUCKET == 8 && BIPE_PLACES_STEP == 16, "what a vector holds");

bool bipe_byte_lanes_avx2_usable(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

TARGET_AVX2 static inline __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

TARGET_AVX2 static inline uint32_t least_avx2(const uint32_t *pair, size_t places)
{
    __m256i eight = _mm256_min_epu32(load(pair), load(pair + 8));
    for (size_t i = BIPE_PLACES_STEP; i < places; i += BIPE_PLACES_STEP)
        eight = _mm256_min_epu32(eight, _mm256_min_epu32(load(pair + i), load(pair + i + 8)));
    __m128i four = _mm_min_epu32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    four = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0x4E));
    four = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0xB1));
    return (uint32_t)_mm_cvtsi128_si32(four);
}

TARGET_AVX2 static inline uint32_t bucket_avx2(const uint64_t *bucket, uint64_t key)
{
    __m256i wanted = _mm256_set1_epi64x((long long)key);
    __m256i low = load(bucket), high = load(bucket + 4);
    low = _mm256_and_si256(low, _mm256_cmpeq_epi64(_mm256_srli_epi64(low, 24), wanted));
    high = _mm256_and_si256(high, _mm256_cmpeq_epi64(_mm256_srli_epi64(high, 24), wanted));
    __m256i entry = _mm256_or_si256(low, high);
    __m128i found = _mm_or_si128(_mm256_castsi256_si128(entry), _mm256_extracti128_si256(entry, 1));
    found = _mm_or_si128(found, _mm_unpackhi_epi64(found, found));
    return (uint32_t)_mm_cvtsi128_si32(found) & 0xFFFFFF;
}

TARGET_AVX2 void bipe_byte_lanes_avx2(const bipe_byte_merges *m, bipe_new_word *word, const bipe_new_word *stop, bipe_piece_token *token)
{
    bipe_lanes_run(m, word, stop, token, least_avx2, bucket_avx2);
}
#else
/* Another machine: an empty file is no C. */
typedef int bipe_byte_lanes_x86_is_empty;
#endif
