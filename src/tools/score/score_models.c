/* score_models.c - the models of a run: evaluators, opened for as long windows as are asked for; passes over a text;
 * see score_models.h. */
#include "tools/score/score_models.h"

#include "base/alloc.h"
#include "cli/interrupt.h"

static void close_evaluator(bipe_score_models *models, bipe_score_runner *runner)
{
    uint64_t visited, skipped;
    if (runner->evaluator == NULL)
        return;
    bipe_evaluator_attention(runner->evaluator, &visited, &skipped);
    models->blocks_visited += visited;
    models->blocks_skipped += skipped;
    bipe_evaluator_close(runner->evaluator);
    runner->evaluator = NULL;
}

void bipe_score_unreach(bipe_score_models *models)
{
    for (size_t i = 0; i < models->runners; i++)
        close_evaluator(models, &models->runner[i]);
}

static bipe_score_runner *runner_of(const bipe_score_models *models, const bipe_score_combination *c)
{
    return &models->runner[models->setup->divergence ? (size_t)(c - models->setup->combination) : c->model];
}

bipe_evaluator *bipe_score_evaluator(const bipe_score_models *models, const bipe_score_combination *c)
{
    return runner_of(models, c)->evaluator;
}

int bipe_score_reach(bipe_score_models *models, const bipe_score_combination *c, uint64_t length, bipe_error *err)
{
    bipe_score_runner *runner = runner_of(models, c);
    if (runner->evaluator != NULL && runner->length >= length)
        return BIPE_OK;
    close_evaluator(models, runner);
    bipe_evaluator_options options = {
        .scheme = &c->scheme,
        .rope_scaling = &c->scaling,
        .precision = models->setup->precision,
        .max_length = (size_t)length,
        .seed = models->setup->seed,
    };
    int status = bipe_evaluator_open(&runner->evaluator, models->model[c->model].model, &options, models->pool, err);
    if (status == BIPE_OK)
        runner->length = (size_t)length;
    return status;
}

void bipe_score_models_close(bipe_score_models *models)
{
    bipe_score_unreach(models);
    bipe_pool_close(models->pool);
    for (size_t i = 0; i < models->count; i++)
        bipe_model_close(models->model[i].model);
    bipe_free(models->model);
    bipe_free(models->runner);
}

/* ---- passes ---- */

static int check_interrupt(void *context, uint64_t tokens, bipe_error *err)
{
    (void)context, (void)tokens, (void)err;
    return bipe_interrupted() != 0 ? BIPE_STOPPED : BIPE_OK;
}

int bipe_score_pass(bipe_score_models *models, const bipe_score_reader *reader, const bipe_score_combination *c,
                    const bipe_protocol *protocol,
                    int (*take)(void *context, const bipe_scored_window *window, bipe_error *err), void *context,
                    bipe_error *err)
{
    uint64_t tokens = bipe_token_spool_count(reader->spool);
    bipe_plan_length length = bipe_plan_all(protocol, tokens);
    bipe_score_runner *runner = runner_of(models, c);
    bipe_plan plan = { .length = &length, .count = 1, .tokens = tokens, .batch = runner->batch };
    const bipe_score_sink sink = { .window = take, .batch = check_interrupt, .context = context };
    if (length.end == 0)
        return BIPE_OK;
    int status = bipe_score_reach(models, c, bipe_window_longest(protocol, tokens), err);
    if (status == BIPE_OK)
        status = bipe_score_plan(runner->evaluator, reader->spool, &plan, c->closes,
                                 bipe_tokenizer_bos(reader->tokenizer), &sink, err);
    runner->batch = plan.batch;
    return status;
}

int bipe_score_keep_losses(bipe_score_models *models, const bipe_score_reader *reader, const bipe_score_combination *c,
                           const bipe_protocol *protocol, bipe_token_losses *losses, bipe_error *err)
{
    int status = bipe_token_losses_open(losses, err);
    if (status == BIPE_OK)
        status = bipe_score_pass(models, reader, c, protocol, bipe_token_losses_add, losses, err);
    uint64_t tokens = bipe_token_spool_count(reader->spool);
    return status == BIPE_OK ? bipe_token_losses_end(losses, tokens, err) : status;
}
