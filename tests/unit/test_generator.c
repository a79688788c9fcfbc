/* test_generator.c - sequences that grow: the same digits as scoring the whole text, for every scheme, however the text
 * is cut into pieces, beside other sequences, after forks and for any number of threads; and greedy decoding chooses
 * what the double-precision reference finds most probable. */
#include <unistd.h>

#include "base/alloc.h"
#include "model/generator.h"
#include "model/scheme.h"
#include "nn/micro.h"
#include "tests/check.h"
#include "tests/models.h"
#include "tests/reference/reference.h"
#include "tests/reference/tiny_model.h"
#include "tests/scheme_cases.h"

static const char path[] = "test_generator.tmp";

enum { SEED = 7 };

static bipe_generator *open_generator(bipe_model *model, const char *scheme, const char *scaling,
                                      bipe_precision precision, size_t length, bipe_pool *pool)
{
    bipe_scheme s;
    bipe_rope_scaling r;
    bipe_error err = {BIPE_OK, ""};
    bipe_generator *g = NULL;
    CHECK(bipe_scheme_parse(&s, scheme, &err) == BIPE_OK && bipe_rope_scaling_parse(&r, scaling, &err) == BIPE_OK);
    const bipe_generator_options options = {
        .scheme = &s, .rope_scaling = &r, .precision = precision, .max_length = length, .seed = SEED};
    CHECKF(bipe_generator_open(&g, model, &options, pool, &err) == BIPE_OK, "%s: %s", scheme, err.text);
    if (g == NULL)
        abort();
    return g;
}

/* Losses of the whole window at once, into w->expected. */
static void score(bipe_model *model, const char *scheme, const char *scaling, bipe_precision precision, bipe_pool *pool,
                  tiny_window *w)
{
    bipe_scheme s;
    bipe_rope_scaling r;
    bipe_error err = {BIPE_OK, ""};
    bipe_evaluator *e = NULL;
    CHECK(bipe_scheme_parse(&s, scheme, &err) == BIPE_OK && bipe_rope_scaling_parse(&r, scaling, &err) == BIPE_OK);
    const bipe_evaluator_options options = {
        .scheme = &s, .rope_scaling = &r, .precision = precision, .max_length = w->length, .seed = SEED};
    const bipe_window window = {w->ids, w->index, w->length, NULL, w->expected};
    CHECKF(bipe_evaluator_open(&e, model, &options, pool, &err) == BIPE_OK &&
               bipe_evaluator_run(e, &window, 1, &err) == BIPE_OK,
           "%s", err.text);
    bipe_evaluator_close(e);
}

static size_t add(bipe_generator *g)
{
    size_t s = 0;
    bipe_error err = {BIPE_OK, ""};
    CHECKF(bipe_generator_add(g, &s, &err) == BIPE_OK, "%s", err.text);
    return s;
}

static size_t fork_of(bipe_generator *g, size_t from)
{
    size_t s = 0;
    bipe_error err = {BIPE_OK, ""};
    CHECKF(bipe_generator_fork(g, from, &s, &err) == BIPE_OK, "%s", err.text);
    return s;
}

/* Tokens first .. first + count - 1 of a window; their losses go where the window has them. */
static bipe_piece piece_of(const tiny_window *w, size_t sequence, size_t first, size_t count)
{
    /* piece.nll[t] is the loss of token first + t, w->nll[t - 1] that of token t */
    static double beginning[2048];
    return (bipe_piece){.sequence = sequence, .ids = w->ids + first,
                        .index = bipe_indices_from(&w->index, first), .count = count,
                        .nll = first > 0 ? w->nll + first - 1 : beginning};
}

static void run(bipe_generator *g, const bipe_piece *pieces, size_t count)
{
    bipe_error err = {BIPE_OK, ""};
    CHECKF(bipe_generator_run(g, pieces, count, &err) == BIPE_OK, "%s", err.text);
}

/* Runs a piece whose losses belong to the window, the first token's as well where the piece is its beginning. */
static void run_one(bipe_generator *g, tiny_window *w, size_t sequence, size_t first, size_t count)
{
    if (first > 0) {
        run(g,
            &(bipe_piece){.sequence = sequence, .ids = w->ids + first,
                          .index = bipe_indices_from(&w->index, first), .count = count, .nll = w->nll + first - 1},
            1);
        return;
    }
    double *nll = malloc(count * sizeof *nll);
    if (nll == NULL)
        abort();
    nll[0] = 0.5;
    bipe_piece piece = piece_of(w, sequence, 0, count);
    piece.nll = nll;
    run(g, &piece, 1);
    CHECK(nll[0] == 0.5); /* it has none */
    memcpy(w->nll, nll + 1, (count - 1) * sizeof *nll);
    free(nll);
}

/* OpenBLAS has kernels of their own for small products on some processors, so its digits depend on the shape. */
static bool same(const tiny_window *w, size_t from)
{
    bool close = strcmp(nn_cpu_name(nn_cpu_best()), "blas") == 0;
    for (size_t i = from; i + 1 < w->length && close; i++)
        close = fabs(w->nll[i] - w->expected[i]) <= 1e-4;
    return close || memcmp(w->nll + from, w->expected + from, (w->length - 1 - from) * sizeof *w->nll) == 0;
}

/* Every scheme and precision: a window in pieces of one to many tokens has the digits of a window that is scored at
 * once. */
static void test_pieces(void)
{
    bipe_pool *pool = test_open_pool(2);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        reference_model m = shapes[s];
        tiny_make(&m, 11 + s);
        tiny_write_gguf(&m, path, "bipe", BIPE_F32, "none", "none");
        bipe_model *model = test_open_model(path);
        tiny_window w;
        tiny_window_make(&w, 290, m.vocabulary, 9, 100 + s);
        for (size_t i = s; i < CASES; i += sizeof shapes / sizeof shapes[0])
            for (int precision = 0; precision < 2; precision++) {
                score(model, cases[i].scheme, cases[i].scaling, (bipe_precision)precision, pool, &w);
                bipe_generator *g =
                    open_generator(model, cases[i].scheme, cases[i].scaling, (bipe_precision)precision, w.length, pool);
                size_t sequence = add(g), lengths[] = {100, 1, 1, 30, 1, 140, 1}, at = 0;
                memset(w.nll, 0xFF, w.length * sizeof *w.nll);
                for (size_t n = 0; at < w.length; n++) {
                    size_t count = n < 7 ? lengths[n] : 1;
                    run_one(g, &w, sequence, at, count);
                    at += count;
                }
                CHECKF(same(&w, 0), "shape %zu, %s, scaling %s, precision %d", s, cases[i].scheme, cases[i].scaling,
                       precision);
                bipe_generator_close(g);
            }
        bipe_model_close(model);
        tiny_window_free(&w);
        tiny_free(&m);
    }
    bipe_pool_close(pool);
    unlink(path);
}

/* Weights in blocks: the same where products widen them. Where they are multiplied as they are, losses near those of
 * scoring, and the same digits in whatever pieces. */
static void test_blocks(void)
{
    reference_model m = {.vocabulary = 90, .hidden = 64, .layers = 2, .heads = 4, .kv_heads = 2, .head_size = 16,
                         .feed_forward = 96, .train_length = 64, .eps = (double)1e-5f, .base = 10000};
    static const size_t lengths[] = {1, 3, 6, 30, 400, 1, 150};
    tiny_make(&m, 5);
    tiny_write_gguf(&m, path, "llama", BIPE_Q8_0, "rope", "none");
    bipe_model *model = test_open_model(path);
    bipe_pool *pool = test_open_pool(2);
    tiny_window w;
    tiny_window_make(&w, 600, m.vocabulary, 9, 100);
    for (int precision = 0; precision < 2; precision++) {
        score(model, "rope", "none", (bipe_precision)precision, pool, &w);
        bipe_generator *g = open_generator(model, "rope", "none", (bipe_precision)precision, w.length, pool);
        size_t sequence = add(g), at = 0;
        memset(w.nll, 0xFF, w.length * sizeof *w.nll);
        for (size_t n = 0; at < w.length; at += n < 7 ? lengths[n] : 1, n++)
            run_one(g, &w, sequence, at, n < 7 ? lengths[n] : 1);
        if (precision == BIPE_PRECISION_F32 && nn_cpu_best()->products != NULL) {
            for (size_t i = 0; i + 1 < w.length; i++)
                CHECK_NEAR(w.nll[i], w.expected[i], 1e-5);
            memcpy(w.expected, w.nll, (w.length - 1) * sizeof *w.nll);
            sequence = add(g);
            for (at = 0; at < w.length; at += 200)
                run_one(g, &w, sequence, at, 200);
        }
        CHECKF(same(&w, 0), "precision %d", precision);
        bipe_generator_close(g);
    }
    bipe_model_close(model);
    bipe_pool_close(pool);
    tiny_window_free(&w);
    tiny_free(&m);
    unlink(path);
}

/* ---- greedy decoding ---- */

enum { PROMPT = 40, TOTAL = 170 };

/* Goes on with the first PROMPT tokens of a window; every seventh id ends a segment. */
static void decode(bipe_generator *g, tiny_window *w, uint32_t vocabulary)
{
    float *logits = malloc(vocabulary * sizeof *logits);
    if (logits == NULL)
        abort();
    size_t sequence = add(g);
    w->segment[0] = w->intra[0] = 0;
    for (size_t t = 0; t < TOTAL; t++) {
        if (t > 0) {
            bool closed = w->ids[t - 1] % 7 == 0;
            w->segment[t] = w->segment[t - 1] + closed;
            w->intra[t] = closed ? 0 : w->intra[t - 1] + 1;
        }
        if (t + 1 < PROMPT)
            continue;
        size_t first = t + 1 == PROMPT ? 0 : t;
        run(g,
            &(bipe_piece){.sequence = sequence, .ids = w->ids + first,
                          .index = bipe_indices_from(&w->index, first), .count = t + 1 - first, .logits = logits},
            1);
        size_t best = 0;
        for (size_t i = 1; i < vocabulary; i++)
            best = logits[i] > logits[best] ? i : best;
        if (t + 1 < TOTAL)
            w->ids[t + 1] = (uint32_t)best;
    }
    free(logits);
}

/* In f32 the reference, in double, finds each id the most probable, or as good as: its logit is within 1e-4 of the
 * largest. In bf16, where weights and activations have 8 bits, within 0.1, and within 0.2 on coarser levels, where two
 * cases need it with the bfloat16 products of AVX-512; the reference has the exact weights. */
static void test_greedy(void)
{
    bipe_pool *pool = test_open_pool(2);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        reference_model m = shapes[s];
        tiny_make(&m, 21 + s);
        tiny_write_gguf(&m, path, "bipe", BIPE_F32, "none", "none");
        bipe_model *model = test_open_model(path);
        for (size_t i = s; i < CASES; i += sizeof shapes / sizeof shapes[0])
            for (int precision = 0; precision < 2; precision++) {
                tiny_window w;
                double gap[TOTAL], worst = 0;
                tiny_window_make(&w, TOTAL, m.vocabulary, 9, 200 + i);
                bipe_generator *g =
                    open_generator(model, cases[i].scheme, cases[i].scaling, (bipe_precision)precision, TOTAL, pool);
                decode(g, &w, m.vocabulary);
                bipe_generator_close(g);
                reference_gaps(&m, cases[i].scheme, cases[i].scaling, SEED, w.ids, &w.index, TOTAL, gap);
                for (size_t t = PROMPT - 1; t + 1 < TOTAL; t++)
                    worst = test_worse(worst, gap[t]);
                bipe_scheme scheme;
                CHECK(bipe_scheme_parse(&scheme, cases[i].scheme, NULL) == BIPE_OK);
                const double rounding = bipe_scheme_levels(&scheme) > 1 ? 0.2 : 0.1;
                CHECKF(worst <= (precision == BIPE_PRECISION_F32 ? 1e-4 : rounding),
                       "shape %zu, %s, scaling %s, precision %d: %g below the best", s, cases[i].scheme,
                       cases[i].scaling, precision, worst);
                tiny_window_free(&w);
            }
        bipe_model_close(model);
        tiny_free(&m);
    }
    bipe_pool_close(pool);
    unlink(path);
}

/* ---- several sequences ---- */

enum { WINDOWS = 5, SHARED = 133 };

/* Windows of several lengths that begin alike: from one prompt by forks, token by token together, and each alone. */
static void test_together(const char *scheme, bipe_precision precision, size_t threads)
{
    reference_model m = shapes[0];
    tiny_make(&m, 31);
    tiny_write_gguf(&m, path, "bipe", BIPE_F32, "none", "none");
    bipe_model *model = test_open_model(path);
    bipe_pool *pool = test_open_pool(threads);
    tiny_window w[WINDOWS];
    bipe_generator *g = open_generator(model, scheme, "none", precision, 400, pool);
    size_t sequence[WINDOWS], longest = 0, prompt = add(g);
    for (size_t i = 0; i < WINDOWS; i++) {
        tiny_window_make(&w[i], SHARED + 3 + 29 * i, m.vocabulary, 9, 5 + i);
        memcpy(w[i].ids, w[0].ids, SHARED * sizeof *w[i].ids);
        memcpy(w[i].segment, w[0].segment, SHARED * sizeof *w[i].segment);
        memcpy(w[i].intra, w[0].intra, SHARED * sizeof *w[i].intra);
        for (size_t t = SHARED; t < w[i].length; t++) {
            bool closed = w[i].ids[t] % 5 == 0;
            w[i].segment[t] = w[i].segment[t - 1] + closed;
            w[i].intra[t] = closed ? 0 : w[i].intra[t - 1] + 1;
        }
        score(model, scheme, "none", precision, pool, &w[i]);
        longest = w[i].length > longest ? w[i].length : longest;
    }
    run_one(g, &w[0], prompt, 0, SHARED);
    for (size_t i = 0; i < WINDOWS; i++)
        sequence[i] = fork_of(g, prompt);

    /* all endings at once, with the ids that are most probable */
    bipe_piece pieces[WINDOWS];
    uint32_t best[WINDOWS][400], alone[400];
    for (size_t i = 0; i < WINDOWS; i++) {
        pieces[i] = piece_of(&w[i], sequence[i], SHARED, w[i].length - SHARED);
        pieces[i].best = best[i];
    }
    run(g, pieces, WINDOWS);
    for (size_t i = 0; i < WINDOWS; i++) {
        CHECKF(same(&w[i], SHARED - 1), "%s, %zu threads: choice %zu", scheme, threads, i);
        bipe_generator_drop(g, sequence[i]);
    }

    /* a token of each at a time, while some have ended */
    for (size_t i = 0; i < WINDOWS; i++) {
        sequence[i] = fork_of(g, prompt);
        memset(w[i].nll, 0xFF, w[i].length * sizeof *w[i].nll);
    }
    for (size_t t = SHARED; t < longest; t++) {
        size_t count = 0;
        for (size_t i = WINDOWS; i-- > 0;)
            if (t < w[i].length)
                pieces[count++] = piece_of(&w[i], sequence[i], t, 1);
            else
                bipe_generator_drop(g, sequence[i]);
        run(g, pieces, count);
    }
    for (size_t i = 0; i < WINDOWS; i++)
        CHECKF(same(&w[i], SHARED - 1), "%s, %zu threads: token by token, %zu", scheme, threads, i);

    /* the prompt is as it was */
    size_t again = fork_of(g, prompt);
    bipe_generator_drop(g, prompt);
    memset(w[1].nll, 0xFF, w[1].length * sizeof *w[1].nll);
    bipe_piece rest = piece_of(&w[1], again, SHARED, w[1].length - SHARED);
    rest.best = alone;
    run(g, &rest, 1);
    CHECK(same(&w[1], SHARED - 1));
    CHECK(memcmp(alone, best[1], (w[1].length - SHARED) * sizeof *alone) == 0);
    uint64_t visited, skipped;
    bipe_generator_attention(g, &visited, &skipped);
    CHECKF((skipped > 0) == (strstr(scheme, "alibi@segment*96") != NULL), "%s: %llu blocks left out", scheme,
           (unsigned long long)skipped);
    bipe_generator_close(g);
    for (size_t i = 0; i < WINDOWS; i++)
        tiny_window_free(&w[i]);
    bipe_pool_close(pool);
    bipe_model_close(model);
    tiny_free(&m);
    unlink(path);
}

/* More tokens than a pass has rows, of two sequences; and `best` is where logits are largest. */
static void test_long(void)
{
    reference_model m = shapes[2];
    tiny_make(&m, 41);
    tiny_write_gguf(&m, path, "bipe", BIPE_F32, "none", "none");
    bipe_model *model = test_open_model(path);
    bipe_pool *pool = test_open_pool(2);
    tiny_window w[2];
    static uint32_t best[1200];
    float logits[2][100];
    bipe_generator *g = open_generator(model, "learned@intra+rope@segment", "none", BIPE_PRECISION_F32, 1200, pool);
    bipe_piece pieces[2];
    for (size_t i = 0; i < 2; i++) {
        tiny_window_make(&w[i], 700 + 400 * i, m.vocabulary, 9, 50 + i);
        score(model, "learned@intra+rope@segment", "none", 0, pool, &w[i]);
        size_t s = add(g);
        run_one(g, &w[i], s, 0, 1);
        pieces[i] = piece_of(&w[i], s, 1, w[i].length - 1);
        pieces[i].logits = logits[i];
    }
    pieces[1].best = best;
    run(g, pieces, 2);
    for (size_t i = 0; i < 2; i++) {
        CHECK(same(&w[i], 0));
        double most = -INFINITY, sum = 0;
        size_t wanted = 0;
        for (size_t n = 0; n < m.vocabulary; n++)
            most = fmax(most, (double)logits[i][n]);
        for (size_t n = 0; n < m.vocabulary; n++) {
            sum += exp((double)logits[i][n] - most);
            wanted = logits[i][n] > logits[i][wanted] ? n : wanted;
        }
        const uint32_t id = (uint32_t)wanted, segment = w[i].segment[w[i].length - 1], intra = 0;
        double nll;
        uint32_t top;
        run(g,
            &(bipe_piece){.sequence = pieces[i].sequence, .ids = &id, .index = {{NULL, &segment, &intra}}, .count = 1,
                          .nll = &nll, .best = &top},
            1);
        CHECK_UINT(top, wanted);
        CHECKF(fabs(nll - log(sum)) < 1e-5, "%g, %g", nll, log(sum));
        tiny_window_free(&w[i]);
    }
    for (size_t t = 0; t + 1 < 1100; t++)
        CHECK(best[t] < m.vocabulary);
    bipe_generator_close(g);
    bipe_pool_close(pool);
    bipe_model_close(model);
    tiny_free(&m);
    unlink(path);
}

static void test_refused(void)
{
    reference_model m = {.vocabulary = 20, .hidden = 16, .layers = 1, .heads = 2, .kv_heads = 1, .head_size = 8,
                         .feed_forward = 8, .train_length = 8, .eps = 0.5, .base = 100};
    tiny_make(&m, 1);
    tiny_write_gguf(&m, path, "bipe", BIPE_F32, "none", "none");
    bipe_model *model = test_open_model(path);
    bipe_pool *pool = test_open_pool(1);
    bipe_error err;
    bipe_generator *g;
    const bipe_generator_options none = {.max_length = 0};
    CHECK(bipe_generator_open(&g, model, &none, pool, &err) == BIPE_ERR_ARGUMENT && g == NULL);
    g = open_generator(model, "alibi@segment", "none", BIPE_PRECISION_F32, 4, pool);
    CHECK(bipe_generator_length_matters(g) == NULL);
    size_t s = add(g), dropped = add(g), other = 0;
    bipe_generator_drop(g, dropped);
    bipe_generator_drop(g, 99);
    CHECK(bipe_generator_fork(g, dropped, &other, &err) == BIPE_ERR_ARGUMENT);
    const uint32_t ids[5] = {0, 19, 20, 1, 2}, zero[5] = {0}, up[5] = {0, 1, 3, 3, 3}, down[2] = {0, 0}, one[1] = {1};
    run(g, &(bipe_piece){.sequence = s, .ids = ids, .index = {{NULL, zero, zero}}, .count = 1}, 1);
    const struct { bipe_piece piece; const char *text; } wrong[] = {
        {{.sequence = dropped, .ids = ids, .index = {{NULL, zero, zero}}, .count = 1}, "no sequence 1"},
        {{.sequence = s, .ids = ids, .index = {{NULL, zero, zero}}, .count = 4}, "4 tokens after 1"},
        {{.sequence = s, .ids = ids, .index = {{NULL, zero, zero}}, .count = 0}, "0 tokens"},
        {{.sequence = s, .ids = ids, .index = {{NULL, zero, zero}}, .count = 3},
         "token 3: id 20, expected less than 20"},
        {{.sequence = s, .ids = zero, .index = {{NULL, up + 2, zero}}, .count = 1}, "segment 3"},
        {{.sequence = s, .ids = zero, .index = {{NULL, zero, up + 2}}, .count = 1}, "intra 3"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(bipe_generator_run(g, &wrong[i].piece, 1, &err) == BIPE_ERR_ARGUMENT);
        CHECKF(strstr(err.text, wrong[i].text) != NULL, "%s", err.text);
    }
    const bipe_piece good = {.sequence = s, .ids = zero, .index = {{NULL, one, zero}}, .count = 1};
    const bipe_piece twice[2] = {good, good};
    CHECK(bipe_generator_run(g, twice, 2, &err) == BIPE_ERR_ARGUMENT && strstr(err.text, "both of sequence 0") != NULL);
    run(g, &good, 1);
    const bipe_piece back = {.sequence = s, .ids = zero, .index = {{NULL, down, zero}}, .count = 1};
    CHECK(bipe_generator_run(g, &back, 1, &err) == BIPE_ERR_ARGUMENT && strstr(err.text, "no less than 1") != NULL);
    bipe_generator_close(g);
    bipe_generator_close(NULL);
    g = open_generator(model, "rope@token", "dynamic:2", BIPE_PRECISION_F32, 4, pool);
    CHECK_TEXT(bipe_generator_length_matters(g), "dynamic rope scaling");
    bipe_generator_close(g);
    bipe_pool_close(pool);
    bipe_model_close(model);
    tiny_free(&m);
    unlink(path);
}

/* Every allocation fails once; a call that failed leaves sequences as they were. */
static void test_memory(void)
{
    reference_model m = shapes[2];
    tiny_make(&m, 1);
    tiny_write_gguf(&m, path, "bipe", BIPE_F32, "bipe-rope", "none");
    bipe_pool *pool = test_open_pool(2);
    tiny_window w;
    tiny_window_make(&w, 290, m.vocabulary, 9, 3);
    bipe_model *scored = test_open_model(path);
    score(scored, "bipe-rope", "none", 0, pool, &w);
    bipe_model_close(scored);
    for (long n = 0;; n++) {
        bipe_model *model = test_open_model(path);
        bipe_generator *g = NULL;
        bipe_error err = {BIPE_OK, ""};
        const bipe_generator_options options = {.max_length = 400};
        size_t a = 0, b = 0;
        bool forked = false;
        const bipe_piece first = piece_of(&w, 0, 0, 140), second = piece_of(&w, 1, 140, 150);
        bipe_alloc_fail_at(n);
        int status = bipe_generator_open(&g, model, &options, pool, &err);
        if (status == BIPE_OK)
            status = bipe_generator_add(g, &a, &err);
        if (status == BIPE_OK)
            status = bipe_generator_run(g, &first, 1, &err);
        if (status == BIPE_OK)
            status = bipe_generator_fork(g, a, &b, &err);
        if (status == BIPE_OK) {
            forked = true;
            status = bipe_generator_run(g, &second, 1, &err);
        }
        bipe_alloc_fail_at(-1);
        CHECKF(status == BIPE_OK || status == BIPE_ERR_MEMORY, "%ld: %s", n, err.text);
        if (status == BIPE_ERR_MEMORY && forked) {
            run(g, &second, 1);
            CHECK(same(&w, 139));
        }
        bipe_generator_close(g);
        bipe_model_close(model);
        if (status != BIPE_ERR_MEMORY)
            break;
        CHECK(n < 1000);
    }
    tiny_window_free(&w);
    bipe_pool_close(pool);
    tiny_free(&m);
    unlink(path);
}

int main(void)
{
    test_pieces();
    test_blocks();
    test_greedy();
    for (size_t threads = 1; threads <= 3; threads++) {
        test_together("learned@intra+rope@segment", BIPE_PRECISION_F32, threads);
        test_together("learned@intra+alibi@segment*96", BIPE_PRECISION_BF16, threads);
        test_together("t5@token", BIPE_PRECISION_BF16, threads);
    }
    test_long();
    test_refused();
    test_memory();
    return test_result();
}
