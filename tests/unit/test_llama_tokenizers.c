/* test_llama_tokenizers.c - Llama 2's vocabulary in its three forms against the ids of the original programs, which
 * lie beside the project. Skipped without them. */
#include <unistd.h>

#include "tests/shared_vectors.h"

static void test_excerpt(const bipe_tokenizer *t, const char *ids_name)
{
    shared_file text = read_shared("texts/excerpt.txt"), ids = read_shared(ids_name);
    bipe_tokens tokens = {0};
    uint64_t random = 5;
    CHECK_UINT(bipe_tokenizer_size(t), 32000);
    check_cuts(t, text.bytes, text.size, &random, false, &tokens);
    check_ids(&tokens, (const char *)ids.bytes, ids_name);
    check_decoded(t, &tokens, text.bytes, text.size);
    bipe_tokens_free(&tokens);
    free(text.bytes);
    free(ids.bytes);
}

static void test_text(const bipe_tokenizer *t, const char *text, const char *ids)
{
    bipe_tokens tokens = {0};
    uint64_t random = 7;
    check_cuts(t, text, strlen(text), &random, false, &tokens);
    check_ids(&tokens, ids, text);
    bipe_tokens_free(&tokens);
}

/* Bytes that are not UTF-8 and NULs: each becomes its own byte token (id 3 + byte) over its own byte. */
static void test_broken(const bipe_tokenizer *t)
{
    static const char text[] = "a\xFF\xE2\x82z\0\xF0\x9F";
    static const struct {
        uint32_t id;
        uint64_t start, end;
    } want[] = {{263, 0, 1}, {258, 1, 2}, {229, 2, 3}, {133, 3, 4}, {29920, 4, 5}, {3, 5, 6}, {243, 6, 7}, {162, 7, 8}};
    bipe_tokens tokens = {0};
    uint64_t random = 8;
    check_cuts(t, text, sizeof text - 1, &random, false, &tokens);
    CHECK_UINT(tokens.count, sizeof want / sizeof *want);
    for (size_t i = 0; i < tokens.count && i < sizeof want / sizeof *want; i++)
        CHECKF(tokens.token[i].id == want[i].id && tokens.token[i].start == want[i].start &&
                   tokens.token[i].end == want[i].end,
               "token %zu", i);
    check_decoded(t, &tokens, (const uint8_t *)text, sizeof text - 1);
    bipe_tokens_free(&tokens);
}

static void test_special(const char *name, const char *ids)
{
    bipe_tokenizer *t = open_shared(name, true);
    test_text(t, "<s>Hello</s> world<s>", ids);
    test_text(t, "", "");
    bipe_tokenizer_close(t);
}

/* Written into a GGUF file and read back: the same tokens for the same text. */
static void test_gguf(const bipe_tokenizer *t)
{
    char path[] = "/tmp/bipe-test-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    bipe_error err = {0};
    CHECKF(write_gguf(t, path, &err) == BIPE_OK, "%s", err.text);
    bipe_tokenizer *back = must_open(path, false);
    unlink(path);
    CHECK_UINT(bipe_tokenizer_size(back), bipe_tokenizer_size(t));
    CHECK(bipe_tokenizer_bos(back) == bipe_tokenizer_bos(t));
    CHECK(bipe_tokenizer_eos(back) == bipe_tokenizer_eos(t));
    shared_file text = read_shared("texts/excerpt.txt");
    bipe_tokens a = {0}, b = {0};
    CHECK(tokens_of(t, text.bytes, text.size, 0, NULL, &a, &err) == BIPE_OK);
    CHECK(tokens_of(back, text.bytes, text.size, 0, NULL, &b, &err) == BIPE_OK);
    CHECK(a.count > 1000 && same_tokens(&a, &b));
    for (uint32_t id = 0; id < bipe_tokenizer_size(t); id++) {
        uint8_t four[2][4];
        const uint8_t *bytes[2];
        size_t size[2];
        if (bipe_tokenizer_decode(t, id, id % 2, four[0], &bytes[0], &size[0], &err) != BIPE_OK ||
            bipe_tokenizer_decode(back, id, id % 2, four[1], &bytes[1], &size[1], &err) != BIPE_OK ||
            size[0] != size[1] || memcmp(bytes[0], bytes[1], size[0]) != 0)
            CHECKF(false, "id %" PRIu32 " decodes differently", id);
    }
    bipe_tokens_free(&a);
    bipe_tokens_free(&b);
    free(text.bytes);
    bipe_tokenizer_close(back);
}

int main(void)
{
    if (test_shared() == NULL)
        test_skip("no reference data");
    static const struct {
        const char *name, *ids,
            *special; /* the latter: what the original makes of "<s>Hello</s> world<s>" with special tokens */
        bool llama_cpp;                   /* its vectors hold */
        int64_t bos;
    } forms[] = {
        {"tokenizers/llama2.model", "tokenizers/llama2-spm.ids", "1 15043 2 29871 3186 1", true, 1},
        {"tokenizers/ggml-vocab-llama-spm.gguf", "tokenizers/llama2-spm.ids", "1 15043 2 29871 3186 1", true, 1},
        {"tokenizers/llama2.tokenizer.json", "tokenizers/llama2-hf.ids", "1 15043 2 259 11526 1", false, BIPE_NO_TOKEN},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        bipe_tokenizer *t = open_shared(forms[i].name, false);
        CHECK(bipe_tokenizer_bos(t) == forms[i].bos);
        test_excerpt(t, forms[i].ids);
        if (forms[i].llama_cpp)
            check_vectors(t, "ggml-vocab-llama-spm.gguf");
        test_text(t, "ied 4 \xC2\xBD months", "474 287 29871 29946 29871 30226 7378");
        test_text(t, "<s>", "529 29879 29958");
        test_broken(t);
        test_gguf(t);
        bipe_tokenizer_close(t);
        test_special(forms[i].name, forms[i].special);
    }
    return test_result();
}
