/* blocks_write_scaled.c - writers of Q4_0, Q5_0, Q5_1, Q8_0 and MXFP4: blocks of 32 values with one scale, taken from
 * the largest magnitude or from the range. blocks_scaled.c and blocks_levels.c have the layouts. */
#include <math.h>

#include "format/blocks_write.h"

enum { VALUES = 32, HALF = 16 };

/* The value of the largest magnitude, the first of several. */
static float largest_of(const float *from)
{
    float largest = 0;
    for (size_t i = 0; i < VALUES; i++)
        largest = fabsf(from[i]) > fabsf(largest) ? from[i] : largest;
    return largest;
}

/* 1 / d, or 0: also of a d so small that 1 / d is infinite, which is 0 as an f16. */
static float inverse_of(float d)
{
    float inverse = d != 0 ? 1 / d : 0;
    return isfinite(inverse) ? inverse : 0;
}

/* 16 bytes of low four bits: those of the first half, then above them those of the second. */
static void pack_halves(const uint8_t code[VALUES], uint8_t *bytes)
{
    for (size_t i = 0; i < HALF; i++)
        bytes[i] = (uint8_t)((code[i] & 15) | (code[HALF + i] & 15) << 4);
}

static void pack_fifth_bits(const uint8_t code[VALUES], uint8_t *bytes)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < VALUES; i++)
        bits |= (uint32_t)(code[i] >> 4) << i;
    bipe_store32(bytes, bits);
}

/* Codes of values in units of d, 0 to 2 * middle - 1: the largest magnitude becomes 0, zero the middle. Returns d. */
static float code_around(const float *from, int middle, uint8_t code[VALUES])
{
    float d = largest_of(from) / (float)-middle, inverse = inverse_of(d);
    for (size_t i = 0; i < VALUES; i++) {
        int integer = (int)(from[i] * inverse + ((float)middle + 0.5f)); /* never below 0.5 */
        code[i] = (uint8_t)(d != 0 && inverse == 0 ? 0 : integer < 2 * middle ? integer : 2 * middle - 1);
    }
    return d;
}

static void q4_0(const float *from, uint8_t *block)
{
    uint8_t code[VALUES];
    bipe_store16(block, bipe_float_to_half(code_around(from, 8, code)));
    pack_halves(code, block + 2);
}
BIPE_BLOCK_WRITER(q4_0, VALUES, 18, 0)

static void q5_0(const float *from, uint8_t *block)
{
    uint8_t code[VALUES];
    bipe_store16(block, bipe_float_to_half(code_around(from, 16, code)));
    pack_fifth_bits(code, block + 2);
    pack_halves(code, block + 6);
}
BIPE_BLOCK_WRITER(q5_0, VALUES, 22, 0)

static void q5_1(const float *from, uint8_t *block)
{
    uint8_t code[VALUES];
    float low = from[0], high = from[0];
    for (size_t i = 1; i < VALUES; i++) {
        low = from[i] < low ? from[i] : low;
        high = from[i] > high ? from[i] : high;
    }
    float d = (high - low) / 31, inverse = inverse_of(d);
    for (size_t i = 0; i < VALUES; i++) {
        float above = (from[i] - low) * inverse + 0.5f;
        code[i] = above < 32 ? (uint8_t)above : 0; /* a range that overflows has d infinite and no codes */
    }
    bipe_store16(block, bipe_float_to_half(d));
    bipe_store16(block + 2, bipe_float_to_half(low));
    pack_fifth_bits(code, block + 4);
    pack_halves(code, block + 8);
}
BIPE_BLOCK_WRITER(q5_1, VALUES, 24, 0)

static void q8_0(const float *from, uint8_t *block)
{
    float d = fabsf(largest_of(from)) / 127, inverse = inverse_of(d);
    bipe_store16(block, bipe_float_to_half(d));
    for (size_t i = 0; i < VALUES; i++)
        block[2 + i] = (uint8_t)(int8_t)roundf(from[i] * inverse);
}
BIPE_BLOCK_WRITER(q8_0, VALUES, 34, 0)

/* The exponent is such that the largest magnitude lies in the upper half of the levels, which end at 6. */
static void mxfp4(const float *from, uint8_t *block)
{
    static const float level[8] = {0, 1, 2, 3, 4, 6, 8, 12}; /* twice */
    uint8_t code[VALUES];
    float largest = fabsf(largest_of(from)), exponent = largest > 0 ? floorf(log2f(largest)) + 125 : 0;
    block[0] = (uint8_t)(exponent > 0 ? exponent : 0);
    float half = bipe_float_of(block[0] < 2 ? 0x200000u << block[0] : (uint32_t)(block[0] - 1) << 23);
    for (size_t i = 0; i < VALUES; i++) {
        float size = fabsf(from[i]);
        size_t best = 0;
        for (size_t k = 1; k < 8; k++)
            best = fabsf(level[k] * half - size) < fabsf(level[best] * half - size) ? k : best;
        code[i] = (uint8_t)(best | (best != 0 && from[i] < 0 ? 8 : 0));
    }
    pack_halves(code, block + 1);
}

void bipe_write_mxfp4(const float *from, void *to, size_t count)
{
    uint8_t *block = to;
    for (; count >= VALUES; count -= VALUES, from += VALUES, block += 17) {
        memset(block, 0xFF, 17); /* infinite, since there is no NaN */
        if (bipe_all_finite(from, VALUES))
            mxfp4(from, block);
    }
}
