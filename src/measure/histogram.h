/* histogram.h - how often each value of an integer quantity was seen: exact, sparse, and exact to merge.
 *
 * Counts of small values are in an array, those of others in a hash table, so memory grows with the number of different
 * values and not with the number of observations. Statistics of a histogram: distribution.h. */
#ifndef BIPE_MEASURE_HISTOGRAM_H
#define BIPE_MEASURE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A value and how often it was seen. */
typedef struct bipe_count {
    uint64_t value, count;
} bipe_count;

/* Zero-initialise to make an empty one; free with bipe_histogram_free(). */
typedef struct bipe_histogram {
    uint64_t *small;   /* (small_capacity) counts of the values below it; larger ones below BIPE_HISTOGRAM_SMALL were
                          not seen */
    size_t small_capacity;
    size_t small_top;  /* no smaller value from here on was seen */
    bipe_count *large; /* (capacity) open addressing; a count of 0 marks a free slot */
    size_t capacity, used;
    uint64_t total;    /* observations; never overflows: adding would fail */
} bipe_histogram;

#define BIPE_HISTOGRAM_SMALL ((uint64_t)1024)

/* Counts `value` `count` more times. BIPE_OK, BIPE_ERR_MEMORY, or BIPE_ERR_LIMIT when the total would pass 2^64 - 1;
 * the histogram is then as it was. */
int bipe_histogram_add(bipe_histogram *histogram, uint64_t value, uint64_t count, bipe_error *err);

/* Adds everything that `from` counted. On BIPE_ERR_MEMORY a part may have been added. */
int bipe_histogram_merge(bipe_histogram *into, const bipe_histogram *from, bipe_error *err);

/* Empties the histogram; memory for many values is released, the rest is kept. */
void bipe_histogram_clear(bipe_histogram *histogram);
void bipe_histogram_free(bipe_histogram *histogram);
/* Bytes of memory in use. */
size_t bipe_histogram_memory(const bipe_histogram *histogram);

/* All values seen with their counts, by rising value: *counts (*size), which the caller frees with bipe_free().
 * BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_histogram_sorted(const bipe_histogram *histogram, bipe_count **counts, size_t *size, bipe_error *err);

#endif
