/* plain.c - the kernels of nn.h written as their formulas, slowly. */
#include "nn/plain.h"

#include <math.h>

float nn_plain_bf16(float x)
{
    if (!isfinite(x) || x == 0)
        return x;
    int exponent;
    frexp((double)x, &exponent);
    if (exponent < -125)
        exponent = -125; /* subnormal numbers have a fixed last place */
    double unit = ldexp(1, exponent - 8);
    double rounded = nearbyint((double)x / unit) * unit;
    return fabs(rounded) >= 0x1p128 ? (float)copysign((double)INFINITY, rounded) : (float)rounded;
}

void nn_plain_rmsnorm(const float *x, const float *weight, double eps, float *y, size_t c)
{
    double sum = 0;
    for (size_t i = 0; i < c; i++)
        sum += (double)x[i] * (double)x[i];
    for (size_t i = 0; i < c; i++)
        y[i] = (float)((double)x[i] / sqrt(sum / (double)c + eps) * (double)weight[i]);
}

void nn_plain_layernorm(const float *x, const float *weight, const float *bias, double eps, float *y, size_t c)
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < c; i++)
        mean += (double)x[i] / (double)c;
    for (size_t i = 0; i < c; i++)
        variance += ((double)x[i] - mean) * ((double)x[i] - mean) / (double)c;
    for (size_t i = 0; i < c; i++)
        y[i] = (float)(((double)x[i] - mean) / sqrt(variance + eps) * (double)weight[i] +
                       (bias != NULL ? (double)bias[i] : 0));
}

double nn_plain_activation(nn_activation activation, double x)
{
    switch (activation) {
    case NN_SILU: return x / (1 + exp(-x));
    case NN_GELU: return x * erfc(-x / sqrt(2)) / 2;
    case NN_GELU_TANH: return x / 2 * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    case NN_RELU: return fmax(x, 0);
    case NN_RELU_SQUARED: return fmax(x, 0) * fmax(x, 0);
    case NN_CLAMPED_SILU: return fmin(x, 7) / (1 + exp(-1.702 * fmin(x, 7)));
    case NN_XIELU: break;
    }
    return (double)NAN;
}

double nn_plain_xielu(const float parameters[NN_XIELU_PARAMETERS], double x)
{
    double square = log1p(exp((double)parameters[0])), below = log1p(exp((double)parameters[1]));
    double beta = (double)parameters[2], eps = (double)parameters[3];
    return (x > 0 ? square * x * x : (beta + below) * (expm1(fmin(x, eps)) - x)) + beta * x;
}

void nn_plain_silu_mul(const float *gate, const float *up, float *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] = (float)((double)gate[i] / (1 + exp(-(double)gate[i])) * (double)up[i]);
}

void nn_plain_rotate(float *x, const float *cosine, const float *sine, size_t half)
{
    for (size_t j = 0; j < half; j++) {
        double a = (double)x[j], b = (double)x[j + half], c = (double)cosine[j], s = (double)sine[j];
        x[j] = (float)(a * c - b * s);
        x[j + half] = (float)(a * s + b * c);
    }
}

double nn_plain_log_sum(const float *values, size_t count)
{
    double maximum = -(double)INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++)
        maximum = (double)values[i] > maximum ? (double)values[i] : maximum; /* GCC 12 for arm64 fails at fmax() */
    for (size_t i = 0; i < count; i++)
        sum += exp((double)values[i] - maximum);
    return maximum + log(sum);
}

double nn_plain_divergence(const float *a, const float *b, size_t count)
{
    double sum = 0, of_a = nn_plain_log_sum(a, count), of_b = nn_plain_log_sum(b, count);
    for (size_t i = 0; i < count; i++)
        sum += exp((double)a[i] - of_a) * (((double)a[i] - of_a) - ((double)b[i] - of_b));
    return sum;
}

static double bias_of(const nn_bias *bias, size_t query, size_t key)
{
    int64_t difference = (int64_t)bias->index[query] - (int64_t)bias->index[key];
    if (bias->table == NULL)
        return -(double)bias->slope * fabs((double)difference);
    int64_t last = (int64_t)bias->table_size - 1;
    return (double)bias->table[difference < 0 ? 0 : difference > last ? last : difference];
}

void nn_plain_attention(const nn_attention *a, size_t head, size_t count, size_t d, const float *q, size_t ldq,
                        const float *k, size_t ldk, const float *v, size_t ldv, double *scores, double *out,
                        double *lse)
{
    for (size_t t = 0; t < count; t++) {
        size_t first = a->window != 0 && t >= a->window ? t + 1 - a->window : 0;
        double maximum = -(double)INFINITY, sum = 0;
        for (size_t j = first; j <= t; j++) {
            double score = 0;
            for (size_t c = 0; c < d; c++)
                score += (double)q[t * ldq + c] * (double)k[j * ldk + c];
            score *= (double)a->scale;
            if (a->cap > 0)
                score = (double)a->cap * tanh(score / (double)a->cap);
            for (size_t b = 0; b < a->biases; b++)
                score += bias_of(&a->bias[head * a->biases + b], t, j);
            scores[j] = score;
            maximum = fmax(maximum, score);
        }
        if (a->sink != NULL)
            sum = exp((double)a->sink[head] - maximum);
        for (size_t j = first; j <= t; j++)
            sum += exp(scores[j] - maximum);
        for (size_t c = 0; c < d; c++) {
            double value = 0;
            for (size_t j = first; j <= t; j++)
                value += exp(scores[j] - maximum) * (double)v[j * ldv + c];
            out[t * d + c] = value / sum;
        }
        if (lse != NULL)
            lse[t] = maximum + log(sum);
    }
}
