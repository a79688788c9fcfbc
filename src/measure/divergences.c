/* divergences.c - how far predictions are from others over many tokens; see divergences.h. */
#include "measure/divergences.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "measure/losses.h"

/* Bits of a double that a bucket does not see, so that it sees seven of the fraction; and the first bucket but one. */
enum { UNSEEN = 45, LOWEST = (1023 - 40) << 7 };

static uint64_t bucket_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits >>= UNSEEN;
    if (!(value >= 0x1p-40))
        return 0;
    return bits - LOWEST + 1 < BIPE_DIVERGENCE_BUCKETS ? bits - LOWEST + 1 : BIPE_DIVERGENCE_BUCKETS - 1;
}

static double middle_of(uint64_t bucket)
{
    uint64_t bits = ((bucket - 1 + LOWEST) << UNSEEN) + ((uint64_t)1 << (UNSEEN - 1));
    double value;
    memcpy(&value, &bits, sizeof value);
    return bucket == 0 ? 0 : value;
}

int bipe_divergences_add(bipe_divergences *d, const bipe_token_divergence *one, bipe_error *err)
{
    bipe_exact divergence = bipe_exact_of(one->divergence, BIPE_LOSS_BITS);
    d->tokens++;
    d->same += one->same_choice;
    d->sum = bipe_exact_add(d->sum, divergence);
    d->squares = bipe_exact_add(d->squares, bipe_exact_of(one->change * one->change, BIPE_LOSS_BITS));
    d->largest = divergence > d->largest ? divergence : d->largest;
    return bipe_histogram_add(&d->buckets, bucket_of(one->divergence), 1, err);
}

int bipe_divergences_merge(bipe_divergences *d, const bipe_divergences *more, bipe_error *err)
{
    d->tokens += more->tokens;
    d->same += more->same;
    d->sum = bipe_exact_add(d->sum, more->sum);
    d->squares = bipe_exact_add(d->squares, more->squares);
    d->largest = more->largest > d->largest ? more->largest : d->largest;
    return bipe_histogram_merge(&d->buckets, &more->buckets, err);
}

void bipe_divergences_free(bipe_divergences *d)
{
    bipe_histogram_free(&d->buckets);
    *d = (bipe_divergences){0};
}

static double per_token(const bipe_divergences *d, double sum)
{
    return d->tokens == 0 ? (double)NAN : sum / (double)d->tokens;
}

double bipe_divergences_mean(const bipe_divergences *d)
{
    return per_token(d, bipe_exact_value(d->sum, BIPE_LOSS_BITS));
}

double bipe_divergences_largest(const bipe_divergences *d)
{
    return d->tokens == 0 ? (double)NAN : bipe_exact_value(d->largest, BIPE_LOSS_BITS);
}

double bipe_divergences_rms(const bipe_divergences *d)
{
    return sqrt(per_token(d, bipe_exact_value(d->squares, BIPE_LOSS_BITS)));
}

double bipe_divergences_same(const bipe_divergences *d)
{
    return per_token(d, (double)d->same);
}

int bipe_divergences_quantiles(const bipe_divergences *d, const unsigned *permille, size_t count, double *value,
                               bipe_error *err)
{
    bipe_count *counts = NULL;
    size_t size = 0, at = 0;
    int status = bipe_histogram_sorted(&d->buckets, &counts, &size, err);
    double seen = 0;
    for (size_t i = 0; i < count; i++) {
        double rank = ceil((double)d->buckets.total * (double)permille[i] / 1000);
        for (; at < size && seen < rank; at++)
            seen += (double)counts[at].count;
        value[i] = status == BIPE_OK && at > 0 ? fmin(middle_of(counts[at - 1].value), bipe_divergences_largest(d))
                                               : (double)NAN;
    }
    bipe_free(counts);
    return status;
}
