/* rows_backward.c - the derivatives of the kernels of rows.c, and of the cross-entropy. */
#include "nn/exp.h"
#include "nn/nn.h"

#include <math.h>

enum { LANES = 8 };

/* y_i = x_i s w_i with s = (mean(x^2) + eps)^(-1/2): dx_i = s (w_i dy_i - x_i s^2 mean(w dy x)). */
void nn_rmsnorm_backward(const float *x, const float *weight, double eps, const float *dy, float *dx, float *dweight, size_t c)
{
    double square_lane[LANES] = {0}, product_lane[LANES] = {0}, square = 0, product = 0;
    size_t i = 0;
    for (; i + LANES <= c; i += LANES)
        for (size_t j = 0; j < LANES; j++) {
            square_lane[j] += (double)x[i + j] * (double)x[i + j];
            product_lane[j] += (double)(weight[i + j] * dy[i + j]) * (double)x[i + j];
        }
    for (; i < c; i++) {
        square += (double)x[i] * (double)x[i];
        product += (double)(weight[i] * dy[i]) * (double)x[i];
    }
    for (size_t j = 0; j < LANES; j++) {
        square += square_lane[j];
        product += product_lane[j];
    }
    double s = 1 / sqrt(square / (double)c + eps);
    float scale = (float)s, back = (float)(s * s * s * product / (double)c);
    for (i = 0; i < c; i++) {
        dx[i] += scale * weight[i] * dy[i] - back * x[i];
        dweight[i] += dy[i] * x[i] * scale;
    }
}

/* silu(g) = g o with o = sigmoid(g); silu'(g) = o (1 + g (1 - o)). */
void nn_silu_mul_backward(float *gate, float *up, float *dy, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float g = gate[i], u = up[i], d = dy[i], o = 1.0f / (1.0f + nn_exp_one(-g)), silu = g * o;
        gate[i] = d * u * (o + silu * (1.0f - o));
        up[i] = d * silu;
        dy[i] = silu * u;
    }
}

void nn_rotate_back(float *x, const float *cosine, const float *sine, size_t half)
{
    float *y = x + half;
    for (size_t j = 0; j < half; j++) {
        float a = x[j], b = y[j];
        x[j] = a * cosine[j] + b * sine[j];
        y[j] = b * cosine[j] - a * sine[j];
    }
}

void nn_cross_entropy_backward(float *logits, size_t count, double log_sum, size_t wanted, float weight)
{
    float whole = (float)log_sum, rest = (float)(log_sum - (double)whole); /* of a log_sum far from 0, f32 keeps too little */
    for (size_t i = 0; i < count; i++)
        logits[i] = weight * nn_exp_one(logits[i] - whole - rest);
    logits[wanted] -= weight;
}
