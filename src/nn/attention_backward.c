/* attention_backward.c - the gradients of attention, from the kept log-sum-exp (Dao et al. 2022).
 *
 * With weights p = e^(score - lse), g = d_out v^T and delta = sum of out * d_out for each query:
 *
 *   dv = p^T d_out      ds = p * (g - delta)      dq = scale * ds k      dk = scale * ds^T q
 *
 * ds is the gradient of a bias, and with a cap times its derivative that of q k^T * scale. As in attention.c tiles are
 * (keys, queries), here of several panels: p^T and ds^T come out of the first two products, and are left operands of
 * the other three as they lie. */
#include "nn/attention_parts.h"

#include <string.h>

enum {
    BLOCK = 144,           /* keys of a tile */
    FEW = 48, MANY = 192,  /* its queries, about: a 16th of the window, since half of what lies on the diagonal is
                              lost */
    TILES = 4              /* of queries, for which a block of keys stays close */
};

/* Rows of floats that are the panel of a product as they lie: whole vectors of them. */
typedef struct lying {
    const float *at;
    size_t ld;
} lying;

/* Scratch, in floats; D' is D in whole vectors. */
typedef struct work {
    const nn_attention *a;
    const nn_attention_window *rows;
    const nn_micro *micro;
    const nn_lanes *lanes;
    size_t length, d, deep, nr; /* L, D, D', NR */
    size_t wide, queries;       /* queries of a tile, of a chunk of tiles */
    lying k;                  /* (L) keys */
    lying q, g;               /* (queries) of the chunk: q, d_out */
    float *k_copy, *q_copy, *g_copy; /* of them, (.., D') with zeros at the end, unless D is D' */
    float *q_panel, *g_panel; /* for each panel of the chunk (D, NR): q times scale and log2 e; d_out times scale */
    float *lse, *delta;       /* (queries); lse in units of ln 2; delta times scale */
    float *p, *s, *slope;     /* a tile (BLOCK, wide): p^T, ds^T times scale, derivatives of the cap */
} work;

/* Its size; with `memory`, sets where the parts are. */
static size_t lay_out_memory(work *w, float *memory)
{
    size_t d = w->d, copied = w->deep == d ? 0 : w->deep;
    struct {
        float **part;
        size_t floats;
    } parts[] = {{&w->k_copy, w->length * copied}, {&w->q_copy, w->queries * copied}, {&w->g_copy, w->queries * copied},
                 {&w->q_panel, w->queries * d},    {&w->g_panel, w->queries * d},     {&w->lse, w->queries},
                 {&w->delta, w->queries},          {&w->p, BLOCK * w->wide},          {&w->s, BLOCK * w->wide},
                 {&w->slope, BLOCK * w->wide}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; used += nn_whole(parts[i].floats, 16), i++)
        if (memory != NULL)
            *parts[i].part = memory + used;
    return used;
}

static work work_of(const nn_cpu *cpu, size_t length, size_t d)
{
    size_t nr = cpu->f32->columns, wide = nn_whole(length / 16 < FEW ? FEW : nn_smaller(length / 16, MANY), nr);
    return (work){.micro = cpu->f32, .lanes = cpu->lanes, .length = length, .d = d,
                  .deep = nn_whole(d, cpu->f32->lanes), .nr = nr, .wide = wide, .queries = TILES * wide};
}

size_t nn_attention_backward_scratch(const nn_cpu *cpu, size_t length, size_t d)
{
    work w = work_of(cpu, length, d);
    return lay_out_memory(&w, NULL) * sizeof(float);
}

/* x (count, D), or a copy of it with whole vectors. */
static lying lay_rows(const work *w, const float *x, size_t ld, size_t count, float *copy)
{
    if (w->d == w->deep)
        return (lying){x, ld};
    memset(copy, 0, count * w->deep * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        memcpy(copy + i * w->deep, x + i * ld, w->d * sizeof *copy);
    return (lying){copy, w->deep};
}

static lying rows_from(const lying *rows, size_t first)
{
    return (lying){rows->at + first * rows->ld, rows->ld};
}

/* y (rows, D) += left x panel (steps, D). Few vectors of sums would wait for each other: columns are divided into parts
 * of about the same size. */
static void add_product(const work *w, nn_left left, size_t rows, size_t steps, lying panel, float *y, size_t ld)
{
    size_t parts = (w->deep + w->nr - 1) / w->nr, columns = nn_whole((w->deep + parts - 1) / parts, w->micro->lanes);
    left.group = w->micro->rows * left.row;
    for (size_t c = 0; c < w->d; c += columns)
        w->micro->run(steps, &left, &(nn_right){.at = panel.at + c, .ld = panel.ld}, y + c, ld, rows,
                      nn_smaller(columns, w->d - c), true);
}

/* Queries first .. first + count - 1 of a head as operands. */
static void open_chunk(work *w, size_t head, size_t first, size_t count)
{
    const nn_attention_window *r = w->rows;
    size_t d = w->d;
    const float *q = r->q + first * r->ldq + head * d, *g = r->d_out + first * r->ld_out + head * d;
    const float *out = r->out + first * r->ldo + head * d;
    float scale = w->a->scale;
    w->q = lay_rows(w, q, r->ldq, count, w->q_copy);
    w->g = lay_rows(w, g, r->ld_out, count, w->g_copy);
    nn_pack(NULL, w->nr, q, r->ldq, false, count, d, w->q_panel);
    nn_pack(NULL, w->nr, g, r->ld_out, false, count, d, w->g_panel);
    for (size_t i = 0; i < nn_whole(count, w->nr) * d; i++) {
        w->q_panel[i] *= scale * NN_LOG2E;
        w->g_panel[i] *= scale;
    }
    for (size_t i = 0; i < nn_whole(count, w->nr); i++) {
        w->lse[i] = i < count ? r->lse[head * r->ldl + first + i] * NN_LOG2E
                              : -NN_LOWEST; /* weights of unused lanes are 0 */
        w->delta[i] = i < count ? nn_inner(out + i * r->ldo, g + i * r->ld_out, d) * scale : 0;
    }
}

/* Adds ds (keys, lanes) of keys `key` .. and queries query .. end - 1 to the gradients of the head's tables. */
static void add_to_tables(const work *w, size_t head, size_t lanes, size_t key, size_t keys, size_t query, size_t end)
{
    for (size_t b = 0; b < w->a->biases; b++) {
        const nn_bias *bias = &w->a->bias[head * w->a->biases + b];
        for (size_t i = 0; i < keys && bias->d_table != NULL; i++)
            for (size_t t = query > key + i ? query : key + i; t < end; t++) {
                uint32_t here = bias->index[t], there = bias->index[key + i];
                size_t distance = here > there ? here - there : 0;
                bias->d_table[nn_smaller(distance, bias->table_size - 1)] += w->s[i * lanes + t - query] / w->a->scale;
            }
    }
}

/* Queries query .. end - 1 of the chunk and the keys of a block that they see: p and ds; adds to dq, dk and dv. */
static void differentiate_tile(const work *w, size_t head, size_t chunk, size_t key, size_t query, size_t end)
{
    const nn_attention_window *r = w->rows;
    size_t d = w->d, nr = w->nr, mr = w->micro->rows, at = query - chunk;
    size_t keys = nn_smaller(BLOCK, end - key), queries = end - query, lanes = nn_whole(queries, w->lanes->width);
    nn_left k = {r->k + key * r->ldk, r->ldk, 1, mr * r->ldk}, v = {r->v + key * r->ldv, r->ldv, 1, mr * r->ldv};
    for (size_t j = 0; j < lanes; j += nr) {
        size_t some = nn_smaller(nr, lanes - j);
        w->micro->run(d, &k, &(nn_right){.at = w->q_panel + (at + j) * d, .ld = nr}, w->p + j, lanes, keys, some,
                      false);
        w->micro->run(d, &v, &(nn_right){.at = w->g_panel + (at + j) * d, .ld = nr}, w->s + j, lanes, keys, some,
                      false);
    }
    nn_attention_scores(w->a, head, w->lanes, w->p, lanes, key, keys, query, end, NULL, w->slope);
    w->lanes->differentiate(w->p, w->s, keys, lanes, w->lse + at, w->delta + at);
    add_to_tables(w, head, lanes, key, keys, query, end);
    if (w->a->cap > 0)
        for (size_t i = 0; i < keys * lanes; i++)
            w->s[i] *= w->slope[i];
    add_product(w, (nn_left){w->s, 1, lanes, 0}, queries, keys, rows_from(&w->k, key),
                r->dq + query * r->ld_dq + head * d, r->ld_dq);
    add_product(w, (nn_left){w->p, lanes, 1, 0}, keys, queries, rows_from(&w->g, at), r->dv + key * r->ld_dv, r->ld_dv);
    add_product(w, (nn_left){w->s, lanes, 1, 0}, keys, queries, rows_from(&w->q, at), r->dk + key * r->ld_dk, r->ld_dk);
}

/* All pairs of a chunk of queries, chunk .. end - 1, and a block of keys. */
static void chunk_and_block(const work *w, size_t head, size_t chunk, size_t end, size_t key)
{
    size_t wide = w->wide, window = w->a->window, last = nn_smaller(key + BLOCK, end);
    /* tiles before `from` see nothing of the block, nor do those from `until` on */
    size_t from = key > chunk ? (key - chunk) / wide * wide : 0, until = nn_whole(end - chunk, wide);
    if (window != 0 && last - 1 + window < end)
        until = last - 1 + window > chunk ? nn_whole(last - 1 + window - chunk, wide) : 0;
    for (size_t at = from; at < until; at += wide)
        differentiate_tile(w, head, chunk, key, chunk + at, nn_smaller(chunk + at + wide, end));
}

void nn_attention_backward(const nn_cpu *cpu, const nn_attention *a, size_t length, size_t d,
                           const nn_attention_window *rows, void *scratch)
{
    work w = work_of(cpu, length, d);
    w.a = a;
    w.rows = rows;
    lay_out_memory(&w, scratch);
    w.k = lay_rows(&w, rows->k, rows->ldk, length, w.k_copy);
    for (size_t head = 0; head < a->heads; head++)
        for (size_t chunk = 0; chunk < length; chunk += w.queries) {
            size_t end = nn_smaller(chunk + w.queries, length);
            open_chunk(&w, head, chunk, end - chunk);
            for (size_t key = 0; key < end; key += BLOCK)
                chunk_and_block(&w, head, chunk, end, key);
        }
}
