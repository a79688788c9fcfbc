/* divergence.h - scores several models on the same windows in step, and finds at each token how far the predictions of
 * the others are from those of the first.
 *
 * All models go through their layers for a batch of windows; then each tile of rows meets the vocabulary in blocks of
 * columns, first those of the first model, whose logits of the block stay in cache, then those of the others. So
 * nothing of size length x vocabulary exists, and each product is computed once. */
#ifndef BIPE_MODEL_DIVERGENCE_H
#define BIPE_MODEL_DIVERGENCE_H

#include "model/evaluator.h"

/* What another model predicts at a token, p, beside what the first one does, q. */
typedef struct bipe_token_divergence {
    double divergence; /* KL divergence of p from q over the vocabulary, sum of q ln(q / p), in nats */
    double change;     /* p - q of the token that came */
    bool same_choice;  /* both hold the same token for the most likely one */
} bipe_token_divergence;

typedef struct bipe_divergence bipe_divergence;

/* Evaluators (models), at least two, of models with equally many words, on one pool; BIPE_ERR_UNSUPPORTED if they have
 * not. The caller keeps them, and closes this before them. */
int bipe_divergence_open(bipe_divergence **divergence, bipe_evaluator *const *evaluator, size_t models,
                         bipe_error *err);
/* As bipe_evaluator_together(), of all. */
size_t bipe_divergence_together(const bipe_divergence *divergence);
/* windows[m] are those of model m: `count` of the same ids, lengths and wanted losses, with indices and nll of their
 * own. Fills nll of each with the digits of bipe_evaluator_run(), and to[m][w][t - 1] (L - 1) of model m > 0 where
 * token t is wanted. BIPE_ERR_ARGUMENT as there. */
int bipe_divergence_run(bipe_divergence *divergence, const bipe_window *const *windows,
                        bipe_token_divergence *const *const *to, size_t count, bipe_error *err);
void bipe_divergence_close(bipe_divergence *divergence);

#endif
