/* byte_kind.c - the tokenizer `byte`: each byte is a token, its value the id. */
#include "base/alloc.h"
#include "format/gguf.h"
#include "token/kind.h"

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

static size_t byte_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    (void)tokenizer;
    (void)bytes;
    return size != 0 ? size - 1 : 0;
}

static int byte_encode(void *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bipe_tokens *tokens, bipe_error *err)
{
    (void)scratch;
    if (size > SIZE_MAX - tokens->count || bipe_grow(&tokens->token, &tokens->capacity, tokens->count + size, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < size; i++, offset++)
        tokens->token[tokens->count++] = (bipe_token){.start = offset, .end = offset + 1, .id = bytes[i]};
    return BIPE_OK;
}

const bipe_token_kind bipe_byte_kind = {
    .name = "byte",
    .size = 256,
    .decode = byte_decode,
    .write_gguf = byte_write_gguf,
    .cut = byte_cut,
    .encode = byte_encode,
};
