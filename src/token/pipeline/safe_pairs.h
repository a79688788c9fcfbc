/* safe_pairs.h - where the text of a pipeline may be cut: between which two characters the halves give the tokens of
 * the whole.
 *
 * Found by abstract interpretation of all steps on pairs of characters. x, before the position, is an ASCII character,
 * a letter beyond ASCII, another visible character, or any other; y, after it, is ASCII. Each step reports the pairs at
 * which its results for the two halves (the second one not `first`) are its result for the whole, cut there; and the
 * pairs that no pre-token crosses. Where all steps are plain (the Llama family's), the same is found for pairs of
 * bytes, beyond ASCII as well. */
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
/* Images of a character: unknown; any number of characters; letters and marks of any script, a letter first. */
#define BIPE_CODE_UNKNOWN UINT32_MAX
#define BIPE_CODE_ANY (UINT32_MAX - 1)
#define BIPE_CODE_LETTERS (UINT32_MAX - 2)

typedef bool bipe_pair_marks[BIPE_PAIRS_BEFORE][BIPE_PAIRS];

/* The state of the interpretation. Indices are characters of the document. */
typedef struct bipe_pairs {
    /* The image of each character for the next step, in any context beside ASCII. Steps that change characters set
     * this. */
    uint32_t to[BIPE_PAIRS_BEFORE];
    bipe_pair_marks keeps;  /* no step so far gives another result if the text is cut here */
    bipe_pair_marks splits; /* some step so far always splits here */
    bipe_pair_marks step_keeps, step_splits; /* the same for the current pre-tokenizer; both false before it is
                                                called */
    bool third[BIPE_PAIRS]; /* ASCII characters that may follow y */
    bool plain; /* all steps so far are plain; a cut between these bytes, if a character begins with the second, changes
                   nothing: */
    bool bytes[256][256];
    bool step_plain; /* false before each step; it changes characters of ASCII alone, each by itself, adds text only at
                      * the front, and splits nothing */
    bool changed;           /* a normalizer came before */
    bool as_written;        /* characters beyond ASCII are those of the document */
    bool prefixes;          /* a step prepends text */
    bool removed;           /* a step drops white space */
    bool gaps;              /* a step drops other characters */
} bipe_pairs;

/* For a normalizer that maps characters one by one: each becomes to(character). */
void bipe_pairs_become(bipe_pairs *pairs, uint32_t to(const void *context, uint32_t code), const void *context);

/* A character to a pre-tokenizer, which splits between characters of different classes, and anywhere before (after) a
 * character that is `before` (`after`); unknown: nothing is known about the position before (after) it. */
enum { BIPE_CLASS_ANY = 255 }; /* it may be of any class */
typedef struct bipe_pair_class {
    uint8_t class;
    bool before, after, unknown_before, unknown_after;
} bipe_pair_class;

/* For a pre-tokenizer that splits at the matches of a pattern, and isolates or removes them. known: it is a well-known
 * one (pretoken_patterns.h), or NULL. */
struct bipe_pattern;
void bipe_pairs_pattern(bipe_pairs *pairs, const struct bipe_pattern *pattern, const char *known);

typedef struct bipe_safe_pairs {
    bool pair[BIPE_PAIRS_BEFORE][BIPE_PAIRS];
    bool plain;           /* `borders` says all: */
    bipe_borders borders; /* pairs of bytes that are safe whatever character the first ends, and (unless plain) bytes of
                             ASCII that may follow them */
    bool lines;           /* a position between a newline after no white space and a letter is safe, too */
    bool units;           /* some pair of bytes is safe */
    bool gaps;            /* tokens may leave out bytes between them */
} bipe_safe_pairs;

struct bipe_pipeline;
/* Sets pipeline->safe when all else is there. BIPE_ERR_MEMORY. */
int bipe_safe_pairs_find(struct bipe_pipeline *pipeline, bipe_error *err);

/* The last safe position in text[from + 1 .. size), or `from`: enough bytes must follow a position to know. */
size_t bipe_safe_last(const bipe_safe_pairs *safe, const uint8_t *text, size_t from, size_t size);
/* The first safe position at or after `from` > 0, or `size`. */
size_t bipe_safe_next(const bipe_safe_pairs *safe, const uint8_t *text, size_t from, size_t size);
/* bipe_tokenizer_cut() of a pipeline. */
size_t bipe_pipeline_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size);

/* ---- letters of any script beside which a document may be cut ---- */

enum { BIPE_CUT_LETTER_END = 0x40000 }; /* there are none from here on */

/* A letter that is no modifier, no ideograph and no presentation form, is a grapheme cluster by itself or a syllable,
 * and becomes letters like that and marks, a letter first, when it is taken apart. */
bool bipe_is_cut_letter(uint32_t code);
/* A letter like that, or a mark: any character of such a sequence after the first. */
bool bipe_is_cut_tail(uint32_t code);

#endif
