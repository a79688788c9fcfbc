/* byte_kind.c - the tokenizer `byte`: each byte is a token, its value the id. */
#include "base/alloc.h"
#include "format/gguf.h"
#include "token/kind.h"
#include "token/token_ends.h"

static int byte_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4], const uint8_t **bytes,
                       size_t *size, bipe_error *err)
{
    (void)tokenizer;
    (void)first;
    (void)err;
    buffer[0] = (uint8_t)id;
    *bytes = buffer;
    *size = 1;
    return BIPE_OK;
}

static int byte_write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    (void)tokenizer;
    return bipe_gguf_set_string(writer, "tokenizer.ggml.model", "byte", 4, err);
}

static int byte_open(void **state, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    (void)tokenizer;
    *state = bipe_alloc(1, sizeof(uint64_t));
    return *state != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static int byte_begin(void *state, bipe_error *err)
{
    (void)err;
    *(uint64_t *)state = 0;
    return BIPE_OK;
}

static size_t byte_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    (void)tokenizer;
    (void)bytes;
    return size != 0 ? size - 1 : 0;
}

static int byte_begin_at(void *state, uint64_t offset, bipe_error *err)
{
    (void)err;
    *(uint64_t *)state = offset;
    return BIPE_OK;
}

/* Where so many end, and nothing else. */
static int put_ends(uint64_t *offset, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    int32_t *end = bipe_token_ends_room(tokens, *offset, size);
    if (end == NULL)
        return bipe_fail_memory(err);
    uint64_t first = *offset - tokens->ends->base;
    for (size_t i = 0; i < size; i++)
        end[i] = (int32_t)(first + i + 1);
    tokens->ends->count += size;
    *offset += size;
    return BIPE_OK;
}

static int byte_feed(void *state, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    uint64_t *offset = state;
    if (tokens->ends != NULL)
        return put_ends(offset, size, tokens, err);
    if (size > SIZE_MAX - tokens->count ||
        bipe_grow(&tokens->token, &tokens->capacity, tokens->count + size, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < size; i++, ++*offset)
        tokens->token[tokens->count++] = (bipe_token){.start = *offset, .end = *offset + 1, .id = bytes[i]};
    return BIPE_OK;
}

static int byte_end(void *state, bipe_tokens *tokens, bipe_error *err)
{
    (void)state;
    (void)tokens;
    (void)err;
    return BIPE_OK;
}

const bipe_token_kind bipe_byte_kind = {
    .name = "byte",
    .size = 256,
    .decode = byte_decode,
    .write_gguf = byte_write_gguf,
    .stream_open = byte_open,
    .stream_begin = byte_begin,
    .stream_feed = byte_feed,
    .stream_end = byte_end,
    .stream_close = bipe_free,
    .cut = byte_cut,
    .stream_begin_at = byte_begin_at,
};
