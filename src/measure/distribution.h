/* distribution.h - statistics of a histogram, and distances between two.
 *
 * Everything is computed from the sorted counts, so the digits do not depend on the order in which parts of a corpus
 * were read or merged. Undefined numbers (the mean of nothing) are NaN. */
#ifndef BIPE_MEASURE_DISTRIBUTION_H
#define BIPE_MEASURE_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "measure/histogram.h"

__extension__ typedef unsigned __int128 bipe_uint128;

/* The sorted counts of a histogram. */
typedef struct bipe_distribution {
    bipe_count *counts; /* (size) by rising value */
    size_t size;
    uint64_t total;     /* sum of the counts */
    bipe_uint128 sum;   /* sum of value * count, exact */
} bipe_distribution;

/* BIPE_OK or BIPE_ERR_MEMORY. Release with bipe_distribution_close(). */
int bipe_distribution_open(bipe_distribution *distribution, const bipe_histogram *histogram, bipe_error *err);
void bipe_distribution_close(bipe_distribution *distribution);

double bipe_distribution_mean(const bipe_distribution *distribution);
/* Standard deviation of the observations themselves (divided by their number, not by one less). */
double bipe_distribution_sd(const bipe_distribution *distribution);
/* Nearest rank: the smallest value such that at least `percent` per cent of the observations are not above it;
 * 0 gives the smallest, 100 the largest. distribution->total must not be 0. */
uint64_t bipe_distribution_quantile(const bipe_distribution *distribution, unsigned percent);
/* The number of observations below `value`. */
uint64_t bipe_distribution_below(const bipe_distribution *distribution, uint64_t value);

/* The largest difference of the two distribution functions (Kolmogorov and Smirnov), in [0, 1]. */
double bipe_distance_ks(const bipe_distribution *a, const bipe_distribution *b);
/* Jensen-Shannon divergence (Lin 1991) with logarithms of base 2, in [0, 1]. */
double bipe_distance_js(const bipe_distribution *a, const bipe_distribution *b);
/* Wasserstein-1: the area between the two distribution functions, in units of the value. */
double bipe_distance_wasserstein(const bipe_distribution *a, const bipe_distribution *b);

/* A straight line through the points (x, y) of groups of observations y that share their x. */
typedef struct bipe_fit_group {
    uint64_t x;
    const bipe_distribution *y;
} bipe_fit_group;

typedef struct bipe_fit {
    double slope, intercept, r2;
} bipe_fit;

/* Least squares over every single observation. slope and intercept are NaN unless two groups with different x have
 * observations; r2 is NaN also when all y are equal. */
bipe_fit bipe_fit_line(const bipe_fit_group *group, size_t count);

#endif
