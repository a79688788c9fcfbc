/* micro.h - micro-kernels, the innermost loops of products: c += left x panel, tile by tile. Internal to src/nn.
 *
 * Operands consist of words of four bytes: a word is one f32, or two bfloat16 that follow each other in K (the first in
 * the lower half; K is padded with a zero). Packed, left is MR rows interleaved, word by word, (steps, MR), and a panel
 * NR columns, (steps, NR), both aligned to 64 bytes. Floats can also be read where they lie.
 *
 * Of 16-bit integers a block of K is a group of words: the scale, an f32, then words of two integers.
 *
 * Values of c are summed in the order of K, whatever their position in the tile, m and n: digits of a row do not depend
 * on the rows beside it, which OpenBLAS does not promise. AVX2 and AVX-512 give the same digits in f32. */
#ifndef BIPE_NN_MICRO_H
#define BIPE_NN_MICRO_H

#include "nn/block_readers.h"
#include "nn/cpu.h"
#include "nn/lanes.h"
#include "nn/nn.h"
#include "nn/row_table.h"

/* Word s of row r of group g of MR rows is at[g * group + r * row + s * step]; row or step is 1. */
typedef struct nn_left {
    const float *at;
    size_t row, step, group;
} nn_left;

/* Word n of step s is at[s * ld + n]. */
typedef struct nn_right {
    const float *at;
    size_t ld;
    uintptr_t next; /* 0, or the address of what will be read after this, to be prefetched: */
    size_t share;   /* so many words of it in each step of each group of MR rows */
} nn_right;

typedef struct nn_micro {
    size_t rows, columns; /* MR and NR of a tile, NR <= NN_MICRO_COLUMNS; multiples of 4 */
    size_t step, words;   /* so many values of K are so many words: 1, 1 (f32), 2, 1 (bfloat16), or a block of 16-bit
                             integers with its scale */
    size_t lanes;         /* words of a vector */
    /* c (m, n), n <= NR: c = (add ? c : 0) + left (m, steps) x right (steps, n). Of each step of `right` reads n words
     * rounded up to whole vectors. Writes m x n values only. */
    void (*run)(size_t steps, const nn_left *left, const nn_right *right, float *c, size_t ldc, size_t m, size_t n,
                bool add);
    /* y (groups * MR) = left x one column, whose word s is x[s * ld], with the digits of `run`. left is packed, `group`
     * words from group to group; next, laid out the same, is prefetched. NULL: `run` is all there is. */
    void (*column)(size_t steps, const float *left, size_t group, size_t groups, const float *x, size_t ld,
                   const float *next, float *y);
    /* Values to words, a multiple of `step`; NULL: they are the same. Of bfloat16 subnormal numbers may become 0. */
    void (*narrow)(const float *from, size_t words, float *to);
    /* Multiply-adds in registers alone, which no product can surpass: the operations that were done, counting one value
     * of K in a word. result: (NN_MICRO_LANES) keeps the compiler from leaving them out. NULL: nothing is known. */
    double (*ceiling)(size_t rounds, float *result);
} nn_micro;

enum { NN_MICRO_COLUMNS = 128, NN_MICRO_LANES = 16 };

struct nn_cpu {
    const char *name;
    bool (*usable)(void);
    const nn_micro *f32;
    const nn_micro *bf16; /* NULL: bfloat16 is widened in front of f32, which has the same layout of panels then */
    const nn_micro *int16;
    const nn_row_table *rows;
    const struct nn_lanes *lanes; /* for attention; columns are a multiple of their width */
    const nn_block_reader *readers; /* NULL: none but the plain ones */
    const struct nn_block_products *products; /* f32 straight from blocks, which are not widened; or NULL */
};

/* The kernel of a precision; f32's where bfloat16 has none. */
static inline const nn_micro *nn_micro_of(const nn_cpu *cpu, nn_precision precision)
{
    return precision == NN_PRECISION_BF16 && cpu->bf16 != NULL ? cpu->bf16 : cpu->f32;
}

/* That of products, and of their packed operands. */
static inline const nn_micro *nn_product_micro(const nn_cpu *cpu, nn_precision precision)
{
    return precision == NN_PRECISION_INT16 ? cpu->int16 : nn_micro_of(cpu, precision);
}

/* Words of k values of K. */
static inline size_t nn_words(const nn_micro *micro, size_t k)
{
    return (k + micro->step - 1) / micro->step * micro->words;
}

/* The inner product (rows.c). */
float nn_inner(const float *x, const float *y, size_t count);

/* ---- packing (pack.c) ---- */

/* Pairs of values to words of two bfloat16, rounded as nn_round_bf16 does. Words of any kind are kept in arrays of
 * float. */
void nn_narrow(const float *from, size_t words, float *to);
/* Blocks of values to groups of words: the scale of the block, then words of two integers; value i and i +
 * NN_INT16_BLOCK / 2 are round(value / scale), within NN_INT16_MOST. */
void nn_narrow_int16(const float *from, size_t words, float *to);
/* From words (rows, wide), wide a multiple of 4: the first of each word's values to rows 0, 2, .. of `to` (2 rows,
 * wide), the second to rows 1, 3, .. */
void nn_widen_words(const float *from, size_t rows, size_t wide, float *to);
/* Packs x (count, k), or (k, count) with `transposed` (not as integers), as groups of `wide` rows interleaved word by
 * word, each (steps, wide): MR wide for a left operand, NR for a panel. narrow: nn_micro.narrow. Rows that are missing
 * in the last group are 0. */
void nn_pack(void (*narrow)(const float *, size_t, float *), size_t wide, const float *x, size_t ldx, bool transposed,
             size_t count, size_t k, void *to);

/* Defined where the compiler can build them. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BIPE_NN_X86
extern const nn_cpu nn_cpu_avx2, nn_cpu_avx512, nn_cpu_avx512bf16;
#endif
#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
#define BIPE_NN_ARM64
extern const nn_cpu nn_cpu_neon;
#endif
extern const nn_cpu nn_cpu_plain, nn_cpu_blas;
extern const nn_micro nn_micro_plain_int16; /* of kinds without their own */

#endif
