/* attention.c - causal attention forward: panels of queries, blocks of keys from near to far.
 *
 * Pruning. With the scores s_j of a query t over its keys j = 0 .. t (in units of ln 2), M their maximum and n = t + 1,
 * let S be a set of keys with s_j <= M - log2(n) - 24. Then the sum of 2^s_j over S is at most n 2^(M - log2 n) 2^-24 =
 * 2^-24 2^M, so at most 2^-24 of the sum over all keys, which is at least 2^M: leaving S out changes each weight by a
 * relative 2^-24 at most, and the result by 2^-23 of the largest |value|, about as much as rounding does. The running
 * maximum m <= M may stand for M. A block of keys is in S if
 *
 *     |q| max|k| + sum of the bounds of the biases < m - log2(n) - 24        (Cauchy and Schwarz)
 *
 * where -slope * |index[t] - index[j]| is at most -slope * (index[t] - index[last key of the block]) if the index never
 * falls, at most 0 if it may; and a table at most its maximum. With the largest |k| of all blocks and an index that
 * never falls, the bound of a block holds for all that are farther as well: the panel is done. NaN fails every
 * comparison, and prunes nothing.
 *
 * Of the blocks that this leaves, one in ten or fewer is of no use on trained models (ALiBi and BiPE-ALiBi, 1024 to
 * 32768 tokens). The tighter bound q c + |q| r, with the centre c and the radius r of a block's keys, finds one in a
 * hundred more, and none at all without a slope.
 *
 * The test is made for each lane: a lane that is out does not see the block even when its neighbours do, so that its
 * digits do not depend on them. */
#include "nn/attention_parts.h"

#include <math.h>
#include <string.h>

enum {
    PANELS = 4,   /* panels of queries that share the way of a block of keys into the cache */
    MOST_ROWS = 8 /* MR of kernels that have `column` */
};

typedef struct panel {
    size_t head;
    size_t first, end;        /* tokens: lane i is first + i */
    size_t wide;              /* lanes: its queries in whole vectors, at most NR */
    bool done;
    float tables;             /* bound of its tables' terms */
    float farthest_norm;      /* largest |key| of the blocks in front of that of `first` */
    float *q;                 /* panel (D, wide), times scale and log2 e */
    float *o;                 /* (D, wide) */
    float *maximum, *sum;     /* (wide): the running softmax */
    float *hide;              /* (wide): -infinity where the lane is out, else 0 */
    float *norm, *margin;     /* (wide): |q|; log2(n) + 24 */
} panel;

typedef struct work {
    const nn_attention *a;
    const nn_micro *micro;
    const nn_lanes *lanes;
    size_t ldq;
    size_t d, nr, block;      /* D, NR, KB */
    size_t words;             /* of D */
    float *scores;            /* (KB, NR) */
    float *correction;        /* (NR) */
    nn_attention_count count;
} work;

/* Scratch: scores (KB, NR) | correction (NR), as much unused | for each panel: q (D, NR) | o (D, NR) | six of (NR), the
 * last unused. */
static size_t panel_floats(size_t d, size_t wide)
{
    return (2 * nn_whole(d, 2) + 6) * wide;
}

static size_t shared_floats(const nn_cpu *cpu, nn_precision precision)
{
    return (nn_key_block(cpu, precision) + 2) * nn_micro_of(cpu, precision)->columns;
}

size_t nn_attention_scratch(const nn_cpu *cpu, nn_precision precision, size_t d)
{
    return sizeof(float) *
           (shared_floats(cpu, precision) + PANELS * panel_floats(d, nn_micro_of(cpu, precision)->columns));
}

size_t nn_query_block(const nn_cpu *cpu, nn_precision precision, size_t heads)
{
    return nn_micro_of(cpu, precision)->columns * (heads < PANELS ? PANELS / heads : 1);
}

/* The larger one, or the first NaN. */
static float larger_or_nan(float a, float b)
{
    return a > b || isnan(a) ? a : b;
}

static void open_panel(const work *w, panel *p, size_t head, size_t first, size_t end, const float *q, float *memory)
{
    const nn_attention *a = w->a;
    size_t wide = nn_whole(end - first, w->lanes->width), d = w->d;
    *p = (panel){.head = head, .first = first, .end = end, .wide = wide, .q = memory};
    p->o = p->q + nn_whole(d, 2) * wide;
    p->maximum = p->o + nn_whole(d, 2) * wide;
    p->sum = p->maximum + wide;
    p->hide = p->sum + wide;
    p->norm = p->hide + wide;
    p->margin = p->norm + wide;

    float sink = a->sink != NULL ? a->sink[head] * NN_LOG2E : NN_LOWEST;
    sink = sink < NN_LOWEST ? NN_LOWEST : sink;
    /* bfloat16 lengthens neither vector by more than 2^-8 */
    float scale = a->scale * NN_LOG2E, longer = w->micro->step == 2 ? 1.008f : 1;
    for (size_t lane = 0; lane < wide; lane++) {
        float *row = p->o + lane * d; /* not in use yet */
        if (first + lane < end)
            for (size_t c = 0; c < d; c++)
                row[c] = q[lane * w->ldq + c] * scale;
        else
            memset(row, 0, d * sizeof *row);
        if (a->prune) {
            p->norm[lane] = sqrtf(nn_inner(row, row, d)) * longer;
            p->margin[lane] = log2f((float)(first + lane + 1)) + 24;
        }
        p->maximum[lane] = sink;
        p->sum[lane] = a->sink != NULL; /* 2^(sink - maximum) */
        p->hide[lane] = 0;
    }
    nn_pack(w->micro->narrow, wide, p->o, d, false, wide, d, p->q);
    memset(p->o, 0, d * wide * sizeof *p->o);
    if (!a->prune)
        return;
    for (size_t b = 0; b < a->biases; b++) {
        const nn_bias *bias = &a->bias[head * a->biases + b];
        float most = bias->table != NULL ? bias->table[0] : 0;
        for (size_t i = 1; i < bias->table_size && bias->table != NULL; i++)
            most = larger_or_nan(most, bias->table[i]);
        p->tables += most * NN_LOG2E;
    }
    for (size_t b = 0; b < first / w->block; b++)
        p->farthest_norm = larger_or_nan(p->farthest_norm, *nn_norm_of(a->keys, b));
}

/* Whether no key of block b, none longer than `norm`, matters to a lane; sets hide. Returns how many of the panel's
 * queries are out. */
static size_t hide_lanes(const work *w, panel *p, size_t b, float norm)
{
    const nn_attention *a = w->a;
    size_t last = (b + 1) * w->block - 1, out = 0;
    for (size_t lane = 0; lane < p->end - p->first; lane++) {
        size_t t = p->first + lane;
        float bound = p->norm[lane] * norm;
        if (a->cap > 0 && bound > a->cap * NN_LOG2E)
            bound = a->cap * NN_LOG2E;
        bound += p->tables;
        for (size_t i = 0; i < a->biases; i++) {
            const nn_bias *bias = &a->bias[p->head * a->biases + i];
            if (bias->table == NULL && bias->ascending)
                bound -= bias->slope * NN_LOG2E * (float)(bias->index[t] - bias->index[last]);
        }
        /* the query's own block is never out: the maximum is one of real scores then */
        bool hidden = b < t / w->block && bound < p->maximum[lane] - p->margin[lane];
        p->hide[lane] = hidden ? -INFINITY : 0;
        out += hidden;
    }
    return out;
}

void nn_attention_scores(const nn_attention *a, size_t head, const nn_lanes *lanes, float *s, size_t wide, size_t key,
                         size_t keys, size_t query, size_t end, const float *hide, float *slope)
{
    uint32_t here[NN_SCORE_LANES];
    if (a->cap > 0)
        lanes->cap(s, keys, wide, a->cap * NN_LOG2E, slope);
    for (size_t i = 0; i < a->biases; i++) {
        const nn_bias *bias = &a->bias[head * a->biases + i];
        for (size_t lane = 0; lane < wide; lane++)
            here[lane] = bias->index[nn_smaller(query + lane, end - 1)];
        if (bias->table != NULL)
            lanes->table(s, keys, wide, bias->index + key, here, bias->table, bias->table_size, NN_LOG2E);
        else
            lanes->slope(s, keys, wide, bias->index + key, here, bias->slope * NN_LOG2E);
    }
    size_t window = a->window != 0 ? nn_smaller(a->window, INT32_MAX) : INT32_MAX;
    if (hide != NULL || key + keys > query + 1 || end - key > window) {
        static const float shown[NN_SCORE_LANES];
        lanes->mask(s, keys, wide, (int32_t)query - (int32_t)key, (int32_t)window, hide != NULL ? hide : shown);
    }
}

/* As nn_times_panel(). A query that is alone in its panel takes the place of those that are missing as well, where
 * products are not added; next: what will be read after `left`, laid out the same. */
static void times_queries(const work *w, const panel *p, const float *left, size_t rows, size_t stride, size_t steps,
                          const float *right, const float *next, float *c, bool add)
{
    enum { SOME = 8 /* groups */ };
    const nn_micro *micro = w->micro;
    float y[SOME * MOST_ROWS];
    if (p->end - p->first > 1 || micro->column == NULL) {
        nn_times_panel(micro, left, rows, stride, steps, right, p->wide, c, add);
        return;
    }
    size_t most = SOME * micro->rows;
    for (size_t row = 0; row < rows; row += most, left += most * stride) {
        size_t some = nn_smaller(rows - row, most), groups = (some + micro->rows - 1) / micro->rows;
        micro->column(steps, left, stride * micro->rows, groups, right, p->wide, next + row * stride, y);
        for (size_t i = 0; i < some; i++, c += p->wide)
            if (add)
                *c += y[i];
            else
                for (size_t lane = 0; lane < p->wide; lane++)
                    c[lane] = y[i];
    }
}

/* Takes block b into the softmax of the panel. */
static void visit_block(const work *w, panel *p, size_t b, bool hidden)
{
    size_t first = b * w->block, count = nn_smaller(w->block, p->end - first), wide = p->wide, step = w->micro->step,
           next = b - (b != 0);
    const nn_keys *keys = w->a->keys;
    times_queries(w, p, nn_keys_of(keys, b), count, w->words, w->words, p->q, nn_keys_of(keys, next), w->scores, false);
    nn_attention_scores(w->a, p->head, w->lanes, w->scores, wide, first, count, p->first, p->end,
                        hidden ? p->hide : NULL, NULL);
    if (w->lanes->weigh(w->scores, count, wide, p->maximum, p->sum, w->correction, step == 2))
        w->lanes->rescale(p->o, w->d, wide, w->correction);
    times_queries(w, p, nn_values_of(keys, b), w->d, w->block / step, (count + step - 1) / step, w->scores,
                  nn_values_of(keys, next), p->o, true);
}

/* Whether the panel has no use for block b and, if `done`, for none before it. */
static bool passed_by(work *w, panel *p, size_t b, size_t *hidden)
{
    const nn_attention *a = w->a;
    size_t end = (b + 1) * w->block, queries = p->end - p->first;
    *hidden = 0;
    if (b * w->block >= p->end)
        return true;
    if (a->window != 0 && end + a->window <= p->first + 1) {
        p->done = true;
        return true;
    }
    if (!a->prune || end > p->first)
        return false;
    if (hide_lanes(w, p, b, p->farthest_norm) == queries) {
        p->done = true;
        w->count.skipped += b;
    } else {
        *hidden = hide_lanes(w, p, b, *nn_norm_of(a->keys, b));
    }
    if (!p->done && *hidden < queries)
        return false;
    w->count.skipped++;
    return true;
}

static void close_panel(const work *w, const panel *p, float *out, size_t ldo, float *lse)
{
    enum { SOME = 32 }; /* columns at a time */
    _Alignas(64) float turned[NN_MICRO_COLUMNS * SOME], whole[NN_MICRO_COLUMNS];
    size_t count = p->end - p->first;
    for (size_t lane = 0; lane < count; lane++)
        whole[lane] = 1 / p->sum[lane];
    for (size_t c = 0; c < w->d; c += SOME) {
        size_t some = nn_smaller(w->d - c, SOME), ld = nn_whole(some, 4);
        nn_pack(NULL, ld, p->o + c * p->wide, p->wide, false, some, count, turned);
        for (size_t lane = 0; lane < count; lane++)
            for (size_t j = 0; j < some; j++)
                out[lane * ldo + c + j] = turned[lane * ld + j] * whole[lane];
    }
    for (size_t lane = 0; lane < count && lse != NULL; lane++)
        lse[p->first + lane] = (float)((double)p->maximum[lane] * 0.69314718055994530942 + log((double)p->sum[lane]));
}

void nn_attention_run(const nn_attention *a, size_t first, size_t count, const float *q, size_t ldq, float *out,
                      size_t ldo, float *lse, size_t ldl, void *scratch, nn_attention_count *counted)
{
    const nn_keys *keys = a->keys;
    const nn_cpu *cpu = keys->cpu;
    const nn_micro *micro = nn_micro_of(cpu, keys->precision);
    work w = {.a = a, .micro = micro, .lanes = cpu->lanes, .ldq = ldq, .d = keys->d, .nr = micro->columns};
    w.block = nn_key_block(cpu, keys->precision);
    w.words = (w.d + micro->step - 1) / micro->step;
    w.scores = scratch;
    w.correction = w.scores + w.block * w.nr;
    float *memory = w.scores + shared_floats(cpu, keys->precision);
    panel panels[PANELS];

    /* PANELS panels at a time: pieces of all heads, one head after the other */
    size_t pieces = (count + w.nr - 1) / w.nr * a->heads;
    for (size_t begin = 0; begin < pieces; begin += PANELS) {
        size_t open = nn_smaller(PANELS, pieces - begin), end = 0;
        for (size_t i = 0; i < open; i++) {
            size_t head = (begin + i) % a->heads, at = (begin + i) / a->heads * w.nr;
            open_panel(&w, &panels[i], head, first + at, first + nn_smaller(count, at + w.nr),
                       q + at * ldq + head * keys->d, memory + i * panel_floats(keys->d, w.nr));
            end = panels[i].end;
        }
        for (size_t b = (end + w.block - 1) / w.block, left = open; b-- > 0 && left > 0;) {
            left = 0;
            for (size_t i = 0; i < open; i++) {
                panel *p = &panels[i];
                size_t hidden;
                bool use = !p->done && !passed_by(&w, p, b, &hidden);
                left += !p->done;
                if (!use)
                    continue;
                visit_block(&w, p, b, hidden != 0);
                w.count.visited++;
            }
        }
        for (size_t i = 0; i < open; i++) {
            const panel *p = &panels[i];
            close_panel(&w, p, out + (p->first - first) * ldo + p->head * keys->d, ldo,
                        lse == NULL ? NULL : lse + p->head * ldl);
        }
    }
    if (counted != NULL) {
        counted->visited += w.count.visited;
        counted->skipped += w.count.skipped;
    }
}
