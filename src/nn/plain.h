/* plain.h - the naive twin of each kernel of nn.h: a loop as the formula says it, sums in double. For tests, and for
 * reading what a fast kernel is to compute. */
#ifndef BIPE_NN_PLAIN_H
#define BIPE_NN_PLAIN_H

#include "nn/nn.h"

float nn_plain_value(const nn_matrix *w, size_t row, size_t column);
float nn_plain_bf16(float x);
void nn_plain_gemm_nt(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *w, size_t ldw, bool add,
                      float *y, size_t ldy);
void nn_plain_gemm_nn(size_t m, size_t n, size_t k, const float *x, size_t ldx, const float *w, size_t ldw, float *y,
                      size_t ldy);
void nn_plain_linear(const float *x, size_t ldx, size_t m, const nn_matrix *w, bool bf16, bool add, float *y, size_t ldy);
void nn_plain_rmsnorm(const float *x, const float *weight, double eps, float *y, size_t c);
void nn_plain_silu_mul(float *gate, const float *up, size_t count);
void nn_plain_rotate(float *x, const float *cosine, const float *sine, size_t half);
double nn_plain_log_sum(const float *values, size_t count);
/* One query at row `query`; scores: scratch of query + 1 doubles. */
void nn_plain_attention(const float *q, const float *k, size_t ldk, const float *v, size_t ldv, size_t query, size_t d,
                        float scale, const nn_bias *bias, size_t biases, double *scores, float *out);

#endif
