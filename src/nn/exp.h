/* exp.h - e^x for the kernels of this room: plain arithmetic without branches, which compilers turn into vector code.
 *
 * Cody and Waite's reduction by ln 2 in two parts, a polynomial of degree 6 on [-ln 2 / 2, ln 2 / 2]
 * (coefficients: Cephes, expf), scaling through the exponent's bits. */
#ifndef BIPE_NN_EXP_H
#define BIPE_NN_EXP_H

#include <stdint.h>
#include <string.h>

/* Relative error below 1e-7, less than 1.7 ulp; 0 below -87.3, e^88.3 above that; NaN stays NaN. */
static inline float nn_exp_one(float x)
{
    const float round_off = 12582912.0f; /* 1.5 * 2^23: adding it leaves the nearest integer in the low bits */
    float clamped = x > 88.3f ? 88.3f : x;
    clamped = clamped < -87.3f ? -87.3f : clamped;
    float shifted = clamped * 1.44269504088896341f + round_off;
    float n = shifted - round_off;
    float r = clamped - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    uint32_t bits;
    memcpy(&bits, &shifted, 4);
    bits = (bits - 0x4B400000u + 127u) << 23; /* 0x4B400000: the bits of round_off */
    float power;
    memcpy(&power, &bits, 4);
    float value = p * power;
    return x < -87.3f ? 0.0f : value;
}

#endif
