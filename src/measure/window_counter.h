/* window_counter.h - cuts the tokens of documents into windows of many lengths at once, and counts their segments.
 *
 * Windows of one length do not overlap; a rest at the end of a document does not count. Segments are counted afresh in
 * each window, so its first and its last one may be cut by its edges and count as they are. One pass serves all
 * lengths; the memory for a length does not grow with it, except by the number of different segment lengths in one
 * window. */
#ifndef BIPE_MEASURE_WINDOW_COUNTER_H
#define BIPE_MEASURE_WINDOW_COUNTER_H

#include "measure/tally.h"

typedef struct bipe_window_counter bipe_window_counter;

/* lengths: (count) windows to count, in any order, each at least 1 and counted once; NULL: 1024 and its doublings as
 * far as documents reach. Results go to *tally, which outlives the counter: rows of the lengths asked for, or reached,
 * and one of whole documents. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_window_counter_open(bipe_window_counter **counter, const uint64_t *lengths, size_t count, bipe_tally *tally,
                             bipe_error *err);

/* Begins a document; an unfinished one is dropped. */
void bipe_window_counter_begin(bipe_window_counter *counter);
/* Its next `count` tokens; closes (close_count): the numbers, rising from 0 on, of those that close their segments.
 * BIPE_OK, BIPE_ERR_MEMORY or BIPE_ERR_LIMIT. */
int bipe_window_counter_feed(bipe_window_counter *counter, size_t count, const uint32_t *closes, size_t close_count,
                             bipe_error *err);
/* Sets the tally for further results. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_window_counter_tally(bipe_window_counter *counter, bipe_tally *tally, bipe_error *err);
/* Ends and counts the document. *tokens, *segments: its totals. */
int bipe_window_counter_end(bipe_window_counter *counter, uint64_t *tokens, uint64_t *segments, bipe_error *err);

/* Bytes of the counts, including the tally's. */
size_t bipe_window_counter_memory(const bipe_window_counter *counter);

void bipe_window_counter_close(bipe_window_counter *counter);

#endif
