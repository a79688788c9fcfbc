/* stats_squeeze.c - tokens of a segment wait until something of it is no white space. */
#include "tools/stats_squeeze.h"

#include "base/alloc.h"

void stats_squeeze_begin(stats_squeeze *s)
{
    s->blank = (segment_blank){.so_far = true};
    s->waiting = s->seen = 0;
}

/* Looks at the text up to the end of a token. */
static void look(stats_squeeze *s, const bipe_batch *batch, uint64_t end)
{
    uint64_t from = s->seen > batch->byte_offset ? s->seen : batch->byte_offset, most = batch->byte_offset + batch->byte_count;
    end = end < most ? end : most;
    if (end > from)
        segment_blank_see(&s->blank, batch->bytes + (from - batch->byte_offset), (size_t)(end - from));
    s->seen = end > s->seen ? end : s->seen;
}

int stats_squeeze_feed(stats_squeeze *s, const bipe_batch *batch, size_t index, bipe_window_counter *counter, bipe_error *err)
{
    size_t kept = 0, ends = 0, at = 0, count = batch->close_count[index];
    int status = BIPE_OK;
    if (bipe_grow(&s->closes, &s->capacity, count + 1, sizeof *s->closes) != 0)
        return bipe_fail_memory(err);
    for (size_t c = 0; c <= count && status == BIPE_OK; c++) { /* the last round: what is still open */
        size_t end = c < count ? batch->closes[index][c] + (size_t)1 : batch->token_count;
        if (end > at)
            look(s, batch, batch->tokens[end - 1].end);
        if (!(c < count ? segment_blank_end(&s->blank) : s->blank.so_far)) {
            if (s->waiting > 0) { /* from batches before, so nothing is kept yet */
                status = bipe_window_counter_feed(counter, (size_t)s->waiting, NULL, 0, err);
                s->waiting = 0;
            }
            kept += end - at;
            if (c < count)
                s->closes[ends++] = (uint32_t)(kept - 1);
        } else if (c == count) {
            s->waiting += end - at;
        }
        if (c < count) {
            s->blank = (segment_blank){.so_far = true};
            s->waiting = 0;
        }
        at = end;
    }
    return status == BIPE_OK && kept > 0 ? bipe_window_counter_feed(counter, kept, s->closes, ends, err) : status;
}

void stats_squeeze_free(stats_squeeze *s)
{
    bipe_free(s->closes);
}
