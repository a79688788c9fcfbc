/* scorer.h - computes the windows of a plan over a token spool, batch by batch, and reports each scored window to the
 * caller, who adds up and writes. */
#ifndef BIPE_MEASURE_SCORER_H
#define BIPE_MEASURE_SCORER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "measure/plan.h"
#include "measure/token_spool.h"
#include "model/divergence.h"

/* A window with its losses; valid during the callback. */
typedef struct bipe_scored_window {
    size_t model;                  /* whose losses these are, where several score in step */
    size_t which;                  /* its length in the plan */
    uint64_t index;                /* among the windows of that length in the stream, from 0 */
    uint64_t start;                /* where its first token, its own BOS left out, is in the stream */
    size_t added;                  /* tokens inserted before it: 1 for the window's own BOS, else 0 */
    size_t length;                 /* L, its BOS counted */
    size_t first;                  /* tokens first .. L - 1 were scored */
    const bipe_spool_token *token; /* (L) */
    bipe_indices indices;          /* (L) each, of the segmenter's levels */
    const double *nll;             /* (L - first), of targets */
    const uint8_t *target;         /* (L - first) 1: its loss counts; 0: context alone */
    const bipe_token_divergence *divergence; /* (L - first) from model 0, of targets; NULL: it is model 0 */
} bipe_scored_window;

/* Callbacks. A status other than BIPE_OK stops the scoring and is returned by it (BIPE_STOPPED: stop without an
 * error). */
typedef struct bipe_score_sink {
    int (*window)(void *context, const bipe_scored_window *window,
                  bipe_error *err);                                /* those of a length come in order */
    int (*batch)(void *context, uint64_t tokens, bipe_error *err); /* after the windows of a batch, of which `tokens`
                                                                      tokens were computed; may be NULL */
    void *context;
} bipe_score_sink;

/* Scores the rest of a plan. segmenter: its number in the spool. bos: the tokenizer's, or BIPE_NO_TOKEN (then no
 * protocol may have bos or replace); a token with this id and without text is a target only with count_bos. The
 * evaluator must have been opened for the longest window of the plan. */
int bipe_score_plan(bipe_evaluator *evaluator, bipe_token_spool *spool, bipe_plan *plan, size_t segmenter, int64_t bos,
                    const bipe_score_sink *sink, bipe_error *err);
/* The same by the models of a divergence in step, each with a segmenter of its own (models): each window is given to
 * the sink once for each model. A batch counts the tokens of all. */
int bipe_score_in_step(bipe_divergence *divergence, size_t models, bipe_token_spool *spool, bipe_plan *plan,
                       const size_t *segmenter, int64_t bos, const bipe_score_sink *sink, bipe_error *err);

#endif
