/* blocks.h - readers of the block types of GGUF files, which the table in dtype.c names.
 *
 * A block is some 32 to 256 values of a row in a fixed number of bytes: codes of a few bits, and scales for all of them
 * or for parts. Readers take a whole number of blocks at any address. Any bytes are a block; a scale that is infinite
 * or NaN gives such values. Products and sums are made in f32 in the order that ggml has (ggml-quants.c, which defines
 * the formats), so values have the bits of its to_float. */
#ifndef BIPE_FORMAT_BLOCKS_H
#define BIPE_FORMAT_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "format/half.h"
#include "format/little.h"

typedef void bipe_block_reader(const void *restrict from, float *restrict to, size_t count);

/* blocks_scaled.c: a scale for the block, and a minimum in those that end in 1 */
bipe_block_reader bipe_read_q1_0, bipe_read_q2_0, bipe_read_q4_0, bipe_read_q4_1, bipe_read_q5_0, bipe_read_q5_1;
bipe_block_reader bipe_read_q8_0;
/* blocks_k.c: 256 values, whose scales have a common scale */
bipe_block_reader bipe_read_q2_k, bipe_read_q3_k, bipe_read_q4_k, bipe_read_q5_k, bipe_read_q6_k;
/* blocks_levels.c: codes of 4 bits that stand for uneven levels */
bipe_block_reader bipe_read_iq4_nl, bipe_read_iq4_xs, bipe_read_mxfp4, bipe_read_nvfp4;
/* blocks_ternary.c: -1, 0 and 1 */
bipe_block_reader bipe_read_tq1_0, bipe_read_tq2_0;
/* blocks_grid.c: several values by one number of a grid */
bipe_block_reader bipe_read_iq1_s, bipe_read_iq1_m, bipe_read_iq2_xxs, bipe_read_iq2_xs, bipe_read_iq2_s;
bipe_block_reader bipe_read_iq3_xxs, bipe_read_iq3_s;

/* bipe_read_NAME(), made of the static function NAME(block, to), which reads one. */
#define BIPE_BLOCK_READER(name, values, bytes)                                                   \
    void bipe_read_##name(const void *restrict from, float *restrict to, size_t count)           \
    {                                                                                            \
        const uint8_t *restrict block = from;                                                    \
        for (; count >= (values); count -= (values), block += (bytes), to += (values))           \
            name(block, to);                                                                     \
    }

static inline float bipe_half_at(const uint8_t *bytes)
{
    return bipe_half_to_float(bipe_load16(bytes));
}

#endif
