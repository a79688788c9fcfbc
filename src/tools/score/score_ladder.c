/* score_ladder.c - --ladder: reads documents, scores the last tokens of each on all rungs, and adds them up. Some
 * documents go together, so that short ones keep all threads busy; memory does not grow with their number. */
#include "tools/score/score_ladder.h"

#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/clusters.h"
#include "cli/interrupt.h"
#include "cli/tool_alloc.h"

/* ---- losses ---- */

void score_ladder_open(score_ladder *l, bipe_score_run *run)
{
    const bipe_score_combination *c = &run->setup.combination[0];
    bipe_score_reader *reader = &run->texts.reader[c->text];
    *l = (score_ladder){
        .run = run, .reader = reader,
        .ladder = {.context = run->lengths.value, .rungs = run->lengths.count, .last = (size_t)run->setup.rules.last,
                   .bos = bipe_tokenizer_bos(reader->tokenizer), .begin = c->bos_id != BIPE_NO_TOKEN,
                   .key = run->setup.key.rule, .seed = run->setup.seed},
    };
    l->rung = bipe_tool_alloc(l->ladder.rungs, sizeof *l->rung);
}

void score_ladder_close(score_ladder *l)
{
    bipe_ladder_losses_free(&l->losses);
    bipe_free(l->rung);
}

int score_ladder_score(score_ladder *l, int (*batch)(void *context, uint64_t tokens, bipe_error *err), void *context,
                       bipe_error *err)
{
    const bipe_score_combination *c = &l->run->setup.combination[0];
    const uint64_t longest = bipe_ladder_longest(&l->ladder, l->reader->spool);
    const uint64_t most = l->ladder.context[l->ladder.rungs - 1] + l->ladder.last + 1;
    uint64_t length = 2; /* evaluators are opened again for longer windows, but not for each */
    l->losses.documents = 0;
    if (longest == 0)
        return BIPE_OK;
    while (length < longest)
        length *= 2;
    int status = bipe_score_reach(&l->run->models, c, length < most ? length : most, err);
    return status == BIPE_OK ? bipe_ladder_score(&l->ladder, bipe_score_evaluator(&l->run->models, c),
                                                 l->reader->spool, c->closes, batch, context, &l->losses, err)
                             : status;
}

int score_ladder_document(score_ladder *l, size_t i, bipe_error *err)
{
    const size_t d = l->losses.document[i];
    size_t documents;
    int status = bipe_ladder_document(&l->ladder, &l->losses, i, bipe_ladder_tokens(l->reader->spool, d), l->rung, err);
    for (size_t r = 0; r < l->ladder.rungs && status == BIPE_OK; r++)
        if (!isfinite(l->rung[r].nll) && l->rung[r].tokens > 0)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "document %" PRIu64 ": losses are not finite, the model is broken",
                               bipe_token_spool_documents(l->reader->spool, &documents)[d].index);
    return status;
}

/* ---- sums ---- */

enum { UNITS_MOST = 1 << 16 };

void score_ladder_sum_open(score_ladder_sum *sum, const bipe_ladder *ladder, bool clusters)
{
    *sum = (score_ladder_sum){.ladder = ladder, .bundle = 1, .clusters = clusters};
    sum->rung = bipe_tool_alloc(ladder->rungs, sizeof *sum->rung);
    for (size_t d = 0; d <= BIPE_LOSS_DOCUMENTS; d++)
        sum->first[d] = d * BIPE_LADDER_CELLS;
}

void score_ladder_sum_close(score_ladder_sum *sum)
{
    for (size_t r = 0; sum->rung != NULL && r < sum->ladder->rungs; r++) {
        bipe_loss_bins_free(&sum->rung[r].units);
        bipe_loss_bins_free(&sum->rung[r].cells);
    }
    bipe_free(sum->rung);
    bipe_free(sum->cluster);
}

/* Two neighbouring units become one. */
static void bundle_units(bipe_loss_bins *bins)
{
    const size_t count = bins->count;
    for (size_t i = 0; i < count; i++)
        if (i % 2 == 0)
            bins->bin[i / 2] = bins->bin[i];
        else
            bipe_loss_bin_merge(&bins->bin[i / 2], &bins->bin[i]);
    bins->count = (count + 1) / 2;
}

void score_ladder_sum_add(score_ladder_sum *sum, const bipe_ladder_losses *losses, size_t i, const bipe_rung *rung,
                          uint64_t cluster)
{
    const bipe_ladder *ladder = sum->ladder;
    if (sum->clusters) {
        bipe_tool_grow(&sum->cluster, &sum->cluster_capacity, (size_t)sum->documents + 1, sizeof *sum->cluster);
        sum->cluster[sum->documents] = cluster;
    } else if (sum->documents / sum->bundle == UNITS_MOST) {
        for (size_t r = 0; r < ladder->rungs; r++)
            bundle_units(&sum->rung[r].units);
        sum->bundle *= 2;
    }
    for (size_t r = 0; r < ladder->rungs; r++) {
        score_ladder_rung *to = &sum->rung[r];
        const double *nll = bipe_ladder_nll(ladder, losses, i, r);
        bipe_error err;
        to->reached += rung[r].context == ladder->context[r];
        to->tokens += rung[r].tokens;
        to->bytes += losses->bytes[i];
        to->key += rung[r].key;
        to->gaining += rung[r].gain.value > 0;
        to->sure += rung[r].gain.low > 0;
        for (size_t k = 0; k < ladder->last; k++) {
            if (isnan(nll[k]))
                continue;
            bipe_tool_need_done(
                bipe_loss_bins_add(&to->units, (size_t)(sum->documents / sum->bundle), nll[k], 0, &err));
            if (sum->documents < BIPE_LOSS_DOCUMENTS)
                bipe_tool_need_done(bipe_loss_bins_add(
                    &to->cells, (size_t)sum->first[sum->documents] + bipe_ladder_cell(ladder, k), nll[k], 0, &err));
        }
    }
    sum->documents++;
}

void score_ladder_sum_end(score_ladder_sum *sum)
{
    const bool cells = sum->documents < BIPE_LOSS_DOCUMENTS && !sum->clusters;
    const bipe_loss_units whole = {.cluster = sum->cluster},
                          parts = {.documents = (size_t)sum->documents, .cell = 1, .first = sum->first},
                          *layout = cells ? &parts : &whole;
    for (size_t r = 0; r < sum->ladder->rungs && sum->documents > 0; r++) {
        score_ladder_rung *first = &sum->rung[0], *rung = &sum->rung[r];
        const bipe_loss_bins *a = cells ? &rung->cells : &rung->units, *b = cells ? &first->cells : &first->units;
        bipe_error err;
        bipe_tool_need_done(bipe_loss_estimate(&rung->error, NULL, a, layout, false, sum->ladder->seed, &err));
        bipe_tool_need_done(bipe_loss_estimate(&rung->gain, a, b, layout, false, sum->ladder->seed, &err));
    }
}

/* ---- documents ---- */

/* Tokens to compute of documents that are scored together, as far as one does not have more. */
enum { TOGETHER = 1 << 16 };

/* A document of the spool. */
typedef struct ladder_document {
    const char *path;
    uint64_t index; /* in its input */
} ladder_document;

/* The run. */
typedef struct ladder_run {
    bipe_score_run *run;
    bipe_score_reader *reader;
    score_ladder scorer;
    const bipe_ladder *ladder;   /* its */
    score_ladder_sum sum;
    ladder_document *document;   /* [documents] that are in the spool */
    size_t documents, document_capacity;
    uint64_t waiting;            /* tokens to compute for them */
    bipe_output *rows;           /* of --documents, */
    char separator;              /* of its columns */
    bool failed;                 /* nothing more can be scored */
} ladder_run;

/* After a batch of windows. BIPE_STOPPED: interrupted, or nobody reads the output. */
static int take_batch(void *context, uint64_t tokens, bipe_error *err)
{
    ladder_run *l = context;
    (void)err;
    l->run->progress.done += tokens;
    bipe_progress_update(&l->run->tool.progress, bipe_input_shown(l->document[0].path), l->run->progress.done);
    return bipe_interrupted() != 0 || l->run->out.output == NULL ? BIPE_STOPPED : BIPE_OK;
}

/* Reports document number `d` of the spool; i: its number among the losses. */
static int report_document(ladder_run *l, size_t d, size_t i, bipe_error *err)
{
    char id[BIPE_SCORE_ID] = "";
    size_t count;
    int status = score_ladder_document(&l->scorer, i, err);
    if (status != BIPE_OK)
        return status;
    const bipe_spool_document *documents = bipe_token_spool_documents(l->reader->spool, &count);
    score_ladder_sum_add(&l->sum, &l->scorer.losses, i, l->scorer.rung, documents[d].cluster);
    if (l->rows == NULL)
        return BIPE_OK;
    if (l->reader->ids != NULL)
        status = bipe_score_id(l->reader, d, id, err);
    if (status == BIPE_OK)
        score_ladder_documents_line(l->rows, l->ladder, l->document[d].path, l->document[d].index, id,
                                    bipe_ladder_tokens(l->reader->spool, d), l->scorer.rung, l->separator);
    return status;
}

/* Scores the documents of the spool, which is empty then. */
static void score_waiting(ladder_run *l)
{
    bipe_error err = {0};
    const double started = bipe_seconds();
    int status = score_ladder_score(&l->scorer, take_batch, l, &err);
    const bipe_ladder_losses *losses = &l->scorer.losses;
    const char *path = l->documents > 0 ? l->document[0].path : "";
    l->run->progress.seconds += bipe_seconds() - started;
    for (size_t d = 0, i = 0; d < l->documents && status == BIPE_OK; d++) {
        path = l->document[d].path;
        if (i == losses->documents || losses->document[i] != d)
            l->sum.shorter++;
        else
            status = report_document(l, d, i++, &err);
    }
    l->failed = status != BIPE_OK;
    if (status != BIPE_OK && status != BIPE_STOPPED) {
        bipe_error_prefix(&err, "%s", bipe_input_shown(path));
        bipe_tool_error(&l->run->tool, &err);
    }
    l->run->tool.some_done |= status == BIPE_OK;
    bipe_token_spool_reset(l->reader->spool);
    if (l->reader->ids != NULL)
        bipe_spool_truncate(l->reader->ids, 0);
    l->documents = 0;
    l->waiting = 0;
}

/* The document that was just read waits, if it has tokens; or all that wait are scored. */
static void take_document(ladder_run *l, const char *path)
{
    size_t count;
    const bipe_spool_document *document = bipe_token_spool_documents(l->reader->spool, &count);
    if (count > l->documents) {
        bipe_tool_grow(&l->document, &l->document_capacity, count, sizeof *l->document);
        l->document[l->documents] = (ladder_document){path, document[count - 1].index};
        l->waiting += bipe_ladder_work(l->ladder, bipe_ladder_tokens(l->reader->spool, l->documents));
        l->documents = count;
    } else {
        l->sum.shorter++;
    }
    if (l->waiting >= TOGETHER)
        score_waiting(l);
}

static void read_file(ladder_run *l, size_t index, const char *path)
{
    bipe_tool *tool = &l->run->tool;
    bipe_stream *stream = l->reader->stream;
    bipe_error err = {0};
    if (bipe_stream_input(stream, path, &err) != BIPE_OK) {
        bipe_tool_error(tool, &err);
        return;
    }
    while (!l->failed && bipe_interrupted() == 0) {
        err = (bipe_error){0};
        int status = bipe_stream_next_document(stream, &err);
        if (status == BIPE_END)
            break;
        if (status == BIPE_OK)
            status = bipe_score_read_document(&l->run->texts, l->reader, path, index, &err);
        if (status == BIPE_OK) {
            take_document(l, path);
            continue;
        }
        bipe_token_spool_drop(l->reader->spool);
        if (status == BIPE_STOPPED)
            break;
        bipe_tool_error(tool, &err);
        if (status != BIPE_ERR_FORMAT && status != BIPE_ERR_LIMIT && status != BIPE_ERR_ARGUMENT)
            break;
    }
    bipe_progress_clear(&tool->progress);
    bipe_inputs_judge(tool, stream, index, path);
}

/* ---- the run ---- */

static void open_run(ladder_run *l, bipe_score_run *run)
{
    *l = (ladder_run){.run = run, .rows = run->out.ladder};
    score_ladder_open(&l->scorer, run);
    l->reader = l->scorer.reader;
    l->ladder = &l->scorer.ladder;
    score_ladder_sum_open(&l->sum, l->ladder, run->setup.cluster != NULL);
    if (l->rows == NULL)
        return;
    l->separator = bipe_score_dump_separator(run->given.dump[BIPE_SCORE_DOCUMENT_ROWS]);
    score_ladder_documents_head(l->rows, l->separator);
}

static void close_run(ladder_run *l)
{
    score_ladder_sum_close(&l->sum);
    score_ladder_close(&l->scorer);
    bipe_free(l->document);
}

/* Files of --documents appear complete or not at all. */
static void commit_rows(ladder_run *l)
{
    bipe_error err = {0};
    if (l->rows != NULL && bipe_interrupted() != 0) {
        bipe_output_abandon(l->rows);
        bipe_tool_note(&l->run->tool, "%s: not written, the run was interrupted",
                       l->run->given.dump[BIPE_SCORE_DOCUMENT_ROWS]);
    } else if (l->rows != NULL && bipe_tool_commit(&l->run->tool, l->rows, &err) != BIPE_OK) {
        bipe_tool_error(&l->run->tool, &err);
    }
    l->run->out.ladder = NULL;
}

/* Rungs that no document reaches have equal rows. */
static void note_unreached(bipe_tool *tool, const score_ladder_sum *sum)
{
    const bipe_ladder *ladder = sum->ladder;
    size_t r = 0;
    while (r < ladder->rungs && sum->rung[r].reached > 0)
        r++;
    if (r < ladder->rungs && sum->documents > 0)
        bipe_tool_note(tool, "no document has %" PRIu64 " tokens before its last %zu: from there on, rows are of all "
                       "the context that documents have", ladder->context[r], ladder->last);
}

int bipe_score_ladder(bipe_score_run *run, bipe_files files)
{
    ladder_run l;
    bipe_tool *tool = &run->tool;
    bipe_interrupt_catch();
    open_run(&l, run);
    for (size_t f = 0; f < files.count && !l.failed && bipe_interrupted() == 0; f++)
        read_file(&l, f, files.path[f]);
    if (!l.failed && bipe_interrupted() == 0)
        score_waiting(&l);
    bipe_progress_clear(&tool->progress);
    const uint64_t least = l.ladder->context[0] + l.ladder->last;
    if (bipe_interrupted() != 0)
        bipe_tool_note(tool, "interrupted: documents that were finished, and are reported: %" PRIu64, l.sum.documents);
    if (l.sum.shorter > 0)
        bipe_tool_note(tool, "left out %" PRIu64 " document%s of fewer than %" PRIu64 " tokens: %" PRIu64
                       " of context and the last %zu", l.sum.shorter, l.sum.shorter == 1 ? "" : "s", least,
                       l.ladder->context[0], l.ladder->last);
    note_unreached(tool, &l.sum);
    if (l.sum.documents == 0 && tool->status == BIPE_EXIT_DONE)
        tool->status = BIPE_EXIT_FAILED;
    const bool complete = bipe_interrupted() == 0 && tool->status == BIPE_EXIT_DONE;
    run->progress.work = (bipe_score_work){l.scorer.losses.all, l.scorer.losses.computed};
    score_ladder_sum_end(&l.sum);
    if (l.sum.documents > 0)
        bipe_clusters_note(tool, run->setup.cluster, l.sum.rung[0].error.estimate.units);
    if (run->out.output != NULL)
        score_ladder_report(run, &l.sum, &run->progress.work, complete);
    commit_rows(&l);
    close_run(&l);
    if (run->given.verbose)
        bipe_score_print_verbose(run);
    return bipe_score_finish(run);
}
