/* optimizer.c - AdamW over pieces of the array and Muon over matrices, which threads take; see optimizer.h. */
#include "train/optimizer.h"

#include <math.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "nn/cpu.h"
#include "train/orthogonalize.h"

/* What one task goes through: the order in which squares are added depends on it. */
enum { PIECE = 32768 };

typedef struct piece {
    size_t start, count;
    size_t second;  /* where its second moments begin, unless of_matrix: Muon has none */
    bool decay, of_matrix;
    double squares;
} piece;

typedef struct matrix {
    size_t start, rows, columns;
    bool decay;
} matrix;

struct bipe_optimizer {
    bipe_optimizer_options options;
    bipe_pool *pool;
    float *moment[2];
    size_t count[2]; /* of the moments */
    piece *piece;
    size_t pieces;
    matrix *matrix;
    size_t matrices;
    const nn_cpu *cpu;
    char *scratch;   /* for each thread */
    size_t scratch_size;

    /* of the step that is running */
    const float *gradient;
    float *consumed; /* the same, for matrices to work in */
    float *values;
    double matrix_rate;
    float factor[2], rate, keep, scale, epsilon; /* see step_piece() */
};

static size_t pieces_of(size_t count)
{
    return count / PIECE + (count % PIECE != 0);
}

size_t bipe_optimizer_scratch(const bipe_optimizer_run *run)
{
    return run->rows == 0 ? 0 : bipe_orthogonalize_scratch(nn_cpu_best(), run->rows, run->count / run->rows);
}

static int allocate(bipe_optimizer *o, const bipe_optimizer_run *runs, size_t run_count, bipe_error *err)
{
    size_t pieces = 0, matrices = 0;
    for (size_t i = 0; i < run_count; i++) {
        bool is_matrix = runs[i].rows != 0;
        o->count[0] += runs[i].count;
        o->count[1] += is_matrix ? 0 : runs[i].count;
        pieces += pieces_of(runs[i].count);
        matrices += is_matrix;
        o->scratch_size = bipe_larger(o->scratch_size, bipe_optimizer_scratch(&runs[i]));
    }
    o->moment[0] = bipe_alloc_large(o->count[0], sizeof(float));
    o->moment[1] = bipe_alloc_large(o->count[1], sizeof(float));
    o->piece = bipe_alloc(pieces, sizeof *o->piece);
    o->matrix = bipe_alloc(matrices, sizeof *o->matrix);
    o->scratch = bipe_alloc_large_unset(bipe_pool_threads(o->pool), o->scratch_size);
    return o->moment[0] != NULL && o->moment[1] != NULL && o->piece != NULL && o->matrix != NULL && o->scratch != NULL
               ? BIPE_OK
               : bipe_fail_memory(err);
}

int bipe_optimizer_open(bipe_optimizer **optimizer, const bipe_optimizer_options *options,
                        const bipe_optimizer_run *runs, size_t run_count, bipe_pool *pool, bipe_error *err)
{
    *optimizer = NULL;
    bipe_optimizer *o = bipe_alloc(1, sizeof *o);
    if (o == NULL)
        return bipe_fail_memory(err);
    o->options = *options;
    o->pool = pool;
    o->cpu = nn_cpu_best();
    int status = allocate(o, runs, run_count, err);
    if (status != BIPE_OK) {
        bipe_optimizer_close(o);
        return status;
    }
    size_t start = 0, second = 0;
    for (size_t i = 0; i < run_count; i++) {
        const bipe_optimizer_run *run = &runs[i];
        for (size_t done = 0; done < run->count; done += PIECE)
            o->piece[o->pieces++] = (piece){.start = start + done, .count = bipe_smaller(run->count - done, PIECE),
                                            .second = second + done, .decay = run->decay, .of_matrix = run->rows != 0};
        if (run->rows != 0)
            o->matrix[o->matrices++] = (matrix){start, run->rows, run->count / run->rows, run->decay};
        else
            second += run->count;
        start += run->count;
    }
    *optimizer = o;
    return BIPE_OK;
}

float *bipe_optimizer_moments(bipe_optimizer *optimizer, int which, size_t *count)
{
    *count = optimizer->count[which];
    return optimizer->moment[which];
}

static double add_squares(const float *values, size_t count)
{
    enum { LANES = 8 }; /* a fixed number of sums, which compilers keep in vectors */
    double sum[LANES] = {0};
    size_t j = 0;
    for (; j + LANES <= count; j += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            sum[lane] += (double)values[j + lane] * (double)values[j + lane];
    for (; j < count; j++)
        sum[j % LANES] += (double)values[j] * (double)values[j];
    for (size_t lane = 1; lane < LANES; lane++)
        sum[0] += sum[lane];
    return sum[0];
}

static void square_piece(void *context, size_t i, size_t worker)
{
    bipe_optimizer *o = context;
    piece *p = &o->piece[i];
    (void)worker;
    p->squares = add_squares(o->gradient + p->start, p->count);
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
static void step_piece(const bipe_optimizer *o, const piece *p)
{
    const float *gradient = o->gradient + p->start;
    float *values = o->values + p->start, *m = o->moment[0] + p->start, *v = o->moment[1] + p->second;
    float keep = p->decay ? o->keep : 1, beta1 = o->factor[0], beta2 = o->factor[1], scale = o->scale, rate = o->rate;
    float epsilon = o->epsilon;
    for (size_t j = 0; j < p->count; j++) {
        float g = gradient[j] * scale;
        m[j] = beta1 * m[j] + (1 - beta1) * g;
        v[j] = beta2 * v[j] + (1 - beta2) * g * g;
        values[j] = values[j] * keep - rate * m[j] / (sqrtf(v[j]) + epsilon);
    }
}

static void step_matrix(const bipe_optimizer *o, const matrix *of, void *scratch)
{
    size_t count = of->rows * of->columns;
    float *update = o->consumed + of->start, *m = o->moment[0] + of->start, *values = o->values + of->start;
    float momentum = (float)o->options.momentum, scale = o->scale;
    for (size_t j = 0; j < count; j++) {
        float g = update[j] * scale;
        m[j] = momentum * m[j] + (1 - momentum) * g;
        update[j] = (1 - momentum) * g + momentum * m[j];
    }
    bipe_orthogonalize(o->cpu, update, sqrt(add_squares(update, count)), of->rows, of->columns, scratch);
    float keep = (float)(of->decay ? 1 - o->matrix_rate * o->options.weight_decay : 1),
          rate = (float)(o->matrix_rate * 0.2 * sqrt((double)bipe_larger(of->rows, of->columns)));
    for (size_t j = 0; j < count; j++)
        values[j] = values[j] * keep - rate * update[j];
}

/* Matrices take longest, so they come first. */
static void step_part(void *context, size_t i, size_t worker)
{
    bipe_optimizer *o = context;
    if (i < o->matrices)
        step_matrix(o, &o->matrix[i], o->scratch + worker * o->scratch_size);
    else if (!o->piece[i - o->matrices].of_matrix)
        step_piece(o, &o->piece[i - o->matrices]);
}

void bipe_optimizer_step(bipe_optimizer *o, uint64_t step, double rate, double norm, float *gradient, float *values)
{
    const bipe_optimizer_options *options = &o->options;
    double correction1 = 1 - pow(options->beta1, (double)step),
           correction2 = sqrt(1 - pow(options->beta2, (double)step));
    o->gradient = o->consumed = gradient;
    o->values = values;
    o->matrix_rate = rate * options->matrix_rate;
    o->factor[0] = (float)options->beta1;
    o->factor[1] = (float)options->beta2;
    o->scale = (float)(options->clip > 0 && norm > options->clip ? options->clip / norm : 1);
    o->keep = (float)(1 - rate * options->weight_decay);
    o->rate = (float)(rate * correction2 / correction1);
    o->epsilon = (float)(options->epsilon * correction2);
    bipe_pool_run(o->pool, o->matrices + o->pieces, step_part, o);
}

void bipe_optimizer_close(bipe_optimizer *o)
{
    if (o == NULL)
        return;
    bipe_free(o->moment[0]);
    bipe_free(o->moment[1]);
    bipe_free(o->piece);
    bipe_free(o->matrix);
    bipe_free(o->scratch);
    bipe_free(o);
}
