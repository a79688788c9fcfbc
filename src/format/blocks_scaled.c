/* blocks_scaled.c - block types with one scale d: Q4_0, Q5_0 and Q8_0, Q1_0 and Q2_0, and Q4_1 and Q5_1 with a minimum
 * m besides. */
#include "format/blocks.h"

enum { HALF = 16 }; /* values of a half block of 32: its codes are the low four bits of the bytes, then the high ones */

/* d, 128 bits: 1 is d, 0 is -d. */
static void q1_0(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block), value[2] = {-d, d};
    for (int i = 0; i < 128; i++)
        to[i] = value[block[2 + i / 8] >> i % 8 & 1];
}
BIPE_BLOCK_READER(q1_0, 128, 18)

/* d, 64 codes of 2 bits: -d, 0, d, 2 d. */
static void q2_0(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block), value[4] = {-1.0f * d, 0.0f * d, d, 2.0f * d};
    for (int i = 0; i < 64; i++)
        to[i] = value[block[2 + i / 4] >> 2 * (i % 4) & 3];
}
BIPE_BLOCK_READER(q2_0, 64, 18)

/* d, 16 bytes: d * (q - 8). */
static void q4_0(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    for (int i = 0; i < HALF; i++) {
        to[i] = d * (float)((block[2 + i] & 15) - 8);
        to[HALF + i] = d * (float)((block[2 + i] >> 4) - 8);
    }
}
BIPE_BLOCK_READER(q4_0, 32, 18)

/* d, m, 16 bytes: d * q + m. */
static void q4_1(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block), m = bipe_half_at(block + 2);
    for (int i = 0; i < HALF; i++) {
        to[i] = d * (float)(block[4 + i] & 15) + m;
        to[HALF + i] = d * (float)(block[4 + i] >> 4) + m;
    }
}
BIPE_BLOCK_READER(q4_1, 32, 20)

/* d, 32 fifth bits, 16 bytes: d * (q - 16). */
static void q5_0(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    uint32_t fifth = bipe_load32(block + 2);
    for (int i = 0; i < HALF; i++) {
        to[i] = d * (float)((int)((block[6 + i] & 15) | (fifth >> i & 1) << 4) - 16);
        to[HALF + i] = d * (float)((int)(block[6 + i] >> 4 | (fifth >> (HALF + i) & 1) << 4) - 16);
    }
}
BIPE_BLOCK_READER(q5_0, 32, 22)

/* d, m, 32 fifth bits, 16 bytes: d * q + m. */
static void q5_1(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block), m = bipe_half_at(block + 2);
    uint32_t fifth = bipe_load32(block + 4);
    for (int i = 0; i < HALF; i++) {
        to[i] = d * (float)(int)((block[8 + i] & 15) | (fifth >> i & 1) << 4) + m;
        to[HALF + i] = d * (float)(int)(block[8 + i] >> 4 | (fifth >> (HALF + i) & 1) << 4) + m;
    }
}
BIPE_BLOCK_READER(q5_1, 32, 24)

/* d, 32 bytes: d * q. */
static void q8_0(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block);
    for (int i = 0; i < 32; i++)
        to[i] = d * (float)(int8_t)block[2 + i];
}
BIPE_BLOCK_READER(q8_0, 32, 34)
