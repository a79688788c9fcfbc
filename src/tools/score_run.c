/* score_run.c - the loop over files: spools a text, scores it at all lengths, reports its rows. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/spool.h"
#include "nn/cpu.h"
#include "tools/bipe_score.h"
#include "tools/interrupt.h"

/* ---- what is scored of a text ---- */

/* One length of a text. */
typedef struct text_length {
    size_t number;         /* run->lengths.value[number] */
    uint64_t windows;      /* that the row is to have */
    uint64_t next;         /* the first window that is not in the row or the part */
    bipe_cut *list;        /* its windows, where the protocol lists them */
    bipe_score_row row;    /* finished batches */
    bipe_score_row part;   /* the present one */
} text_length;

/* A text under one combination. */
typedef struct text_run {
    bipe_score_run *run;
    const bipe_score_combination *combination;
    size_t number;         /* of the combination */
    bipe_score_reader *reader;
    const char *path;
    bipe_score_text text;
    bipe_plan plan;
    bipe_plan_length *all; /* (plan.count) what was planned, for --common */
    text_length *length;   /* (plan.count) */
    bipe_spool *brief;     /* --contrast: the losses with a short context, a double for each token of the text; NaN: none */
    double *brief_losses;  /* those of the present window */
    size_t brief_capacity;
} text_run;

static size_t by_index(bipe_score_by by, const bipe_scored_window *window, size_t t)
{
    switch (by) {
    case BIPE_SCORE_BY_SEGMENT: return window->segment[t];
    case BIPE_SCORE_BY_INTRA: return window->intra[t];
    default: return t;
    }
}

/* A dump that cannot be written is given up; the report goes on. */
static void check_dump(bipe_score_run *run, bipe_score_dump **dump, int status, const bipe_error *err)
{
    if (status == BIPE_OK)
        return;
    bipe_tool_error(&run->tool, err);
    bipe_score_dump_abandon(*dump);
    *dump = NULL;
}

static void dump_window(text_run *t, bipe_score_dump **dump, const text_length *length, const bipe_scored_window *window,
                        const uint8_t *counts)
{
    bipe_error err = { 0 };
    bipe_score_run *run = t->run;
    const bipe_score_place place = { t->number, length->row.file, length->number, length->row.length, t->reader,
                                     t->brief == NULL ? NULL : t->brief_losses, counts };
    if (*dump != NULL)
        check_dump(run, dump, bipe_score_dump_window(*dump, &place, window, &err), &err);
}

/* Whether to stop: interrupted, or nobody is left who wants to know. */
static bool over(const bipe_score_run *run)
{
    bool wanted = !run->output_over || run->tokens != NULL || run->segments != NULL || run->documents != NULL || run->journal != NULL;
    return bipe_interrupted() != 0 || !wanted;
}

/* Whether every length scores the token of the stream, with --common. */
static bool is_common(const text_run *t, uint64_t token, size_t but)
{
    for (size_t i = 0; i < t->plan.count; i++)
        if (i != but && !bipe_window_scores(&t->all[i].protocol, t->plan.tokens, token))
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
    if (bipe_grow(&t->brief_losses, &t->brief_capacity, window->length, sizeof *t->brief_losses) != 0)
        return bipe_fail_memory(err);
    for (size_t k = 0; k < window->ahead; k++)
        t->brief_losses[k] = (double)NAN;
    int status = bipe_spool_read(t->brief, window->start * sizeof(double), t->brief_losses + window->ahead,
                                 (window->length - window->ahead) * sizeof(double), err);
    for (size_t k = 0; k < window->length; k++) /* here both have the same context */
        if (k < t->run->setup.contrast + t->run->setup.contrast / 4)
            t->brief_losses[k] = (double)NAN;
    return status;
}

/* Hugging Face's program weighs the mean of the new tokens of each window but the first by one less than their number. */
static double window_weight(const text_run *t, const bipe_scored_window *window)
{
    double scored = (double)(window->length - window->first);
    return t->run->setup.protocol == BIPE_SCORE_SLIDING && window->first > 1 ? (scored - 1) / scored : 1;
}

static int take_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    text_run *t = context;
    bipe_score_run *run = t->run;
    text_length *length = &t->length[window->which];
    size_t documents, at = bipe_token_spool_document_at(t->reader->spool, window->start);
    const bipe_spool_document *document = bipe_token_spool_documents(t->reader->spool, &documents);
    double weight = window_weight(t, window);
    int status = t->brief != NULL ? read_brief(t, window, err) : BIPE_OK;
    uint8_t *counts = bipe_alloc(window->length, 1);
    if (counts == NULL)
        return bipe_fail_memory(err);
    length->next = window->index + 1;
    length->part.losses.windows++;
    for (size_t k = window->first; k < window->length && status == BIPE_OK; k++) {
        const bipe_spool_token *token = &window->token[k];
        uint64_t place = window->start + k - window->ahead, words = bipe_spool_token_words(token);
        double nll = window->nll[k - window->first];
        while (at + 1 < documents && document[at + 1].first <= place)
            at++;
        if (!window->target[k - window->first] || (run->setup.common && !is_common(t, place, window->which)))
            continue;
        counts[k] = 1;
        if (weight < 1 && k == window->first)
            continue; /* it counts through the weight of the others; see below */
        size_t unit = bipe_score_unit(&run->layout, at, token->start);
        if (run->setup.protocol == BIPE_SCORE_LM_EVAL && (place + 1 == bipe_token_spool_count(t->reader->spool) ||
                                                          (at + 1 < documents && place + 1 == document[at + 1].first)))
            words += document[at].pieces; /* once a document, with its last token */
        /* The weighted sum is that of all new tokens; the first, which is not counted, gives its loss to the second. */
        if (weight < 1 && k == window->first + 1)
            nll += window->nll[0];
        status = add_token(run, &length->part, window, k, unit, nll * weight, words, err);
        if (status == BIPE_OK && t->brief != NULL && !isnan(t->brief_losses[k])) {
            double difference = nll - t->brief_losses[k];
            uint64_t bytes = token->end - token->start;
            bipe_losses_add(&length->part.contrast, difference, bytes, words);
            status = bipe_loss_bins_add(&length->part.contrast_units, unit, difference, bytes, err);
        }
    }
    if (status == BIPE_OK) {
        dump_window(t, &run->tokens, length, window, counts);
        dump_window(t, &run->segments, length, window, counts);
        dump_window(t, &run->documents, length, window, counts);
    }
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
static int take_batch(void *context, uint64_t tokens, bipe_error *err)
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
    return over(run) ? BIPE_END : BIPE_OK;
}

/* ---- progress: of the whole run, in tokens that the model computes ---- */

/* Files that are not read yet are taken to hold as many tokens for their size as those before them. */
static uint64_t estimate_total(const bipe_score_run *run, bool last)
{
    if (last)
        return run->planned;
    if (run->bytes == 0 || run->bytes_read == 0)
        return 0;
    return (uint64_t)((double)run->planned * ((double)run->bytes / (double)run->bytes_read));
}

/* ---- a text ---- */

/* What is too short for a length is named once for each text. */
static void note_short(text_run *t, size_t number)
{
    bipe_score_run *run = t->run;
    bipe_score_short *s = &run->too_short[number];
    /* Multiples of the training length end where the text ends: that needs no words, unless it has no row at all. */
    if (t->number == 0 && (run->given.lengths.count > 0 || number == 0) && s->files++ == 0)
        *s = (bipe_score_short){ .files = 1, .first = t->path, .tokens = t->text.tokens };
}

/* The lengths that the text reaches. */
static int choose_text_lengths(text_run *t, bipe_error *err)
{
    bipe_score_run *run = t->run;
    for (size_t i = 0; i < run->lengths.count; i++) {
        bipe_protocol protocol;
        text_length *length = &t->length[t->plan.count];
        *length = (text_length){ .number = i };
        int status = bipe_score_windows(&run->setup, run->lengths.value[i], t->combination->bos_id != BIPE_NO_TOKEN, t->reader->spool,
                                        t->reader->first_target, &protocol, &length->list, err);
        if (status != BIPE_OK)
            return status;
        /* With --tail a text shorter than a window is one by itself, but not again and again at each default length. */
        bool repeats = run->given.lengths.count == 0 && i > 0 && protocol.list == NULL &&
                       t->text.tokens < protocol.length - (protocol.bos ? 1 : 0);
        /* llama-perplexity wants two windows. */
        bool few = run->setup.protocol == BIPE_SCORE_LLAMA_CPP && t->text.tokens < 2 * protocol.length;
        if (bipe_window_count(&protocol, t->text.tokens) == 0 || repeats || few) {
            bipe_free(length->list);
            note_short(t, i);
            continue;
        }
        length->row = length->part = (bipe_score_row){ .combination = t->number, .file = t->path, .length = protocol.length, .text = t->text };
        t->all[t->plan.count] = bipe_plan_all(&protocol, t->text.tokens);
        t->plan.length[t->plan.count] = t->all[t->plan.count];
        t->plan.count++;
    }
    return BIPE_OK;
}

static void drop_length(text_run *t, size_t number)
{
    size_t behind = t->plan.count - number - 1;
    bipe_free(t->length[number].list);
    memmove(&t->length[number], &t->length[number + 1], behind * sizeof *t->length);
    memmove(&t->plan.length[number], &t->plan.length[number + 1], behind * sizeof *t->plan.length);
    memmove(&t->all[number], &t->all[number + 1], behind * sizeof *t->all);
    t->plan.count--;
}

/* Makes sure that the evaluator takes all lengths; those that it cannot take are told and left out. */
static void reach_lengths(text_run *t)
{
    while (t->plan.count > 0) {
        size_t longest = 0;
        uint64_t length = 0;
        for (size_t i = 0; i < t->plan.count; i++) {
            uint64_t own = bipe_window_longest(&t->all[i].protocol, t->text.tokens);
            longest = own > length ? i : longest;
            length = own > length ? own : length;
        }
        bipe_error err = { 0 };
        if (bipe_score_reach(t->run, t->combination, length, &err) == BIPE_OK)
            return;
        bipe_error_prefix(&err, "%s: length %" PRIu64, bipe_score_shown(t->path), t->length[longest].row.length);
        bipe_tool_error(&t->run->tool, &err);
        drop_length(t, longest);
    }
}

/* Takes what the journal has. */
static int take_journal(text_run *t, bipe_error *err)
{
    bipe_score_journal *journal = t->run->journal;
    int status = bipe_score_journal_text(journal, t->path, t->combination->text, &t->text, err);
    for (size_t i = 0; i < t->plan.count && status == BIPE_OK; i++) {
        bipe_plan_length *length = &t->plan.length[i];
        status = bipe_score_journal_find(journal, length->next, &t->length[i].row, &length->next, err);
        if (status == BIPE_OK && length->next > length->end)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: has windows up to %" PRIu64 " of length %" PRIu64 ", the text has %" PRIu64,
                               t->run->given.resume, length->next, t->length[i].row.length, length->end);
    }
    return status;
}

/* What the report says of one that failed. */
static void check_report(bipe_score_run *run, int status, const bipe_error *err)
{
    if (status == BIPE_OK)
        return;
    bipe_tool_error(&run->tool, err);
    run->output_over = true;
}

/* A finished row gets its error and waits for the others of the file. */
static void finish_row(bipe_score_run *run, text_length *length)
{
    bipe_error err = { 0 };
    bipe_score_row *row = &length->row;
    bool documents = run->layout.bundle > 0;
    if (row->losses.tokens > 0 && !isfinite(bipe_losses_sum(&row->losses))) {
        bipe_fail(&err, BIPE_ERR_FORMAT, "%s: length %" PRIu64 ": losses are not finite, the model is broken", row->file, row->length);
        bipe_tool_error(&run->tool, &err);
    }
    int status = bipe_score_estimate(&row->error, NULL, &row->units, documents, false, run->setup.seed, &err);
    if (status == BIPE_OK && row->contrast.tokens > 0)
        status = bipe_score_estimate(&row->contrast_error, NULL, &row->contrast_units, documents, false, run->setup.seed, &err);
    if (status != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
    run->row[length->number * run->setup.combinations + row->combination] = *row;
    *row = (bipe_score_row){ 0 };
}

/* Scores what is planned. BIPE_END: interrupted. */
static int score_plan(text_run *t, bool last, bipe_error *err)
{
    bipe_score_run *run = t->run;
    bipe_score_work work, left;
    const bipe_score_sink sink = { .window = take_window, .batch = take_batch, .context = t };
    if (run->setup.shard.count > 0)
        bipe_plan_shard(&t->plan, run->setup.shard.index, run->setup.shard.count);
    for (size_t i = 0; i < t->plan.count; i++)
        t->length[i].windows = t->plan.length[i].end - t->plan.length[i].next;
    int status = bipe_plan_work(&t->plan, &work.computed, &work.all, err);
    if (status == BIPE_OK && run->journal != NULL)
        status = take_journal(t, err);
    if (status == BIPE_OK)
        status = bipe_plan_work(&t->plan, &left.computed, &left.all, err);
    if (status != BIPE_OK)
        return status;
    run->work.all += work.all;
    run->work.computed += work.computed;
    run->planned += left.computed;
    bipe_tool_progress(&run->tool, "tokens", estimate_total(run, last));
    double started = bipe_seconds();
    run->tool.progress.started -= run->seconds;
    /* Ids that are given may hold BOS, too, whatever --bos says. */
    int64_t bos = t->combination->bos_id != BIPE_NO_TOKEN ? t->combination->bos_id : bipe_tokenizer_bos(t->reader->tokenizer);
    status = bipe_score_plan(run->model[t->combination->model].evaluator, t->reader->spool, &t->plan, t->combination->closes, bos, &sink, err);
    bipe_progress_clear(&run->tool.progress);
    run->seconds += bipe_seconds() - started;
    return status;
}

/* ---- the losses with a short context ---- */

static int keep_brief(void *context, const bipe_scored_window *window, bipe_error *err)
{
    text_run *t = context;
    static const double none = (double)NAN;
    uint64_t first = window->start + window->first - window->ahead;
    int status = BIPE_OK;
    while (bipe_spool_size(t->brief) < first * sizeof none && status == BIPE_OK)
        status = bipe_spool_append(t->brief, &none, sizeof none, err);
    if (status == BIPE_OK)
        status = bipe_spool_append(t->brief, window->nll, (window->length - window->first) * sizeof *window->nll, err);
    return status == BIPE_OK && bipe_interrupted() != 0 ? BIPE_END : status;
}

/* Windows of K + K / 4 tokens, of which the last K / 4 count: each token has seen K or a few more. */
static int score_brief(text_run *t, bipe_error *err)
{
    enum { BRIEF_MEMORY = 16 << 20 };
    uint64_t context = t->run->setup.contrast, step = context / 4 > 0 ? context / 4 : 1;
    bipe_protocol protocol = { .length = context + step, .stride = step, .tail = true };
    bipe_plan_length length = bipe_plan_all(&protocol, t->text.tokens);
    bipe_plan plan = { .length = &length, .count = 1, .tokens = t->text.tokens };
    const bipe_score_sink sink = { .window = keep_brief, .context = t };
    int status = bipe_spool_open(&t->brief, BRIEF_MEMORY, err);
    if (status == BIPE_OK)
        status = bipe_score_reach(t->run, t->combination, protocol.length, err);
    if (status == BIPE_OK)
        status = bipe_score_plan(t->run->model[t->combination->model].evaluator, t->reader->spool, &plan, t->combination->closes,
                                 bipe_tokenizer_bos(t->reader->tokenizer), &sink, err);
    for (const double none = (double)NAN; status == BIPE_OK && bipe_spool_size(t->brief) < t->text.tokens * sizeof none;)
        status = bipe_spool_append(t->brief, &none, sizeof none, err);
    return status;
}

/* Scores the text in the spool. */
static void score_text(text_run *t, bool last)
{
    bipe_score_run *run = t->run;
    bipe_error err = { 0 };
    int status = choose_text_lengths(t, &err);
    bool some = t->plan.count > 0;
    if (status == BIPE_OK && some && run->setup.contrast > 0)
        status = score_brief(t, &err);
    reach_lengths(t);
    if (t->plan.count > 1 && !t->plan.share && !run->told_alone) {
        bipe_tool_note(&run->tool, "losses depend on the length of the window with %s: each length is computed by itself",
                       bipe_evaluator_length_matters(run->model[t->combination->model].evaluator));
        run->told_alone = true;
    }
    if (status == BIPE_OK && t->plan.count > 0)
        status = score_plan(t, last, &err);
    for (size_t i = 0; i < t->plan.count; i++)
        if (t->length[i].row.losses.windows == t->length[i].windows && status != BIPE_ERR_MEMORY)
            finish_row(run, &t->length[i]);
    if (status != BIPE_OK && status != BIPE_END) {
        const char *name = bipe_score_shown(t->path);
        if (strncmp(err.text, name, strlen(name)) != 0 || err.text[strlen(name)] != ':')
            bipe_error_prefix(&err, "%s", name);
        bipe_tool_error(&run->tool, &err);
    }
    bipe_score_dump **dumps[] = { &run->tokens, &run->segments, &run->documents };
    for (size_t i = 0; i < sizeof dumps / sizeof dumps[0]; i++)
        if (*dumps[i] != NULL)
            check_dump(run, dumps[i], bipe_score_dump_file_end(*dumps[i], &err), &err);
    run->left_out = run->left_out || (!some && !over(run)); /* which tell_short() says */
}

static void score_combination(bipe_score_run *run, size_t number, const char *path, bool last)
{
    const bipe_score_combination *combination = &run->setup.combination[number];
    bipe_score_reader *reader = &run->reader[combination->text];
    size_t count = run->lengths.count;
    text_run t = {
        .run = run,
        .combination = combination,
        .number = number,
        .reader = reader,
        .path = path,
        .text = { .hash = bipe_token_spool_hash(reader->spool), .tokens = bipe_token_spool_count(reader->spool) },
        .length = bipe_alloc(count, sizeof *t.length),
        .all = bipe_alloc(count, sizeof *t.all),
        .plan = { .length = bipe_alloc(count, sizeof *t.plan.length), .share = combination->shared },
    };
    t.plan.tokens = t.text.tokens;
    if (t.length != NULL && t.plan.length != NULL && t.all != NULL) {
        score_text(&t, last);
    } else {
        bipe_error err = { 0 };
        bipe_fail_memory(&err);
        bipe_tool_error(&run->tool, &err);
    }
    for (size_t i = 0; i < t.plan.count; i++) {
        bipe_score_row_free(&t.length[i].row);
        bipe_score_row_free(&t.length[i].part);
        bipe_free(t.length[i].list);
    }
    bipe_spool_close(t.brief);
    bipe_free(t.brief_losses);
    bipe_free(t.length);
    bipe_free(t.all);
    bipe_free(t.plan.length);
}

/* Tokenizers that divide a file into other documents cannot be compared by document. */
static bool same_documents(const bipe_token_spool *a, const bipe_token_spool *b)
{
    size_t count, other;
    const bipe_spool_document *x = bipe_token_spool_documents(a, &count), *y = bipe_token_spool_documents(b, &other);
    bool same = count == other;
    for (size_t i = 0; i < count && same; i++)
        same = x[i].index == y[i].index && x[i].bytes == y[i].bytes;
    return same;
}

/* Reads the file for each tokenizer. False when there is nothing to score. */
static bool read_file(bipe_score_run *run, size_t index, const char *path)
{
    bipe_error err = { 0 };
    size_t documents;
    for (size_t r = 0; r < run->readers; r++) {
        bipe_token_spool_reset(run->reader[r].spool);
        if (run->reader[r].ids != NULL)
            bipe_spool_reset(run->reader[r].ids);
        if (!bipe_score_read(run, &run->reader[r], index, path))
            return false;
        if (r > 0 && !same_documents(run->reader[0].spool, run->reader[r].spool)) {
            bipe_fail(&err, BIPE_ERR_FORMAT, "%s: the tokenizers do not read the same documents: nothing of it can be compared",
                      bipe_score_shown(path));
            bipe_tool_error(&run->tool, &err);
            return false;
        }
    }
    const bipe_spool_document *document = bipe_token_spool_documents(run->reader[0].spool, &documents);
    bipe_score_layout_free(&run->layout);
    if (bipe_score_layout_make(&run->layout, document, documents, run->setup.group != NULL, &err) != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
        return false;
    }
    return true;
}

/* All rows of the file that could be finished are there: compares them. */
static void finish_file(bipe_score_run *run)
{
    bipe_error err = { 0 };
    size_t combinations = run->setup.combinations, before = run->findings.comparisons;
    int status = BIPE_OK;
    bipe_progress_clear(&run->tool.progress);
    for (size_t i = 0; i < run->lengths.count && status == BIPE_OK; i++)
        status = bipe_score_compare_file(&run->setup, &run->row[i * combinations], &run->layout, &run->total[i], &run->findings, &err);
    if (status != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
    if (status == BIPE_OK && !run->output_over)
        check_report(run, bipe_score_report_file(run->report, run->row, &run->findings, before, &run->layout, run->groups.name, &err), &err);
    for (size_t i = 0; i < run->lengths.count * combinations; i++) {
        bipe_score_row_free(&run->row[i]);
        run->row[i] = (bipe_score_row){ 0 };
    }
}

static void score_file(bipe_score_run *run, size_t index, const char *path, bool last)
{
    struct stat st;
    bool usable = read_file(run, index, path);
    if (stat(path, &st) == 0)
        run->bytes_read += (uint64_t)st.st_size;
    if (!usable)
        return;
    for (size_t c = 0; c < run->setup.combinations && !over(run); c++)
        score_combination(run, c, path, last && c + 1 == run->setup.combinations);
    finish_file(run);
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

static void tell_verbose(bipe_score_run *run)
{
    const bipe_score_work *work = &run->work;
    uint64_t visited, skipped;
    bipe_score_unreach(run);
    visited = run->blocks_visited;
    skipped = run->blocks_skipped;
    bipe_tool_note(&run->tool, "kernels: %s, threads: %zu", nn_cpu_name(nn_cpu_best()), bipe_pool_threads(run->pool));
    if (work->computed > 0)
        bipe_tool_note(&run->tool, "windows: %" PRIu64 " tokens at all lengths, of which %" PRIu64 " are computed", work->all,
                       work->computed);
    if (run->seconds > 0)
        bipe_tool_note(&run->tool, "speed: %" PRIu64 " tokens computed in %.1f s, %.0f a second", run->done, run->seconds,
                       (double)run->done / run->seconds);
    if (visited + skipped > 0)
        bipe_tool_note(&run->tool, "attention: %" PRIu64 " blocks of keys visited, %" PRIu64 " left out (%.1f %%)", visited, skipped,
                       100.0 * (double)skipped / (double)(visited + skipped));
}

/* What all shards of the run have in common. */
static uint64_t run_identity(bipe_score_run *run, bipe_files files)
{
    bipe_buffer lines = { 0 };
    bipe_error err = { 0 };
    if (bipe_score_settings(&run->setup, false, &lines, &err) != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
    uint64_t hash = bipe_hash_bytes(BIPE_HASH_EMPTY, lines.data, lines.size);
    bipe_buffer_free(&lines);
    for (size_t i = 0; i < run->lengths.count; i++)
        hash = bipe_hash_uint(hash, run->lengths.value[i]);
    for (size_t i = 0; i < files.count; i++)
        hash = bipe_hash_bytes(hash, files.path[i], strlen(files.path[i]) + 1);
    return hash;
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
            bipe_fail(&text, BIPE_ERR_LIMIT, "%s: length %" PRIu64 " is left out: the text has %" PRIu64 " %s%s", bipe_score_shown(s->first),
                      run->lengths.value[i], s->tokens, tokens, hint);
        else
            bipe_fail(&text, BIPE_ERR_LIMIT, "length %" PRIu64 " is left out of %zu files, which are shorter (the first, %s, has %" PRIu64
                      " %s)%s", run->lengths.value[i], s->files, bipe_score_shown(s->first), s->tokens, tokens, hint);
        fprintf(stderr, "%s: %s\n", run->tool.name, text.text);
    }
}

static int finish_run(bipe_score_run *run)
{
    bipe_error err = { 0 };
    bipe_progress_clear(&run->tool.progress);
    tell_short(run);
    commit_dump(run, &run->tokens, run->given.tokens);
    commit_dump(run, &run->segments, run->given.segments);
    commit_dump(run, &run->documents, run->given.documents);
    for (size_t i = 0; i < run->lengths.count; i++)
        if (bipe_score_compare_all(&run->setup, &run->total[i], &run->groups, &run->findings, &err) != BIPE_OK)
            bipe_tool_error(&run->tool, &err);
    if (run->groups.count == 1 && strcmp(run->groups.name[0], BIPE_GROUP_NONE) == 0)
        bipe_tool_note(&run->tool, "no document has a member \"%s\" that is a string, number, true or false: all are in one group", run->setup.group);
    bool complete = bipe_interrupted() == 0 && run->tool.status == BIPE_EXIT_DONE && run->findings.rows > 0;
    if (run->left_out && run->tool.status == BIPE_EXIT_DONE)
        run->tool.status = BIPE_EXIT_FAILED;
    if (!run->output_over && bipe_score_report_end(run->report, &run->findings, &run->work, complete, &err) != BIPE_OK) {
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
    bipe_score_report_shard(run->report, run_identity(run, files));
    run->bytes = bipe_files_size(files);
    for (size_t i = 0; i < files.count && !over(run); i++)
        score_file(run, i, files.path[i], i + 1 == files.count);
    if (run->given.verbose)
        tell_verbose(run);
    if (bipe_interrupted() != 0)
        bipe_tool_note(&run->tool, "interrupted: what was finished is reported");
    int status = finish_run(run);
    return bipe_interrupted() != 0 ? 128 + bipe_interrupted() : status;
}
