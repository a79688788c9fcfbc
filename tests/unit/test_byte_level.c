/* test_byte_level.c - byte-level vocabularies in GGUF files against llama.cpp's ids, which lie beside the project; that
 * they can be written and read again. Skipped without them. */
#define _XOPEN_SOURCE 700
#include <unistd.h>

#include "tests/scratch.h"
#include "tests/shared_vectors.h"
#include "token/pipeline/pipeline.h"

/* Falcon has no token for some bytes: a text that is UTF-8 is done without them, as its makers do, anything else is
 * refused. */
static void test_lost(const bipe_tokenizer *t)
{
    bipe_tokens tokens = {0};
    bipe_error err = {0};
    uint64_t random = 9;
    check_cuts(t, "a\003b\003", 4, &random, true, &tokens);
    CHECK_UINT(tokens.count, 2);
    CHECK(tokens_of(t, "abc x\xFF", 6, 0, NULL, &tokens, &err) == BIPE_ERR_UNSUPPORTED);
    CHECK_TEXT(err.text, "byte 5: 0xFF, which is not UTF-8, has no token, and there is no unknown one");
    bipe_tokens_free(&tokens);
}

/* Every byte is in a token, whatever it is. */
static void test_broken(const bipe_tokenizer *t)
{
    uint8_t text[3000];
    uint64_t random = 8;
    bipe_tokens tokens = {0};
    for (int round = 0; round < test_rounds(20); round++) {
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (uint8_t)(test_random(&random) >> 40);
        check_cuts(t, text, sizeof text, &random, false, &tokens);
        check_decoded(t, &tokens, text, sizeof text);
    }
    bipe_tokens_free(&tokens);
}

static void test_written(const bipe_tokenizer *t, const char *name)
{
    char scratch[4096];
    bipe_error err = {0};
    snprintf(scratch, sizeof scratch, "%s", scratch_path("written.gguf"));
    CHECKF(write_gguf(t, scratch, &err) == BIPE_OK, "%s", err.text);
    bipe_tokenizer *again = must_open(scratch, false);
    CHECK_UINT(bipe_tokenizer_size(again), bipe_tokenizer_size(t));
    CHECK(bipe_tokenizer_bos(again) == bipe_tokenizer_bos(t));
    CHECK(bipe_tokenizer_eos(again) == bipe_tokenizer_eos(t));
    check_vectors(again, name);
    bipe_tokenizer_close(again);
    unlink(scratch);
}

/* A book in chunks of any size gives what it gives in one. */
static void test_chunks(bipe_tokenizer *t)
{
    shared_file text = read_shared("texts/excerpt.txt");
    bipe_tokens whole = {0}, other = {0};
    bipe_error err = {0};
    bipe_pipeline *p = t->model;
    CHECK(p->safe->lines == (p->rule != NULL));
    CHECK(p->safe->pair['a'][' '] && p->safe->pair[BIPE_PAIR_LETTER]['\n']);
    CHECK(!p->safe->pair[' ']['a']);
    p->chunk = SIZE_MAX;
    CHECK(tokens_of(t, text.bytes, text.size, 0, NULL, &whole, &err) == BIPE_OK);
    check_spans(t, &whole, text.size, false);
    for (size_t chunk = 1; chunk < 100000; chunk = chunk * 13 + 1) {
        p->chunk = chunk;
        CHECK(tokens_of(t, text.bytes, text.size, 0, NULL, &other, &err) == BIPE_OK);
        CHECK(same_tokens(&whole, &other));
    }
    p->chunk = BIPE_PIPELINE_CHUNK;
    bipe_tokens_free(&whole);
    bipe_tokens_free(&other);
    free(text.bytes);
}

static void test_file(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "tokenizers/%s", name);
    bipe_tokenizer *t = open_shared(path, false);
    check_vectors(t, name);
    if (strcmp(name, "ggml-vocab-falcon.gguf") == 0)
        test_lost(t);
    else
        test_broken(t);
    test_chunks(t);
    test_written(t, name);
    bipe_tokenizer_close(t);
}

int main(void)
{
    if (test_shared() == NULL)
        test_skip("no reference data");
    test_file("ggml-vocab-gpt-2.gguf");
    test_file("ggml-vocab-falcon.gguf");
    return test_result();
}
