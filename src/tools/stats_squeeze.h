/* stats_squeeze.h - leaves segments of white space alone out of what a window counter counts, and their tokens with them. */
#ifndef BIPE_TOOLS_STATS_SQUEEZE_H
#define BIPE_TOOLS_STATS_SQUEEZE_H

#include "measure/stream.h"
#include "measure/window_counter.h"
#include "tools/segment_blank.h"

/* Of one segmenter. Zero-initialise. */
typedef struct stats_squeeze {
    segment_blank blank; /* the present segment */
    uint64_t waiting;    /* its tokens, as long as it is blank */
    uint64_t seen;       /* text up to here was looked at */
    uint32_t *closes;    /* (capacity) */
    size_t capacity;
} stats_squeeze;

/* A document begins. */
void stats_squeeze_begin(stats_squeeze *squeeze);
/* Feeds the counter with what is left of a batch, which carries its text; `index`: of the segmenter. As bipe_window_counter_feed(). */
int stats_squeeze_feed(stats_squeeze *squeeze, const bipe_batch *batch, size_t index, bipe_window_counter *counter, bipe_error *err);
void stats_squeeze_free(stats_squeeze *squeeze);

#endif
