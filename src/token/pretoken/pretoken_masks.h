/* pretoken_masks.h - the classes of 64 bytes at a time, as masks of bits, for pretoken_starts.h. There is one way for
 * each kind of vector unit, the best of which is chosen at run time, and a plain twin. */
#ifndef BIPE_TOKEN_PRETOKEN_MASKS_H
#define BIPE_TOKEN_PRETOKEN_MASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BIPE_MASK_WORDS = 32 }; /* 2 KiB of text */

/* Bit i of word w is about byte 64 w + i. Of ASCII alone: bytes from 128 on are in `high` and in nothing else. The word
 * after the last is for characters that reach beyond it. */
typedef struct bipe_text_masks {
    uint64_t letter[BIPE_MASK_WORDS + 1];
    uint64_t upper[BIPE_MASK_WORDS + 1];
    uint64_t number[BIPE_MASK_WORDS + 1];
    uint64_t white[BIPE_MASK_WORDS + 1];      /* \t \n \v \f \r and the space */
    uint64_t newline[BIPE_MASK_WORDS + 1];    /* \r \n */
    uint64_t space[BIPE_MASK_WORDS + 1];
    uint64_t apostrophe[BIPE_MASK_WORDS + 1];
    uint64_t slash[BIPE_MASK_WORDS + 1];
    uint64_t high[BIPE_MASK_WORDS + 1];
    uint64_t inner[BIPE_MASK_WORDS + 1];      /* not set here: for the bytes of characters after their first ones */
    uint64_t part[BIPE_MASK_WORDS + 1];       /* nor is this: for borders within pre-tokens (pretoken_parts.h) */
} bipe_text_masks;

/* Classifies 64 * words bytes, all of which may be read; words <= BIPE_MASK_WORDS. */
typedef void bipe_text_classify(const uint8_t *text, size_t words, bipe_text_masks *masks);

/* Lists the offsets of the bits (bit 0 of the first word: `first`); returns how many. 16 more may be written. */
typedef size_t bipe_text_list(const uint64_t *mask, size_t words, uint32_t first, uint32_t *offset);

typedef struct bipe_text_masker {
    const char *name;
    bool (*usable)(void); /* on this machine */
    bipe_text_classify *classify;
    bipe_text_list *list;
} bipe_text_masker;

/* All that were built in, the fastest first, the plain one last; a NULL name ends the list. */
extern const bipe_text_masker bipe_text_maskers[];

/* The first that is usable. */
const bipe_text_masker *bipe_text_masker_best(void);

/* One for each file: use the list. */
bipe_text_classify bipe_text_classify_plain;
#if defined(__x86_64__) && defined(__GNUC__)
#define BIPE_TEXT_MASKS_X86 1
bool bipe_text_avx512_usable(void), bipe_text_avx2_usable(void);
bipe_text_list bipe_text_list_avx512;
bipe_text_classify bipe_text_classify_avx512, bipe_text_classify_avx2;
#endif

#endif
