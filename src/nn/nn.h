/* nn.h - the kernels of the forward pass, on float *: no I/O, no heap, no state of their own.
 *
 * Letters: M, N, K of a product; C width of a row; D head size; L tokens of a window. Matrices are row-major; `ld` is
 * the distance between rows in values. Nothing here depends on how many threads call it: each call runs in its caller's
 * thread and gives the same digits for the same arguments. Naive twins of all of it are in plain.h; a faster part
 * replaces one file. NaN and infinity go through: they never hang and never trap. */
#ifndef BIPE_NN_NN_H
#define BIPE_NN_NN_H

#include "nn/attention.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- weights as their file has them (pack.c) ---- */

/* Reads `count` values of a type of files, at any address, as f32: a whole number of the type's blocks. */
typedef void nn_reader(const void *restrict from, float *restrict to, size_t count);

/* A matrix (rows, columns) of such values. Rows are whole blocks and follow each other. */
typedef struct nn_matrix {
    const void *data;
    nn_reader *read;
    size_t rows, columns;
    size_t stride;            /* bytes of a row */
    size_t block, block_size; /* values and bytes of a block */
    float scale;              /* what values are multiplied by; 0: nothing */
    int type;                 /* its number in GGUF files */
    size_t head, rotary;      /* head 0: rows are in order. Of each so many rows the first `rotary` lie interleaved: row
                                 j of the first half of these, and row j of the second, then j + 1 of both */
} nn_matrix;

/* Where a row lies. */
static inline const void *nn_row(const nn_matrix *w, size_t row)
{
    if (w->head != 0) {
        size_t at = row % w->head, half = w->rotary / 2;
        row += at >= w->rotary ? 0 : at < half ? at : at - w->rotary + 1;
    }
    return (const uint8_t *)w->data + row * w->stride;
}

/* A reader that makes use of the processor's vector unit (nn_cpu_best()), with the bits of `plain`, which is given back
 * where there is none. type: the number that the type has in GGUF files. */
nn_reader *nn_reader_of(int type, nn_reader *plain);

/* Values of a row from number `first`, which begins a block. */
void nn_read(const nn_matrix *w, size_t row, size_t first, float *to, size_t count);
/* Rounds values to the nearest bfloat16, ties to even; NaN stays NaN. */
void nn_round_bf16(float *x, size_t count);

/* ---- row by row (rows.c) ---- */

/* y = x / sqrt(mean(x^2) + eps) * weight (Zhang and Sennrich 2019); (C). y may be x. */
void nn_rmsnorm(const float *x, const float *weight, double eps, float *y, size_t c);
/* y = (x - mean(x)) / sqrt(variance(x) + eps) * weight + bias (Ba et al. 2016); (C); bias may be NULL. y may be x. */
void nn_layernorm(const float *x, const float *weight, const float *bias, double eps, float *y, size_t c);

typedef enum nn_activation {
    NN_SILU,         /* x sigmoid(x) */
    NN_GELU,         /* x times the normal distribution's Phi(x) (Hendrycks and Gimpel 2016) */
    NN_GELU_TANH,    /* its form with tanh */
    NN_RELU,         /* max(x, 0) */
    NN_RELU_SQUARED,
    NN_CLAMPED_SILU, /* g sigmoid(1.702 g) with g = min(x, 7), and what a gate multiplies becomes 1 + min(max(up, -7),
                        7): gpt-oss's */
    NN_XIELU         /* nn_xielu(), which has parameters */
} nn_activation;

/* y = f(x); y may be x. Not NN_XIELU. */
void nn_activate(nn_activation activation, const float *x, float *y, size_t count);
/* xIELU (Huang and Schlag 2025): y = softplus(alpha_p) x^2 + beta x above 0, and else (beta + softplus(alpha_n))
 * (e^min(x, eps) - 1 - x) + beta x. parameters: alpha_p, alpha_n, beta, eps; y may be x. */
enum { NN_XIELU_PARAMETERS = 4 };
void nn_xielu(const float parameters[NN_XIELU_PARAMETERS], const float *x, float *y, size_t count);
/* y = f(gate) * up. y may be gate, not up. */
void nn_activate_mul(nn_activation activation, const float *gate, const float *up, float *y, size_t count);
/* x = cap * tanh(x / cap) */
void nn_soft_cap(float *x, size_t count, float cap);
/* y = gate * sigmoid(gate) * up (Shazeer 2020). y may be gate. */
void nn_silu_mul(const float *gate, const float *up, float *y, size_t count);
/* Rotates the half-split pairs (j, j + half) of each row of x (heads, 2 * half) by the angle whose cos and sin (half)
 * are given (Su et al. 2021); a common factor of both scales the pair. */
void nn_rotate(float *x, size_t heads, const float *cosine, const float *sine, size_t half);

/* ---- row by row, backward (rows.c) ---- */

/* dx += and dweight += what dy = d/dy of y = nn_rmsnorm(x, weight) gives, and y once more; (C) each. None of these
 * three overlaps anything. */
void nn_rmsnorm_backward(const float *x, const float *weight, double eps, const float *dy, float *y, float *dx,
                         float *dweight, size_t c);
/* The same of nn_layernorm, and dbias += dy; bias and dbias may be NULL, both. */
void nn_layernorm_backward(const float *x, const float *weight, const float *bias, double eps, const float *dy,
                           float *y, float *dx, float *dweight, float *dbias, size_t c);
/* With y = f(gate) * up: gate and up become d/dgate and d/dup, dy becomes y. Neither of these for NN_CLAMPED_SILU and
 * NN_XIELU. */
void nn_activate_mul_backward(nn_activation activation, float *gate, float *up, float *dy, size_t count);
/* With y = f(x): x becomes d/dx, dy becomes y. */
void nn_activate_backward(nn_activation activation, float *x, float *dy, size_t count);
/* With y = silu(gate) * up: gate and up become d/dgate and d/dup, dy becomes y. */
void nn_silu_mul_backward(float *gate, float *up, float *dy, size_t count);
/* The transpose of nn_rotate: a rotation by the opposite angle, with the same factor. */
void nn_rotate_back(float *x, size_t heads, const float *cosine, const float *sine, size_t half);
/* Logits become weight * (softmax - 1 at `wanted`); log_sum: ln of the sum of e^logits. */
void nn_cross_entropy_backward(float *logits, size_t count, double log_sum, size_t wanted, float weight);

/* ---- softmax in pieces (rows.c) ---- */

/* sum over pieces of e^value, kept as e^maximum * sum; start from nn_log_sum_start. */
typedef struct nn_log_sum {
    float maximum;
    double sum;
} nn_log_sum;
extern const nn_log_sum nn_log_sum_start;

/* Takes in count more values. */
void nn_log_sum_add(nn_log_sum *state, const float *values, size_t count);
/* ln of the sum. */
double nn_log_sum_result(const nn_log_sum *state);

/* KL divergence (Kullback and Leibler 1951) of the softmax q of b from the softmax p of a, over pieces; start from
 * nn_divergence_start.
 *
 * Textbook sums, E_p[a - b] less the difference of log-sums, lose a small divergence to rounding. Here u = a - b -
 * shift, with the shift of a's largest value, is near 0 where p is not, and with m = E_p[u] and e = E_p[e^-u - 1 + u],
 * a sum of positive terms, the divergence is m + ln(1 + e - m): its relative error is that of f32, and it is 0 where a
 * and b are equal. */
typedef struct nn_divergence {
    float maximum, other_maximum;  /* of a, of b */
    float shift;
    bool far;                      /* b has a value so much above the one at a's largest that e^-u is useless */
    size_t choice, other_choice;   /* where they are: the first of equals */
    size_t seen;
    double weight, mean, excess;   /* sums of e^(a - maximum), times u, times (e^-u - 1 + u) */
} nn_divergence;
extern const nn_divergence nn_divergence_start;

/* Takes in count more values of both. */
void nn_divergence_add(nn_divergence *state, const float *a, const float *b, size_t count);
/* In nats, at least 0, not finite where a value is not; log_sum, other_log_sum: nn_log_sum_result() of a and of b. */
double nn_divergence_result(const nn_divergence *state, double log_sum, double other_log_sum);

#endif
