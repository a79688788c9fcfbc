/* token_ends.h - where tokens end, and nothing else of them: four bytes a token in place of 24, for who looks for those that close
 * segments. A stream that makes tokens one behind the other can fill it at once (see `ends` of bipe_tokens). */
#ifndef BIPE_TOKEN_TOKEN_ENDS_H
#define BIPE_TOKEN_TOKEN_ENDS_H

#include <stdbool.h>

#include "token/tokenizer.h"

enum { BIPE_TOKEN_ENDS_SLACK = 32 };

/* A distance as it is there. */
static inline int32_t bipe_token_ends_near(uint64_t distance)
{
    return distance < INT32_MAX ? (int32_t)distance : INT32_MAX;
}

/* Zero-initialise; free with bipe_token_ends_free(). */
typedef struct bipe_token_ends {
    int32_t *end;            /* (count) from `base` on, not falling; INT32_MAX: that far or farther, as BIPE_TOKEN_ENDS_SLACK behind them are */
    size_t count, capacity;
    uint64_t base;           /* where the first token starts */
    const bipe_token *token; /* (count) the tokens; NULL: each starts where the one before ends */
    bool apart;              /* of tokens that do not all, and were left out */
    bipe_tokens rest;        /* on their way */
} bipe_token_ends;

/* Of tokens (count < 2^32), which stay where they are; neither starts nor ends decrease. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_token_ends_set(bipe_token_ends *ends, const bipe_token *token, size_t count, bipe_error *err);
/* Of tokens that a stream, begun at the offset or anew, makes of a text that ends behind the bytes. BIPE_OK, what the stream returns, or
 * BIPE_END: they stand apart from each other, so that their ends do not tell which they are. */
int bipe_token_ends_of(bipe_token_ends *ends, bipe_token_stream *stream, uint64_t offset, const uint8_t *bytes, size_t size,
                       bipe_error *err);
void bipe_token_ends_free(bipe_token_ends *ends);

/* For streams, of a list with `ends`: moves its tokens there, and makes room for `more`. Where they are to be written, or NULL. */
int32_t *bipe_token_ends_room(bipe_tokens *tokens, uint64_t start, size_t more);

#endif
