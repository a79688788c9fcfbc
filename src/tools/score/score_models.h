/* score_models.h - the models of a run and their evaluators. */
#ifndef BIPE_TOOLS_SCORE_SCORE_MODELS_H
#define BIPE_TOOLS_SCORE_SCORE_MODELS_H

#include "base/threads.h"
#include "measure/token_losses.h"
#include "model/evaluator.h"
#include "tools/score/score_texts.h"

typedef struct bipe_score_model {
    bipe_model *model;
    size_t text;                  /* the reader of its texts */
} bipe_score_model;

/* An evaluator: of a model, or with --divergence, where all run in step, of a combination. */
typedef struct bipe_score_runner {
    bipe_evaluator *evaluator;
    size_t length;                /* windows up to this many tokens */
    size_t batch;                 /* tokens of the next batch of a pass; 0: there was none */
} bipe_score_runner;

typedef struct bipe_score_models {
    const bipe_score_setup *setup;
    bipe_score_model *model;      /* [count] */
    size_t count;
    bipe_score_runner *runner;    /* (runners) by number of the model or of the combination */
    size_t runners;
    bipe_pool *pool;
    uint64_t blocks_visited, blocks_skipped; /* of keys, by evaluators that are closed */
} bipe_score_models;

void bipe_score_models_close(bipe_score_models *models);
/* Makes sure that the evaluator of a combination takes windows of `length` tokens. */
int bipe_score_reach(bipe_score_models *models, const bipe_score_combination *combination, uint64_t length,
                     bipe_error *err);
/* The evaluator of a combination, which was reached. */
bipe_evaluator *bipe_score_evaluator(const bipe_score_models *models, const bipe_score_combination *combination);
/* Closes the evaluators, and keeps what they counted. */
void bipe_score_unreach(bipe_score_models *models);
/* Scores the text in the reader of a combination by one protocol; windows go to `take`. BIPE_STOPPED: interrupted. */
int bipe_score_pass(bipe_score_models *models, const bipe_score_reader *reader,
                    const bipe_score_combination *combination, const bipe_protocol *protocol,
                    int (*take)(void *context, const bipe_scored_window *window, bipe_error *err), void *context,
                    bipe_error *err);
/* Opens losses by token with those of a pass. */
int bipe_score_keep_losses(bipe_score_models *models, const bipe_score_reader *reader,
                           const bipe_score_combination *combination, const bipe_protocol *protocol,
                           bipe_token_losses *losses, bipe_error *err);

#endif
