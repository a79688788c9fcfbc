/* equals.c - a segment ends after each equals sign. */
#include <string.h>

#include <bipe/segmenter.h>

static int equals_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    (void)state;
    const uint8_t *end = bytes + size;
    for (const uint8_t *at = bytes; (at = memchr(at, '=', (size_t)(end - at))) != NULL;) {
        at++;
        int status = bipe_boundaries_add(boundaries, offset + (uint64_t)(at - bytes));
        if (status != BIPE_SEGMENTER_OK)
            return status;
    }
    return BIPE_SEGMENTER_OK;
}

static int equals_separators(void *state, bipe_byte_set *set)
{
    (void)state;
    bipe_byte_set_add(set, '=');
    return 1;
}

const bipe_segmenter bipe_segmenter_equals = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "equals",
    .summary = "an equals sign",
    .bytes = equals_bytes,
    .separators = equals_separators,
};
