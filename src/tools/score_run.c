/* score_run.c - the loop over files: spools a text, scores it at all lengths, reports its rows. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "nn/cpu.h"
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
    bipe_inputs_judge(&run->tool, run->stream, index, path);
    /* When its only words were errors, that it is too short for each length goes without saying. */
    if (last.status != BIPE_OK && bipe_token_spool_count(run->spool) == 0)
        usable = false;
    return usable && bipe_interrupted() == 0;
}

/* ---- what is scored of a text ---- */

/* One length of a text. */
typedef struct text_length {
    size_t number;         /* run->lengths.value[number] */
    uint64_t windows;      /* that the row is to have */
    uint64_t next;         /* the first window that is not in the row or the part */
    bipe_score_row row;    /* finished batches */
    bipe_score_row part;   /* the present one */
} text_length;

typedef struct text_run {
    bipe_score_run *run;
    const char *path;
    bipe_score_text text;
    bipe_plan plan;
    text_length *length;   /* (plan.count) */
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

static void dump_window(bipe_score_run *run, bipe_score_dump **dump, const text_length *length, const bipe_scored_window *window)
{
    bipe_error err = { 0 };
    if (*dump != NULL)
        check_dump(run, dump, bipe_score_dump_window(*dump, length->row.file, length->number, length->row.length, window, &err), &err);
}

/* Whether to stop: interrupted, or nobody is left who wants to know. */
static bool over(const bipe_score_run *run)
{
    bool wanted = !run->output_over || run->tokens != NULL || run->segments != NULL || run->journal != NULL;
    return bipe_interrupted() != 0 || !wanted;
}

static int take_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    text_run *t = context;
    bipe_score_run *run = t->run;
    text_length *length = &t->length[window->which];
    length->next = window->index + 1;
    length->part.losses.windows++;
    for (size_t k = window->first; k < window->length; k++) {
        const bipe_spool_token *token = &window->token[k];
        double nll = window->nll[k - window->first];
        if (!window->target[k - window->first])
            continue;
        bipe_losses_add(&length->part.losses, nll, token->end - token->start, bipe_spool_token_words(token));
        if (run->setup.by != BIPE_SCORE_BY_NONE) {
            int status = bipe_loss_bins_add(&length->part.bins, by_index(run->setup.by, window, k), nll, err);
            if (status != BIPE_OK)
                return status;
        }
    }
    dump_window(run, &run->tokens, length, window);
    dump_window(run, &run->segments, length, window);
    return BIPE_OK;
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
        length->part.losses = (bipe_losses){ 0 };
    }
    run->done += tokens;
    bipe_progress_update(&run->tool.progress, shown(t->path), run->done);
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

/* The bytes of all files, as they lie on the disk; 0 where one is not a regular file. */
static uint64_t sum_sizes(bipe_files files)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < files.count; i++) {
        struct stat st;
        if (stat(files.path[i], &st) != 0 || !S_ISREG(st.st_mode))
            return 0;
        sum += (uint64_t)st.st_size;
    }
    return sum;
}

/* ---- a text ---- */

/* The lengths that the text reaches. */
static void choose_text_lengths(text_run *t)
{
    bipe_score_run *run = t->run;
    for (size_t i = 0; i < run->lengths.count; i++) {
        bipe_protocol protocol = make_protocol(run, run->lengths.value[i]);
        /* With --tail a text shorter than a window is one by itself, but not again and again at each default length. */
        bool repeats = run->given.lengths.count == 0 && i > 0 && t->text.tokens < protocol.length - (protocol.bos ? 1 : 0);
        if (bipe_window_count(&protocol, t->text.tokens) == 0 || repeats) {
            /* Multiples of the training length end where the text ends: that needs no words, unless it has no row at all. */
            bipe_score_short *s = &run->too_short[i];
            if ((run->given.lengths.count > 0 || i == 0) && s->files++ == 0)
                *s = (bipe_score_short){ .files = 1, .first = t->path, .tokens = t->text.tokens };
            continue;
        }
        t->length[t->plan.count] = (text_length){
            .number = i,
            .row = { .file = t->path, .length = protocol.length, .text = t->text },
            .part = { .file = t->path, .length = protocol.length, .text = t->text },
        };
        t->plan.length[t->plan.count++] = bipe_plan_all(&protocol, t->text.tokens);
    }
}

/* Makes sure that the evaluator takes all lengths; those that it cannot take are told and left out. */
static void reach_lengths(text_run *t)
{
    while (t->plan.count > 0) {
        size_t longest = 0, count = t->plan.count;
        for (size_t i = 1; i < count; i++)
            if (t->length[i].row.length > t->length[longest].row.length)
                longest = i;
        bipe_error err = { 0 };
        uint64_t length = bipe_window_cut(&t->plan.length[longest].protocol, t->text.tokens, 0).length;
        if (bipe_score_reach(t->run, length, &err) == BIPE_OK)
            return;
        bipe_error_prefix(&err, "%s: length %" PRIu64, shown(t->path), t->length[longest].row.length);
        bipe_tool_error(&t->run->tool, &err);
        memmove(&t->length[longest], &t->length[longest + 1], (count - longest - 1) * sizeof *t->length);
        memmove(&t->plan.length[longest], &t->plan.length[longest + 1], (count - longest - 1) * sizeof *t->plan.length);
        t->plan.count--;
    }
}

/* Takes what the journal has. */
static int take_journal(text_run *t, bipe_error *err)
{
    bipe_score_journal *journal = t->run->journal;
    int status = bipe_score_journal_text(journal, t->path, &t->text, err);
    for (size_t i = 0; i < t->plan.count && status == BIPE_OK; i++) {
        bipe_plan_length *length = &t->plan.length[i];
        status = bipe_score_journal_find(journal, length->next, &t->length[i].row, &length->next, err);
        if (status == BIPE_OK && length->next > length->end)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: has windows up to %" PRIu64 " of length %" PRIu64 ", the text has %" PRIu64,
                               t->run->given.resume, length->next, t->length[i].row.length, length->end);
    }
    return status;
}

/* A finished row goes to the report and into the total. */
static void finish_row(bipe_score_run *run, const text_length *length)
{
    bipe_error err = { 0 };
    const bipe_score_row *row = &length->row;
    bipe_score_row *total = &run->total[length->number];
    if (row->losses.tokens > 0 && !isfinite(bipe_losses_sum(&row->losses))) {
        bipe_fail(&err, BIPE_ERR_FORMAT, "%s: length %" PRIu64 ": losses are not finite, the model is broken", row->file, row->length);
        bipe_tool_error(&run->tool, &err);
    }
    total->length = row->length;
    if (bipe_score_row_merge(total, row, &err) != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
    bipe_progress_clear(&run->tool.progress);
    if (!run->output_over && bipe_score_report_row(run->report, row, &err) != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
        run->output_over = true;
    }
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
    status = bipe_score_plan(run->evaluator, run->spool, &t->plan, bipe_tokenizer_bos(run->tokenizer), &sink, err);
    bipe_progress_clear(&run->tool.progress);
    run->seconds += bipe_seconds() - started;
    return status;
}

/* Scores the text in the spool. */
static void score_text(text_run *t, bool last)
{
    bipe_score_run *run = t->run;
    bipe_error err = { 0 };
    choose_text_lengths(t);
    bool some = t->plan.count > 0;
    reach_lengths(t);
    if (t->plan.count > 1 && !t->plan.share && !run->told_alone) {
        bipe_tool_note(&run->tool, "losses depend on the length of the window with %s: each length is computed by itself",
                       bipe_evaluator_length_matters(run->evaluator));
        run->told_alone = true;
    }
    int status = t->plan.count > 0 ? score_plan(t, last, &err) : BIPE_OK;
    for (size_t i = 0; i < t->plan.count; i++)
        if (t->length[i].row.losses.windows == t->length[i].windows)
            finish_row(run, &t->length[i]);
    if (status != BIPE_OK && status != BIPE_END) {
        size_t size = strlen(shown(t->path));
        if (strncmp(err.text, shown(t->path), size) != 0 || err.text[size] != ':')
            bipe_error_prefix(&err, "%s", shown(t->path));
        bipe_tool_error(&run->tool, &err);
    }
    if (run->tokens != NULL)
        check_dump(run, &run->tokens, bipe_score_dump_file_end(run->tokens, &err), &err);
    if (run->segments != NULL)
        check_dump(run, &run->segments, bipe_score_dump_file_end(run->segments, &err), &err);
    run->left_out = run->left_out || (!some && !over(run)); /* which tell_short() says */
}

static void score_file(bipe_score_run *run, size_t index, const char *path, bool last)
{
    struct stat st;
    bool usable = spool_file(run, index, path);
    if (stat(path, &st) == 0)
        run->bytes_read += (uint64_t)st.st_size;
    if (!usable)
        return;
    text_run t = {
        .run = run,
        .path = path,
        .text = { .hash = bipe_token_spool_hash(run->spool), .tokens = bipe_token_spool_count(run->spool) },
        .length = bipe_alloc(run->lengths.count, sizeof *t.length),
        .plan = { .length = bipe_alloc(run->lengths.count, sizeof *t.plan.length), .share = run->setup.shared },
    };
    t.plan.tokens = t.text.tokens;
    if (t.length != NULL && t.plan.length != NULL) {
        score_text(&t, last);
    } else {
        bipe_error err = { 0 };
        bipe_fail_memory(&err);
        bipe_tool_error(&run->tool, &err);
    }
    for (size_t i = 0; i < t.plan.count; i++) {
        bipe_score_row_free(&t.length[i].row);
        bipe_score_row_free(&t.length[i].part);
    }
    bipe_free(t.length);
    bipe_free(t.plan.length);
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
            bipe_fail(&text, BIPE_ERR_LIMIT, "%s: length %" PRIu64 " is left out: the text has %" PRIu64 " %s%s", shown(s->first),
                      run->lengths.value[i], s->tokens, tokens, hint);
        else
            bipe_fail(&text, BIPE_ERR_LIMIT, "length %" PRIu64 " is left out of %zu files, which are shorter (the first, %s, has %" PRIu64
                      " %s)%s", run->lengths.value[i], s->files, shown(s->first), s->tokens, tokens, hint);
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
    size_t count = 0;
    for (size_t i = 0; i < run->lengths.count; i++) {
        if (run->total[i].length == 0)
            continue;
        bipe_score_row row = run->total[i];
        run->total[i] = (bipe_score_row){ 0 };
        run->total[count++] = row;
    }
    bool complete = bipe_interrupted() == 0 && run->tool.status == BIPE_EXIT_DONE && count > 0;
    if (run->left_out && run->tool.status == BIPE_EXIT_DONE)
        run->tool.status = BIPE_EXIT_FAILED;
    if (!run->output_over && bipe_score_report_end(run->report, run->total, count, &run->work, complete, &err) != BIPE_OK) {
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
    run->bytes = sum_sizes(files);
    for (size_t i = 0; i < files.count && !over(run); i++)
        score_file(run, i, files.path[i], i + 1 == files.count);
    if (run->given.verbose)
        tell_verbose(run);
    if (bipe_interrupted() != 0)
        bipe_tool_note(&run->tool, "interrupted: what was finished is reported");
    int status = finish_run(run);
    return bipe_interrupted() != 0 ? 128 + bipe_interrupted() : status;
}
