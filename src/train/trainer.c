/* trainer.c - steps of training; see trainer.h. */
#include "train/trainer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/minmax.h"
#include "model/architecture.h"
#include "train/long_weights.h"

/* What goes through the network together. Large models: enough work for all threads, and little memory. Small ones, in
 * parts: so little that it stays in the cache of one thread; parts of fewer tokens do not repay a gradient of their
 * own. Digits depend on it, so it does not depend on the machine. */
enum {
    TOKENS_AT_ONCE = 8192,
    VALUES_AT_ONCE = 1 << 20,
    SMALL = 1 << 22,
    SMALL_TOKENS = 512,
    PARTS = 8,
    FEW_TOKENS = 128
};

struct bipe_trainer {
    bipe_trainer_options options;
    bipe_ranks ranks;
    bipe_model *model;
    bipe_corpus *corpus;
    bipe_network *network;
    bipe_long_weights *weights; /* NULL: each loss counts once */
    bipe_optimizer *optimizer;
    uint64_t steps;          /* that were made */
    size_t first, share;     /* the rows of a batch that are this process's */
    size_t row_count;        /* rows: share, but one at least */
    bipe_train_row *row;     /* (row_count) */
    uint32_t *ids;           /* (row_count, length) */
    size_t levels;           /* of segments, that the scheme needs, but one at least */
    uint32_t *index;         /* (2 * levels, row_count, length) */
    uint8_t *target;         /* (row_count, length) */
    float *values, *gradient; /* (count) */
    size_t count;            /* of parameters */
    uint32_t *order;         /* (rows of the corpus) of epoch `epoch`; NULL: as they stand */
    uint64_t epoch;
};

static size_t levels_of(const bipe_model *model)
{
    return bipe_larger(bipe_scheme_levels(&bipe_model_hyperparameters(model)->scheme), 1);
}

static bipe_network_options network_options(const bipe_model *model, const bipe_trainer_options *options)
{
    const bipe_hyperparameters *h = bipe_model_hyperparameters(model);
    bipe_network_options made = {.length = options->length, .precision = options->precision,
                                 .dropout = options->dropout, .recompute = options->recompute,
                                 .most_weight = options->most_weight};
    size_t tokens = bipe_smaller(VALUES_AT_ONCE / h->hidden, TOKENS_AT_ONCE);
    size_t most = options->batch;
    size_t part = options->batch / PARTS * options->length; /* tokens */
    if (h->parameters <= SMALL && part >= FEW_TOKENS && options->length <= TOKENS_AT_ONCE / PARTS) {
        made.parts = PARTS;
        tokens = SMALL_TOKENS;
        most = (most + PARTS - 1) / PARTS;
    }
    made.rows = bipe_smaller(options->length < tokens ? tokens / options->length : 1, most);
    return made;
}

/* Not the router of experts, nor what has the vocabulary's size. */
static bool is_for_muon(bipe_role role)
{
    switch (role) {
    case BIPE_ROLE_QUERY:
    case BIPE_ROLE_KEY:
    case BIPE_ROLE_VALUE:
    case BIPE_ROLE_ATTENTION:
    case BIPE_ROLE_GATE:
    case BIPE_ROLE_UP:
    case BIPE_ROLE_DOWN:
    case BIPE_ROLE_SHARED_GATE:
    case BIPE_ROLE_SHARED_UP:
    case BIPE_ROLE_SHARED_DOWN: return true;
    default: return false;
    }
}

static bipe_optimizer_run run_of(const bipe_model *model, const bipe_trainer_options *options, size_t i)
{
    bipe_parameter p;
    bipe_model_parameter(model, i, &p);
    return (bipe_optimizer_run){.count = p.rows * p.columns, .decay = p.decay,
                                .rows = options->muon && is_for_muon(p.role) ? p.rows : 0};
}

size_t bipe_trainer_memory(const bipe_model *model, const bipe_trainer_options *options, size_t threads)
{
    bipe_network_options network = network_options(model, options);
    size_t row = sizeof(bipe_train_row) + options->length * (3 * sizeof(uint32_t) + sizeof(uint8_t));
    size_t own = options->batch * row, scratch = 0;
    for (size_t i = 0; i < bipe_model_parameters(model); i++) {
        bipe_optimizer_run run = run_of(model, options, i);
        own += (run.rows != 0 ? 2 : 3) * sizeof(float) * run.count; /* gradient and moments */
        scratch = bipe_larger(scratch, bipe_optimizer_scratch(&run));
    }
    size_t networks = bipe_network_memory(model, &network, threads);
    own += threads * scratch;
    if (options->most_weight > 0)
        own += bipe_long_weights_memory(&options->brief, options->batch, options->length, levels_of(model));
    return networks > SIZE_MAX - own ? SIZE_MAX : networks + own;
}

static int open_optimizer(bipe_trainer *t, bipe_pool *pool, bipe_error *err)
{
    size_t parameters = bipe_model_parameters(t->model);
    bipe_optimizer_run *runs = bipe_alloc(parameters, sizeof *runs);
    if (runs == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < parameters; i++)
        runs[i] = run_of(t->model, &t->options, i);
    int status = bipe_optimizer_open(&t->optimizer, &t->options.optimizer, runs, parameters, pool, err);
    bipe_free(runs);
    return status;
}

static int allocate_rows(bipe_trainer *t, bipe_error *err)
{
    uint64_t rows = bipe_corpus_rows(t->corpus);
    size_t length = t->options.length;
    t->row_count = t->share > 0 ? t->share : 1;
    if (t->row_count > SIZE_MAX / length)
        return bipe_fail_memory(err);
    size_t cells = t->row_count * length;
    t->row = bipe_alloc(t->row_count, sizeof *t->row);
    t->ids = bipe_alloc(cells, sizeof *t->ids);
    t->levels = levels_of(t->model);
    t->index = bipe_alloc(cells, 2 * t->levels * sizeof *t->index);
    t->target = bipe_alloc(cells, sizeof *t->target);
    t->gradient = bipe_alloc_large(t->count, sizeof *t->gradient);
    if (t->row == NULL || t->ids == NULL || t->index == NULL || t->target == NULL || t->gradient == NULL)
        return bipe_fail_memory(err);
    if (!t->options.shuffled)
        return BIPE_OK;
    if (rows > UINT32_MAX)
        return bipe_fail(err, BIPE_ERR_LIMIT,
                         "%" PRIu64 " rows cannot be shuffled, expected at most %" PRIu32 " (--order sequential "
                         "takes more)",
                         rows, UINT32_MAX);
    t->order = bipe_alloc((size_t)rows, sizeof *t->order);
    if (t->order == NULL)
        return bipe_fail_memory(err);
    t->epoch = UINT64_MAX;
    return BIPE_OK;
}

int bipe_trainer_open(bipe_trainer **trainer, bipe_model *model, bipe_corpus *corpus,
                      const bipe_trainer_options *options, const bipe_ranks *ranks, bipe_pool *pool, bipe_error *err)
{
    *trainer = NULL;
    if (bipe_corpus_rows(corpus) == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%" PRIu64 " token%s in all texts, expected at least one row (-L %zu)",
                         bipe_corpus_tokens(corpus), bipe_corpus_tokens(corpus) == 1 ? "" : "s", options->length);
    bipe_trainer *t = bipe_alloc(1, sizeof *t);
    if (t == NULL)
        return bipe_fail_memory(err);
    *t = (bipe_trainer){.options = *options, .ranks = {.count = 1}, .model = model, .corpus = corpus};
    t->values = bipe_model_values(model, &t->count);
    if (ranks != NULL)
        t->ranks = *ranks;
    t->first = options->batch * (size_t)t->ranks.rank / (size_t)t->ranks.count;
    t->share = options->batch * (size_t)(t->ranks.rank + 1) / (size_t)t->ranks.count - t->first;
    bipe_network_options network = network_options(model, options);
    network.stop = t->ranks.count == 1 ? options->stop : NULL;
    int status = allocate_rows(t, err);
    if (status == BIPE_OK)
        status = open_optimizer(t, pool, err);
    if (status == BIPE_OK)
        status = bipe_network_open(&t->network, model, &network, pool, err);
    if (status == BIPE_OK && options->most_weight > 0)
        status = bipe_long_weights_open(&t->weights, &options->brief, t->row_count, options->length, t->levels,
                                        err);
    if (status == BIPE_OK)
        *trainer = t;
    else
        bipe_trainer_close(t);
    return status;
}

uint64_t bipe_trainer_steps(const bipe_trainer *t)
{
    return t->steps;
}

void bipe_trainer_resume(bipe_trainer *t, uint64_t steps)
{
    t->steps = steps;
    bipe_network_weights_changed(t->network);
}

bipe_optimizer *bipe_trainer_optimizer(bipe_trainer *t)
{
    return t->optimizer;
}

/* ---- a step ---- */

/* Float operations for a row, forward and, with `backward`, in both directions: 2 for each weight of a matrix and token
 * forward, twice as many backward; in attention, 2 for each value of queries and keys and each earlier token forward,
 * 2.5 times as many backward, where scores are made again. Work that --recompute repeats does not count. */
static double operations_of(const bipe_trainer *t, size_t tokens, size_t targets, bool backward)
{
    const bipe_hyperparameters *h = bipe_model_hyperparameters(t->model);
    double wide = (double)h->heads * h->head_size, narrow = (double)h->kv_heads * h->head_size, hidden = h->hidden;
    double products = bipe_decoder_has(bipe_decoder_of(h), BIPE_ROLE_GATE) ? 3 : 2, length = (double)tokens;
    double layer = hidden * (2 * wide + 2 * narrow + products * h->feed_forward), passes = backward ? 3 : 1;
    return h->layers * (2 * passes * layer + (backward ? 7 : 2) * wide * length) * length +
           2 * passes * hidden * h->vocabulary * (double)targets;
}

/* A row of a corpus as row i of the batch. */
static int read_row(bipe_trainer *t, bipe_corpus *corpus, uint64_t index, uint64_t number, size_t i,
                    bipe_corpus_row *row, bipe_error *err)
{
    size_t at = i * t->options.length;
    *row = (bipe_corpus_row){.ids = t->ids + at, .index = t->index + at, .levels = t->levels,
                             .stride = t->row_count * t->options.length, .target = t->target + at};
    int status = bipe_corpus_row_read(corpus, index, row, err);
    t->row[i] = (bipe_train_row){.ids = row->ids, .index = bipe_indices_of(row->index, row->levels, row->stride, 0),
                                 .length = row->length, .target = row->target,
                                 .draw = bipe_hash_uint(bipe_hash_uint(BIPE_HASH_EMPTY, t->options.seed), number)};
    return status;
}

/* The rows of this process's share of the next batch; *targets and *operations: of them. */
static int read_rows(bipe_trainer *t, size_t *targets, double *operations, bipe_error *err)
{
    uint64_t rows = bipe_corpus_rows(t->corpus), start = t->steps * t->options.batch + t->first;
    *targets = 0;
    *operations = 0;
    for (size_t i = 0; i < t->share; i++) {
        uint64_t number = start + i, epoch = number / rows, index = number % rows;
        if (t->order != NULL) {
            if (epoch != t->epoch)
                bipe_corpus_shuffle(t->options.seed, epoch, t->order, (size_t)rows);
            t->epoch = epoch;
            index = t->order[index];
        }
        bipe_corpus_row row;
        int status = read_row(t, t->corpus, index, number, i, &row, err);
        if (status != BIPE_OK)
            return status;
        *targets += row.targets;
        *operations += operations_of(t, row.length, row.targets, true);
    }
    return BIPE_OK;
}

int bipe_trainer_step(bipe_trainer *t, bipe_train_step *step, bipe_error *err)
{
    size_t own_targets;
    double operations, sums[3] = {0}; /* loss, targets, tokens */
    int status = read_rows(t, &own_targets, &operations, err);
    if (status != BIPE_OK)
        return status;
    sums[1] = (double)own_targets;
    for (size_t i = 0; i < t->share; i++)
        sums[2] += (double)t->row[i].length;
    status = bipe_ranks_add_doubles(&t->ranks, sums + 1, 2, err);
    if (status == BIPE_OK && sums[1] == 0)
        status = bipe_fail(err, BIPE_ERR_FORMAT,
                           "step %" PRIu64 ": its rows have no token to predict, expected texts that are not empty",
                           t->steps + 1);
    if (status == BIPE_OK && t->weights != NULL)
        status = bipe_long_weights_find(t->weights, t->network, t->row, t->share, err);
    for (size_t i = 0, length, targets;
         status == BIPE_OK && t->weights != NULL && bipe_long_weights_window(t->weights, i, &length, &targets); i++)
        operations += operations_of(t, length, targets, false);
    if (status == BIPE_OK) {
        memset(t->gradient, 0, t->count * sizeof *t->gradient);
        status = bipe_network_run(t->network, t->row, t->share, 1 / sums[1], t->gradient, &sums[0], err);
    }
    if (status == BIPE_OK)
        status = bipe_ranks_add_doubles(&t->ranks, sums, 1, err);
    if (status == BIPE_OK)
        status = bipe_ranks_add_floats(&t->ranks, t->gradient, t->count, err);
    if (status != BIPE_OK)
        return status;
    uint64_t number = t->steps + 1;
    *step = (bipe_train_step){.step = number, .loss = sums[0] / sums[1],
                              .rate = bipe_schedule_rate(&t->options.schedule, number),
                              .norm = bipe_optimizer_norm(t->optimizer, t->gradient), .tokens = (uint64_t)sums[2],
                              .operations = operations};
    if (!isfinite(step->loss) || !isfinite(step->norm))
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "step %" PRIu64 ": the %s is not finite, expected a number; a lower --lr or --clip may help",
                         number, isfinite(step->loss) ? "gradient" : "loss");
    bipe_optimizer_step(t->optimizer, number, step->rate, step->norm, t->gradient, t->values);
    bipe_network_weights_changed(t->network);
    t->steps = number;
    return BIPE_OK;
}

int bipe_trainer_measure(bipe_trainer *t, bipe_corpus *corpus, uint64_t *row, double *nll_sum, uint64_t *targets,
                         bipe_error *err)
{
    uint64_t left = bipe_corpus_rows(corpus) - *row;
    size_t count = left < t->row_count ? (size_t)left : t->row_count;
    double sum;
    for (size_t i = 0; i < count; i++, ++*row) {
        bipe_corpus_row read;
        int status = read_row(t, corpus, *row, *row, i, &read, err);
        if (status != BIPE_OK)
            return status;
        *targets += read.targets;
    }
    int status = bipe_network_run(t->network, t->row, count, 0, NULL, &sum, err);
    *nll_sum += sum;
    return status;
}

void bipe_trainer_close(bipe_trainer *t)
{
    if (t == NULL)
        return;
    bipe_network_close(t->network);
    bipe_long_weights_close(t->weights);
    bipe_optimizer_close(t->optimizer);
    bipe_free(t->row);
    bipe_free(t->ids);
    bipe_free(t->index);
    bipe_free(t->target);
    bipe_free(t->gradient);
    bipe_free(t->order);
    bipe_free(t);
}
