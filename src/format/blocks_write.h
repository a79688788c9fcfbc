/* blocks_write.h - writers of block types, which the table in dtype.c names.
 *
 * They take a whole number of blocks, and round as ggml does without an importance matrix (ggml-quants.c), to the bit:
 * floats of the block are f32, products and sums in its order. A block with a value that is not finite reads as values
 * that are not finite either. */
#ifndef BIPE_FORMAT_BLOCKS_WRITE_H
#define BIPE_FORMAT_BLOCKS_WRITE_H

#include "format/blocks.h"

typedef void bipe_block_writer(const float *from, void *to, size_t count);

/* blocks_write_scaled.c */
bipe_block_writer bipe_write_q4_0, bipe_write_q5_0, bipe_write_q5_1, bipe_write_q8_0, bipe_write_mxfp4;
/* blocks_write_k.c */
bipe_block_writer bipe_write_q4_k, bipe_write_q5_k, bipe_write_q6_k;

/* Whether all are finite: the exponent of an infinity or NaN has all bits set. */
static inline int bipe_all_finite(const float *from, size_t count)
{
    uint32_t endless = 0;
    for (size_t i = 0; i < count; i++)
        endless |= (bipe_float_bits(from[i]) & 0x7F800000u) == 0x7F800000u;
    return endless == 0;
}

/* bipe_write_NAME(), made of the static function NAME(from, block), which writes one; the scale is an f16 at byte
 * `scale_at` of a block. */
#define BIPE_BLOCK_WRITER(name, values, bytes, scale_at)                                         \
    void bipe_write_##name(const float *from, void *to, size_t count)                            \
    {                                                                                            \
        uint8_t *block = to;                                                                     \
        for (; count >= (values); count -= (values), from += (values), block += (bytes)) {       \
            if (bipe_all_finite(from, values)) {                                                 \
                name(from, block);                                                               \
                continue;                                                                        \
            }                                                                                    \
            memset(block, 0, bytes);                                                             \
            bipe_store16(block + (scale_at), 0x7E00); /* NaN */                                  \
        }                                                                                        \
    }

#endif
