/* pretoken_classes.h - the classes of characters in the well-known patterns of byte-level vocabularies: Unicode's
 * general categories (16.0) and white space, as a byte of bits for each code point. */
#ifndef BIPE_TOKEN_PRETOKEN_CLASSES_H
#define BIPE_TOKEN_PRETOKEN_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A character with none of the first three that is not bad is called other: [^\s\p{L}\p{N}]. */
enum {
    BIPE_CHAR_LETTER = 1,   /* \p{L} */
    BIPE_CHAR_NUMBER = 2,   /* \p{N} */
    BIPE_CHAR_WHITE = 4,    /* \s: Unicode's White_Space */
    BIPE_CHAR_NEWLINE = 8,  /* [\r\n] */
    BIPE_CHAR_UPPER = 16,   /* [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] */
    BIPE_CHAR_LOWER = 32,   /* [\p{Ll}\p{Lm}\p{Lo}\p{M}] */
    BIPE_CHAR_BAD = 64,     /* a byte that is no character; never in the table */
    /* In tables with kana, instead of upper and lower case: */
    BIPE_CHAR_KANA = 16,    /* [一-龥぀-ゟ゠-ヿ], which are letters, signs or nothing */
    BIPE_CHAR_NONE = 32     /* [^\s\p{L}\p{M}\p{N}\p{P}\p{S}] */
};

/* Two levels: blocks of 256 code points, equal neighbours shared. Does not change once made. */
typedef struct bipe_char_classes {
    uint16_t block[0x1100];
    uint8_t *bits;          /* (blocks, 256) */
    size_t blocks, capacity;
} bipe_char_classes;

/* Fills a zeroed table: 0, or -1 when memory is exhausted. number: what is a number beside Unicode 16.0's (or NULL);
 * marks: marks are letters; kana: see above. */
int bipe_char_classes_open(bipe_char_classes *classes, bool (*number)(uint32_t code), bool marks, bool kana);
void bipe_char_classes_free(bipe_char_classes *classes);

/* code: 0 .. 0x10FFFF. */
static inline uint8_t bipe_char_class(const bipe_char_classes *classes, int32_t code)
{
    return classes->bits[(size_t)classes->block[code >> 8] << 8 | (code & 0xFF)];
}

#endif
