/* test_attention.c - attention on every kind of kernels that this machine has, against its twin in double: pruned or
 * not, with biases, windows and caps, in pieces; what must give the same digits; what a NaN does. */
#include "nn/attention.h"
#include "nn/micro.h"
#include "nn/plain.h"
#include "tests/check.h"

static uint64_t state = 88172645463325252u;

static float uniform(void)
{
    return (float)((double)(test_random(&state) >> 11) * 0x1p-52 - 1);
}

static void *memory(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    if (p == NULL)
        abort();
    memset(p, 0xFF, (size + 63) / 64 * 64); /* NaN: nothing may be read before it is written */
    return p;
}

static float *values(size_t count, float scale)
{
    float *v = memory((count + 1) * sizeof *v);
    for (size_t i = 0; i < count; i++)
        v[i] = uniform() * scale;
    return v;
}

/* A window: queries of `heads` heads that share a key head. */
typedef struct window {
    size_t length, d, heads;
    float *q, *k, *v; /* (L, heads * D), (L, D), (L, D), each with a gap after its rows */
    size_t ldq, ldk;
    uint32_t *token, *segment, *intra;
    float table[60];
} window;

static window window_of(size_t length, size_t d, size_t heads, float scale)
{
    window w = {.length = length, .d = d, .heads = heads, .ldq = heads * d + 3, .ldk = d + 5};
    w.q = values(length * w.ldq, scale);
    w.k = values(length * w.ldk, scale);
    w.v = values(length * w.ldk, 1);
    w.token = memory(length * 4);
    w.segment = memory(length * 4);
    w.intra = memory(length * 4);
    for (uint32_t i = 0, segment = 0, intra = 0; i < length; i++) {
        w.token[i] = i;
        w.segment[i] = segment;
        w.intra[i] = intra++;
        if (test_random(&state) % 11 == 0)
            segment++, intra = 0;
    }
    for (size_t i = 0; i < 60; i++)
        w.table[i] = uniform() * 2;
    return w;
}

/* Where each takes long, windows are half as long. */
static size_t test_length(size_t length)
{
    return test_all_rounds() ? length : (length + 1) / 2;
}

static void window_free(window *w)
{
    free(w->q), free(w->k), free(w->v), free(w->token), free(w->segment), free(w->intra);
}

static const nn_cpu *cpu;
static nn_precision precision;

static nn_keys keys_of(const window *w, size_t length)
{
    nn_keys keys;
    nn_keys_open(&keys, cpu, precision, length, w->d, memory(nn_keys_size(cpu, precision, length, w->d)));
    nn_keys_pack(&keys, 0, length, w->k, w->ldk, w->v, w->ldk);
    return keys;
}

/* The same keys in pages, added a few at a time, while those of other keys lie between them. */
static nn_keys paged_keys_of(const window *w, size_t length, float **page)
{
    enum { OFFSET = 32 };
    size_t block = nn_key_block(cpu, precision), pages = (length + block - 1) / block,
           floats = nn_key_block_floats(cpu, precision, w->d);
    nn_keys keys;
    nn_keys_open(&keys, cpu, precision, length, w->d, NULL);
    for (size_t i = 0; i < pages; i++) {
        page[i] = memory((OFFSET + floats) * sizeof **page);
        memset(page[i], 0xFF, (OFFSET + floats) * sizeof **page); /* NaN */
    }
    keys.page = page;
    keys.offset = OFFSET;
    for (size_t at = 0, some; at < length; at += some) {
        some = 1 + at * at % 7 * 11;
        some = some < length - at ? some : length - at;
        nn_keys_add(&keys, at, some, w->k + at * w->ldk, w->ldk, w->v + at * w->ldk, w->ldk);
    }
    return keys;
}

/* out (L, heads * D) and lse (heads, L) of all queries, `piece` at a time. */
static float *run(const window *w, nn_attention *a, size_t length, size_t piece, float *lse, nn_attention_count *count)
{
    size_t wide = w->heads * w->d;
    float *out = memory(length * wide * sizeof *out), *scratch = memory(nn_attention_scratch(cpu, precision, w->d));
    for (size_t first = 0; first < length; first += piece) {
        size_t n = length - first < piece ? length - first : piece;
        nn_attention_run(a, first, n, w->q + first * w->ldq, w->ldq, out + first * wide, wide, lse, length, scratch,
                         count);
    }
    free(scratch);
    return out;
}

/* The largest difference between values, NaN if there is one. */
static double farthest(const float *got, const double *want, size_t ld, size_t rows, size_t columns)
{
    double worst = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            worst = test_worse(worst, fabs((double)got[i * ld + j] - want[i * columns + j]));
    return worst;
}

/* The same digits; OpenBLAS has kernels of their own for small products on some processors, so its digits depend on the
 * shape. */
static bool same(const float *x, const float *y, size_t count)
{
    bool close = strcmp(nn_cpu_name(cpu), "blas") == 0;
    for (size_t i = 0; i < count && close; i++)
        close = fabsf(x[i] - y[i]) <= 1e-5f;
    return close || memcmp(x, y, count * sizeof *x) == 0;
}

static void compare(const window *w, nn_attention *a, const char *what)
{
    size_t length = w->length, d = w->d, wide = w->heads * d;
    double *scores = memory(length * 8), *want = memory(length * d * 8), *want_lse = memory(length * 8);
    float *lse = memory(w->heads * length * 4);
    nn_keys keys = keys_of(w, length);
    a->keys = &keys;
    a->heads = w->heads;
    nn_attention_count count = {0, 0};
    float *out = run(w, a, length, length, lse, &count);
    CHECK(count.visited > 0);
    double tolerance = precision == NN_PRECISION_F32 ? 4e-6 : 3e-2;
    for (size_t h = 0; h < w->heads; h++) {
        nn_plain_attention(a, h, length, d, w->q + h * d, w->ldq, w->k, w->ldk, w->v, w->ldk, scores, want, want_lse);
        double error = farthest(out + h * d, want, wide, length, d),
               lse_error = farthest(lse + h * length, want_lse, 1, length, 1);
        CHECKF(error <= tolerance, "%s, %s, precision %d, L %zu, D %zu, head %zu: error %g", what, nn_cpu_name(cpu),
               precision, length, d, h, error);
        CHECKF(lse_error <= 4 * tolerance, "%s, %s, precision %d, L %zu, D %zu, head %zu: lse %g", what,
               nn_cpu_name(cpu), precision, length, d, h, lse_error);
    }
    /* in pieces, the same digits */
    float *piecewise = run(w, a, length, 37, lse, NULL);
    CHECKF(same(out, piecewise, length * wide), "%s, %s, precision %d, L %zu, D %zu: pieces differ", what,
           nn_cpu_name(cpu), precision, length, d);
    /* one at a time, the same digits */
    float *single = run(w, a, length, 1, lse, NULL);
    CHECKF(same(out, single, length * wide), "%s, %s, precision %d, L %zu, D %zu: single queries differ", what,
           nn_cpu_name(cpu), precision, length, d);
    free(single);
    /* keys that came in pieces, the same digits */
    float *page[64] = {NULL};
    nn_keys paged = paged_keys_of(w, length, page);
    a->keys = &paged;
    float *added = run(w, a, length, 37, lse, NULL);
    CHECKF(same(out, added, length * wide), "%s, %s, precision %d, L %zu, D %zu: added keys differ", what,
           nn_cpu_name(cpu), precision, length, d);
    for (size_t i = 0; i < 64; i++)
        free(page[i]);
    /* a window that ends earlier, the same digits */
    size_t shorter = length * 2 / 3;
    nn_keys fewer = keys_of(w, shorter);
    if (shorter > 0) {
        a->keys = &fewer;
        float *prefix = run(w, a, shorter, shorter, lse, NULL);
        CHECKF(same(out, prefix, shorter * wide), "%s, %s, precision %d, L %zu, D %zu: a prefix differs", what,
               nn_cpu_name(cpu), precision, length, d);
        free(prefix);
    }
    free(fewer.words), free(keys.words);
    free(scores), free(want), free(want_lse), free(lse), free(out), free(piecewise), free(added);
}

static void test_plain_scores(void)
{
    static const size_t shapes[][3] = {{1, 1, 1},    {7, 3, 2},     {60, 12, 1},  {129, 16, 3}, {300, 32, 1},
                                       {500, 64, 1}, {257, 128, 2}, {300, 80, 5}, {40, 144, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        window w = window_of(test_length(shapes[i][0]), shapes[i][1], shapes[i][2], 2);
        nn_attention a = {.scale = 1 / sqrtf((float)w.d)};
        compare(&w, &a, "plain");
        a.prune = true;
        compare(&w, &a, "plain, pruned");
        a.window = 100;
        compare(&w, &a, "window");
        a.window = 1;
        compare(&w, &a, "window of one");
        a.window = 0;
        a.cap = 0.7f;
        compare(&w, &a, "cap");
        const float sink[] = {2, -3, 40, -INFINITY, 0.5f};
        a.cap = 0;
        a.prune = false;
        a.sink = sink;
        compare(&w, &a, "sinks");
        a.window = 9;
        compare(&w, &a, "sinks and window");
        window_free(&w);
    }
}

static void test_biases(void)
{
    window w = window_of(test_length(450), 24, 2, 2);
    nn_bias bias[2][3];
    for (size_t h = 0; h < 2; h++) {
        bias[h][0] = (nn_bias){.index = w.segment, .ascending = true, .slope = h == 0 ? 0.3f : 0.01f};
        bias[h][1] = (nn_bias){.index = w.token, .ascending = true, .table = w.table + 10 * h, .table_size = 50};
        bias[h][2] = (nn_bias){.index = w.intra, .slope = 0.2f};
    }
    for (size_t biases = 1; biases <= 3; biases++)
        for (int prune = 0; prune < 2; prune++) {
            nn_bias flat[6];
            for (size_t h = 0; h < 2; h++)
                memcpy(flat + h * biases, bias[h], biases * sizeof *flat);
            nn_attention a = {.scale = 0.2f, .bias = flat, .biases = biases, .prune = prune != 0};
            compare(&w, &a, prune ? "biases, pruned" : "biases");
        }
    window_free(&w);
}

/* Pruning skips much of a long window with steep slopes, and changes next to nothing. */
static void test_pruning(void)
{
    window w = window_of(2000, 32, 1, 1);
    static const float slopes[] = {0.5f, 0.05f};
    for (size_t i = 0; i < 2; i++)
        for (int what = 0; what < 2; what++) {
            nn_bias bias = {.index = what == 0 ? w.token : w.segment, .ascending = true,
                            .slope = slopes[i] * (what == 0 ? 1 : 11)};
            nn_keys keys = keys_of(&w, w.length);
            nn_attention a = {.keys = &keys, .heads = 1, .scale = 0.18f, .bias = &bias, .biases = 1};
            nn_attention_count dense = {0, 0}, pruned = {0, 0};
            float *out = run(&w, &a, w.length, w.length, NULL, &dense);
            a.prune = true;
            float *less = run(&w, &a, w.length, w.length, NULL, &pruned);
            CHECK_UINT(dense.skipped, 0);
            CHECK_UINT(pruned.visited + pruned.skipped, dense.visited);
            CHECKF(pruned.visited < dense.visited * (i == 0 ? 3u : 7u) / 10, "%s: %lu of %lu blocks", nn_cpu_name(cpu),
                   (unsigned long)pruned.visited, (unsigned long)dense.visited);
            double worst = 0;
            for (size_t n = 0; n < w.length * w.d; n++)
                worst = test_worse(worst, fabs((double)out[n] - (double)less[n]));
            CHECKF(worst < 3e-7, "%s: pruning changes %g", nn_cpu_name(cpu), worst);
            free(out), free(less), free(keys.words);
        }
    window_free(&w);
}

/* 2^x as weights are made of scores: of many floats from -126.5 to 0, and at the edges. */
static void test_weights(void)
{
    enum { N = 64 };
    size_t lanes = cpu->f32->columns;
    float *s = memory(N * lanes * 4), *g = memory(N * lanes * 4), *x = memory(N * lanes * 4), *none = memory(lanes * 4);
    memset(none, 0, lanes * 4);
    double worst = 0;
    for (int round = 0; round < test_rounds(40); round++) {
        for (size_t i = 0; i < N * lanes; i++) {
            s[i] = x[i] = round % 2 == 0 ? uniform() * 63.25f - 63.25f : uniform() - 1;
            g[i] = 1;
        }
        cpu->lanes->differentiate(s, g, N, lanes, none, none);
        for (size_t i = 0; i < N * lanes; i++) {
            worst = test_worse(worst, fabs((double)s[i] / exp2((double)x[i]) - 1));
            CHECK(g[i] == s[i]);
        }
    }
    CHECKF(worst < 2.4e-7, "%s: relative error %g", nn_cpu_name(cpu), worst);
    static const float edges[] = {0, -0.0f, -1, -126, -126.51f, -1e30f, -INFINITY, NAN},
                       want[] = {1, 1, 0.5f, 0x1p-126f, 0, 0, 0, NAN};
    for (size_t i = 0; i < 8; i++) {
        for (size_t lane = 0; lane < lanes; lane++)
            s[lane] = edges[i], g[lane] = 1;
        cpu->lanes->differentiate(s, g, 1, lanes, none, none);
        for (size_t lane = 0; lane < lanes; lane++)
            CHECKF(isnan(want[i]) ? isnan(s[lane]) : s[lane] == want[i], "%s: 2^%g = %g", nn_cpu_name(cpu), edges[i],
                   s[lane]);
    }
    free(s), free(g), free(x), free(none);
}

/* A value that is no number reaches every later query and no earlier one, pruned or not. */
static void test_nan(void)
{
    for (int where = 0; where < 3; where++) {
        window w = window_of(600, 16, 1, 1);
        nn_bias bias = {.index = w.token, .ascending = true, .slope = 1};
        float *rows = where == 0 ? w.k : w.v;
        if (where == 2)
            w.q[100 * w.ldq + 3] = NAN;
        else
            rows[100 * w.ldk + 3] = NAN;
        nn_keys keys = keys_of(&w, w.length);
        nn_attention a = {.keys = &keys, .heads = 1, .scale = 0.25f, .bias = &bias, .biases = 1, .prune = true};
        float *out = run(&w, &a, w.length, w.length, NULL, NULL);
        for (size_t t = 0; t < w.length; t++) {
            bool bad = false;
            for (size_t c = 0; c < w.d; c++)
                bad |= isnan(out[t * w.d + c]);
            if (where == 2 ? t != 100 : t < 100 - 100 % nn_key_block(cpu, precision))
                CHECKF(!bad, "%s: NaN at %zu", nn_cpu_name(cpu), t);
            else if (t >= 100)
                CHECKF(bad, "%s: no NaN at %zu (%d)", nn_cpu_name(cpu), t, where);
        }
        free(out), free(keys.words);
        window_free(&w);
    }
}

/* ---- backward ---- */

/* What is differentiated: the sum of weight * out over all heads and queries. */
static double objective(const window *w, const nn_attention *a, const float *weight, double *scores, double *out)
{
    double sum = 0;
    for (size_t h = 0; h < w->heads; h++) {
        nn_plain_attention(a, h, w->length, w->d, w->q + h * w->d, w->ldq, w->k, w->ldk, w->v, w->ldk, scores, out,
                           NULL);
        for (size_t t = 0; t < w->length; t++)
            for (size_t c = 0; c < w->d; c++)
                sum += out[t * w->d + c] * (double)weight[(t * w->heads + h) * w->d + c];
    }
    return sum;
}

/* A few gradients of each kind against central differences of the twin. */
static void differentiate(const window *w, nn_attention *a, nn_bias *bias, const char *what)
{
    size_t length = w->length, d = w->d, wide = w->heads * d;
    double *scores = memory(length * 8), *plain = memory(length * d * 8);
    float *lse = memory(w->heads * length * 4), *weight = values(length * wide, 1), d_table[2][60] = {{0}};
    nn_keys keys = keys_of(w, length);
    a->keys = &keys;
    a->heads = w->heads;
    for (size_t i = 0; i < w->heads * a->biases; i++)
        bias[i].d_table = bias[i].table != NULL ? d_table[i / a->biases] : NULL;
    float *out = run(w, a, length, length, lse, NULL);
    float *dq = memory(length * w->ldq * 4), *dk = memory(length * w->ldk * 4), *dv = memory(length * w->ldk * 4);
    memset(dq, 0, length * w->ldq * 4);
    memset(dk, 0, length * w->ldk * 4);
    memset(dv, 0, length * w->ldk * 4);
    void *scratch = memory(nn_attention_backward_scratch(cpu, length, d));
    nn_attention_window rows = {.q = w->q, .ldq = w->ldq, .k = w->k, .ldk = w->ldk, .v = w->v, .ldv = w->ldk,
                                .out = out, .ldo = wide, .d_out = weight, .ld_out = wide, .lse = lse, .ldl = length,
                                .dq = dq, .ld_dq = w->ldq, .dk = dk, .ld_dk = w->ldk, .dv = dv, .ld_dv = w->ldk};
    nn_attention_backward(cpu, a, length, d, &rows, scratch);

    float *values_of[] = {w->q, w->k, w->v}, *gradients[] = {dq, dk, dv};
    size_t ld[] = {w->ldq, w->ldk, w->ldk}, width[] = {wide, d, d};
    for (int kind = 0; kind < 3; kind++)
        for (int round = 0; round < test_rounds(5); round++) {
            size_t t = round == 0   ? 0
                       : round == 1 ? length - 1
                                    : test_random(&state) % length,
                   c = test_random(&state) % width[kind];
            float *at = &values_of[kind][t * ld[kind] + c], before = *at, step = 1.0f / 256;
            *at = before + step;
            double difference = (double)*at, above = objective(w, a, weight, scores, plain);
            *at = before - step;
            difference -= (double)*at;
            double slope = (above - objective(w, a, weight, scores, plain)) / difference;
            *at = before;
            double got = (double)gradients[kind][t * ld[kind] + c];
            CHECKF(fabs(got - slope) <= 1e-4 + 2e-4 * fabs(slope), "%s, %s, L %zu, D %zu: d%c[%zu][%zu] = %g, want %g",
                   what, nn_cpu_name(cpu), length, d, "qkv"[kind], t, c, got, slope);
        }
    for (size_t h = 0; h < w->heads; h++)
        for (size_t b = 0; b < a->biases; b++)
            for (size_t i = 0; i < bias[h * a->biases + b].table_size; i += 16) {
                float *at = (float *)(uintptr_t)&bias[h * a->biases + b].table[i], before = *at, step = 1.0f / 256;
                *at = before + step;
                double difference = (double)*at, above = objective(w, a, weight, scores, plain);
                *at = before - step;
                difference -= (double)*at;
                double slope = (above - objective(w, a, weight, scores, plain)) / difference;
                *at = before;
                CHECKF(fabs((double)d_table[h][i] - slope) <= 2e-4 + 2e-4 * fabs(slope),
                       "%s, %s: table %zu[%zu] = %g, want %g", what, nn_cpu_name(cpu), h, i, (double)d_table[h][i],
                       slope);
            }
    /* again: the same digits */
    float *again = memory(length * w->ldq * 4);
    memset(again, 0, length * w->ldq * 4);
    rows.dq = again;
    nn_attention_backward(cpu, a, length, d, &rows, scratch);
    unsigned long differ = 0;
    for (size_t t = 0; t < length; t++)
        differ += memcmp(again + t * w->ldq, dq + t * w->ldq, wide * sizeof *dq) != 0;
    CHECK_UINT(differ, 0);
    free(scores), free(plain), free(lse), free(weight), free(out), free(dq), free(dk), free(dv), free(scratch),
        free(again), free(keys.words);
}

static void test_backward(void)
{
    static const size_t shapes[][3] = {{1, 1, 1}, {5, 3, 2}, {128, 12, 1}, {150, 20, 2}, {200, 64, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        window w = window_of(test_length(shapes[i][0]), shapes[i][1], shapes[i][2], 2);
        float tables[2][50];
        for (size_t n = 0; n < 50; n++)
            tables[0][n] = w.table[n], tables[1][n] = w.table[n + 10];
        nn_bias bias[4];
        for (size_t h = 0; h < 2; h++) {
            bias[2 * h] = (nn_bias){.index = w.segment, .slope = 0.1f};
            bias[2 * h + 1] = (nn_bias){.index = w.intra, .table = tables[h], .table_size = 50};
        }
        nn_attention a = {.scale = 1 / sqrtf((float)w.d)};
        differentiate(&w, &a, NULL, "plain");
        a.window = 60;
        a.cap = 0.9f;
        differentiate(&w, &a, NULL, "window and cap");
        a.window = 0;
        a.cap = i % 2 == 0 ? 0 : 2;
        a.bias = bias;
        a.biases = 2;
        differentiate(&w, &a, bias, "biases");
        window_free(&w);
    }
}

int main(void)
{
    for (size_t i = 0; i < nn_cpu_count(); i++)
        for (int p = 0; p < 2; p++) {
            cpu = nn_cpu_at(i);
            precision = p == 0 ? NN_PRECISION_F32 : NN_PRECISION_BF16;
            if (cpu == NULL)
                continue;
            test_plain_scores();
            test_biases();
            test_pruning();
            test_nan();
            if (precision == NN_PRECISION_F32) {
                test_weights();
                test_backward();
            }
        }
    return test_result();
}
