/* experts.h - mixtures of experts (Shazeer et al. 2017): which experts each row goes to, with which weights, and the
 * sum of what they give. Internal to src/model.
 *
 * Letters as in parameters.h; R rows, U experts that a row uses. Digits of a row depend on that row alone: its experts
 * are added up in the order of their numbers. */
#ifndef BIPE_MODEL_EXPERTS_H
#define BIPE_MODEL_EXPERTS_H

#include "model/layer.h"

/* Where R rows go: pairs of a row and one of its experts. */
typedef struct bipe_routes {
    float *logits;    /* (R, E) */
    uint32_t *expert; /* (R, U), ascending in each row */
    float *weight;    /* (R, U) */
    uint32_t *pair;   /* (R, U): numbers row * U + k, those of the first expert, of the second, ..., rows ascending */
    uint32_t *place;  /* (R, U): where each pair is in `pair` */
    uint32_t *first;  /* (E + 1): where those of each expert begin in `pair`, */
    uint32_t *active; /* (E): and those that have some, */
    size_t actives;   /* so many */
} bipe_routes;

/* Bytes of the arrays for `rows` rows, a multiple of 64; 0 without experts. */
size_t bipe_routes_size(const bipe_decoder *decoder, size_t rows);
/* Lays them out in memory of that size, aligned to 64. */
bipe_routes bipe_routes_place(const bipe_decoder *decoder, size_t rows, void *memory);

/* Fills logits, expert and weight of rows first .. first + rows - 1; a (rows, C) points to the first of them. A logit
 * that is not finite makes weights that are not. scratch: of products. */
void bipe_routes_choose(const bipe_layers *layers, size_t layer, const float *a, size_t first, size_t rows,
                        bipe_routes *routes, void *scratch);
/* Fills pair, place, first and active from those of all `rows`. */
void bipe_routes_group(const bipe_decoder *decoder, size_t rows, bipe_routes *routes);

/* x (count, C) = the rows of a (R, C) that go to an expert. */
void bipe_experts_gather(const bipe_layers *layers, const bipe_routes *routes, size_t expert, const float *a, float *x);
/* sum (C) += weight * made (C) */
void bipe_experts_add(float *sum, float weight, const float *made, size_t c);
/* How much of the shared expert a row a (C) gets. */
float bipe_experts_share(const bipe_layers *layers, size_t layer, const float *a);

#endif
