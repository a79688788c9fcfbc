/* word_kind.c - the tokenizer `word`, which has no vocabulary: every token has the id 0.
 *
 * Each newline is a token. A run of letters, marks, digits and underscores with the blanks before it is one; each
 * other character (a byte that is not UTF-8 counts as one) with the blanks before it is one. Blanks
 * before a newline or at the end of the document have nothing to belong to and are a token of their own.
 * The state is the start of the token that is not finished: a word of any length streams. */
#include "base/alloc.h"
#include "format/gguf.h"
#include "token/char_reader.h"
#include "token/kind.h"
#include "token/token_ends.h"

typedef enum word_part { NOTHING, BLANKS, WORD } word_part;

/* What an ASCII character can be besides that; and what is none. */
enum { OTHER = WORD + 1, NEWLINE, BEYOND };
enum { AT_ONCE = 4096 };

typedef struct word_stream {
    uint8_t class[256];     /* of bytes; never changes */
    bipe_char_reader reader;
    word_part part;         /* what [start, offset) is */
    uint64_t start, offset;
} word_stream;

static int word_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4], const uint8_t **bytes,
                       size_t *size, bipe_error *err)
{
    (void)id;
    (void)first;
    (void)buffer;
    *bytes = NULL;
    *size = 0;
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: this tokenizer has no vocabulary, ids stand for nothing", tokenizer->spec);
}

static int word_write_gguf(const bipe_tokenizer *tokenizer, bipe_gguf_writer *writer, bipe_error *err)
{
    (void)tokenizer;
    return bipe_gguf_set_string(writer, "tokenizer.ggml.model", "word", 4, err);
}

/* For a newline or another character: NOTHING. */
static word_part class_of(uint32_t code)
{
    if (code >= BIPE_BAD_BYTE)
        return NOTHING;
    return bipe_is_word((int32_t)code) ? WORD : bipe_is_blank((int32_t)code) ? BLANKS : NOTHING;
}

static int word_open(void **state, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    (void)tokenizer;
    word_stream *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    for (uint32_t c = 0; c < 256; c++) {
        word_part part = c < 0x80 ? class_of(c) : NOTHING;
        s->class[c] = c >= 0x80 ? BEYOND : c == '\n' ? NEWLINE : part == NOTHING ? OTHER : (uint8_t)part;
    }
    *state = s;
    return BIPE_OK;
}

static int word_begin(void *state, bipe_error *err)
{
    (void)err;
    word_stream *s = state;
    s->reader = (bipe_char_reader){0};
    s->part = NOTHING;
    s->start = s->offset = 0;
    return BIPE_OK;
}

/* Behind a newline, which is a token of its own: nothing is left over there. */
static size_t word_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size)
{
    (void)tokenizer;
    while (size > 1 && bytes[size - 2] != '\n')
        size--;
    return size > 1 ? size - 1 : 0;
}

static int word_begin_at(void *state, uint64_t offset, bipe_error *err)
{
    int status = word_begin(state, err);
    word_stream *s = state;
    s->start = s->offset = offset;
    return status;
}

/* Ends the token at `end`, if there is one; the next starts there. */
static int finish(word_stream *s, uint64_t end, bipe_tokens *tokens, bipe_error *err)
{
    int status = s->part != NOTHING ? bipe_tokens_add(tokens, s->start, end, 0, err) : BIPE_OK;
    s->start = end;
    s->part = NOTHING;
    return status;
}

/* Where tokens are written: whole ones, or just their ends, as distances from `base`. */
typedef struct word_out {
    bipe_token *token;
    int32_t *end;
    uint64_t base, start; /* start: of the next token */
} word_out;

static inline void put(word_out *out, uint64_t end)
{
    if (out->end != NULL)
        *out->end++ = (int32_t)(end - out->base);
    else
        *out->token++ = (bipe_token){.start = out->start, .end = end};
    out->start = end;
}

/* ASCII characters, a run of a class at a time: up to the first other one, or to the end. *taken bytes of it are done. */
static int take_ascii(word_stream *s, const uint8_t *bytes, size_t size, bipe_tokens *tokens, size_t *taken, bipe_error *err)
{
    bipe_token_ends *ends = tokens->ends;
    word_out first = {.start = s->start};
    size = size < AT_ONCE ? size : AT_ONCE;
    if (ends != NULL) {
        first.base = ends->base;
        first.end = bipe_token_ends_room(tokens, s->start, size + 1);
    } else if (bipe_grow(&tokens->token, &tokens->capacity, tokens->count + size + 1, sizeof *tokens->token) == 0) {
        first.token = tokens->token + tokens->count;
    }
    if (first.end == NULL && first.token == NULL)
        return bipe_fail_memory(err);
    word_out out = first;
    const uint8_t *class = s->class;
    uint64_t base = s->offset;
    word_part part = s->part;
    size_t i = 0;
    while (i < size) {
        if (part != WORD)
            for (; i < size && class[bytes[i]] == BLANKS; i++)
                part = BLANKS;
        size_t from = i;
        while (i < size && class[bytes[i]] == WORD)
            i++;
        if (i != from)
            part = WORD;
        if (i == size || class[bytes[i]] == BEYOND)
            break;
        /* A word ends here, or blanks before a newline do; another character has the blanks before it. */
        uint8_t next = class[bytes[i]];
        if (part == WORD || (part == BLANKS && next == NEWLINE))
            put(&out, base + i);
        part = NOTHING;
        if (next != BLANKS)
            put(&out, base + ++i);
    }
    if (ends != NULL)
        ends->count += (size_t)(out.end - first.end);
    else
        tokens->count += (size_t)(out.token - first.token);
    s->start = out.start;
    s->part = part;
    s->offset = base + i;
    *taken = i;
    return BIPE_OK;
}

static int word_take(word_stream *s, const uint8_t *bytes, size_t size, bool last, bipe_tokens *tokens, bipe_error *err)
{
    const uint8_t *end = bytes + size;
    uint32_t code;
    int status = BIPE_OK;
    for (size_t n = 0; status == BIPE_OK;) {
        if (s->reader.count == 0 && bytes != end && *bytes < 0x80) {
            status = take_ascii(s, bytes, (size_t)(end - bytes), tokens, &n, err);
            if (status == BIPE_OK)
                bytes += n;
            continue;
        }
        n = bipe_char_read(&s->reader, &bytes, end, last, &code);
        if (n == 0)
            break;
        word_part class = class_of(code);
        if (code == '\n' || (s->part == WORD && class != WORD))
            status = finish(s, s->offset, tokens, err);
        s->offset += n;
        if (class != NOTHING) {
            s->part = class;
        } else if (status == BIPE_OK) {
            s->part = WORD; /* one character that is a token with the blanks before it */
            status = finish(s, s->offset, tokens, err);
        }
    }
    return status;
}

static int word_feed(void *state, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    return size == 0 ? BIPE_OK : word_take(state, bytes, size, false, tokens, err);
}

static int word_end(void *state, bipe_tokens *tokens, bipe_error *err)
{
    word_stream *s = state;
    int status = word_take(s, (const uint8_t *)"", 0, true, tokens, err);
    return status == BIPE_OK ? finish(s, s->offset, tokens, err) : status;
}

const bipe_token_kind bipe_word_kind = {
    .name = "word",
    .size = 0,
    .decode = word_decode,
    .write_gguf = word_write_gguf,
    .stream_open = word_open,
    .stream_begin = word_begin,
    .stream_feed = word_feed,
    .stream_end = word_end,
    .stream_close = bipe_free,
    .cut = word_cut,
    .stream_begin_at = word_begin_at,
};
