/* attention_parts.h - what the files of attention share: packing, and blocks of keys as operands. For this room only. */
#ifndef BIPE_NN_ATTENTION_PARTS_H
#define BIPE_NN_ATTENTION_PARTS_H

#include "nn/attention.h"
#include "nn/lanes.h"
#include "nn/micro.h"

/* How packed values lie: f32; bfloat16 in pairs along K, a word each; bfloat16 one by one, to be widened to f32. */
typedef enum nn_packing { NN_PACKING_F32, NN_PACKING_PAIRS, NN_PACKING_HALVES } nn_packing;

static inline size_t nn_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* n in multiples of `unit`, rounded up. */
static inline size_t nn_whole(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* An operand of a micro-kernel from x, whose row r has its value s of K at x[r * row + s * step], times scale: groups of `width` rows, each
 * (steps, width). Rows up to a whole group become 0; so do values of K from `steps` to `padded`. */
void nn_interleave(nn_packing packing, void *to, size_t width, size_t rows, size_t steps, size_t padded, const float *x,
                   size_t row, size_t step, float scale);
/* The same from part of a group of rows on: bytes of `rows` whole rows of `padded` values. */
size_t nn_interleaved_size(nn_packing packing, size_t rows, size_t padded);

nn_packing nn_packing_of(const nn_cpu *cpu, nn_precision precision);
/* The kernel that works on what is packed so, widened where it must be. */
const nn_micro *nn_micro_of(const nn_cpu *cpu, nn_precision precision);
/* Operands of block b; widened into `to` (2 * KB * whole D floats) where they are kept so. */
void nn_keys_block(const nn_keys *keys, size_t b, float *to, const void **k, const void **v);
/* scores (keys, NR) = left operand (rows, padded K) x panel. */
void nn_times_panel(const nn_micro *micro, const void *left, size_t rows, size_t padded, size_t steps, const void *panel,
                    float *c, bool add);

#endif
