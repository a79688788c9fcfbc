/* ruler_count.c - counts the tokens of texts that are much alike: a text is divided where the tokenizer's tokens do not
 * depend on what comes before or after, and what pieces have is remembered. */
#include <string.h>

#include "base/alloc.h"
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

/* Where texts are divided: after the first full stop or comma. */
typedef struct stops {
    const uint8_t *text;
    size_t size, next[2];
} stops;

/* The end of the first of them at `from` or later, or that of the text. */
static size_t find_stop(stops *s, size_t from)
{
    size_t first = s->size;
    for (size_t i = 0; i < 2 && from < s->size; i++) {
        if (s->next[i] <= from && s->next[i] < s->size) {
            const uint8_t *found = memchr(s->text + from, ".,"[i], s->size - from);
            s->next[i] = found != NULL ? (size_t)(found - s->text) + 1 : s->size;
        }
        first = s->next[i] < first ? s->next[i] : first;
    }
    return first;
}

/* The end of the piece from `at` on: the last place to divide before a stop, so that pieces are the same wherever they
 * stand, or before a later one where there is no such place. */
static size_t end_piece(const ruler_counter *c, stops *s, size_t at)
{
    size_t end = at;
    while (!bipe_tokenizer_in_order(c->tokenizer)) {
        end = find_stop(s, end + (end - at));
        if (end == s->size)
            break;
        size_t cut = bipe_tokenizer_cut(c->tokenizer, s->text + at, end - at);
        if (cut > 0)
            return at + cut;
    }
    return s->size;
}

static size_t slot_of(const uint8_t *bytes, size_t size)
{
    uint64_t hash = size, word;
    for (; size > 0; bytes += sizeof word, size -= size < sizeof word ? size : sizeof word) {
        word = 0;
        if (size >= sizeof word)
            memcpy(&word, bytes, sizeof word);
        else
            memcpy(&word, bytes, size);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return hash % SLOTS;
}

int ruler_count(ruler_counter *c, const uint8_t *text, size_t size, size_t *tokens, bipe_error *err)
{
    stops s = {text, size, {0}};
    *tokens = 0;
    for (size_t at = 0, piece, count; at < size; at += piece, *tokens += count) {
        const uint8_t *bytes = text + at;
        piece = end_piece(c, &s, at) - at;
        slot *known = NULL;
        if (at > 0 && piece <= PIECE) {
            known = &c->slot[slot_of(bytes, piece)];
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
