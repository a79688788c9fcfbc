/* line.c - a segment ends after each newline. */
#include <string.h>

#include <bipe/segmenter.h>

static int line_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    (void)state;
    const uint8_t *end = bytes + size;
    for (const uint8_t *at = bytes; (at = memchr(at, '\n', (size_t)(end - at))) != NULL;) {
        at++;
        int status = bipe_boundaries_add(boundaries, offset + (uint64_t)(at - bytes));
        if (status != BIPE_SEGMENTER_OK)
            return status;
    }
    return BIPE_SEGMENTER_OK;
}

static int line_separators(void *state, bipe_byte_set *set)
{
    (void)state;
    bipe_byte_set_add(set, '\n');
    return 1;
}

const bipe_segmenter bipe_segmenter_line = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "line",
    .summary = "a newline",
    .bytes = line_bytes,
    .separators = line_separators,
};
