/* dtype.c - number types of tensors: sizes, names, conversion from f32; nn_widen() of nn is the way back. The plain, portable
 * way: one value at a time, no vector units.
 *
 * Q8_0 as in ggml (ggml-common.h, block_q8_0; quantize_row_q8_0_ref in ggml-quants.c). */
#include <math.h>
#include <string.h>

#include "format/little.h"
#include "format/tensor.h"

enum { Q8_VALUES = 32, Q8_BYTES = 34 };

size_t bipe_dtype_row_size(bipe_dtype dtype, uint64_t columns)
{
    uint64_t bytes = 0; /* of one value */
    switch (dtype) {
    case BIPE_F32: bytes = 4; break;
    case BIPE_F16: bytes = 2; break;
    case BIPE_BF16: bytes = 2; break;
    case BIPE_I64: bytes = 8; break;
    case BIPE_Q8_0:
        if (columns % Q8_VALUES != 0 || columns / Q8_VALUES > SIZE_MAX / Q8_BYTES)
            return 0;
        return (size_t)(columns / Q8_VALUES * Q8_BYTES);
    case BIPE_OTHER: return 0;
    }
    if (bytes == 0 || columns > SIZE_MAX / bytes)
        return 0;
    return (size_t)(columns * bytes);
}

const char *bipe_dtype_name(bipe_dtype dtype)
{
    switch (dtype) {
    case BIPE_F32: return "F32";
    case BIPE_F16: return "F16";
    case BIPE_BF16: return "BF16";
    case BIPE_Q8_0: return "Q8_0";
    case BIPE_I64: return "I64";
    case BIPE_OTHER: break;
    }
    return "other";
}

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint16_t float_to_half(float x)
{
    uint32_t bits = float_bits(x), sign = bits >> 16 & 0x8000u, rest = bits & 0x7FFFFFFFu;
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

static uint16_t float_to_bfloat(float x)
{
    uint32_t bits = float_bits(x);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

static void float_to_q8(const float *from, uint8_t *block)
{
    float largest = 0;
    int finite = 1;
    for (int i = 0; i < Q8_VALUES; i++) {
        float size = fabsf(from[i]);
        finite &= isfinite(size) != 0;
        if (size > largest)
            largest = size;
    }
    float d = finite ? largest / 127 : NAN, inverse = d != 0 ? 1 / d : 0;
    if (!isfinite(inverse)) /* NaN, or so small that d is 0 as f16 anyway */
        inverse = 0;
    bipe_store16(block, float_to_half(d));
    for (int i = 0; i < Q8_VALUES; i++)
        block[2 + i] = (uint8_t)(int8_t)(inverse != 0 ? roundf(from[i] * inverse) : 0);
}

void bipe_dtype_from_f32(bipe_dtype dtype, const float *from, void *to, size_t count)
{
    uint8_t *bytes = to;
    switch (dtype) {
    case BIPE_F32:
        for (size_t i = 0; i < count; i++)
            bipe_store_float(bytes + 4 * i, from[i]);
        break;
    case BIPE_F16:
        for (size_t i = 0; i < count; i++)
            bipe_store16(bytes + 2 * i, float_to_half(from[i]));
        break;
    case BIPE_BF16:
        for (size_t i = 0; i < count; i++)
            bipe_store16(bytes + 2 * i, float_to_bfloat(from[i]));
        break;
    case BIPE_Q8_0:
        for (size_t i = 0; i < count / Q8_VALUES; i++)
            float_to_q8(from + i * Q8_VALUES, bytes + i * Q8_BYTES);
        break;
    case BIPE_I64:
    case BIPE_OTHER:
        break;
    }
}
