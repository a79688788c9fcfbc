/* plain_kinds.c - the tokenizers `byte`, in which each byte is a token and its value the id, and `char`, in which each
 * character is a token and its code point the id.
 *
 * To `char` a byte that is not part of a well-formed character is a token with the id 0xDC00 + byte, a code point that
 * well-formed text cannot contain. */
#include "base/alloc.h"
#include "text/utf8.h"
#include "token/kind.h"

/* ---- byte ---- */

static int byte_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4],
                       const uint8_t **bytes, size_t *size, bipe_error *err)
{
    (void)tokenizer;
    (void)first;
    (void)err;
    buffer[0] = (uint8_t)id;
    *bytes = buffer;
    *size = 1;
    return BIPE_OK;
}

/* Between characters. */
static size_t plain_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    (void)tokenizer;
    size_t at = size != 0 ? size - 1 : 0;
    while (at > 0 && !bipe_utf8_begins(bytes, at))
        at--;
    return at;
}

static int byte_encode(void *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bipe_tokens *tokens,
                       bipe_error *err)
{
    (void)scratch;
    if (size > SIZE_MAX - tokens->count ||
        bipe_grow(&tokens->token, &tokens->capacity, tokens->count + size, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < size; i++, offset++)
        tokens->token[tokens->count++] = (bipe_token){.start = offset, .end = offset + 1, .id = bytes[i]};
    return BIPE_OK;
}

const bipe_token_kind bipe_byte_kind = {
    .name = "byte",
    .size = 256,
    .decode = byte_decode,
    .cut = plain_cut,
    .encode = byte_encode,
};

/* ---- char ---- */

static int char_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4],
                       const uint8_t **bytes, size_t *size, bipe_error *err)
{
    (void)first;
    *bytes = buffer;
    if (id >= 0xDC80 && id <= 0xDCFF) {
        buffer[0] = (uint8_t)(id - 0xDC00);
        *size = 1;
    } else if (id >= 0xD800 && id <= 0xDFFF) {
        return bipe_fail(err, BIPE_ERR_ARGUMENT,
                         "%s: no token has the id %lu, expected a code point that is no surrogate", tokenizer->spec,
                         (unsigned long)id);
    } else {
        *size = bipe_utf8_encode((int32_t)id, buffer);
    }
    return BIPE_OK;
}

static int char_encode(void *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bipe_tokens *tokens,
                       bipe_error *err)
{
    (void)scratch;
    int status = BIPE_OK;
    for (size_t i = 0, n; status == BIPE_OK && i < size; i += n) {
        int32_t code;
        n = bipe_utf8_decode(bytes + i, size - i, &code);
        n = n != 0 ? n : 1; /* a character that is not complete */
        uint32_t id = code < 0 ? 0xDC00 + (uint32_t)bytes[i] : (uint32_t)code;
        status = bipe_tokens_add(tokens, offset + i, offset + i + n, id, err);
    }
    return status;
}

const bipe_token_kind bipe_char_kind = {
    .name = "char",
    .size = 0x110000,
    .decode = char_decode,
    .cut = plain_cut,
    .encode = char_encode,
};
