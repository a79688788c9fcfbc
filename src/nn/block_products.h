/* block_products.h - products straight from weights in blocks, in integers. Internal to src/nn.
 *
 * Codes of weights are small integers. 32 values of x become integers as well, multiples of a step that is a power of
 * two: 24 bits, the largest of the 32 fills them. An integer is 65536 a + 256 b + c with signed bytes, so that the
 * products of codes and x are three sums of products of bytes, which are exact. A row of x and a part of a row of
 * weights that shares a scale thus give three exact sums, which are put together in f32; scales and minima are applied
 * to that.
 * The error of x is at most 2^-24 of the largest of its 32 neighbours: less in all than what a sum of 256 products
 * in f32 loses. Digits depend on nothing but the row of x and the row of weights. */
#ifndef BIPE_NN_BLOCK_PRODUCTS_H
#define BIPE_NN_BLOCK_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NN_CODED_COLUMNS = 48, /* rows of weights that are multiplied at a time, at most */
    NN_CODED_TOGETHER = 8,
    NN_CODED_VALUES = 256, /* values of K at a time */
    NN_CODED_BYTES = 272,  /* of them at most */
    NN_FIXED_VALUES = 32
};

/* 32 values of a row of x: step * (65536 a + 256 b + c). As many bytes as the values have. */
typedef struct nn_fixed {
    float step;          /* NaN where one of the values is not finite */
    float sum;           /* of the integers */
    int32_t half[2][3];  /* sums of a, b and c over 16 values each */
    int8_t part[3][NN_FIXED_VALUES]; /* a, b, c */
} nn_fixed;

/* Up to 256 values of K of so many rows of weights: scale * (code - offset) - less. */
typedef struct nn_codes {
    uint32_t code[NN_CODED_VALUES / 4][NN_CODED_COLUMNS]; /* four values of K in a word */
    float scale[NN_CODED_VALUES / 16][NN_CODED_COLUMNS];
    float less[NN_CODED_VALUES / 32][NN_CODED_COLUMNS];
} nn_codes;

/* A type of blocks. */
typedef struct nn_coded_type {
    int type;          /* its number in GGUF files */
    size_t part;       /* values that share a scale: 16 or 32 */
    int offset;
    bool less;         /* there are minima */
    /* Reads `values` values of those rows, whole blocks, and a multiple of 32. Rows are `stride` bytes apart from that
     * at blocks[i], of 8 i and on, but those of 16 together are so in any case. The same number of bytes is prefetched
     * from `next` on. */
    void (*unpack)(const uint8_t *const blocks[], size_t stride, size_t values, uintptr_t next, nn_codes *to);
} nn_coded_type;

/* Those of a kind of vector unit. */
typedef struct nn_block_products {
    size_t columns;    /* rows of weights at a time; NR of the f32 kernels is a multiple */
    const nn_coded_type *types; /* unpack is NULL after the last */
    /* x (count), a multiple of 32, to integers */
    void (*fix)(const float *x, size_t count, nn_fixed *to);
    /* y (columns) = (add ? y : 0) + factor * (x times the codes) */
    void (*run)(const nn_codes *codes, const nn_coded_type *type, size_t values, const nn_fixed *x, float factor,
                bool add, float *y, size_t columns);
} nn_block_products;

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
extern const nn_block_products nn_block_products_avx2, nn_block_products_avx512;
void nn_fix_avx2(const float *x, size_t count, nn_fixed *to);
/* IQ4's levels, plus 127. */
#define NN_IQ4_LEVELS \
    0, 23, 44, 62, 78, 92, 105, 117, (char)128, (char)140, (char)152, (char)165, (char)180, (char)196, (char)216, \
    (char)240
#endif

#endif
