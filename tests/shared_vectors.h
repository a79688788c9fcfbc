/* shared_vectors.h - for tests with texts and ids of the original programs, which lie beside the project (BIPE_SHARED):
 * skipped without them. */
#ifndef BIPE_TESTS_SHARED_VECTORS_H
#define BIPE_TESTS_SHARED_VECTORS_H

#include "tests/tokenizers.h"

typedef struct shared_file {
    uint8_t *bytes; /* a NUL after them; freed by the caller */
    size_t size;
} shared_file;

static inline shared_file read_shared(const char *name)
{
    char path[8192];
    shared_file f = {0};
    snprintf(path, sizeof path, "%s/%s", test_shared(), name);
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        test_skip(path);
    size_t capacity = 1 << 22;
    f.bytes = malloc(capacity + 1);
    f.size = fread(f.bytes, 1, capacity, in);
    f.bytes[f.size] = '\0';
    fclose(in);
    return f;
}

static inline bipe_tokenizer *open_shared(const char *name, bool special)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", test_shared(), name);
    return must_open(path, special);
}

/* ids: numbers with spaces between them. */
static inline void check_ids(const bipe_tokens *tokens, const char *ids, const char *what)
{
    char *end = (char *)(uintptr_t)ids;
    size_t wrong = 0;
    for (size_t i = 0; i < tokens->count; i++)
        wrong += strtoull(end, &end, 10) != tokens->token[i].id;
    while (*end == ' ' || *end == '\n')
        end++;
    CHECKF(wrong == 0 && *end == '\0', "%s: %zu of %zu ids", what, wrong, tokens->count);
}

/* The ids stand for the text. */
static inline void check_decoded(const bipe_tokenizer *t, const bipe_tokens *tokens, const uint8_t *text, size_t size)
{
    bipe_buffer back = {0};
    decode_tokens(t, tokens, &back);
    CHECK(back.size == size && (size == 0 || memcmp(back.data, text, size) == 0));
    bipe_buffer_free(&back);
}

/* llama.cpp's vectors of this file: texts divided by a line of their own (.inp), a line of ids for each (.out). */
static inline void check_vectors(const bipe_tokenizer *t, const char *name)
{
    static const char divider[] = "\n__ggml_vocab_test__\n";
    char path[4096];
    snprintf(path, sizeof path, "tokenizers/%s.inp", name);
    shared_file in = read_shared(path);
    snprintf(path, sizeof path, "tokenizers/%s.out", name);
    shared_file out = read_shared(path);
    bipe_tokens tokens = {0};
    uint64_t random = 6;
    char *text = (char *)in.bytes, *ids = (char *)out.bytes;
    size_t count = 0;
    while (text != NULL && *ids != '\0') {
        char *end = strstr(text, divider), *line = strchr(ids, '\n');
        size_t size = end != NULL ? (size_t)(end - text) : strlen(text);
        if (line != NULL)
            *line = '\0';
        check_cuts(t, text, size, &random, false, &tokens);
        check_ids(&tokens, ids, text);
        check_decoded(t, &tokens, (const uint8_t *)text, size);
        text = end != NULL ? end + sizeof divider - 1 : NULL;
        ids = line != NULL ? line + 1 : ids + strlen(ids);
        count++;
    }
    CHECKF(count >= 40 && (text == NULL || *text == '\0') && *ids == '\0', "%zu vectors", count);
    bipe_tokens_free(&tokens);
    free(in.bytes);
    free(out.bytes);
}

#endif
