/* sampler.h - which token comes next: the most probable one, or one drawn from what temperature, top-k, top-p and min-p leave.
 *
 * Probabilities are softmax(logits / temperature). Of these top-k keeps the K most probable tokens; top-p of what is left the fewest that make up
 * P of it (Holtzman et al. 2020); min-p those that have at least P times the largest probability (Nguyen et al. 2024). All is computed in double,
 * with equal logits in the order of ids, so that the same logits and the same state give the same token. */
#ifndef BIPE_MODEL_SAMPLER_H
#define BIPE_MODEL_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct bipe_sampling {
    double temperature; /* 0: the most probable token, the first of several */
    size_t top_k;       /* 0: all */
    double top_p;       /* in (0, 1]; 1: all */
    double min_p;       /* in [0, 1] */
} bipe_sampling;

/* The state of the random numbers of text number `sample` of a seed. */
uint64_t bipe_sampler_state(uint64_t seed, uint64_t sample);
typedef struct bipe_candidate {
    double weight;
    uint32_t id;
} bipe_candidate;
/* Chooses from logits (count >= 1); they are left alone. spare: (count) for its own use. *state goes on where the temperature is not 0.
 * BIPE_ERR_FORMAT: a logit is not a number, or the largest is not finite. */
int bipe_sampler_choose(const bipe_sampling *sampling, const float *logits, size_t count, bipe_candidate *spare, uint64_t *state,
                        uint32_t *id, bipe_error *err);

#endif
