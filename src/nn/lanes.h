/* lanes.h - what attention does to tiles of scores: rows of keys, a query in each lane. One table of functions per kind
 * of vector unit, all compiled from lanes_body.h. Internal to src/nn.
 *
 * A tile s is (keys, lanes), aligned to 64 bytes; lanes is a multiple of `width`, at most the NR of the kernels. Scores
 * are in units of ln 2: weights are 2^score. */
#ifndef BIPE_NN_LANES_H
#define BIPE_NN_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NN_LOG2E 1.44269504088896341f
/* Stands for the maximum of a lane that has seen no key yet. */
#define NN_LOWEST -3e38f

typedef struct nn_lanes {
    size_t width; /* lanes of a vector */
    /* s -= slope * |here - index|; here (lanes), index (keys). */
    void (*slope)(float *s, size_t keys, size_t lanes, const uint32_t *index, const uint32_t *here, float slope);
    /* s += factor * table[min(max(here - index, 0), size - 1)]. */
    void (*table)(float *s, size_t keys, size_t lanes, const uint32_t *index, const uint32_t *here, const float *table,
                  size_t size, float factor);
    /* s = cap * tanh(s / cap); slope, unless NULL, its derivative. */
    void (*cap)(float *s, size_t keys, size_t lanes, float cap, float *slope);
    /* s = -infinity unless 0 <= distance + lane - key < window, else s + hide (lanes). */
    void (*mask)(float *s, size_t keys, size_t lanes, int32_t distance, int32_t window, const float *hide);
    /* Takes s into a running softmax: s = 2^(s - maximum) with the new maximum, sum as it goes with that. correction
     * (lanes) is what earlier weights must be multiplied by; returns whether any is not 1. With `pairs`, s becomes a
     * panel of bfloat16, pairs of keys (keys + 1) / 2. */
    bool (*weigh)(float *s, size_t keys, size_t lanes, float *maximum, float *sum, float *correction, bool pairs);
    /* s *= factor (lanes) */
    void (*rescale)(float *s, size_t keys, size_t lanes, const float *factor);
    /* s = 2^(s - lse); g = s * (g - delta); lse, delta (lanes) */
    void (*differentiate)(float *s, float *g, size_t keys, size_t lanes, const float *lse, const float *delta);
} nn_lanes;

extern const nn_lanes nn_lanes_plain;
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
extern const nn_lanes nn_lanes_avx2, nn_lanes_avx512;
#endif

#endif
