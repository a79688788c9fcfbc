/* forward.c - the decoder, stage by stage over the rows of a pass (He et al. 2024; Touvron et al. 2023). */
#include "model/forward.h"

#include <math.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t bipe_forward_scratch(const bipe_model *model, size_t panel)
{
    size_t rows = (size_t)BIPE_TILE * (model->hyper.hidden + 2 * (size_t)BIPE_CHUNK) + panel;
    return larger(rows, nn_attention_rows_scratch(model->hyper.head_size));
}

/* ---- where a task's rows are ---- */

typedef struct tile {
    const bipe_window *window;
    size_t number;       /* of the window in the pass */
    size_t first, count; /* tokens of the window */
    size_t row;          /* of token `first` in the arrays */
    float *a, *g, *u, *panel; /* the worker's scratch */
} tile;

static size_t tiles_of(const bipe_evaluator *e)
{
    return (e->length + BIPE_TILE - 1) / BIPE_TILE;
}

static tile tile_of(const bipe_evaluator *e, size_t i, size_t worker)
{
    size_t tiles = tiles_of(e), c = e->model->hyper.hidden;
    tile t = {.number = i / tiles, .first = i % tiles * BIPE_TILE};
    t.window = &e->windows[t.number];
    t.count = smaller(e->length - t.first, BIPE_TILE);
    t.row = t.number * e->length + t.first;
    t.a = e->scratch + worker * e->scratch_size;
    t.g = t.a + BIPE_TILE * c;
    t.u = t.g + (size_t)BIPE_TILE * BIPE_CHUNK;
    t.panel = t.u + (size_t)BIPE_TILE * BIPE_CHUNK;
    return t;
}

static bool wanted(const bipe_window *window, size_t token)
{
    return token < window->length && (window->wanted == NULL || window->wanted[token] != 0);
}

/* A token's loss comes from the row before it: the last layer leaves out tiles that no loss needs. */
static bool needed(const bipe_evaluator *e, const bipe_window *window, size_t first, size_t count)
{
    bool any = !e->last;
    for (size_t token = first + 1; token <= first + count && !any; token++)
        any = wanted(window, token);
    return any;
}

static const uint32_t *indices_of(const bipe_evaluator *e, const bipe_window *window, bipe_position_index index)
{
    switch (index) {
    case BIPE_INDEX_SEGMENT: return window->segment;
    case BIPE_INDEX_INTRA: return window->intra;
    case BIPE_INDEX_TOKEN: break;
    }
    return e->token;
}

/* ---- products ---- */

static const nn_matrix *matrix_of(const bipe_evaluator *e, bipe_role role)
{
    return &bipe_model_weight(e->model, role, e->layer)->matrix;
}

static void linear(const bipe_evaluator *e, const tile *t, const float *x, size_t ldx, const nn_matrix *w, bool add, float *y,
                   size_t ldy)
{
    nn_linear(x, ldx, t->count, w, e->bf16, t->panel, e->panel_size, add, y, ldy);
}

static void normalize(const bipe_evaluator *e, const tile *t, bipe_role role)
{
    const float *norm = bipe_weight_floats(bipe_model_weight(e->model, role, e->layer));
    size_t c = e->model->hyper.hidden;
    for (size_t i = 0; i < t->count; i++)
        nn_rmsnorm(e->x + (t->row + i) * c, norm, e->model->hyper.rms_norm_eps, t->a + i * c, c);
    if (e->bf16)
        nn_round_bf16(t->a, t->count * c);
}

/* ---- stages ---- */

/* x = embedding of the token + what the scheme adds. */
static void embed(void *context, size_t i, size_t worker)
{
    const bipe_evaluator *e = context;
    const bipe_position_tables *p = &e->positions;
    const bipe_model *m = e->model;
    tile t = tile_of(e, i, worker);
    size_t c = m->hyper.hidden;
    const nn_matrix *table = matrix_of(e, BIPE_ROLE_LEARNED);
    const uint32_t *learned = indices_of(e, t.window, p->learned_index);
    for (size_t j = 0; j < t.count; j++) {
        size_t token = t.first + j;
        float *x = e->x + (t.row + j) * c;
        nn_matrix row = nn_rows(matrix_of(e, BIPE_ROLE_EMBEDDING), t.window->ids[token], 1);
        nn_widen(row.type, row.data, x, c);
        if (p->learned) {
            row = nn_rows(table, smaller(learned[token], table->rows - 1), 1);
            nn_widen(row.type, row.data, t.a, c);
            for (size_t n = 0; n < c; n++)
                x[n] += t.a[n];
        }
        for (size_t n = 0; n < p->sinusoids; n++)
            bipe_position_tables_add_wave(p, indices_of(e, t.window, p->sinusoid_index[n])[token], x);
    }
}

static void place_queries(const bipe_evaluator *e, const tile *t)
{
    const bipe_position_tables *p = &e->positions;
    size_t heads = e->model->hyper.heads, d = e->model->hyper.head_size;
    const uint32_t *rotation = indices_of(e, t->window, p->rotation_index);
    const uint32_t *scale = indices_of(e, t->window, p->log_index);
    for (size_t j = 0; j < t->count; j++) {
        float *row = e->q + (t->row + j) * heads * d;
        if (p->log_scale) {
            float factor = bipe_position_tables_log_factor(p, scale[t->first + j]);
            for (size_t n = 0; n < heads * d; n++)
                row[n] *= factor;
        }
        if (p->rotates) {
            size_t at = rotation[t->first + j] * p->half;
            for (size_t h = 0; h < heads; h++)
                nn_rotate(row + h * d, p->query_cos + at, p->query_sin + at, p->half);
        }
    }
}

static void place_keys(const bipe_evaluator *e, const tile *t)
{
    const bipe_position_tables *p = &e->positions;
    size_t groups = e->model->hyper.kv_heads, d = e->model->hyper.head_size;
    const uint32_t *rotation = indices_of(e, t->window, p->rotation_index);
    if (!p->rotates)
        return;
    for (size_t j = 0; j < t->count; j++) {
        float *row = e->k + (t->row + j) * groups * d;
        size_t at = rotation[t->first + j] * p->half;
        for (size_t h = 0; h < groups; h++)
            nn_rotate(row + h * d, p->key_cos + at, p->key_sin + at, p->half);
    }
}

/* q, k, v = norm(x) W, with their positions. */
static void project(void *context, size_t i, size_t worker)
{
    const bipe_evaluator *e = context;
    const bipe_hyperparameters *h = &e->model->hyper;
    size_t c = h->hidden, wide = (size_t)h->heads * h->head_size, narrow = (size_t)h->kv_heads * h->head_size;
    tile t = tile_of(e, i, worker);
    normalize(e, &t, BIPE_ROLE_ATTENTION_NORM);
    linear(e, &t, t.a, c, matrix_of(e, BIPE_ROLE_KEY), false, e->k + t.row * narrow, narrow);
    linear(e, &t, t.a, c, matrix_of(e, BIPE_ROLE_VALUE), false, e->v + t.row * narrow, narrow);
    place_keys(e, &t);
    if (!needed(e, t.window, t.first, t.count))
        return;
    linear(e, &t, t.a, c, matrix_of(e, BIPE_ROLE_QUERY), false, e->q + t.row * wide, wide);
    place_queries(e, &t);
}

/* One head of one block of queries; the longest rows go first, so that no thread is left with one at the end. */
static void attend(void *context, size_t i, size_t worker)
{
    const bipe_evaluator *e = context;
    const bipe_position_tables *p = &e->positions;
    const bipe_hyperparameters *h = &e->model->hyper;
    size_t d = h->head_size, wide = h->heads * d, narrow = h->kv_heads * d;
    size_t blocks = (e->length + NN_QUERY_BLOCK - 1) / NN_QUERY_BLOCK, beside = e->count * h->heads;
    size_t block = blocks - 1 - i / beside, number = i % beside / h->heads, head = i % h->heads;
    size_t first = block * NN_QUERY_BLOCK, count = smaller(e->length - first, NN_QUERY_BLOCK);
    size_t tile_first = first - first % BIPE_TILE;
    const bipe_window *window = &e->windows[number];
    if (!needed(e, window, tile_first, smaller(e->length - tile_first, BIPE_TILE)))
        return;
    nn_bias bias[BIPE_SCHEME_TERMS];
    for (size_t b = 0; b < p->biases; b++) {
        const bipe_bias_term *term = &p->bias[b];
        bias[b] = (nn_bias){.index = indices_of(e, window, term->index)};
        if (term->table != NULL) {
            bias[b].table = term->table + head * BIPE_T5_FARTHEST;
            bias[b].table_size = BIPE_T5_FARTHEST;
        } else {
            bias[b].slope = term->slope[head];
        }
    }
    size_t row = number * e->length, group = head / (h->heads / h->kv_heads);
    float *q = e->q + (row + first) * wide + head * d;
    nn_attention_rows(q, wide, e->k + row * narrow + group * d, narrow, e->v + row * narrow + group * d, narrow, first, count, d,
                 (float)(1 / sqrt((double)d)), bias, p->biases, e->scratch + worker * e->scratch_size, q, wide);
}

/* x += attention W; x += (silu(norm(x) gate) * norm(x) up) down. */
static void feed(void *context, size_t i, size_t worker)
{
    const bipe_evaluator *e = context;
    const bipe_hyperparameters *h = &e->model->hyper;
    size_t c = h->hidden, wide = (size_t)h->heads * h->head_size;
    tile t = tile_of(e, i, worker);
    if (!needed(e, t.window, t.first, t.count))
        return;
    float *x = e->x + t.row * c, *attended = e->q + t.row * wide;
    if (e->bf16)
        nn_round_bf16(attended, t.count * wide);
    linear(e, &t, attended, wide, matrix_of(e, BIPE_ROLE_ATTENTION), true, x, c);
    normalize(e, &t, BIPE_ROLE_FEED_FORWARD_NORM);
    for (size_t first = 0; first < h->feed_forward; first += BIPE_CHUNK) {
        size_t count = smaller(h->feed_forward - first, BIPE_CHUNK);
        nn_matrix gate = nn_rows(matrix_of(e, BIPE_ROLE_GATE), first, count), up = nn_rows(matrix_of(e, BIPE_ROLE_UP), first, count);
        nn_matrix down = nn_columns(matrix_of(e, BIPE_ROLE_DOWN), first, count);
        linear(e, &t, t.a, c, &gate, false, t.g, count);
        linear(e, &t, t.a, c, &up, false, t.u, count);
        nn_silu_mul(t.g, t.u, t.count * count);
        if (e->bf16)
            nn_round_bf16(t.g, t.count * count);
        linear(e, &t, t.g, count, &down, true, x, c);
    }
}

/* nll of token t + 1 from row t: ln of the sum of e^logits, less the logit of the token. */
static void lose(void *context, size_t i, size_t worker)
{
    const bipe_evaluator *e = context;
    size_t vocabulary = e->model->hyper.vocabulary, c = e->model->hyper.hidden;
    tile t = tile_of(e, i, worker);
    const bipe_window *w = t.window;
    if (!needed(e, w, t.first, t.count))
        return;
    nn_log_sum sum[BIPE_TILE];
    float logit[BIPE_TILE] = {0};
    for (size_t j = 0; j < t.count; j++)
        sum[j] = nn_log_sum_start;
    normalize(e, &t, BIPE_ROLE_NORM);
    for (size_t first = 0; first < vocabulary; first += BIPE_CHUNK) {
        size_t count = smaller(vocabulary - first, BIPE_CHUNK);
        nn_matrix words = nn_rows(matrix_of(e, BIPE_ROLE_OUTPUT), first, count);
        linear(e, &t, t.a, c, &words, false, t.g, count);
        for (size_t j = 0; j < t.count; j++) {
            size_t next = t.first + j + 1;
            if (!wanted(w, next))
                continue;
            size_t id = w->ids[next];
            if (id >= first && id < first + count)
                logit[j] = t.g[j * count + id - first];
            nn_log_sum_add(&sum[j], t.g + j * count, count, false);
        }
    }
    for (size_t j = 0; j < t.count; j++) {
        size_t next = t.first + j + 1;
        if (wanted(w, next))
            w->nll[next - 1] = nn_log_sum_result(&sum[j]) - (double)logit[j];
    }
}

void bipe_forward(bipe_evaluator *e, const bipe_window *windows, size_t count)
{
    const bipe_hyperparameters *h = &e->model->hyper;
    e->windows = windows;
    e->count = count;
    e->length = windows[0].length;
    e->last = false;
    bipe_position_tables_prepare(&e->positions, e->length);
    size_t tiles = count * tiles_of(e);
    size_t blocks = (e->length + NN_QUERY_BLOCK - 1) / NN_QUERY_BLOCK;
    bipe_pool_run(e->pool, tiles, embed, e);
    for (uint32_t n = 0; n < h->layers; n++) {
        e->layer = n;
        e->last = n + 1 == h->layers;
        bipe_pool_run(e->pool, tiles, project, e);
        bipe_pool_run(e->pool, blocks * count * h->heads, attend, e);
        bipe_pool_run(e->pool, tiles, feed, e);
    }
    bipe_pool_run(e->pool, tiles, lose, e);
}
