/* spm_units.h - the quick way of a SentencePiece Unigram model through plain text: characters that the rules leave as they are, and
 * ASCII that they change byte by byte, taken unit by unit, and what frequent units became is kept. The plain twin is spm_text.c with
 * lattice.c, which does all the rest.
 *
 * A character is plain when it begins no user-defined symbol, and no string of the character map that the text goes on with. A byte of
 * ASCII is plain too when it becomes one byte of ASCII, whatever ASCII stands behind it. So a text of plain characters becomes the same
 * number of bytes; of several blanks that are squeezed the last is taken, and stands for all.
 *
 * A unit ends between two plain characters that do not stand side by side in any piece. No piece crosses such a place, so every way
 * through the text goes through it, and what comes behind depends on what stood before by the sum alone. What a unit became may be used
 * again where the sum cannot matter (unit_search.h); the sum goes on by the scores of the pieces, in order, as the original adds them.
 * So either way may take over from the other at the end of any unit. */
#ifndef BIPE_TOKEN_SPM_UNITS_H
#define BIPE_TOKEN_SPM_UNITS_H

#include "token/spm/spm_text.h"
#include "token/spm/unigram.h"
#include "token/spm/unit_search.h"
#include "token/tokenizer.h"
#include "token/words/word_key.h"

enum { BIPE_UNIT_PAIR_BITS = 18 };

/* Constant once made. */
typedef struct bipe_spm_units {
    const bipe_unigram *unigram;  /* SentencePiece's arithmetic */
    const bipe_charsmap *map;
    uint8_t becomes[256];         /* plain bytes of ASCII: the byte that they become; 0: not plain */
    uint8_t kind[0x10000];        /* of a character: bipe_charsmap_kind; those that begin a symbol count as changing, and so do surrogates */
    bool follows[256];            /* bytes with which a string of the map may go on behind its first character */
    uint64_t joined[128][4];      /* bit b of row a: plain bytes a and b may stand side by side in a piece */
    uint64_t ascii[128][2];       /* the same for what they become */
    uint64_t pairs[1 << (BIPE_UNIT_PAIR_BITS - 6)]; /* a bit for each pair that is not ASCII: by hash, so that too many may look joined */
    bool squeeze;
    uint32_t space;               /* what a space becomes */
    double reach;                 /* what a unit can add to a sum; 0: the scores are beyond all reason, and no unit is taken */
    const uint32_t *byte_id;      /* byte fallback, or NULL */
    uint32_t unk;                 /* without it */
} bipe_spm_units;

/* pieces: all that the search finds, well-formed UTF-8. rules, unigram and byte_id stay where they are as long as the units are used. */
void bipe_spm_units_make(bipe_spm_units *units, const bipe_spm_rules *rules, const bipe_unigram *unigram, const bipe_trie_string *pieces,
                         size_t count, const uint32_t *byte_id, uint32_t unk);

/* Whether units may begin at text[at]: a plain character, which no piece has behind the character before (a code point, after the rules;
 * BIPE_BAD_BYTE and above: a broken byte). */
bool bipe_spm_units_begin(const bipe_spm_units *units, uint32_t before, const uint8_t *text, size_t size, size_t at);

/* The first place behind `at` at which units may begin, if the character before it stays as it is; `size` when there is none. */
size_t bipe_spm_units_next(const bipe_spm_units *units, const uint8_t *text, size_t size, size_t at);

/* Where the unit ends that begins at `at`: another may begin there. 0: that is not known, or the unit has more than BIPE_UNIT_BYTES. */
size_t bipe_spm_units_end(const bipe_spm_units *units, const uint8_t *text, size_t size, size_t at);

/* What units became: of one stream. Zero-initialise. */
typedef struct bipe_unit_cache {
    struct bipe_short_unit *pair; /* two places, in a cache line, for units of the same hash, the newer one first */
    struct bipe_long_unit *unit;
} bipe_unit_cache;

void bipe_unit_cache_free(bipe_unit_cache *cache);

/* What a run goes on with and changes. */
typedef struct bipe_unit_run {
    bipe_unit_cache *cache;
    double *sum;          /* of the pieces before */
    uint64_t *position;   /* of the document, where the next token starts */
    bipe_tokens *tokens;  /* where tokens go */
    const bool *unknown;  /* while set, and for unknown characters, tokens go here instead: */
    int (*emit)(void *context, uint32_t id, uint64_t size, bipe_error *err); /* a token for the next bytes, which changes *position */
    void *context;
} bipe_unit_run;

/* Takes units from text[0 .. size), at the start of which units may begin, as long as there are some: *taken bytes (unit_run.c). */
int bipe_spm_units_run(const bipe_spm_units *units, const bipe_unit_run *run, const uint8_t *text, size_t size, size_t *taken,
                       bipe_error *err);

#endif
