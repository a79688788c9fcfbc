/* evaluator.c - opens the workspace, checks windows, and gives as many as fit to the forward pass together. */
#include "model/evaluator.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/memory_available.h"
#include "model/forward.h"

/* a * b * size bytes, uninitialised; NULL when the product overflows or memory is exhausted. */
static void *alloc_product(size_t a, size_t b, size_t size)
{
    return b != 0 && a > SIZE_MAX / b ? NULL : bipe_alloc_large_unset(a * b, size);
}

/* Of a block of rows, all key heads. */
static size_t keys_size(const bipe_evaluator *e)
{
    return bipe_layers_keys_size(&e->layers, e->key_block);
}

/* Of a pass, and its blocks of keys: each window has some of its own. */
static size_t most_windows(const bipe_evaluator *e)
{
    return e->max_rows / e->key_block + 1;
}

/* What the sizes of an evaluator follow from, before its weights are packed (`packed` is not); and how much more memory
 * it takes with passes of `rows` rows, or of one window. */
static void plan_memory(bipe_evaluator *e, bipe_model *model, const bipe_evaluator_options *options, bipe_pool *pool,
                        bipe_packed *packed, size_t rows, bipe_memory_need *need)
{
    const bipe_hyperparameters *h = &model->hyper;
    static const nn_precision precisions[] = {[BIPE_PRECISION_F32] = NN_PRECISION_F32,
                                              [BIPE_PRECISION_BF16] = NN_PRECISION_BF16,
                                              [BIPE_PRECISION_INT16] = NN_PRECISION_INT16};
    const nn_precision precision = precisions[options->precision];
    size_t mapped, wide = bipe_heads_most(h).wide, row = (h->hidden + wide) * sizeof(float);
    *e = (bipe_evaluator){.pool = pool, .max_length = options->max_length, .wide = wide};
    e->layers = (bipe_layers){.model = model, .cpu = nn_cpu_best(), .precision = precision, .packed = packed};
    need->weights = bipe_model_packed_size(model, precision, &mapped);
    need->mapped = mapped;
    *packed = (bipe_packed){.widened = mapped != 0};
    e->key_block = nn_key_block(e->layers.cpu, precision);
    size_t whole = (e->max_length + e->key_block - 1) / e->key_block * e->key_block;
    e->max_rows = whole > rows ? whole : rows;
    e->layout = bipe_forward_layout(e);
    size_t window = keys_size(e) + sizeof *e->place + sizeof *e->unit + sizeof *e->done;
    need->workspace = (uint64_t)e->max_rows * (row + sizeof *e->window_of) + (uint64_t)most_windows(e) * window +
                      (uint64_t)bipe_pool_threads(pool) * e->layout.size + (uint64_t)e->max_length * sizeof *e->token;
}

void bipe_evaluator_memory(bipe_model *model, const bipe_evaluator_options *options, bipe_pool *pool,
                           bipe_memory_need *need)
{
    bipe_evaluator plan;
    bipe_packed packed;
    plan_memory(&plan, model, options, pool, &packed, BIPE_BATCH_ROWS, need);
}

/* Where memory is short: passes of fewer rows, down to one window; then weights stay in the file. Passes that read
 * their weights from disk have as many rows as a part of the memory is enough for: more would push the file out of the
 * rest. */
static int choose_rows(bipe_model *model, const bipe_evaluator_options *options, bipe_pool *pool, size_t *rows,
                       bool *streamed, bipe_error *err)
{
    enum { PART = 4 };
    const bool lean = model->lean;
    uint64_t available = bipe_memory_available(""), all = 0;
    bipe_memory_need need;
    bipe_evaluator plan;
    bipe_packed packed;
    do {
        plan_memory(&plan, model, options, pool, &packed, BIPE_BATCH_ROWS, &need);
        all = need.weights + need.workspace + BIPE_MEMORY_SPARE;
        *streamed = all <= UINT64_MAX - need.mapped && all + need.mapped > available;
        for (*rows = *streamed ? BIPE_LARGE_BATCH_ROWS : BIPE_BATCH_ROWS; *rows > 0; *rows /= 2) {
            plan_memory(&plan, model, options, pool, &packed, *rows, &need);
            all = need.weights + need.workspace + BIPE_MEMORY_SPARE;
            if (all <= available && (*rows <= BIPE_BATCH_ROWS || need.workspace <= available / PART))
                return BIPE_OK;
        }
    } while (bipe_model_stay_lean(model, plan.layers.precision));
    model->lean = lean;
    return bipe_memory_check(available, all, err, "shorter windows, fewer threads and quantised weights take less",
                             "windows of %zu tokens take", options->max_length);
}

/* For e->max_rows rows. */
static int make_workspace(bipe_evaluator *e, bipe_error *err)
{
    const bipe_hyperparameters *h = &e->layers.model->hyper;
    size_t threads = bipe_pool_threads(e->pool);
    e->layout = bipe_forward_layout(e);
    e->x = alloc_product(e->max_rows, h->hidden, sizeof *e->x);
    e->q = alloc_product(e->max_rows, e->wide, sizeof *e->q);
    e->keys = alloc_product(most_windows(e), keys_size(e), 1);
    e->scratch = alloc_product(threads, e->layout.size, 1);
    e->token = bipe_alloc(e->max_length, sizeof *e->token);
    e->count = bipe_alloc(threads, sizeof *e->count);
    e->done = bipe_alloc(most_windows(e), sizeof *e->done);
    e->place = bipe_alloc(most_windows(e) + 1, sizeof *e->place);
    e->unit = bipe_alloc(most_windows(e) + 1, sizeof *e->unit);
    e->window_of = alloc_product(e->max_rows, 1, sizeof *e->window_of);
    if (e->x == NULL || e->q == NULL || e->keys == NULL || e->scratch == NULL || e->token == NULL || e->count == NULL ||
        e->done == NULL || e->place == NULL || e->unit == NULL || e->window_of == NULL)
        return bipe_fail(err, BIPE_ERR_MEMORY, "out of memory for windows of %zu tokens", e->max_length);
    for (size_t i = 0; i < e->max_length; i++)
        e->token[i] = (uint32_t)i;
    return BIPE_OK;
}

int bipe_evaluator_open(bipe_evaluator **evaluator, bipe_model *model, const bipe_evaluator_options *options,
                        bipe_pool *pool, bipe_error *err)
{
    *evaluator = NULL;
    if (options->max_length < 1 || options->max_length > BIPE_LENGTH_LIMIT)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a window of %zu tokens, expected 1 to %d", options->max_length,
                         (int)BIPE_LENGTH_LIMIT);
    bipe_memory_need need;
    bipe_packed packed;
    size_t rows;
    bool streamed;
    int status = choose_rows(model, options, pool, &rows, &streamed, err);
    if (status != BIPE_OK)
        return status;
    bipe_evaluator *e = bipe_alloc(1, sizeof *e);
    if (e == NULL)
        return bipe_fail_memory(err);
    plan_memory(e, model, options, pool, &packed, rows, &need);
    e->batch_rows = streamed ? e->max_rows : bipe_smaller(e->max_rows, BIPE_BATCH_ROWS);
    e->streamed = streamed;
    bipe_waits_open(&e->waits);
    nn_precision precision = e->layers.precision;
    status = bipe_layers_open(&e->layers, model, options->scheme, options->rope_scaling, precision,
                                  options->max_length, options->seed, options->dense, pool, err);
    e->query_block = nn_query_block(e->layers.cpu, precision, bipe_heads_most(&model->hyper).group);
    if (status == BIPE_OK)
        status = make_workspace(e, err);
    if (status == BIPE_OK)
        *evaluator = e;
    else
        bipe_evaluator_close(e);
    return status;
}

void bipe_evaluator_attention(const bipe_evaluator *evaluator, uint64_t *visited, uint64_t *skipped)
{
    *visited = *skipped = 0;
    for (size_t i = 0; i < bipe_pool_threads(evaluator->pool); i++) {
        *visited += evaluator->count[i].visited;
        *skipped += evaluator->count[i].skipped;
    }
}

size_t bipe_evaluator_together(const bipe_evaluator *e)
{
    return e->streamed ? e->batch_rows : 0;
}

const char *bipe_evaluator_length_matters(const bipe_evaluator *e)
{
    return bipe_position_tables_length_matters(&e->layers.positions);
}

static int check_window(const bipe_evaluator *e, const bipe_window *w, size_t number, bipe_error *err)
{
    uint32_t vocabulary = e->layers.model->hyper.vocabulary;
    if (w->length < 1 || w->length > e->max_length)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "window %zu: %zu tokens, expected 1 to %zu", number, w->length,
                         e->max_length);
    for (size_t t = 0; t < w->length; t++) {
        if (w->ids[t] >= vocabulary)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "window %zu: token %zu: id %" PRIu32 ", expected less than %" PRIu32, number, t, w->ids[t],
                             vocabulary);
    }
    return bipe_indices_check(&w->index, &e->layers.positions.scheme, 0, w->length, "window", number, err);
}

int bipe_evaluator_check(const bipe_evaluator *e, const bipe_window *windows, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < count && status == BIPE_OK; i++)
        status = check_window(e, &windows[i], i, err);
    return status;
}

int bipe_evaluator_run(bipe_evaluator *e, const bipe_window *windows, size_t count, bipe_error *err)
{
    int status = bipe_evaluator_check(e, windows, count, err);
    if (status != BIPE_OK)
        return status;
    for (size_t first = 0, together; first < count; first += together) {
        together = bipe_forward_batch(e, windows + first, count - first);
        bipe_forward(e, windows + first, together);
    }
    return BIPE_OK;
}

void bipe_evaluator_close(bipe_evaluator *e)
{
    if (e == NULL)
        return;
    bipe_layers_close(&e->layers);
    bipe_waits_close(&e->waits);
    bipe_free(e->x);
    bipe_free(e->q);
    bipe_free(e->keys);
    bipe_free(e->count);
    bipe_free(e->done);
    bipe_free(e->place);
    bipe_free(e->unit);
    bipe_free(e->window_of);
    bipe_free(e->scratch);
    bipe_free(e->token);
    bipe_free(e);
}
