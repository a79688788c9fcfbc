/* little.h - little-endian numbers in bytes of any alignment, on hosts of either order. */
#ifndef BIPE_FORMAT_LITTLE_H
#define BIPE_FORMAT_LITTLE_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BIPE_LITTLE16(x) __builtin_bswap16(x)
#define BIPE_LITTLE32(x) __builtin_bswap32(x)
#define BIPE_LITTLE64(x) __builtin_bswap64(x)
#else
#define BIPE_LITTLE16(x) (x)
#define BIPE_LITTLE32(x) (x)
#define BIPE_LITTLE64(x) (x)
#endif

static inline uint16_t bipe_load16(const void *bytes)
{
    uint16_t x;
    memcpy(&x, bytes, sizeof x);
    return BIPE_LITTLE16(x);
}

static inline uint32_t bipe_load32(const void *bytes)
{
    uint32_t x;
    memcpy(&x, bytes, sizeof x);
    return BIPE_LITTLE32(x);
}

static inline uint64_t bipe_load64(const void *bytes)
{
    uint64_t x;
    memcpy(&x, bytes, sizeof x);
    return BIPE_LITTLE64(x);
}

static inline void bipe_store16(void *bytes, uint16_t x)
{
    x = BIPE_LITTLE16(x);
    memcpy(bytes, &x, sizeof x);
}

static inline void bipe_store32(void *bytes, uint32_t x)
{
    x = BIPE_LITTLE32(x);
    memcpy(bytes, &x, sizeof x);
}

static inline void bipe_store64(void *bytes, uint64_t x)
{
    x = BIPE_LITTLE64(x);
    memcpy(bytes, &x, sizeof x);
}

/* The same for IEEE floats. */
static inline float bipe_load_float(const void *bytes)
{
    uint32_t bits = bipe_load32(bytes);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double bipe_load_double(const void *bytes)
{
    uint64_t bits = bipe_load64(bytes);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline void bipe_store_float(void *bytes, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bipe_store32(bytes, bits);
}

#endif
