/* ladder.c - windows of a ladder as a plan over a spool, and what their losses say of a document; see ladder.h. */
#include "measure/ladder.h"

#include <math.h>

#include "base/alloc.h"
#include "measure/loss_units.h"

bool bipe_ladder_fits(const bipe_ladder *ladder, uint64_t tokens)
{
    return tokens >= ladder->last && tokens - ladder->last >= ladder->context[0];
}

uint64_t bipe_ladder_context(const bipe_ladder *ladder, size_t rung, uint64_t tokens)
{
    const uint64_t all = tokens - ladder->last;
    return all < ladder->context[rung] ? all : ladder->context[rung];
}

static uint64_t window_length(const bipe_ladder *ladder, size_t rung, uint64_t tokens)
{
    return bipe_ladder_context(ladder, rung, tokens) + ladder->last + (ladder->begin ? 1 : 0);
}

uint64_t bipe_ladder_work(const bipe_ladder *ladder, uint64_t tokens)
{
    uint64_t work = 0;
    for (size_t r = 0; r < ladder->rungs && bipe_ladder_fits(ladder, tokens); r++)
        work += window_length(ladder, r, tokens);
    return work;
}

uint64_t bipe_ladder_tokens(const bipe_token_spool *spool, size_t document)
{
    size_t count;
    const bipe_spool_document *documents = bipe_token_spool_documents(spool, &count);
    const uint64_t end = document + 1 < count ? documents[document + 1].first : bipe_token_spool_count(spool);
    return end - documents[document].first;
}

uint64_t bipe_ladder_longest(const bipe_ladder *ladder, const bipe_token_spool *spool)
{
    size_t count;
    uint64_t longest = 0;
    bipe_token_spool_documents(spool, &count);
    for (size_t d = 0; d < count; d++) {
        const uint64_t tokens = bipe_ladder_tokens(spool, d);
        const uint64_t length = bipe_ladder_fits(ladder, tokens) ? window_length(ladder, ladder->rungs - 1, tokens) : 0;
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* ---- losses ---- */

typedef struct scoring {
    const bipe_ladder *ladder;
    bipe_ladder_losses *losses;
    int (*batch)(void *context, uint64_t tokens, bipe_error *err);
    void *context;
} scoring;

/* bipe_score_sink: `which` is the rung, `index` the document among those that are long enough. */
static int take_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    scoring *s = context;
    const size_t rungs = s->ladder->rungs, last = s->ladder->last, i = (size_t)window->index;
    double *nll = s->losses->nll + (i * rungs + window->which) * last;
    (void)err;
    if (window->which == 0)
        s->losses->bytes[i] = 0;
    for (size_t k = 0; k < last; k++) {
        const bipe_spool_token *token = &window->token[window->first + k];
        nll[k] = !window->target[k] ? (double)NAN : isnan(window->nll[k]) ? (double)INFINITY : window->nll[k];
        if (window->which == 0 && window->target[k])
            s->losses->bytes[i] += token->end - token->start;
    }
    return BIPE_OK;
}

static int take_batch(void *context, uint64_t tokens, bipe_error *err)
{
    scoring *s = context;
    return s->batch(s->context, tokens, err);
}

/* The documents that are long enough, and room for their losses. */
static int choose_documents(const bipe_ladder *ladder, const bipe_token_spool *spool, bipe_ladder_losses *losses,
                            bipe_error *err)
{
    size_t count;
    bipe_token_spool_documents(spool, &count);
    losses->documents = 0;
    for (size_t d = 0; d < count; d++) {
        if (!bipe_ladder_fits(ladder, bipe_ladder_tokens(spool, d)))
            continue;
        if (bipe_grow(&losses->document, &losses->document_capacity, losses->documents + 1,
                      sizeof *losses->document) != 0)
            return bipe_fail_memory(err);
        losses->document[losses->documents++] = d;
    }
    const size_t each = ladder->rungs * ladder->last;
    if (losses->documents > SIZE_MAX / each ||
        bipe_grow(&losses->nll, &losses->nll_capacity, losses->documents * each, sizeof *losses->nll) != 0 ||
        bipe_grow(&losses->bytes, &losses->bytes_capacity, losses->documents, sizeof *losses->bytes) != 0)
        return bipe_fail_memory(err);
    return BIPE_OK;
}

/* list: (rungs, documents) */
static void list_windows(const bipe_ladder *ladder, const bipe_token_spool *spool, const bipe_ladder_losses *losses,
                         bipe_cut *list, bipe_plan *plan)
{
    size_t count;
    const bipe_spool_document *document = bipe_token_spool_documents(spool, &count);
    for (size_t r = 0; r < ladder->rungs; r++) {
        const bipe_protocol protocol = {.list = list + r * losses->documents, .listed = losses->documents};
        for (size_t i = 0; i < losses->documents; i++) {
            const size_t d = losses->document[i];
            const uint64_t tokens = bipe_ladder_tokens(spool, d), length = window_length(ladder, r, tokens),
                           used = bipe_ladder_context(ladder, r, tokens) + ladder->last;
            list[r * losses->documents + i] = (bipe_cut){.start = document[d].first + tokens - used, .count = used,
                                                         .length = length, .first = length - ladder->last};
        }
        plan->length[r] = bipe_plan_all(&protocol, plan->tokens);
    }
}

int bipe_ladder_score(const bipe_ladder *ladder, bipe_evaluator *evaluator, bipe_token_spool *spool, size_t segmenter,
                      int (*batch)(void *context, uint64_t tokens, bipe_error *err), void *context,
                      bipe_ladder_losses *losses, bipe_error *err)
{
    scoring s = {ladder, losses, batch, context};
    const bipe_score_sink sink = {.window = take_window, .batch = take_batch, .context = &s};
    /* Windows that start together are the same window: sharing changes nothing in them, whatever the scheme. */
    bipe_plan plan = {.count = ladder->rungs, .tokens = bipe_token_spool_count(spool), .share = true};
    int status = choose_documents(ladder, spool, losses, err);
    if (status != BIPE_OK || losses->documents == 0)
        return status;
    plan.length = bipe_alloc(ladder->rungs, sizeof *plan.length);
    bipe_cut *list = losses->documents > SIZE_MAX / ladder->rungs
                         ? NULL
                         : bipe_alloc(losses->documents * ladder->rungs, sizeof *list);
    uint64_t computed, all;
    if (plan.length == NULL || list == NULL) {
        status = bipe_fail_memory(err);
    } else {
        list_windows(ladder, spool, losses, list, &plan);
        status = bipe_plan_work(&plan, &computed, &all, err);
    }
    if (status == BIPE_OK)
        status = bipe_score_plan(evaluator, spool, &plan, segmenter, ladder->bos, &sink, err);
    if (status == BIPE_OK) {
        losses->all += all;
        losses->computed += computed;
    }
    bipe_free(plan.length);
    bipe_free(list);
    return status;
}

void bipe_ladder_losses_free(bipe_ladder_losses *losses)
{
    bipe_free(losses->document);
    bipe_free(losses->nll);
    bipe_free(losses->bytes);
}

/* ---- a document ---- */

static int bin_losses(const bipe_ladder *ladder, const double *nll, bipe_loss_bins *bins, bipe_error *err)
{
    int status = BIPE_OK;
    bins->count = 0;
    for (size_t k = 0; k < ladder->last && status == BIPE_OK; k++)
        if (!isnan(nll[k]))
            status = bipe_loss_bins_add(bins, bipe_ladder_cell(ladder, k), nll[k], 0, err);
    return status;
}

int bipe_ladder_document(const bipe_ladder *ladder, const bipe_ladder_losses *losses, size_t i, uint64_t tokens,
                         bipe_rung *rung, bipe_error *err)
{
    const double *first = bipe_ladder_nll(ladder, losses, i, 0);
    uint64_t ends[2] = {0, BIPE_LADDER_CELLS};
    const bipe_loss_units units = {.documents = 1, .cell = 1, .first = ends};
    bipe_loss_bins before = {0}, here = {0};
    int status = bin_losses(ladder, first, &before, err);
    for (size_t r = 0; r < ladder->rungs && status == BIPE_OK; r++) {
        const double *nll = bipe_ladder_nll(ladder, losses, i, r);
        double sum = 0;
        rung[r] = (bipe_rung){.context = bipe_ladder_context(ladder, r, tokens)};
        for (size_t k = 0; k < ladder->last; k++) {
            if (isnan(nll[k]))
                continue;
            rung[r].tokens++;
            rung[r].key += bipe_key_token(&ladder->key, nll[k], first[k]);
            sum += nll[k];
        }
        rung[r].nll = sum / (double)rung[r].tokens;
        rung[r].gain = (bipe_estimate){0, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};
        if (r > 0 && rung[r].context == rung[r - 1].context) { /* the same window */
            rung[r] = rung[r - 1];
            continue;
        }
        bipe_loss_error gain;
        if (r == 0)
            continue;
        if ((status = bin_losses(ladder, nll, &here, err)) == BIPE_OK)
            status = bipe_loss_estimate(&gain, &here, &before, &units, false, ladder->seed, err);
        if (status == BIPE_OK)
            rung[r].gain = gain.estimate;
    }
    bipe_loss_bins_free(&before);
    bipe_loss_bins_free(&here);
    return status;
}
