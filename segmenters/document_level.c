/* document_level.c - the segmenter document: the same as none, by the name that it has as a level. */
#include <bipe/segmenter.h>

static int document_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    (void)state, (void)offset, (void)bytes, (void)size, (void)boundaries;
    return BIPE_SEGMENTER_OK;
}

const bipe_segmenter bipe_segmenter_document_level = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "document",
    .summary = "nothing: the same as none",
    .bytes = document_bytes,
};
