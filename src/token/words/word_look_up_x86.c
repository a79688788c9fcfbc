/* word_look_up_x86.c - words looked up with AVX-512: the keys and places of eight at once, then the two words of a place at once. */
#include "token/words/word_look_up.h"

#ifdef BIPE_WORD_LOOK_UP_X86
#include <immintrin.h>

#define TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

enum { EIGHT = 8, AT_ONCE = 128 };

_Static_assert(sizeof(bipe_short_word[2]) == 64 && sizeof(bipe_word_key) == 16 && BIPE_WORD_LONG == 16, "what a vector holds");

bool bipe_word_look_up_avx512_usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

/* The keys of eight words, {low, high} each, and their places, which are asked for. */
TARGET_AVX512 static inline void begin_eight(const bipe_word_cache *cache, const uint8_t *text, const uint32_t *start,
                                             bipe_word_key key[EIGHT], const bipe_short_word *pair[EIGHT])
{
    const __m512i one = _mm512_set1_epi64(1);
    __m256i from = _mm256_loadu_si256((const void *)start), to = _mm256_loadu_si256((const void *)(start + 1));
    __m256i least = _mm256_min_epu32(_mm256_sub_epi32(to, from), _mm256_set1_epi32(BIPE_WORD_LONG));
    __m512i size = _mm512_cvtepu32_epi64(least), bits = _mm512_slli_epi64(size, 3);
    __m512i more = _mm512_max_epi64(_mm512_sub_epi64(bits, _mm512_set1_epi64(64)), _mm512_setzero_si512());
    __m512i low = _mm512_i32gather_epi64(from, text, 1), high = _mm512_i32gather_epi64(from, text + 8, 1);
    /* A shift by 64 gives 0. Of a word that is too long the last byte is something with bit 4, which no key has there. */
    low = _mm512_and_si512(low, _mm512_sub_epi64(_mm512_sllv_epi64(one, bits), one));
    high = _mm512_and_si512(high, _mm512_sub_epi64(_mm512_sllv_epi64(one, more), one));
    high = _mm512_or_si512(high, _mm512_slli_epi64(size, 56));
    _mm512_storeu_si512(key, _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), high));
    _mm512_storeu_si512(key + 4, _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), high));
    /* bipe_word_hash() */
    __m512i hash = _mm512_mullo_epi64(_mm512_xor_si512(low, _mm512_set1_epi64((long long)BIPE_WORD_HASH_FIRST)),
                                      _mm512_set1_epi64((long long)BIPE_WORD_HASH_LOW));
    hash = _mm512_xor_si512(_mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32)), high);
    hash = _mm512_mullo_epi64(hash, _mm512_set1_epi64((long long)BIPE_WORD_HASH_HIGH));
    hash = _mm512_srl_epi64(hash, _mm_cvtsi32_si128(64 - (int)cache->bits));
    _mm512_storeu_si512(pair, _mm512_add_epi64(_mm512_slli_epi64(hash, 6), _mm512_set1_epi64((long long)(intptr_t)cache->pair)));
    for (int i = 0; i < EIGHT; i++)
        __builtin_prefetch(pair[i]);
}

/* Of a place: which of its eight numbers are the key's. The offset of that word's tokens, or a number with bit 0. */
#define FIRST(m) (((m)&3) == 3)
#define SECOND(m) (((m)&0x30) == 0x30)
#define AT(m) (FIRST(m) ? 16 : SECOND(m) ? 48 : 17)
#define FOUR(m) AT(m), AT((m) + 1), AT((m) + 2), AT((m) + 3)
#define SIXTEEN(m) FOUR(m), FOUR((m) + 4), FOUR((m) + 8), FOUR((m) + 12)
static const uint8_t tokens_at[256] = {SIXTEEN(0),    SIXTEEN(16),  SIXTEEN(32),  SIXTEEN(48),  SIXTEEN(64),  SIXTEEN(80),
                                       SIXTEEN(96),   SIXTEEN(112), SIXTEEN(128), SIXTEEN(144), SIXTEEN(160), SIXTEEN(176),
                                       SIXTEEN(192),  SIXTEEN(208), SIXTEEN(224), SIXTEEN(240)};

TARGET_AVX512 size_t bipe_word_look_up_avx512(const bipe_word_cache *cache, const uint8_t *text, const uint32_t *start, size_t n,
                                              bipe_short_tokens *known, uint16_t *rare)
{
    bipe_word_key key[AT_ONCE];
    const bipe_short_word *pair[AT_ONCE];
    size_t rares = 0, from = 0;
    for (size_t to; n - from >= EIGHT; from = to) {
        to = n - from < AT_ONCE ? from + (n - from) / EIGHT * EIGHT : from + AT_ONCE;
        for (size_t k = from; k < to; k += EIGHT)
            begin_eight(cache, text, start + k, key + (k - from), pair + (k - from));
        for (size_t k = from; k < to; k++) {
            __m512i both = _mm512_load_si512(pair[k - from]);
            __m512i wanted = _mm512_broadcast_i64x2(_mm_loadu_si128((const void *)&key[k - from]));
            uint8_t at = tokens_at[_mm512_cmpeq_epi64_mask(both, wanted)];
            memcpy(&known[k], (const uint8_t *)pair[k - from] + at, sizeof *known);
            rare[rares] = (uint16_t)k;
            rares += at & 1;
        }
    }
    size_t rest = bipe_word_look_up_plain(cache, text, start + from, n - from, known + from, rare + rares);
    for (size_t i = rares; i < rares + rest; i++)
        rare[i] = (uint16_t)(rare[i] + from);
    return rares + rest;
}
#else
/* Another machine: an empty file is no C. */
typedef int bipe_word_look_up_x86_is_empty;
#endif
