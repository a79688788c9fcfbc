/* block_grids.h - the points of the grids that IQ types number: 8 codes of 2 bits or 4 of 3 bits, the first value's
 * lowest. What values the codes stand for is said in blocks_grid.c, which alone reads them. */
#ifndef BIPE_FORMAT_BLOCK_GRIDS_H
#define BIPE_FORMAT_BLOCK_GRIDS_H

#include <stdint.h>

extern const uint16_t bipe_iq1_s_grid[2048], bipe_iq2_xxs_grid[256], bipe_iq2_xs_grid[512], bipe_iq2_s_grid[1024];
extern const uint16_t bipe_iq3_xxs_grid[256], bipe_iq3_s_grid[512];

#endif
