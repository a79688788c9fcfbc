/* blocks_grid.c - block types that name 8 or 4 values at once by the number of a point of a grid: IQ1_S, IQ1_M (values
 * -1, 0 and 1, all moved by an eighth up or down), IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS and IQ3_S (magnitudes, with signs
 * beside them). 256 values in 8 parts of 32. */
#include "format/block_grids.h"
#include "format/blocks.h"

enum { VALUES = 256, PARTS = 8 };

/* ---- eight bytes in a number, the first value's lowest ---- */

#define EACH 0x0101010101010101u

/* Eight codes of 2 bits. */
static inline uint64_t codes2(uint16_t point)
{
    uint64_t x = (point | (uint64_t)point << 24) & 0x000000FF000000FFu;
    x = (x | x << 12) & 0x000F000F000F000Fu;
    return (x | x << 6) & 3 * EACH;
}

/* Twice four codes of 3 bits. */
static inline uint64_t codes3(uint16_t first, uint16_t second)
{
    uint64_t x = first | (uint64_t)second << 32;
    x = (x & 0x0000003F0000003Fu) | (x & 0x00000FC000000FC0u) << 10;
    return (x & 0x0007000700070007u) | (x & 0x0038003800380038u) << 5;
}

/* Signed bytes. */
static inline void put_bytes(uint64_t bytes, float scale, float *restrict to)
{
    int8_t value[8];
    bipe_store64(value, bytes);
    for (int i = 0; i < 8; i++)
        to[i] = scale * (float)value[i];
}

/* ---- magnitudes and signs ---- */

/* Eight signs in seven bits: the last makes the number of minus signs even. */
static inline unsigned all_signs(unsigned seven)
{
    unsigned sum = seven ^ seven >> 4;
    sum ^= sum >> 2;
    return seven | ((sum ^ sum >> 1) & 1) << 7;
}

/* Magnitudes up to 127, at least 1, with the signs of eight bits. */
static inline uint64_t with_signs(uint64_t bytes, unsigned signs)
{
    uint64_t bit = signs * EACH & 0x8040201008040201u, one = (((bit & 0x7F * EACH) + 0x7F * EACH) | bit) >> 7 & EACH;
    return (bytes ^ one * 0xFF) + one;
}

/* Codes of 2 bits stand for 8, 25, 43. */
static inline uint64_t point2(uint16_t point)
{
    uint64_t code = codes2(point);
    return 8 * EACH + 17 * code + (code >> 1 & EACH);
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
            put_bytes(with_signs(point2(bipe_iq2_xxs_grid[at[i]]), all_signs(rest >> 7 * i & 127)), scale, to);
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
        put_bytes(with_signs(point2(bipe_iq2_xs_grid[both & 511]), all_signs(both >> 9)), scale, to);
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
        put_bytes(with_signs(point2(bipe_iq2_s_grid[block[2 + i] | high << 8]), block[34 + i]), scale, to);
    }
}
BIPE_BLOCK_READER(iq2_s, VALUES, 82)

/* d, 64 numbers of a byte, and 32 bits for each part as in IQ2_XXS. Codes of 3 bits stand for 4, 12, 20, ..., 52, and
 * 62. */
static void iq3_xxs(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    const uint8_t *number = block + 2;
    for (int part = 0; part < PARTS; part++) {
        uint32_t rest = bipe_load32(block + 66 + 4 * part);
        float scale = d * (0.5f + (float)(rest >> 28)) * 0.5f;
        for (int i = 0; i < 4; i++, to += 8, number += 2) {
            uint64_t code = codes3(bipe_iq3_xxs_grid[number[0]], bipe_iq3_xxs_grid[number[1]]);
            uint64_t last = code & code >> 1 & code >> 2 & EACH;
            put_bytes(with_signs(4 * EACH + 8 * code + 2 * last, all_signs(rest >> 7 * i & 127)), scale, to);
        }
    }
}
BIPE_BLOCK_READER(iq3_xxs, VALUES, 98)

/* d, 64 numbers' low bytes, 8 bytes of their ninth bits, 32 bytes of signs, four bits of scale for each part. Codes of
 * 3 bits stand for odd numbers from 1. */
static void iq3_s(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    const uint8_t *number = block + 2;
    for (int i = 0; i < 32; i++, to += 8, number += 2) {
        unsigned ninth = block[66 + i / 4] >> i % 4 * 2;
        float scale = d * (float)(1 + 2 * (block[106 + i / 8] >> i / 4 % 2 * 4 & 15));
        uint64_t code = codes3(bipe_iq3_s_grid[number[0] | (ninth & 1) << 8],
                               bipe_iq3_s_grid[number[1] | (ninth & 2) << 7]);
        put_bytes(with_signs(EACH + 2 * code, block[74 + i]), scale, to);
    }
}
BIPE_BLOCK_READER(iq3_s, VALUES, 110)

/* ---- -1, 0 and 1 ---- */

/* In eighths: 8 * (code - 1) + 1, or - 1 where it is `down`. */
static inline void put_point1(uint16_t point, unsigned down, float scale, float *restrict to)
{
    uint64_t above = (down ? 0x80 - 9 : 0x80 - 7) * EACH + 8 * codes2(point);
    put_bytes(above ^ 0x80 * EACH, scale * 0.125f, to);
}

/* d, 32 numbers' low bytes, 16 bits for each part: upper bits of its four numbers, three at a time, three bits of
 * scale, one that says down. */
static void iq1_s(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    for (int i = 0; i < 32; i++, to += 8) {
        unsigned rest = bipe_load16(block + 34 + i / 4 * 2), high = rest >> i % 4 * 3 & 7;
        float scale = d * (float)(2 * (rest >> 12 & 7) + 1);
        put_point1(bipe_iq1_s_grid[block[2 + i] | high << 8], rest >> 15, scale, to);
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
        put_point1(bipe_iq1_s_grid[number], rest >> 3 & 1, scale, to);
    }
}
BIPE_BLOCK_READER(iq1_m, VALUES, 56)
