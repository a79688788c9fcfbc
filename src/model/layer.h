/* layer.h - the parts of the decoder that scoring and generation share: what goes into a row, the products of a layer,
 * and the terms of attention. Internal to src/model. Letters as in parameters.h. */
#ifndef BIPE_MODEL_LAYER_H
#define BIPE_MODEL_LAYER_H

#include "base/minmax.h"
#include "model/position_tables.h"
#include "model/weights.h"
#include "nn/attention.h"

/* How many parts of that size the whole has; the last may be smaller. */
static inline size_t parts_of(size_t whole, size_t part)
{
    return (whole + part - 1) / part;
}

/* A model ready to run. */
typedef struct bipe_layers {
    const bipe_model *model;
    const bipe_packed *packed;
    const nn_cpu *cpu;
    nn_precision precision;
    const bipe_decoder *decoder;
    bipe_position_tables positions;
    bipe_position_tables window_positions; /* of layers with a window, where they differ (own_windows) */
    bool own_windows;
    bool prune; /* attention skips keys that weigh less than rounding errors */
} bipe_layers;

/* A token of a window or of a sequence, whose indices these are. */
typedef struct bipe_position {
    const bipe_indices *index;
    size_t token;
} bipe_position;

/* Resolves a scheme and a scaling (NULL: the model's) for windows of up to `length` tokens, and packs the weights. On
 * failure there is nothing to close. */
int bipe_layers_open(bipe_layers *layers, bipe_model *model, const bipe_scheme *scheme,
                     const bipe_rope_scaling *scaling, nn_precision precision, size_t length, uint64_t seed, bool dense,
                     bipe_pool *pool, bipe_error *err);
void bipe_layers_close(bipe_layers *layers);

/* f32 values of a role; NULL: the model has none. */
const float *bipe_layer_floats(const bipe_layers *layers, size_t layer, bipe_role role);
/* The product of m rows of x with all columns of a role's matrix: y = x W + bias, if `bias` is a role and the model has
 * it; y += with `add`. */
nn_product bipe_layer_product(const bipe_layers *layers, size_t layer, const float *x, size_t m, bipe_role role,
                              bipe_role bias, bool add, float *y);
#define BIPE_NO_BIAS BIPE_ROLES
/* The products of m rows of a that a layer has: of keys, values, and queries (q NULL: without). Returns how many. */
size_t bipe_layer_projections(const bipe_layers *layers, size_t layer, const float *a, size_t m, float *q, float *k,
                              float *v, nn_product products[3]);
/* g (m, F) = f(x gate) * (x up), or f(x up) without a gate, all columns; and y = g down + bias, y += with `add`.
 * expert: 0 in a dense layer; that which all tokens share has S columns in place of F. */
#define BIPE_SHARED_EXPERT SIZE_MAX
nn_product bipe_layer_hidden(const bipe_layers *layers, size_t layer, size_t expert, const float *x, size_t m,
                             float *g);
nn_product bipe_layer_down(const bipe_layers *layers, size_t layer, size_t expert, const float *g, size_t m, bool add,
                           float *y);
/* Bytes of scratch for products of up to m rows, as nn_product_scratch() has it. */
size_t bipe_layer_product_scratch(const bipe_layers *layers, size_t m, size_t k, bool widened);
/* Columns of the hidden values: F, or S if that is more. */
size_t bipe_layer_hidden_size(const bipe_hyperparameters *hyper);

/* x (C) = the embedding of a token + what the scheme adds. spare (C). */
void bipe_layer_embed(const bipe_layers *layers, uint32_t id, bipe_position position, float *x, float *spare);
/* To be called now and then: gives back the memory of an embedding that is read from a file. */
void bipe_layer_embedded(const bipe_layers *layers);
/* y = the norm of the rows of x, as long as the gain of this role, where the decoder has one. Returns y; where it has
 * none, x. */
const float *bipe_layer_normalize(const bipe_layers *layers, size_t layer, bipe_role role, const float *x, size_t rows,
                                  float *y);
/* The norm before the feed-forward layer: its own, or attention's, which parallel ones may share. */
bipe_role bipe_layer_feed_forward_norm(const bipe_layers *layers);
/* Whether what a product makes is added to the residual stream as it is; else bipe_layer_add() adds it: made (rows, C),
 * which it changes, to x. post_norm: the role of the norm of that. */
bool bipe_layer_adds(const bipe_layers *layers, bipe_role post_norm);
void bipe_layer_add(const bipe_layers *layers, size_t layer, bipe_role post_norm, float *made, size_t rows, float *x);
/* y (C) = what the output projection multiplies: the last norm of x, times the scale of logits. */
void bipe_layer_finish(const bipe_layers *layers, const float *x, float *y);
/* The values of key heads first .. first + heads - 1, rows of k and v that are ld apart: those that the keys are where
 * the layer has no others, and their norm. Before keys are rotated. */
void bipe_layer_values(const bipe_layers *layers, size_t layer, const float *k, float *v, size_t rows, size_t ld,
                       size_t heads);
/* Bytes of the packed keys and values of a window of so many rows, in the layer that has most. */
size_t bipe_layers_keys_size(const bipe_layers *layers, size_t rows);
/* Norms that heads share, and clipping after them, where the decoder has such: x (rows, heads * D), of queries or
 * keys, rows ld apart. */
void bipe_layer_norm_rows(const bipe_layers *layers, size_t layer, bool queries, float *x, size_t rows, size_t ld);
/* Norms and positions of heads first .. first + heads - 1 of a token's queries, or of its keys: x (heads, D). */
void bipe_layer_rotate(const bipe_layers *layers, size_t layer, bool queries, bipe_position at, float *x, size_t first,
                       size_t heads);
/* The terms of each query head of a key head: bias (H / G, biases), from the indices of all tokens up to the last query
 * (L). */
void bipe_layer_biases(const bipe_layers *layers, size_t layer, size_t group, const uint32_t *token,
                       const bipe_indices *index, nn_bias *bias);
/* The attention of key head `group` with these terms. */
nn_attention bipe_layer_attention(const bipe_layers *layers, size_t layer, size_t group, const nn_keys *keys,
                                  const nn_bias *bias);
/* Makes angles right for windows of `length` tokens. */
void bipe_layers_prepare(bipe_layers *layers, size_t length);

#endif
