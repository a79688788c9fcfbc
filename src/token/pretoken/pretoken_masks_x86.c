/* pretoken_masks_x86.c - masks of text for x86-64: AVX-512 and AVX2. Each class is a comparison or two. */
#include "token/pretoken/pretoken_masks.h"

#ifdef BIPE_TEXT_MASKS_X86
#include <immintrin.h>

#define TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx2,popcnt")))
#define TARGET_AVX2 __attribute__((target("avx2")))

bool bipe_text_avx512_usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("popcnt") && bipe_text_avx2_usable();
}

bool bipe_text_avx2_usable(void)
{
    return __builtin_cpu_supports("avx2");
}

TARGET_AVX512 void bipe_text_classify_avx512(const uint8_t *text, size_t words, bipe_text_masks *m)
{
    const __m512i space = _mm512_set1_epi8(' ');
    for (size_t w = 0; w < words; w++) {
        __m512i b = _mm512_loadu_si512(text + 64 * w);
        __m512i letter = _mm512_sub_epi8(_mm512_or_si512(b, space), _mm512_set1_epi8('a'));
        __m512i upper = _mm512_sub_epi8(b, _mm512_set1_epi8('A'));
        __m512i number = _mm512_sub_epi8(b, _mm512_set1_epi8('0'));
        __m512i blank = _mm512_sub_epi8(b, _mm512_set1_epi8('\t'));
        uint64_t spaces = _mm512_cmpeq_epi8_mask(b, space);
        m->letter[w] = _mm512_cmplt_epu8_mask(letter, _mm512_set1_epi8(26));
        m->upper[w] = _mm512_cmplt_epu8_mask(upper, _mm512_set1_epi8(26));
        m->number[w] = _mm512_cmplt_epu8_mask(number, _mm512_set1_epi8(10));
        m->space[w] = spaces;
        m->white[w] = _mm512_cmplt_epu8_mask(blank, _mm512_set1_epi8(5)) | spaces;
        m->newline[w] = _mm512_cmpeq_epi8_mask(b, _mm512_set1_epi8('\n')) |
                        _mm512_cmpeq_epi8_mask(b, _mm512_set1_epi8('\r'));
        m->apostrophe[w] = _mm512_cmpeq_epi8_mask(b, _mm512_set1_epi8('\''));
        m->slash[w] = _mm512_cmpeq_epi8_mask(b, _mm512_set1_epi8('/'));
        m->high[w] = _mm512_movepi8_mask(b);
    }
}

TARGET_AVX512 size_t bipe_text_list_avx512(const uint64_t *mask, size_t words, uint32_t first, uint32_t *offset)
{
    const __m512i sixteen = _mm512_set1_epi32(16),
                  count = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i here = _mm512_add_epi32(_mm512_set1_epi32((int)first), count);
    size_t n = 0;
    for (size_t w = 0; w < words; w++)
        for (int at = 0; at < 64; at += 16, here = _mm512_add_epi32(here, sixteen)) {
            uint16_t sixteen_bits = (uint16_t)(mask[w] >> at);
            _mm512_storeu_si512(offset + n, _mm512_maskz_compress_epi32(sixteen_bits, here));
            n += (size_t)__builtin_popcount(sixteen_bits);
        }
    return n;
}

/* Unsigned a < limit, for limit <= 127. */
TARGET_AVX2 static inline __m256i below(__m256i a, char limit)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(a, _mm256_set1_epi8((char)(limit - 1))), a);
}

TARGET_AVX2 static inline uint64_t bits(__m256i answer)
{
    return (uint32_t)_mm256_movemask_epi8(answer);
}

TARGET_AVX2 void bipe_text_classify_avx2(const uint8_t *text, size_t words, bipe_text_masks *m)
{
    const __m256i space = _mm256_set1_epi8(' ');
    for (size_t w = 0; w < words; w++) {
        uint64_t mask[9] = {0};
        for (int half = 0; half < 2; half++) {
            __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(text + 64 * w + 32 * half));
            __m256i spaces = _mm256_cmpeq_epi8(b, space);
            __m256i newline = _mm256_or_si256(_mm256_cmpeq_epi8(b, _mm256_set1_epi8('\n')),
                                              _mm256_cmpeq_epi8(b, _mm256_set1_epi8('\r')));
            __m256i answer[9] = {
                below(_mm256_sub_epi8(_mm256_or_si256(b, space), _mm256_set1_epi8('a')), 26),
                below(_mm256_sub_epi8(b, _mm256_set1_epi8('A')), 26),
                below(_mm256_sub_epi8(b, _mm256_set1_epi8('0')), 10),
                _mm256_or_si256(below(_mm256_sub_epi8(b, _mm256_set1_epi8('\t')), 5), spaces),
                newline,
                spaces,
                _mm256_cmpeq_epi8(b, _mm256_set1_epi8('\'')),
                _mm256_cmpeq_epi8(b, _mm256_set1_epi8('/')),
                b,
            };
            for (int k = 0; k < 9; k++)
                mask[k] |= bits(answer[k]) << 32 * half;
        }
        m->letter[w] = mask[0];
        m->upper[w] = mask[1];
        m->number[w] = mask[2];
        m->white[w] = mask[3];
        m->newline[w] = mask[4];
        m->space[w] = mask[5];
        m->apostrophe[w] = mask[6];
        m->slash[w] = mask[7];
        m->high[w] = mask[8];
    }
}
#else
/* Another machine: an empty file is no C. */
typedef int bipe_pretoken_masks_x86_is_empty;
#endif
