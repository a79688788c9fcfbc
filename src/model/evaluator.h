/* evaluator.h - the forward pass: <bipe/score.h>, and internal functions of evaluators. */
#ifndef BIPE_MODEL_EVALUATOR_H
#define BIPE_MODEL_EVALUATOR_H

#include <bipe/score.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/threads.h"
#include "model/model.h"

/* The feature that makes losses depend on the window length: "xpos", "randomized-rope" or "dynamic rope scaling". NULL:
 * none; then a window that is the beginning of a longer one has the losses of that beginning, bit for bit. */
const char *bipe_evaluator_length_matters(const bipe_evaluator *evaluator);
/* BIPE_ERR_ARGUMENT: ids, indices or a length that the evaluator does not take. */
int bipe_evaluator_check(const bipe_evaluator *evaluator, const bipe_window *windows, size_t count, bipe_error *err);
/* Tokens that windows should have together at least: each pass reads a file again that is larger than memory. 0: any.
 */
size_t bipe_evaluator_together(const bipe_evaluator *evaluator);
/* Blocks of keys that attention visited, and that it left out because all their weights would have been below 2^-24 of
 * the sum. */
void bipe_evaluator_attention(const bipe_evaluator *evaluator, uint64_t *visited, uint64_t *skipped);

/* Bytes that scoring takes beside the model's tokenizer and the text. */
typedef struct bipe_memory_need {
    uint64_t weights;   /* packed */
    uint64_t mapped;    /* of the file: weights in blocks, which the system may drop and read again */
    uint64_t workspace; /* of the evaluator, but for tables of positions */
} bipe_memory_need;
void bipe_evaluator_memory(bipe_model *model, const bipe_evaluator_options *options, bipe_pool *pool,
                           bipe_memory_need *need);

#endif
