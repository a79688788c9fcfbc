/* reference.c - see reference.h. One matrix of scores a head, everything in double: slow and obvious. */
#include "tests/reference/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct term {
    char kind[24];
    const uint32_t *index;
    double factor;
    double *slopes; /* (heads), of alibi */
    int t5;
} term;

typedef struct pass {
    const reference_model *m;
    size_t length;
    term terms[8];
    int count;
    char scaling[16];
    double factor, original, low, high, magnitude;
    int truncate;
    uint64_t seed;
    const uint32_t *log_index;
    double *theta; /* (head_size / 2) */
} pass;

static double *zeros(size_t count)
{
    double *v = calloc(count + 1, sizeof *v);
    if (v == NULL)
        abort();
    return v;
}

static void stop(const char *what)
{
    fprintf(stderr, "reference: not understood: %s\n", what);
    abort();
}

static void parse_yarn(pass *p, const char *scaling)
{
    p->low = 1;
    p->high = 32;
    p->truncate = strstr(scaling, "truncate=false") == NULL;
    p->magnitude = p->factor <= 1 ? 1 : 0.1 * log(p->factor) + 1;
    const struct { const char *name; double *value; } settings[] = {
        {"attention_factor=", &p->magnitude}, {"beta_fast=", &p->high}, {"beta_slow=", &p->low}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *at = strstr(scaling, settings[i].name);
        if (at != NULL)
            *settings[i].value = atof(at + strlen(settings[i].name));
    }
}

/* "segment" or "intra", and the level where it is not the first. */
static const uint32_t *named_index(const char *name, const bipe_indices *index)
{
    char word[16] = "";
    int level = 1;
    sscanf(name, "%15[a-z]%d", word, &level);
    return index->of[2 * level - (strcmp(word, "segment") == 0)];
}

static void parse(pass *p, const char *scheme, const char *scaling, const uint32_t *token, const bipe_indices *given)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", scheme);
    p->log_index = NULL;
    for (char *t = strtok(copy, "+"); t != NULL && strcmp(scheme, "none") != 0; t = strtok(NULL, "+")) {
        term *made = &p->terms[p->count++];
        char index[16] = "";
        made->factor = 1;
        if (sscanf(t, "%23[a-z0-9-]@%15[a-z0-9]*%lf", made->kind, index, &made->factor) < 2)
            stop(t);
        made->index = strcmp(index, "token") == 0 ? token : named_index(index, given);
        if (p->log_index == NULL && strcmp(made->kind, "learned") != 0 && strcmp(made->kind, "sinusoidal") != 0)
            p->log_index = made->index;
    }
    if (p->log_index == NULL)
        p->log_index = token;
    p->factor = 1;
    p->original = 0;
    if (sscanf(scaling, "llama3:%lf:%lf:%lf:%lf", &p->factor, &p->low, &p->high, &p->original) == 4)
        snprintf(p->scaling, sizeof p->scaling, "llama3");
    else if (sscanf(scaling, "%15[a-z]:%lf:%lf", p->scaling, &p->factor, &p->original) < 1)
        stop(scaling);
    if (p->original == 0)
        p->original = p->m->train_length;
    if (strcmp(p->scaling, "yarn") == 0)
        parse_yarn(p, scaling);
}

/* ---- rotary embeddings ---- */

/* theta_j of RoFormer, eq. 15, with position interpolation, NTK-aware scaling by length, YaRN's section 3, or by
 * wavelength as Llama 3.1. */
static double theta(const pass *p, int j)
{
    double d = p->m->head_size, base = p->m->base;
    if (strcmp(p->scaling, "dynamic") == 0 && p->length > p->m->train_length)
        base *= pow(p->factor * (double)p->length / p->m->train_length - (p->factor - 1), d / (d - 2));
    double plain = 1 / pow(base, 2 * j / d);
    if (p->m->rope_factors != NULL)
        return plain / (double)p->m->rope_factors[j];
    if (strcmp(p->scaling, "llama3") == 0) {
        double wavelength = 2 * acos(-1.0) / plain;
        if (wavelength < p->original / p->high)
            return plain;
        if (wavelength > p->original / p->low)
            return plain / p->factor;
        double smooth = (p->original / wavelength - p->low) / (p->high - p->low);
        return (1 - smooth) * plain / p->factor + smooth * plain;
    }
    if (strcmp(p->scaling, "linear") == 0)
        return plain / p->factor;
    if (strcmp(p->scaling, "yarn") != 0)
        return plain;
    const double two_pi = 2 * acos(-1.0);
    double low = d * log(p->original / (p->high * two_pi)) / (2 * log(base));
    double high = d * log(p->original / (p->low * two_pi)) / (2 * log(base));
    if (p->truncate) {
        low = floor(low);
        high = ceil(high);
    }
    if (low < 0)
        low = 0;
    if (high > d - 1)
        high = d - 1;
    double gamma = low == high ? (j - low) / 0.001 : (j - low) / (high - low);
    gamma = gamma < 0 ? 0 : gamma > 1 ? 1 : gamma;
    return gamma * plain / p->factor + (1 - gamma) * plain;
}

static uint64_t splitmix(uint64_t *s)
{
    uint64_t r = (*s += 0x9E3779B97F4A7C15u);
    r = (r ^ (r >> 30)) * 0xBF58476D1CE4E5B9u;
    r = (r ^ (r >> 27)) * 0x94D049BB133111EBu;
    return r ^ (r >> 31);
}

/* Positions of randomized-rope: each number below `range`, going up, is chosen with probability wanted / left. */
static double *random_positions(const pass *p, double factor)
{
    double *chosen = zeros(p->length);
    uint64_t s = p->seed, range = (uint64_t)(factor * p->m->train_length);
    if (range < p->length)
        range = p->length;
    size_t have = 0;
    for (uint64_t v = 0; v < range && have < p->length; v++) {
        double u = (double)(splitmix(&s) >> 11) / 9007199254740992.0;
        if (u * (double)(range - v) < (double)(p->length - have))
            chosen[have++] = (double)v;
    }
    if (have != p->length)
        stop("a draw that came out short");
    return chosen;
}

/* x (heads, D) of one token; side +1: query, -1: key. */
static void rotate(const pass *p, const term *t, const double *positions, double *x, size_t heads, size_t token,
                   int side)
{
    size_t d = p->m->head_size, half = d / 2;
    double at = positions != NULL ? positions[t->index[token]] : (double)t->index[token];
    double magnitude = strcmp(p->scaling, "yarn") == 0 ? p->magnitude : 1;
    for (size_t h = 0; h < heads; h++)
        for (size_t j = 0; j < half; j++) {
            double angle = at * p->theta[j], c = cos(angle) * magnitude, s = sin(angle) * magnitude;
            double *a = &x[h * d + j], *b = &x[h * d + j + half], was = *a;
            if (strcmp(t->kind, "xpos") == 0) {
                double zeta = (2.0 * (double)j / (double)d + 0.4) / 1.4;
                double grow = pow(zeta, side * (at - (double)p->length / 2) / 512);
                c *= grow;
                s *= grow;
            }
            *a = was * c - *b * s;
            *b = was * s + *b * c;
        }
}

/* ---- biases ---- */

/* The slopes of ALiBi, by the recursion of the authors' get_slopes. */
static double slope(size_t head, size_t heads)
{
    double power = log2((double)heads);
    if (power == floor(power)) {
        double start = pow(2, -pow(2, -(power - 3)));
        return pow(start, (double)head + 1);
    }
    size_t closest = (size_t)1 << (int)floor(power);
    return head < closest ? slope(head, closest) : slope(2 * (head - closest), 2 * closest);
}

static int t5_bucket(long distance, int buckets) /* query - key */
{
    const int most = 4 * buckets, exact = buckets / 2;
    if (distance < 0)
        distance = 0;
    if (distance < exact)
        return (int)distance;
    int large = exact + (int)(log((double)distance / exact) / log((double)most / exact) * (buckets - exact));
    return large < buckets ? large : buckets - 1;
}

static double bias(const pass *p, size_t head, size_t query, size_t key)
{
    double sum = 0;
    for (int i = 0; i < p->count; i++) {
        const term *t = &p->terms[i];
        long distance = (long)t->index[query] - (long)t->index[key];
        if (t->slopes != NULL)
            sum -= t->slopes[head] * t->factor * (double)labs(distance);
        else if (t->t5)
            sum += (double)p->m->t5_table[(size_t)t5_bucket(distance, p->m->t5) * p->m->heads + head];
    }
    return sum;
}

/* ---- the decoder ---- */

static void multiply(const float *w, const double *x, size_t rows, size_t columns, double *y)
{
    for (size_t r = 0; r < rows; r++) {
        const float *row = w + r * columns;
        double sum = 0;
        for (size_t c = 0; c < columns; c++)
            sum += (double)row[c] * x[c];
        y[r] = sum;
    }
}

static void normalize(const pass *p, const float *w, const double *x, size_t n, double *y)
{
    double mean = 0;
    for (size_t c = 0; c < n; c++)
        mean += x[c] * x[c] / (double)n;
    for (size_t c = 0; c < n; c++)
        y[c] = (double)w[c] * x[c] / sqrt(mean + p->m->eps);
}

static void add_bias(const float *bias, size_t n, double *y)
{
    for (size_t i = 0; bias != NULL && i < n; i++)
        y[i] += (double)bias[i];
}

/* What Qwen does to the queries, keys or values of a token; x (heads, D). */
static void adjust(const pass *p, const float *bias, const float *norm, size_t heads, double *x)
{
    size_t d = p->m->head_size;
    add_bias(bias, heads * d, x);
    for (size_t h = 0; norm != NULL && h < heads; h++)
        normalize(p, norm, x + h * d, d, x + h * d);
}

static double keep(const reference_model *m, unsigned site, size_t token, size_t channel)
{
    return m->keep == NULL ? 1 : m->keep(m->keep_context, site, token, channel);
}

static void embed(const pass *p, uint32_t id, size_t token, double *x)
{
    const reference_model *m = p->m;
    for (size_t c = 0; c < m->hidden; c++)
        x[c] = (double)m->embedding[id * m->hidden + c];
    for (int i = 0; i < p->count; i++) {
        const term *t = &p->terms[i];
        size_t at = t->index[token];
        for (size_t c = 0; c < m->hidden; c++) {
            if (strcmp(t->kind, "learned") == 0)
                x[c] += (double)m->learned[(at < m->learned_rows ? at : m->learned_rows - 1) * m->hidden + c];
            if (strcmp(t->kind, "sinusoidal") == 0) {
                double angle = (double)at / pow(10000, (double)(c - c % 2) / m->hidden);
                x[c] += c % 2 == 0 ? sin(angle) : cos(angle);
            }
        }
    }
    for (size_t c = 0; c < m->hidden; c++)
        x[c] *= keep(m, 0, token, c);
}

static void attend(const pass *p, const double *q, const double *k, const double *v, double *out)
{
    const reference_model *m = p->m;
    size_t d = m->head_size, wide = m->heads * d, narrow = m->kv_heads * d, share = m->heads / m->kv_heads;
    double *score = zeros(p->length);
    for (size_t h = 0; h < m->heads; h++)
        for (size_t i = 0; i < p->length; i++) {
            double most = -INFINITY, sum = 0;
            for (size_t j = 0; j <= i; j++) {
                const double *query = q + i * wide + h * d, *key = k + j * narrow + h / share * d;
                double product = 0;
                for (size_t c = 0; c < d; c++)
                    product += query[c] * key[c];
                score[j] = product / sqrt((double)d) + bias(p, h, i, j);
                most = score[j] > most ? score[j] : most;
            }
            for (size_t j = 0; j <= i; j++)
                sum += score[j] = exp(score[j] - most);
            for (size_t c = 0; c < d; c++) {
                double value = 0;
                for (size_t j = 0; j <= i; j++)
                    value += score[j] / sum * v[j * narrow + h / share * d + c];
                out[i * wide + h * d + c] = value;
            }
        }
    free(score);
}

static void run_layer(const pass *p, unsigned number, double *x)
{
    const reference_model *m = p->m;
    const reference_layer *l = &m->layer[number];
    size_t c = m->hidden, wide = m->heads * m->head_size, narrow = m->kv_heads * m->head_size, n = p->length;
    double *q = zeros(n * wide), *k = zeros(n * narrow), *v = zeros(n * narrow), *o = zeros(n * wide), *a = zeros(c);
    double *g = zeros(m->feed_forward), *u = zeros(m->feed_forward), *y = zeros(c);
    for (size_t i = 0; i < n; i++) {
        normalize(p, l->norm1, x + i * c, c, a);
        multiply(l->query, a, wide, c, q + i * wide);
        multiply(l->key, a, narrow, c, k + i * narrow);
        multiply(l->value, a, narrow, c, v + i * narrow);
        adjust(p, l->query_bias, l->query_norm, m->heads, q + i * wide);
        adjust(p, l->key_bias, l->key_norm, m->kv_heads, k + i * narrow);
        adjust(p, l->value_bias, NULL, m->kv_heads, v + i * narrow);
        for (size_t j = 0; j < wide && m->log_scale; j++)
            q[i * wide + j] *= log((double)p->log_index[i] + 1) / log(m->train_length);
        for (int t = 0; t < p->count; t++) {
            const term *one = &p->terms[t];
            int random = strcmp(one->kind, "randomized-rope") == 0;
            if (!random && strcmp(one->kind, "rope") != 0 && strcmp(one->kind, "xpos") != 0)
                continue;
            double *positions = random ? random_positions(p, one->factor) : NULL;
            rotate(p, one, positions, q + i * wide, m->heads, i, 1);
            rotate(p, one, positions, k + i * narrow, m->kv_heads, i, -1);
            free(positions);
        }
    }
    attend(p, q, k, v, o);
    for (size_t i = 0; i < n; i++) {
        multiply(l->output, o + i * wide, c, wide, y);
        add_bias(l->output_bias, c, y);
        for (size_t j = 0; j < c; j++)
            x[i * c + j] += y[j] * keep(m, 1 + 2 * number, i, j);
        normalize(p, l->norm2, x + i * c, c, a);
        multiply(l->gate, a, m->feed_forward, c, g);
        multiply(l->up, a, m->feed_forward, c, u);
        add_bias(l->gate_bias, m->feed_forward, g);
        add_bias(l->up_bias, m->feed_forward, u);
        for (size_t j = 0; j < m->feed_forward; j++)
            g[j] = g[j] / (1 + exp(-g[j])) * u[j];
        multiply(l->down, g, c, m->feed_forward, y);
        add_bias(l->down_bias, c, y);
        for (size_t j = 0; j < c; j++)
            x[i * c + j] += y[j] * keep(m, 2 + 2 * number, i, j);
    }
    free(q), free(k), free(v), free(o), free(a), free(g), free(u), free(y);
}

/* Either of nll and gap, or both. */
static void run_model(const reference_model *m, const char *scheme, const char *scaling, uint64_t seed,
                      const uint32_t *ids, const bipe_indices *index, size_t length, double *nll,
                      double *gap)
{
    uint32_t *token = calloc(length + 1, sizeof *token);
    if (token == NULL)
        abort();
    for (size_t i = 0; i < length; i++)
        token[i] = (uint32_t)i;
    pass p = {.m = m, .length = length, .seed = seed};
    parse(&p, scheme, scaling, token, index);
    p.theta = zeros(m->head_size / 2);
    for (unsigned j = 0; j < m->head_size / 2; j++)
        p.theta[j] = theta(&p, (int)j);
    for (int i = 0; i < p.count; i++) {
        p.terms[i].t5 = strcmp(p.terms[i].kind, "t5") == 0;
        p.terms[i].slopes = strcmp(p.terms[i].kind, "alibi") == 0 ? zeros(m->heads) : NULL;
        for (unsigned h = 0; h < m->heads && p.terms[i].slopes != NULL; h++)
            p.terms[i].slopes[h] = slope(h, m->heads);
    }
    double *x = zeros(length * m->hidden), *a = zeros(m->hidden), *logit = zeros(m->vocabulary);
    for (size_t i = 0; i < length; i++)
        embed(&p, ids[i], i, x + i * m->hidden);
    for (unsigned l = 0; l < m->layers; l++)
        run_layer(&p, l, x);
    for (size_t i = 0; i + 1 < length; i++) {
        normalize(&p, m->norm, x + i * m->hidden, m->hidden, a);
        multiply(m->tied ? m->embedding : m->projection, a, m->vocabulary, m->hidden, logit);
        double most = -INFINITY, sum = 0;
        for (unsigned w = 0; w < m->vocabulary; w++)
            most = logit[w] > most ? logit[w] : most;
        for (unsigned w = 0; w < m->vocabulary; w++)
            sum += exp(logit[w] - most);
        if (nll != NULL)
            nll[i] = most + log(sum) - logit[ids[i + 1]];
        if (gap != NULL)
            gap[i] = most - logit[ids[i + 1]];
    }
    for (int i = 0; i < p.count; i++)
        free(p.terms[i].slopes);
    free(token), free(p.theta), free(x), free(a), free(logit);
}

void reference_losses(const reference_model *m, const char *scheme, const char *scaling, uint64_t seed,
                      const uint32_t *ids, const bipe_indices *index, size_t length, double *nll)
{
    run_model(m, scheme, scaling, seed, ids, index, length, nll, NULL);
}

void reference_gaps(const reference_model *m, const char *scheme, const char *scaling, uint64_t seed,
                    const uint32_t *ids, const bipe_indices *index, size_t length, double *gap)
{
    run_model(m, scheme, scaling, seed, ids, index, length, NULL, gap);
}
