/* score_losses.c - one pass over a text: its windows by one protocol, and the losses of its tokens. */
#include <math.h>

#include "base/alloc.h"
#include "cli/interrupt.h"
#include "tools/score/bipe_score.h"

int bipe_score_pass(bipe_score_run *run, const bipe_score_combination *c, const bipe_protocol *protocol, bipe_score_take *take, void *context,
                    bipe_error *err)
{
    const bipe_score_reader *reader = &run->reader[c->text];
    uint64_t tokens = bipe_token_spool_count(reader->spool);
    bipe_plan_length length = bipe_plan_all(protocol, tokens);
    bipe_plan plan = { .length = &length, .count = 1, .tokens = tokens };
    const bipe_score_sink sink = { .window = take, .context = context };
    if (length.end == 0)
        return BIPE_OK;
    int status = bipe_score_reach(run, c, bipe_window_longest(protocol, tokens), err);
    return status == BIPE_OK ? bipe_score_plan(run->model[c->model].evaluator, reader->spool, &plan, c->closes,
                                               bipe_tokenizer_bos(reader->tokenizer), &sink, err)
                             : status;
}

/* Up to token `end` nothing more is scored. */
static int skip_tokens(bipe_token_losses *losses, uint64_t end, bipe_error *err)
{
    const double none = (double)NAN;
    int status = BIPE_OK;
    while (bipe_spool_size(losses->spool) < end * sizeof none && status == BIPE_OK)
        status = bipe_spool_append(losses->spool, &none, sizeof none, err);
    return status;
}

static int keep_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    bipe_token_losses *losses = context;
    const double none = (double)NAN;
    int status = skip_tokens(losses, window->start + window->first - window->added, err);
    for (size_t k = 0; k < window->length - window->first && status == BIPE_OK; k++)
        status = bipe_spool_append(losses->spool, window->target[k] ? &window->nll[k] : &none, sizeof none, err);
    return status == BIPE_OK && bipe_interrupted() != 0 ? BIPE_END : status;
}

int bipe_token_losses_make(bipe_token_losses *losses, bipe_score_run *run, const bipe_score_combination *c, const bipe_protocol *protocol,
                           bipe_error *err)
{
    enum { MEMORY = 16 << 20 };
    int status = bipe_spool_open(&losses->spool, MEMORY, err);
    if (status == BIPE_OK)
        status = bipe_score_pass(run, c, protocol, keep_window, losses, err);
    return status == BIPE_OK ? skip_tokens(losses, bipe_token_spool_count(run->reader[c->text].spool), err) : status;
}

int bipe_token_losses_read(bipe_token_losses *losses, const bipe_scored_window *window, bipe_error *err)
{
    if (bipe_grow(&losses->window, &losses->capacity, window->length, sizeof *losses->window) != 0)
        return bipe_fail_memory(err);
    for (size_t k = 0; k < window->added; k++)
        losses->window[k] = (double)NAN;
    return bipe_spool_read(losses->spool, window->start * sizeof(double), losses->window + window->added,
                           (window->length - window->added) * sizeof(double), err);
}

void bipe_token_losses_free(bipe_token_losses *losses)
{
    bipe_spool_close(losses->spool);
    bipe_free(losses->window);
}
