/* word_class.h - the Word_Break property of characters (UAX #29, Unicode 15.0), refined by the other properties that its rules need. */
#ifndef BIPE_TEXT_WORD_CLASS_H
#define BIPE_TEXT_WORD_CLASS_H

#include <stdint.h>

/* The letters used in word_classes.c. */
typedef enum bipe_word_class {
    BIPE_WB_OTHER = 'x',           /* anything that never joins a word: blanks, newlines, flags */
    BIPE_WB_OTHER_LETTER = 'w',    /* Other, but a letter or digit (L, Nd, Nl): a word by itself, as in Chinese and Thai */
    BIPE_WB_PICTOGRAPH = 'p',      /* Other, and Extended_Pictographic */
    BIPE_WB_LETTER_PICTOGRAPH = 'P', /* ALetter, and Extended_Pictographic */
    BIPE_WB_LETTER = 'l', BIPE_WB_HEBREW = 'h', BIPE_WB_NUMERIC = 'd', BIPE_WB_KATAKANA = 'k', BIPE_WB_EXTEND_NUM_LET = 'u',
    BIPE_WB_SINGLE_QUOTE = 'q', BIPE_WB_DOUBLE_QUOTE = 'Q', BIPE_WB_MID_NUM_LET = 'm', BIPE_WB_MID_LETTER = 'M', BIPE_WB_MID_NUM = 'n',
    BIPE_WB_EXTEND = 'e',          /* Extend or Format */
    BIPE_WB_ZWJ = 'z'
} bipe_word_class;

enum { BIPE_WORD_BLOCK = 128 };

/* The number of each block of code points, and the contents of these blocks. Block 0 is ASCII. */
extern const uint8_t bipe_word_index[0x110000 / BIPE_WORD_BLOCK];
extern const char bipe_word_block[][BIPE_WORD_BLOCK + 1];

/* Of a code point up to 0x10FFFF; -1 (bytes that are not UTF-8) is Other. */
static inline bipe_word_class bipe_word_class_of(int32_t code)
{
    if (code < 0)
        return BIPE_WB_OTHER;
    return (bipe_word_class)bipe_word_block[bipe_word_index[code / BIPE_WORD_BLOCK]][code % BIPE_WORD_BLOCK];
}

#endif
