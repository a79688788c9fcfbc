/* tokenizer.c - the public functions: each finds the kind and hands over to it. */
#include "token/tokenizer.h"

#include <string.h>

#include "base/alloc.h"
#include "token/kind.h"

struct bipe_token_stream {
    const bipe_token_kind *kind;
    void *state;
};

const bipe_token_kind *bipe_token_kind_find(const char *name, size_t size)
{
    static const bipe_token_kind *const kinds[] = {&bipe_byte_kind, &bipe_char_kind, &bipe_word_kind};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i]->name) == size && memcmp(kinds[i]->name, name, size) == 0)
            return kinds[i];
    return NULL;
}

int bipe_tokenizer_open(bipe_tokenizer **tokenizer, const char *spec, bool special, bipe_error *err)
{
    *tokenizer = NULL;
    bipe_tokenizer *t = bipe_alloc(1, sizeof *t);
    char *copy = bipe_strdup(spec);
    if (t == NULL || copy == NULL) {
        bipe_free(t);
        bipe_free(copy);
        return bipe_fail_memory(err);
    }
    t->spec = copy;
    t->special = special;
    t->bos = t->eos = BIPE_NO_TOKEN;
    t->kind = bipe_token_kind_find(spec, strlen(spec));
    int status = BIPE_OK;
    if (t->kind != NULL)
        t->size = t->kind->size;
    else
        status = bipe_token_format_read(t, spec, err);
    if (status != BIPE_OK) {
        bipe_tokenizer_close(t);
        return status;
    }
    *tokenizer = t;
    return BIPE_OK;
}

void bipe_tokenizer_clear(bipe_tokenizer *tokenizer)
{
    if (tokenizer->kind != NULL && tokenizer->kind->close != NULL)
        tokenizer->kind->close(tokenizer->model);
    bipe_free(tokenizer->original);
    tokenizer->kind = NULL;
    tokenizer->model = NULL;
    tokenizer->original = NULL;
    tokenizer->write_gguf = NULL;
}

void bipe_tokenizer_close(bipe_tokenizer *tokenizer)
{
    if (tokenizer == NULL)
        return;
    bipe_tokenizer_clear(tokenizer);
    bipe_free(tokenizer->source);
    bipe_free(tokenizer->spec);
    bipe_free(tokenizer);
}

const char *bipe_tokenizer_spec(const bipe_tokenizer *tokenizer)
{
    return tokenizer->spec;
}

size_t bipe_tokenizer_size(const bipe_tokenizer *tokenizer)
{
    return tokenizer->size;
}

int64_t bipe_tokenizer_bos(const bipe_tokenizer *tokenizer)
{
    return tokenizer->bos;
}

int64_t bipe_tokenizer_eos(const bipe_tokenizer *tokenizer)
{
    return tokenizer->eos;
}

size_t bipe_tokenizer_leading(const bipe_tokenizer *tokenizer)
{
    return tokenizer->leading != 0 ? tokenizer->leading : tokenizer->bos != BIPE_NO_TOKEN;
}

int bipe_tokenizer_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4],
                          const uint8_t **bytes, size_t *size, bipe_error *err)
{
    if (tokenizer->size == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: this tokenizer has no vocabulary, ids stand for nothing",
                         tokenizer->spec);
    if (id >= tokenizer->size)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: no token has the id %lu, expected one below %zu", tokenizer->spec,
                         (unsigned long)id, tokenizer->size);
    return tokenizer->kind->decode(tokenizer, id, first, buffer, bytes, size, err);
}

int bipe_tokenizer_write_gguf(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer, bipe_error *err)
{
    if (tokenizer->leading != 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: documents start with %zu special tokens, GGUF has a place for one", tokenizer->spec,
                         tokenizer->leading);
    return (tokenizer->write_gguf != NULL ? tokenizer->write_gguf : tokenizer->kind->write_gguf)(tokenizer, writer, err);
}

int bipe_token_stream_open(bipe_token_stream **stream, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    *stream = NULL;
    bipe_token_stream *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    s->kind = tokenizer->kind;
    int status = s->kind->stream_open(&s->state, tokenizer, err);
    if (status == BIPE_OK && (status = s->kind->stream_begin(s->state, err)) != BIPE_OK)
        s->kind->stream_close(s->state);
    if (status != BIPE_OK) {
        bipe_free(s);
        return status;
    }
    *stream = s;
    return BIPE_OK;
}

int bipe_token_stream_begin(bipe_token_stream *stream, bipe_error *err)
{
    return stream->kind->stream_begin(stream->state, err);
}

bool bipe_token_stream_owes(const bipe_token_stream *stream)
{
    return stream->kind->stream_owes != NULL && stream->kind->stream_owes(stream->state);
}

int bipe_token_stream_feed_some(bipe_token_stream *stream, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    return stream->kind->stream_feed(stream->state, bytes, size, tokens, err);
}

int bipe_token_stream_end_some(bipe_token_stream *stream, bipe_tokens *tokens, bipe_error *err)
{
    return stream->kind->stream_end(stream->state, tokens, err);
}

int bipe_token_stream_feed(bipe_token_stream *stream, const uint8_t *bytes, size_t size, bipe_tokens *tokens,
                           bipe_error *err)
{
    int status = bipe_token_stream_feed_some(stream, bytes, size, tokens, err);
    while (status == BIPE_OK && bipe_token_stream_owes(stream))
        status = bipe_token_stream_feed_some(stream, NULL, 0, tokens, err);
    return status;
}

int bipe_token_stream_end(bipe_token_stream *stream, bipe_tokens *tokens, bipe_error *err)
{
    int status = bipe_token_stream_end_some(stream, tokens, err);
    while (status == BIPE_OK && bipe_token_stream_owes(stream))
        status = bipe_token_stream_end_some(stream, tokens, err);
    return status;
}

size_t bipe_tokenizer_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    return tokenizer->kind->cut != NULL ? tokenizer->kind->cut(tokenizer, bytes, size) : 0;
}

int bipe_token_stream_begin_at(bipe_token_stream *stream, uint64_t offset, bipe_error *err)
{
    return stream->kind->stream_begin_at(stream->state, offset, err);
}

void bipe_token_stream_trim(bipe_token_stream *stream)
{
    if (stream->kind->stream_trim != NULL)
        stream->kind->stream_trim(stream->state);
}

void bipe_token_stream_close(bipe_token_stream *stream)
{
    if (stream == NULL)
        return;
    stream->kind->stream_close(stream->state);
    bipe_free(stream);
}

int bipe_tokens_add(bipe_tokens *tokens, uint64_t start, uint64_t end, uint32_t id, bipe_error *err)
{
    if (bipe_grow(&tokens->token, &tokens->capacity, tokens->count + 1, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    tokens->token[tokens->count++] = (bipe_token){.start = start, .end = end, .id = id};
    return BIPE_OK;
}

void bipe_tokens_free(bipe_tokens *tokens)
{
    bipe_free(tokens->token);
    *tokens = (bipe_tokens){0};
}
