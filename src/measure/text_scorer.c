/* text_scorer.c - scores the documents of a stream, of a file, or in memory; see <bipe/compare.h>. */
#include <bipe/score.h>
#include <inttypes.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/installed_model.h"
#include "base/threads.h"
#include "measure/plan.h"
#include "measure/protocol.h"
#include "measure/scorer.h"
#include "measure/stream.h"
#include "measure/text_losses.h"

enum { SPOOL_MEMORY = 64 << 20 };

/* What the callbacks of the scorer know. */
typedef struct text_run {
    bipe_text_losses *losses;
    const bipe_token_spool *spool;
    const bipe_spool_document *document; /* of the spool */
    const bipe_window_rules *rules;
} text_run;

/* ---- the documents of a stream ---- */

static int read_document(bipe_text_losses *losses, bipe_token_spool *spool, bipe_stream *stream, int64_t bos,
                         bipe_error *err)
{
    uint64_t size = 0;
    int status = bipe_token_spool_begin(spool, bos, (uint64_t)UINT32_MAX + 1, err);
    bipe_token_spool_name(spool, losses->documents, 0, 0, 0);
    for (bipe_batch batch = {0}; !batch.last && status == BIPE_OK;) {
        status = bipe_stream_read(stream, &batch, err);
        if (status != BIPE_OK)
            break;
        losses->text = bipe_hash_bytes(losses->text, batch.bytes, batch.byte_count);
        size = batch.byte_offset + batch.byte_count;
        status = bipe_token_spool_batch(spool, &batch, err);
    }
    return status == BIPE_OK ? bipe_text_losses_add_document(losses, size, err) : status;
}

/* All documents that are left of the stream's input. */
static int read_text(bipe_text_losses *losses, bipe_token_spool *spool, bipe_stream *stream, int64_t bos,
                     bipe_error *err)
{
    int status;
    losses->text = BIPE_HASH_EMPTY;
    while ((status = bipe_stream_next_document(stream, err)) == BIPE_OK) {
        status = read_document(losses, spool, stream, bos, err);
        if (status != BIPE_OK)
            return status;
    }
    return status == BIPE_END ? bipe_text_losses_add_units(losses, err) : status;
}

static int on_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    text_run *run = context;
    int status = BIPE_OK;
    for (size_t k = window->first; k < window->length && status == BIPE_OK; k++) {
        const bipe_spool_token *token = &window->token[k];
        double nll;
        if (!window->target[k - window->first] || !bipe_protocol_loss(run->rules, window, k, &nll))
            continue;
        size_t document = bipe_token_spool_document_at(run->spool, window->start + k - window->added);
        status = bipe_text_losses_add_token(run->losses, run->document[document].index, token->start, token->end, nll,
                                            err);
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
    bool any = run->rules->protocol == BIPE_PROTOCOL_LM_EVAL && !run->rules->lines; /* texts of one token are fine */
    if (status == BIPE_OK && all.end == 0 && !any)
        status = bipe_fail(err, BIPE_ERR_LIMIT, "the text has %" PRIu64 " token%s, expected a window of %" PRIu64,
                           tokens, tokens == 1 ? "" : "s", length);
    if (bos == BIPE_NO_TOKEN) /* ids that are given may hold BOS, too, whatever the rules say */
        bos = bipe_tokenizer_bos(tokenizer);
    if (status == BIPE_OK && all.end > 0)
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
    if ((unsigned)rules->protocol > BIPE_PROTOCOL_LONGPPL || (unsigned)rules->bos > BIPE_BOS_NONE)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "protocol %d and BOS %d, expected values of <bipe/compare.h>",
                         (int)rules->protocol, (int)rules->bos);
    if (options->tokenizer == NULL || segmenters < 1 || segmenters > BIPE_SPOOL_SEGMENTERS)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a stream with %s tokenizer and %zu segmenters, expected 1 to %d",
                         options->tokenizer == NULL ? "no" : "a", segmenters, (int)BIPE_SPOOL_SEGMENTERS);
    size_t leading = bipe_tokenizer_leading(options->tokenizer);
    if (leading > 1 && rules->bos != BIPE_BOS_NONE)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%s: documents start with %zu special tokens, expected at most one",
                         bipe_tokenizer_spec(options->tokenizer), leading);
    int64_t bos = bipe_protocol_bos(rules, options->tokenizer);
    bipe_token_spool *spool = NULL;
    bipe_text_losses *made;
    int status = bipe_text_losses_begin(&made, err);
    if (status == BIPE_OK)
        status = bipe_token_spool_open(&spool, SPOOL_MEMORY, segmenters, err);
    if (status == BIPE_OK) {
        bipe_token_spool_keep_documents(spool);
        status = read_text(made, spool, stream, rules->bos == BIPE_BOS_WINDOW ? BIPE_NO_TOKEN : bos, err);
    }
    if (status == BIPE_OK) {
        size_t documents;
        const bipe_spool_document *document = bipe_token_spool_documents(spool, &documents);
        const bipe_input *source = bipe_stream_source(stream);
        text_run run = { made, spool, document, rules };
        status = score_text(&run, evaluator, spool, length, options->tokenizer, err);
        if (status != BIPE_OK)
            bipe_error_prefix(err, "%s", source != NULL ? bipe_input_name(source) : "texts");
    }
    bipe_token_spool_close(spool);
    if (status == BIPE_OK)
        *losses = made;
    else
        bipe_text_losses_close(made);
    return status;
}

/* ---- scorers ---- */

struct bipe_scorer {
    bipe_model *model;
    bipe_tokenizer *tokenizer;
    bipe_pool *pool;
    bipe_evaluator *evaluator;
    uint64_t length;
};

static int open_parts(bipe_scorer *s, const char *model, const char *tokenizer, const char *scheme, size_t threads,
                      bipe_error *err)
{
    bipe_evaluator_options options = {0};
    bipe_scheme parsed;
    char path[BIPE_MODEL_PATH_SIZE];
    int status = scheme != NULL ? bipe_scheme_parse(&parsed, scheme, err) : BIPE_OK;
    if (status == BIPE_OK)
        status = bipe_model_operand(model, path, err);
    if (status == BIPE_OK)
        status = bipe_model_open(&s->model, model, err);
    if (status == BIPE_OK)
        status = bipe_tokenizer_open(&s->tokenizer, tokenizer != NULL ? tokenizer : bipe_model_path(s->model), false,
                                     err);
    if (status == BIPE_OK && tokenizer != NULL)
        status = bipe_tokenizer_suits(s->tokenizer, bipe_model_hyperparameters(s->model)->vocabulary, err);
    if (status == BIPE_OK)
        status = bipe_pool_open(&s->pool, threads > 0 ? threads : bipe_processors(), err);
    if (status != BIPE_OK)
        return status;
    if (s->length == 0)
        s->length = bipe_model_hyperparameters(s->model)->train_length;
    if (s->length < 2 || s->length >= UINT32_MAX)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "%s: windows of %" PRIu64 " tokens, expected 2 to %" PRIu32, model,
                         s->length, UINT32_MAX - 1);
    options.scheme = scheme != NULL ? &parsed : NULL;
    options.max_length = (size_t)s->length + 1; /* some protocols have one token before a window */
    return bipe_evaluator_open(&s->evaluator, s->model, &options, s->pool, err);
}

int bipe_scorer_open(bipe_scorer **scorer, const char *model, const char *tokenizer, const char *scheme,
                     uint64_t length, size_t threads, bipe_error *err)
{
    *scorer = bipe_alloc(1, sizeof **scorer);
    if (*scorer == NULL)
        return bipe_fail_memory(err);
    (*scorer)->length = length;
    int status = open_parts(*scorer, model, tokenizer, scheme, threads, err);
    if (status != BIPE_OK) {
        bipe_scorer_close(*scorer);
        *scorer = NULL;
    }
    return status;
}

/* The file, or the texts. */
static int score_documents(bipe_text_losses **losses, bipe_scorer *s, const char *segmenter, const char *path,
                           const char *field, const bipe_memory_texts *texts, const bipe_window_rules *rules,
                           bipe_error *err)
{
    static const bipe_window_rules each = { .protocol = BIPE_PROTOCOL_LM_EVAL };
    bipe_stream *stream;
    if (segmenter == NULL)
        segmenter = bipe_model_hyperparameters(s->model)->segmenter;
    if (segmenter[0] == '\0')
        segmenter = BIPE_SEGMENTER_DEFAULT;
    const bipe_stream_options options = { .tokenizer = s->tokenizer, .specs = &segmenter, .spec_count = 1,
                                          .field = field };
    *losses = NULL;
    int status = bipe_stream_open(&stream, &options, err);
    if (status == BIPE_OK)
        status = texts != NULL ? bipe_stream_texts(stream, texts, err) : bipe_stream_input(stream, path, err);
    if (status == BIPE_OK)
        status = bipe_text_losses_open(losses, s->evaluator, stream, s->length, rules != NULL ? rules : &each, err);
    bipe_stream_close(stream);
    return status;
}

int bipe_scorer_texts(bipe_text_losses **losses, bipe_scorer *scorer, const char *segmenter, const char *const *text,
                      const size_t *size, size_t count, const bipe_window_rules *rules, bipe_error *err)
{
    const bipe_memory_texts texts = { text, size, count };
    return score_documents(losses, scorer, segmenter, NULL, NULL, &texts, rules, err);
}

int bipe_scorer_file(bipe_text_losses **losses, bipe_scorer *scorer, const char *segmenter, const char *path,
                     const char *field, const bipe_window_rules *rules, bipe_error *err)
{
    return score_documents(losses, scorer, segmenter, path, field, NULL, rules, err);
}

void bipe_scorer_close(bipe_scorer *s)
{
    if (s == NULL)
        return;
    bipe_evaluator_close(s->evaluator);
    bipe_pool_close(s->pool);
    bipe_tokenizer_close(s->tokenizer);
    bipe_model_close(s->model);
    bipe_free(s);
}
