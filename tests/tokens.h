/* tokens.h - for tests of tokenizers: a text tokenized whole, in random pieces, or byte by byte; what must hold for
 * any. */
#ifndef BIPE_TESTS_TOKENS_H
#define BIPE_TESTS_TOKENS_H

#include "base/alloc.h"
#include "base/buffer.h"
#include "tests/check.h"
#include "token/tokenizer.h"

/* Feeds `size` bytes in pieces: of at most `cut` bytes (0: all at once), of random sizes up to that when random is not
 * NULL. */
static inline int tokens_of(const bipe_tokenizer *tokenizer, const void *text, size_t size, size_t cut,
                            uint64_t *random, bipe_tokens *tokens, bipe_error *err)
{
    bipe_token_stream *stream;
    tokens->count = 0;
    int status = bipe_token_stream_open(&stream, tokenizer, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_token_stream_begin(stream, err);
    for (size_t at = 0; status == BIPE_OK && at < size;) {
        size_t n = cut == 0 ? size : random != NULL ? test_random(random) % (cut + 1) : cut;
        if (n > size - at)
            n = size - at;
        /* A copy of its own, so that reading past it is seen. */
        uint8_t *piece = malloc(n != 0 ? n : 1);
        memcpy(piece, (const uint8_t *)text + at, n);
        status = bipe_token_stream_feed(stream, piece, n, tokens, err);
        free(piece);
        at += n;
    }
    if (status == BIPE_OK)
        status = bipe_token_stream_end(stream, tokens, err);
    bipe_token_stream_close(stream);
    return status;
}

static inline bool same_tokens(const bipe_tokens *a, const bipe_tokens *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->token, b->token, a->count * sizeof *a->token) == 0);
}

/* Asks what the first token stands for. */
static inline int decode_first(const bipe_tokenizer *tokenizer, const bipe_tokens *tokens, bipe_error *err)
{
    uint8_t four[4];
    const uint8_t *bytes;
    size_t size;
    return bipe_tokenizer_decode(tokenizer, tokens->token[0].id, true, four, &bytes, &size, err);
}

/* A text in pieces of random sizes up to `cut` against the whole by another tokenizer; json: what both were read
 * from. */
static inline void check_twin(const bipe_tokenizer *twin, const bipe_tokenizer *t, const void *text, size_t size,
                              size_t cut, uint64_t *random, const bipe_buffer *json)
{
    bipe_error err = {0};
    bipe_tokens want = {0}, got = {0};
    CHECKF(tokens_of(twin, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
    CHECKF(tokens_of(t, text, size, cut, random, &got, &err) == BIPE_OK, "%s", err.text);
    CHECKF(same_tokens(&want, &got), "%zu tokens, want %zu: %.*s\n%.*s|", got.count, want.count, (int)json->size,
           (const char *)json->data, (int)size, (const char *)text);
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
}

/* Spans follow one another, and ids are in the vocabulary. gaps: the normalizer removes bytes, spans may leave some
 * out. */
static inline void check_spans(const bipe_tokenizer *tokenizer, const bipe_tokens *tokens, size_t size, bool gaps)
{
    uint64_t end = 0;
    size_t limit = bipe_tokenizer_size(tokenizer), bad = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        const bipe_token *t = &tokens->token[i];
        bad += (gaps ? t->start < end : t->start != end) || t->end < t->start || t->end > size || t->reserved != 0;
        bad += limit != 0 && t->id >= limit;
        end = t->end;
    }
    CHECKF(bad == 0, "%zu of %zu tokens", bad, tokens->count);
    CHECKF(gaps || end == size, "the last token ends at %" PRIu64 ", the text at %zu", end, size);
}

/* Cuts the text in two where the tokenizer says that it may be (bipe_tokenizer_cut()), as it sees it in some piece of
 * the text: the tokens of both sides must be those of the whole. */
static inline void check_halves(const bipe_tokenizer *tokenizer, const void *text, size_t size,
                                const bipe_tokens *whole)
{
    bipe_error err = {0};
    bipe_tokens both = {0};
    bipe_token_stream *stream;
    uint64_t random = size + 1;
    CHECK(bipe_token_stream_open(&stream, tokenizer, &err) == BIPE_OK);
    for (int i = 0; i < 3 && size != 0; i++) {
        size_t to = i == 0 ? size : 1 + test_random(&random) % size, from = i == 0 ? 0 : test_random(&random) % to;
        size_t cut = bipe_tokenizer_cut(tokenizer, (const uint8_t *)text + from, to - from);
        if (cut == 0)
            continue;
        CHECK(cut < to - from);
        both.count = 0;
        CHECK(bipe_token_stream_begin(stream, &err) == BIPE_OK);
        CHECK(bipe_token_stream_feed(stream, text, from + cut, &both, &err) == BIPE_OK);
        CHECK(bipe_token_stream_end(stream, &both, &err) == BIPE_OK);
        CHECK(bipe_token_stream_begin_at(stream, from + cut, &err) == BIPE_OK);
        CHECK(bipe_token_stream_feed(stream, (const uint8_t *)text + from + cut, size - from - cut, &both, &err) ==
              BIPE_OK);
        CHECK(bipe_token_stream_end(stream, &both, &err) == BIPE_OK);
        CHECKF(same_tokens(&both, whole), "cut at %zu of %zu", from + cut, size);
    }
    bipe_token_stream_close(stream);
    bipe_tokens_free(&both);
}

/* Tokenizes whole, byte by byte, in random pieces and cut in two: all must agree. The tokens stay in *tokens. */
static inline void check_cuts(const bipe_tokenizer *tokenizer, const void *text, size_t size, uint64_t *random,
                              bool gaps, bipe_tokens *tokens)
{
    bipe_error err = {0};
    bipe_tokens other = {0};
    CHECKF(tokens_of(tokenizer, text, size, 0, NULL, tokens, &err) == BIPE_OK, "%s", err.text);
    check_spans(tokenizer, tokens, size, gaps);
    CHECKF(tokens_of(tokenizer, text, size, 1, NULL, &other, &err) == BIPE_OK, "%s", err.text);
    CHECK(same_tokens(tokens, &other));
    CHECKF(tokens_of(tokenizer, text, size, 9, random, &other, &err) == BIPE_OK, "%s", err.text);
    CHECK(same_tokens(tokens, &other));
    check_halves(tokenizer, text, size, tokens);
    bipe_tokens_free(&other);
}

/* Appends what the ids decode to. */
static inline void decode_tokens(const bipe_tokenizer *tokenizer, const bipe_tokens *tokens, bipe_buffer *text)
{
    bipe_error err = {0};
    uint8_t four[4];
    for (size_t i = 0; i < tokens->count; i++) {
        const uint8_t *bytes;
        size_t size;
        int status = bipe_tokenizer_decode(tokenizer, tokens->token[i].id, i == 0, four, &bytes, &size, &err);
        CHECKF(status == BIPE_OK, "%s", err.text);
        if (status != BIPE_OK || bipe_buffer_append(text, bytes, size, &err) != BIPE_OK)
            return;
    }
}

/* A text of `size` bytes at most from an alphabet of strings, with rare raw bytes. */
static inline size_t random_text(uint64_t *random, const char *const *alphabet, size_t letters, bool broken,
                                 uint8_t *text, size_t size)
{
    size_t n = 0;
    while (n < size) {
        uint64_t r = test_random(random);
        if (broken && r % 16 == 0) {
            text[n++] = (uint8_t)(r >> 32);
            continue;
        }
        const char *letter = alphabet[(r >> 32) % letters];
        size_t length = strlen(letter);
        if (length > size - n)
            break;
        memcpy(text + n, letter, length);
        n += length;
    }
    return n;
}

/* Words of its letters that come again, runs, and what stands between them; less than `size` bytes. Letters have at
 * most four bytes. */
static inline size_t text_of_words(uint64_t *random, const char *const *alphabet, size_t letters, uint8_t *text,
                                   size_t size)
{
    size_t n = 0, limit = test_random(random) % size;
    char word[8][24];
    for (size_t w = 0; w < 8; w++) {
        size_t length = 0;
        for (size_t i = test_random(random) % 5; i != 0; i--)
            length += (size_t)sprintf(word[w] + length, "%s", alphabet[test_random(random) % letters]);
        word[w][length] = '\0';
    }
    while (n + 700 < limit) {
        uint64_t kind = test_random(random) % 20;
        const char *part = kind < 15 ? word[kind & 7] : alphabet[test_random(random) % letters];
        size_t length = strlen(part),
               times = kind == 19 && test_random(random) % 3 == 0 ? test_random(random) % 400 : 1;
        for (size_t before = n; times != 0 && n - before < 600; times--, n += length)
            memcpy(text + n, part, length);
        if (kind % 3 != 0)
            text[n++] = ' ';
    }
    return n;
}

#endif
