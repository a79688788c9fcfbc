/* pretoken_parts.h - where pre-tokens of bytes may be cut into parts that are encoded by themselves, since no merge reaches across: text in
 * scripts without spaces has long pre-tokens, few of which come twice, but what they are made from does.
 *
 * Borders are between characters of three bytes (those of East Asia, of India and others), and told of two neighbours by a set of pairs
 * that a merge may join. Pairs have bits by their hash: what shares its bit with another one is no border either. */
#ifndef BIPE_TOKEN_PRETOKEN_PARTS_H
#define BIPE_TOKEN_PRETOKEN_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "token/vocabulary.h"

enum {
    BIPE_PARTS_CHAR = 3,        /* bytes of the characters, */
    BIPE_PARTS_LEAD = 0xE0,     /* the least that one begins with */
    BIPE_PARTS_CODES = 0x10000, /* characters are below; this and the last byte of some stands for all of them that end with it */
    BIPE_PARTS_NONE = 0         /* no character of three bytes */
};

/* Zero-initialise. Does not change once made. */
typedef struct bipe_pretoken_parts {
    uint64_t *joined; /* (1 << bits bits) NULL: there are no parts */
    unsigned bits;
    /* Strings that become something else by themselves than within a pre-token; they are no parts, and no place behind or before one is a
     * border. */
    bipe_vocabulary alone; /* by their last characters, */
    uint16_t *last;        /* (alone.count) which are these, */
    uint64_t *ends;        /* (BIPE_PARTS_CODES bits) and have a bit here; NULL: there are none */
} bipe_pretoken_parts;

/* Room for so many pairs: 0, or -1 when memory is out. */
int bipe_pretoken_parts_open(bipe_pretoken_parts *parts, size_t pairs);
/* y may be joined to x, or to each character that ends with the byte last. */
void bipe_pretoken_parts_join(bipe_pretoken_parts *parts, uint32_t x, uint32_t y);
void bipe_pretoken_parts_join_last(bipe_pretoken_parts *parts, uint8_t last, uint32_t y);
/* A string that ends with the character x, none of them with a lesser one than the one before. BIPE_ERR_MEMORY. */
int bipe_pretoken_parts_leave(bipe_pretoken_parts *parts, const uint8_t *text, size_t size, uint32_t x, bipe_error *err);
void bipe_pretoken_parts_free(bipe_pretoken_parts *parts);

/* ---- looking for them ---- */

/* A character of three bytes, and where it ends. Zero-initialise. */
typedef struct bipe_part_before {
    uint32_t code;
    size_t end;
} bipe_part_before;

static inline size_t bipe_pretoken_parts_place(const bipe_pretoken_parts *parts, uint32_t x, uint32_t y)
{
    return (size_t)(((uint64_t)x << 16 | y) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - parts->bits));
}

/* 1 or 0. */
static inline uint64_t bipe_pretoken_parts_has(const bipe_pretoken_parts *parts, uint32_t x, uint32_t y)
{
    size_t at = bipe_pretoken_parts_place(parts, x, y);
    return parts->joined[at / 64] >> at % 64 & 1;
}

static inline bool bipe_pretoken_parts_border(const bipe_pretoken_parts *parts, uint32_t x, uint32_t y)
{
    return (bipe_pretoken_parts_has(parts, x, y) | bipe_pretoken_parts_has(parts, BIPE_PARTS_CODES | (x & 0x3F), y)) == 0;
}

/* Takes the borders before strings that end with the character x before text[at] off the mask: whether there was such a string. */
bool bipe_pretoken_parts_keep(const bipe_pretoken_parts *parts, const uint8_t *text, size_t at, uint32_t x, uint64_t *mask);

/* The character y of three bytes is at text[at], where the text begins with a pre-token: sets bit `at` of the mask if there is a border. */
static inline void bipe_pretoken_parts_step(const bipe_pretoken_parts *parts, const uint8_t *text, size_t at, uint32_t y,
                                            bipe_part_before *before, uint64_t *mask)
{
    bool border = before->end == at && before->code != BIPE_PARTS_NONE && bipe_pretoken_parts_border(parts, before->code, y);
    mask[at / 64] |= (uint64_t)border << at % 64;
    *before = (bipe_part_before){.code = y, .end = at + BIPE_PARTS_CHAR};
    bool ends = parts->ends != NULL && (parts->ends[y / 64] >> y % 64 & 1) != 0;
    if (ends && bipe_pretoken_parts_keep(parts, text, at + BIPE_PARTS_CHAR, y, mask))
        before->code = BIPE_PARTS_NONE;
}

/* Sets the bits of the borders in a whole pre-token. */
void bipe_pretoken_parts_find(const bipe_pretoken_parts *parts, const uint8_t *text, size_t size, uint64_t *mask);

#endif
