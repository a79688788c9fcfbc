/* stop.c - the general-purpose segmenter: a segment ends after each full stop or newline. */
#include <bipe/segmenter.h>

static int stop_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    (void)state;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '.' && bytes[i] != '\n')
            continue;
        int status = bipe_boundaries_add(boundaries, offset + i + 1);
        if (status != BIPE_SEGMENTER_OK)
            return status;
    }
    return BIPE_SEGMENTER_OK;
}

static int stop_separators(void *state, bipe_byte_set *set)
{
    (void)state;
    bipe_byte_set_add(set, '.');
    bipe_byte_set_add(set, '\n');
    return 1;
}

const bipe_segmenter bipe_segmenter_stop = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "stop",
    .summary = "a full stop or a newline",
    .bytes = stop_bytes,
    .separators = stop_separators,
};
