/* positions.c - the indices of the tokens of one window. */
#include "measure/stream.h"

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
