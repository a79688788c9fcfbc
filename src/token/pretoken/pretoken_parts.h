/* pretoken_parts.h - borders within pre-tokens of bytes, which no merge reaches across: each part is encoded by itself.
 * Text in scripts without spaces has long pre-tokens, few of which come twice; their parts do. The plain twin is a
 * pre-token as a whole.
 *
 * Borders are between characters of three bytes, which most such scripts have. A set of bits has the pairs of them that
 * a merge may join; other pairs may share their bits, and are no borders either. */
#ifndef BIPE_TOKEN_PRETOKEN_PARTS_H
#define BIPE_TOKEN_PRETOKEN_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "token/vocabulary.h"

enum {
    BIPE_PARTS_BITS = 20, /* of the number of a bit in the set, which takes 128 KiB */
    BIPE_PARTS_ENDS = 0   /* in place of y: a string of `alone` ends with x */
};

/* Zero-initialise. */
typedef struct bipe_pretoken_parts {
    uint64_t *joined;      /* the set; x below 64: each that ends with these bits. NULL: there are no borders */
    bipe_vocabulary alone; /* a few strings that are no parts: by themselves, they have other tokens */
} bipe_pretoken_parts;

static inline size_t bipe_parts_bit(uint32_t x, uint32_t y)
{
    return (size_t)(((uint64_t)x << 16 | y) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - BIPE_PARTS_BITS));
}

/* Writes the offsets in from < offset < to at which parts begin to start[], of (to - from) / 3. Returns how many. Where
 * pre-tokens begin there may be some as well; text[0] begins one. */
size_t bipe_parts_find(const bipe_pretoken_parts *parts, const uint8_t *text, size_t from, size_t to, uint32_t *start);
/* The character of three bytes at text[0], or 0; *n: the size of what is there. size > 0. */
uint32_t bipe_parts_character(const uint8_t *text, size_t size, size_t *n);
void bipe_pretoken_parts_free(bipe_pretoken_parts *parts);

#endif
