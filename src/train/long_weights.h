/* long_weights.h - LongCE (Fang et al., ICLR 2025, arXiv 2410.23771): each loss of a row is weighed by how much better
 * the model predicts the token with the whole row before it than with a short context, min(exp(brief - nll), most).
 * Here are the losses with the short context; network.h weighs. */
#ifndef BIPE_TRAIN_LONG_WEIGHTS_H
#define BIPE_TRAIN_LONG_WEIGHTS_H

#include "measure/key_tokens.h"
#include "train/network.h"

typedef struct bipe_long_weights bipe_long_weights;

/* For up to `rows` rows of `length` tokens, with the indices of so many levels. rule: context and step, of which the
 * windows of the short context follow as those of key tokens do; alpha and beta do not count. Its numbers below
 * 2^30. */
int bipe_long_weights_open(bipe_long_weights **weights, const bipe_key_rule *rule, size_t rows, size_t length,
                           size_t levels, bipe_error *err);
/* Bytes that it takes. */
size_t bipe_long_weights_memory(const bipe_key_rule *rule, size_t rows, size_t length, size_t levels);
/* Computes the losses of the rows' targets with the short context, and sets `brief` of the rows: NaN where the short
 * context is the whole one. They last until the next call. BIPE_STOPPED. */
int bipe_long_weights_find(bipe_long_weights *weights, bipe_network *network, bipe_train_row *rows, size_t count,
                           bipe_error *err);
/* Tokens and targets of a short window of the last call, from 0; false: there were not so many. */
bool bipe_long_weights_window(const bipe_long_weights *weights, size_t number, size_t *length, size_t *targets);
void bipe_long_weights_close(bipe_long_weights *weights);

#endif
