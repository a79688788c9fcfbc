/* rows.c - what happens to rows by themselves: normalisation, activation, rotation, softmax; forward and backward. The
 * work is done by the functions of row_table.h. */
#include "nn/micro.h"

#include <math.h>

static const nn_row_table *best_rows(void)
{
    return nn_cpu_best()->rows;
}

void nn_rmsnorm(const float *x, const float *weight, double eps, float *y, size_t c)
{
    best_rows()->rmsnorm(x, weight, eps, y, c);
}

void nn_rmsnorm_backward(const float *x, const float *weight, double eps, const float *dy, float *y, float *dx,
                         float *dweight, size_t c)
{
    best_rows()->rmsnorm_backward(x, weight, eps, dy, y, dx, dweight, c);
}

void nn_silu_mul(const float *gate, const float *up, float *y, size_t count)
{
    best_rows()->silu_mul(gate, up, y, count);
}

void nn_silu_mul_backward(float *gate, float *up, float *dy, size_t count)
{
    best_rows()->silu_mul_backward(gate, up, dy, count);
}

void nn_rotate(float *x, size_t heads, const float *cosine, const float *sine, size_t half)
{
    best_rows()->rotate(x, heads, cosine, sine, half);
}

void nn_rotate_back(float *x, size_t heads, const float *cosine, const float *sine, size_t half)
{
    best_rows()->rotate_back(x, heads, cosine, sine, half);
}

float nn_inner(const float *x, const float *y, size_t count)
{
    return best_rows()->inner(x, y, count);
}

void nn_round_bf16(float *x, size_t count)
{
    best_rows()->round_bf16(x, count);
}

void nn_narrow(const float *from, size_t words, float *to)
{
    best_rows()->narrow(from, words, to);
}

void nn_widen_words(const float *from, size_t rows, size_t wide, float *to)
{
    best_rows()->widen_words(from, rows, wide, to);
}

void nn_cross_entropy_backward(float *logits, size_t count, double log_sum, size_t wanted, float weight)
{
    float whole = (float)log_sum, rest = (float)(log_sum - (double)whole); /* of a log_sum far from 0, f32 keeps too
                                                                              little */
    best_rows()->softmax_times(logits, count, whole, rest, weight);
    logits[wanted] -= weight;
}

/* ---- sums of exponentials, a piece at a time, never overflowing ---- */

const nn_log_sum nn_log_sum_start = {-INFINITY, 0};

void nn_log_sum_add(nn_log_sum *state, const float *values, size_t count)
{
    float maximum = best_rows()->largest(values, count, state->maximum);
    double sum = best_rows()->exp_sum(values, count, maximum);
    state->sum = state->sum * (maximum == state->maximum ? 1 : exp((double)state->maximum - (double)maximum)) + sum;
    state->maximum = maximum;
}

double nn_log_sum_result(const nn_log_sum *state)
{
    return (double)state->maximum + log(state->sum);
}
