/* ladder.h - the same last tokens of documents after contexts of several lengths, the rungs of a ladder: their losses,
 * what a longer context gains, and how sure that is.
 *
 * A window of a rung is BOS (where wanted), the last c tokens before the scored ones, and these; a document that has
 * fewer gives all that it has. Windows of two rungs end together and begin at different tokens, and from the second
 * layer on what a decoder makes of a token depends on all tokens before it. So two rungs have nothing in common but
 * where both hold the whole document: then they are one window. */
#ifndef BIPE_MEASURE_LADDER_H
#define BIPE_MEASURE_LADDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/key_tokens.h"
#include "measure/resample.h"
#include "measure/scorer.h"
#include "measure/token_spool.h"

typedef struct bipe_ladder {
    const uint64_t *context; /* (rungs), rising */
    size_t rungs;
    size_t last;             /* tokens of each document that are scored */
    int64_t bos;             /* the tokenizer's BOS, or BIPE_NO_TOKEN */
    bool begin;              /* each window begins with it */
    bipe_key_rule key;       /* alpha and beta: the first rung is the short context */
    uint64_t seed;           /* of the resampling */
} bipe_ladder;

/* The losses of the documents in a spool. Zero-initialise; each use keeps the memory. */
typedef struct bipe_ladder_losses {
    size_t *document;        /* [documents] those that are long enough: their numbers in the spool */
    size_t documents, document_capacity;
    double *nll;             /* (documents, rungs, last) in nats; NaN: not a target, such as a BOS; infinite: of a
                                broken model */
    uint64_t *bytes;         /* (documents) of the scored tokens that are targets */
    size_t nll_capacity, bytes_capacity;
    uint64_t all, computed;  /* tokens of all windows; of those that were computed */
} bipe_ladder_losses;

/* A document on a rung. */
typedef struct bipe_rung {
    uint64_t context;        /* tokens before the scored ones */
    uint64_t tokens, key;    /* targets; of these key tokens */
    double nll;              /* mean loss of targets, in nats */
    bipe_estimate gain;      /* mean loss on the first rung less that here, in pairs, by blocks of tokens */
} bipe_rung;

/* Whether a document of so many tokens is long enough: for the first rung. */
bool bipe_ladder_fits(const bipe_ladder *ladder, uint64_t tokens);
/* Tokens of context that it has on a rung. */
uint64_t bipe_ladder_context(const bipe_ladder *ladder, size_t rung, uint64_t tokens);
/* Tokens of its windows on all rungs. */
uint64_t bipe_ladder_work(const bipe_ladder *ladder, uint64_t tokens);

/* Tokens of document `document` of the spool, whose documents are kept, and which has no BOS before them. */
uint64_t bipe_ladder_tokens(const bipe_token_spool *spool, size_t document);
/* The longest window of the documents in the spool; 0: none is long enough. */
uint64_t bipe_ladder_longest(const bipe_ladder *ladder, const bipe_token_spool *spool);
/* Computes the losses of all documents of the spool that are long enough. segmenter: its number in the spool. batch: as
 * in bipe_score_sink. */
int bipe_ladder_score(const bipe_ladder *ladder, bipe_evaluator *evaluator, bipe_token_spool *spool, size_t segmenter,
                      int (*batch)(void *context, uint64_t tokens, bipe_error *err), void *context,
                      bipe_ladder_losses *losses, bipe_error *err);
void bipe_ladder_losses_free(bipe_ladder_losses *losses);

/* Losses of document number `i` of the losses on a rung: (last). */
static inline const double *bipe_ladder_nll(const bipe_ladder *ladder, const bipe_ladder_losses *losses, size_t i,
                                            size_t rung)
{
    return losses->nll + (i * ladder->rungs + rung) * ladder->last;
}
/* The scored tokens of a document in cells, of which blocks are made: the cell of token k. */
enum { BIPE_LADDER_CELLS = 256 };
static inline size_t bipe_ladder_cell(const bipe_ladder *ladder, size_t k)
{
    return k * BIPE_LADDER_CELLS / ladder->last;
}
/* All rungs (rungs) of document number `i` of the losses, which has so many tokens. */
int bipe_ladder_document(const bipe_ladder *ladder, const bipe_ladder_losses *losses, size_t i, uint64_t tokens,
                         bipe_rung *rung, bipe_error *err);

#endif
