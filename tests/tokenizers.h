/* tokenizers.h - for tests of tokenizers: opened from files, or read from the bytes of a tokenizer.json, which may be
 * written with single quotes. */
#ifndef BIPE_TESTS_TOKENIZERS_H
#define BIPE_TESTS_TOKENIZERS_H

#include "base/alloc.h"
#include "format/gguf.h"
#include "tests/bytes.h"
#include "tests/tokens.h"
#include "token/pipeline/pipeline.h"

/* Ends the program where that is no tokenizer. */
static inline bipe_tokenizer *must_open(const char *path, bool special)
{
    bipe_tokenizer *tokenizer;
    bipe_error err = {0};
    int status = bipe_tokenizer_open(&tokenizer, path, special, &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    if (status != BIPE_OK)
        exit(test_result());
    return tokenizer;
}

/* Writes it into a GGUF file. */
static inline int write_gguf(const bipe_tokenizer *tokenizer, const char *path, bipe_error *err)
{
    bipe_gguf_writer *writer;
    int status = bipe_gguf_writer_open(&writer, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_tokenizer_write_gguf(tokenizer, writer, err);
    if (status == BIPE_OK)
        status = bipe_gguf_write(writer, path, err);
    bipe_gguf_writer_close(writer);
    return status;
}

/* One without a kind yet. What is read into it ends with bipe_tokenizer_clear(). */
static inline bipe_tokenizer no_tokenizer(bool special)
{
    static char spec[] = "test";
    return (bipe_tokenizer){.spec = spec, .special = special, .bos = BIPE_NO_TOKEN, .eos = BIPE_NO_TOKEN};
}

/* A tokenizer.json, or a tekken.json. */
static inline int read_json(bipe_tokenizer *tokenizer, const void *json, size_t size, bool special, bipe_error *err)
{
    *tokenizer = no_tokenizer(special);
    uint8_t *bytes = exact_copy(json, size);
    int status = bipe_tokenizer_json_read(tokenizer, bytes, size, err);
    free(bytes);
    return status;
}

/* Ends the program where it is none. */
static inline bipe_tokenizer must_read_json(const bipe_buffer *json, bool special)
{
    bipe_tokenizer tokenizer;
    bipe_error err = {0};
    int status = read_json(&tokenizer, json->data, json->size, special, &err);
    CHECKF(status == BIPE_OK, "%s: %.*s", err.text, (int)json->size, (const char *)json->data);
    if (status != BIPE_OK)
        exit(test_result());
    return tokenizer;
}

/* The tokenizer, a pipeline, takes its texts whole from now on. */
static inline void leave_whole(bipe_tokenizer *tokenizer)
{
    bipe_pipeline *p = tokenizer->model;
    CHECK(tokenizer->kind == &bipe_pipeline_kind);
    bipe_free(p->safe);
    p->safe = NULL;
}

/* Appends JSON that is written with single quotes. */
static inline void put_json(test_bytes *b, const char *text)
{
    for (; *text != '\0'; text++)
        put_bytes(b, *text == '\'' ? "\"" : text, 1);
}

static inline int read_quoted(bipe_tokenizer *tokenizer, const char *text, bool special, bipe_error *err)
{
    test_bytes b = {0};
    put_json(&b, text);
    int status = read_json(tokenizer, b.data, b.size, special, err);
    free_bytes(&b);
    return status;
}

typedef int tokenizer_reader(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err);

/* Cut short or with a bit turned over: an error or a tokenizer, never anything else. */
static inline void check_damaged(tokenizer_reader *read, const test_bytes *file)
{
    uint64_t random = 23;
    size_t changes = (size_t)test_rounds(3000);
    for (size_t round = 0; round < file->size + changes; round += round < file->size && !test_all_rounds() ? 7 : 1) {
        size_t size = round < file->size ? round : file->size;
        uint8_t *bytes = exact_copy(file->data, size);
        if (round >= file->size)
            bytes[test_random(&random) % size] ^= (uint8_t)(1 << test_random(&random) % 8);
        bipe_tokenizer t = no_tokenizer(false);
        bipe_error err = {0};
        int status = read(&t, bytes, size, &err);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_FORMAT || status == BIPE_ERR_UNSUPPORTED, "%d: %s", status,
               err.text);
        CHECK((status == BIPE_OK) == (t.kind != NULL) && (status == BIPE_OK) == (err.text[0] == '\0'));
        CHECK(round >= file->size || status != BIPE_OK);
        bipe_tokenizer_clear(&t);
        free(bytes);
    }
}

/* The pattern of a tekken.json, in JSON: Mistral's own, without a backslash in front of others. */
#define TEKKEN \
    "[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{" \
    "M}]+|" \
    "[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{" \
    "M}]*|" \
    "\\\\p{N}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n/]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"

/* Appends the letter that GPT-2 writes a byte with, counted out here again, as it stands in JSON. */
static inline void put_letter(bipe_buffer *out, unsigned byte)
{
    unsigned code = byte <= 0x20                   ? 0x100 + byte
                    : byte >= 0x7F && byte <= 0xA0 ? 0x121 + (byte - 0x7Fu)
                    : byte == 0xAD                 ? 0x143
                                                   : byte;
    if (code == '"' || code == '\\')
        bipe_buffer_append(out, "\\", 1, NULL);
    if (code < 0x80)
        bipe_buffer_printf(out, NULL, "%c", (int)code);
    else
        bipe_buffer_printf(out, NULL, "%c%c", (int)(0xC0 | code >> 6), (int)(0x80 | (code & 63)));
}

/* Appends what stands before the model in a tokenizer.json; its value and a brace make it whole. */
static inline void put_steps(test_bytes *b, const char *normalizer, const char *pretokenizer)
{
    put_json(b, "{'normalizer':");
    put_json(b, normalizer);
    put_json(b, ",'pre_tokenizer':");
    put_json(b, pretokenizer);
    put_json(b, ",'model':");
}

#endif
