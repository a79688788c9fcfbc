/* pipeline_cuts.h - where a document may be cut into chunks that go through a pipeline by themselves. */
#ifndef BIPE_TOKEN_PIPELINE_CUTS_H
#define BIPE_TOKEN_PIPELINE_CUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "token/tokenizer.h"

/* A chunk goes through the pipeline by itself, which must change nothing. Places for it, in the original text: */
enum {
    BIPE_CUT_SPACE = 1,    /* before a space that stands between two ASCII letters */
    BIPE_CUT_NEWLINE = 2,  /* before a newline that stands between two ASCII letters */
    BIPE_CUT_LINE = 4,     /* behind a newline that follows no white space and stands before a letter of any script */
    BIPE_CUT_AFTER = 8,    /* behind a space that stands between two ASCII letters */
    /* The same between two characters of ASCII that are seen (! to ~), with one more byte of ASCII behind them: */
    BIPE_CUT_SEEN_SPACE = 16,
    BIPE_CUT_SEEN_NEWLINE = 32,
    BIPE_CUT_ANY_NEWLINE = 64, /* before any newline that no carriage return stands before: where white space of any kind is left out */
    BIPE_CUT_WORD = 128,   /* before a space between two letters of any script (cut_letters.h) */
    BIPE_CUT_ALL = 255,
    BIPE_CUT_IDEOGRAPH = 256 /* between two ideographs that stand alone, or that BertNormalizer has put blanks around, where these are left out */
};

/* What a step says about them when it is made. keeps: it gives for the two halves what it gives for the whole (only the first has
 * `first` set). splits (pre-tokenizers): no pre-token of it crosses such a place. A normalizer keeps a place only if the characters
 * beside it look the same to what comes after: a letter stays an ASCII letter (or a letter), what is seen is seen, the blank is itself
 * (or, at any newline, white space). Letters of any script become such letters, behind the first of which marks may come, or letters
 * taken apart. Instead, newlines may become spaces: then the steps that follow are asked about spaces where newlines were. */
typedef struct bipe_cuts {
    unsigned keeps, splits;
    bool newline_to_space;
} bipe_cuts;

/* What a step says of a text whose newlines have become spaces. */
static inline unsigned bipe_cuts_of_spaces(unsigned cuts)
{
    const unsigned same = BIPE_CUT_SPACE | BIPE_CUT_AFTER | BIPE_CUT_SEEN_SPACE | BIPE_CUT_ANY_NEWLINE | BIPE_CUT_WORD | BIPE_CUT_IDEOGRAPH;
    return (cuts & same) | ((cuts & BIPE_CUT_SPACE) != 0 ? (unsigned)BIPE_CUT_NEWLINE : 0U) |
           ((cuts & BIPE_CUT_SEEN_SPACE) != 0 ? (unsigned)BIPE_CUT_SEEN_NEWLINE : 0U);
}

/* Whether text[at] is such a place; 1 <= at, at + 4 <= size. */
bool bipe_cut_may(const uint8_t *text, size_t size, size_t at, unsigned cuts);

/* bipe_tokenizer_cut() of a pipeline: where documents are cut into chunks, but for places that more than the text behind them depends on. */
size_t bipe_pipeline_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size);

#endif
