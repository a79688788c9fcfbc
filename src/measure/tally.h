/* tally.h - counts of segments in windows of several lengths, and in whole documents, under one segmenter.
 * Rows add up exactly, in any order. How windows are cut: window_counter.h. */
#ifndef BIPE_MEASURE_TALLY_H
#define BIPE_MEASURE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "measure/histogram.h"

/* The length of a row that counts whole documents. */
#define BIPE_TALLY_DOCUMENT UINT64_MAX

typedef struct bipe_tally_row {
    uint64_t length;         /* tokens in a window, or BIPE_TALLY_DOCUMENT */
    bipe_histogram tokens;   /* tokens of each segment */
    bipe_histogram segments; /* segments of each window; its total is the number of windows */
    bipe_histogram finer;    /* of whole documents: segments of the next finer level in each segment, if there is one */
} bipe_tally_row;

/* Zero-initialise to make an empty one. */
typedef struct bipe_tally {
    bipe_tally_row *row; /* (count) by rising length; whole documents come last */
    size_t count, capacity;
} bipe_tally;

/* The row of this length, added if missing; NULL: out of memory. Valid until another row is added. */
bipe_tally_row *bipe_tally_row_at(bipe_tally *tally, uint64_t length);

/* Adds all rows of `from`. BIPE_OK, or BIPE_ERR_MEMORY, BIPE_ERR_LIMIT (counts beyond 2^64): `into` is then
 * incomplete. */
int bipe_tally_add(bipe_tally *into, const bipe_tally *from, bipe_error *err);
/* Bytes of the counts. */
size_t bipe_tally_memory(const bipe_tally *tally);
void bipe_tally_free(bipe_tally *tally);

#endif
