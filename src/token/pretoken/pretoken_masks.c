/* pretoken_masks.c - chooses how it is done, and holds the plain way. Vector code is in pretoken_masks_*.c. */
#include "token/pretoken/pretoken_masks.h"

enum { LETTER = 1, UPPER = 2, NUMBER = 4, WHITE = 8, NEWLINE = 16, SPACE = 32, APOSTROPHE = 64, SLASH = 128 };

static uint8_t bits_of(uint8_t c)
{
    if ((uint8_t)((c | 0x20) - 'a') < 26)
        return c < 'a' ? LETTER | UPPER : LETTER;
    if ((uint8_t)(c - '0') < 10)
        return NUMBER;
    switch (c) {
    case ' ': return WHITE | SPACE;
    case '\r': case '\n': return WHITE | NEWLINE;
    case '\t': case '\v': case '\f': return WHITE;
    case '\'': return APOSTROPHE;
    case '/': return SLASH;
    default: return 0;
    }
}

void bipe_text_classify_plain(const uint8_t *text, size_t words, bipe_text_masks *m)
{
    for (size_t w = 0; w < words; w++) {
        uint64_t mask[8] = {0}, high = 0;
        for (size_t i = 0; i < 64; i++) {
            uint8_t c = text[64 * w + i];
            uint64_t bits = bits_of(c);
            for (size_t k = 0; k < 8; k++)
                mask[k] |= (bits >> k & 1) << i;
            high |= (uint64_t)(c >> 7) << i;
        }
        m->letter[w] = mask[0];
        m->upper[w] = mask[1];
        m->number[w] = mask[2];
        m->white[w] = mask[3];
        m->newline[w] = mask[4];
        m->space[w] = mask[5];
        m->apostrophe[w] = mask[6];
        m->slash[w] = mask[7];
        m->high[w] = high;
    }
}

static size_t list_plain(const uint64_t *mask, size_t words, uint32_t first, uint32_t *offset)
{
    size_t n = 0;
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = mask[w]; bits != 0; bits &= bits - 1)
            offset[n++] = first + (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);
    return n;
}

static bool plain_masks_usable(void)
{
    return true;
}

const bipe_text_masker bipe_text_maskers[] = {
#ifdef BIPE_TEXT_MASKS_X86
    
    {.name = "avx512", .usable = bipe_text_avx512_usable, .classify = bipe_text_classify_avx512,
     .list = bipe_text_list_avx512},
    {.name = "avx2", .usable = bipe_text_avx2_usable, .classify = bipe_text_classify_avx2, .list = list_plain},
#endif
    {.name = "plain", .usable = plain_masks_usable, .classify = bipe_text_classify_plain, .list = list_plain},
    {.name = NULL},
};

const bipe_text_masker *bipe_text_masker_best(void)
{
    const bipe_text_masker *m = bipe_text_maskers;
    while (!m->usable())
        m++;
    return m;
}
