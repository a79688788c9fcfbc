/* stats_squeeze.h - drops segments of white space alone, with their tokens, before a window counter counts them. */
#ifndef BIPE_TOOLS_STATS_SQUEEZE_H
#define BIPE_TOOLS_STATS_SQUEEZE_H

#include "measure/stream.h"
#include "measure/window_counter.h"
#include "tools/segment_blank.h"

/* Of one segmenter. Zero-initialise. */
typedef struct stats_squeeze {
    segment_blank blank; /* the present segment */
    uint64_t tokens;     /* of it, in the batches before */
    uint32_t passed;     /* tokens of the present batch that belong to segments before */
} stats_squeeze;

/* A document begins. */
void stats_squeeze_begin(stats_squeeze *squeeze);
/* Counts the rest of a batch; index: of the segmenter. As bipe_window_counter_feed(). */
int stats_squeeze_feed(stats_squeeze *squeeze, const bipe_batch *batch, size_t index, bipe_window_counter *counter, bipe_error *err);

#endif
