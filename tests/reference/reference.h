/* reference.h - the paper's decoder in double precision, written from the papers with plain loops, sharing no code
 * with src/. Tests compare losses of src/model with it. */
#ifndef BIPE_TESTS_REFERENCE_H
#define BIPE_TESTS_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#include <bipe/score.h> /* bipe_indices */

typedef struct reference_layer {
    float *query, *key, *value, *output; /* (H*D, C) (G*D, C) (G*D, C) (C, H*D) */
    float *gate, *up, *down;             /* (F, C) (F, C) (C, F) */
    float *norm1, *norm2;                /* (C) */
    float *query_bias, *key_bias, *value_bias; /* (H*D) (G*D) (G*D), or NULL */
    float *output_bias, *gate_bias, *up_bias, *down_bias; /* (C) (F) (F) (C), or NULL */
    float *query_norm, *key_norm;        /* (D), or NULL */
} reference_layer;

typedef struct reference_model {
    unsigned vocabulary, hidden, layers, heads, kv_heads, head_size, feed_forward, train_length, learned_rows;
    int tied, log_scale, t5, biases, head_norms, factors; /* t5: rows of its table, or 0; biases: 1 of queries, keys and
                                                             values, + 2 of what attention adds, + 4 feed-forward */
    double eps, base;
    float *embedding, *projection, *learned, *t5_table, *norm; /* (V, C) (V, C) (rows, C) (t5, H) (C) */
    float *rope_factors; /* (D / 2): what frequencies are divided by, or NULL */
    reference_layer *layer;
    /* Dropout, or NULL: what a channel of a token is multiplied by at a site; 0 is the embedding, 1 + 2 n what
     * attention adds in layer n, 2 + 2 n what the feed-forward layer adds. */
    double (*keep)(const void *context, unsigned site, size_t token, size_t channel);
    const void *keep_context;
} reference_model;

/* Losses of tokens 1 .. length - 1 into nll[0 .. length - 2]. scheme: "none" or KIND@INDEX[*K] joined by "+"; index:
 * those that it names; scaling: "none", "linear:F", "dynamic:F", "yarn:F[:ORIGINAL]" with settings as in a config.json
 * (":beta_fast=16"), "llama3:F:LOW:HIGH:ORIGINAL". Text that is not understood ends the program. */
void reference_losses(const reference_model *model, const char *scheme, const char *scaling, uint64_t seed,
                      const uint32_t *ids, const bipe_indices *index, size_t length, double *nll);

/* The same for gap[0 .. length - 2]: how much less the logit of token i + 1 is than the largest at its place; 0: it is
 * the most probable. */
void reference_gaps(const reference_model *model, const char *scheme, const char *scaling, uint64_t seed,
                    const uint32_t *ids, const bipe_indices *index, size_t length, double *gap);

#endif
