/* long_word.h - a pre-token that comes in pieces, because no chunk of a document holds it (pipeline_stream.c): its places are kept in runs,
 * its bytes only where the model needs them. */
#ifndef BIPE_TOKEN_LONG_WORD_H
#define BIPE_TOKEN_LONG_WORD_H

#include "token/pipeline/pipeline.h"
#include "token/pipeline/place_runs.h"

/* Zero-initialise, and set these. */
typedef struct bipe_long_word {
    const bipe_pipeline *pipeline;
    void *scratch;         /* the model's, which is used for nothing else while the word is open */
    uint64_t *done;        /* where the last token ends */

    /* Its own. */
    bool open;
    bool dropped;          /* it is too long to be anything but one token, for this: */
    uint64_t first, last;
    uint64_t pushed, out;  /* bytes that came, and of which tokens are out */
    uint64_t base;         /* where it begins in the document */
    bipe_buffer text;      /* where the model wants the whole of it */
    bipe_place_runs places;
    bipe_piece_tokens ids;
} bipe_long_word;

/* Bytes of a range, which begin a word or go on with the open one. Places of `text` count from `base`. Adds the tokens that are decided. */
int bipe_long_word_push(bipe_long_word *word, const bipe_mapped *text, bipe_range range, uint64_t base, bipe_tokens *tokens,
                        bipe_error *err);
/* The word, if one is open, ends. */
int bipe_long_word_end(bipe_long_word *word, bipe_tokens *tokens, bipe_error *err);
/* It is forgotten. */
void bipe_long_word_reset(bipe_long_word *word);
void bipe_long_word_free(bipe_long_word *word);

#endif
