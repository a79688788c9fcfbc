/* half.h - floats of 16 bits, to and from f32: f16 (IEEE 754) and bf16, rounded to nearest even. */
#ifndef BIPE_FORMAT_HALF_H
#define BIPE_FORMAT_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bipe_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float bipe_float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The significand of a subnormal half is the end of one that begins at 2^-14, which is taken away again: no number on
 * the way is a subnormal float, which processors are slow with. */
static inline float bipe_half_to_float(uint16_t half)
{
    uint32_t rest = half & 0x7FFF, bits = rest << 13, sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t small = bipe_float_bits(bipe_float_of(bits + (113u << 23)) - 0x1p-14f);
    uint32_t endless = 0u - ((0x7BFF - rest) >> 31), large = bits + (112u << 23) + (endless & 112u << 23);
    uint32_t is_small = 0u - ((rest - 0x400) >> 31); /* masks, of which compilers make vector code */
    return bipe_float_of(sign | (is_small & small) | (~is_small & large));
}

static inline float bipe_bfloat_to_float(uint16_t bfloat)
{
    return bipe_float_of((uint32_t)bfloat << 16);
}

static inline uint16_t bipe_float_to_half(float x)
{
    uint32_t bits = bipe_float_bits(x), sign = bits >> 16 & 0x8000u, rest = bits & 0x7FFFFFFFu;
    if (rest > 0x7F800000u) /* NaN stays one, whatever bits are lost */
        return (uint16_t)(sign | 0x7E00u | (rest >> 13 & 0x3FFu));
    if (rest >= 0x477FF000u) /* half way from 65504 to 65536, and beyond */
        return (uint16_t)(sign | 0x7C00u);
    if (rest >= 0x38800000u) { /* 2^-14: a normal number; a carry runs into the exponent, as it should */
        rest += 0xFFFu + (rest >> 13 & 1u);
        return (uint16_t)(sign | ((rest >> 13) - ((127u - 15u) << 10)));
    }
    if (rest <= 0x33000000u) /* 2^-25, a tie whose even neighbour is 0 */
        return (uint16_t)sign;
    /* Subnormal: significand times 2^(exponent - 150) in units of 2^-24. */
    uint32_t shift = 126u - (rest >> 23), significand = (rest & 0x7FFFFFu) | 0x800000u;
    uint32_t units = significand >> shift, left = significand & ((1u << shift) - 1u), half = 1u << (shift - 1u);
    if (left > half || (left == half && (units & 1u) != 0))
        units++;
    return (uint16_t)(sign | units);
}

static inline uint16_t bipe_float_to_bfloat(float x)
{
    uint32_t bits = bipe_float_bits(x);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

#endif
