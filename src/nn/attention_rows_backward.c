/* attention_rows_backward.c - the derivatives of causal attention, a block of queries at a time. */
#include "nn/nn.h"

#include <string.h>

enum { BLOCK = 64 }; /* queries */

/* Scratch: weights (BLOCK, L) | their derivatives (BLOCK, L). */
size_t nn_attention_rows_backward_scratch(size_t length)
{
    return 2 * (size_t)BLOCK * length;
}

static uint32_t distance_of(const nn_bias *bias, size_t query, size_t key)
{
    uint32_t here = bias->index[query], there = bias->index[key];
    if (bias->table == NULL)
        return here > there ? here - there : there - here;
    size_t distance = here > there ? here - there : 0;
    return (uint32_t)(distance < bias->table_size - 1 ? distance : bias->table_size - 1);
}

void nn_attention_rows_backward(const float *q, const float *k, const float *v, float *dq, float *dk, float *dv, size_t ld,
                                const float *out, const float *dout, size_t ldo, size_t length, size_t d, float scale,
                                const nn_bias *bias, size_t biases, float *scratch)
{
    float *p = scratch, *dp = scratch + (size_t)BLOCK * length;
    for (size_t first = 0; first < length; first += BLOCK) {
        size_t count = length - first < BLOCK ? length - first : BLOCK, keys = first + count;
        nn_gemm_nt(count, keys, d, q + first * ld, ld, k, ld, false, p, length);
        nn_gemm_nt(count, keys, d, dout + first * ldo, ldo, v, ld, false, dp, length);
        for (size_t i = 0; i < count; i++) {
            size_t query = first + i, seen = query + 1;
            float *row = p + i * length, *drow = dp + i * length;
            for (size_t j = 0; j < seen; j++)
                row[j] *= scale;
            for (size_t b = 0; b < biases; b++)
                for (size_t j = 0; j < seen; j++) {
                    uint32_t distance = distance_of(&bias[b], query, j);
                    row[j] += bias[b].table != NULL ? bias[b].table[distance] : -bias[b].slope * (float)distance;
                }
            nn_log_sum sum = nn_log_sum_start;
            nn_log_sum_add(&sum, row, seen, true);
            float whole = (float)(1 / sum.sum);
            double product = 0; /* of out and dout: the mean of dp */
            for (size_t j = 0; j < d; j++)
                product += (double)out[query * ldo + j] * (double)dout[query * ldo + j];
            for (size_t j = 0; j < seen; j++) {
                row[j] *= whole;
                drow[j] = row[j] * (drow[j] - (float)product);
            }
            for (size_t b = 0; b < biases; b++)
                for (size_t j = 0; bias[b].d_table != NULL && j < seen; j++)
                    bias[b].d_table[distance_of(&bias[b], query, j)] += drow[j];
            for (size_t j = 0; j < seen; j++)
                drow[j] *= scale;
            memset(row + seen, 0, (keys - seen) * sizeof *row);
            memset(drow + seen, 0, (keys - seen) * sizeof *drow);
            memset(dq + query * ld, 0, d * sizeof *dq);
        }
        nn_gemm_nn(count, d, keys, dp, length, k, ld, dq + first * ld, ld);
        nn_gemm_tn(keys, d, count, dp, length, q + first * ld, ld, dk, ld);
        nn_gemm_tn(keys, d, count, p, length, dout + first * ldo, ldo, dv, ld);
    }
}
