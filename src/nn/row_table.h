/* row_table.h - the functions of rows.c for one kind of vector unit; all kinds give the same digits. Internal to
 * src/nn. */
#ifndef BIPE_NN_ROW_TABLE_H
#define BIPE_NN_ROW_TABLE_H

#include "nn/nn.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BIPE_NN_ROWS_X86
#endif

/* Blocks of 16-bit integers, with their scale: a sum of products of a block is less than 2^31. */
enum { NN_INT16_BLOCK = 32, NN_INT16_WORDS = 1 + NN_INT16_BLOCK / 2, NN_INT16_MOST = 8191 };

/* As the functions of nn.h that have these names, but for some that those are made of. */
typedef struct nn_row_table {
    void (*rmsnorm)(const float *x, const float *weight, double eps, float *y, size_t c);
    void (*layernorm)(const float *x, const float *weight, const float *bias, double eps, float *y, size_t c);
    void (*activate)(nn_activation kind, const float *x, float *y, size_t count);
    /* y = square x^2 + beta x above 0, and else below (e^min(x, eps) - 1 - x) + beta x. */
    void (*xielu)(float square, float below, float beta, float eps, const float *x, float *y, size_t count);
    void (*soft_cap)(float *x, size_t count, float cap);
    void (*rmsnorm_backward)(const float *x, const float *weight, double eps, const float *dy, float *y, float *dx,
                             float *dweight, size_t c);
    void (*layernorm_backward)(const float *x, const float *weight, const float *bias, double eps, const float *dy,
                               float *y, float *dx, float *dweight, float *dbias, size_t c);
    /* y = f(x); x becomes f'(x). */
    void (*activate_slope)(nn_activation kind, float *x, float *y, size_t count);
    void (*silu_mul)(const float *gate, const float *up, float *y, size_t count);
    void (*silu_mul_backward)(float *gate, float *up, float *dy, size_t count);
    void (*rotate)(float *x, size_t heads, const float *cosine, const float *sine, size_t half);
    void (*rotate_back)(float *x, size_t heads, const float *cosine, const float *sine, size_t half);
    float (*inner)(const float *x, const float *y, size_t count);
    /* The largest of the values and of `maximum`; NaN is passed over. */
    float (*largest)(const float *values, size_t count, float maximum);
    /* The sum of e^(value - maximum). */
    double (*exp_sum)(const float *values, size_t count, float maximum);
    /* With u = a - b - shift and w = e^(a - maximum): sums of w, w u and w (e^-u - 1 + u). */
    void (*divergence_sums)(const float *a, const float *b, size_t count, float maximum, float shift, double sums[3]);
    /* x = weight * e^(x - whole - rest) */
    void (*softmax_times)(float *x, size_t count, float whole, float rest, float weight);
    void (*round_bf16)(float *x, size_t count);
    void (*narrow)(const float *from, size_t words, float *to);
    void (*narrow_int16)(const float *from, size_t words, float *to);
    void (*widen_words)(const float *from, size_t rows, size_t wide, float *to);
    /* Columns 0 .. 7 of to (steps, wide) = eight rows of words, ld apart; steps are a multiple of 4. NULL: nothing is
     * faster than plain C. */
    void (*interleave)(const float *from, size_t ld, size_t steps, float *to, size_t wide);
} nn_row_table;

extern const nn_row_table nn_rows_plain;
#ifdef BIPE_NN_ROWS_X86
extern const nn_row_table nn_rows_avx2, nn_rows_avx512;
void nn_interleave_avx2(const float *from, size_t ld, size_t steps, float *to, size_t wide);
#endif

#endif
