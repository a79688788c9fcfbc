/* text_losses.c - the losses of a model on the documents of a stream, by unit; see <bipe/compare.h>. */
#include <bipe/compare.h>
#include <inttypes.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "measure/loss_units.h"
#include "measure/plan.h"
#include "measure/protocol.h"
#include "measure/scorer.h"
#include "measure/stream.h"

enum { SPOOL_MEMORY = 64 << 20 };

struct bipe_text_losses {
    bipe_loss_units units;
    bipe_loss_bins bins;     /* by unit */
    bipe_losses all;
    uint64_t text, tokens;   /* hashes of the documents, and of the ids of their tokens */
};

/* What the callbacks of the scorer know. */
typedef struct text_run {
    bipe_text_losses *losses;
    const bipe_token_spool *spool;
    const bipe_window_rules *rules;
} text_run;

/* All documents that are left of the stream's input. */
static int read_text(bipe_text_losses *losses, bipe_token_spool *spool, bipe_stream *stream, int64_t bos,
                     bipe_error *err)
{
    int status = bipe_stream_next_document(stream, err);
    for (losses->text = losses->tokens = BIPE_HASH_EMPTY; status == BIPE_OK;) {
        status = bipe_token_spool_begin(spool, bos, (uint64_t)UINT32_MAX + 1, err);
        for (bipe_batch batch = {0}; !batch.last && status == BIPE_OK;) {
            status = bipe_stream_read(stream, &batch, err);
            if (status != BIPE_OK)
                break;
            losses->text = bipe_hash_bytes(losses->text, batch.bytes, batch.byte_count);
            for (size_t i = 0; i < batch.token_count; i++)
                losses->tokens = bipe_hash_uint(losses->tokens, batch.tokens[i].id);
            status = bipe_token_spool_batch(spool, &batch, err);
        }
        losses->text = bipe_hash_uint(losses->text, UINT64_MAX);
        if (status == BIPE_OK)
            status = bipe_stream_next_document(stream, err);
    }
    return status == BIPE_END ? BIPE_OK : status;
}

static int on_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    text_run *run = context;
    bipe_text_losses *losses = run->losses;
    int status = BIPE_OK;
    for (size_t k = window->first; k < window->length && status == BIPE_OK; k++) {
        const bipe_spool_token *token = &window->token[k];
        double nll;
        if (!window->target[k - window->first] || !bipe_protocol_loss(run->rules, window, k, &nll))
            continue;
        size_t document = bipe_token_spool_document_at(run->spool, window->start + k - window->added);
        bipe_losses_add(&losses->all, nll, token->end - token->start, 0);
        status = bipe_loss_bins_add(&losses->bins, bipe_loss_unit(&losses->units, document, token->start), nll,
                                    token->end - token->start, err);
    }
    return status;
}

static int score_text(text_run *run, bipe_evaluator *evaluator, bipe_token_spool *spool, uint64_t length,
                      const bipe_tokenizer *tokenizer, bipe_error *err)
{
    int64_t bos = bipe_protocol_bos(run->rules, tokenizer);
    uint64_t tokens = bipe_token_spool_count(spool);
    bipe_protocol protocol;
    bipe_cut *list;
    int status = bipe_protocol_windows(run->rules, length, bos != BIPE_NO_TOKEN, spool, NULL, &protocol, &list, err);
    bipe_plan_length all = {0};
    if (status == BIPE_OK)
        all = bipe_plan_all(&protocol, tokens);
    bipe_plan plan = { .length = &all, .count = 1, .tokens = tokens };
    const bipe_score_sink sink = { .window = on_window, .context = run };
    if (status == BIPE_OK && all.end == 0)
        status = bipe_fail(err, BIPE_ERR_LIMIT, "the text has %" PRIu64 " token%s, expected a window of %" PRIu64,
                           tokens, tokens == 1 ? "" : "s", length);
    if (bos == BIPE_NO_TOKEN) /* ids that are given may hold BOS, too, whatever the rules say */
        bos = bipe_tokenizer_bos(tokenizer);
    if (status == BIPE_OK)
        status = bipe_score_plan(evaluator, spool, &plan, 0, bos, &sink, err);
    bipe_free(list);
    return status;
}

int bipe_text_losses_open(bipe_text_losses **losses, bipe_evaluator *evaluator, bipe_stream *stream, uint64_t length,
                          const bipe_window_rules *rules, bipe_error *err)
{
    const bipe_stream_options *options = bipe_stream_options_of(stream);
    *losses = NULL;
    size_t segmenters = options->spec_count;
    if (length < 2)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "windows of %" PRIu64 " tokens, expected 2 or more", length);
    if (options->tokenizer == NULL || segmenters < 1 || segmenters > BIPE_SPOOL_SEGMENTERS)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a stream with %s tokenizer and %zu segmenters, expected 1 to %d",
                         options->tokenizer == NULL ? "no" : "a", segmenters, (int)BIPE_SPOOL_SEGMENTERS);
    int64_t bos = bipe_protocol_bos(rules, options->tokenizer);
    bipe_token_spool *spool = NULL;
    bipe_text_losses *made = bipe_alloc(1, sizeof *made);
    int status = made == NULL ? bipe_fail_memory(err) : bipe_token_spool_open(&spool, SPOOL_MEMORY, segmenters, err);
    if (status == BIPE_OK) {
        bipe_token_spool_keep_documents(spool);
        status = read_text(made, spool, stream, rules->bos == BIPE_BOS_WINDOW ? BIPE_NO_TOKEN : bos, err);
    }
    size_t documents = 0;
    const bipe_spool_document *document = status == BIPE_OK ? bipe_token_spool_documents(spool, &documents) : NULL;
    if (status == BIPE_OK)
        status = bipe_loss_units_make(&made->units, document, documents, false, err);
    if (status == BIPE_OK) {
        text_run run = { made, spool, rules };
        status = score_text(&run, evaluator, spool, length, options->tokenizer, err);
        if (status != BIPE_OK)
            bipe_error_prefix(err, "%s", bipe_input_name(bipe_stream_source(stream)));
    }
    bipe_token_spool_close(spool);
    if (status == BIPE_OK)
        *losses = made;
    else
        bipe_text_losses_close(made);
    return status;
}

uint64_t bipe_text_losses_tokens(const bipe_text_losses *losses)
{
    return losses->all.tokens;
}

/* Whether both are about the same tokens: as many of each unit, of the same text under the same tokenizer. */
static bool same_tokens(const bipe_text_losses *a, const bipe_text_losses *b)
{
    bool same = a->tokens == b->tokens;
    for (size_t i = 0; same && (i < a->bins.count || i < b->bins.count); i++)
        same = (i < a->bins.count ? a->bins.bin[i].tokens : 0) == (i < b->bins.count ? b->bins.bin[i].tokens : 0);
    return same;
}

int bipe_text_losses_estimate(bipe_estimate *estimate, const bipe_text_losses *a, const bipe_text_losses *b, bool bytes,
                              uint64_t seed, bipe_error *err)
{
    bipe_loss_error error;
    bool same_text = a == NULL || a->text == b->text, same = a == NULL || (same_text && same_tokens(a, b));
    if (!same_text || (!bytes && !same))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "losses of different %s cannot be compared",
                         same_text ? "tokens" : "texts");
    int status = bipe_loss_estimate(&error, a == NULL ? NULL : &a->bins, &b->bins, &b->units, bytes, seed, err);
    if (status != BIPE_OK)
        return status;
    *estimate = error.estimate;
    if (a == NULL)
        estimate->value = bytes ? bipe_losses_bits_per_byte(&b->all) : bipe_losses_nll(&b->all);
    return BIPE_OK;
}

void bipe_text_losses_close(bipe_text_losses *losses)
{
    if (losses == NULL)
        return;
    bipe_loss_units_free(&losses->units);
    bipe_loss_bins_free(&losses->bins);
    bipe_free(losses);
}
