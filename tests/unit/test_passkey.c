/* test_passkey.c - where the key is hidden, how long texts are, and the losses of keys against those of whole texts by
 * a float64 model, for several schemes and segmenters. */
#include <unistd.h>

#include "measure/resample.h"
#include "task/passkey.h"
#include "tests/check.h"
#include "tests/reference/tiny_model.h"

static const char path[] = "test_passkey.tmp";

static bipe_model *model;
static bipe_tokenizer *tokenizer;
static bipe_pool *pool;
static reference_model reference = {.vocabulary = 256, .hidden = 32, .layers = 1, .heads = 2, .kv_heads = 1,
                                    .head_size = 16, .feed_forward = 40, .train_length = 128, .eps = (double)1e-5f,
                                    .base = 10000};

static void test_text(void)
{
    bipe_buffer text = {0}, again = {0};
    bipe_error err;
    for (uint64_t trial = 0; trial < 20; trial++)
        for (size_t before = 0; before <= 30; before += 10) {
            CHECK(bipe_passkey_text(&text, 12345, 67890, 30, before, trial, &err) == BIPE_OK);
            CHECK(bipe_passkey_text(&again, 12345, 67890, 30, before, trial, &err) == BIPE_OK);
            CHECK(text.size == again.size && memcmp(text.data, again.data, text.size) == 0);
            CHECK(bipe_buffer_append(&text, "", 1, &err) == BIPE_OK);
            char *key = strstr((char *)text.data, "The pass key is 12345. "),
                 *end = strstr((char *)text.data, "The pass key is 67890.");
            CHECK(key != NULL && end != NULL && strcmp(end, "The pass key is 67890.") == 0 &&
                  strstr(key + 1, "The pass key is 12345") == NULL);
            size_t sentences[2] = {0};
            char *start = strstr((char *)text.data, "\n\n");
            for (char *c = start; c != NULL && c < end; c++)
                sentences[c > key] += *c == '.';
            CHECK_UINT(sentences[0], before);
            CHECK_UINT(sentences[1], 30 - before + 2);
        }
    bipe_buffer_free(&text);
    bipe_buffer_free(&again);
}

/* The loss of a whole text by the model in double precision. */
static double text_loss(const bipe_passkey_trial *t, size_t choice, uint64_t trial, const char *scheme,
                        const char *segmenter, size_t *tokens)
{
    static double nll[2048];
    bipe_buffer text = {0};
    bipe_growing_text *growing;
    bipe_error err;
    double sum = 0;
    CHECK(bipe_passkey_text(&text, t->key[0], t->key[choice], t->filler, t->before, trial, &err) == BIPE_OK);
    CHECK(bipe_growing_text_open(&growing, tokenizer, segmenter, &err) == BIPE_OK);
    CHECK(bipe_growing_text_tokenize(growing, text.data, text.size, &err) == BIPE_OK);
    bipe_growing_view v = bipe_growing_text_view(growing);
    reference_losses(&reference, scheme, "none", 0, v.ids, &v.index, v.count, nll);
    for (size_t i = 0; i + 1 < v.count; i++)
        sum += nll[i];
    *tokens = v.count;
    bipe_growing_text_close(growing);
    bipe_buffer_free(&text);
    return sum;
}

static void test_losses(const char *name, const char *segmenter)
{
    bipe_passkey *passkey;
    bipe_passkey_trial t, again;
    bipe_scheme scheme;
    bipe_error err = {0};
    CHECK(bipe_scheme_parse(&scheme, name, &err) == BIPE_OK);
    bipe_generator_options options = {.scheme = &scheme, .max_length = 700};
    CHECKF(bipe_passkey_open(&passkey, model, tokenizer, segmenter, &options, pool, &err) == BIPE_OK, "%s", err.text);
    for (uint64_t trial = 0; trial < 4; trial++) {
        double depth = (double)trial / 3, first = 0;
        bool right = true;
        size_t tokens, longest = 0;
        CHECKF(bipe_passkey_try(passkey, depth, trial, &t, &err) == BIPE_OK, "%s", err.text);
        for (size_t i = 0; i < BIPE_PASSKEY_CHOICES; i++) {
            double loss = text_loss(&t, i, trial, name, segmenter, &tokens);
            longest = tokens > longest ? tokens : longest;
            first = i == 0 ? loss : first;
            right = right && (i == 0 || first < loss);
            CHECK_NEAR(t.nll[i] - t.nll[0], loss - first, 2e-4);
            CHECK(t.key[i] >= 10000 && t.key[i] <= 99999);
            for (size_t k = 0; k < i; k++)
                CHECK(t.key[k] != t.key[i]);
        }
        CHECK(t.right == right && t.tokens == longest);
        CHECKF(longest <= 700 && longest > 700 - 40, "%zu tokens", longest); /* another sentence has no place */
        CHECK_UINT(t.before, (uint64_t)round(depth * (double)t.filler));
        CHECK(bipe_passkey_try(passkey, depth, trial, &again, &err) == BIPE_OK);
        CHECK(memcmp(t.nll, again.nll, sizeof t.nll) == 0 && t.filler == again.filler);
    }
    bipe_passkey_close(passkey);
    options.max_length = 200;
    CHECK(bipe_passkey_open(&passkey, model, tokenizer, segmenter, &options, pool, &err) == BIPE_OK);
    CHECK(bipe_passkey_try(passkey, 0, 0, &t, &err) == BIPE_ERR_ARGUMENT); /* the words around the key alone have more
                                                                              bytes */
    bipe_passkey_close(passkey);
}

/* Wilson's interval, as Newcombe (Statistics in Medicine 17, 1998, table I) gives it. */
static void test_interval(void)
{
    static const struct {
        uint64_t right, count;
        double low, high;
    } row[] = {{81, 263, 0.2553, 0.3662},
               {15, 148, 0.0624, 0.1605},
               {0, 20, 0.0000, 0.1611},
               {1, 29, 0.0061, 0.1718},
               {20, 20, 0.8389, 1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double low, high;
        bipe_share_interval((double)row[i].right, (double)row[i].count, &low, &high);
        CHECK_NEAR(low, row[i].low, 5.1e-5);
        CHECK_NEAR(high, row[i].high, 5.1e-5);
    }
}

int main(void)
{
    bipe_error err = {0};
    test_text();
    test_interval();
    tiny_make(&reference, 3);
    tiny_write_gguf(&reference, path, "bipe", BIPE_F32, "rope", "none");
    CHECKF(bipe_model_open(&model, path, &err) == BIPE_OK, "%s", err.text);
    CHECK(bipe_tokenizer_open(&tokenizer, "byte", false, &err) == BIPE_OK);
    CHECK(bipe_pool_open(&pool, 2, &err) == BIPE_OK);
    if (test_failures == 0) {
        test_losses("rope@token", "stop");
        test_losses("rope@intra+alibi@segment*96", "sentence");
        test_losses("alibi@token", "none");
        test_losses("sinusoidal@intra+alibi@segment", "regex:[.] |\\n");
    }
    bipe_pool_close(pool);
    bipe_tokenizer_close(tokenizer);
    bipe_model_close(model);
    tiny_free(&reference);
    unlink(path);
    return test_result();
}
