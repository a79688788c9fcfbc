/* generator.h - a model that continues texts, a token or a piece at a time: logits and losses of sequences that grow.
 *
 * Keys and values of the tokens so far are kept, so that each token goes through the network once. A generator has any
 * number of sequences. One can be forked: both then share what they had in common, which was computed once and takes
 * memory once. Everything that a call is given goes through the layers together, and weights are read once for all of
 * it.
 *
 *   bipe_generator *g;                                            a prompt, then token by token
 *   bipe_generator_open(&g, model, &(bipe_generator_options){.max_length = n}, pool, &err);
 *   bipe_generator_add(g, &s, &err);
 *   bipe_generator_run(g, &(bipe_piece){.sequence = s, .ids = ids, .index = index, .count = count, .logits = logits},
 * 1, &err); for (;;) { choose an id by logits; run() again with this one token }
 *
 *   for each choice: bipe_generator_fork(g, prompt, &s[i], &err);  several endings of one prompt
 *   bipe_generator_run(g, pieces, choices, &err);                  pieces[i]: the tokens of choice i, with `nll`
 *   for each choice: bipe_generator_drop(g, s[i]);
 *
 * Losses and logits of a sequence have the same digits as bipe_evaluator_run() of the whole text: in whatever pieces it
 * came, whatever other sequences run beside it, for any number of threads (not with OpenBLAS's kernels,
 * BIPE_KERNELS=blas, whose digits depend on how many rows there are). In bf16, weights are bfloat16, and so are keys
 * and values where the processor has dot products of that. In f32, weights in blocks are multiplied as they are where
 * the processor can do that (nn/block_products.h): losses are then near those of scoring, which widens them, with
 * digits that depend on nothing else. */
#ifndef BIPE_MODEL_GENERATOR_H
#define BIPE_MODEL_GENERATOR_H

#include "model/evaluator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_generator bipe_generator;

typedef struct bipe_generator_options {
    const bipe_scheme *scheme;              /* copied; NULL: the model's */
    const bipe_rope_scaling *rope_scaling;  /* copied; NULL: the model's */
    bipe_precision precision;
    size_t max_length;                      /* tokens of the longest sequence; also the window of
                                               bipe_generator_length_matters() */
    uint64_t seed;                          /* randomized-rope */
    bool dense;                             /* as in bipe_evaluator_options */
} bipe_generator_options;

/* Tokens that continue a sequence. Index values are those of bipe_window, counted from the beginning of the sequence:
 * each is at most the number of the token in the sequence, and those that number segments never fall. */
typedef struct bipe_piece {
    size_t sequence;          /* each at most once in a call */
    const uint32_t *ids;      /* (count), each < vocabulary */
    bipe_indices index;       /* (count) each */
    size_t count;             /* 1 or more */
    float *logits;            /* (vocabulary) out: of the token that follows the last one; NULL: not wanted */
    double *nll; /* (count) out: nll[t] = -ln p(ids[t] | all tokens before it); NULL: not wanted. The first token of a
                    sequence has none, and its element is left alone */
    uint32_t *best;           /* (count) out: the most probable id at the position of ids[t], the lowest of several;
                                 NULL, and the first token: as nll */
} bipe_piece;

/* The model and the pool must outlive the generator; the model gets packed weights, which evaluators share. Errors as
 * those of bipe_evaluator_open(). Cheap once weights are packed, so there can be one for each length. */
int bipe_generator_open(bipe_generator **generator, bipe_model *model, const bipe_generator_options *options,
                        bipe_pool *pool, bipe_error *err);
/* As bipe_evaluator_length_matters(). Positions are then those of a window of max_length tokens from the first token
 * on: what is generated is what scoring such a window would choose. */
const char *bipe_generator_length_matters(const bipe_generator *generator);

/* A new sequence, without tokens: its number goes to *sequence. BIPE_ERR_MEMORY. */
int bipe_generator_add(bipe_generator *generator, size_t *sequence, bipe_error *err);
/* A new sequence that begins with the tokens of another. It takes memory once tokens are added. BIPE_ERR_MEMORY. */
int bipe_generator_fork(bipe_generator *generator, size_t from, size_t *sequence, bipe_error *err);
/* Its number may be given to a later one. */
void bipe_generator_drop(bipe_generator *generator, size_t sequence);
/* Bytes of a page: keys and values of a sequence take memory in pages of *tokens tokens. A fork copies the last page
 * when it is continued. */
size_t bipe_generator_page(const bipe_generator *generator, size_t *tokens);
/* Bytes of pages that no sequence has, which are kept for the next ones. */
uint64_t bipe_generator_spare(const bipe_generator *generator);

/* Appends each piece to its sequence and fills the requested outputs. BIPE_ERR_ARGUMENT: a sequence, an id or an index
 * is invalid, or a sequence would be longer than max_length. BIPE_ERR_MEMORY. After an error the sequences have as many
 * tokens as before. */
int bipe_generator_run(bipe_generator *generator, const bipe_piece *pieces, size_t count, bipe_error *err);
/* Blocks of keys that attention visited and left out, as bipe_evaluator_attention(). */
void bipe_generator_attention(const bipe_generator *generator, uint64_t *visited, uint64_t *skipped);
void bipe_generator_close(bipe_generator *generator);

#ifdef __cplusplus
}
#endif
#endif
