/* safe_pairs.h - where the text of a pipeline may be cut: between which two characters the halves give the tokens of the whole.
 *
 * Found by an abstract interpretation of all steps on pairs of characters. x, before the place, is a character of ASCII, some letter beyond
 * ASCII, another visible one, or any other; y, after it, is of ASCII. Each step reports for which x and y its result for the text up to x, and for the
 * text from y on as the continuation of another (not `first`), is the one for the whole, cut there; and between which of them no pre-token
 * crosses. */
#ifndef BIPE_TOKEN_SAFE_PAIRS_H
#define BIPE_TOKEN_SAFE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "token/words/unit_encoder.h"

enum {
    BIPE_PAIRS = 128,       /* y: a byte of ASCII */
    BIPE_PAIR_LETTER = 128, /* x: a letter beyond ASCII (bipe_is_cut_letter()), */
    BIPE_PAIR_VISIBLE = 129, /* another character beyond it that is bipe_is_visible() (unicode.h), */
    BIPE_PAIR_REST = 130,   /* or any other, or a byte of a broken one */
    BIPE_PAIRS_BEFORE = 131
};
/* In place of a character: nothing is known; one or more characters, or none; letters and marks beginning with a letter, of any script. */
#define BIPE_CODE_UNKNOWN UINT32_MAX
#define BIPE_CODE_ANY (UINT32_MAX - 1)
#define BIPE_CODE_LETTERS (UINT32_MAX - 2)

typedef bool bipe_pair_marks[BIPE_PAIRS_BEFORE][BIPE_PAIRS];

/* While steps are asked. Indices are characters of the document. */
typedef struct bipe_pairs {
    /* The character that a step sees for it, in any context where it stands beside ASCII. Steps that change it set this. */
    uint32_t to[BIPE_PAIRS_BEFORE];
    bipe_pair_marks keeps;  /* of the steps so far */
    bipe_pair_marks splits;
    bipe_pair_marks mine;   /* false when a pre-tokenizer is asked: it sets those that it keeps, */
    bipe_pair_marks parts;  /* and those that it splits */
    bool third[BIPE_PAIRS]; /* y may be followed by this */
    bool changed;           /* a normalizer came before */
    bool as_written;        /* characters beyond ASCII are those of the document */
    bool prefixes;          /* a step puts something in front of a text */
    bool removed;           /* white space is left out, */
    bool gaps;              /* or something else */
} bipe_pairs;

/* For a normalizer that maps characters one by one: each becomes to(character). */
void bipe_pairs_become(bipe_pairs *pairs, uint32_t to(const void *context, uint32_t code), const void *context);

/* A pre-tokenizer about a character: it splits any place before (after) it, and those between characters of different classes; or nothing
 * is known about places before (after) it. */
enum { BIPE_CLASS_ANY = 255 }; /* it may be of any class */
typedef struct bipe_pair_class {
    uint8_t class;
    bool before, after, lost_before, lost_after;
} bipe_pair_class;

/* For a pre-tokenizer that splits at the matches of a pattern, and isolates or removes them. known: it is a well-known one
 * (pretoken_patterns.h), or NULL. */
struct bipe_pattern;
void bipe_pairs_pattern(bipe_pairs *pairs, const struct bipe_pattern *pattern, const char *known);

typedef struct bipe_safe_pairs {
    bool pair[BIPE_PAIRS_BEFORE][BIPE_PAIRS];
    bipe_borders borders; /* pairs of bytes that are safe whatever character the first ends, and bytes of ASCII that may follow them */
    bool lines;           /* a place after a newline that follows no white space, and before a letter, is safe, too */
    bool units;           /* some pair of bytes is safe */
    bool gaps;            /* tokens may leave out bytes between them */
} bipe_safe_pairs;

struct bipe_pipeline;
/* Sets pipeline->safe when all else is there. BIPE_ERR_MEMORY. */
int bipe_safe_pairs_find(struct bipe_pipeline *pipeline, bipe_error *err);

/* The last safe place in text[from + 1 .. size), or `from`: enough bytes must follow a place to know. */
size_t bipe_safe_last(const bipe_safe_pairs *safe, const uint8_t *text, size_t from, size_t size);
/* The first safe place at or after `from` > 0, or `size`. */
size_t bipe_safe_next(const bipe_safe_pairs *safe, const uint8_t *text, size_t from, size_t size);
/* bipe_tokenizer_cut() of a pipeline. */
size_t bipe_pipeline_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size);

/* ---- letters of any script beside which a document may be cut ---- */

enum { BIPE_CUT_LETTER_END = 0x40000 }; /* there are none from here on */

/* A letter that is no modifier, no ideograph and no presentation form, is a grapheme cluster by itself or a syllable, and becomes
 * letters like that and marks, a letter first, when it is taken apart. */
bool bipe_is_cut_letter(uint32_t code);
/* A letter like that, or a mark: what may stand after the first of them. */
bool bipe_is_cut_tail(uint32_t code);

#endif
