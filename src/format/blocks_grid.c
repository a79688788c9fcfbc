/* blocks_grid.c - block types that name 8 or 4 values at once by the number of a point of a grid: IQ1_S, IQ1_M (values
 * -1, 0 and 1, all moved by an eighth up or down), IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS and IQ3_S (magnitudes, with signs
 * beside them). 256 values in 8 parts of 32. */
#include "format/block_grids.h"
#include "format/blocks.h"

enum { VALUES = 256, PARTS = 8 };

/* ---- magnitudes and signs ---- */

/* Eight signs in seven bits: the last makes the number of minus signs even. */
static inline unsigned all_signs(unsigned seven)
{
    unsigned sum = seven ^ seven >> 4;
    sum ^= sum >> 2;
    return seven | ((sum ^ sum >> 1) & 1) << 7;
}

static inline float with_sign(float magnitude, unsigned signs, int i)
{
    return bipe_float_of(bipe_float_bits(magnitude) ^ (signs >> i & 1) << 31);
}

/* Codes of 2 bits: 8, 25, 43. */
static inline void read_point2(uint16_t point, unsigned signs, float scale, float *restrict to)
{
    for (int i = 0; i < 8; i++) {
        int code = point >> 2 * i & 3;
        to[i] = with_sign(scale * (float)(8 + 17 * code + (code >> 1)), signs, i);
    }
}

/* Codes of 3 bits: 4, 12, 20, 28, 36, 44, 52, 62. */
static inline void read_point3_xxs(uint16_t point, unsigned signs, float scale, float *restrict to)
{
    for (int i = 0; i < 4; i++) {
        int code = point >> 3 * i & 7;
        to[i] = with_sign(scale * (float)(4 + 8 * code + (code == 7 ? 2 : 0)), signs, i);
    }
}

/* Codes of 3 bits: odd numbers from 1. */
static inline void read_point3(uint16_t point, unsigned signs, float scale, float *restrict to)
{
    for (int i = 0; i < 4; i++)
        to[i] = with_sign(scale * (float)(1 + 2 * (point >> 3 * i & 7)), signs, i);
}

/* d, for each part four numbers of a byte and 32 bits: four times seven signs, and four bits of scale. */
static void iq2_xxs(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    for (int part = 0; part < PARTS; part++) {
        const uint8_t *at = block + 2 + 8 * part;
        uint32_t rest = bipe_load32(at + 4);
        float scale = d * (0.5f + (float)(rest >> 28)) * 0.25f;
        for (int i = 0; i < 4; i++, to += 8)
            read_point2(bipe_iq2_xxs_grid[at[i]], all_signs(rest >> 7 * i & 127), scale, to);
    }
}
BIPE_BLOCK_READER(iq2_xxs, VALUES, 66)

/* Four bits of scale for each 16 values. */
static float half_scale(float d, uint8_t scales, int half)
{
    return d * (0.5f + (float)(scales >> 4 * half & 15)) * 0.25f;
}

/* d, for each part four numbers of 9 bits with seven signs above them, a byte of two scales for each part. */
static void iq2_xs(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    for (int i = 0; i < 32; i++, to += 8) {
        unsigned both = bipe_load16(block + 2 + 2 * i);
        float scale = half_scale(d, block[66 + i / 4], i / 2 % 2);
        read_point2(bipe_iq2_xs_grid[both & 511], all_signs(both >> 9), scale, to);
    }
}
BIPE_BLOCK_READER(iq2_xs, VALUES, 74)

/* d, 32 numbers' low bytes, 32 bytes of signs, a byte for each part with upper bits of its numbers, two at a time, and
 * a byte of two scales for each. */
static void iq2_s(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    for (int i = 0; i < 32; i++, to += 8) {
        unsigned high = block[66 + i / 4] >> i % 4 * 2 & 3u;
        float scale = half_scale(d, block[74 + i / 4], i / 2 % 2);
        read_point2(bipe_iq2_s_grid[block[2 + i] | high << 8], block[34 + i], scale, to);
    }
}
BIPE_BLOCK_READER(iq2_s, VALUES, 82)

/* d, 64 numbers of a byte, and 32 bits for each part as in IQ2_XXS. */
static void iq3_xxs(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    const uint8_t *numbers = block + 2;
    for (int part = 0; part < PARTS; part++) {
        uint32_t rest = bipe_load32(block + 66 + 4 * part);
        float scale = d * (0.5f + (float)(rest >> 28)) * 0.5f;
        for (int i = 0; i < 4; i++, to += 8, numbers += 2) {
            unsigned signs = all_signs(rest >> 7 * i & 127);
            read_point3_xxs(bipe_iq3_xxs_grid[numbers[0]], signs, scale, to);
            read_point3_xxs(bipe_iq3_xxs_grid[numbers[1]], signs >> 4, scale, to + 4);
        }
    }
}
BIPE_BLOCK_READER(iq3_xxs, VALUES, 98)

/* d, 64 numbers' low bytes, 8 bytes of their ninth bits, 32 bytes of signs, four bits of scale for each part. */
static void iq3_s(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    for (int i = 0; i < 64; i++, to += 4) {
        unsigned ninth = block[66 + i / 8] >> i % 8 & 1u, signs = block[74 + i / 2] >> i % 2 * 4;
        float scale = d * (float)(1 + 2 * (block[106 + i / 16] >> i / 8 % 2 * 4 & 15));
        read_point3(bipe_iq3_s_grid[block[2 + i] | ninth << 8], signs, scale, to);
    }
}
BIPE_BLOCK_READER(iq3_s, VALUES, 110)

/* ---- -1, 0 and 1 ---- */

static inline void read_point1(uint16_t point, unsigned down, float scale, float *restrict to)
{
    float moved = down ? -0.125f : 0.125f;
    for (int i = 0; i < 8; i++)
        to[i] = scale * ((float)((point >> 2 * i & 3) - 1) + moved);
}

/* d, 32 numbers' low bytes, 16 bits for each part: upper bits of its four numbers, three at a time, three bits of
 * scale, one that says down. */
static void iq1_s(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    for (int i = 0; i < 32; i++, to += 8) {
        unsigned rest = bipe_load16(block + 34 + i / 4 * 2), high = rest >> i % 4 * 3 & 7;
        float scale = d * (float)(2 * (rest >> 12 & 7) + 1);
        read_point1(bipe_iq1_s_grid[block[2 + i] | high << 8], rest >> 15, scale, to);
    }
}
BIPE_BLOCK_READER(iq1_s, VALUES, 50)

/* 32 numbers' low bytes, four bits for each: upper bits, and one that says down; four times 16 bits with scales of
 * three bits for 16 values each, and four bits of d. */
static void iq1_m(const uint8_t *restrict block, float *restrict to)
{
    unsigned scales[4], d_bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        scales[i] = bipe_load16(block + 48 + 2 * i);
        d_bits |= scales[i] >> 12 << 4 * i;
    }
    float d = bipe_half_to_float((uint16_t)d_bits);
    for (int i = 0; i < 32; i++, to += 8) {
        unsigned rest = block[32 + i / 2] >> i % 2 * 4, number = block[i] | (rest & 7) << 8;
        float scale = d * (float)(2 * (scales[i / 8] >> i / 2 % 4 * 3 & 7) + 1);
        read_point1(bipe_iq1_s_grid[number], rest >> 3 & 1, scale, to);
    }
}
BIPE_BLOCK_READER(iq1_m, VALUES, 56)
