/* sampler.h - which token comes next: the most probable one, or one drawn from what temperature, top-k, top-p and min-p
 * leave.
 *
 * A repetition penalty makes the last tokens of a text less probable before all that (Keskar et al. 2019), with the
 * arithmetic of llama.cpp and transformers: positive logits are divided by it, others multiplied, once however often
 * the token is there, in single precision.
 *
 * Probabilities are softmax(logits / temperature). Of these top-k keeps the K most probable tokens; top-p of what is
 * left the fewest that make up P of it (Holtzman et al. 2020); min-p those that have at least P times the largest
 * probability (Nguyen et al. 2024). All is computed in double, with equal logits in the order of ids, so that the same
 * logits and the same state give the same token. */
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

typedef struct bipe_repetition {
    double penalty; /* 0 or 1: none */
    size_t last;    /* how many tokens it looks back; SIZE_MAX: to the beginning of the text */
} bipe_repetition;
/* Applies the penalty for a text (ids, size) to the logits of the token after it. seen: (count) zeros, which they are
 * again afterwards. */
void bipe_sampler_penalize(const bipe_repetition *repetition, float *logits, size_t count, const uint32_t *ids,
                           size_t size, uint8_t *seen);

/* The state of the random numbers of text number `sample` of a seed. */
uint64_t bipe_sampler_state(uint64_t seed, uint64_t sample);
typedef struct bipe_candidate {
    double weight;
    uint32_t id;
} bipe_candidate;
/* Chooses from logits (count >= 1), which it does not change. spare: (count) scratch. *state advances unless the
 * temperature is 0. BIPE_ERR_FORMAT: a logit is not a number, or the largest is not finite. */
int bipe_sampler_choose(const bipe_sampling *sampling, const float *logits, size_t count, bipe_candidate *spare,
                        uint64_t *state, uint32_t *id, bipe_error *err);

#endif
