/* plain.h - the naive twin of each kernel of nn.h: a loop as the formula says it, sums in double. For tests, and for
 * reading what a fast kernel is to compute. */
#ifndef BIPE_NN_PLAIN_H
#define BIPE_NN_PLAIN_H

#include "nn/nn.h"

float nn_plain_bf16(float x);
void nn_plain_rmsnorm(const float *x, const float *weight, double eps, float *y, size_t c);
void nn_plain_layernorm(const float *x, const float *weight, const float *bias, double eps, float *y, size_t c);
double nn_plain_activation(nn_activation activation, double x);
double nn_plain_xielu(const float parameters[NN_XIELU_PARAMETERS], double x);
void nn_plain_silu_mul(const float *gate, const float *up, float *y, size_t count);
void nn_plain_rotate(float *x, const float *cosine, const float *sine, size_t half);
double nn_plain_log_sum(const float *values, size_t count);
double nn_plain_divergence(const float *a, const float *b, size_t count);
/* Attention of query head `head` over the keys of a window of which k and v (count, D) are given, all in double; q, out
 * (count, D) with their ld. lse (count) or NULL. Weights are computed for one query at a time, in scores (count). */
void nn_plain_attention(const nn_attention *a, size_t head, size_t count, size_t d, const float *q, size_t ldq,
                        const float *k, size_t ldk, const float *v, size_t ldv, double *scores, double *out,
                        double *lse);

#endif
