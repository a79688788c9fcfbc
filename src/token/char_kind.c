/* char_kind.c - the tokenizer `char`: each character is a token, its code point the id.
 *
 * A byte that is not part of a well-formed character is a token with the id 0xDC00 + byte, a code
 * point that well-formed text cannot contain. */
#include "base/alloc.h"
#include "format/gguf.h"
#include "token/char_reader.h"
#include "token/kind.h"
#include "token/token_ends.h"

typedef struct char_stream {
    bipe_char_reader reader;
    uint64_t offset;
} char_stream;

static int char_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4], const uint8_t **bytes,
                       size_t *size, bipe_error *err)
{
    (void)first;
    *bytes = buffer;
    if (id >= 0xDC80 && id <= 0xDCFF) {
        buffer[0] = (uint8_t)(id - 0xDC00);
        *size = 1;
    } else if (id >= 0xD800 && id <= 0xDFFF) {
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: no token has the id %lu, expected a code point that is no surrogate",
                         tokenizer->spec, (unsigned long)id);
    } else {
        *size = bipe_utf8_encode((int32_t)id, buffer);
    }
    return BIPE_OK;
}

static int char_write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    (void)tokenizer;
    return bipe_gguf_set_string(writer, "tokenizer.ggml.model", "char", 4, err);
}

static int char_open(void **state, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    (void)tokenizer;
    *state = bipe_alloc(1, sizeof(char_stream));
    return *state != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static int char_begin(void *state, bipe_error *err)
{
    (void)err;
    *(char_stream *)state = (char_stream){0};
    return BIPE_OK;
}

/* Behind ASCII: no character that is not complete stands before that. */
static size_t char_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    (void)tokenizer;
    while (size > 1 && bytes[size - 2] >= 0x80)
        size--;
    return size > 1 ? size - 1 : 0;
}

static int char_begin_at(void *state, uint64_t offset, bipe_error *err)
{
    int status = char_begin(state, err);
    ((char_stream *)state)->offset = offset;
    return status;
}

/* Where the next ones end, and nothing else. */
static int put_ends(char_stream *s, const uint8_t *bytes, size_t size, bool last, bipe_tokens *tokens, bipe_error *err)
{
    const size_t held = 4; /* bytes of the reader, at most */
    int32_t *first = bipe_token_ends_room(tokens, s->offset, size + held), *end = first;
    if (first == NULL)
        return bipe_fail_memory(err);
    const uint8_t *stop = bytes + size;
    uint32_t code;
    for (size_t n; (n = bipe_char_read(&s->reader, &bytes, stop, last, &code)) != 0;) {
        s->offset += n;
        *end++ = (int32_t)(s->offset - tokens->ends->base);
    }
    tokens->ends->count += (size_t)(end - first);
    return BIPE_OK;
}

static int char_take(char_stream *s, const uint8_t *bytes, size_t size, bool last, bipe_tokens *tokens, bipe_error *err)
{
    if (tokens->ends != NULL)
        return put_ends(s, bytes, size, last, tokens, err);
    const uint8_t *end = bytes + size;
    uint32_t code;
    for (size_t n; (n = bipe_char_read(&s->reader, &bytes, end, last, &code)) != 0; s->offset += n) {
        uint32_t id = code >= BIPE_BAD_BYTE ? 0xDC00 + (code - BIPE_BAD_BYTE) : code;
        int status = bipe_tokens_add(tokens, s->offset, s->offset + n, id, err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static int char_feed(void *state, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    return size == 0 ? BIPE_OK : char_take(state, bytes, size, false, tokens, err);
}

static int char_end(void *state, bipe_tokens *tokens, bipe_error *err)
{
    return char_take(state, (const uint8_t *)"", 0, true, tokens, err);
}

const bipe_token_kind bipe_char_kind = {
    .name = "char",
    .size = 0x110000,
    .decode = char_decode,
    .write_gguf = char_write_gguf,
    .stream_open = char_open,
    .stream_begin = char_begin,
    .stream_feed = char_feed,
    .stream_end = char_end,
    .stream_close = bipe_free,
    .cut = char_cut,
    .stream_begin_at = char_begin_at,
};
