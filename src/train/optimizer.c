/* optimizer.c - AdamW over pieces of the array, which threads take; see optimizer.h. */
#include "train/optimizer.h"

#include <math.h>

#include "base/alloc.h"

/* What one task goes through: the order in which squares are added depends on it. */
enum { PIECE = 32768 };

typedef struct piece {
    size_t start, count;
    bool decay;
    double squares;
} piece;

struct bipe_optimizer {
    bipe_optimizer_options options;
    bipe_pool *pool;
    float *moment[2];
    piece *piece;
    size_t pieces;

    /* of the step that is running */
    const float *gradient;
    float *values;
    float factor[2], rate, keep, scale, epsilon; /* see step_piece() */
};

static size_t pieces_of(size_t count)
{
    return count / PIECE + (count % PIECE != 0);
}

int bipe_optimizer_open(bipe_optimizer **optimizer, const bipe_optimizer_options *options,
                        const bipe_optimizer_run *runs, size_t run_count, bipe_pool *pool, bipe_error *err)
{
    *optimizer = NULL;
    size_t count = 0, pieces = 0;
    for (size_t i = 0; i < run_count; i++) {
        count += runs[i].count;
        pieces += pieces_of(runs[i].count);
    }
    bipe_optimizer *o = bipe_alloc(1, sizeof *o);
    if (o == NULL)
        return bipe_fail_memory(err);
    o->options = *options;
    o->pool = pool;
    o->moment[0] = bipe_alloc_large(count, sizeof(float));
    o->moment[1] = bipe_alloc_large(count, sizeof(float));
    o->piece = bipe_alloc(pieces, sizeof *o->piece);
    if (o->moment[0] == NULL || o->moment[1] == NULL || o->piece == NULL) {
        bipe_optimizer_close(o);
        return bipe_fail_memory(err);
    }
    size_t start = 0;
    for (size_t i = 0; i < run_count; i++) {
        for (size_t done = 0; done < runs[i].count; done += PIECE) {
            size_t left = runs[i].count - done;
            o->piece[o->pieces++] =
                (piece){.start = start + done, .count = left < PIECE ? left : PIECE, .decay = runs[i].decay};
        }
        start += runs[i].count;
    }
    *optimizer = o;
    return BIPE_OK;
}

float *bipe_optimizer_moments(bipe_optimizer *optimizer, int which)
{
    return optimizer->moment[which];
}

static void square_piece(void *context, size_t i, size_t worker)
{
    bipe_optimizer *o = context;
    piece *p = &o->piece[i];
    const float *gradient = o->gradient + p->start;
    enum { LANES = 8 }; /* a fixed number of sums, which compilers keep in vectors */
    double sum[LANES] = {0};
    (void)worker;
    size_t j = 0;
    for (; j + LANES <= p->count; j += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            sum[lane] += (double)gradient[j + lane] * (double)gradient[j + lane];
    for (; j < p->count; j++)
        sum[j % LANES] += (double)gradient[j] * (double)gradient[j];
    for (size_t lane = 1; lane < LANES; lane++)
        sum[0] += sum[lane];
    p->squares = sum[0];
}

double bipe_optimizer_norm(bipe_optimizer *o, const float *gradient)
{
    double sum = 0;
    o->gradient = gradient;
    bipe_pool_run(o->pool, o->pieces, square_piece, o);
    for (size_t i = 0; i < o->pieces; i++)
        sum += o->piece[i].squares;
    return sqrt(sum);
}

/* The bias corrections 1 - beta^step are folded into `rate` and `epsilon`:
 *   rate (m / c1) / (sqrt(v / c2) + epsilon) = (rate sqrt(c2) / c1) m / (sqrt(v) + epsilon sqrt(c2)) */
static void step_piece(void *context, size_t i, size_t worker)
{
    bipe_optimizer *o = context;
    const piece *p = &o->piece[i];
    const float *gradient = o->gradient + p->start;
    float *values = o->values + p->start, *m = o->moment[0] + p->start, *v = o->moment[1] + p->start;
    float keep = p->decay ? o->keep : 1, beta1 = o->factor[0], beta2 = o->factor[1], scale = o->scale, rate = o->rate;
    float epsilon = o->epsilon;
    (void)worker;
    for (size_t j = 0; j < p->count; j++) {
        float g = gradient[j] * scale;
        m[j] = beta1 * m[j] + (1 - beta1) * g;
        v[j] = beta2 * v[j] + (1 - beta2) * g * g;
        values[j] = values[j] * keep - rate * m[j] / (sqrtf(v[j]) + epsilon);
    }
}

void bipe_optimizer_step(bipe_optimizer *o, uint64_t step, double rate, double norm, const float *gradient,
                         float *values)
{
    const bipe_optimizer_options *options = &o->options;
    double correction1 = 1 - pow(options->beta1, (double)step),
           correction2 = sqrt(1 - pow(options->beta2, (double)step));
    o->gradient = gradient;
    o->values = values;
    o->factor[0] = (float)options->beta1;
    o->factor[1] = (float)options->beta2;
    o->scale = (float)(options->clip > 0 && norm > options->clip ? options->clip / norm : 1);
    o->keep = (float)(1 - rate * options->weight_decay);
    o->rate = (float)(rate * correction2 / correction1);
    o->epsilon = (float)(options->epsilon * correction2);
    bipe_pool_run(o->pool, o->pieces, step_piece, o);
}

void bipe_optimizer_close(bipe_optimizer *o)
{
    if (o == NULL)
        return;
    bipe_free(o->moment[0]);
    bipe_free(o->moment[1]);
    bipe_free(o->piece);
    bipe_free(o);
}
