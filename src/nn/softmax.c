/* softmax.c - sums of exponentials taken in a piece at a time, never overflowing: for attention and for losses. */
#include "nn/exp.h"
#include "nn/nn.h"

#include <math.h>

enum { LANES = 16 };

const nn_log_sum nn_log_sum_start = {-INFINITY, 0};

static float maximum_of(const float *values, size_t count, float maximum)
{
    float lane[LANES];
    for (size_t j = 0; j < LANES; j++)
        lane[j] = maximum;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] = values[i + j] > lane[j] ? values[i + j] : lane[j];
    for (; i < count; i++)
        maximum = values[i] > maximum ? values[i] : maximum;
    for (size_t j = 0; j < LANES; j++)
        maximum = lane[j] > maximum ? lane[j] : maximum;
    return maximum;
}

float nn_log_sum_add(nn_log_sum *state, float *values, size_t count, bool weights)
{
    float maximum = maximum_of(values, count, state->maximum);
    float lane[LANES] = {0}, piece[LANES];
    double sum = 0;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t j = 0; j < LANES; j++)
            piece[j] = nn_exp_one(values[i + j] - maximum);
        for (size_t j = 0; j < LANES; j++)
            lane[j] += piece[j];
        if (weights)
            for (size_t j = 0; j < LANES; j++)
                values[i + j] = piece[j];
    }
    for (; i < count; i++) {
        float e = nn_exp_one(values[i] - maximum);
        sum += (double)e;
        if (weights)
            values[i] = e;
    }
    for (size_t j = 0; j < LANES; j++)
        sum += (double)lane[j];
    float correction = maximum == state->maximum ? 1.0f : expf(state->maximum - maximum);
    state->sum = state->sum * (double)correction + sum;
    state->maximum = maximum;
    return correction;
}

double nn_log_sum_result(const nn_log_sum *state)
{
    return (double)state->maximum + log(state->sum);
}
