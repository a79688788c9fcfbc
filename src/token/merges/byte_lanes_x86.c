/* byte_lanes_x86.c - words merged side by side with AVX2: eight numbers, and a bucket of four entries, at once. */
#include "token/merges/byte_lanes.h"

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

/* pair[i .. i + 8) and into[] of eight pairs of bytes, which are their places in m->byte. */
TARGET_AVX2 static inline void set_eight(const bipe_byte_merges *m, bipe_lane *l, size_t at, __m256i bytes, size_t size)
{
    const __m256i one = _mm256_set1_epi32(1), tied = _mm256_set1_epi32((int)m->tied), tied_from = _mm256_set1_epi32((int)m->tied_from);
    __m256i into = _mm256_i32gather_epi32((const int *)m->byte, bytes, sizeof *m->byte);
    __m256i behind = _mm256_sub_epi32(into, tied_from), alone = _mm256_cmpeq_epi32(_mm256_max_epu32(behind, tied), behind);
    __m256i rank = _mm256_blendv_epi8(tied_from, into, alone);
    __m256i place = _mm256_add_epi32(_mm256_set1_epi32((int)at), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i outside = _mm256_cmpgt_epi32(place, _mm256_set1_epi32((int)size - 1));
    __m256i pair = _mm256_or_si256(_mm256_slli_epi32(_mm256_sub_epi32(rank, one), BIPE_PLACE_BITS), place);
    _mm256_storeu_si256((void *)(l->into + at), into);
    _mm256_storeu_si256((void *)(l->pair + at), _mm256_or_si256(pair, _mm256_and_si256(outside, _mm256_set1_epi32((int)BIPE_LANE_NONE))));
}

TARGET_AVX2 static inline void symbols_avx2(const bipe_byte_merges *m, bipe_lane *l, const uint8_t *text, size_t size)
{
    if (size > BIPE_WORD_READ) {
        bipe_lane_symbols_plain(m, l, text, size);
        return;
    }
    /* What is behind the word may have no value. */
    static const uint8_t within[2 * BIPE_WORD_READ] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                                      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    __m128i mask = _mm_loadu_si128((const void *)(within + BIPE_WORD_READ - size));
    __m128i bytes = _mm_and_si128(_mm_loadu_si128((const void *)text), mask), next = _mm_srli_si128(bytes, 1);
    __m256i low = _mm256_cvtepu8_epi32(bytes), high = _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8));
    _mm256_storeu_si256((void *)(l->name + 1), low);
    _mm256_storeu_si256((void *)(l->name + 9), high);
    set_eight(m, l, 1, _mm256_or_si256(_mm256_slli_epi32(low, 8), _mm256_cvtepu8_epi32(next)), size);
    set_eight(m, l, 9, _mm256_or_si256(_mm256_slli_epi32(high, 8), _mm256_cvtepu8_epi32(_mm_srli_si128(next, 8))), size);
}

TARGET_AVX2 void bipe_byte_lanes_avx2(const bipe_byte_merges *m, bipe_new_word *word, const bipe_new_word *stop, bipe_piece_token *token)
{
    bipe_lanes_run(m, word, stop, token, symbols_avx2, least_avx2, bucket_avx2);
}
#else
/* Another machine: an empty file is no C. */
typedef int bipe_byte_lanes_x86_is_empty;
#endif
