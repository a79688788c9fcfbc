/* scorer.c - from a token spool to scored windows; see scorer.h. */
#include "measure/scorer.h"

#include <time.h>

#include "base/alloc.h"

/* Room for a batch of windows: slot w holds its tokens at w * length. */
typedef struct scorer_batch {
    size_t slots, length;
    bipe_window *window;         /* [slots] */
    bipe_spool_token *token;     /* (slots, length) */
    uint32_t *ids, *segment, *intra;
    uint8_t *closes;             /* (length): one window at a time */
    uint8_t *target;             /* (slots, length) */
    double *nll;                 /* (slots, length) */
} scorer_batch;

static void free_batch(scorer_batch *batch)
{
    bipe_free(batch->window);
    bipe_free(batch->token);
    bipe_free(batch->ids);
    bipe_free(batch->segment);
    bipe_free(batch->intra);
    bipe_free(batch->closes);
    bipe_free(batch->target);
    bipe_free(batch->nll);
}

static int make_batch(scorer_batch *batch, size_t slots, size_t length, bipe_error *err)
{
    *batch = (scorer_batch){ .slots = slots, .length = length };
    if (slots > SIZE_MAX / length)
        return bipe_fail_memory(err);
    size_t cells = slots * length;
    batch->window = bipe_alloc(slots, sizeof *batch->window);
    batch->token = bipe_alloc(cells, sizeof *batch->token);
    batch->ids = bipe_alloc(cells, sizeof *batch->ids);
    batch->segment = bipe_alloc(cells, sizeof *batch->segment);
    batch->intra = bipe_alloc(cells, sizeof *batch->intra);
    batch->closes = bipe_alloc(length, sizeof *batch->closes);
    batch->target = bipe_alloc(cells, sizeof *batch->target);
    batch->nll = bipe_alloc(cells, sizeof *batch->nll);
    if (batch->window != NULL && batch->token != NULL && batch->ids != NULL && batch->segment != NULL &&
        batch->intra != NULL && batch->closes != NULL && batch->target != NULL && batch->nll != NULL)
        return BIPE_OK;
    free_batch(batch);
    return bipe_fail_memory(err);
}

/* Puts the window `cut` into slot `slot`. */
static int load_window(scorer_batch *batch, size_t slot, bipe_token_spool *spool, const bipe_cut *cut, int64_t bos,
                       bool count_bos, bipe_error *err)
{
    size_t at = slot * batch->length, length = (size_t)cut->length, ahead = (size_t)(cut->length - cut->count);
    bipe_spool_token *token = batch->token + at;
    int status = bipe_token_spool_read(spool, cut->start, token + ahead, (size_t)cut->count, err);
    if (status != BIPE_OK)
        return status;
    if (ahead != 0)
        token[0] = (bipe_spool_token){ .start = token[1].start, .end = token[1].start, .id = (uint32_t)bos };
    for (size_t t = 0; t < length; t++) {
        batch->ids[at + t] = token[t].id;
        batch->closes[t] = bipe_spool_token_closes(&token[t]);
    }
    for (size_t t = 0; t < length; t++)
        batch->target[at + t] = t >= cut->first && (count_bos || token[t].id != bos || token[t].start != token[t].end);
    bipe_positions(batch->closes, length, batch->segment + at, batch->intra + at);
    batch->window[slot] = (bipe_window){
        .ids = batch->ids + at,
        .segment = batch->segment + at,
        .intra = batch->intra + at,
        .length = length,
        .wanted = batch->target + at,
        .nll = batch->nll + at,
    };
    return BIPE_OK;
}

/* The longest that one call of the evaluator should take: between two of them a caller can stop. */
#define BATCH_SECONDS 2.0

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int score_batches(scorer_batch *batch, bipe_evaluator *evaluator, bipe_token_spool *spool,
                         const bipe_protocol *protocol, int64_t bos, bipe_scored scored, void *context,
                         bipe_error *err)
{
    uint64_t tokens = bipe_token_spool_count(spool), count = bipe_window_count(protocol, tokens);
    size_t most = batch->slots;
    for (uint64_t done = 0; done < count;) {
        size_t filled = 0;
        int status = BIPE_OK;
        for (; status == BIPE_OK && filled < most && filled < count - done; filled++) {
            bipe_cut cut = bipe_window_cut(protocol, tokens, done + filled);
            status = load_window(batch, filled, spool, &cut, bos, protocol->count_bos, err);
        }
        double started = seconds_now();
        if (status == BIPE_OK)
            status = bipe_evaluator_run(evaluator, batch->window, filled, err);
        double took = seconds_now() - started;
        if (took > BATCH_SECONDS) /* a large model; a window's losses do not depend on those beside it */
            most = (double)filled * BATCH_SECONDS / took < 1 ? 1 : (size_t)((double)filled * BATCH_SECONDS / took);
        for (size_t slot = 0; status == BIPE_OK && slot < filled; slot++) {
            const bipe_window *window = &batch->window[slot];
            size_t first = (size_t)bipe_window_cut(protocol, tokens, done + slot).first;
            bipe_scored_window out = {
                .index = done + slot,
                .length = window->length,
                .first = first,
                .token = batch->token + slot * batch->length,
                .segment = window->segment,
                .intra = window->intra,
                .nll = window->nll + first - 1,
                .target = window->wanted + first,
            };
            status = scored(context, &out, err);
        }
        if (status != BIPE_OK)
            return status;
        done += filled;
    }
    return BIPE_OK;
}

int bipe_score_spool(bipe_evaluator *evaluator, bipe_token_spool *spool, const bipe_protocol *protocol, int64_t bos,
                     bipe_scored scored, void *context, bipe_error *err)
{
    uint64_t tokens = bipe_token_spool_count(spool), count = bipe_window_count(protocol, tokens);
    if (count == 0)
        return BIPE_OK;
    /* No window is longer than the first. */
    uint64_t longest = bipe_window_cut(protocol, tokens, 0).length;
    if (longest > SIZE_MAX)
        return bipe_fail_memory(err);
    size_t slots = bipe_evaluator_batch(evaluator, (size_t)longest);
    if (slots == 0)
        slots = 1;
    if (slots > count)
        slots = (size_t)count;
    scorer_batch batch;
    int status = make_batch(&batch, slots, (size_t)longest, err);
    if (status != BIPE_OK)
        return status;
    status = score_batches(&batch, evaluator, spool, protocol, bos, scored, context, err);
    free_batch(&batch);
    return status;
}
