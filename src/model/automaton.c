/* automaton.c - the weights of a decoder that runs a two-level automaton; see automaton.h and docs/theorem.md. */
#include "model/automaton.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory_available.h"
#include "model/weights.h"

/* GELU(SHARP x) / SHARP is ReLU(x) to the last bit of f32 where |x| is 0 or at least 1/2. */
#define SHARP 16.0f
/* Scores that are apart by NEAR give weights of which the lesser vanish; twice as much for keys of other segments. */
#define NEAR 128.0f
#define FAR (2 * NEAR)
/* Alone in its block of 32 values, it makes the last norm nearly constant. */
#define CONSTANT 1024.0f
/* The logit of a state that the automaton may be in, 64 ln 2; others have 0. An answer has ln 2 more, by a weight that
 * is exact in bf16 as well. */
#define LOGIT 44.3614195558f
#define TWICE (1 + 1 / 64.0f)

enum { BLOCK = 32 };

/* Where the residual stream has what; the copies are what attention writes. */
typedef struct stream {
    size_t inner, inner_copy; /* (W) matrices of the steps within the segment; in the end the states */
    size_t outer, outer_copy; /* (k, k) steps between segments, of separators */
    size_t place;             /* (pairs, 2) cos and sin of the place in the segment */
    size_t reach, reach_copy; /* 1: what is known begins where the segment, or then the text, does */
    size_t first, first_copy; /* 1: it is the first segment */
    size_t separator, accept, reject, constant;
} stream;

typedef struct builder {
    const bipe_automaton *a;
    bipe_model *model;
    float *values;
    bipe_hyperparameters h;
    bipe_decoder decoder;
    stream at;
    size_t inner, outer; /* W and k * k */
    size_t pairs, inner_steps, outer_steps;
    size_t layer, head, copied, unit; /* being built */
} builder;

static size_t steps_for(size_t count)
{
    size_t steps = 0;
    while ((size_t)1 << steps < count)
        steps++;
    return steps;
}

static void plan_stream(builder *b)
{
    size_t used = 0;
    const struct {
        size_t *at, size;
    } parts[] = {
        {&b->at.inner, b->inner}, {&b->at.inner_copy, b->inner}, {&b->at.outer, b->outer},
        {&b->at.outer_copy, b->outer}, {&b->at.place, 2 * b->pairs}, {&b->at.reach, 1}, {&b->at.reach_copy, 1},
        {&b->at.first, 1}, {&b->at.first_copy, 1}, {&b->at.separator, 1}, {&b->at.accept, 1}, {&b->at.reject, 1},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *parts[i].at = used;
        used += parts[i].size;
    }
    b->at.constant = (used + BLOCK - 1) / BLOCK * BLOCK;
    b->h.hidden = (uint32_t)b->at.constant + BLOCK;
}

/* The most units that a layer has: a product of matrices, its result made Boolean, or the end. */
static uint32_t units_most(const builder *b)
{
    size_t inner = 2 * b->inner + 8, outer = b->a->sets * b->outer + 2 * b->outer + 8;
    for (size_t i = 0; i < b->a->sets; i++)
        inner += b->a->size[i] * b->a->size[i] * b->a->size[i];
    const size_t all[] = {inner, outer, 4 * b->inner + 8, 4 * b->outer + 8,
                          b->inner + 2 * b->outer + 2 * b->a->states + 8};
    size_t most = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        most = most < all[i] ? all[i] : most;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static void plan(builder *b, size_t length)
{
    const bipe_automaton *a = b->a;
    b->outer = a->sets * a->sets;
    for (size_t i = 0; i < a->sets; i++)
        b->inner += a->size[i] * a->size[i];
    b->inner_steps = steps_for(length + 1); /* <s> belongs to the first segment */
    b->outer_steps = steps_for(length > 1 ? length : 2);
    b->pairs = b->inner_steps;
    plan_stream(b);
    size_t head = b->inner + 2;
    head = head < b->outer + 1 ? b->outer + 1 : head;
    head = head < 2 * b->pairs ? 2 * b->pairs : head;
    const size_t products = b->inner_steps + b->outer_steps; /* and the separator, the states, the answer */
    b->decoder = (bipe_decoder){
        .roles = BIPE_ROLE_BIT(BIPE_ROLE_QUERY_BIAS) | BIPE_ROLE_BIT(BIPE_ROLE_UP_BIAS), .activation = NN_GELU,
        .embedding_scale = 1, .residual_scale = 1, .logit_scale = 1, .attention_scale = 1,
        .t5_buckets = (uint32_t)1 << (b->outer_steps + 1),
    };
    b->h.vocabulary = (uint32_t)(BIPE_AUTOMATON_SYMBOLS + a->symbols + a->states);
    b->h.layers = (uint32_t)(2 * products + 3);
    b->h.heads = (uint32_t)(1 + b->outer_steps);
    b->h.kv_heads = 1;
    b->h.head_size = (uint32_t)(head + head % 2);
    b->h.feed_forward = units_most(b);
    b->h.train_length = b->h.learned_rows = (uint32_t)length + 1;
    b->h.rope_base = 10000;
    b->h.rms_norm_eps = 1e-6;
    b->h.scheme = (bipe_scheme){{{BIPE_LEARNED, BIPE_INDEX_INTRA, 1}, {BIPE_T5, BIPE_INDEX_SEGMENT, 1}}, 2};
    b->h.decoder = &b->decoder;
    snprintf(b->h.segmenter, sizeof b->h.segmenter, "tokens:%d", (int)BIPE_AUTOMATON_SEPARATOR);
}

/* Row `row` of a matrix, of the layer that is being built. */
static float *row_of(const builder *b, bipe_role role, size_t row)
{
    const nn_matrix *m = &bipe_model_weight(b->model, role, bipe_role_of_layer(role) ? b->layer : 0)->matrix;
    return b->values + ((const float *)m->data - b->values) + row * m->columns;
}

/* ---- attention ---- */

/* Head 0 reads in its own segment, head 1 + i at separators of the segment 2^i before. */
static void fill_biases(const builder *b)
{
    for (size_t bucket = 0; bucket < b->decoder.t5_buckets; bucket++) {
        float *bias = row_of(b, BIPE_ROLE_T5, bucket);
        for (size_t head = 0; head < b->h.heads; head++)
            bias[head] = bucket == (head == 0 ? 0 : (size_t)1 << (head - 1)) ? 0 : -FAR;
    }
}

/* The next layer, whose attention is that of a head. */
static void begin_layer(builder *b, size_t layer, size_t head)
{
    b->layer = layer;
    b->head = head;
    b->copied = b->unit = 0;
}

static void copy_values(builder *b, size_t from, size_t to, size_t count)
{
    for (size_t i = 0; i < count; i++, b->copied++) {
        row_of(b, BIPE_ROLE_VALUE, b->copied)[from + i] = 1;
        row_of(b, BIPE_ROLE_ATTENTION, to + i)[b->head * b->h.head_size + b->copied] = 1;
    }
}

/* The angle by which pair p turns over so many places. */
static double angle_of(size_t places, size_t p)
{
    return 3.14159265358979323846 * (double)places / (double)((size_t)1 << p);
}

/* Queries are the code of the place `back` tokens before: the sum of cos(pi (j - back - m) / 2^p) is largest where m is
 * that place, by 2 at least, since a distance of 2^p times an odd number turns the pair p by half. */
static void look_back(builder *b, size_t back)
{
    for (size_t p = 0; p < b->pairs; p++) {
        const double angle = angle_of(back, p);
        const size_t cosine = b->at.place + 2 * p, sine = cosine + 1;
        float *q = row_of(b, BIPE_ROLE_QUERY, 2 * p), *r = row_of(b, BIPE_ROLE_QUERY, 2 * p + 1);
        q[cosine] = r[sine] = NEAR / 2 * (float)cos(angle);
        q[sine] = NEAR / 2 * (float)sin(angle);
        r[cosine] = -q[sine];
        row_of(b, BIPE_ROLE_KEY, 2 * p)[cosine] = row_of(b, BIPE_ROLE_KEY, 2 * p + 1)[sine] = 1;
    }
}

static void look_at_separators(builder *b)
{
    row_of(b, BIPE_ROLE_KEY, 0)[b->at.separator] = 1;
    row_of(b, BIPE_ROLE_QUERY_BIAS, 0)[b->head * b->h.head_size] = FAR;
}

/* ---- feed-forward layers ---- */

/* A unit ReLU(bias + what it reads). */
static void begin_unit(builder *b, float bias)
{
    row_of(b, BIPE_ROLE_UP_BIAS, 0)[b->unit++] = SHARP * bias;
}

static void read_value(builder *b, size_t at, float weight)
{
    row_of(b, BIPE_ROLE_UP, b->unit - 1)[at] += SHARP * weight;
}

static void write_value(builder *b, size_t at, float weight)
{
    row_of(b, BIPE_ROLE_DOWN, at)[b->unit - 1] += weight / SHARP;
}

/* Takes away `count` values of 0 or 1, or counts. */
static void clear_values(builder *b, size_t from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        begin_unit(b, 0);
        read_value(b, from + i, 1);
        write_value(b, from + i, -1);
    }
}

/* Adds 1 where a count is above 0, or rather above 1/2: min(1, max(0, 2 count - 1/2)). */
static void add_whether(builder *b, size_t from, size_t to)
{
    for (int above = 0; above < 2; above++) {
        begin_unit(b, above ? -1.5f : -0.5f);
        read_value(b, from, 2);
        write_value(b, to, above ? -1 : 1);
    }
}

/* Adds 1 where all of yes[0 .. yeses) are 1 and those of no[0 .. noes) are 0: max(0, 2 sum - 2 yeses + 1). */
static void add_if(builder *b, const size_t *yes, size_t yeses, const size_t *no, size_t noes, size_t to)
{
    begin_unit(b, 1 - 2 * (float)yeses);
    for (size_t i = 0; i < yeses; i++)
        read_value(b, yes[i], 2);
    for (size_t i = 0; i < noes; i++)
        read_value(b, no[i], -2);
    write_value(b, to, 1);
}

/* ---- products of matrices ---- */

/* Square Boolean matrices, one after the other, and their copies of an earlier token. */
typedef struct matrices {
    size_t own, copy, count;
    const size_t *size;
    size_t only; /* 1 in tokens that have matrices; SIZE_MAX: all have */
} matrices;

/* The copy becomes: how many ways lead from one state to another over those of both spans; own values stay. Where
 * `reach` is 1 nothing is before, and it becomes the own one. */
static void count_ways(builder *b, const matrices *m)
{
    const size_t reach = b->at.reach;
    size_t first = 0;
    for (size_t i = 0; i < m->count; i++) {
        const size_t size = m->size[i];
        for (size_t from = 0; from < size; from++)
            for (size_t to = 0; to < size; to++) {
                const size_t at = first + from * size + to;
                for (size_t by = 0; by < size; by++) {
                    const size_t yes[] = {m->copy + first + from * size + by, m->own + first + by * size + to, m->only};
                    add_if(b, yes, m->only != SIZE_MAX ? 3 : 2, &reach, 1, m->copy + at);
                }
                add_if(b, (size_t[]){m->own + at, reach}, 2, NULL, 0, m->copy + at);
                clear_values(b, m->copy + at, 1);
            }
        first += size * size;
    }
}

/* own = whether there is a way, copy = 0. */
static void settle(builder *b, size_t own, size_t copy, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_whether(b, copy + i, own + i);
    clear_values(b, own, count);
    clear_values(b, copy, count);
}

/* The copy of a flag becomes whether it is 1 in either span. */
static void join_flags(builder *b, size_t own, size_t copy)
{
    add_if(b, &copy, 1, (size_t[]){b->at.reach, own}, 2, copy);
    begin_unit(b, 0);
    read_value(b, own, 1);
    write_value(b, copy, 1);
    clear_values(b, copy, 1);
}

/* Two layers that double the span: the first, whose attention has been made, counts, the second settles. */
static void double_span(builder *b, const matrices *m, size_t values, bool first)
{
    copy_values(b, m->own, m->copy, values);
    copy_values(b, b->at.reach, b->at.reach_copy, 1);
    if (first)
        copy_values(b, b->at.first, b->at.first_copy, 1);
    count_ways(b, m);
    join_flags(b, b->at.reach, b->at.reach_copy);
    if (first)
        join_flags(b, b->at.first, b->at.first_copy);
    begin_layer(b, b->layer + 1, 0);
    settle(b, m->own, m->copy, values);
    settle(b, b->at.reach, b->at.reach_copy, 1);
    if (first)
        settle(b, b->at.first, b->at.first_copy, 1);
}

/* ---- the layers ---- */

/* The place where matrices of set i begin, and its first state. */
static size_t inner_of(const bipe_automaton *a, size_t set, size_t *state)
{
    size_t at = 0;
    *state = 0;
    for (size_t i = 0; i < set; i++) {
        at += a->size[i] * a->size[i];
        *state += a->size[i];
    }
    return at;
}

static void fill_embedding(builder *b)
{
    const bipe_automaton *a = b->a;
    for (size_t id = 0; id < b->h.vocabulary; id++) {
        float *x = row_of(b, BIPE_ROLE_EMBEDDING, id);
        const bool symbol = id >= BIPE_AUTOMATON_SYMBOLS && id - BIPE_AUTOMATON_SYMBOLS < a->symbols;
        const bool known = id == BIPE_AUTOMATON_START || id >= BIPE_AUTOMATON_ACCEPT; /* else it leads nowhere */
        x[b->at.constant] = CONSTANT;
        x[b->at.separator] = id == BIPE_AUTOMATON_SEPARATOR;
        x[b->at.first] = id == BIPE_AUTOMATON_START;
        for (size_t i = 0; i < a->sets; i++) {
            size_t state, at = b->at.inner + inner_of(a, i, &state), size = a->size[i];
            const uint8_t *step = a->step + (symbol ? id - BIPE_AUTOMATON_SYMBOLS : 0) * a->states * a->states;
            for (size_t j = 0; j < size * size; j++)
                x[at + j] = symbol ? step[(state + j / size) * a->states + state + j % size] != 0
                                   : known && j / size == j % size;
        }
    }
    for (size_t row = 0; row < b->h.learned_rows; row++) {
        float *x = row_of(b, BIPE_ROLE_LEARNED, row);
        x[b->at.reach] = row == 0;
        for (size_t p = 0; p < b->pairs; p++) {
            x[b->at.place + 2 * p] = (float)cos(angle_of(row, p));
            x[b->at.place + 2 * p + 1] = (float)sin(angle_of(row, p));
        }
    }
}

/* Of separators: the steps from start state to start state over their segment. Then `reach` is about segments. */
static void cross_separator(builder *b)
{
    const bipe_automaton *a = b->a;
    for (size_t i = 0; i < a->sets; i++) {
        size_t state;
        const size_t at = b->at.inner + inner_of(a, i, &state);
        for (size_t j = 0; j < a->sets; j++)
            for (int above = 0; above < 2; above++) {
                /* below 0 in other tokens, however many ways there are */
                const float most = 2 * (float)a->size[i];
                begin_unit(b, -most - (above ? 1.5f : 0.5f));
                read_value(b, b->at.separator, most);
                for (size_t q = 0; q < a->size[i]; q++)
                    if (a->leave[(state + q) * a->sets + j] != 0)
                        read_value(b, at + q, 2);
                write_value(b, b->at.outer + i * a->sets + j, above ? -1 : 1);
            }
    }
    clear_values(b, b->at.reach, 1);
    add_whether(b, b->at.first, b->at.reach);
}

/* The states, from where the segment began. */
static void find_states(builder *b)
{
    const bipe_automaton *a = b->a;
    const size_t row = b->at.outer + a->initial * a->sets, end = b->at.separator;
    copy_values(b, row, b->at.outer_copy, a->sets);
    for (size_t i = 0; i < a->sets; i++) {
        size_t state;
        const size_t at = b->at.inner + inner_of(a, i, &state);
        for (size_t q = 0; q < a->size[i]; q++) {
            const size_t to = b->at.inner_copy + state + q;
            add_if(b, (size_t[]){at + q, b->at.outer_copy + i}, 2, (size_t[]){b->at.first, end}, 2, to);
            if (i == a->initial)
                add_if(b, (size_t[]){at + q, b->at.first}, 2, &end, 1, to);
        }
        add_if(b, (size_t[]){row + i, end}, 2, NULL, 0, b->at.inner_copy + state);
    }
}

/* Whether one of them accepts. The matrices are cleared, and the states go where those within the segment were, exactly
 * 0 or 1. */
static void find_answer(builder *b)
{
    /* accept = min(1, max(0, 2 count - 1/2)), reject = min(1, max(0, 3/2 - 2 count)) */
    static const float units[][3] = {{-0.5f, 2, 1}, {-1.5f, 2, -1}, {1.5f, -2, 1}, {0.5f, -2, -1}};
    for (int unit = 0; unit < 4; unit++) {
        begin_unit(b, units[unit][0]);
        for (size_t q = 0; q < b->a->states; q++)
            if (b->a->accepts[q] != 0)
                read_value(b, b->at.inner_copy + q, units[unit][1]);
        write_value(b, unit < 2 ? b->at.accept : b->at.reject, units[unit][2]);
    }
    clear_values(b, b->at.inner, b->inner);
    clear_values(b, b->at.outer, 2 * b->outer);
    for (size_t q = 0; q < b->a->states; q++)
        add_whether(b, b->at.inner_copy + q, b->at.inner + q);
}

static void fill_output(builder *b)
{
    const size_t first = BIPE_AUTOMATON_SYMBOLS + b->a->symbols;
    for (size_t c = 0; c < b->h.hidden; c++)
        row_of(b, BIPE_ROLE_NORM, 0)[c] = LOGIT * CONSTANT / sqrtf((float)b->h.hidden);
    for (size_t q = 0; q < b->a->states; q++)
        row_of(b, BIPE_ROLE_OUTPUT, first + q)[b->at.inner + q] = 1;
    row_of(b, BIPE_ROLE_OUTPUT, BIPE_AUTOMATON_ACCEPT)[b->at.accept] = TWICE;
    row_of(b, BIPE_ROLE_OUTPUT, BIPE_AUTOMATON_REJECT)[b->at.reject] = TWICE;
}

static void fill(builder *b)
{
    const matrices inner = {b->at.inner, b->at.inner_copy, b->a->sets, b->a->size, SIZE_MAX},
                   outer = {b->at.outer, b->at.outer_copy, 1, &b->a->sets, b->at.separator};
    size_t layer = 0;
    fill_embedding(b);
    fill_biases(b);
    for (size_t i = 0; i < b->inner_steps; i++, layer += 2) {
        begin_layer(b, layer, 0);
        look_back(b, (size_t)1 << i);
        double_span(b, &inner, b->inner, true);
    }
    begin_layer(b, layer++, 0);
    cross_separator(b);
    for (size_t i = 0; i < b->outer_steps; i++, layer += 2) {
        begin_layer(b, layer, 1 + i);
        look_at_separators(b);
        double_span(b, &outer, b->outer, false);
    }
    begin_layer(b, layer++, 1);
    look_at_separators(b);
    find_states(b);
    begin_layer(b, layer, 0);
    find_answer(b);
    fill_output(b);
}

int bipe_automaton_model(bipe_model **model, const bipe_automaton *automaton, size_t length, bipe_error *err)
{
    builder b = {.a = automaton};
    size_t count;
    *model = NULL;
    if (length == 0 || length > BIPE_AUTOMATON_LENGTH)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a length of %zu tokens, expected 1 to %d", length,
                         (int)BIPE_AUTOMATON_LENGTH);
    plan(&b, length);
    uint64_t parameters;
    int status = bipe_model_plan(&b.h, &parameters, err);
    if (status == BIPE_OK)
        status = bipe_memory_check(bipe_memory_available(""), bipe_bytes_of((double)parameters * sizeof(float)), err,
                                   "smaller sets of states and shorter texts take less", "a model of width %" PRIu32
                                   " with %" PRIu64 " parameters takes", b.h.hidden, parameters);
    if (status == BIPE_OK)
        status = bipe_model_create(&b.model, &b.h, 0, err);
    if (status != BIPE_OK)
        return status;
    b.values = bipe_model_values(b.model, &count);
    memset(b.values, 0, count * sizeof *b.values);
    fill(&b);
    bipe_model_changed(b.model);
    *model = b.model;
    return BIPE_OK;
}
