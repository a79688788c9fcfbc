/* trainer.h - one step of training after the other: rows of the corpus in the order of the run, the gradient of their
 * mean loss, an update of the weights.
 *
 * All that a step does follows from its number: which rows, which random draws, which learning rate. So a run that
 * continues from a checkpoint gives the bits of one that was never interrupted. */
#ifndef BIPE_TRAIN_TRAINER_H
#define BIPE_TRAIN_TRAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/threads.h"
#include "measure/key_tokens.h"
#include "model/parameters.h"
#include "train/corpus.h"
#include "train/network.h"
#include "train/optimizer.h"
#include "train/ranks.h"
#include "train/schedule.h"

typedef struct bipe_trainer bipe_trainer;

typedef struct bipe_trainer_options {
    size_t length;              /* L, tokens of a row */
    size_t batch;               /* rows of a step */
    bool shuffled;              /* rows in another order in each epoch; otherwise as they stand */
    uint64_t seed;
    bipe_schedule schedule;
    bipe_optimizer_options optimizer;
    bool muon;                  /* matrices of attention and of feed-forward layers are updated by Muon */
    bipe_precision precision;
    double dropout;
    double most_weight;         /* of a token, with the losses of long_weights.h; 0: each counts once */
    bipe_key_rule brief;        /* context and step of those */
    bool recompute;             /* activations are computed again in the backward pass instead of being kept */
    bool (*stop)(void); /* called between rows: true ends a step, which then counts for nothing; NULL: not called. With
                           several processes it is not called, since the others would wait. */
} bipe_trainer_options;

/* The result of one step. */
typedef struct bipe_train_step {
    uint64_t step;              /* from 1 */
    double loss;                /* nats a target, with their weights, before the update */
    double rate, norm;          /* learning rate; norm of the gradient before clipping */
    uint64_t tokens;            /* of its rows */
    double operations;          /* float operations of products and attention that this process did for it */
} bipe_train_step;

/* Bytes that training takes beside the model's weights: gradient, moments, activations, the rows of a batch. */
size_t bipe_trainer_memory(const bipe_model *model, const bipe_trainer_options *options, size_t threads);

/* The model, in memory, is changed by steps. All of these must outlive the trainer. BIPE_ERR_FORMAT: the corpus has no
 * row. ranks: the processes that share each batch, NULL: this one alone. */
int bipe_trainer_open(bipe_trainer **trainer, bipe_model *model, bipe_corpus *corpus,
                      const bipe_trainer_options *options, const bipe_ranks *ranks, bipe_pool *pool, bipe_error *err);
/* Steps done so far; bipe_trainer_resume() sets the number when a run continues from a checkpoint. */
uint64_t bipe_trainer_steps(const bipe_trainer *trainer);
void bipe_trainer_resume(bipe_trainer *trainer, uint64_t steps);
bipe_optimizer *bipe_trainer_optimizer(bipe_trainer *trainer);
/* The next step. BIPE_STOPPED: stopped; BIPE_ERR_FORMAT: its loss or gradient is not finite; the weights are then as
 * before it. */
int bipe_trainer_step(bipe_trainer *trainer, bipe_train_step *step, bipe_error *err);
/* Losses of the rows of another corpus with rows of the same length, from *row on: as many rows as a step has, or all
 * that are left. *row: the row after them. Their losses are added to *nll_sum, and how many they are to *targets. This
 * process measures all of them. */
int bipe_trainer_measure(bipe_trainer *trainer, bipe_corpus *corpus, uint64_t *row, double *nll_sum, uint64_t *targets,
                         bipe_error *err);
void bipe_trainer_close(bipe_trainer *trainer);

#endif
