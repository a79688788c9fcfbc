/* blocks_k.c - the K types: 256 values in parts of 16 or 32, each with a scale of 4 to 8 bits, of which d is the unit;
 * Q2_K, Q4_K and Q5_K have a minimum for each part as well, in units of dmin, which is subtracted. */
#include "format/blocks.h"

enum { VALUES = 256, RUN = 32 }; /* RUN values have their codes at the same bits of as many bytes */

/* 16 bytes of scales (low four bits) and minima (high) for parts of 16, 64 bytes with 4 runs in each 32, d, dmin. */
static void q2_k(const uint8_t *restrict block, float *restrict to)
{
    const uint8_t *codes = block + 16;
    float d = bipe_half_at(block + 80), dmin = bipe_half_at(block + 82);
    for (int part = 0; part < 16; part++, to += 16) {
        const uint8_t *at = codes + part / 8 * RUN + part % 2 * 16;
        float scale = d * (float)(block[part] & 15), minimum = dmin * (float)(block[part] >> 4);
        int shift = part / 2 % 4 * 2;
        for (int i = 0; i < 16; i++)
            to[i] = scale * (float)(at[i] >> shift & 3) - minimum;
    }
}
BIPE_BLOCK_READER(q2_k, VALUES, 84)

/* 32 bytes of third bits (a run in each bit), 64 bytes as above, 12 bytes of 16 scales, d. A scale s of 6 bits stands
 * for s - 32: eight low halves and eight high ones of bytes, then 4 bytes with the upper two bits of every fourth. */
static void q3_k(const uint8_t *restrict block, float *restrict to)
{
    const uint8_t *codes = block + 32, *scales = block + 96;
    float d = bipe_half_at(block + 108);
    for (int part = 0; part < 16; part++, to += 16) {
        const uint8_t *at = codes + part / 8 * RUN + part % 2 * 16, *third = block + part % 2 * 16;
        int low = scales[part % 8] >> part / 8 * 4 & 15, high = scales[8 + part % 4] >> part / 4 * 2 & 3;
        float scale = d * (float)((low | high << 4) - 32);
        int shift = part / 2 % 4 * 2, bit = part / 2;
        for (int i = 0; i < 16; i++)
            to[i] = scale * (float)(((at[i] >> shift & 3) | (third[i] >> bit & 1) << 2) - 4);
    }
}
BIPE_BLOCK_READER(q3_k, VALUES, 110)

/* Eight scales and eight minima of 6 bits in 12 bytes: the first four of each are the low bits of the bytes 0 to 7,
 * whose upper two bits go above the halves of the last four bytes: scale low, minimum high. */
static void read_scales(const uint8_t *restrict packed, float d, float dmin, float scale[8], float minimum[8])
{
    for (int i = 0; i < 4; i++) {
        scale[i] = d * (float)(packed[i] & 63);
        minimum[i] = dmin * (float)(packed[4 + i] & 63);
        scale[4 + i] = d * (float)((packed[8 + i] & 15) | packed[i] >> 6 << 4);
        minimum[4 + i] = dmin * (float)(packed[8 + i] >> 4 | packed[4 + i] >> 6 << 4);
    }
}

/* d, dmin, scales and minima, 128 bytes with 2 runs in each 32. */
static void q4_k(const uint8_t *restrict block, float *restrict to)
{
    const uint8_t *codes = block + 16;
    float scale[8], minimum[8];
    read_scales(block + 4, bipe_half_at(block), bipe_half_at(block + 2), scale, minimum);
    for (int run = 0; run < 8; run += 2, codes += RUN, to += 2 * RUN)
        for (int i = 0; i < RUN; i++) {
            to[i] = scale[run] * (float)(codes[i] & 15) - minimum[run];
            to[RUN + i] = scale[run + 1] * (float)(codes[i] >> 4) - minimum[run + 1];
        }
}
BIPE_BLOCK_READER(q4_k, VALUES, 144)

/* d, dmin, scales and minima, 32 bytes of fifth bits (a run in each bit), 128 bytes with 2 runs in each 32. */
static void q5_k(const uint8_t *restrict block, float *restrict to)
{
    const uint8_t *fifth = block + 16, *codes = block + 48;
    float scale[8], minimum[8];
    read_scales(block + 4, bipe_half_at(block), bipe_half_at(block + 2), scale, minimum);
    for (int run = 0; run < 8; run += 2, codes += RUN, to += 2 * RUN)
        for (int i = 0; i < RUN; i++) {
            int low = (codes[i] & 15) | (fifth[i] >> run & 1) << 4;
            int high = codes[i] >> 4 | (fifth[i] >> run >> 1 & 1) << 4;
            to[i] = scale[run] * (float)low - minimum[run];
            to[RUN + i] = scale[run + 1] * (float)high - minimum[run + 1];
        }
}
BIPE_BLOCK_READER(q5_k, VALUES, 176)

/* 128 bytes of low four bits, 64 bytes of high two, 16 scales (signed) for parts of 16, d. In each 128 values, runs 0
 * and 1 are the low halves of 64 bytes and runs 2 and 3 the high ones; 32 bytes hold the upper bits of all four. */
static void q6_k(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block + 208);
    for (int part = 0; part < 16; part++, to += 16) {
        int run = part / 2 % 4, shift = run / 2 * 4;
        const uint8_t *low = block + part / 8 * 64 + run % 2 * RUN + part % 2 * 16;
        const uint8_t *high = block + 128 + part / 8 * RUN + part % 2 * 16;
        float scale = d * (float)(int8_t)block[192 + part];
        for (int i = 0; i < 16; i++)
            to[i] = scale * (float)(((low[i] >> shift & 15) | (high[i] >> 2 * run & 3) << 4) - 32);
    }
}
BIPE_BLOCK_READER(q6_k, VALUES, 210)
