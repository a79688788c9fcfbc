/* stats_finer.c - where segmenters nest: how many segments of the next finer level each segment has. */
#include <string.h>

#include "segment/segment_levels.h"
#include "tools/stats/bipe_stats.h"

int stats_finer_find(stats_finer *finer, const char *const *specs, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < count; i++)
        finer[i].of = SIZE_MAX;
    for (size_t k = 0; k < count && status == BIPE_OK; k++) {
        bipe_levels levels;
        status = bipe_levels_open(&levels, specs[k], err);
        for (size_t i = 0; i < count && levels.count > 1; i++)
            if (strcmp(levels.rest[1], specs[i]) == 0)
                finer[i].of = k;
        bipe_levels_close(&levels);
    }
    return status;
}

void stats_finer_begin(stats_finer *finer)
{
    finer->open = finer->ends = 0;
    bipe_histogram_clear(&finer->inner);
}

int stats_finer_feed(stats_finer *finer, const bipe_batch *batch, size_t index, bipe_error *err)
{
    if (finer->of == SIZE_MAX)
        return BIPE_OK;
    const uint32_t *within = batch->closes[finer->of];
    size_t count = batch->close_count[finer->of], next = 0;
    int status = BIPE_OK;
    for (size_t c = 0; c < batch->close_count[index] && status == BIPE_OK; c++, finer->ends++) {
        for (; next < count && within[next] <= batch->closes[index][c]; next++)
            finer->open++;
        status = bipe_histogram_add(&finer->inner, finer->open, 1, err);
        finer->open = 0;
    }
    finer->open += count - next;
    return status;
}

int stats_finer_end(stats_finer *finer, uint64_t segments, bipe_tally *tally, bipe_error *err)
{
    if (finer->of == SIZE_MAX)
        return BIPE_OK;
    bipe_tally_row *row = bipe_tally_row_at(tally, BIPE_TALLY_DOCUMENT);
    if (row == NULL)
        return bipe_fail_memory(err);
    int status = bipe_histogram_merge(&row->finer, &finer->inner, err);
    if (status == BIPE_OK && segments > finer->ends) /* tokens after the last end are a segment of every level */
        status = bipe_histogram_add(&row->finer, finer->open + 1, 1, err);
    return status;
}
