/* attention_rows.c - causal attention of a block of queries, a block of keys at a time. */
#include "nn/nn.h"

#include <string.h>

/* Scratch: scores (NN_QUERY_BLOCK, NN_KEY_BLOCK) | values (NN_QUERY_BLOCK, D). */
size_t nn_attention_rows_scratch(size_t d)
{
    return (size_t)NN_QUERY_BLOCK * (NN_KEY_BLOCK + d);
}

static void add_slope(float *scores, const nn_bias *bias, size_t query, size_t first_key, size_t count)
{
    const uint32_t *index = bias->index + first_key;
    uint32_t here = bias->index[query];
    float slope = bias->slope;
    for (size_t j = 0; j < count; j++) {
        int32_t difference = (int32_t)(here - index[j]);
        scores[j] -= slope * (float)(difference < 0 ? -difference : difference);
    }
}

static void add_table(float *scores, const nn_bias *bias, size_t query, size_t first_key, size_t count)
{
    const uint32_t *index = bias->index + first_key;
    uint32_t here = bias->index[query];
    size_t last = bias->table_size - 1;
    for (size_t j = 0; j < count; j++) {
        size_t distance = here > index[j] ? here - index[j] : 0;
        scores[j] += bias->table[distance < last ? distance : last];
    }
}

void nn_attention_rows(const float *q, size_t ldq, const float *k, size_t ldk, const float *v, size_t ldv, size_t first,
                  size_t count, size_t d, float scale, const nn_bias *bias, size_t biases, float *scratch, float *out,
                  size_t ldo)
{
    float *scores = scratch, *values = scratch + (size_t)NN_QUERY_BLOCK * NN_KEY_BLOCK;
    nn_log_sum sum[NN_QUERY_BLOCK];
    for (size_t i = 0; i < count; i++)
        sum[i] = nn_log_sum_start;
    memset(values, 0, count * d * sizeof *values);

    size_t keys = first + count;
    for (size_t begin = 0; begin < keys; begin += NN_KEY_BLOCK) {
        size_t width = keys - begin < NN_KEY_BLOCK ? keys - begin : NN_KEY_BLOCK;
        nn_gemm_nt(count, width, d, q, ldq, k + begin * ldk, ldk, false, scores, NN_KEY_BLOCK);
        for (size_t i = 0; i < count; i++) {
            float *row = scores + i * NN_KEY_BLOCK;
            size_t query = first + i;
            size_t seen = query + 1 <= begin ? 0 : query + 1 - begin < width ? query + 1 - begin : width;
            memset(row + seen, 0, (width - seen) * sizeof *row);
            if (seen == 0)
                continue;
            for (size_t j = 0; j < seen; j++)
                row[j] *= scale;
            for (size_t b = 0; b < biases; b++) {
                if (bias[b].table != NULL)
                    add_table(row, &bias[b], query, begin, seen);
                else
                    add_slope(row, &bias[b], query, begin, seen);
            }
            float correction = nn_log_sum_add(&sum[i], row, seen, true);
            if (correction != 1)
                for (size_t j = 0; j < d; j++)
                    values[i * d + j] *= correction;
        }
        nn_gemm_nn(count, d, width, scores, NN_KEY_BLOCK, v + begin * ldv, ldv, values, d);
    }
    for (size_t i = 0; i < count; i++) {
        float whole = (float)(1 / sum[i].sum);
        for (size_t j = 0; j < d; j++)
            out[i * ldo + j] = values[i * d + j] * whole;
    }
}
