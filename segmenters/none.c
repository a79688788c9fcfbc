/* none.c - nothing ends a segment: the whole document is one. */
#include <bipe/segmenter.h>

static int none_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    (void)state, (void)offset, (void)bytes, (void)size, (void)boundaries;
    return BIPE_SEGMENTER_OK;
}

const bipe_segmenter bipe_segmenter_none = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "none",
    .summary = "nothing: the whole document is one segment",
    .bytes = none_bytes,
};
