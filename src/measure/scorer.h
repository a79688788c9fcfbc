/* scorer.h - scores the windows of a token spool, batch by batch, and hands each scored window on in order.
 * Adds nothing up and writes nothing: that is the caller's. */
#ifndef BIPE_MEASURE_SCORER_H
#define BIPE_MEASURE_SCORER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "measure/token_spool.h"
#include "measure/windows.h"
#include "model/evaluator.h"

/* A window with its losses; valid during the call that hands it on. */
typedef struct bipe_scored_window {
    uint64_t index;                /* of the window in the stream, from 0 */
    size_t length;                 /* L, its BOS counted */
    size_t first;                  /* tokens first .. L - 1 were scored */
    const bipe_spool_token *token; /* (L) */
    const uint32_t *segment;       /* (L) segment index n */
    const uint32_t *intra;         /* (L) intra index i */
    const double *nll;             /* (L - first), of targets */
    const uint8_t *target;         /* (L - first) 1: its loss counts; 0: context alone */
} bipe_scored_window;

/* Anything but BIPE_OK stops the scoring and is returned by it (BIPE_END: stop without an error). */
typedef int (*bipe_scored)(void *context, const bipe_scored_window *window, bipe_error *err);

/* Scores all windows of the spool in order. bos: the tokenizer's, or BIPE_NO_TOKEN (then protocol->bos must be false). A token
 * with this id that stands for no text is a target only when protocol->count_bos. The evaluator must have been opened for
 * windows of the longest that occurs: protocol->length, or with protocol->tail less. */
int bipe_score_spool(bipe_evaluator *evaluator, bipe_token_spool *spool, const bipe_protocol *protocol, int64_t bos,
                     bipe_scored scored, void *context, bipe_error *err);

#endif
