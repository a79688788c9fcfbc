/* test_evaluator.c - losses of every kind of scheme against the double-precision reference, and that they depend on the
 * window alone: not on threads, on neighbours, or on where losses are wanted from. */
#include <unistd.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "model/evaluator.h"
#include "model/parameters.h"
#include "nn/cpu.h"
#include "tests/check.h"
#include "tests/models.h"
#include "tests/reference/reference.h"
#include "tests/reference/tiny_model.h"
#include "tests/scheme_cases.h"

static const char path[] = "test_evaluator.tmp";

/* Losses are wanted from token `first` on; where that is odd, of each third. */
static bool is_wanted(size_t first, size_t token)
{
    return token >= first && (first % 2 == 0 || token % 3 == 0);
}

/* The losses wanted into w->nll, NaN elsewhere. first 0: no mask. */
static void score(bipe_model *model, const char *scheme, const char *scaling, bipe_precision precision, bipe_pool *pool,
                  tiny_window *w, size_t count, size_t first, size_t max_length)
{
    bipe_scheme s;
    bipe_rope_scaling r;
    bipe_error err = {BIPE_OK, ""};
    bipe_evaluator *e = NULL;
    CHECKF(bipe_scheme_parse(&s, scheme, &err) == BIPE_OK, "%s", err.text);
    CHECKF(bipe_rope_scaling_parse(&r, scaling, &err) == BIPE_OK, "%s", err.text);
    bipe_evaluator_options options = {
        .scheme = &s, .rope_scaling = &r, .precision = precision, .max_length = max_length, .seed = 7};
    CHECKF(bipe_evaluator_open(&e, model, &options, pool, &err) == BIPE_OK, "%s: %s", scheme, err.text);
    static uint8_t mask[16][1024];
    bipe_window windows[16];
    for (size_t i = 0; i < count; i++) {
        memset(w[i].nll, 0xFF, w[i].length * sizeof *w[i].nll);
        windows[i] =
            (bipe_window){w[i].ids, w[i].index, w[i].length, first != 0 ? mask[i] : NULL, w[i].nll};
        for (size_t t = 0; t < w[i].length; t++)
            mask[i][t] = is_wanted(first, t);
    }
    CHECKF(bipe_evaluator_run(e, windows, count, &err) == BIPE_OK, "%s", err.text);
    bipe_evaluator_close(e);
}

static void expect(const reference_model *m, const char *scheme, const char *scaling, tiny_window *w)
{
    reference_losses(m, scheme, scaling, 7, w->ids, &w->index, w->length, w->expected);
}

static void compare(const char *what, const tiny_window *w)
{
    double worst = 0, sum = 0;
    for (size_t i = 0; i + 1 < w->length; i++) {
        worst = test_worse(worst, fabs(w->nll[i] - w->expected[i]));
        sum += w->nll[i] - w->expected[i];
    }
    double mean = sum / (double)(w->length - 1);
    CHECKF(worst <= 2e-4, "%s, %zu tokens: error of a token %g", what, w->length, worst);
    CHECKF(fabs(mean) <= 1e-5, "%s, %zu tokens: error of the mean %g", what, w->length, mean);
    if (getenv("BIPE_TEST_VERBOSE") != NULL)
        printf("%-60s %5zu  worst %.2e  mean %.2e\n", what, w->length, worst, mean);
}

/* Each case on each shape at two lengths, all but one beyond the training length; some need several tiles and
 * blocks of keys. Each is also different from the model without positions, so that agreement means something. */
static void test_schemes(void)
{
    static const size_t all_lengths[][2] = {{19, 300}, {100, 280}, {40, 130}};
    bipe_pool *pool = test_open_pool(2);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const size_t *lengths = all_lengths[s];
        reference_model m = shapes[s];
        tiny_make(&m, 11 + s);
        tiny_write_gguf(&m, path, "bipe", BIPE_F32, "none", "none");
        bipe_model *model = test_open_model(path);
        CHECK(bipe_model_hyperparameters(model)->log_scale == (m.log_scale != 0));
        CHECK(bipe_model_hyperparameters(model)->tied == (m.tied != 0));
        tiny_window w[2], plain;
        for (size_t l = 0; l < 2; l++)
            tiny_window_make(&w[l], lengths[l], m.vocabulary, 9, 100 + l);
        tiny_window_make(&plain, lengths[1], m.vocabulary, 9, 101);
        expect(&m, "none", "none", &plain);
        /* Where all takes long, each case on one of the shapes. */
        for (size_t i = test_all_rounds() ? 0 : s; i < CASES;
             i += test_all_rounds() ? 1 : sizeof shapes / sizeof shapes[0]) {
            for (size_t l = 0; l < 2; l++) {
                char what[160];
                snprintf(what, sizeof what, "shape %zu, %s, scaling %s", s, cases[i].scheme, cases[i].scaling);
                expect(&m, cases[i].scheme, cases[i].scaling, &w[l]);
                score(model, cases[i].scheme, cases[i].scaling, BIPE_PRECISION_F32, pool, &w[l], 1, 0, lengths[l] + l);
                compare(what, &w[l]);
            }
            double apart = 0;
            for (size_t t = 0; t + 1 < lengths[1]; t++)
                apart = test_worse(apart, fabs(w[1].expected[t] - plain.expected[t]));
            CHECKF(i == 0 || m.log_scale || apart > 0.02, "%s is the same as no positions", cases[i].scheme);
        }
        for (size_t l = 0; l < 2; l++)
            tiny_window_free(&w[l]);
        tiny_window_free(&plain);
        bipe_model_close(model);
        tiny_free(&m);
    }
    bipe_pool_close(pool);
    unlink(path);
}

/* Types of weights, and interleaved rows of llama files. */
static void test_types(void)
{
    bipe_pool *pool = test_open_pool(2);
    for (int type = BIPE_F32; type <= BIPE_Q8_0; type++)
        for (int llama = 0; llama < 2; llama++) {
            reference_model m = {.vocabulary = 90, .hidden = 64, .layers = 2, .heads = 4, .kv_heads = 2,
                                 .head_size = 16, .feed_forward = 96, .train_length = 64,
                                 .learned_rows = llama ? 0 : 30, .eps = (double)1e-5f, .base = 10000};
            tiny_make(&m, 5);
            tiny_round(&m, (bipe_dtype)type);
            tiny_write_gguf(&m, path, llama ? "llama" : "bipe", (bipe_dtype)type, "learned@intra+rope@segment", "none");
            bipe_model *model = test_open_model(path);
            tiny_window w;
            tiny_window_make(&w, 130, m.vocabulary, 9, 3);
            char what[64], name[256];
            snprintf(what, sizeof what, "%s weights, %s", bipe_dtype_name((bipe_dtype)type),
                     llama ? "llama" : "native");
            const char *scheme = llama ? "rope@token" : "learned@intra+rope@segment";
            CHECK_TEXT(bipe_scheme_format(&bipe_model_hyperparameters(model)->scheme, name),
                       llama ? "rope" : "bipe-rope");
            CHECK_TEXT(bipe_model_hyperparameters(model)->format, llama ? "gguf-llama" : "native");
            expect(&m, scheme, "none", &w);
            score(model, scheme, "none", BIPE_PRECISION_F32, pool, &w, 1, 0, 130);
            compare(what, &w);
            bipe_model_close(model);
            tiny_window_free(&w);
            tiny_free(&m);
        }
    bipe_pool_close(pool);
    unlink(path);
}

/* The digits of b where they are wanted, and nothing written elsewhere. */
static bool same_digits(const tiny_window *a, const double *b, size_t first)
{
    bool same = true;
    for (size_t t = 1; t < a->length; t++)
        same = same && (is_wanted(first, t) ? memcmp(&a->nll[t - 1], &b[t - 1], sizeof *b) == 0 : isnan(a->nll[t - 1]));
    return same;
}

/* Kernels that multiply bfloat16 round what goes into products: near the exact losses, but not the same. Other kernels
 * round nothing but weights. With weights that bfloat16 holds already, weights of either type give the same digits. */
static void test_bf16(void)
{
    reference_model m = shapes[0];
    tiny_make(&m, 3);
    tiny_round(&m, BIPE_BF16);
    tiny_window w;
    tiny_window_make(&w, 90, m.vocabulary, 9, 4);
    expect(&m, "rope@token", "none", &w);
    bipe_pool *pool = test_open_pool(1);
    double *before = malloc(w.length * sizeof *before);
    if (before == NULL)
        abort();
    for (int type = 0; type < 2; type++) {
        tiny_write_gguf(&m, path, "bipe", type == 0 ? BIPE_F32 : BIPE_BF16, "rope@token", "none");
        bipe_model *model = test_open_model(path);
        score(model, "rope@token", "none", BIPE_PRECISION_BF16, pool, &w, 1, 0, 90);
        double mean = 0, worst = 0;
        for (size_t i = 0; i + 1 < w.length; i++) {
            mean += fabs(w.nll[i] - w.expected[i]) / (double)(w.length - 1);
            worst = test_worse(worst, fabs(w.nll[i] - w.expected[i]));
        }
        CHECKF(strcmp(nn_cpu_name(nn_cpu_best()), "avx512bf16") == 0 ? mean < 0.05 && worst > 1e-4 : worst <= 2e-4,
               "mean %g, worst %g", mean, worst);
        if (type == 0)
            memcpy(before, w.nll, w.length * sizeof *before);
        else
            CHECK(same_digits(&w, before, 0));
        bipe_model_close(model);
    }
    free(before);
    bipe_pool_close(pool);
    tiny_window_free(&w);
    tiny_free(&m);
    unlink(path);
}

/* What a window gives alone it gives beside others: of any lengths, or with `scaling` by the window's length. */
static void check_same_digits(bipe_model *model, size_t vocabulary, const char *scaling)
{
    static const char scheme[] = "learned@intra+rope@token+alibi@segment*8+t5@intra";
    enum { COUNT = 12 };
    static const size_t lengths[COUNT] = {300, 300, 17, 513, 513, 513, 1, 40, 23, 2, 130, 1};
    tiny_window w[COUNT];
    double *alone[COUNT];
    bipe_pool *pool = test_open_pool(1);
    for (size_t i = 0; i < COUNT; i++) {
        tiny_window_make(&w[i], lengths[i], vocabulary, 5, 50 + i);
        score(model, scheme, scaling, BIPE_PRECISION_F32, pool, &w[i], 1, 0, lengths[i]);
        alone[i] = malloc(lengths[i] * sizeof *alone[i]);
        if (alone[i] == NULL)
            abort();
        memcpy(alone[i], w[i].nll, lengths[i] * sizeof *alone[i]);
    }
    bipe_pool_close(pool);
    for (size_t threads = 1; threads <= 3; threads++) {
        pool = test_open_pool(threads);
        score(model, scheme, scaling, BIPE_PRECISION_F32, pool, w, COUNT, 0, 600);
        for (size_t i = 0; i < COUNT; i++)
            CHECKF(same_digits(&w[i], alone[i], 0), "%s: window %zu, %zu threads", scaling, i, threads);
        static const size_t firsts[] = {2, 129, 256, 257, 258, 299, 300};
        for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++) {
            score(model, scheme, scaling, BIPE_PRECISION_F32, pool, w, 2, firsts[f], 600);
            for (size_t i = 0; i < 2; i++)
                CHECKF(same_digits(&w[i], alone[i], firsts[f]), "%s: window %zu from token %zu", scaling, i, firsts[f]);
        }
        bipe_pool_close(pool);
    }
    for (size_t i = 0; i < COUNT; i++) {
        tiny_window_free(&w[i]);
        free(alone[i]);
    }
}

static void test_same_digits(void)
{
    reference_model m = shapes[0];
    tiny_make(&m, 9);
    tiny_write_gguf(&m, path, "bipe", BIPE_F16, "none", "none");
    bipe_model *model = test_open_model(path);
    check_same_digits(model, m.vocabulary, "none");
    check_same_digits(model, m.vocabulary, "dynamic:2");
    bipe_model_close(model);
    tiny_free(&m);
    unlink(path);
}

/* Weights in blocks stay in their file and are widened for many rows at a time: the digits of their values in f32, for
 * windows of all lengths and any number of threads. */
static void test_widened(void)
{
    enum { COUNT = 6 };
    static const size_t lengths[COUNT] = {1024, 1024, 17, 17, 700, 1};
    reference_model m = {.vocabulary = 90, .hidden = 64, .layers = 2, .heads = 4, .kv_heads = 2, .head_size = 16,
                         .feed_forward = 96, .train_length = 64, .eps = (double)1e-5f, .base = 10000};
    tiny_make(&m, 5);
    tiny_round(&m, BIPE_Q8_0);
    tiny_window w[COUNT];
    double *plain[COUNT];
    for (int precision = 0; precision < 2; precision++) {
        for (int type = 0; type < 2; type++) {
            tiny_write_gguf(&m, path, "llama", type == 0 ? BIPE_F32 : BIPE_Q8_0, "rope", "none");
            bipe_model *model = test_open_model(path);
            for (size_t threads = 1; threads <= (type == 0 ? 1 : 3); threads++) {
                bipe_pool *pool = test_open_pool(threads);
                for (size_t i = 0; i < COUNT; i++)
                    tiny_window_make(&w[i], lengths[i], m.vocabulary, 5, 50 + i);
                score(model, "rope@token+alibi@segment", "none", (bipe_precision)precision, pool, w, COUNT, 0, 1024);
                for (size_t i = 0; i < COUNT; i++) {
                    if (type == 0) {
                        plain[i] = w[i].nll;
                        w[i].nll = NULL;
                    } else {
                        CHECKF(same_digits(&w[i], plain[i], 0), "window %zu, %zu threads, precision %d", i, threads,
                               precision);
                    }
                    tiny_window_free(&w[i]);
                }
                bipe_pool_close(pool);
            }
            bipe_model_close(model);
        }
        for (size_t i = 0; i < COUNT; i++)
            free(plain[i]);
    }
    tiny_free(&m);
    unlink(path);
}

/* Losses by the model's own scheme and scaling. Returns how many blocks of keys were left out. */
static uint64_t score_own(bipe_model *model, tiny_window *w, bool dense)
{
    bipe_error err = {BIPE_OK, ""};
    bipe_evaluator *e = NULL;
    bipe_pool *pool = test_open_pool(2);
    bipe_evaluator_options options = {.max_length = w->length, .dense = dense};
    bipe_window window = {w->ids, w->index, w->length, NULL, w->nll};
    CHECKF(bipe_evaluator_open(&e, model, &options, pool, &err) == BIPE_OK &&
               bipe_evaluator_run(e, &window, 1, &err) == BIPE_OK,
           "%s", err.text);
    uint64_t visited, skipped;
    bipe_evaluator_attention(e, &visited, &skipped);
    CHECK(visited > 0);
    bipe_evaluator_close(e);
    bipe_pool_close(pool);
    return skipped;
}

/* Keys that weigh nothing may be left out: losses with them and without agree to rounding, and with steep slopes most
 * are left out. */
static void test_pruned(void)
{
    static const struct { const char *scheme; bool skips; } schemes[] = {
        {"alibi@token", true}, {"learned@intra+alibi@segment*96", true}, {"alibi@token*4+t5@segment", true},
        {"rope@token", false}, {"alibi@intra", false}, {"learned@intra+alibi@segment2*256", true},
        {"alibi@segment3*640", true}, {"alibi@intra2*96", false}};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        reference_model m = {.vocabulary = 90, .hidden = 40, .layers = 2, .heads = 4, .kv_heads = 2, .head_size = 16,
                             .feed_forward = 96, .train_length = 64, .learned_rows = 20, .t5 = 32, .eps = (double)1e-5f,
                             .base = 500};
        tiny_make(&m, 40 + i);
        tiny_write_gguf(&m, path, "bipe", BIPE_F32, schemes[i].scheme, "none");
        bipe_model *model = test_open_model(path);
        tiny_window w;
        tiny_window_make(&w, 1000, m.vocabulary, 9, 3);
        double all[1000];
        CHECK_UINT(score_own(model, &w, true), 0);
        memcpy(all, w.nll, sizeof all);
        uint64_t skipped = score_own(model, &w, false);
        CHECKF((skipped > 0) == schemes[i].skips, "%s: %" PRIu64 " blocks left out", schemes[i].scheme, skipped);
        double worst = 0;
        for (size_t t = 0; t + 1 < w.length; t++)
            worst = test_worse(worst, fabs(w.nll[t] - all[t]));
        CHECKF(worst < 2e-5, "%s: %g", schemes[i].scheme, worst);
        bipe_model_close(model);
        tiny_window_free(&w);
        tiny_free(&m);
    }
    unlink(path);
}

/* What Llama 3 and Qwen have more: from each kind of file, and the same digits when written as a native file. */
static void test_families(void)
{
    static const char llama3[] =
        ",\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8,\"low_freq_factor\":1,\"high_freq_factor\":4,"
        "\"original_max_position_embeddings\":32}";
    static const struct { const char *format, *scaling, *extra; int biases, head_norms, factors; } families[] = {
        {"gguf-qwen2", "none", NULL, 1, 0, 0}, {"gguf-qwen3", "yarn:4:32", NULL, 0, 1, 0},
        {"gguf-llama", "none", NULL, 0, 0, 1}, {"safetensors", "none", "", 1, 0, 0},
        {"safetensors", "none", "", 0, 1, 0}, {"safetensors", "llama3:8:1:4:32", llama3, 0, 0, 0},
        {"native", "llama3:8:1:4:32", NULL, 1, 1, 0}, {"gguf-llama", "none", NULL, 7, 0, 1},
        {"gguf-llama", "none", NULL, 1, 0, 0}, {"safetensors", "none", "", 7, 0, 0},
        {"safetensors", "none", "", 3, 0, 0}, {"safetensors", "none", "", 4, 0, 0},
        {"safetensors", "none", "", 3, 1, 0}, {"native", "none", NULL, 6, 1, 0},
    };
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        reference_model m = {.vocabulary = 90, .hidden = 40, .layers = 2, .heads = 4, .kv_heads = 2, .head_size = 16,
                             .feed_forward = 96, .train_length = 64, .biases = families[i].biases,
                             .head_norms = families[i].head_norms, .factors = families[i].factors, .eps = (double)1e-5f,
                             .base = 500};
        const char *architecture = strncmp(families[i].format, "gguf-", 5) == 0 ? families[i].format + 5 : "bipe",
                   *from = path;
        tiny_make(&m, 20 + i);
        if (families[i].extra != NULL)
            tiny_write_folder(&m, from = "test_evaluator.dir", families[i].extra);
        else
            tiny_write_gguf(&m, path, architecture, BIPE_F32, "rope@token", families[i].scaling);
        tiny_window w;
        tiny_window_make(&w, 130, m.vocabulary, 9, 3);
        expect(&m, "rope@token", families[i].scaling, &w);
        bipe_model *model = NULL, *native = NULL, *copy = NULL;
        bipe_error err = {BIPE_OK, ""};
        bipe_gguf_writer *writer = NULL;
        CHECKF(bipe_model_open(&model, from, &err) == BIPE_OK, "%s", err.text);
        if (model == NULL)
            abort();
        CHECK_TEXT(bipe_model_hyperparameters(model)->format, families[i].format);
        score_own(model, &w, false);
        compare(families[i].format, &w);
        double digits[130];
        memcpy(digits, w.nll, sizeof digits);
        CHECKF(bipe_gguf_writer_open(&writer, &err) == BIPE_OK &&
                   bipe_model_write_gguf(model, bipe_mix_of(BIPE_F32), writer, &err) == BIPE_OK &&
                   bipe_gguf_write(writer, "test_evaluator.native", &err) == BIPE_OK,
               "%s", err.text);
        bipe_gguf_writer_close(writer);
        CHECKF(bipe_model_open(&native, "test_evaluator.native", &err) == BIPE_OK, "%s", err.text);
        CHECKF(bipe_model_copy(&copy, model, &err) == BIPE_OK, "%s", err.text);
        if (native == NULL || copy == NULL)
            abort();
        score_own(native, &w, false);
        CHECK(same_digits(&w, digits, 0));
        score_own(copy, &w, false);
        CHECK(same_digits(&w, digits, 0));
        bipe_model_close(model), bipe_model_close(native), bipe_model_close(copy);
        tiny_window_free(&w);
        tiny_free(&m);
    }
    unlink(path);
    unlink("test_evaluator.native");
    tiny_remove_folder("test_evaluator.dir");
}

static void test_refused(void)
{
    reference_model m = {.vocabulary = 20, .hidden = 15, .layers = 1, .heads = 3, .kv_heads = 3, .head_size = 5,
                         .feed_forward = 7, .train_length = 8, .eps = 0.5, .base = 100};
    tiny_make(&m, 1);
    tiny_write_gguf(&m, path, "bipe", BIPE_F32, "none", "none");
    bipe_model *model = test_open_model(path);
    bipe_pool *pool = test_open_pool(1);
    static const struct { const char *scheme, *scaling, *text; int status; size_t length; } bad[] = {
        {"learned@intra", NULL, "no table of position", BIPE_ERR_UNSUPPORTED, 9},
        {"t5", NULL, "no table for it", BIPE_ERR_UNSUPPORTED, 9},
        {"rope", NULL, "even number", BIPE_ERR_UNSUPPORTED, 9},
        {"alibi", "linear:2", "no rotation", BIPE_ERR_ARGUMENT, 9},
        {"none", NULL, "expected 1 to", BIPE_ERR_ARGUMENT, 0},
        {"none", NULL, "expected 1 to", BIPE_ERR_ARGUMENT, (size_t)1 << 40},
    };
    bipe_evaluator *e;
    bipe_error err;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bipe_scheme s;
        bipe_rope_scaling r;
        CHECK(bipe_scheme_parse(&s, bad[i].scheme, &err) == BIPE_OK);
        if (bad[i].scaling != NULL)
            CHECK(bipe_rope_scaling_parse(&r, bad[i].scaling, &err) == BIPE_OK);
        bipe_evaluator_options options = {.scheme = &s, .rope_scaling = bad[i].scaling != NULL ? &r : NULL,
                                          .max_length = bad[i].length};
        CHECK(bipe_evaluator_open(&e, model, &options, pool, &err) == bad[i].status && e == NULL);
        CHECKF(strstr(err.text, bad[i].text) != NULL, "%s", err.text);
    }
    bipe_evaluator_options options = {.max_length = 4};
    CHECK(bipe_evaluator_open(&e, model, &options, pool, &err) == BIPE_OK);
    uint32_t ids[5] = {0, 19, 20, 1, 2}, zero[5] = {0}, up[5] = {0, 1, 3, 3, 3};
    double nll[5];
    const struct { bipe_window window; const char *text; } wrong[] = {
        {{ids, {{NULL, zero, zero}}, 5, NULL, nll}, "5 tokens, expected 1 to 4"},
        {{ids, {{NULL, zero, zero}}, 0, NULL, nll}, "0 tokens"},
        {{ids, {{NULL, zero, zero}}, 3, NULL, nll}, "token 2: id 20, expected less than 20"},
        {{zero, {{NULL, up, zero}}, 3, NULL, nll}, "segment 3"},
        {{zero, {{NULL, zero, up}}, 3, NULL, nll}, "intra 3"},
        {{zero, {{NULL, zero, zero, NULL, up}}, 3, NULL, nll}, "intra2 3"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(bipe_evaluator_run(e, &wrong[i].window, 1, &err) == BIPE_ERR_ARGUMENT);
        CHECKF(strstr(err.text, wrong[i].text) != NULL, "%s", err.text);
    }
    bipe_evaluator_close(e);
    bipe_evaluator_close(NULL);
    bipe_scheme coarse;
    CHECK(bipe_scheme_parse(&coarse, "alibi@segment2", &err) == BIPE_OK);
    options.scheme = &coarse;
    const bipe_window two = {zero, {{NULL, zero, zero}}, 3, NULL, nll};
    CHECK(bipe_evaluator_open(&e, model, &options, pool, &err) == BIPE_OK);
    CHECK(bipe_evaluator_run(e, &two, 1, &err) == BIPE_ERR_ARGUMENT && strstr(err.text, "no segment2 index") != NULL);
    bipe_evaluator_close(e);

    /* numbers that are not finite come out as such, and end */
    bipe_model_close(model);
    for (size_t i = 0; i < m.hidden; i++)
        m.layer[0].query[i] = i % 2 == 0 ? NAN : INFINITY;
    tiny_write_gguf(&m, path, "bipe", BIPE_F32, "none", "none");
    model = test_open_model(path);
    tiny_window w;
    tiny_window_make(&w, 200, m.vocabulary, 9, 3);
    score(model, "alibi@token", "none", BIPE_PRECISION_F32, pool, &w, 1, 0, 200);
    CHECK(isnan(w.nll[5]));
    tiny_window_free(&w);
    bipe_model_close(model);
    bipe_pool_close(pool);
    tiny_free(&m);
    unlink(path);
}

/* Every allocation of opening a model and an evaluator fails once. */
static void test_memory(void)
{
    reference_model m = shapes[2];
    tiny_make(&m, 1);
    static const char *const schemes[] = {"sinusoidal@intra+xpos@token+alibi@token+t5@intra", "randomized-rope"};
    bipe_pool *pool = test_open_pool(2);
    for (size_t s = 0; s < 2; s++) {
        tiny_write_gguf(&m, path, "bipe", BIPE_F16, schemes[s], "none");
        for (long n = 0;; n++) {
            bipe_model *model = NULL;
            bipe_evaluator *e = NULL;
            bipe_error err = {BIPE_OK, ""};
            bipe_evaluator_options options = {.max_length = 64};
            bipe_alloc_fail_at(n);
            int status = bipe_model_open(&model, path, &err);
            if (status == BIPE_OK)
                status = bipe_evaluator_open(&e, model, &options, pool, &err);
            bipe_alloc_fail_at(-1);
            CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "%ld: %s", n, err.text);
            CHECK((status == BIPE_OK) == (e != NULL));
            bipe_evaluator_close(e);
            bipe_model_close(model);
            if (status != BIPE_ERR_MEMORY)
                break;
            CHECK(n < 1000);
        }
    }
    bipe_pool_close(pool);
    tiny_free(&m);
    unlink(path);
}

int main(void)
{
    test_schemes();
    test_types();
    test_bf16();
    test_same_digits();
    test_widened();
    test_families();
    test_pruned();
    test_refused();
    test_memory();
    return test_result();
}
