/* position_tables.c - a scheme made ready for a model: where spec.md's kinds become numbers. */
#include "model/position_tables.h"

#include <math.h>

#include "base/alloc.h"
#include "base/random.h"

/* The farthest position that randomized-rope draws from: keeps the draw short. */
enum { RANDOM_RANGE_LIMIT = 1 << 26 };

/* Gemma 4's files have 1e30 for the factors of pairs that are not rotated. */
#define UNROTATED 1e20f

static double pi(void)
{
    return 3.14159265358979323846;
}

/* ---- slopes and buckets ---- */

/* Slope of head h of `heads` (Press et al. 2022 and their code): 2^(-most (h + 1) / n) for n heads, n a power of two,
 * most 8; otherwise those of the power of two below, then every second one of the power above. */
static double slope_of(size_t h, size_t heads, double most)
{
    size_t below = 1;
    while (below * 2 <= heads)
        below *= 2;
    if (h < below)
        return exp2(-most * (double)(h + 1) / (double)below);
    return exp2(-most * (double)(2 * (h - below) + 1) / (double)(2 * below));
}

/* Bucket of a distance >= 0 (Raffel et al. 2020, one-directional): exact up to half of the buckets, then
 * logarithmic. */
size_t bipe_t5_bucket(size_t distance, size_t buckets)
{
    const size_t exact = buckets / 2;
    if (distance < exact)
        return distance;
    double far = log((double)distance / (double)exact) / log((double)(buckets * BIPE_T5_FARTHEST) / (double)exact);
    size_t bucket = exact + (size_t)(far * (double)(buckets - exact));
    return bucket < buckets ? bucket : buckets - 1;
}

static int add_bias(bipe_position_tables *p, const bipe_model *model, const bipe_position_term *term, bipe_error *err)
{
    bipe_bias_term *bias = &p->bias[p->biases++];
    *bias = (bipe_bias_term){.index = term->index};
    if (term->kind == BIPE_ALIBI) {
        bias->slope = bipe_alloc(p->heads, sizeof *bias->slope);
        if (bias->slope == NULL)
            return bipe_fail_memory(err);
        const double most = bipe_decoder_of(&model->hyper)->alibi_most;
        for (size_t h = 0; h < p->heads; h++)
            bias->slope[h] = (float)(slope_of(h, p->heads, most != 0 ? most : 8) * term->factor);
        return BIPE_OK;
    }
    const bipe_weight *learnt = bipe_model_weight(model, BIPE_ROLE_T5, 0);
    if (learnt->matrix.rows == 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: the scheme has t5, but the model has no table for it "
                         "(expected a tensor [%zu, heads])", model->path, p->buckets);
    bias->table = bipe_alloc(p->heads, p->distances * sizeof *bias->table);
    if (bias->table == NULL)
        return bipe_fail_memory(err);
    bipe_position_tables_set_t5(p, bipe_weight_floats(learnt));
    return BIPE_OK;
}

void bipe_position_tables_set_t5(bipe_position_tables *p, const float *learnt)
{
    for (size_t i = 0; i < p->biases; i++)
        for (size_t at = 0; p->bias[i].table != NULL && at < p->distances; at++) {
            const float *row = learnt + bipe_t5_bucket(at, p->buckets) * p->heads;
            for (size_t head = 0; head < p->heads; head++)
                p->bias[i].table[head * p->distances + at] = row[head];
        }
}

/* ---- frequencies ---- */

/* The pair that turns `turns` times within `tokens` tokens (Peng et al. 2023). */
static double pair_of_turns(double turns, double tokens, double dimensions, double base)
{
    return dimensions * log(tokens / (turns * 2 * pi())) / (2 * log(base));
}

/* Pairs that turn often within the original length are kept. */
static void scale_llama3(const bipe_rope_scaling *scaling, size_t half, double *frequency)
{
    for (size_t j = 0; j < half; j++) {
        double turns = (double)scaling->original * frequency[j] / (2 * pi());
        double kept = fmin(fmax((turns - scaling->low) / (scaling->high - scaling->low), 0), 1);
        frequency[j] = frequency[j] / scaling->factor * (1 - kept) + frequency[j] * kept;
    }
}

static void scale_yarn(const bipe_rope_scaling *scaling, double base, double train_length, size_t half,
                       double *frequency)
{
    bool usual = scaling->low == 0;
    double d = 2 * (double)half, tokens = scaling->original != 0 ? (double)scaling->original : train_length;
    double low = pair_of_turns(usual ? 32 : scaling->high, tokens, d, base),
           high = pair_of_turns(usual ? 1 : scaling->low, tokens, d, base);
    low = fmax(scaling->exact ? low : floor(low), 0);
    high = fmin(scaling->exact ? high : ceil(high), d - 1);
    if (low == high)
        high += 0.001;
    for (size_t j = 0; j < half; j++) {
        double slow = fmin(fmax(((double)j - low) / (high - low), 0), 1); /* 0: kept; 1: stretched */
        frequency[j] = frequency[j] * (1 - slow) + frequency[j] / scaling->factor * slow;
    }
}

void bipe_rope_frequencies(const bipe_rope_scaling *scaling, double base, double train_length, size_t head_size,
                           double *frequency)
{
    size_t half = head_size / 2;
    for (size_t j = 0; j < half; j++) {
        frequency[j] = pow(base, -2.0 * (double)j / (2 * (double)half));
        if (scaling->kind == BIPE_SCALING_LINEAR)
            frequency[j] /= scaling->factor;
    }
    if (scaling->kind == BIPE_SCALING_LLAMA3)
        scale_llama3(scaling, half, frequency);
    if (scaling->kind == BIPE_SCALING_YARN)
        scale_yarn(scaling, base, train_length, half, frequency);
}

/* The frequencies for windows of `length` tokens. */
static void fill_frequencies(bipe_position_tables *p, size_t length)
{
    double d = 2 * (double)p->half, base = p->base, factor = p->scaling.factor;
    if (p->scaling.kind == BIPE_SCALING_DYNAMIC && (double)length > p->train_length)
        base *= pow(factor * (double)length / p->train_length - (factor - 1), d / (d - 2));
    bipe_rope_frequencies(&p->scaling, base, p->train_length, 2 * p->half, p->frequency);
    const float *factors = p->scaling.kind == BIPE_SCALING_FACTORS    ? p->factors
                           : p->scaling.kind != BIPE_SCALING_LONGROPE ? NULL
                           : length > p->scaling.original             ? p->long_factors
                                                                      : p->factors;
    for (size_t j = 0; j < p->half && factors != NULL; j++)
        p->frequency[j] /= (double)factors[j];
    for (size_t j = 0; j < p->half && p->keeps_unrotated; j++)
        if (p->factors[j] >= UNROTATED)
            p->frequency[j] = 0;
}

double bipe_yarn_magnitude(double factor, double scale)
{
    return factor > 1 ? 0.1 * scale * log(factor) + 1 : 1;
}

double bipe_rope_magnitude(const bipe_rope_scaling *scaling)
{
    if (scaling->magnitude != 0)
        return scaling->magnitude;
    return scaling->kind == BIPE_SCALING_YARN ? bipe_yarn_magnitude(scaling->factor, 1) : 1;
}

/* Row by row: position p of index value i, angle p * frequency. randomized-rope: the positions are a sorted random
 * subset of 0 .. range - 1 without repetition, range = max(L, K * training length): going up through the range, a
 * position is taken when u * left < wanted, u = (splitmix64 >> 11) / 2^53, seeded by the tables' seed (Knuth, TAOCP
 * 2, 3.4.2, algorithm S). */
static void fill_angles(bipe_position_tables *p, size_t length)
{
    bool random = p->rotation == BIPE_RANDOMIZED_ROPE;
    double range = fmax(floor(p->rotation_factor * p->train_length), (double)length);
    uint64_t seed = p->seed, next = 0;
    double scale = bipe_rope_magnitude(&p->scaling);
    for (size_t i = 0; i < length; i++) {
        uint64_t position = i;
        if (random) {
            while (bipe_random_uniform(&seed) * (range - (double)next) >= (double)(length - i))
                next++;
            position = next++;
        }
        for (size_t j = 0; j < p->half; j++) {
            double angle = (double)position * p->frequency[j];
            p->query_cos[i * p->half + j] = (float)(cos(angle) * scale);
            p->query_sin[i * p->half + j] = (float)(sin(angle) * scale);
        }
    }
}

/* xpos (Sun et al. 2023): queries times zeta^(p / 512), keys times zeta^(-p / 512), p = index - L / 2. Only differences
 * of p count; the middle of the window keeps both powers small, for segment and intra indices too. */
static void fill_decay(bipe_position_tables *p, size_t length)
{
    double d = 2 * (double)p->half, middle = (double)(length / 2);
    for (size_t j = 0; j < p->half; j++) {
        double decay = log((2 * (double)j / d + 0.4) / 1.4) / 512;
        for (size_t i = 0; i < length; i++) {
            size_t at = i * p->half + j;
            double grow = exp(((double)i - middle) * decay), angle = (double)i * p->frequency[j],
                   scale = bipe_rope_magnitude(&p->scaling);
            p->query_cos[at] = (float)(cos(angle) * scale * grow);
            p->query_sin[at] = (float)(sin(angle) * scale * grow);
            p->key_cos[at] = (float)(cos(angle) * scale / grow);
            p->key_sin[at] = (float)(sin(angle) * scale / grow);
        }
    }
}

const char *bipe_position_tables_length_matters(const bipe_position_tables *p)
{
    if (!p->rotates)
        return NULL;
    return p->rotation == BIPE_XPOS                    ? "xpos"
           : p->rotation == BIPE_RANDOMIZED_ROPE       ? "randomized-rope"
           : p->scaling.kind == BIPE_SCALING_DYNAMIC   ? "dynamic rope scaling"
           : p->scaling.kind == BIPE_SCALING_LONGROPE  ? "longrope scaling"
                                                       : NULL;
}

void bipe_position_tables_prepare(bipe_position_tables *p, size_t length)
{
    bool alone = bipe_position_tables_length_matters(p) != NULL;
    if (!p->rotates || (alone ? p->ready_length == length : p->ready_length >= length))
        return;
    fill_frequencies(p, length);
    if (p->rotation == BIPE_XPOS)
        fill_decay(p, length);
    else
        fill_angles(p, length);
    p->ready_length = length;
}

static int add_rotation(bipe_position_tables *p, const bipe_model *model, const bipe_position_term *term,
                        bipe_error *err)
{
    p->rotates = true;
    p->rotation = term->kind;
    p->rotation_index = term->index;
    p->rotation_factor = term->factor;
    if (model->hyper.head_size % 2 != 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "%s: the scheme rotates pairs, but heads have %u values (expected an even "
                         "number)",
                         model->path, model->hyper.head_size);
    if (term->kind == BIPE_RANDOMIZED_ROPE && term->factor * p->train_length > RANDOM_RANGE_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "scheme: randomized-rope: a range of %.0f positions, expected at most %d",
                         term->factor * p->train_length, (int)RANDOM_RANGE_LIMIT);
    /* Beyond this, powers of zeta_0 = 0.4 / 1.4 leave the range of f32. */
    const size_t longest = (size_t)(2 * 512 * 80 / log(1.4 / 0.4));
    if (term->kind == BIPE_XPOS && p->max_length > longest)
        return bipe_fail(err, BIPE_ERR_LIMIT, "scheme: xpos: a window of %zu tokens, expected at most %zu",
                         p->max_length, longest);
    bool own_keys = term->kind == BIPE_XPOS;
    size_t row = p->half * sizeof(float);
    p->frequency = bipe_alloc(p->half, sizeof *p->frequency);
    p->query_cos = bipe_alloc(p->max_length, row);
    p->query_sin = bipe_alloc(p->max_length, row);
    p->key_cos = own_keys ? bipe_alloc(p->max_length, row) : p->query_cos;
    p->key_sin = own_keys ? bipe_alloc(p->max_length, row) : p->query_sin;
    if (p->frequency == NULL || p->query_cos == NULL || p->query_sin == NULL || p->key_cos == NULL ||
        p->key_sin == NULL)
        return bipe_fail_memory(err);
    return BIPE_OK;
}

/* ---- absolute terms ---- */

static int add_sinusoid(bipe_position_tables *p, const bipe_position_term *term, bipe_error *err)
{
    p->sinusoid_index[p->sinusoids++] = term->index;
    if (p->wave != NULL)
        return BIPE_OK;
    size_t pairs = (p->width + 1) / 2;
    p->wave = bipe_alloc(pairs, sizeof *p->wave);
    if (p->wave == NULL)
        return bipe_fail_memory(err);
    for (size_t j = 0; j < pairs; j++)
        p->wave[j] = pow(10000, -2.0 * (double)j / (double)p->width);
    return BIPE_OK;
}

void bipe_position_tables_add_wave(const bipe_position_tables *p, uint32_t at, float *x)
{
    for (size_t c = 0; c < p->width; c += 2) {
        double angle = (double)at * p->wave[c / 2];
        x[c] += (float)sin(angle);
        if (c + 1 < p->width)
            x[c + 1] += (float)cos(angle);
    }
}

float bipe_position_tables_log_factor(const bipe_position_tables *p, uint32_t at)
{
    return (float)(log((double)at + 1) / log(p->train_length));
}

/* ---- open and close ---- */

static int add_term(bipe_position_tables *p, const bipe_model *model, const bipe_position_term *term, bipe_error *err)
{
    switch (term->kind) {
    case BIPE_LEARNED:
        if (bipe_model_weight(model, BIPE_ROLE_LEARNED, 0)->matrix.rows == 0)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                             "%s: the scheme has a learned term, but the model has no table of "
                             "position embeddings",
                             model->path);
        p->learned = true;
        p->learned_index = term->index;
        return BIPE_OK;
    case BIPE_SINUSOIDAL:
        return add_sinusoid(p, term, err);
    case BIPE_ROPE:
    case BIPE_XPOS:
    case BIPE_RANDOMIZED_ROPE:
        return add_rotation(p, model, term, err);
    case BIPE_ALIBI:
    case BIPE_T5:
        return add_bias(p, model, term, err);
    }
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "scheme: kind %d, expected one of scheme.h", (int)term->kind);
}

int bipe_position_tables_open(bipe_position_tables *p, const bipe_model *model, const bipe_scheme *scheme,
                        const bipe_rope_scaling *scaling, size_t half, double base, bool explicit_scaling,
                        size_t max_length, uint64_t seed, bipe_error *err)
{
    const bipe_hyperparameters *hyper = &model->hyper;
    *p = (bipe_position_tables){
        .scheme = *scheme, .scaling = *scaling, .width = hyper->hidden, .heads = hyper->heads,
        .half = half, .base = base, .train_length = (double)hyper->train_length,
        .buckets = bipe_t5_buckets(hyper), .distances = bipe_t5_buckets(hyper) * BIPE_T5_FARTHEST,
        .max_length = max_length, .seed = seed, .log_scale = hyper->log_scale, .log_index = BIPE_INDEX_TOKEN,
    };
    int status = BIPE_OK;
    bool relative = false;
    for (size_t i = 0; i < scheme->count && status == BIPE_OK; i++) {
        const bipe_position_term *term = &scheme->term[i];
        status = add_term(p, model, term, err);
        /* log_scale goes by the first relative term; by the token index when there is none */
        if (!relative && term->kind != BIPE_LEARNED && term->kind != BIPE_SINUSOIDAL) {
            relative = true;
            p->log_index = term->index;
        }
    }
    const bipe_weight *factors = bipe_model_weight(model, BIPE_ROLE_ROPE_FACTORS, 0);
    const bool two = scaling->kind == BIPE_SCALING_LONGROPE;
    if (two) {
        factors = bipe_model_weight(model, BIPE_ROLE_ROPE_SHORT, 0);
        p->long_factors = bipe_weight_floats(bipe_model_weight(model, BIPE_ROLE_ROPE_LONG, 0));
    }
    if (factors->matrix.rows != 0)
        p->factors = bipe_weight_floats(factors);
    else if ((two || scaling->kind == BIPE_SCALING_FACTORS) && status == BIPE_OK)
        status = bipe_fail(err, BIPE_ERR_ARGUMENT, "rope scaling: factors, which the model does not have");
    p->keeps_unrotated = explicit_scaling && !two && p->factors != NULL;
    if (status == BIPE_OK && explicit_scaling && scaling->kind != BIPE_SCALING_NONE && !p->rotates)
        status = bipe_fail(err, BIPE_ERR_ARGUMENT,
                           "rope scaling: the scheme has no rotation to scale, expected rope, xpos or "
                           "randomized-rope in it");
    if (status != BIPE_OK)
        bipe_position_tables_close(p);
    return status;
}

void bipe_position_tables_close(bipe_position_tables *p)
{
    if (p->key_cos != p->query_cos)
        bipe_free(p->key_cos);
    if (p->key_sin != p->query_sin)
        bipe_free(p->key_sin);
    bipe_free(p->query_cos);
    bipe_free(p->query_sin);
    bipe_free(p->frequency);
    bipe_free(p->wave);
    for (size_t i = 0; i < p->biases; i++) {
        bipe_free(p->bias[i].slope);
        bipe_free(p->bias[i].table);
    }
    *p = (bipe_position_tables){0};
}
