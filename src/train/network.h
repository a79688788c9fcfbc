/* network.h - losses of rows of tokens and their gradient with respect to every parameter of a model in memory.
 *
 * The decoder is that of <bipe/score.h>; losses equal those of bipe_evaluator_run() up to rounding. Dropout (Srivastava
 * et al. 2014) is applied to the embedded tokens and to what attention and feed-forward layers add. Results do not
 * depend on the number of threads: every sum has an order of its own. */
#ifndef BIPE_TRAIN_NETWORK_H
#define BIPE_TRAIN_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/threads.h"
#include "model/evaluator.h"
#include "model/model.h"

typedef struct bipe_network bipe_network;

/* One row: L tokens with their positions. */
typedef struct bipe_train_row {
    const uint32_t *ids;      /* (L), each < vocabulary */
    bipe_indices index;       /* (L) each */
    size_t length;            /* L, 1 .. options.length */
    const uint8_t *target;    /* (L) is token t learned: -ln p(ids[t] | ids[0 .. t-1]) counts; target[0] is not looked
                                 at */
    uint64_t draw;            /* seeds the row's positions of randomized-rope and its dropout */
    double *nll;              /* (L) out: the losses of targets; NULL: not wanted */
    const double *brief;      /* (L) losses with a short context, which weigh those of targets: each counts
                                 min(exp(brief - nll), most_weight) times, once where this is NaN. The gradient does not
                                 go through the weight. NULL: each counts once */
} bipe_train_row;

typedef struct bipe_network_options {
    size_t length;            /* tokens of the longest row */
    size_t rows;              /* rows that go through the layers together, at least 1; more take more memory */
    size_t parts; /* 0: all threads work on the same rows. Else the rows of a run are divided into so many parts, each
                     done by one thread, with a gradient of its own: without waiting, and in the cache, for small
                     models. Seen in the digits. */
    bipe_precision precision; /* of products with weights; attention, parameters, sums and gradients are f32 */
    double dropout;           /* 0 <= p < 1 */
    double most_weight;       /* of a target of a row with `brief` */
    bool (*stop)(void);       /* called between rows: true, and true from then on, ends the run with BIPE_STOPPED; NULL:
                                 not called */
    bool recompute;           /* keep only each layer's input, and compute the rest of it again in the backward pass */
} bipe_network_options;

/* The model must be one in memory (bipe_model_values); it and the pool must outlive the network. BIPE_ERR_ARGUMENT: an
 * option is out of range; BIPE_ERR_UNSUPPORTED: the model has a parameter that cannot be trained, or lacks one of its
 * scheme. */
int bipe_network_open(bipe_network **network, bipe_model *model, const bipe_network_options *options, bipe_pool *pool,
                      bipe_error *err);
/* Bytes that bipe_network_open() allocates for a pool of `threads`; SIZE_MAX: more than can be addressed. */
size_t bipe_network_memory(const bipe_model *model, const bipe_network_options *options, size_t threads);
/* *nll_sum: the sum of the losses, with their weights, of all targets of `count` rows. Adds weight * its gradient to
 * `gradient`, laid out as bipe_model_values; NULL: losses only, without dropout. After BIPE_STOPPED both are of no use.
 * An id outside the vocabulary is BIPE_ERR_ARGUMENT. Losses that are not finite are returned as they are. */
int bipe_network_run(bipe_network *network, const bipe_train_row *rows, size_t count, double weight, float *gradient,
                     double *nll_sum, bipe_error *err);
/* To be called when the model's values were changed, before the next run. */
void bipe_network_weights_changed(bipe_network *network);
void bipe_network_close(bipe_network *network);

#endif
