/* positions.c - segment and intra indices of the tokens of one window. */
#include "measure/stream.h"

void bipe_positions(const uint8_t *closes, size_t length, uint32_t *segment, uint32_t *intra)
{
    uint32_t n = 0, i = 0;
    for (size_t k = 0; k < length; k++) {
        segment[k] = n;
        intra[k] = i++;
        if (closes[k]) {
            n++;
            i = 0;
        }
    }
}
