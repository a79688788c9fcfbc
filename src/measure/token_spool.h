/* token_spool.h - the tokens of an input, all documents joined, from which windows of any length can be cut repeatedly.
 * Filled from a bipe_stream; on disk when there are many. */
#ifndef BIPE_MEASURE_TOKEN_SPOOL_H
#define BIPE_MEASURE_TOKEN_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "measure/stream.h"

typedef struct bipe_token_spool bipe_token_spool;

/* A token for scoring. */
typedef struct bipe_spool_token {
    uint64_t start, end; /* bytes of its document */
    uint32_t id;
    uint32_t mark;       /* the words that begin in it, and a bit for each level of each segmenter, set where it is the
                            coarsest whose segment it closes */
} bipe_spool_token;

enum { BIPE_SPOOL_SEGMENTERS = 8 }; /* the most of a stream: levels of all its segmenters */

/* The bits of a segmenter in marks. */
typedef struct bipe_spool_bits {
    uint8_t first, levels;
} bipe_spool_bits;

/* The coarsest level whose segment the token closes, from 1 on; 0: it closes none. */
static inline uint8_t bipe_spool_token_closes(const bipe_spool_token *token, bipe_spool_bits bits)
{
    uint8_t level = 0;
    for (uint32_t left = token->mark >> bits.first & ((UINT32_C(1) << bits.levels) - 1); left != 0; left >>= 1)
        level++;
    return level;
}
static inline uint32_t bipe_spool_token_words(const bipe_spool_token *token)
{
    return token->mark >> BIPE_SPOOL_SEGMENTERS;
}

/* A document that is complete and has tokens. */
typedef struct bipe_spool_document {
    uint64_t first;      /* its first token, which may be BOS */
    uint64_t index;      /* among the documents of its input, as it was begun with */
    uint64_t bytes;
    uint32_t pieces;     /* empty pieces that splitting at white space would leave at its ends: 0, 1 or 2 */
    uint32_t group;      /* the caller's */
    uint64_t note;       /* the caller's */
    uint64_t cluster;    /* the caller's: the same number for documents that depend on each other */
} bipe_spool_document;

/* Up to `memory` bytes stay in memory. segmenters: of the stream, 1 .. BIPE_SPOOL_SEGMENTERS. */
int bipe_token_spool_open(bipe_token_spool **spool, size_t memory, size_t segmenters, bipe_error *err);
/* Of a segmenter of the stream; known when there has been a batch. */
bipe_spool_bits bipe_token_spool_bits(const bipe_token_spool *spool, size_t segmenter);
/* From now on the list of documents is kept as well. */
void bipe_token_spool_keep_documents(bipe_token_spool *spool);

/* Removes all tokens: another input begins. */
void bipe_token_spool_reset(bipe_token_spool *spool);

/* A document begins. bos: the id that goes before it (an empty token that closes nothing), or BIPE_NO_TOKEN.
 * BIPE_ERR_UNSUPPORTED: the vocabulary lacks it. An id >= vocabulary met later is BIPE_ERR_ARGUMENT. */
int bipe_token_spool_begin(bipe_token_spool *spool, int64_t bos, uint64_t vocabulary, bipe_error *err);
/* The next batch of the document. A failure here, or of the stream, ends the document: call bipe_token_spool_drop(). */
int bipe_token_spool_batch(bipe_token_spool *spool, const bipe_batch *batch, bipe_error *err);
/* Removes the unfinished document. */
void bipe_token_spool_drop(bipe_token_spool *spool);

/* Sets group, note and cluster of the current document; before its last batch. */
void bipe_token_spool_name(bipe_token_spool *spool, uint64_t index, uint32_t group, uint64_t note, uint64_t cluster);

/* The complete documents, in order, if they are kept; and which of them holds a token. */
const bipe_spool_document *bipe_token_spool_documents(const bipe_token_spool *spool, size_t *count);
size_t bipe_token_spool_document_at(const bipe_token_spool *spool, uint64_t token);

/* Tokens of complete documents. */
uint64_t bipe_token_spool_count(const bipe_token_spool *spool);
/* A hash (64-bit FNV-1a) of all kept tokens: identifies a text under one tokenizer and segmenter. */
uint64_t bipe_token_spool_hash(const bipe_token_spool *spool);
/* Copies tokens [start, start + count), which must be there. */
int bipe_token_spool_read(bipe_token_spool *spool, uint64_t start, bipe_spool_token *tokens, size_t count,
                          bipe_error *err);
void bipe_token_spool_close(bipe_token_spool *spool);

#endif
