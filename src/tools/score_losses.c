/* score_losses.c - adds the losses of windows to rows, dumps and the journal. */
#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "tools/interrupt.h"
#include "tools/score_run.h"

static size_t by_index(bipe_score_by by, const bipe_scored_window *window, size_t t)
{
    switch (by) {
    case BIPE_SCORE_BY_SEGMENT: return window->segment[t];
    case BIPE_SCORE_BY_INTRA: return window->intra[t];
    default: return t;
    }
}

void bipe_score_check_dump(bipe_score_run *run, size_t number, int status, const bipe_error *err)
{
    if (status == BIPE_OK)
        return;
    bipe_tool_error(&run->tool, err);
    bipe_score_dump_abandon(run->dump[number]);
    run->dump[number] = NULL;
}

static void dump_window(text_run *t, const text_length *length, const bipe_scored_window *window, const uint8_t *counts)
{
    bipe_score_run *run = t->run;
    const bipe_score_place place = { t->number, length->row.file, length->number, length->row.length, t->reader, t->brief.window, counts };
    for (size_t i = 0; i < BIPE_SCORE_DUMPS; i++) {
        bipe_error err = { 0 };
        if (run->dump[i] != NULL)
            bipe_score_check_dump(run, i, bipe_score_dump_window(run->dump[i], &place, window, &err), &err);
    }
}

/* Whether every length scores the token of the stream, with --common. */
static bool is_common(const text_run *t, uint64_t token, size_t but)
{
    for (size_t i = 0; i < t->plan.count; i++)
        if (i != but && !bipe_window_scores(&t->length[i].all.protocol, t->plan.tokens, token))
            return false;
    return true;
}

static int add_token(bipe_score_run *run, bipe_score_row *part, const bipe_scored_window *window, size_t k, size_t unit, double nll,
                     uint64_t words, bipe_error *err)
{
    uint64_t bytes = window->token[k].end - window->token[k].start;
    bipe_losses_add(&part->losses, nll, bytes, words);
    int status = bipe_loss_bins_add(&part->units, unit, nll, bytes, err);
    if (status == BIPE_OK && run->setup.by != BIPE_SCORE_BY_NONE)
        status = bipe_loss_bins_add(&part->bins, by_index(run->setup.by, window, k), nll, bytes, err);
    return status;
}

static int read_brief(text_run *t, const bipe_scored_window *window, bipe_error *err)
{
    uint64_t context = t->run->setup.contrast;
    int status = bipe_token_losses_read(&t->brief, window, err);
    for (size_t k = 0; k < window->length && k < context + context / 4 && status == BIPE_OK; k++)
        t->brief.window[k] = (double)NAN; /* here both have the same context */
    return status;
}

/* The loss of a token less that with a short context. */
static int add_contrast(bipe_score_row *part, double difference, const bipe_spool_token *token, size_t unit, bipe_error *err)
{
    uint64_t bytes = token->end - token->start;
    if (isnan(difference))
        return BIPE_OK;
    bipe_losses_add(&part->contrast, difference, bytes, 0);
    return bipe_loss_bins_add(&part->contrast_units, unit, difference, bytes, err);
}

/* Hugging Face's program weighs the mean of the new tokens of each window but the first by one less than their number. */
static double window_weight(const text_run *t, const bipe_scored_window *window)
{
    double scored = (double)(window->length - window->first);
    return t->run->setup.protocol == BIPE_SCORE_SLIDING && window->first > 1 ? (scored - 1) / scored : 1;
}

int bipe_score_take_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    text_run *t = context;
    bipe_score_run *run = t->run;
    text_length *length = &t->length[window->which];
    double weight = window_weight(t, window);
    int status = run->setup.contrast > 0 ? read_brief(t, window, err) : BIPE_OK;
    uint8_t *counts = bipe_alloc(window->length, 1);
    if (counts == NULL)
        return bipe_fail_memory(err);
    length->next = window->index + 1;
    length->part.losses.windows++;
    for (size_t k = window->first; k < window->length && status == BIPE_OK; k++) {
        const bipe_spool_token *token = &window->token[k];
        uint64_t place = window->start + k - window->added, words = bipe_spool_token_words(token);
        size_t document = bipe_score_document(t->reader, window, k);
        double nll = window->nll[k - window->first];
        if (!window->target[k - window->first] || (run->setup.common && !is_common(t, place, window->which)))
            continue;
        counts[k] = 1;
        size_t unit = bipe_score_unit(&run->layout, document, token->start), documents;
        if (run->setup.contrast > 0)
            status = add_contrast(&length->part, nll - t->brief.window[k], token, unit, err);
        if (status != BIPE_OK || (weight < 1 && k == window->first))
            continue; /* the first counts through the weight of the others; see below */
        if (run->setup.protocol == BIPE_SCORE_LM_EVAL && (place + 1 == bipe_token_spool_count(t->reader->spool) ||
                                                          bipe_token_spool_document_at(t->reader->spool, place + 1) != document))
            words += bipe_token_spool_documents(t->reader->spool, &documents)[document].pieces; /* once a document, with its last token */
        /* The weighted sum is that of all new tokens; the first, which is not counted, gives its loss to the second. */
        if (weight < 1 && k == window->first + 1)
            nll += window->nll[0];
        status = add_token(run, &length->part, window, k, unit, nll * weight, words, err);
    }
    if (status == BIPE_OK)
        dump_window(t, length, window, counts);
    bipe_free(counts);
    return status;
}

static void note_batch(text_run *t)
{
    bipe_score_journal *journal = t->run->journal;
    bipe_error err = { 0 };
    int status = BIPE_OK;
    for (size_t i = 0; i < t->plan.count && status == BIPE_OK; i++) {
        const text_length *length = &t->length[i];
        if (length->part.losses.windows > 0)
            status = bipe_score_journal_add(journal, length->next - length->part.losses.windows, &length->part, &err);
    }
    if (status == BIPE_OK)
        status = bipe_score_journal_commit(journal, &err);
    if (status != BIPE_OK)
        bipe_tool_error(&t->run->tool, &err);
}

/* All windows of the batch are in the parts. BIPE_END: interrupted. */
int bipe_score_take_batch(void *context, uint64_t tokens, bipe_error *err)
{
    text_run *t = context;
    bipe_score_run *run = t->run;
    if (run->journal != NULL)
        note_batch(t);
    for (size_t i = 0; i < t->plan.count; i++) {
        text_length *length = &t->length[i];
        int status = bipe_score_row_merge(&length->row, &length->part, err);
        if (status != BIPE_OK)
            return status;
        bipe_score_row_free(&length->part);
        length->part.losses = length->part.contrast = (bipe_losses){ 0 };
    }
    run->done += tokens;
    bipe_progress_update(&run->tool.progress, bipe_score_shown(t->path), run->done);
    return bipe_score_over(run) ? BIPE_END : BIPE_OK;
}

/* ---- the losses of one pass, by token ---- */

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
