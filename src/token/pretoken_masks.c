/* pretoken_masks.c - chooses a classifier, and holds the plain one. Vector code is in pretoken_masks_*.c. */
#include "token/pretoken_masks.h"

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

static bool always(void)
{
    return true;
}

const bipe_text_classifier bipe_text_classifiers[] = {
#ifdef BIPE_TEXT_MASKS_X86
    {.name = "avx512", .usable = bipe_text_avx512_usable, .classify = bipe_text_classify_avx512},
    {.name = "avx2", .usable = bipe_text_avx2_usable, .classify = bipe_text_classify_avx2},
#endif
    {.name = "plain", .usable = always, .classify = bipe_text_classify_plain},
    {.name = NULL},
};

bipe_text_classify *bipe_text_classify_best(void)
{
    const bipe_text_classifier *c = bipe_text_classifiers;
    while (!c->usable())
        c++;
    return c->classify;
}
