/* word_look_up.c - see word_look_up.h: the plain twin, and which to take. No branch depends on the text. */
#include "token/words/word_look_up.h"

enum { AT_ONCE = 128 }; /* words whose places are on their way from memory together */

size_t bipe_word_look_up_plain(const bipe_word_cache *cache, const uint8_t *text, const uint32_t *start, size_t n,
                               bipe_short_tokens *known, uint16_t *rare)
{
    bipe_word_key key[AT_ONCE];
    const bipe_short_word *pair[AT_ONCE];
    size_t rares = 0;
    for (size_t from = 0, to; from < n; from = to) {
        to = n - from < AT_ONCE ? n : from + AT_ONCE;
        for (size_t k = from; k < to; k++) {
            size_t size = start[k + 1] - start[k], i = k - from;
            key[i] = bipe_word_key_of(text + start[k], size <= BIPE_WORD_SHORT ? size : BIPE_WORD_LONG);
            pair[i] = bipe_word_cache_pair(cache, key[i]);
            __builtin_prefetch(pair[i]);
        }
        for (size_t k = from; k < to; k++) {
            /* Which of the two it is cannot be foreseen. */
            size_t i = k - from;
            const bipe_short_word *w = pair[i] + (bipe_word_differs(pair[i][0].key, key[i]) != 0);
            known[k] = w->tokens;
            rare[rares] = (uint16_t)k;
            rares += bipe_word_differs(w->key, key[i]) != 0;
        }
    }
    return rares;
}

static bool plain_look_up_usable(void)
{
    return true;
}

const bipe_word_look_up_unit bipe_word_look_up_units[] = {
#ifdef BIPE_WORD_LOOK_UP_X86
    {.name = "avx512", .usable = bipe_word_look_up_avx512_usable, .run = bipe_word_look_up_avx512},
#endif
    {.name = "plain", .usable = plain_look_up_usable, .run = bipe_word_look_up_plain},
    {.name = NULL},
};

const bipe_word_look_up_unit *bipe_word_look_up_best(void)
{
    const bipe_word_look_up_unit *unit = bipe_word_look_up_units;
    while (!unit->usable())
        unit++;
    return unit;
}
