/* attention_parts.h - what the files of attention share: sizes, and operands made of rows. Internal to src/nn. */
#ifndef BIPE_NN_ATTENTION_PARTS_H
#define BIPE_NN_ATTENTION_PARTS_H

#include "nn/attention.h"
#include "nn/micro.h"

static inline size_t nn_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* n in multiples of `unit`, rounded up. */
static inline size_t nn_whole(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* c (rows, wide) = (add ? c : 0) + packed left operand x panel (steps, wide); groups of rows of left are `stride` words
 * deep. */
static inline void nn_times_panel(const nn_micro *micro, const float *left, size_t rows, size_t stride, size_t steps,
                                  const float *panel, size_t wide, float *c, bool add)
{
    micro->run(steps, &(nn_left){left, 1, micro->rows, stride * micro->rows}, &(nn_right){.at = panel, .ld = wide}, c,
               wide, rows, wide, add);
}

enum { NN_SCORE_LANES = 256 }; /* the most of a tile of scores */

/* From products q k^T in units of ln 2 to scores: cap, biases, what a query sees. s (keys, lanes): keys key .. key +
 * keys - 1, queries query .. end - 1 and unused lanes. hide: NULL, or what is added to each lane. slope: NULL, or what
 * gets the derivative of the cap. */
void nn_attention_scores(const nn_attention *a, size_t head, const nn_lanes *lanes, float *s, size_t wide, size_t key,
                         size_t keys, size_t query, size_t end, const float *hide, float *slope);
/* Keys of block b as a left operand, and its values. */
const float *nn_keys_of(const nn_keys *keys, size_t b);
const float *nn_values_of(const nn_keys *keys, size_t b);
/* The largest |key| of block b. */
float *nn_norm_of(const nn_keys *keys, size_t b);

#endif
