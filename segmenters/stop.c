/* stop.c - the general-purpose segmenter: a segment ends after each full stop or newline. */
#include "segment/segmenter.h"

/* The scanner; a faster one replaces this function alone. Returns the index of the next full stop or newline at
 * or behind `from`, or `size`. */
static size_t find_stop(const uint8_t *bytes, size_t from, size_t size)
{
    while (from < size && bytes[from] != '.' && bytes[from] != '\n')
        from++;
    return from;
}

static int stop_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    (void)state;
    for (size_t i = find_stop(bytes, 0, size); i < size; i = find_stop(bytes, i + 1, size)) {
        int status = bipe_boundaries_add(boundaries, offset + i + 1);
        if (status != BIPE_SEGMENTER_OK)
            return status;
    }
    return BIPE_SEGMENTER_OK;
}

const bipe_segmenter bipe_segmenter_stop = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "stop",
    .summary = "a full stop or a newline",
    .bytes = stop_bytes,
};
