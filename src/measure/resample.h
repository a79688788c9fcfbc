/* resample.h - standard errors, 95 % intervals and p-values by resampling of units: documents, or blocks of consecutive
 * tokens, within which observations depend on each other. Knows neither losses nor texts.
 *
 * Intervals are those of the studentized bootstrap (Efron and Tibshirani 1993, chapter 12), which also hold for skewed
 * units and for few of them. Where too many resamples have no error for that, since hardly any units differ, intervals
 * are percentiles of the resampled numbers. A p-value is the level at which the interval would just reach 0. The length
 * of blocks follows the correlation of neighbours (Politis and White 2004; Patton, Politis and White 2009). Random
 * numbers are those of splitmix64 from a seed: the same units give the same digits on every machine. */
#ifndef BIPE_MEASURE_RESAMPLE_H
#define BIPE_MEASURE_RESAMPLE_H

#include <bipe/compare.h> /* bipe_estimate */
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* One unit of a sample. The mean of a sample is the sum of its sums over the sum of its weights: of losses over tokens,
 * of tokens over segments. A unit of weight 0 says nothing. */
typedef struct bipe_unit {
    double sum, weight;
} bipe_unit;

/* Fewer units than BIPE_UNITS_FEWEST have no interval. Where there are more than BIPE_UNITS_MOST, neighbours are
 * joined. */
enum { BIPE_BOOTSTRAP_ROUNDS = 1999, BIPE_UNITS_FEWEST = 8, BIPE_UNITS_MOST = 2048 };

/* All functions return BIPE_OK or BIPE_ERR_MEMORY, and leave samples unchanged. */

/* The mean of a sample of `count` units. */
int bipe_estimate_mean(bipe_estimate *estimate, const bipe_unit *unit, size_t count, uint64_t seed, bipe_error *err);
/* The paired difference: mean of b less mean of a, where a[i] and b[i] are of the same document or block and are drawn
 * together. */
int bipe_estimate_difference(bipe_estimate *estimate, const bipe_unit *a, const bipe_unit *b, size_t count,
                             uint64_t seed, bipe_error *err);
/* The difference of two samples of different documents, each resampled by itself: mean of b less mean of a. */
int bipe_estimate_unpaired(bipe_estimate *estimate, const bipe_unit *a, size_t a_count, const bipe_unit *b,
                           size_t b_count, uint64_t seed, bipe_error *err);

/* Shifts each text, in place, so that its mean becomes that of all texts, which stays the same: the texts are taken as
 * given, and differences between them are no sampling error. Text t is the units from end[t - 1] (0 for the first) to
 * end[t]; texts of fewer than `least` units count as one. */
void bipe_level_units(bipe_unit *unit, const size_t *end, size_t texts, size_t least);

/* The length of a block, in consecutive cells of a series, such that blocks hardly depend on each other; at least 1, at
 * most a tenth of the cells. a: NULL, or the first sample of a paired difference, whose series is used then. */
int bipe_block_length(size_t *length, const bipe_unit *a, const bipe_unit *b, size_t count, bipe_error *err);
/* Joins each `length` consecutive cells to a block, in place; returns the number of blocks. The remaining cells join
 * the last block. */
size_t bipe_join_units(bipe_unit *unit, size_t count, size_t length);
/* An estimate from whole clusters: its error is that of the formula for C clusters, with C / (C - 1), which a bootstrap
 * of C units does not have. Intervals and p, which are studentized, stay. */
void bipe_estimate_of_clusters(bipe_estimate *estimate);
/* Adds up the units of each cluster, whose number is cluster[i] for unit i, in place; *count becomes the number of
 * clusters. Errors from whole clusters are cluster-robust ones (Miller 2024, arXiv 2411.00640). */
int bipe_join_clusters(bipe_unit *unit, const uint64_t *cluster, size_t *count, bipe_error *err);

/* The 95 % interval of a share of which `right` of `count` trials are seen: Wilson's score interval (1927). NaN without
 * a trial. */
void bipe_share_interval(double right, double count, double *low, double *high);
/* The share of trials that are right, where `sum` of the `weight` trials of a unit are: its error from whole units
 * (with one trial each, s / sqrt(n) with n - 1 degrees of freedom), and Wilson's interval of as many independent trials
 * as would have this error (Korn and Graubard 1998), or, where all are right or none is, of as many as there are units.
 * Fewer units than BIPE_UNITS_FEWEST have no interval, unless each has one trial. */
void bipe_estimate_share(bipe_estimate *estimate, const bipe_unit *unit, size_t count);

/* McNemar's exact test (1947), two-sided: the p-value of the numbers of trials that only one of two gets right. */
double bipe_mcnemar(uint64_t first, uint64_t second);

/* Corrects the p-values of several tests, in place, by Holm's method (1979): where nothing is to be found, the chance
 * that any is below a level is at most that level, however they depend on each other. NaN is no test, and stays. */
int bipe_correct_holm(double *p, size_t count, bipe_error *err);

/* How many units a comparison needs for a difference to be found at the level of 5 %, two-sided, with this power (0.8,
 * say): n s^2 / difference^2 times the square of z(0.975) + z(power), where n s^2, the variance of the differences of
 * single units, is that of the estimate times its units. BIPE_UNITS_UNKNOWN: the estimate has no error, or one of 0. */
uint64_t bipe_units_needed(const bipe_estimate *estimate, double difference, double power);
#define BIPE_UNITS_UNKNOWN UINT64_MAX

/* Permutation test: how often the means of two samples are at least as far apart as they are when units are dealt to
 * groups of the same sizes at random, (1 + how many rounds) / (1 + rounds). Needs nothing but that units could be
 * exchanged. NaN where a sample has fewer than two units with a weight: one unit does not show how much units
 * differ. */
int bipe_permutation_means(double *p, const bipe_unit *a, size_t a_count, const bipe_unit *b, size_t b_count,
                           size_t rounds, uint64_t seed, bipe_error *err);

#endif
