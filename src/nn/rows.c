/* rows.c - what happens to rows by themselves: normalisation, activation, rotation. */
#include "nn/exp.h"
#include "nn/nn.h"

#include <math.h>

enum { LANES = 8 };

void nn_rmsnorm(const float *x, const float *weight, double eps, float *y, size_t c)
{
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= c; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += (double)x[i + j] * (double)x[i + j];
    double sum = 0;
    for (; i < c; i++)
        sum += (double)x[i] * (double)x[i];
    for (size_t j = 0; j < LANES; j++)
        sum += lane[j];
    float scale = (float)(1 / sqrt(sum / (double)c + eps));
    for (i = 0; i < c; i++)
        y[i] = x[i] * scale * weight[i];
}

void nn_silu_mul(float *gate, const float *up, size_t count)
{
    for (size_t i = 0; i < count; i++)
        gate[i] = gate[i] / (1.0f + nn_exp_one(-gate[i])) * up[i];
}

void nn_rotate(float *x, const float *cosine, const float *sine, size_t half)
{
    float *y = x + half;
    for (size_t j = 0; j < half; j++) {
        float a = x[j], b = y[j];
        x[j] = a * cosine[j] - b * sine[j];
        y[j] = b * cosine[j] + a * sine[j];
    }
}

void nn_exp(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = nn_exp_one(x[i]);
}
