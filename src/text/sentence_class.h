/* sentence_class.h - the Sentence_Break property of characters (UAX #29, Unicode 15.0). */
#ifndef BIPE_TEXT_SENTENCE_CLASS_H
#define BIPE_TEXT_SENTENCE_CLASS_H

#include <stdint.h>

/* The letters used in sentence_classes.c. */
typedef enum bipe_sentence_class {
    BIPE_SB_OTHER = 'x',
    BIPE_SB_CR = 'r', BIPE_SB_LF = 'n', BIPE_SB_SEP = 'p',
    BIPE_SB_EXTEND = 'e', BIPE_SB_FORMAT = 'f',
    BIPE_SB_SP = 's',
    BIPE_SB_LOWER = 'l', BIPE_SB_UPPER = 'u', BIPE_SB_OLETTER = 'o', BIPE_SB_NUMERIC = 'd',
    BIPE_SB_ATERM = 'a', BIPE_SB_SCONTINUE = 'c', BIPE_SB_STERM = 't', BIPE_SB_CLOSE = 'q'
} bipe_sentence_class;

enum { BIPE_SENTENCE_BLOCK = 128 };

/* The number of each block of code points, and the contents of these blocks. */
extern const uint8_t bipe_sentence_index[0x110000 / BIPE_SENTENCE_BLOCK];
extern const char bipe_sentence_block[][BIPE_SENTENCE_BLOCK + 1];

/* Of a code point up to 0x10FFFF; -1 (bytes that are not UTF-8) is Other. */
static inline bipe_sentence_class bipe_sentence_class_of(int32_t code)
{
    if (code < 0)
        return BIPE_SB_OTHER;
    return (bipe_sentence_class)bipe_sentence_block[bipe_sentence_index[code / BIPE_SENTENCE_BLOCK]][code % BIPE_SENTENCE_BLOCK];
}

#endif
