/* attention_backward.c - the gradients of attention, from the kept log-sum-exp (Dao et al. 2022).
 *
 * With weights p = e^(score - lse), g = d_out v^T and delta = sum of out * d_out for each query:
 *
 *   dv = p^T d_out      ds = p * (g - delta)      dq = scale * ds k      dk = scale * ds^T q
 *
 * ds is the gradient of a bias, and with a cap times its derivative that of q k^T * scale. As in attention.c tiles are (keys, NR queries): p^T and
 * ds^T come out of the first two products, dq^T = k^T ds^T takes ds^T as its panel; turned tiles are the panels of dv^T = d_out^T p and dk^T = q^T ds, which
 * are summed over many queries at a time. */
#include "nn/attention_parts.h"

#include <string.h>

enum { BLOCK = 144, QUERIES = 192 }; /* about: a block of keys, and the queries that are worked on together */

/* Scratch, in floats; L' is L in whole blocks, D' is D in whole MR. */
typedef struct work {
    const nn_attention *a;
    const nn_attention_window *rows;
    const nn_micro *micro;
    const nn_lanes *lanes;
    size_t length, d, wide, block, queries; /* L, D, NR, keys of a block, queries of a chunk */
    float *k, *v;         /* left operands (D, L') */
    float *k_turned;      /* for each block a left operand (block, D') */
    float *dk, *dv;       /* (L' / NR, D, NR) */
    float *q, *g, *dq;    /* of each panel of the chunk (D, NR): q times scale and log2 e, d_out, dq */
    float *lse, *delta;   /* (queries); lse in units of ln 2 */
    float *q_left, *g_left; /* left operands (queries, D') */
    float *p_turned, *s_turned; /* p and ds of a block: (block / NR, queries, NR) */
    float *p, *s, *slope; /* tiles (block, NR): p^T, ds^T, derivatives of the cap */
} work;

/* Its size; with `memory`, sets where the parts are. */
static size_t lay_out(work *w, float *memory)
{
    size_t wide = w->wide, d = w->d, keys = nn_whole(w->length, w->block), deep = nn_whole(d, w->micro->rows);
    struct {
        float **part;
        size_t floats;
    } parts[] = {{&w->k, keys * d}, {&w->v, keys * d}, {&w->k_turned, keys * deep}, {&w->dk, keys * d}, {&w->dv, keys * d},
                 {&w->q, w->queries * d}, {&w->g, w->queries * d}, {&w->dq, w->queries * d}, {&w->lse, w->queries},
                 {&w->delta, w->queries}, {&w->q_left, w->queries * deep}, {&w->g_left, w->queries * deep},
                 {&w->p_turned, w->block * w->queries}, {&w->s_turned, w->block * w->queries}, {&w->p, w->block * wide},
                 {&w->s, w->block * wide}, {&w->slope, w->block * wide}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; used += nn_whole(parts[i].floats, 16), i++)
        if (memory != NULL)
            *parts[i].part = memory + used;
    return used;
}

static work work_of(const nn_cpu *cpu, size_t length, size_t d)
{
    size_t wide = cpu->f32->columns;
    return (work){.micro = cpu->f32, .lanes = cpu->lanes, .length = length, .d = d, .wide = wide,
                  .block = wide < BLOCK ? BLOCK / wide * wide : wide, .queries = wide < QUERIES ? QUERIES / wide * wide : wide};
}

size_t nn_attention_backward_scratch(const nn_cpu *cpu, size_t length, size_t d)
{
    work w = work_of(cpu, length, d);
    return lay_out(&w, NULL) * sizeof(float);
}

/* Packs rows (count, D) as left operand (count, D') whose groups are `depth` deep. */
static void pack_turned(const work *w, const float *x, size_t ld, size_t count, size_t depth, float *to)
{
    size_t rows = w->micro->rows;
    for (size_t c = 0; c < w->d; c += rows)
        nn_pack(NULL, rows, x + c, ld, true, nn_smaller(rows, w->d - c), count, to + c * depth);
}

/* Queries first .. first + count - 1 of a head as operands. */
static void open_chunk(const work *w, size_t head, size_t first, size_t count)
{
    const nn_attention_window *r = w->rows;
    size_t d = w->d;
    const float *q = r->q + first * r->ldq + head * d, *g = r->d_out + first * r->ld_out + head * d;
    const float *out = r->out + first * r->ldo + head * d;
    float scale = w->a->scale * NN_LOG2E;
    nn_pack(NULL, w->wide, q, r->ldq, false, count, d, w->q);
    nn_pack(NULL, w->wide, g, r->ld_out, false, count, d, w->g);
    for (size_t i = 0; i < nn_whole(count, w->wide) * d; i++)
        w->q[i] *= scale;
    memset(w->dq, 0, nn_whole(count, w->wide) * d * sizeof *w->dq);
    pack_turned(w, q, r->ldq, count, w->queries, w->q_left);
    pack_turned(w, g, r->ld_out, count, w->queries, w->g_left);
    for (size_t i = 0; i < nn_whole(count, w->wide); i++) {
        w->lse[i] = i < count ? r->lse[head * r->ldl + first + i] * NN_LOG2E : -NN_LOWEST; /* weights of unused lanes are 0 */
        w->delta[i] = i < count ? nn_inner(out + i * r->ldo, g + i * r->ld_out, d) : 0;
    }
}

/* Adds ds (keys, NR) of keys `key` .. and queries query .. end - 1 to the gradients of the head's tables. */
static void add_to_tables(const work *w, size_t head, size_t key, size_t keys, size_t query, size_t end)
{
    for (size_t b = 0; b < w->a->biases; b++) {
        const nn_bias *bias = &w->a->bias[head * w->a->biases + b];
        for (size_t i = 0; i < keys && bias->d_table != NULL; i++)
            for (size_t t = query > key + i ? query : key + i; t < end; t++) {
                uint32_t here = bias->index[t], there = bias->index[key + i];
                size_t distance = here > there ? here - there : 0;
                bias->d_table[nn_smaller(distance, bias->table_size - 1)] += w->s[i * w->wide + t - query];
            }
    }
}

/* One panel of the chunk, queries query .. end - 1, and the keys of a block that it sees: leaves p and ds turned, adds to dq. */
static void tile(const work *w, size_t head, size_t chunk, size_t key, size_t query, size_t end)
{
    size_t wide = w->wide, d = w->d, keys = nn_smaller(w->block, end - key), at = query - chunk;
    nn_times_panel(w->micro, w->k + key * d, keys, d, d, w->q + at * d, w->p, false);
    nn_times_panel(w->micro, w->v + key * d, keys, d, d, w->g + at * d, w->s, false);
    nn_attention_scores(w->a, head, w->lanes, w->p, wide, key, keys, query, end, NULL, w->slope);
    w->lanes->differentiate(w->p, w->s, keys, wide, w->lse + at, w->delta + at);
    add_to_tables(w, head, key, keys, query, end);
    if (w->a->cap > 0)
        for (size_t i = 0; i < keys * wide; i++)
            w->s[i] *= w->slope[i];
    nn_times_panel(w->micro, w->k_turned + key * nn_whole(d, w->micro->rows), d, w->block, keys, w->s, w->dq + at * d, true);
    w->lanes->turn(w->p, keys, wide, w->p_turned + at * wide, w->queries);
    w->lanes->turn(w->s, keys, wide, w->s_turned + at * wide, w->queries);
}

/* All pairs of a chunk of queries, chunk .. end - 1, and a block of keys. */
static void chunk_and_block(const work *w, size_t head, size_t chunk, size_t end, size_t key)
{
    size_t wide = w->wide, d = w->d, window = w->a->window, last = nn_smaller(key + w->block, end);
    /* panels before `from` see nothing of the block, nor do those from `until` on */
    size_t from = key > chunk ? (key - chunk) / wide * wide : 0, until = nn_whole(end - chunk, wide);
    if (window != 0 && last - 1 + window < end)
        until = last - 1 + window > chunk ? nn_whole(last - 1 + window - chunk, wide) : 0;
    for (size_t at = from; at < until; at += wide)
        tile(w, head, chunk, key, chunk + at, nn_smaller(chunk + at + wide, end));
    for (size_t i = 0; key + i < last; i += wide) {
        size_t start = key + i > chunk ? (key + i - chunk) / wide * wide : 0, panel = (i * w->queries) + start * wide;
        if (start >= until)
            continue;
        size_t steps = nn_smaller(until, end - chunk) - start, rows = w->micro->rows;
        nn_times_panel(w->micro, w->g_left + start * rows, d, w->queries, steps, w->p_turned + panel, w->dv + (key + i) * d, true);
        nn_times_panel(w->micro, w->q_left + start * rows, d, w->queries, steps, w->s_turned + panel, w->dk + (key + i) * d, true);
    }
}

/* Rows from panels (D, NR), times scale. */
static void rows_of(const work *w, const float *panels, size_t count, float scale, float *to, size_t ld)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < w->d; c++)
            to[i * ld + c] = panels[i / w->wide * w->wide * w->d + c * w->wide + i % w->wide] * scale;
}

void nn_attention_backward(const nn_cpu *cpu, const nn_attention *a, size_t length, size_t d, const nn_attention_window *rows, void *scratch)
{
    work w = work_of(cpu, length, d);
    w.a = a;
    w.rows = rows;
    lay_out(&w, scratch);
    for (size_t key = 0; key < length; key += w.block) {
        size_t count = nn_smaller(w.block, length - key);
        nn_pack(NULL, w.micro->rows, rows->k + key * rows->ldk, rows->ldk, false, count, d, w.k + key * d);
        nn_pack(NULL, w.micro->rows, rows->v + key * rows->ldv, rows->ldv, false, count, d, w.v + key * d);
        pack_turned(&w, rows->k + key * rows->ldk, rows->ldk, count, w.block, w.k_turned + key * nn_whole(d, w.micro->rows));
    }
    memset(w.dk, 0, nn_whole(length, w.block) * d * sizeof *w.dk);
    memset(w.dv, 0, nn_whole(length, w.block) * d * sizeof *w.dv);
    for (size_t head = 0; head < a->heads; head++)
        for (size_t chunk = 0; chunk < length; chunk += w.queries) {
            size_t end = nn_smaller(chunk + w.queries, length);
            open_chunk(&w, head, chunk, end - chunk);
            for (size_t key = 0; key < end; key += w.block)
                chunk_and_block(&w, head, chunk, end, key);
            rows_of(&w, w.dq, end - chunk, a->scale, rows->dq + chunk * rows->ld_dq + head * d, rows->ld_dq);
        }
    rows_of(&w, w.dk, length, a->scale, rows->dk, rows->ld_dk);
    rows_of(&w, w.dv, length, 1, rows->dv, rows->ld_dv);
}
