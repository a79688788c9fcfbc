/* word_look_up.h - many words looked up in a cache at once: a way for each kind of vector unit, the best of which is chosen at run time,
 * and a plain twin. */
#ifndef BIPE_TOKEN_WORD_LOOK_UP_H
#define BIPE_TOKEN_WORD_LOOK_UP_H

#include "token/words/word_cache.h"

/* Looks up the n <= 65536 words text[start[k] .. start[k + 1]); BIPE_WORD_READ bytes of each may be read, and start[n] < 2^31.
 * known[k]: the tokens of each that is in a pair of the cache. rare: the numbers of the others, in order; (n) may be written.
 * Returns how many these are. */
typedef size_t bipe_word_look_up(const bipe_word_cache *cache, const uint8_t *text, const uint32_t *start, size_t n,
                                 bipe_short_tokens *known, uint16_t *rare);

typedef struct bipe_word_look_up_unit {
    const char *name; /* NULL after the last */
    bool (*usable)(void);
    bipe_word_look_up *run;
} bipe_word_look_up_unit;

extern const bipe_word_look_up_unit bipe_word_look_up_units[]; /* the best first */
const bipe_word_look_up_unit *bipe_word_look_up_best(void);

bipe_word_look_up bipe_word_look_up_plain;
#if defined __x86_64__ && defined __GNUC__
#define BIPE_WORD_LOOK_UP_X86
bool bipe_word_look_up_avx512_usable(void);
bipe_word_look_up bipe_word_look_up_avx512;
#endif

#endif
