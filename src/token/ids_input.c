/* ids_input.c - token ids in three forms: little-endian 16 and 32 bits, and decimal numbers between white space. */
#include "token/ids_input.h"

#include <string.h>

#include "base/alloc.h"

enum { TEXT_AT_ONCE = 1 << 20 };

struct bipe_ids_input {
    bipe_input *input;
    const bipe_tokenizer *tokenizer;
    bipe_ids_kind kind;
    uint8_t *raw;            /* (raw_capacity) bytes read; [raw_next, raw_size) are still to be decoded */
    size_t raw_capacity, raw_next, raw_size;
    uint64_t raw_offset;     /* offset of raw[0] in the decompressed input */
    bool ended;              /* the input has no more bytes */
    uint8_t partial[4];      /* u16, u32: the bytes of an id that began in an earlier buffer */
    size_t partial_size;
    uint64_t number;         /* text: the digits so far */
    bool in_number;
    uint64_t id_start;       /* where the present id began */
    uint64_t text_offset;    /* end of the text so far */
    bool text_begun;         /* a token with text has been seen: no dummy prefix any more */
};

int bipe_ids_input_open(bipe_ids_input **ids, const char *path, bipe_ids_kind kind, const bipe_tokenizer *tokenizer,
                        bipe_error *err)
{
    *ids = NULL;
    bipe_ids_input *in = bipe_alloc(1, sizeof *in);
    if (in == NULL)
        return bipe_fail_memory(err);
    in->kind = kind;
    in->tokenizer = tokenizer;
    in->raw_capacity = bipe_buffer_size();
    int status = bipe_input_open(&in->input, path, err);
    if (status == BIPE_OK)
        bipe_input_any(in->input); /* ids can look like anything */
    if (status == BIPE_OK && (in->raw = bipe_alloc(in->raw_capacity, 1)) == NULL)
        status = bipe_fail_memory(err);
    if (status != BIPE_OK) {
        bipe_ids_input_close(in);
        return status;
    }
    *ids = in;
    return BIPE_OK;
}

/* "NAME: byte N" in front of an error. */
static int at_id(bipe_ids_input *in, bipe_error *err)
{
    return bipe_error_prefix(err, "%s: byte %llu", bipe_input_name(in->input), (unsigned long long)in->id_start);
}

static int add_id(bipe_ids_input *in, uint64_t id, bipe_tokens *tokens, bipe_buffer *text, bipe_error *err)
{
    size_t vocabulary = bipe_tokenizer_size(in->tokenizer);
    if (id >= vocabulary) {
        bipe_fail(err, BIPE_ERR_FORMAT, "id %s%llu is not in the vocabulary, expected less than %zu",
                  id > UINT32_MAX ? "beyond " : "", (unsigned long long)(id > UINT32_MAX ? UINT32_MAX : id),
                  vocabulary);
        return at_id(in, err);
    }
    const uint8_t *bytes;
    uint8_t small[4];
    size_t size;
    int status = bipe_tokenizer_decode(in->tokenizer, (uint32_t)id, !in->text_begun, small, &bytes, &size, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(text, bytes, size, err);
    if (status == BIPE_OK && !in->text_begun) {
        /* A lone dummy prefix has no text, and yet the text has begun. */
        size_t full = size;
        if (size == 0)
            status = bipe_tokenizer_decode(in->tokenizer, (uint32_t)id, false, small, &bytes, &full, err);
        in->text_begun = full != 0;
    }
    if (status == BIPE_ERR_ARGUMENT) /* the id is not in the vocabulary */
        err->status = BIPE_ERR_FORMAT;
    if (status != BIPE_OK)
        return at_id(in, err);
    if (bipe_grow(&tokens->token, &tokens->capacity, tokens->count + 1, sizeof *tokens->token) != 0)
        return bipe_fail_memory(err);
    bipe_token *token = &tokens->token[tokens->count++];
    *token = (bipe_token){.start = in->text_offset, .end = in->text_offset + size, .id = (uint32_t)id};
    in->text_offset = token->end;
    return BIPE_OK;
}

static int read_binary(bipe_ids_input *in, uint8_t byte, bipe_tokens *tokens, bipe_buffer *text, bipe_error *err)
{
    size_t width = in->kind == BIPE_IDS_U16 ? 2 : 4;
    if (in->partial_size == 0)
        in->id_start = in->raw_offset + in->raw_next;
    in->partial[in->partial_size++] = byte;
    if (in->partial_size < width)
        return BIPE_OK;
    uint32_t id = 0;
    for (size_t i = 0; i < width; i++)
        id |= (uint32_t)in->partial[i] << (8 * i);
    in->partial_size = 0;
    return add_id(in, id, tokens, text, err);
}

static int read_digit(bipe_ids_input *in, uint8_t byte, bipe_tokens *tokens, bipe_buffer *text, bipe_error *err)
{
    bool space = byte == ' ' || (byte >= '\t' && byte <= '\r');
    if (space) {
        bool done = in->in_number;
        in->in_number = false;
        return done ? add_id(in, in->number, tokens, text, err) : BIPE_OK;
    }
    if (byte < '0' || byte > '9') {
        in->id_start = in->raw_offset + in->raw_next;
        bipe_fail(err, BIPE_ERR_FORMAT, "found the byte 0x%02X, expected decimal ids between white space", byte);
        return at_id(in, err);
    }
    if (!in->in_number) {
        in->in_number = true;
        in->number = 0;
        in->id_start = in->raw_offset + in->raw_next;
    }
    if (in->number <= UINT32_MAX) /* larger numbers are in no vocabulary */
        in->number = in->number * 10 + (uint64_t)(byte - '0');
    return BIPE_OK;
}

/* The end of the input: no id may be incomplete. */
static int finish_ids(bipe_ids_input *in, bipe_tokens *tokens, bipe_buffer *text, bipe_error *err)
{
    if (in->partial_size != 0) {
        bipe_fail(err, BIPE_ERR_FORMAT, "incomplete id: found %zu byte%s, expected %d", in->partial_size,
                  in->partial_size == 1 ? "" : "s", in->kind == BIPE_IDS_U16 ? 2 : 4);
        return at_id(in, err);
    }
    if (!in->in_number)
        return BIPE_END;
    in->in_number = false;
    return add_id(in, in->number, tokens, text, err);
}

int bipe_ids_input_read(bipe_ids_input *in, bipe_tokens *tokens, bipe_buffer *text, bipe_error *err)
{
    size_t limit = text->size + TEXT_AT_ONCE;
    if (in->raw_next == in->raw_size) {
        in->raw_offset += in->raw_size;
        in->raw_next = in->raw_size = 0;
        int status = in->ended ? BIPE_OK : bipe_input_read(in->input, in->raw, in->raw_capacity, &in->raw_size, err);
        if (status != BIPE_OK)
            return status;
        if (in->raw_size == 0) {
            in->ended = true;
            return finish_ids(in, tokens, text, err);
        }
    }
    int status = BIPE_OK;
    while (status == BIPE_OK && in->raw_next < in->raw_size && text->size < limit) {
        uint8_t byte = in->raw[in->raw_next];
        status = in->kind == BIPE_IDS_TEXT ? read_digit(in, byte, tokens, text, err)
                                           : read_binary(in, byte, tokens, text, err);
        in->raw_next++;
    }
    return status;
}

const bipe_input *bipe_ids_input_source(const bipe_ids_input *in)
{
    return in->input;
}

void bipe_ids_input_close(bipe_ids_input *in)
{
    if (in == NULL)
        return;
    bipe_input_close(in->input);
    bipe_free(in->raw);
    bipe_free(in);
}
