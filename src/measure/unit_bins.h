/* unit_bins.h - up to BIPE_UNITS_MOST units of a sample, a document each, collected in any order, by any number of
 * threads and machines.
 *
 * Each unit has a random key (a hash). When there are too many units, those whose keys begin with the same bits are
 * joined; the number of bits follows from the bound. So the result depends on neither order nor division. */
#ifndef BIPE_MEASURE_UNIT_BINS_H
#define BIPE_MEASURE_UNIT_BINS_H

#include "measure/resample.h"

enum { BIPE_UNIT_KEY_BITS = 48 };

typedef struct bipe_unit_bin {
    uint64_t key;         /* below 2^BIPE_UNIT_KEY_BITS */
    uint64_t sum, weight; /* as in bipe_unit */
} bipe_unit_bin;

/* Zero-initialise. */
typedef struct bipe_unit_bins {
    bipe_unit_bin *bin;   /* (count) */
    size_t count, capacity;
    unsigned dropped;     /* low bits of each key that are 0 */
} bipe_unit_bins;

/* BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_unit_bins_add(bipe_unit_bins *bins, uint64_t key, uint64_t sum, uint64_t weight, bipe_error *err);
int bipe_unit_bins_merge(bipe_unit_bins *into, const bipe_unit_bins *from, bipe_error *err);
/* Sorts by rising keys, each once. */
void bipe_unit_bins_settle(bipe_unit_bins *bins);
/* As units: (bins->count), which the caller frees; NULL when memory is exhausted. */
bipe_unit *bipe_unit_bins_units(const bipe_unit_bins *bins);
void bipe_unit_bins_free(bipe_unit_bins *bins);

#endif
