/* unigram.h - Unigram: of all ways to write a text as pieces the one whose scores have the largest sum
 * (Kudo 2018, "Subword Regularization").
 *
 * Two libraries compute the sum, each in its own arithmetic, which decides ties and near ties: SentencePiece keeps sums
 * of single precision and adds the next score to them in double precision (its "optimized" encoder), Hugging Face's
 * library keeps doubles. Both go from left to right, shorter pieces first, and keep the first of two equal sums. */
#ifndef BIPE_TOKEN_UNIGRAM_H
#define BIPE_TOKEN_UNIGRAM_H

#include <stdbool.h>

#include "token/spm/piece_trie.h"
#include "token/words/word_cache.h"

/* Does not change once built. */
typedef struct bipe_unigram {
    bipe_piece_trie trie;
    double *score;      /* (vocabulary) of the pieces in the trie; NaN: not to be found */
    double unk_score;   /* of a character that is no piece */
    double most;        /* of the sizes of all these scores */
    bool single;        /* SentencePiece's arithmetic */
} bipe_unigram;

enum { BIPE_UNIGRAM_UNKNOWN = BIPE_TRIE_NONE }; /* the id of a character that is no piece */

/* Makes the tables from pieces that are not empty, and their scores by id; score (bipe_alloc) belongs to the model
 * from here on, also on failure. single: see above. */
int bipe_unigram_build(bipe_unigram *unigram, bipe_trie_string *pieces, size_t count, double *score, double unk_score,
                       bool single, bipe_error *err);
void bipe_unigram_free(bipe_unigram *unigram);

/* Memory for one text after the other. Zero-initialise. */
typedef struct bipe_unigram_memory {
    struct bipe_unigram_best *best;
    size_t capacity;
    double sum;   /* of the pieces before the text; afterwards, with those of the text */
    double half;  /* half of the distance between adjacent floats near the sum; or 0 */
    bool unknown; /* a character that is no piece was the best way to some position */
    bool exact;   /* SentencePiece's arithmetic: no sum of a way was rounded before it was in single precision, or from
                     the middle between two */
} bipe_unigram_memory;

/* Appends the pieces of a text, size < 2^32, in the arithmetic of the model, for the best sum from memory->sum on. A
 * byte that belongs to no character is unknown. BIPE_ERR_MEMORY. */
int bipe_unigram_search(const bipe_unigram *unigram, bipe_unigram_memory *memory, const uint8_t *text, size_t size,
                        bipe_piece_tokens *pieces, bipe_error *err);
void bipe_unigram_memory_free(bipe_unigram_memory *memory);

#endif
