/* divergence.c - several models over the same windows in step; see divergence.h. */
#include "model/divergence.h"

#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "model/forward.h"

/* Words of a block, or somewhat fewer: of a tile's rows, their logits fit in a second-level cache. */
enum { BLOCK = 1024 };

/* Another model on a tile. */
typedef struct other {
    bipe_forward_loss loss[BIPE_TILE_MOST];
    nn_divergence sums[BIPE_TILE_MOST];
    nn_product product;
    const float *logits; /* (TILE, BLOCK) of the first model */
    size_t block;        /* the first word of the block */
} other;

struct bipe_divergence {
    bipe_evaluator **evaluator; /* (models) */
    size_t models;
    size_t block; /* whole panels, so that the sums of losses are made of the same pieces as in bipe_forward() */
    other *other;               /* (workers, models - 1) */
    unsigned char *scratch;     /* of each worker: logits (TILE, BLOCK) of the first model | rows (TILE, C) of each |
                                   product */
    size_t size;                /* bytes of it */
    size_t most;                /* rows of a tile: TILE */

    /* of the pass that is running */
    bipe_token_divergence *const *const *to;
    size_t first;               /* its first window in the arrays of `to` */
    size_t tile, rows;          /* rows of a tile, of all */
};

/* nn_finish of another model's logits. */
static void compare_logits(void *context, size_t row, size_t rows, size_t column, size_t columns, float *values,
                           size_t ld)
{
    other *o = context;
    bipe_forward_add_logits(o->loss, row, rows, column, columns, values, ld);
    for (size_t i = 0; i < rows; i++)
        nn_divergence_add(&o->sums[row + i], o->logits + (row + i) * BLOCK + (column - o->block), values + i * ld,
                          columns);
}

/* What the sums of a model's rows come to. */
static void store_divergence(const bipe_divergence *d, size_t model, const bipe_forward_loss *first, const other *o)
{
    for (size_t i = 0; i < o->product.m; i++) {
        const bipe_forward_loss *mine = &o->loss[i];
        const nn_divergence *sums = &o->sums[i];
        size_t window = d->first + (size_t)(mine->window - d->evaluator[model]->windows);
        double sum = nn_log_sum_result(&mine->sum), first_sum = nn_log_sum_result(&first[i].sum);
        d->to[model][window][mine->token] = (bipe_token_divergence){
            .divergence = nn_divergence_result(sums, first_sum, sum),
            .change = exp((double)mine->logit - sum) - exp((double)first[i].logit - first_sum),
            .same_choice = sums->choice == sums->other_choice,
        };
    }
}

static void compare_tile(void *context, size_t task, size_t worker)
{
    const bipe_divergence *d = context;
    const bipe_evaluator *a = d->evaluator[0];
    size_t start = task * d->tile, rows = bipe_smaller(d->rows - start, d->tile),
           words = a->layers.model->hyper.vocabulary;
    other *others = d->other + worker * (d->models - 1);
    float *logits = (float *)(void *)(d->scratch + worker * d->size), *x = logits + d->most * BLOCK;
    bipe_forward_loss losses[BIPE_TILE_MOST];
    nn_product first = bipe_forward_logits(a, start, rows, x, losses);
    first.y = logits;
    first.ldy = BLOCK;
    x += d->most * a->layers.model->hyper.hidden;
    for (size_t m = 1; m < d->models; m++) {
        other *o = &others[m - 1];
        o->logits = logits;
        o->product = bipe_forward_logits(d->evaluator[m], start, rows, x, o->loss);
        o->product.finish = compare_logits;
        o->product.context = o;
        for (size_t row = 0; row < first.m; row++)
            o->sums[row] = nn_divergence_start;
        x += d->most * d->evaluator[m]->layers.model->hyper.hidden;
    }
    void *scratch = (void *)(((uintptr_t)x + 63) & ~(uintptr_t)63);
    for (size_t block = 0; block < words && first.m > 0; block += d->block) {
        first.first = block;
        first.count = bipe_smaller(words - block, d->block);
        nn_product_run(a->layers.cpu, &first, scratch);
        for (size_t m = 1; m < d->models; m++) {
            other *o = &others[m - 1];
            o->block = o->product.first = block;
            o->product.count = first.count;
            nn_product_run(d->evaluator[m]->layers.cpu, &o->product, scratch);
        }
    }
    bipe_forward_store(losses, first.m);
    for (size_t m = 1; m < d->models; m++) {
        bipe_forward_store(others[m - 1].loss, first.m);
        store_divergence(d, m, losses, &others[m - 1]);
    }
}

/* Rows of a tile at most, and the bytes of a worker's scratch. */
static void lay_out(bipe_divergence *d)
{
    size_t floats = BLOCK, product = 0;
    for (size_t m = 0; m < d->models; m++)
        d->most = bipe_larger(d->most, bipe_forward_has_large_tiles(d->evaluator[m]) ? BIPE_TILE_MOST
                                                                                    : d->evaluator[m]->key_block);
    for (size_t m = 0; m < d->models; m++) {
        const bipe_layers *l = &d->evaluator[m]->layers;
        size_t c = l->model->hyper.hidden;
        floats += c;
        product = bipe_larger(product, nn_product_scratch(l->cpu, l->precision, d->most,
                                                          bipe_larger(c, NN_PRODUCT_STEP), l->packed->widened));
    }
    d->size = parts_of(d->most * floats * sizeof(float) + product + 64, 4096) * 4096;
}

int bipe_divergence_open(bipe_divergence **divergence, bipe_evaluator *const *evaluator, size_t models,
                         bipe_error *err)
{
    const bipe_evaluator *a = evaluator[0];
    size_t threads = bipe_pool_threads(a->pool), columns = nn_panel_columns(a->layers.cpu, a->layers.precision);
    *divergence = NULL;
    for (size_t m = 1; m < models; m++) {
        const bipe_evaluator *b = evaluator[m];
        uint32_t words = a->layers.model->hyper.vocabulary, other_words = b->layers.model->hyper.vocabulary;
        if (words != other_words)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                             "predictions over %" PRIu32 " words cannot be compared with those over %" PRIu32,
                             other_words, words);
        if (b->pool != a->pool || b->layers.precision != a->layers.precision)
            return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                             "only evaluators of one precision and one pool can be compared");
    }
    bipe_divergence *d = bipe_alloc(1, sizeof *d);
    if (d == NULL)
        return bipe_fail_memory(err);
    d->models = models;
    d->block = BLOCK / columns * columns;
    d->evaluator = bipe_alloc(models, sizeof *d->evaluator);
    for (size_t m = 0; m < models && d->evaluator != NULL; m++)
        d->evaluator[m] = evaluator[m];
    if (d->evaluator != NULL)
        lay_out(d);
    d->other = bipe_alloc(threads * models, sizeof *d->other);
    d->scratch = bipe_alloc_large_unset(threads, d->size);
    if (d->evaluator == NULL || d->scratch == NULL || d->other == NULL) {
        bipe_divergence_close(d);
        return bipe_fail_memory(err);
    }
    *divergence = d;
    return BIPE_OK;
}

size_t bipe_divergence_together(const bipe_divergence *d)
{
    size_t most = 0;
    for (size_t m = 0; m < d->models; m++)
        most = bipe_larger(most, bipe_evaluator_together(d->evaluator[m]));
    return most;
}

int bipe_divergence_run(bipe_divergence *d, const bipe_window *const *windows,
                        bipe_token_divergence *const *const *to, size_t count, bipe_error *err)
{
    const bipe_evaluator *a = d->evaluator[0];
    int status = BIPE_OK;
    for (size_t m = 0; m < d->models && status == BIPE_OK; m++)
        status = bipe_evaluator_check(d->evaluator[m], windows[m], count, err);
    d->to = to;
    for (d->first = 0; d->first < count && status == BIPE_OK;) {
        size_t together = count - d->first;
        for (size_t m = 0; m < d->models; m++)
            together = bipe_forward_batch(d->evaluator[m], windows[m] + d->first, together);
        for (size_t m = 0; m < d->models; m++) {
            d->evaluator[m]->paused = true;
            bipe_forward(d->evaluator[m], windows[m] + d->first, together);
            d->evaluator[m]->paused = false;
        }
        d->rows = bipe_forward_rows(a);
        d->tile = a->tile;
        for (size_t m = 1; m < d->models; m++)
            d->tile = bipe_larger(d->tile, d->evaluator[m]->tile);
        bipe_pool_run(a->pool, parts_of(d->rows, d->tile), compare_tile, d);
        d->first += together;
    }
    return status;
}

void bipe_divergence_close(bipe_divergence *d)
{
    if (d == NULL)
        return;
    bipe_free(d->evaluator);
    bipe_free(d->scratch);
    bipe_free(d->other);
    bipe_free(d);
}
