/* stats_squeeze.c - looks at the text between boundaries. */
#include "tools/stats/bipe_stats.h"

enum { AT_ONCE = 256, MANY = 1 << 30 };

void stats_squeeze_begin(stats_squeeze *s)
{
    *s = (stats_squeeze){.blank = {.so_far = true}};
}

/* A segment of so many tokens that their numbers may not fit into `closes`. */
static int count_long(uint64_t tokens, bipe_window_counter *counter, bipe_error *err)
{
    static const uint32_t closes = 0;
    int status = bipe_window_counter_feed(counter, (size_t)(tokens - 1), NULL, 0, err);
    return status == BIPE_OK ? bipe_window_counter_feed(counter, 1, &closes, 1, err) : status;
}

int stats_squeeze_feed(stats_squeeze *s, const bipe_batch *batch, size_t index, bipe_window_counter *counter,
                       bipe_error *err)
{
    uint32_t closes[AT_ONCE];
    size_t count = batch->boundary_count[index], kept = 0, ends = 0;
    uint64_t at = batch->byte_offset, end = at + batch->byte_count;
    int status = BIPE_OK;
    for (size_t k = 0; k <= count && status == BIPE_OK; k++) {
        uint64_t to = k < count ? batch->boundaries[index][k] : end;
        if (to > at)
            segment_blank_see(&s->blank, batch->bytes + (at - batch->byte_offset), (size_t)(to - at));
        at = to;
        if (k == count)
            break;
        uint64_t tokens = s->tokens + batch->ends[index][k] - s->passed;
        if (tokens != 0 && !segment_blank_end(&s->blank)) {
            if (ends == AT_ONCE || tokens >= MANY) {
                status = bipe_window_counter_feed(counter, kept, closes, ends, err);
                kept = ends = 0;
            }
            if (tokens >= MANY) {
                status = status == BIPE_OK ? count_long(tokens, counter, err) : status;
            } else {
                kept += (size_t)tokens;
                closes[ends++] = (uint32_t)(kept - 1);
            }
        }
        s->tokens = 0;
        s->passed = batch->ends[index][k];
        s->blank = (segment_blank){.so_far = true};
    }
    s->tokens += batch->token_count - s->passed; /* modulo 2^64 where one of the next batch has been counted */
    s->passed = 0;
    return status == BIPE_OK && kept != 0 ? bipe_window_counter_feed(counter, kept, closes, ends, err) : status;
}
