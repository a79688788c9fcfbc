/* break_class.h - the Sentence_Break and Word_Break properties of characters (UAX #29, Unicode 17.0), and which of them
 * words are written with. */
#ifndef BIPE_TEXT_BREAK_CLASS_H
#define BIPE_TEXT_BREAK_CLASS_H

#include <stdbool.h>

#include "text/code_table.h"

typedef enum bipe_sentence_class {
    BIPE_SB_OTHER = 'x',
    BIPE_SB_CR = 'r', BIPE_SB_LF = 'n', BIPE_SB_SEP = 'p',
    BIPE_SB_EXTEND = 'e', BIPE_SB_FORMAT = 'f',
    BIPE_SB_SP = 's',
    BIPE_SB_LOWER = 'l', BIPE_SB_UPPER = 'u', BIPE_SB_OLETTER = 'o', BIPE_SB_NUMERIC = 'd',
    BIPE_SB_ATERM = 'a', BIPE_SB_SCONTINUE = 'c', BIPE_SB_STERM = 't', BIPE_SB_CLOSE = 'q'
} bipe_sentence_class;

/* Refined by the other properties that the rules of words need. */
typedef enum bipe_word_class {
    BIPE_WB_OTHER = 'x',             /* anything that never joins a word: blanks, newlines, flags */
    BIPE_WB_OTHER_LETTER = 'w',      /* Other, but a letter or digit (L, Nd, Nl): a word by itself, as in Chinese and
                                        Thai */
    BIPE_WB_PICTOGRAPH = 'p',        /* Other, and Extended_Pictographic */
    BIPE_WB_LETTER_PICTOGRAPH = 'P', /* ALetter, and Extended_Pictographic */
    BIPE_WB_LETTER = 'l',
    BIPE_WB_HEBREW = 'h',
    BIPE_WB_NUMERIC = 'd',
    BIPE_WB_KATAKANA = 'k',
    BIPE_WB_EXTEND_NUM_LET = 'u',
    BIPE_WB_SINGLE_QUOTE = 'q',
    BIPE_WB_DOUBLE_QUOTE = 'Q',
    BIPE_WB_MID_NUM_LET = 'm',
    BIPE_WB_MID_LETTER = 'M',
    BIPE_WB_MID_NUM = 'n',
    BIPE_WB_EXTEND = 'e', /* Extend or Format */
    BIPE_WB_ZWJ = 'z'
} bipe_word_class;

typedef struct bipe_break_class {
    char sentence, word;
    bool written; /* general category L*, M* or N* */
} bipe_break_class;

/* The classes of the letters of bipe_break_table: code points of the same classes share one. */
extern const bipe_break_class bipe_break_classes[128];
extern const bipe_code_table bipe_break_table;

/* Of a code point up to 0x10FFFF; -1 (bytes that are not UTF-8) is Other. */
static inline bipe_sentence_class bipe_sentence_class_of(int32_t code)
{
    return code < 0
               ? BIPE_SB_OTHER
               : (bipe_sentence_class)bipe_break_classes[(uint8_t)bipe_code_letter(&bipe_break_table, code)].sentence;
}

/* Of a code point up to 0x10FFFF: whether it is a letter, a mark or a number. */
static inline bool bipe_is_written(int32_t code)
{
    return bipe_break_classes[(uint8_t)bipe_code_letter(&bipe_break_table, code)].written;
}

static inline bipe_word_class bipe_word_class_of(int32_t code)
{
    return code < 0 ? BIPE_WB_OTHER
                    : (bipe_word_class)bipe_break_classes[(uint8_t)bipe_code_letter(&bipe_break_table, code)].word;
}

#endif
