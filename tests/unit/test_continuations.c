/* test_continuations.c - what ends a continuation, what may be printed of it before it ends, and that others beside it
 * change nothing. */
#include <unistd.h>

#include "task/continuations.h"
#include "tests/check.h"
#include "tests/reference/tiny_model.h"
#include "text/utf8.h"

static const char path[] = "test_continuations.tmp";
enum { MOST = 60, TEXTS = 4 };

typedef struct text {
    uint8_t bytes[MOST];
    size_t size;
    bipe_finish finish;
} text;

static bipe_model *model;
static bipe_tokenizer *tokenizer;
static bipe_pool *pool;

static bool is_between_characters(const uint8_t *bytes, size_t size, size_t place)
{
    size_t at = 0, used = 1;
    int32_t code;
    while (at < place && used > 0)
        at += used = bipe_utf8_decode(bytes + at, size - at, &code);
    return at == place;
}

/* Goes on with `count` of the prompts from number `first` on. */
static void go_on(const bipe_continuations_options *options, size_t first, size_t count, text *out)
{
    static const char *const prompts[TEXTS] = {"one", "one", "Two. \n", "t"};
    bipe_continuations *all = NULL;
    bipe_growing_text *prompt = NULL;
    bipe_error err = {0};
    size_t going = count, ready[TEXTS] = {0};
    uint8_t seen[TEXTS][MOST] = {{0}};
    CHECKF(bipe_continuations_open(&all, model, tokenizer, "stop", options, pool, &err) == BIPE_OK, "%s", err.text);
    CHECK(bipe_growing_text_open(&prompt, tokenizer, "stop", &err) == BIPE_OK);
    CHECK(bipe_continuations_add(all, prompt, 0, &err) == BIPE_ERR_ARGUMENT); /* empty */
    for (size_t i = 0; i < count; i++) {
        const char *words = prompts[first + i];
        CHECK(bipe_growing_text_clear(prompt, &err) == BIPE_OK);
        CHECK(bipe_growing_text_tokenize(prompt, (const uint8_t *)words, strlen(words), &err) == BIPE_OK);
        CHECKF(bipe_continuations_add(all, prompt, first + i, &err) == BIPE_OK, "%s", err.text);
    }
    CHECK(bipe_continuations_memory(all) > 0);
    while (going > 0 && test_failures == 0) {
        CHECKF(bipe_continuations_step(all, &going, &err) == BIPE_OK, "%s", err.text);
        for (size_t i = 0; i < count; i++) {
            bipe_continuation c = bipe_continuations_at(all, i);
            CHECK(c.ready >= ready[i] && c.ready <= c.size);
            CHECK(memcmp(seen[i], c.bytes, ready[i]) == 0); /* what was printed stays */
            CHECK(c.finish != BIPE_FINISH_NONE || is_between_characters(c.bytes, c.size, c.ready));
            ready[i] = c.ready;
            memcpy(seen[i], c.bytes, c.ready);
            CHECK(c.finish == BIPE_FINISH_NONE || c.ready == c.size);
        }
    }
    for (size_t i = 0; i < count; i++) {
        bipe_continuation c = bipe_continuations_at(all, i);
        out[i].size = c.size;
        out[i].finish = c.finish;
        memcpy(out[i].bytes, c.bytes, c.size);
        CHECK(c.count <= MOST);
    }
    bipe_continuations_clear(all);
    bipe_growing_text_close(prompt);
    bipe_continuations_close(all);
}

static bool same(const text *a, const text *b, size_t size)
{
    return a->size == size && memcmp(a->bytes, b->bytes, size) == 0;
}

static void test_scheme(const char *name)
{
    text all[TEXTS], one;
    bipe_scheme scheme;
    bipe_error err = {0};
    CHECK(bipe_scheme_parse(&scheme, name, &err) == BIPE_OK);
    bipe_continuations_options options = {.model = {.scheme = &scheme},
                                          .sampling = {1.2, 0, 0.99, 0},
                                          .seed = 4,
                                          .most = MOST};
    go_on(&options, 0, TEXTS, all);
    CHECK(all[0].size == MOST && !same(&all[0], &all[1], MOST)); /* two samples */
    for (size_t i = 0; i < TEXTS; i++) {
        CHECK(all[i].finish == BIPE_FINISH_LENGTH);
        go_on(&options, i, 1, &one);
        CHECKF(same(&one, &all[i], all[i].size), "%s: text %zu alone", name, i);
        for (size_t at = 0; at + 3 < all[i].size; at += 7) { /* each part of it stops it where it comes first */
            char stop[4] = {0};
            memcpy(stop, all[i].bytes + at, 3);
            if (strlen(stop) != 3)
                continue;
            const char *stops[] = {"never there", stop};
            options.stop = stops;
            options.stop_count = 2;
            go_on(&options, i, 1, &one);
            options.stop_count = 0;
            size_t expected = 0;
            while (memcmp(all[i].bytes + expected, stop, 3) != 0)
                expected++;
            CHECKF(one.finish == BIPE_FINISH_STOP && same(&one, &all[i], expected), "%s: text %zu, stop at %zu", name,
                   i, at);
        }
    }
}

/* Keys and values take at least what their numbers take, in f32 or, on some processors, bfloat16; and at most 5 times
 * that, since some kernels fill up heads of 16. A second sample does not take the prompt's again. */
static void test_memory(void)
{
    enum { PROMPT = 3000, MORE = 2000, VALUES = 2 * 16 /* a key and a value, of one layer and one key head */ };
    static uint8_t words[PROMPT];
    memset(words, 'a', sizeof words);
    for (int precision = 0; precision < 2; precision++) {
        bipe_continuations *all = NULL;
        bipe_growing_text *prompt = NULL;
        bipe_error err = {0};
        const bipe_continuations_options options = {.model = {.precision = (bipe_precision)precision},
                                                    .sampling = {.top_p = 1},
                                                    .most = MORE};
        CHECK(bipe_continuations_open(&all, model, tokenizer, "stop", &options, pool, &err) == BIPE_OK);
        CHECK(bipe_growing_text_open(&prompt, tokenizer, "stop", &err) == BIPE_OK);
        CHECK(bipe_growing_text_tokenize(prompt, words, sizeof words, &err) == BIPE_OK);
        CHECK(bipe_continuations_memory(all) == 0);
        double least = VALUES * (precision == BIPE_PRECISION_F32 ? 4 : 2), most = VALUES * 4 * 5, one = 0;
        for (uint64_t sample = 0; sample < 2; sample++) {
            CHECK(bipe_continuations_add(all, prompt, sample, &err) == BIPE_OK);
            double bytes = bipe_continuations_memory(all) - one, tokens = sample == 0 ? PROMPT + MORE : MORE;
            CHECKF(bytes >= least * tokens && bytes <= most * tokens, "sample %llu: %g bytes for %g tokens",
                   (unsigned long long)sample, bytes, tokens);
            one = bytes;
        }
        bipe_growing_text_close(prompt);
        bipe_continuations_close(all);
    }
}

int main(void)
{
    reference_model m = {.vocabulary = 256, .hidden = 32, .layers = 1, .heads = 2, .kv_heads = 1, .head_size = 16,
                         .feed_forward = 40, .train_length = 16, .learned_rows = 16, .t5 = 32, .eps = (double)1e-5f,
                         .base = 10000};
    bipe_error err = {0};
    tiny_make(&m, 9);
    tiny_write_gguf(&m, path, "bipe", BIPE_F32, "bipe-rope", "none");
    CHECKF(bipe_model_open(&model, path, &err) == BIPE_OK, "%s", err.text);
    CHECK(bipe_tokenizer_open(&tokenizer, "byte", false, &err) == BIPE_OK && bipe_pool_open(&pool, 2, &err) == BIPE_OK);
    test_scheme("bipe-rope");
    test_scheme("bipe-alibi");
    test_memory();
    bipe_pool_close(pool);
    bipe_tokenizer_close(tokenizer);
    bipe_model_close(model);
    tiny_free(&m);
    unlink(path);
    return test_result();
}
