/* blocks_levels.c - block types whose codes of 4 bits stand for uneven levels: IQ4_NL, IQ4_XS, and floats of 4 bits,
 * MXFP4 and NVFP4. */
#include "format/blocks.h"

/* Of IQ4_NL and IQ4_XS. */
static const float fitted[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
/* Twice E2M1 (a sign, two bits of exponent, one of significand), but for its -0. */
static const float floats[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/* 2 * `half` values: the low four bits of as many bytes, then the high ones. */
static inline void read_levels(const uint8_t *restrict codes, int half, const float *restrict level, float scale,
                               float *restrict to)
{
    for (int i = 0; i < half; i++) {
        to[i] = scale * level[codes[i] & 15];
        to[half + i] = scale * level[codes[i] >> 4];
    }
}

/* d, 16 bytes. */
static void iq4_nl(const uint8_t *restrict block, float *restrict to)
{
    read_levels(block + 2, 16, fitted, bipe_half_at(block), to);
}
BIPE_BLOCK_READER(iq4_nl, 32, 18)

/* d, the upper two bits of 8 scales, the low four, 128 bytes. A scale s of 32 values stands for s - 32. */
static void iq4_xs(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    unsigned high = bipe_load16(block + 2);
    for (int part = 0; part < 8; part++) {
        unsigned scale = (block[4 + part / 2] >> part % 2 * 4 & 15u) | (high >> 2 * part & 3) << 4;
        read_levels(block + 8 + 16 * part, 16, fitted, d * (float)((int)scale - 32), to + 32 * part);
    }
}
BIPE_BLOCK_READER(iq4_xs, 256, 136)

/* A scale of 8 bits of exponent, 16 bytes: OCP Microscaling Formats 1.0, but that 255 is 2^128 and no NaN. Half of it,
 * since levels are doubled. */
static void mxfp4(const uint8_t *restrict block, float *restrict to)
{
    uint32_t exponent = block[0];
    read_levels(block + 1, 16, floats, bipe_float_of(exponent < 2 ? 0x200000u << exponent : (exponent - 1) << 23), to);
}
BIPE_BLOCK_READER(mxfp4, 32, 17)

/* Four scales in E4M3, 32 bytes. The sign of a scale is ignored; 0x7F, NaN in E4M3, is 0, and 0xFF is 480. Its bits,
 * read as an f32 exponent that is 120 too small, make subnormals come out right too; half of it, as above. */
static void nvfp4(const uint8_t *restrict block, float *restrict to)
{
    for (int part = 0; part < 4; part++) {
        uint32_t code = block[part] == 0x7F ? 0 : block[part] & 0x7Fu;
        read_levels(block + 4 + 8 * part, 8, floats, bipe_float_of(code << 20) * 0x1p119f, to + 16 * part);
    }
}
BIPE_BLOCK_READER(nvfp4, 64, 36)
