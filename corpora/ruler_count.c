/* ruler_count.c - counts the tokens of texts that are much alike: a text is divided where the tokenizer's tokens do not
 * depend on what comes before or after, and what pieces have is remembered. */
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "corpora/ruler.h"
#include "token/tokenizer.h"

enum { SLOTS = 1 << 16, PIECE = 254 };

typedef struct slot {
    uint8_t size, tokens, bytes[PIECE]; /* size 0: empty */
} slot;

struct ruler_counter {
    const bipe_tokenizer *tokenizer;
    bipe_token_stream *stream;
    bipe_tokens tokens;
    slot *slot; /* (SLOTS) */
};

int ruler_counter_open(ruler_counter **counter, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    ruler_counter *c = bipe_alloc(1, sizeof *c);
    *counter = c;
    if (c == NULL || (c->slot = bipe_alloc_large(SLOTS, sizeof *c->slot)) == NULL)
        return bipe_fail_memory(err);
    c->tokenizer = tokenizer;
    return bipe_token_stream_open(&c->stream, tokenizer, err);
}

void ruler_counter_close(ruler_counter *counter)
{
    if (counter == NULL)
        return;
    bipe_token_stream_close(counter->stream);
    bipe_tokens_free(&counter->tokens);
    bipe_free(counter->slot);
    bipe_free(counter);
}

static int tokenize_piece(ruler_counter *c, const uint8_t *bytes, size_t size, size_t at, size_t *tokens,
                          bipe_error *err)
{
    int status = at == 0 ? bipe_token_stream_begin(c->stream, err) : bipe_token_stream_begin_at(c->stream, at, err);
    c->tokens.count = 0;
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(c->stream, bytes, size, &c->tokens, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_end(c->stream, &c->tokens, err);
    *tokens = c->tokens.count;
    return status;
}

/* Bytes of the next piece: up to the last place to divide before the end of a line or, after a full stop, of a word, so
 * that pieces are the same wherever they stand; or more of them where there is no such place. */
static size_t next_piece(const ruler_counter *c, const uint8_t *text, size_t size)
{
    size_t end = 0, enough = 1;
    for (; !bipe_tokenizer_in_order(c->tokenizer); enough = 2 * end) {
        do {
            while (end < size && text[end] != '.' && text[end] != ',' && text[end] != '\n')
                end++;
            end += end < size;
        } while (end < size && end < enough);
        size_t cut = end < size ? bipe_tokenizer_cut(c->tokenizer, text, end) : size;
        if (cut > 0)
            return cut;
    }
    return size;
}

int ruler_count(ruler_counter *c, const uint8_t *text, size_t size, size_t *tokens, bipe_error *err)
{
    *tokens = 0;
    for (size_t at = 0, piece, count; at < size; at += piece, *tokens += count) {
        const uint8_t *bytes = text + at;
        piece = next_piece(c, bytes, size - at);
        slot *known = NULL;
        if (at > 0 && piece <= PIECE) {
            uint64_t hash = bipe_hash_bytes(BIPE_HASH_EMPTY, bytes, piece);
            known = &c->slot[(hash ^ hash >> 32) % SLOTS];
            if (known->size == piece && memcmp(known->bytes, bytes, piece) == 0) {
                count = known->tokens;
                continue;
            }
        }
        int status = tokenize_piece(c, bytes, piece, at, &count, err);
        if (status != BIPE_OK)
            return status;
        if (known != NULL && count <= UINT8_MAX) {
            known->size = (uint8_t)piece;
            known->tokens = (uint8_t)count;
            memcpy(known->bytes, bytes, piece);
        }
    }
    return BIPE_OK;
}
