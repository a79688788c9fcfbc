/* token_stream.c - a document that comes in pieces: its bytes are collected, cut into blocks and encoded (kind.h).
 *
 * Bytes are encoded where the caller has them as long as nothing is held. Bytes after the last position to cut are
 * held, and then as few more as it takes to find the next such position. The held bytes are looked at when they have
 * doubled, so that a text without such positions costs no more than its length times a constant. */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "token/kind.h"

enum {
    FEWEST = 1024,   /* bytes that are held before a position to cut is looked for */
    LARGE = 1 << 18  /* bytes held so long because they have no such position: encoding them takes much memory */
};

struct bipe_token_stream {
    const bipe_tokenizer *tokenizer;
    const bipe_token_kind *kind;
    void *scratch;
    uint64_t offset;    /* in the document: of the first byte that is not encoded */
    bipe_buffer held;   /* bytes from there on, with capacity for BIPE_BLOCK_PAD more */
    size_t enough;      /* so many are held before they are looked at, more than there are */
};

/* The held bytes are looked at next when they have doubled, or one of them is too many. */
static void set_enough(bipe_token_stream *s)
{
    size_t twice = s->held.size < FEWEST / 2 ? FEWEST : 2 * s->held.size;
    s->enough = twice < BIPE_UNIT_LIMIT ? twice : BIPE_UNIT_LIMIT + 1;
}

static void clear_stream(bipe_token_stream *s, uint64_t offset)
{
    s->offset = offset;
    s->held.size = 0;
    set_enough(s);
}

int bipe_token_stream_open(bipe_token_stream **stream, const bipe_tokenizer *tokenizer, bipe_error *err)
{
    *stream = NULL;
    bipe_token_stream *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    s->tokenizer = tokenizer;
    s->kind = tokenizer->kind;
    clear_stream(s, 0);
    int status = BIPE_OK;
    if (s->kind->scratch_open != NULL)
        status = s->kind->scratch_open(&s->scratch, tokenizer, err);
    if (status != BIPE_OK) {
        bipe_free(s);
        return status;
    }
    *stream = s;
    return BIPE_OK;
}

void bipe_token_stream_close(bipe_token_stream *s)
{
    if (s == NULL)
        return;
    if (s->kind->scratch_close != NULL)
        s->kind->scratch_close(s->scratch);
    bipe_buffer_free(&s->held);
    bipe_free(s);
}

int bipe_token_stream_begin(bipe_token_stream *s, bipe_error *err)
{
    clear_stream(s, 0);
    (void)err;
    return BIPE_OK;
}

int bipe_token_stream_begin_at(bipe_token_stream *s, uint64_t offset, bipe_error *err)
{
    clear_stream(s, offset);
    (void)err;
    return BIPE_OK;
}

static size_t find_cut(const bipe_token_stream *s, const uint8_t *bytes, size_t size)
{
    return s->kind->cut != NULL ? s->kind->cut(s->tokenizer, bytes, size) : 0;
}

static int encode_block(bipe_token_stream *s, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    int status = s->kind->encode(s->scratch, bytes, size, s->offset, tokens, err);
    s->offset += size;
    return status;
}

/* A unit of 2 MiB can take 100 MiB to encode: one thread at a time has that memory, and gives it back. */
static int encode_large(bipe_token_stream *s, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    static pthread_mutex_t large = PTHREAD_MUTEX_INITIALIZER;
    bipe_error ignored;
    void *fresh;
    pthread_mutex_lock(&large);
    int status = encode_block(s, s->held.data, size, tokens, err);
    if (!s->tokenizer->in_order && s->kind->scratch_open != NULL &&
        s->kind->scratch_open(&fresh, s->tokenizer, &ignored) == BIPE_OK) {
        s->kind->scratch_close(s->scratch);
        s->scratch = fresh;
        bipe_alloc_trim();
    }
    pthread_mutex_unlock(&large);
    return status;
}

static int encode_from_held(bipe_token_stream *s, size_t size, bipe_tokens *tokens, bipe_error *err)
{
    return size < LARGE ? encode_block(s, s->held.data, size, tokens, err) : encode_large(s, size, tokens, err);
}

static int fail_long(const bipe_token_stream *s, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_LIMIT,
                     "byte %" PRIu64
                     ": no place to cut the text into tokens in %d MiB, expected shorter words or lines",
                     s->offset, BIPE_UNIT_LIMIT >> 20);
}

/* Adds bytes until there are `enough`; *used of them. */
static int hold_bytes(bipe_token_stream *s, const uint8_t *bytes, size_t size, size_t *used, bipe_error *err)
{
    size_t more = s->enough - s->held.size;
    *used = size < more ? size : more;
    int status = bipe_buffer_reserve(&s->held, *used + BIPE_BLOCK_PAD, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&s->held, bytes, *used, err);
    if (status == BIPE_OK)
        memset(s->held.data + s->held.size, 0, BIPE_BLOCK_PAD);
    return status;
}

/* Encodes the held bytes up to the last position to cut. Of the `last` bytes added to them, *back become free again. */
static int encode_held(bipe_token_stream *s, size_t last, bipe_tokens *tokens, size_t *back, bipe_error *err)
{
    size_t size = s->held.size, cut = find_cut(s, s->held.data, size), left = size - cut;
    *back = 0;
    if (cut == 0 && size > BIPE_UNIT_LIMIT)
        return fail_long(s, err);
    int status = cut != 0 ? encode_from_held(s, cut, tokens, err) : BIPE_OK;
    if (cut != 0 && left <= last) {
        *back = left;
        s->held.size = 0;
    } else {
        bipe_buffer_consume(&s->held, cut);
    }
    set_enough(s);
    return status;
}

int bipe_token_stream_feed(bipe_token_stream *s, const uint8_t *bytes, size_t size, bipe_tokens *tokens,
                           bipe_error *err)
{
    int status = BIPE_OK;
    while (status == BIPE_OK && size != 0) {
        bool whole = s->held.size == 0 && size > FEWEST + BIPE_BLOCK_PAD;
        size_t most = size - BIPE_BLOCK_PAD < BIPE_UNIT_LIMIT ? size - BIPE_BLOCK_PAD : BIPE_UNIT_LIMIT, back = 0;
        size_t used = whole ? find_cut(s, bytes, most) : 0;
        if (used != 0) {
            status = encode_block(s, bytes, used, tokens, err);
        } else {
            status = hold_bytes(s, bytes, size, &used, err);
            if (status == BIPE_OK && s->held.size == s->enough)
                status = encode_held(s, used, tokens, &back, err);
        }
        bytes += used - back;
        size -= used - back;
    }
    return status;
}

int bipe_token_stream_end(bipe_token_stream *s, bipe_tokens *tokens, bipe_error *err)
{
    int status = BIPE_OK;
    if (s->held.size != 0)
        status = encode_from_held(s, s->held.size, tokens, err);
    s->held.size = 0;
    return status;
}

static int tokenize_whole(const bipe_tokenizer *tokenizer, const char *text, size_t size, bipe_tokens *tokens,
                          bipe_error *err)
{
    bipe_token_stream *stream;
    int status = bipe_token_stream_open(&stream, tokenizer, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_begin(stream, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_feed(stream, (const uint8_t *)text, size, tokens, err);
    if (status == BIPE_OK)
        status = bipe_token_stream_end(stream, tokens, err);
    bipe_token_stream_close(stream);
    return status;
}

int bipe_tokenize_text(const bipe_tokenizer *tokenizer, const char *text, size_t size, bipe_token *token,
                       size_t capacity, size_t *count, bipe_error *err)
{
    bipe_tokens tokens = {0};
    int status = tokenize_whole(tokenizer, text, size, &tokens, err);
    *count = tokens.count;
    if (capacity > 0 && tokens.count > 0)
        memcpy(token, tokens.token, (capacity < tokens.count ? capacity : tokens.count) * sizeof *token);
    bipe_tokens_free(&tokens);
    return status;
}

/* The last token of a text, or BIPE_NO_TOKEN. */
static int last_token(const bipe_tokenizer *tokenizer, const char *text, int64_t *id, bipe_error *err)
{
    bipe_tokens tokens = {0};
    *id = BIPE_NO_TOKEN;
    int status = tokenize_whole(tokenizer, text, strlen(text), &tokens, err);
    if (status == BIPE_OK && tokens.count > 0 &&
        tokens.token[tokens.count - 1].end > tokens.token[tokens.count - 1].start)
        *id = tokens.token[tokens.count - 1].id;
    bipe_tokens_free(&tokens);
    return status;
}

int bipe_tokenizer_unknown(const bipe_tokenizer *tokenizer, int64_t *id, bipe_error *err)
{
    int64_t other;
    int status = last_token(tokenizer, "\xF0\x93\x80\x80", id, err); /* Egyptian A001 */
    if (status == BIPE_OK)
        status = last_token(tokenizer, "\xF0\x92\x80\x81", &other, err); /* cuneiform A TIMES A */
    if (status == BIPE_OK && *id != other)
        *id = BIPE_NO_TOKEN;
    return status;
}
