/* divergences.h - how far the predictions of one model are from those of another over many tokens: mean, quantiles,
 * changes of probability, equal choices. Sums are exact (exact.h) and counts are integers, so parts add up to the same
 * numbers in any order. */
#ifndef BIPE_MEASURE_DIVERGENCES_H
#define BIPE_MEASURE_DIVERGENCES_H

#include "measure/exact.h"
#include "measure/histogram.h"
#include "model/divergence.h"

/* A bucket of a divergence is 1/128 of the octave from a power of 2 to the next; the first has all below 2^-40 nats,
 * and the last all that is 2^24 or more. */
enum { BIPE_DIVERGENCE_BUCKETS = 64 * 128 + 2 };

/* Zero-initialise. */
typedef struct bipe_divergences {
    uint64_t tokens, same;  /* same: where both models have the same most likely token */
    bipe_exact sum;         /* nats, in units of 2^-BIPE_LOSS_BITS like the next two */
    bipe_exact squares;     /* of changes of the probability of the token that came */
    bipe_exact largest;     /* nats */
    bipe_histogram buckets;
} bipe_divergences;

int bipe_divergences_add(bipe_divergences *divergences, const bipe_token_divergence *one, bipe_error *err);
int bipe_divergences_merge(bipe_divergences *divergences, const bipe_divergences *more, bipe_error *err);
void bipe_divergences_free(bipe_divergences *divergences);

/* Each is NaN without tokens. */
double bipe_divergences_mean(const bipe_divergences *divergences);    /* nats a token */
double bipe_divergences_largest(const bipe_divergences *divergences); /* nats */
double bipe_divergences_rms(const bipe_divergences *divergences);     /* root of the mean square of the change */
double bipe_divergences_same(const bipe_divergences *divergences);    /* the share of equal choices */
/* value[i]: the middle of the bucket that holds the divergence such that at least permille[i] / 1000 of all tokens have
 * no greater one; off by 1/256 of itself at most, and 0 where it is below 2^-40. permille (count) rises. */
int bipe_divergences_quantiles(const bipe_divergences *divergences, const unsigned *permille, size_t count,
                               double *value, bipe_error *err);

#endif
