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

void nn_layernorm(const float *x, const float *weight, const float *bias, double eps, float *y, size_t c)
{
    best_rows()->layernorm(x, weight, bias, eps, y, c);
}

void nn_activate(nn_activation activation, const float *x, float *y, size_t count)
{
    best_rows()->activate(activation, x, y, count);
}

static float softplus(float x)
{
    return (float)(x > 30 ? (double)x : log1p(exp((double)x)));
}

void nn_xielu(const float parameters[NN_XIELU_PARAMETERS], const float *x, float *y, size_t count)
{
    const float beta = parameters[2];
    best_rows()->xielu(softplus(parameters[0]), beta + softplus(parameters[1]), beta, parameters[3], x, y, count);
}

void nn_activate_mul(nn_activation activation, const float *gate, const float *up, float *y, size_t count)
{
    if (activation == NN_SILU) {
        best_rows()->silu_mul(gate, up, y, count);
        return;
    }
    best_rows()->activate(activation, gate, y, count);
    if (activation == NN_CLAMPED_SILU)
        for (size_t i = 0; i < count; i++)
            y[i] *= 1 + (up[i] > 7 ? 7 : up[i] < -7 ? -7 : up[i]);
    else
        for (size_t i = 0; i < count; i++)
            y[i] *= up[i];
}

void nn_soft_cap(float *x, size_t count, float cap)
{
    best_rows()->soft_cap(x, count, cap);
}

void nn_silu_mul(const float *gate, const float *up, float *y, size_t count)
{
    best_rows()->silu_mul(gate, up, y, count);
}

void nn_silu_mul_backward(float *gate, float *up, float *dy, size_t count)
{
    best_rows()->silu_mul_backward(gate, up, dy, count);
}

void nn_layernorm_backward(const float *x, const float *weight, const float *bias, double eps, const float *dy,
                           float *y, float *dx, float *dweight, float *dbias, size_t c)
{
    best_rows()->layernorm_backward(x, weight, bias, eps, dy, y, dx, dweight, dbias, c);
}

enum { PIECE = 256 }; /* values of an activation at a time */

void nn_activate_mul_backward(nn_activation activation, float *gate, float *up, float *dy, size_t count)
{
    float y[PIECE];
    if (activation == NN_SILU) {
        best_rows()->silu_mul_backward(gate, up, dy, count);
        return;
    }
    for (size_t at = 0; at < count; at += PIECE, gate += PIECE, up += PIECE, dy += PIECE) {
        size_t some = count - at < PIECE ? count - at : PIECE;
        best_rows()->activate_slope(activation, gate, y, some);
        for (size_t i = 0; i < some; i++) {
            float d = dy[i];
            dy[i] = y[i] * up[i];
            gate[i] *= d * up[i];
            up[i] = d * y[i];
        }
    }
}

void nn_activate_backward(nn_activation activation, float *x, float *dy, size_t count)
{
    float y[PIECE];
    for (size_t at = 0; at < count; at += PIECE, x += PIECE, dy += PIECE) {
        size_t some = count - at < PIECE ? count - at : PIECE;
        best_rows()->activate_slope(activation, x, y, some);
        for (size_t i = 0; i < some; i++) {
            x[i] *= dy[i];
            dy[i] = y[i];
        }
    }
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

void nn_narrow_int16(const float *from, size_t words, float *to)
{
    best_rows()->narrow_int16(from, words, to);
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

/* ---- divergence, a piece at a time ---- */

const nn_divergence nn_divergence_start = {.maximum = -INFINITY, .other_maximum = -INFINITY};

static size_t place_of(const float *values, float value)
{
    size_t at = 0;
    while (values[at] != value)
        at++;
    return at;
}

/* Sums under another maximum and shift. */
static void rebase(nn_divergence *s, float maximum, float shift)
{
    double scale = exp((double)s->maximum - (double)maximum), step = (double)shift - (double)s->shift;
    if (s->weight > 0) {
        double grown = expm1(step);
        s->excess = scale * (s->excess + grown * (s->excess - s->mean) + s->weight * (grown - step));
        s->mean = scale * (s->mean - step * s->weight);
        s->weight *= scale;
    }
    s->maximum = maximum;
    s->shift = shift;
}

void nn_divergence_add(nn_divergence *s, const float *a, const float *b, size_t count)
{
    const float far = 60; /* e^far is far from overflow */
    float maximum = best_rows()->largest(a, count, s->maximum);
    float other_maximum = best_rows()->largest(b, count, s->other_maximum);
    double sums[3];
    if (maximum > s->maximum) {
        size_t at = place_of(a, maximum);
        s->choice = s->seen + at;
        rebase(s, maximum, a[at] - b[at]);
    }
    if (other_maximum > s->other_maximum) {
        s->other_choice = s->seen + place_of(b, other_maximum);
        s->other_maximum = other_maximum;
    }
    best_rows()->divergence_sums(a, b, count, s->maximum, s->shift, sums);
    s->weight += sums[0];
    s->mean += sums[1];
    s->excess += sums[2];
    s->seen += count;
    s->far = s->far || other_maximum - (maximum - s->shift) > far;
}

double nn_divergence_result(const nn_divergence *s, double log_sum, double other_log_sum)
{
    double mean = s->mean / s->weight, excess = s->excess / s->weight;
    double result = s->far ? mean + (double)s->shift - (log_sum - other_log_sum) : mean + log1p(excess - mean);
    return result < 0 ? 0 : result;
}
