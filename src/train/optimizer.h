/* optimizer.h - AdamW with decoupled weight decay (Loshchilov and Hutter 2019), Muon for matrices that are to have it
 * (Jordan et al. 2024), and clipping by the global norm.
 *
 * Works on one array of all parameters; the gradient has the same layout. The digits do not depend on the number of
 * threads. */
#ifndef BIPE_TRAIN_OPTIMIZER_H
#define BIPE_TRAIN_OPTIMIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/threads.h"

typedef struct bipe_optimizer bipe_optimizer;

typedef struct bipe_optimizer_options {
    double beta1, beta2, epsilon;
    double weight_decay;
    double clip;              /* the largest norm of the gradient; 0: as it is */
    double momentum;          /* of Muon */
    double matrix_rate;       /* learning rate of Muon divided by that of AdamW */
} bipe_optimizer_options;

/* What is done to which parameters: runs of the array, rising and without gaps. */
typedef struct bipe_optimizer_run {
    size_t count;
    bool decay;
    size_t rows;              /* 0: AdamW; else Muon, and the run is a matrix (rows, count / rows) */
} bipe_optimizer_run;

/* Bytes of scratch that a thread needs for a run. */
size_t bipe_optimizer_scratch(const bipe_optimizer_run *run);

/* The pool must outlive the optimizer; the options and the runs are copied. Moments start at 0. */
int bipe_optimizer_open(bipe_optimizer **optimizer, const bipe_optimizer_options *options,
                        const bipe_optimizer_run *runs, size_t run_count, bipe_pool *pool, bipe_error *err);

/* First and second moments, for checkpoints: of all parameters (Muon's is its momentum), and of those of AdamW. */
float *bipe_optimizer_moments(bipe_optimizer *optimizer, int which, size_t *count);

/* The norm of the gradient, added in double precision in a fixed order. */
double bipe_optimizer_norm(bipe_optimizer *optimizer, const float *gradient);

/* Step `step` (from 1) with learning rate `rate`; norm: bipe_optimizer_norm(gradient). values and gradient: (count);
 * the gradient is used up. With g = gradient * min(1, clip / norm), AdamW makes
 *   m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2
 *   value = value (1 - rate * weight_decay) - rate (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + epsilon)
 * and Muon, at r = rate * matrix_rate,
 *   m = momentum m + (1 - momentum) g; u = (1 - momentum) g + momentum m
 *   value = value (1 - r * weight_decay) - r * 0.2 sqrt(max(rows, columns)) bipe_orthogonalize(u)
 * where the factor makes values change about as much as AdamW changes them (Liu et al. 2025, "Moonlight"). */
void bipe_optimizer_step(bipe_optimizer *optimizer, uint64_t step, double rate, double norm, float *gradient,
                         float *values);
void bipe_optimizer_close(bipe_optimizer *optimizer);

#endif
