/* evaluator.h - the forward pass: losses of the tokens of windows.
 *
 * Workspace is allocated once, for windows up to a length; nothing of size length x vocabulary or
 * length x length exists. Results of a window depend on that window alone: not on the threads, not on the windows
 * beside it. */
#ifndef BIPE_MODEL_EVALUATOR_H
#define BIPE_MODEL_EVALUATOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/threads.h"
#include "model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_evaluator bipe_evaluator;

typedef enum bipe_precision { BIPE_PRECISION_F32, BIPE_PRECISION_BF16 } bipe_precision;

typedef struct bipe_evaluator_options {
    const bipe_scheme *scheme;              /* NULL: the model's */
    const bipe_rope_scaling *rope_scaling;  /* NULL: the model's */
    bipe_precision precision;
    size_t max_length;                      /* tokens of the longest window */
    uint64_t seed;                          /* randomized-rope */
    bool dense;                             /* attention leaves out no keys, however little they weigh */
} bipe_evaluator_options;

/* One window: L tokens with their positions. */
typedef struct bipe_window {
    const uint32_t *ids;      /* (L), each < vocabulary */
    const uint32_t *segment;  /* (L) segment index n */
    const uint32_t *intra;    /* (L) intra index i */
    size_t length;            /* L, 1 .. max_length */
    const uint8_t *wanted;    /* (L) 0: the loss of this token is not wanted; NULL: all are. The first token has none */
    double *nll;              /* (L - 1) out: nll[t - 1] = -ln p(ids[t] | ids[0 .. t-1]) where it is wanted, else left alone */
} bipe_window;

/* The model and the pool must outlive the evaluator; the model gets packed weights, which later evaluators share. BIPE_ERR_UNSUPPORTED / BIPE_ERR_ARGUMENT when the scheme needs a table
 * that the model does not have, or does not fit its shape. */
int bipe_evaluator_open(bipe_evaluator **evaluator, bipe_model *model, const bipe_evaluator_options *options,
                        bipe_pool *pool, bipe_error *err);
/* How many windows of `length` tokens to give at once so that all threads have work; independent of their number. */
size_t bipe_evaluator_batch(const bipe_evaluator *evaluator, size_t length);
/* What makes the losses of a window depend on its length: "xpos", "randomized-rope" or "dynamic rope scaling". NULL: nothing does; then
 * a window that is the beginning of a longer one has the losses of that beginning, bit for bit. */
const char *bipe_evaluator_length_matters(const bipe_evaluator *evaluator);
/* Fills nll of each window. An id outside the vocabulary is BIPE_ERR_ARGUMENT. */
int bipe_evaluator_run(bipe_evaluator *evaluator, const bipe_window *windows, size_t count, bipe_error *err);
/* Blocks of keys that attention visited, and that it left out because all their weights would have been below 2^-24 of the sum. */
void bipe_evaluator_attention(const bipe_evaluator *evaluator, uint64_t *visited, uint64_t *skipped);
void bipe_evaluator_close(bipe_evaluator *evaluator);

#ifdef __cplusplus
}
#endif
#endif
