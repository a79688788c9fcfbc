/* token_cuts.h - for fuzzers of tokenizers: the rest of the input is tokenized whole and in small pieces, quickly and
 * by the plain twin, which must agree. */
#ifndef BIPE_TESTS_TOKEN_CUTS_H
#define BIPE_TESTS_TOKEN_CUTS_H

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "token/kind.h"
#include "token/pipeline/pipeline.h"
#include "token/spm/bpe.h"

typedef int token_reader(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err);

static int token_run(const bipe_tokenizer *t, const uint8_t *text, size_t size, size_t cut, bipe_tokens *tokens)
{
    bipe_token_stream *s;
    bipe_error err;
    int status = bipe_token_stream_open(&s, t, &err);
    if (status != BIPE_OK)
        return status;
    status = bipe_token_stream_begin(s, &err);
    for (size_t at = 0; status == BIPE_OK && at < size; at += cut)
        status = bipe_token_stream_feed(s, text + at, size - at < cut ? size - at : cut, tokens, &err);
    if (status == BIPE_OK)
        status = bipe_token_stream_end(s, tokens, &err);
    bipe_token_stream_close(s);
    return status;
}

static void token_check(const bipe_tokenizer *t, const bipe_tokens *tokens, size_t size)
{
    uint64_t end = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        const bipe_token *k = &tokens->token[i];
        const uint8_t *bytes;
        uint8_t four[4];
        size_t n;
        if (k->start < end || k->end < k->start || k->end > size)
            abort();
        if (bipe_tokenizer_size(t) != 0 && bipe_tokenizer_decode(t, k->id, i == 0, four, &bytes, &n, NULL) != BIPE_OK)
            abort();
        end = k->end;
    }
}

/* Input: a byte of flags, two bytes with the size of the file, the file, text. */
static inline int token_fuzz(const uint8_t *data, size_t size, token_reader *read)
{
    if (size < 3)
        return 0;
    size_t file_size = data[1] | (size_t)data[2] << 8;
    if (file_size > size - 3)
        file_size = size - 3;
    char spec[] = "fuzz";
    bipe_tokenizer t = {.spec = spec, .special = data[0] & 1, .bos = BIPE_NO_TOKEN, .eos = BIPE_NO_TOKEN};
    bipe_error err = {0};
    int status = read(&t, data + 3, file_size, &err);
    if ((status == BIPE_OK) != (t.kind != NULL) || (status == BIPE_OK) != (err.text[0] == '\0'))
        abort();
    if (status != BIPE_OK)
        return 0;
    const uint8_t *text = data + 3 + file_size;
    size_t text_size = size - 3 - file_size;
    bipe_tokens whole = {0}, pieces = {0};
    int first = token_run(&t, text, text_size, text_size + 1, &whole);
    if (t.kind == &bipe_pipeline_kind) /* cut wherever it may be */
        ((bipe_pipeline *)t.model)->chunk = 1 + data[0] % 8;
    if (t.kind == &bipe_pipeline_kind && (data[0] & 32) != 0 &&
        ((bipe_pipeline *)t.model)->safe != NULL) /* without units */
        ((bipe_pipeline *)t.model)->safe->units = false;
    if (t.kind == &bipe_bpe_kind && (data[0] & 32) != 0) { /* character by character */
        bipe_bpe *bpe = t.model;
        bipe_free(bpe->borders);
        bpe->borders = NULL;
    }
    if (first == BIPE_OK && token_run(&t, text, text_size, 1 + (data[0] >> 1) % 16, &pieces) == BIPE_OK) {
        token_check(&t, &whole, text_size);
        if (whole.count != pieces.count ||
            (whole.count != 0 && memcmp(whole.token, pieces.token, whole.count * sizeof *whole.token) != 0))
            abort();
    }
    bipe_tokens_free(&whole);
    bipe_tokens_free(&pieces);
    bipe_tokenizer_clear(&t);
    return 0;
}

#endif
