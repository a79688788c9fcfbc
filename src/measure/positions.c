/* positions.c - the indices of the tokens of one window. */
#include "measure/stream.h"
#include "segment/segment_levels.h"

void bipe_positions(const uint8_t *closes, size_t length, size_t levels, uint32_t *index, size_t stride)
{
    uint64_t place[2 * BIPE_LEVELS] = {0};
    for (size_t k = 0; k < length; k++) {
        for (size_t i = 0; i < 2 * levels; i++)
            index[i * stride + k] = (uint32_t)place[i];
        place[1]++;
        if (closes[k] != 0)
            bipe_place_close(place, closes[k]);
    }
}

int bipe_stream_check_scheme(const char *spec, const bipe_scheme *scheme, bipe_error *err)
{
    size_t needed = bipe_scheme_levels(scheme), levels;
    char text[256];
    if (needed < 2)
        return BIPE_OK;
    int status = bipe_levels_count(&levels, spec, err);
    if (status == BIPE_OK && levels < needed)
        status = bipe_fail(err, BIPE_ERR_ARGUMENT, "scheme '%s' needs %zu levels of segments, segmenter '%.100s' has "
                           "%zu: expected one such as sentence/paragraph/document", bipe_scheme_format(scheme, text),
                           needed, spec, levels);
    return status;
}
