/* score_run.c - the loop over files and lengths: spools a text, scores it, reports rows as they are finished. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/bipe_score.h"
#include "tools/interrupt.h"

static bipe_protocol make_protocol(const bipe_score_run *run, uint64_t length)
{
    return (bipe_protocol){
        .length = length,
        .stride = run->setup.stride,
        .tail = run->setup.tail,
        .bos = run->setup.bos == BIPE_SCORE_BOS_WINDOW && run->setup.bos_id != BIPE_NO_TOKEN,
        .count_bos = run->setup.count_bos,
    };
}

/* ---- a text ---- */

/* What messages call a FILE. */
static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* The present document into the spool. BIPE_END: interrupted. */
static int spool_document(bipe_score_run *run, const char *path, bipe_error *err)
{
    bipe_stream *stream = run->stream;
    bool windowed = run->setup.bos == BIPE_SCORE_BOS_WINDOW;
    uint64_t vocabulary = run->setup.hyperparameters->vocabulary;
    int status = bipe_token_spool_begin(run->spool, windowed ? BIPE_NO_TOKEN : run->setup.bos_id, vocabulary, err);
    if (status != BIPE_OK)
        return bipe_error_prefix(err, "%s", shown(path));
    for (bipe_batch batch = { 0 }; !batch.last;) {
        if (bipe_interrupted() != 0)
            return BIPE_END;
        status = bipe_stream_read(stream, &batch, err);
        if (status != BIPE_OK)
            return status;
        status = bipe_token_spool_batch(run->spool, &batch, err);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "%s: document %" PRIu64, shown(path), bipe_stream_document(stream));
        bipe_progress_update(&run->tool.progress, path, bipe_input_raw_offset(bipe_stream_source(stream)));
    }
    return BIPE_OK;
}

/* All documents of a file. A broken document is reported and left out; false when nothing of the file can be used. */
static bool spool_file(bipe_score_run *run, size_t index, const char *path)
{
    bipe_error err = { 0 };
    bipe_token_spool_reset(run->spool);
    if (bipe_stream_input(run->stream, path, &err) != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
        return false;
    }
    bipe_tool_progress(&run->tool, "bytes", bipe_input_raw_size(bipe_stream_source(run->stream)));
    bipe_error last = { 0 };
    bool usable = true;
    for (;;) {
        err = (bipe_error){ 0 };
        int status = bipe_stream_next_document(run->stream, &err);
        if (status == BIPE_OK)
            status = spool_document(run, path, &err);
        else if (status == BIPE_END)
            break;
        if (status == BIPE_OK)
            continue;
        bipe_token_spool_drop(run->spool);
        if (bipe_interrupted() != 0)
            break;
        if (last.status == err.status && strcmp(last.text, err.text) == 0)
            break; /* the same place again: there is no way past it */
        bipe_tool_error(&run->tool, &err);
        last = err;
        if (status != BIPE_ERR_FORMAT && status != BIPE_ERR_LIMIT && status != BIPE_ERR_ARGUMENT) {
            usable = false;
            break;
        }
    }
    bipe_progress_clear(&run->tool.progress);
    if (bipe_stream_mostly_wrong(run->stream))
        bipe_tool_odd_file(&run->tool, index, path);
    /* When its only words were errors, that it is too short for each length goes without saying. */
    if (last.status != BIPE_OK && bipe_token_spool_count(run->spool) == 0)
        usable = false;
    return usable && bipe_interrupted() == 0;
}

/* ---- a length ---- */

typedef struct length_context {
    bipe_score_run *run;
    bipe_score_row *row;
    uint64_t done;   /* tokens, each BOS counted */
    char label[128]; /* for progress */
} length_context;

static size_t by_index(bipe_score_by by, const bipe_scored_window *window, size_t t)
{
    switch (by) {
    case BIPE_SCORE_BY_SEGMENT: return window->segment[t];
    case BIPE_SCORE_BY_INTRA: return window->intra[t];
    default: return t;
    }
}

/* A dump that cannot be written is given up; the report goes on. */
static void dump_window(bipe_score_run *run, bipe_score_dump **dump, const bipe_score_row *row, const bipe_scored_window *window)
{
    bipe_error err = { 0 };
    if (*dump == NULL || bipe_score_dump_window(*dump, row->file, row->length, window, &err) == BIPE_OK)
        return;
    bipe_tool_error(&run->tool, &err);
    bipe_score_dump_abandon(*dump);
    *dump = NULL;
}

static int take_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    length_context *c = context;
    bipe_score_run *run = c->run;
    bipe_score_row *row = c->row;
    if (bipe_interrupted() != 0)
        return BIPE_END;
    row->losses.windows++;
    for (size_t t = window->first; t < window->length; t++) {
        const bipe_spool_token *token = &window->token[t];
        double nll = window->nll[t - window->first];
        if (!window->target[t - window->first])
            continue;
        bipe_losses_add(&row->losses, nll, token->end - token->start, bipe_spool_token_words(token));
        if (run->setup.by != BIPE_SCORE_BY_NONE) {
            int status = bipe_loss_bins_add(&row->bins, by_index(run->setup.by, window, t), nll, err);
            if (status != BIPE_OK)
                return status;
        }
    }
    dump_window(run, &run->tokens, row, window);
    dump_window(run, &run->segments, row, window);
    c->done += window->length - window->first;
    bipe_progress_update(&run->tool.progress, c->label, c->done);
    return BIPE_OK;
}

/* Scores the spool at one length, or finds the row in the journal. BIPE_END: interrupted. */
static int score_length(bipe_score_run *run, const bipe_protocol *protocol, bipe_score_row *row, bipe_error *err)
{
    uint64_t tokens = bipe_token_spool_count(run->spool);
    bipe_score_key key = { .hash = bipe_token_spool_hash(run->spool), .tokens = tokens, .length = protocol->length };
    if (run->journal != NULL) {
        int status = bipe_score_journal_find(run->journal, &key, &row->losses, &row->bins, err);
        if (status != BIPE_END)
            return status;
    }
    int status = bipe_score_reach(run, bipe_window_cut(protocol, tokens, 0).length, err);
    if (status != BIPE_OK)
        return status;
    bipe_tool_progress(&run->tool, "tokens", bipe_window_scored(protocol, tokens));
    length_context context = { .run = run, .row = row };
    snprintf(context.label, sizeof context.label, "%s at %" PRIu64, row->file, protocol->length);
    /* Ids that are given may hold BOS, too, whatever --bos says. */
    int64_t bos = bipe_tokenizer_bos(run->tokenizer);
    status = bipe_score_spool(run->evaluator, run->spool, protocol, bos, take_window, &context, err);
    bipe_progress_clear(&run->tool.progress);
    if (status != BIPE_OK)
        return status;
    if (!isfinite(row->losses.sum)) {
        bipe_error odd = { 0 };
        bipe_fail(&odd, BIPE_ERR_FORMAT, "%s: length %" PRIu64 ": losses are not finite, the model is broken", row->file,
                  row->length);
        bipe_tool_error(&run->tool, &odd);
    }
    bipe_error journal_err = { 0 };
    if (run->journal != NULL && bipe_score_journal_add(run->journal, &key, row, &journal_err) != BIPE_OK)
        bipe_tool_error(&run->tool, &journal_err);
    return BIPE_OK;
}

/* A finished row goes to the report and into the total. */
static void finish_row(bipe_score_run *run, const bipe_score_row *row, bipe_score_row *total)
{
    bipe_error err = { 0 };
    bipe_losses_merge(&total->losses, &row->losses);
    if (bipe_loss_bins_merge(&total->bins, &row->bins, &err) != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
    bipe_progress_clear(&run->tool.progress);
    if (!run->output_over && bipe_score_report_row(run->report, row, &err) != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
        run->output_over = true;
    }
}

/* Says once for each length how many texts were too short for it. */
static void tell_short(bipe_score_run *run)
{
    const char *hint = run->setup.tail ? "" : "; --tail scores what does not fill a window";
    for (size_t i = 0; i < run->lengths.count; i++) {
        const bipe_score_short *s = &run->too_short[i];
        bipe_error text;
        const char *tokens = s->tokens == 1 ? "token" : "tokens";
        if (s->files == 0)
            continue;
        if (s->files == 1)
            bipe_fail(&text, BIPE_ERR_LIMIT, "%s: length %" PRIu64 " is left out: the text has %" PRIu64 " %s%s", shown(s->first),
                      run->lengths.value[i], s->tokens, tokens, hint);
        else
            bipe_fail(&text, BIPE_ERR_LIMIT, "length %" PRIu64 " is left out of %zu files, which are shorter (the first, %s, has %" PRIu64
                      " %s)%s", run->lengths.value[i], s->files, shown(s->first), s->tokens, tokens, hint);
        fprintf(stderr, "%s: %s\n", run->tool.name, text.text);
    }
}

/* Whether to stop: interrupted, or nobody is left who wants to know. */
static bool over(const bipe_score_run *run)
{
    bool wanted = !run->output_over || run->tokens != NULL || run->segments != NULL || run->journal != NULL;
    return bipe_interrupted() != 0 || !wanted;
}

static void score_file(bipe_score_run *run, size_t index, const char *path)
{
    if (!spool_file(run, index, path))
        return;
    uint64_t tokens = bipe_token_spool_count(run->spool);
    bool some = false;
    for (size_t i = 0; i < run->lengths.count && !over(run); i++) {
        uint64_t length = run->lengths.value[i];
        bipe_protocol protocol = make_protocol(run, length);
        /* With --tail a text shorter than a window is one by itself, but not again and again at each default length. */
        bool repeats = run->given.lengths.count == 0 && i > 0 && tokens < length - (protocol.bos ? 1 : 0);
        if (bipe_window_count(&protocol, tokens) == 0 || repeats) {
            /* Multiples of the training length end where the text ends: that needs no words, unless it has no row at all. */
            bipe_score_short *s = &run->too_short[i];
            if ((run->given.lengths.count > 0 || (!some && i == 0)) && s->files++ == 0)
                *s = (bipe_score_short){ .files = 1, .first = path, .tokens = tokens };
            continue;
        }
        bipe_error err = { 0 };
        bipe_score_row row = { .file = path, .length = length };
        int status = score_length(run, &protocol, &row, &err);
        if (status == BIPE_OK) {
            finish_row(run, &row, &run->total[i]);
        } else if (status != BIPE_END) {
            bipe_error_prefix(&err, "%s: length %" PRIu64, shown(path), length);
            bipe_tool_error(&run->tool, &err);
        }
        some = true;
        bipe_score_row_free(&row);
    }
    if (!some && !over(run) && run->tool.status == BIPE_EXIT_DONE)
        run->tool.status = BIPE_EXIT_FAILED; /* nothing of this text was scored, which tell_short() said */
}

/* ---- the end ---- */

static void commit_dump(bipe_score_run *run, bipe_score_dump **dump, const char *path)
{
    bipe_error err = { 0 };
    if (*dump == NULL)
        return;
    if (bipe_interrupted() != 0) { /* complete or not at all */
        bipe_score_dump_abandon(*dump);
        bipe_tool_note(&run->tool, "%s: not written, the run was interrupted", path);
    } else if (bipe_score_dump_commit(*dump, &err) != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
    }
    *dump = NULL;
}

static int finish_run(bipe_score_run *run)
{
    bipe_error err = { 0 };
    bipe_progress_clear(&run->tool.progress);
    tell_short(run);
    commit_dump(run, &run->tokens, run->given.tokens);
    commit_dump(run, &run->segments, run->given.segments);
    size_t count = 0;
    for (size_t i = 0; i < run->lengths.count; i++) {
        if (run->total[i].losses.windows == 0) {
            bipe_score_row_free(&run->total[i]);
            continue;
        }
        bipe_score_row row = run->total[i];
        run->total[i] = (bipe_score_row){ 0 };
        run->total[count++] = row;
    }
    bool complete = bipe_interrupted() == 0 && run->tool.status == BIPE_EXIT_DONE;
    if (!run->output_over && bipe_score_report_end(run->report, run->total, count, complete, &err) != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
        run->output_over = true;
    }
    if (!run->output_over)
        bipe_tool_finish(&run->tool, run->output);
    else
        bipe_output_abandon(run->output);
    run->output = NULL;
    return run->tool.status;
}

int bipe_score_files(bipe_score_run *run, bipe_files files)
{
    bipe_interrupt_catch();
    for (size_t i = 0; i < files.count && !over(run); i++)
        score_file(run, i, files.path[i]);
    if (bipe_interrupted() != 0)
        bipe_tool_note(&run->tool, "interrupted: what was finished is reported");
    int status = finish_run(run);
    return bipe_interrupted() != 0 ? 128 + bipe_interrupted() : status;
}
