/* token_spool.h - the tokens of an input, all documents joined, kept on disk when they are many, so that windows of any
 * length can be cut from them again and again. Made from a bipe_stream with exactly one segmenter. */
#ifndef BIPE_MEASURE_TOKEN_SPOOL_H
#define BIPE_MEASURE_TOKEN_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "measure/stream.h"

typedef struct bipe_token_spool bipe_token_spool;

/* A token as scoring needs it. */
typedef struct bipe_spool_token {
    uint64_t start, end; /* bytes of its document */
    uint32_t id;
    uint32_t mark;       /* twice the number of words that begin in it, plus 1 when it closes its segment */
} bipe_spool_token;

static inline bool bipe_spool_token_closes(const bipe_spool_token *token) { return (token->mark & 1) != 0; }
static inline uint32_t bipe_spool_token_words(const bipe_spool_token *token) { return token->mark >> 1; }

/* Up to `memory` bytes stay in memory. */
int bipe_token_spool_open(bipe_token_spool **spool, size_t memory, bipe_error *err);

/* Forgets all tokens: another input begins. */
void bipe_token_spool_reset(bipe_token_spool *spool);

/* A document begins. bos: the id that goes before it (an empty token that closes nothing), or BIPE_NO_TOKEN.
 * An id >= vocabulary met later is BIPE_ERR_ARGUMENT. */
int bipe_token_spool_begin(bipe_token_spool *spool, int64_t bos, uint64_t vocabulary, bipe_error *err);
/* The next batch of the document. A failure here, or of the stream, ends the document: call bipe_token_spool_drop(). */
int bipe_token_spool_batch(bipe_token_spool *spool, const bipe_batch *batch, bipe_error *err);
/* Forgets the document that was begun and not ended by a batch with `last`. */
void bipe_token_spool_drop(bipe_token_spool *spool);

/* Tokens of complete documents. */
uint64_t bipe_token_spool_count(const bipe_token_spool *spool);
/* A hash (64-bit FNV-1a) of all that was kept of them: tells one text from another, under one tokenizer and segmenter. */
uint64_t bipe_token_spool_hash(const bipe_token_spool *spool);
/* Copies tokens [start, start + count), which must be there. */
int bipe_token_spool_read(bipe_token_spool *spool, uint64_t start, bipe_spool_token *tokens, size_t count,
                          bipe_error *err);
void bipe_token_spool_close(bipe_token_spool *spool);

#endif
