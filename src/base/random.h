/* random.h - random numbers that are the same on every machine: splitmix64 (Steele, Lea and Flood 2014; public domain
 * code by Vigna). The state is the seed. Not for secrets. */
#ifndef BIPE_BASE_RANDOM_H
#define BIPE_BASE_RANDOM_H

#include <math.h>
#include <stdint.h>

static inline uint64_t bipe_random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double bipe_random_uniform(uint64_t *state)
{
    return (double)(bipe_random_bits(state) >> 11) * 0x1p-53;
}

/* Uniform in 0 .. n - 1, n > 0; draws that would favour small numbers are repeated. */
static inline uint64_t bipe_random_below(uint64_t *state, uint64_t n)
{
    uint64_t unusable = -n % n, bits; /* 2^64 mod n */
    do
        bits = bipe_random_bits(state);
    while (bits < unusable);
    return bits % n;
}

/* Normal with mean 0 and variance 1 (Box and Muller 1958). */
static inline double bipe_random_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(1 - bipe_random_uniform(state)));
    return radius * cos(6.283185307179586476925 * bipe_random_uniform(state));
}

#endif
