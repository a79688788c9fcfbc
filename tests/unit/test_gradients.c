/* test_gradients.c - gradients of every parameter, for every kind of scheme and every option, against finite
 * differences of the double-precision reference; losses against the evaluator's; and that neither depends on the
 * threads. */
#include <unistd.h>

#include "model/architecture.h"
#include "model/parameters.h"
#include "nn/cpu.h"
#include "tests/check.h"
#include "tests/reference/reference.h"
#include "tests/reference/tiny_model.h"
#include "train/long_weights.h"
#include "train/network.h"

static const char path[] = "test_gradients.tmp";
enum { ROWS = 3 };
static const size_t lengths[ROWS] = {33, 7, 21};

/* ---- the parameters as the reference has them ---- */

typedef struct tensor {
    char name[64];
    float *values;
    size_t count;
} tensor;

/* name: less ".weight"; layer: -1 for what stands outside of them */
static void put(tensor *list, size_t *count, float *values, size_t size, const char *name, int layer)
{
    if (values == NULL)
        return;
    tensor *t = &list[(*count)++];
    const char *ending = strstr(name, ".bias") == NULL ? ".weight" : "";
    if (layer < 0)
        snprintf(t->name, sizeof t->name, "%s%s", name, ending);
    else
        snprintf(t->name, sizeof t->name, "blk.%d.%s%s", layer, name, ending);
    t->values = values;
    t->count = size;
}

static size_t tensors_of(const reference_model *m, tensor list[64])
{
    size_t n = 0, c = m->hidden, wide = m->heads * m->head_size, narrow = m->kv_heads * m->head_size,
           f = m->feed_forward;
    put(list, &n, m->embedding, m->vocabulary * c, "token_embd", -1);
    put(list, &n, m->projection, m->vocabulary * c, "output", -1);
    put(list, &n, m->learned, m->learned_rows * c, "position_embd", -1);
    put(list, &n, m->t5_table, (size_t)m->t5 * m->heads, "relative_attention_bias", -1);
    put(list, &n, m->norm, c, "output_norm", -1);
    for (unsigned i = 0; i < m->layers; i++) {
        const reference_layer *l = &m->layer[i];
        put(list, &n, l->query, wide * c, "attn_q", (int)i);
        put(list, &n, l->key, narrow * c, "attn_k", (int)i);
        put(list, &n, l->value, narrow * c, "attn_v", (int)i);
        put(list, &n, l->output, wide * c, "attn_output", (int)i);
        put(list, &n, l->gate, f * c, "ffn_gate", (int)i);
        put(list, &n, l->up, f * c, "ffn_up", (int)i);
        put(list, &n, l->down, f * c, "ffn_down", (int)i);
        put(list, &n, l->norm1, c, "attn_norm", (int)i);
        put(list, &n, l->norm2, c, "ffn_norm", (int)i);
        put(list, &n, l->query_bias, wide, "attn_q.bias", (int)i);
        put(list, &n, l->key_bias, narrow, "attn_k.bias", (int)i);
        put(list, &n, l->value_bias, narrow, "attn_v.bias", (int)i);
        put(list, &n, l->output_bias, c, "attn_output.bias", (int)i);
        put(list, &n, l->gate_bias, f, "ffn_gate.bias", (int)i);
        put(list, &n, l->up_bias, f, "ffn_up.bias", (int)i);
        put(list, &n, l->down_bias, c, "ffn_down.bias", (int)i);
        put(list, &n, l->query_norm, m->head_size, "attn_q_norm", (int)i);
        put(list, &n, l->key_norm, m->head_size, "attn_k_norm", (int)i);
    }
    return n;
}

/* ---- dropout as network.h's bits would have it, written anew ---- */

typedef struct mask {
    double dropout;
    uint64_t draw;
} mask;

static uint64_t bits_after(uint64_t state, uint64_t steps)
{
    state += steps * UINT64_C(0x9E3779B97F4A7C15);
    state = (state ^ (state >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    state = (state ^ (state >> 27)) * UINT64_C(0x94D049BB133111EB);
    return state ^ (state >> 31);
}

static double keep(const void *context, unsigned site, size_t token, size_t channel)
{
    const mask *m = context;
    uint64_t start = bits_after(m->draw, 1) ^ ((uint64_t)site << 32 | token);
    uint64_t bits = bits_after(start, channel / 2 + 1), half = channel % 2 == 0 ? bits & 0xFFFFFFFF : bits >> 32;
    double chance = floor(m->dropout * 4294967296.0) / 4294967296.0;
    return (double)half < chance * 4294967296.0 ? 0 : 1 / (1 - chance);
}

/* ---- rows ---- */

typedef struct batch {
    tiny_window window[ROWS];
    uint8_t *target[ROWS];
    double *weight[ROWS], *brief[ROWS], *nll[ROWS]; /* of tokens, with most_weight; else NULL */
    bipe_train_row row[ROWS];
} batch;

static void make_batch(batch *b, unsigned vocabulary, uint64_t seed)
{
    uint64_t state = seed * 2 + 1;
    *b = (batch){0};
    for (size_t r = 0; r < ROWS; r++) {
        tiny_window *w = &b->window[r];
        tiny_window_make(w, lengths[r], vocabulary, 4, seed + r);
        b->target[r] = malloc(lengths[r]);
        if (b->target[r] == NULL)
            abort();
        for (size_t t = 0; t < lengths[r]; t++)
            b->target[r][t] = test_random(&state) % 3 != 0;
        b->row[r] = (bipe_train_row){.ids = w->ids, .index = w->index, .length = w->length,
                                     .target = b->target[r], .draw = 7 + r};
    }
}

static void free_batch(batch *b)
{
    for (size_t r = 0; r < ROWS; r++) {
        tiny_window_free(&b->window[r]);
        free(b->target[r]);
        free(b->weight[r]);
        free(b->brief[r]);
        free(b->nll[r]);
    }
}

/* The sum of the losses of all targets. */
static double reference_sum(reference_model *m, const char *scheme, const char *scaling, batch *b, double dropout)
{
    double sum = 0;
    for (size_t r = 0; r < ROWS; r++) {
        tiny_window *w = &b->window[r];
        mask one = {dropout, b->row[r].draw};
        m->keep = dropout > 0 ? keep : NULL;
        m->keep_context = &one;
        reference_losses(m, scheme, scaling, b->row[r].draw, w->ids, &w->index, w->length, w->expected);
        for (size_t t = 1; t < w->length; t++)
            sum += b->target[r][t] != 0 ? w->expected[t - 1] * (b->weight[r] != NULL ? b->weight[r][t] : 1) : 0;
    }
    m->keep = NULL;
    return sum;
}

static double *make_doubles(size_t count)
{
    double *made = calloc(count, sizeof *made);
    if (made == NULL)
        abort();
    return made;
}

/* Losses with a short context around those of the reference, none for every fifth token, and the weights that follow.
 * reference_sum() has been called. */
static void weigh_batch(batch *b, double most)
{
    uint64_t state = 77;
    for (size_t r = 0; r < ROWS; r++) {
        size_t length = lengths[r];
        b->weight[r] = make_doubles(length);
        b->brief[r] = make_doubles(length);
        b->nll[r] = make_doubles(length);
        for (size_t t = 1; t < length; t++) {
            double nll = b->window[r].expected[t - 1], more = (double)(test_random(&state) % 2000) / 1000 - 0.8;
            b->brief[r][t] = t % 5 == 0 ? (double)NAN : nll + more;
            b->weight[r][t] = t % 5 == 0 ? 1 : exp(more) < most ? exp(more) : most;
        }
        b->row[r].brief = b->brief[r];
        b->row[r].nll = b->nll[r];
    }
}

/* The losses of targets that a run gave, without their weights. */
static void check_nll(const batch *b)
{
    for (size_t r = 0; r < ROWS; r++)
        for (size_t t = 1; t < lengths[r]; t++)
            if (b->target[r][t] != 0)
                CHECK_NEAR(b->nll[r][t], b->window[r].expected[t - 1], 5e-6);
}

/* ---- the network ---- */

typedef struct opened {
    bipe_model *model, *copy;
    bipe_pool *pool;
    bipe_network *net;
    float *gradient;
    size_t count;
} opened;

static void open_network(opened *o, const reference_model *m, const char *scheme, const char *scaling,
                         const bipe_network_options *options, size_t threads)
{
    bipe_error err = {BIPE_OK, ""};
    tiny_write_gguf(m, path, "bipe", BIPE_F32, scheme, scaling);
    *o = (opened){0};
    CHECKF(bipe_model_open(&o->model, path, &err) == BIPE_OK, "%s", err.text);
    CHECKF(bipe_model_copy(&o->copy, o->model, &err) == BIPE_OK, "%s", err.text);
    CHECKF(bipe_pool_open(&o->pool, threads, &err) == BIPE_OK, "%s", err.text);
    CHECKF(bipe_network_open(&o->net, o->copy, options, o->pool, &err) == BIPE_OK, "%s", err.text);
    if (o->net == NULL)
        abort();
    bipe_model_values(o->copy, &o->count);
    o->gradient = calloc(o->count, sizeof *o->gradient);
    if (o->gradient == NULL)
        abort();
}

static void close_network(opened *o)
{
    bipe_network_close(o->net);
    bipe_pool_close(o->pool);
    bipe_model_close(o->copy);
    bipe_model_close(o->model);
    free(o->gradient);
    unlink(path);
}

static bipe_parameter parameter_of(const opened *o, const char *name)
{
    bipe_parameter p = {0};
    for (size_t i = 0; i < bipe_model_parameters(o->copy); i++) {
        bipe_model_parameter(o->copy, i, &p);
        if (strcmp(p.name, name) == 0)
            return p;
    }
    CHECKF(false, "no parameter is called %s", name);
    abort();
}

/* ---- comparing ---- */

/* Central differences. Steps are taken in f32, so that the reference sees them, and measured. */
static double difference(reference_model *m, const char *scheme, const char *scaling, batch *b, double dropout,
                         float *at, double *step)
{
    float was = *at;
    *at = was + 5e-5f;
    double above = reference_sum(m, scheme, scaling, b, dropout), high = (double)*at;
    *at = was - 5e-5f;
    double below = reference_sum(m, scheme, scaling, b, dropout);
    *step = high - (double)*at;
    *at = was;
    return above - below;
}

/* Each `stride`-th element of each parameter. The error is relative to the parameter's largest derivative. */
static void check_case(const reference_model *shape, const char *scheme, const char *scaling,
                       bipe_network_options options, size_t stride)
{
    const double weight = 0.125;
    reference_model m = *shape;
    tiny_make(&m, 21);
    batch b;
    make_batch(&b, m.vocabulary, 5);
    opened o;
    open_network(&o, &m, scheme, scaling, &options, 2);
    bipe_error err = {BIPE_OK, ""};
    double sum = NAN, want = reference_sum(&m, scheme, scaling, &b, options.dropout);
    if (options.most_weight > 0) {
        weigh_batch(&b, options.most_weight);
        want = reference_sum(&m, scheme, scaling, &b, options.dropout);
    }
    CHECKF(bipe_network_run(o.net, b.row, ROWS, weight, o.gradient, &sum, &err) == BIPE_OK, "%s", err.text);
    CHECKF(fabs(sum - want) <= 1e-6 * want, "%s %s: a loss of %.9g, want %.9g", scheme, scaling, sum, want);
    if (options.most_weight > 0)
        check_nll(&b);

    tensor list[64];
    size_t tensors = tensors_of(&m, list), all = 0;
    for (size_t i = 0; i < tensors; i++) {
        bipe_parameter p = parameter_of(&o, list[i].name);
        CHECK_UINT(p.rows * p.columns, list[i].count);
        all += list[i].count;
        double worst = 0, largest = 0;
        size_t worst_at = 0;
        for (size_t j = i % stride; j < list[i].count && !isnan(worst); j += stride) {
            double step, change = difference(&m, scheme, scaling, &b, options.dropout, &list[i].values[j], &step);
            double slope = change / step, error = fabs((double)o.gradient[p.offset + j] / weight - slope);
            if (!(error <= worst)) {
                worst = error;
                worst_at = j;
            }
        }
        for (size_t j = 0; j < list[i].count; j++)
            largest = test_worse(largest, fabs((double)o.gradient[p.offset + j]) / weight);
        CHECKF(worst <= 1e-5 * largest + 1e-9, "%s, scaling %s, %s: error %.3g of %.3g at %zu", scheme, scaling,
               list[i].name, worst, largest, worst_at);
        if (getenv("BIPE_TEST_VERBOSE") != NULL)
            printf("%-60s %-32s %.2e of %.2e\n", scheme, list[i].name, worst, largest);
    }
    CHECK_UINT(all, o.count);
    close_network(&o);
    free_batch(&b);
    tiny_free(&m);
}

static const struct { const char *scheme, *scaling; } cases[] = {
    {"none", "none"}, {"learned@token", "none"}, {"learned@segment", "none"}, {"learned@intra", "none"},
    {"sinusoidal@token", "none"}, {"sinusoidal@segment", "none"}, {"sinusoidal@intra", "none"}, {"rope@token", "none"},
    {"rope@segment", "none"}, {"rope@intra", "none"}, {"xpos@token", "none"}, {"xpos@segment", "none"},
    {"xpos@intra", "none"}, {"alibi@token", "none"}, {"alibi@segment*96", "none"}, {"alibi@intra", "none"},
    {"t5@token", "none"}, {"t5@segment", "none"}, {"t5@intra", "none"}, {"randomized-rope@token*4", "none"},
    {"randomized-rope@segment*4", "none"}, {"randomized-rope@intra*4", "none"}, {"learned@intra+rope@segment", "none"},
    {"learned@intra+alibi@segment*96", "none"}, {"sinusoidal@intra+xpos@segment", "none"},
    {"learned@token+sinusoidal@intra+rope@segment+alibi@token+t5@intra", "none"},
    {"alibi@segment+t5@token+t5@intra", "none"}, {"rope@token", "linear:4"}, {"rope@segment", "dynamic:4"},
    {"rope@token", "dynamic:2"}, {"rope@token", "yarn:8"}, {"xpos@token", "yarn:4:16"},
    {"rope@token", "yarn:4:12:attention_factor=1.5:beta_fast=6:beta_slow=0.25:truncate=false"},
    {"randomized-rope@token*4", "linear:2"},
    {"learned@intra2", "none"}, {"learned@segment2", "none"}, {"sinusoidal@segment3", "none"}, {"rope@intra2", "none"},
    {"rope@segment2", "none"}, {"xpos@segment2", "none"}, {"alibi@segment2*8", "none"}, {"alibi@intra2", "none"},
    {"t5@segment2", "none"}, {"t5@intra3", "none"}, {"randomized-rope@intra2*4", "none"},
    {"sinusoidal@intra2", "none"}, {"learned@intra+rope@intra2+alibi@segment2*4+t5@segment3", "none"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static const reference_model shapes[] = {
    {.vocabulary = 13, .hidden = 8, .layers = 2, .heads = 4, .kv_heads = 2, .head_size = 4, .feed_forward = 10,
     .train_length = 12, .learned_rows = 6, .t5 = 32, .eps = (double)1e-5f, .base = 100},
    {.vocabulary = 11, .hidden = 9, .layers = 1, .heads = 3, .kv_heads = 1, .head_size = 6, .feed_forward = 11,
     .train_length = 12, .learned_rows = 9, .t5 = 8, .tied = 1, .log_scale = 1, .eps = (double)1e-5f, .base = 100},
};

static bipe_network_options with(size_t rows, double dropout, bool recompute)
{
    return (bipe_network_options){.length = lengths[0], .rows = rows, .precision = BIPE_PRECISION_F32,
                                  .dropout = dropout, .recompute = recompute};
}

static void test_schemes(void)
{
    size_t each = test_all_rounds() ? 1 : 2, stride = test_all_rounds() ? 5 : 60;
    for (size_t i = 0; i < CASES; i += each) {
        check_case(&shapes[0], cases[i].scheme, cases[i].scaling, with(ROWS, 0, false), stride);
        check_case(&shapes[1], cases[i].scheme, cases[i].scaling, with(2, 0, i % 3 == 0), stride);
    }
}

static const char everything[] = "learned@intra+alibi@segment+t5@token+randomized-rope@token*4";

/* All elements. */
static void test_options(void)
{
    size_t stride = test_all_rounds() ? 1 : 60;
    check_case(&shapes[0], everything, "none", with(ROWS, 0, false), stride);
    check_case(&shapes[0], everything, "none", with(1, 0.25, false), stride);
    check_case(&shapes[1], everything, "none", with(ROWS, 0.25, true), stride);
    bipe_network_options parts = with(1, 0.25, false);
    parts.parts = 2;
    check_case(&shapes[0], everything, "none", parts, stride);
    parts.parts = ROWS + 1; /* one has no rows */
    check_case(&shapes[1], everything, "none", parts, stride);
    bipe_network_options weighed = with(2, 0, false);
    weighed.most_weight = 1.5;
    check_case(&shapes[0], everything, "none", weighed, stride);
    check_case(&shapes[1], "learned@intra+rope@segment", "none", weighed, stride);
}

/* Losses with a short context, against the reference on windows that are cut here. */
static void test_long_weights(void)
{
    const bipe_key_rule rule = {.context = 5, .step = 4};
    const char *scheme = "learned@intra+rope@segment+alibi@token";
    reference_model m = shapes[0];
    bipe_network_options options = with(2, 0, false);
    bipe_error err = {BIPE_OK, ""};
    bipe_long_weights *weights = NULL;
    batch b;
    opened o;
    tiny_make(&m, 21);
    make_batch(&b, m.vocabulary, 9);
    open_network(&o, &m, scheme, "none", &options, 2);
    CHECKF(bipe_long_weights_open(&weights, &rule, ROWS, lengths[0], 1, &err) == BIPE_OK, "%s", err.text);
    CHECKF(bipe_long_weights_find(weights, o.net, b.row, ROWS, &err) == BIPE_OK, "%s", err.text);
    for (size_t r = 0; r < ROWS; r++) {
        const tiny_window *w = &b.window[r];
        for (size_t t = 1; t < w->length; t++) {
            uint32_t segment[9], intra[9], n = 0, i = 0;
            double expected[9];
            size_t group = t < 5 ? 0 : (t - 5) / 4, start = 4 * group, count = t - start + 1;
            if (group == 0 || b.target[r][t] == 0) {
                CHECKF(isnan(b.row[r].brief[t]), "row %zu token %zu", r, t);
                continue;
            }
            for (size_t k = 0; k < count; k++, i++) {
                bool next = k > 0 && w->segment[start + k] != w->segment[start + k - 1];
                n += next;
                i = next ? 0 : i;
                segment[k] = n;
                intra[k] = i;
            }
            reference_losses(&m, scheme, "none", 0, w->ids + start, &(bipe_indices){{NULL, segment, intra}}, count,
                             expected);
            CHECK_NEAR(b.row[r].brief[t], expected[count - 2], 5e-6);
        }
    }
    bipe_long_weights_close(weights);
    close_network(&o);
    free_batch(&b);
    tiny_free(&m);
}

/* Gradients are the same bits for any number of threads, in parts or not; losses also for any number of rows at once or
 * of parts, and without gradients. */
static void test_same_digits(void)
{
    reference_model m = shapes[0];
    m.vocabulary = 300;
    m.hidden = 40;
    m.feed_forward = 150;
    tiny_make(&m, 4);
    batch b;
    make_batch(&b, m.vocabulary, 9);
    float *first = NULL;
    double first_sum = 0;
    for (size_t i = 0; i < 6; i++) {
        opened o;
        bipe_error err;
        double sum;
        size_t threads = i % 3 + 1;
        bipe_network_options options = with(ROWS, 0.1, threads == 2);
        options.parts = i / 3 * 2;
        open_network(&o, &m, everything, "none", &options, threads);
        CHECK(bipe_network_run(o.net, b.row, ROWS, 1, o.gradient, &sum, &err) == BIPE_OK);
        if (threads == 1) {
            free(first);
            first = malloc(o.count * sizeof *first);
            if (first == NULL)
                abort();
            memcpy(first, o.gradient, o.count * sizeof *first);
            first_sum = sum;
        }
        CHECK(sum == first_sum && memcmp(first, o.gradient, o.count * sizeof *first) == 0);
        close_network(&o);
    }
    free(first);
    for (size_t rows = 1; rows <= ROWS; rows++) {
        opened o;
        bipe_error err;
        double sum, alone;
        bipe_network_options options = with(rows, 0, false);
        options.parts = rows - 1;
        open_network(&o, &m, everything, "none", &options, 2);
        CHECK(bipe_network_run(o.net, b.row, ROWS, 1, o.gradient, &sum, &err) == BIPE_OK);
        CHECK(bipe_network_run(o.net, b.row, ROWS, 1, NULL, &alone, &err) == BIPE_OK);
        first_sum = rows == 1 ? sum : first_sum;
        /* OpenBLAS's digits depend on the number of rows on some processors */
        double tolerance = strcmp(nn_cpu_name(nn_cpu_best()), "blas") == 0 ? 1e-7 : 1e-12;
        CHECK(sum == alone && fabs(sum - first_sum) <= tolerance * first_sum);
        close_network(&o);
    }
    free_batch(&b);
    tiny_free(&m);
}

static double cosine_of(const float *a, const float *b, size_t count)
{
    double dot = 0, square[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        double x = (double)a[i], y = (double)b[i];
        dot += x * y;
        square[0] += x * x;
        square[1] += y * y;
    }
    return dot / sqrt(square[0] * square[1]);
}

/* Products of bfloat16: the gradient points where that of f32 does. Where scores are in the hundreds rounding
 * chooses some other keys, but gradients still agree. */
static void test_bf16(void)
{
    for (int large = 0; large < 2; large++) {
        reference_model m = shapes[0];
        m.hidden = 40;
        tiny_make(&m, 4);
        for (size_t i = 0; large && i < (size_t)m.heads * m.head_size * m.hidden; i++)
            m.layer[0].query[i] *= 300;
        batch b;
        make_batch(&b, m.vocabulary, 9);
        opened o[2];
        double sum[2];
        bipe_error err;
        for (int i = 0; i < 2; i++) {
            bipe_network_options options = with(ROWS, 0, false);
            options.precision = i == 0 ? BIPE_PRECISION_F32 : BIPE_PRECISION_BF16;
            open_network(&o[i], &m, everything, "none", &options, 2);
            CHECK(bipe_network_run(o[i].net, b.row, ROWS, 1, o[i].gradient, &sum[i], &err) == BIPE_OK);
        }
        double cosine = cosine_of(o[0].gradient, o[1].gradient, o[0].count);
        CHECKF(large || (fabs(sum[1] - sum[0]) < 0.01 * sum[0] && sum[1] != sum[0]), "%g, want %g", sum[1], sum[0]);
        CHECKF(cosine > (large ? 0.8 : 0.999), "cosine %g", cosine);
        close_network(&o[0]);
        close_network(&o[1]);
        free_batch(&b);
        tiny_free(&m);
    }
}

/* The losses of bipe-score, also after the parameters were changed. */
static void test_evaluator(void)
{
    reference_model m = shapes[1];
    tiny_make(&m, 8);
    batch b;
    make_batch(&b, m.vocabulary, 3);
    opened o;
    bipe_error err = {BIPE_OK, ""};
    bipe_network_options options = with(ROWS, 0.5, false);
    open_network(&o, &m, everything, "none", &options, 2);
    for (int round = 0; round < 2; round++) {
        double sum = NAN, want = 0;
        CHECK(bipe_network_run(o.net, b.row, ROWS, 1, NULL, &sum, &err) == BIPE_OK);
        for (size_t r = 0; r < ROWS; r++) {
            tiny_window *w = &b.window[r];
            bipe_evaluator *e = NULL;
            bipe_evaluator_options scoring = {.max_length = w->length, .seed = b.row[r].draw};
            bipe_window window = {
                .ids = w->ids, .index = w->index, .length = w->length, .nll = w->nll};
            CHECKF(bipe_evaluator_open(&e, o.copy, &scoring, o.pool, &err) == BIPE_OK, "%s", err.text);
            CHECKF(bipe_evaluator_run(e, &window, 1, &err) == BIPE_OK, "%s", err.text);
            bipe_evaluator_close(e);
            for (size_t t = 1; t < w->length; t++)
                want += b.target[r][t] != 0 ? w->nll[t - 1] : 0;
        }
        CHECKF(fabs(sum - want) <= 1e-6 * want, "%.9g, want %.9g", sum, want);
        size_t count;
        float *values = bipe_model_values(o.copy, &count);
        for (size_t i = 0; i < count; i++)
            values[i] *= 1.25f;
        bipe_network_weights_changed(o.net);
    }
    close_network(&o);
    free_batch(&b);
    tiny_free(&m);
}

/* Decoders that are not differentiated are refused by what they have. */
static void test_refused(void)
{
    static bipe_decoder d;
    const bipe_hyperparameters hyper = {.decoder = &d};
    char lacking[BIPE_LACKING_TEXT];
    d = bipe_decoder_plain;
    CHECK(bipe_decoder_trains(&hyper, lacking));
    d.roles |= BIPE_ROLE_BIT(BIPE_ROLE_KEY_BIAS);
    CHECK(!bipe_decoder_trains(&hyper, lacking));
    CHECK_TEXT(lacking, "some biases of 'blk.0.attn_q.bias' and its like, not all");
    d = bipe_decoder_plain;
    d.roles |= (uint64_t)1 << 63;
    CHECK(!bipe_decoder_trains(&hyper, lacking));
    CHECK_TEXT(lacking, "parameters of an unknown kind");
    d = bipe_decoder_plain;
    d.layer[1] = 128;
    CHECK(!bipe_decoder_trains(&hyper, lacking));
    CHECK_TEXT(lacking, "layers of an unknown kind");
}

static int asked;

static bool stop_from_second(void)
{
    return ++asked >= 2;
}

static bool stop_never(void)
{
    asked++;
    return false;
}

/* A run is left between rows, and only then. */
static void test_stop(void)
{
    reference_model m = shapes[0];
    tiny_make(&m, 8);
    batch b;
    make_batch(&b, m.vocabulary, 3);
    for (size_t parts = 0; parts <= 2; parts += 2)
        for (int stops = 0; stops < 2; stops++) {
            opened o;
            bipe_error err = {BIPE_OK, ""};
            double sum;
            bipe_network_options options = with(1, 0, false);
            options.parts = parts;
            options.stop = stops ? stop_from_second : stop_never;
            asked = 0;
            open_network(&o, &m, "none", "none", &options, 1);
            int status = bipe_network_run(o.net, b.row, ROWS, 1, o.gradient, &sum, &err);
            CHECK(status == (stops ? BIPE_STOPPED : BIPE_OK));
            if (parts == 0)
                CHECK_UINT(asked, stops ? 3 : ROWS + 1); /* before each row, and at the end */
            close_network(&o);
        }
    free_batch(&b);
    tiny_free(&m);
}

static void test_errors(void)
{
    reference_model m = shapes[0];
    tiny_make(&m, 8);
    batch b;
    make_batch(&b, m.vocabulary, 3);
    opened o;
    bipe_error err = {BIPE_OK, ""};
    bipe_network *net = NULL;
    bipe_network_options options = with(1, 0, false);
    open_network(&o, &m, "none", "none", &options, 1);
    CHECK(bipe_network_open(&net, o.model, &options, o.pool, &err) == BIPE_ERR_ARGUMENT && net == NULL);
    CHECK_TEXT(err.text, "the model is a file, expected one in memory");
    size_t memory = bipe_network_memory(o.copy, &options, 1);
    CHECK(memory > 10000 && memory < (size_t)1 << 31);
    options.dropout = 1;
    CHECK(bipe_network_open(&net, o.copy, &options, o.pool, &err) == BIPE_ERR_ARGUMENT && net == NULL);
    CHECK_TEXT(err.text, "a dropout of 1, expected 0 or more and less than 1");
    options = with(SIZE_MAX, 0, false);
    CHECK(bipe_network_open(&net, o.copy, &options, o.pool, &err) == BIPE_ERR_ARGUMENT && net == NULL);
    CHECK(bipe_network_memory(o.copy, &options, 1) == SIZE_MAX);
    double sum;
    b.window[1].ids[3] = m.vocabulary;
    CHECK(bipe_network_run(o.net, b.row, 2, 1, o.gradient, &sum, &err) == BIPE_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "row 1: token 3: id 13, expected less than 13");
    b.row[0].length = lengths[0] + 1;
    CHECK(bipe_network_run(o.net, b.row, 1, 1, o.gradient, &sum, &err) == BIPE_ERR_ARGUMENT);
    close_network(&o);
    free_batch(&b);
    tiny_free(&m);
}

/* What Qwen 2 and 3 and some Llamas have more: biases, and norms of heads. */
static void test_families(void)
{
    static const struct { int biases, head_norms; } families[] = {{1, 0}, {0, 1}, {1, 1}, {3, 0}, {7, 0}, {6, 1}};
    size_t stride = test_all_rounds() ? 1 : 7;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        reference_model m = shapes[(i + 1) % 2];
        m.biases = families[i].biases;
        m.head_norms = families[i].head_norms;
        check_case(&m, "rope@token", "none", with(ROWS, 0, false), stride);
        check_case(&m, everything, "none", with(2, 0.25, true), stride);
    }
}

int main(void)
{
    test_schemes();
    test_families();
    test_options();
    test_long_weights();
    test_same_digits();
    test_bf16();
    test_evaluator();
    test_refused();
    test_stop();
    test_errors();
    return test_result();
}
