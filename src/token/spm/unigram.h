/* unigram.h - Unigram: of all ways to write a text as pieces the one whose scores have the largest sum
 * (Kudo 2018, "Subword Regularization").
 *
 * Two libraries compute the sum, each in its own arithmetic, which decides ties and near ties: SentencePiece keeps sums of
 * single precision and adds the next score to them in double precision (its "optimized" encoder), Hugging Face's library keeps
 * doubles. Both go from left to right, take the shorter pieces of a place first, and let the first of two equal sums stand.
 *
 * A lattice is a text on its way: characters go in, pieces come out as soon as all ways that are still open
 * have them in common. The best sum goes on from there, so that the pieces are those of the whole text. */
#ifndef BIPE_TOKEN_UNIGRAM_H
#define BIPE_TOKEN_UNIGRAM_H

#include <stdbool.h>

#include "token/spm/piece_trie.h"
#include "token/words/word_cache.h"

/* Unchanged once it is built. */
typedef struct bipe_unigram {
    bipe_piece_trie trie;
    double *score;      /* (vocabulary) of the pieces in the trie; NaN: not to be found */
    double unk_score;   /* of a character that is no piece */
    double most;        /* of the sizes of all these scores */
    bool single;        /* SentencePiece's arithmetic */
    size_t hold_limit;  /* bytes that may be held back; BIPE_UNIGRAM_HOLD_LIMIT, less in tests */
} bipe_unigram;

/* A held byte costs 5 bytes of memory, and at the end up to 24 for its token. */
#define BIPE_UNIGRAM_HOLD_LIMIT ((size_t)5 << 20)

enum {
    BIPE_UNIGRAM_UNKNOWN = BIPE_TRIE_NONE, /* the id of a character that is no piece */
    BIPE_UNIGRAM_SHORT = 128 /* bytes of a short text */
};

/* Makes the tables from pieces that are not empty, and their scores by id; score (bipe_alloc) belongs to the model
 * from here on, also on failure. single: see above. */
int bipe_unigram_build(bipe_unigram *unigram, bipe_trie_string *pieces, size_t count, double *score, double unk_score,
                       bool single, bipe_error *err);
void bipe_unigram_free(bipe_unigram *unigram);

/* Memory for one text after the other. Zero-initialise. */
typedef struct bipe_unigram_room {
    struct bipe_unigram_place *place;
    size_t capacity;
    double sum;   /* before the text, and then after it: of what it goes on from */
    double half;  /* half of the distance of two sums; or 0 */
    bool unknown; /* a character that is no piece was the best way to some place */
    bool exact;   /* SentencePiece's arithmetic: no sum of a way was rounded before it was in single precision, or from the middle between two */
} bipe_unigram_room;

/* Appends the pieces of a text, size < 2^32, in the arithmetic of the model, for the best sum from room->sum on. A byte that belongs to no
 * character is unknown. BIPE_ERR_MEMORY. */
int bipe_unigram_search(const bipe_unigram *unigram, bipe_unigram_room *room, const uint8_t *text, size_t size, bipe_piece_tokens *pieces,
                        bipe_error *err);
void bipe_unigram_room_free(bipe_unigram_room *room);

/* The pieces of a whole short text, in the arithmetic of Hugging Face's library, as a lattice gives them out: how many. *unknown: a character that is
 * no piece was the best way to some place. 0: a lattice is to be asked, since the text is too long or not well-formed. */
size_t bipe_unigram_short(const bipe_unigram *unigram, const uint8_t *text, size_t size, bipe_piece_token piece[BIPE_UNIGRAM_SHORT],
                          bool *unknown);

/* A character that stands for more bytes of the document than `size` below can say. */
typedef struct bipe_lattice_wide {
    uint64_t place; /* from the start of the text */
    uint32_t size;
} bipe_lattice_wide;

/* Places are counted in bytes of the text given, from the start of what is held. */
typedef struct bipe_lattice {
    const bipe_unigram *unigram;
    uint8_t *text;       /* [count] */
    uint16_t *size;      /* [count] bytes of the document that the character stands for, at its first byte; with marks (lattice.c) */
    uint16_t *back;      /* [count + 1] bytes of the last piece of the best way that ends here; 0: none does */
    size_t capacity;     /* of places */
    double *sum;         /* of these ways, of the places from `at` to `reach`: at place & mask, counted from the start of the text */
    size_t mask;
    uint64_t origin;     /* where what is held begins, from the start of the text */
    bipe_lattice_wide *wide;
    size_t wides, wide_capacity;
    size_t base;         /* pieces before this place are out */
    size_t at;           /* the next place from which pieces are looked for */
    size_t count;
    size_t reach;        /* the farthest place at which a piece that was found ends */
    bool unknown;        /* a character that is no piece was the best way to some place */
    size_t look;         /* how far `at` is before the common beginning of all open ways is looked for */
} bipe_lattice;

/* What a piece is given to: it is made of lattice->text[from .. to) (bipe_lattice_bytes() of the document). */
typedef int bipe_lattice_sink(void *context, const bipe_lattice *lattice, uint32_t id, size_t from, size_t to,
                              bipe_error *err);

/* Starts a text: the sum is 0, nothing is held. A zero-initialised lattice becomes one of `unigram`. */
void bipe_lattice_begin(bipe_lattice *lattice, const bipe_unigram *unigram);
/* Appends a character (`bytes` of UTF-8) or a broken byte that stands for `size` bytes of the document. BIPE_ERR_MEMORY, BIPE_ERR_LIMIT
 * when more is held than the model's limit (the text says how much). */
int bipe_lattice_push(bipe_lattice *lattice, const uint8_t *bytes, size_t count, uint32_t size, bool broken, bipe_error *err);
/* Gives out the pieces that are decided; with last, all. */
int bipe_lattice_decide(bipe_lattice *lattice, bool last, bipe_lattice_sink *sink, void *context, bipe_error *err);
/* The bytes of the document that text[from .. to) stands for; the characters are those of a piece that is given out. */
uint64_t bipe_lattice_bytes(const bipe_lattice *lattice, size_t from, size_t to);
/* The sum behind all that came, when everything is out and something was: what comes next goes on from what is written there. */
static inline double *bipe_lattice_sum(const bipe_lattice *lattice)
{
    return &lattice->sum[(lattice->origin + lattice->count) & lattice->mask];
}
void bipe_lattice_free(bipe_lattice *lattice);

#endif
