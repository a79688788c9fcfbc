/* score_combine.c - a text under one combination of model and segmenter: the lengths that it reaches, its windows,
 * their losses in rows, dumps and the journal. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/tool_alloc.h"
#include "tools/score/bipe_score.h"

/* One length of a text. */
typedef struct text_length {
    size_t number;         /* run->lengths.value[number] */
    uint64_t windows;      /* that the row is to have */
    uint64_t next;         /* the first window that is not in the row or the part */
    bipe_cut *list;        /* its windows, where the protocol lists them */
    bipe_plan_length all;  /* what was planned, for --common */
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
    text_length *length;   /* (plan.count) */
    bipe_token_losses brief; /* --contrast: with a short context */
} text_run;

/* The combinations of a text that are scored together. The first has the plan; all have the same lengths. */
typedef struct text_runs {
    text_run *run;           /* (count) */
    size_t count;
} text_runs;

/* ---- windows, batches ---- */

static size_t by_index(bipe_score_by by, const bipe_scored_window *window, size_t t)
{
    switch (by) {
    case BIPE_SCORE_BY_SEGMENT: return window->indices.of[BIPE_INDEX_SEGMENT][t];
    case BIPE_SCORE_BY_INTRA: return window->indices.of[BIPE_INDEX_INTRA][t];
    default: return t;
    }
}

/* A dump that cannot be written is given up; the report goes on. */
static void check_dump(bipe_score_run *run, size_t number, int status, const bipe_error *err)
{
    if (status == BIPE_OK)
        return;
    bipe_tool_error(&run->tool, err);
    bipe_score_dump_abandon(run->out.dump[number]);
    run->out.dump[number] = NULL;
}

static void dump_window(text_run *t, const text_length *length, const bipe_scored_window *window, const uint8_t *counts)
{
    bipe_score_run *run = t->run;
    const bipe_score_place place = {t->number, length->row.file, length->number, length->row.length,
                                    t->reader, t->brief.window,  counts};
    for (size_t i = 0; i < BIPE_SCORE_DUMPS; i++) {
        bipe_error err = {0};
        if (run->out.dump[i] != NULL)
            check_dump(run, i, bipe_score_dump_window(run->out.dump[i], &place, window, &err), &err);
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

static int add_token_loss(bipe_score_run *run, bipe_score_row *part, const bipe_scored_window *window, size_t k,
                          size_t unit, double nll, uint64_t words, bipe_error *err)
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

static int add_to_subset(bipe_score_subset *subset, double value, const bipe_spool_token *token, size_t unit,
                         bipe_error *err)
{
    uint64_t bytes = token->end - token->start;
    bipe_losses_add(&subset->losses, value, bytes, 0);
    return bipe_loss_bins_add(&subset->units, unit, value, bytes, err);
}

/* What a token adds to subsets of the row: with --contrast its loss less that with a short context, and its loss where
 * it is key. */
static int add_to_subsets(text_run *t, text_length *length, const bipe_scored_window *window, size_t k, size_t document,
                          size_t unit, uint8_t *counts, bipe_error *err)
{
    const bipe_spool_token *token = &window->token[k];
    double nll = window->nll[k - window->first], difference = (double)NAN;
    int status = BIPE_OK;
    if (t->run->setup.contrast > 0)
        difference = nll - t->brief.window[k];
    if (!isnan(difference))
        status = add_to_subset(&length->part.subset[BIPE_SCORE_CONTRAST], difference, token, unit, err);
    if (!t->run->setup.key.wanted || status != BIPE_OK)
        return status;
    bipe_score_key *key = &t->run->key;
    size_t documents;
    const bipe_spool_document *d = &bipe_token_spool_documents(t->reader->spool, &documents)[document];
    const bipe_score_key_case one = {
        .combination = t->number, .length = length->number, .token = {d->index, token->start, token->end},
        .whole = nll,
        .brief = bipe_score_key_own(key, t->number) ? key->brief[window->which].window[k] : (double)NAN,
    };
    bool is = false;
    status = bipe_score_key_token(key, &one, &is, err);
    if (status == BIPE_OK && is) {
        counts[k] = BIPE_SCORE_COUNTS_KEY;
        status = add_to_subset(&length->part.subset[BIPE_SCORE_KEY], nll, token, unit, err);
    }
    return status;
}

static int add_token_divergence(const bipe_score_run *run, bipe_score_row *part, const bipe_scored_window *window,
                                size_t k, size_t document, size_t unit, bipe_error *err)
{
    const bipe_spool_token *token = &window->token[k];
    const uint32_t *group = run->texts.layout.group;
    return bipe_score_divergence_add(&part->divergence, &window->divergence[k - window->first],
                                     group != NULL ? group[document] : 0, unit, run->setup.by != BIPE_SCORE_BY_NONE,
                                     by_index(run->setup.by, window, k), token->end - token->start, err);
}

/* A window's losses go to the parts and dumps. */
static int take_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    text_run *t = &((const text_runs *)context)->run[window->model];
    bipe_score_run *run = t->run;
    text_length *length = &t->length[window->which];
    if (window->index < length->next)
        return BIPE_OK; /* in the journal already, which ends elsewhere for others */
    int status = run->setup.contrast > 0 ? read_brief(t, window, err) : BIPE_OK;
    if (status == BIPE_OK && bipe_score_key_own(&run->key, t->number))
        status = bipe_token_losses_read(&run->key.brief[window->which], window, err);
    uint8_t *counts = bipe_tool_alloc(window->length, 1);
    length->next = window->index + 1;
    length->part.losses.windows++;
    for (size_t k = window->first; k < window->length && status == BIPE_OK; k++) {
        const bipe_spool_token *token = &window->token[k];
        uint64_t place = window->start + k - window->added, words = bipe_spool_token_words(token);
        size_t document = bipe_score_document(t->reader, window, k);
        double nll;
        if (!window->target[k - window->first] || (run->setup.common && !is_common(t, place, window->which)))
            continue;
        counts[k] = BIPE_SCORE_COUNTS;
        size_t unit = bipe_loss_unit(&run->texts.layout, document, token->start), documents;
        status = add_to_subsets(t, length, window, k, document, unit, counts, err);
        if (status != BIPE_OK || !bipe_protocol_loss(&run->setup.rules, window, k, &nll))
            continue;
        if (run->setup.rules.protocol == BIPE_PROTOCOL_LM_EVAL &&
            (place + 1 == bipe_token_spool_count(t->reader->spool) ||
             bipe_token_spool_document_at(t->reader->spool, place + 1) != document))
            words += bipe_token_spool_documents(t->reader->spool, &documents)[document]
                         .pieces; /* once a document, with its last token */
        status = add_token_loss(run, &length->part, window, k, unit, nll, words, err);
        if (status == BIPE_OK && window->divergence != NULL)
            status = add_token_divergence(run, &length->part, window, k, document, unit, err);
    }
    if (status == BIPE_OK)
        dump_window(t, length, window, counts);
    bipe_free(counts);
    return status;
}

static void note_batch(const text_runs *all)
{
    bipe_score_run *run = all->run[0].run;
    bipe_score_journal *journal = run->out.journal;
    bipe_error err = {0};
    int status = BIPE_OK;
    for (size_t m = 0; m < all->count; m++)
        for (size_t i = 0; i < all->run[m].plan.count && status == BIPE_OK; i++) {
            const text_length *length = &all->run[m].length[i];
            if (length->part.losses.windows > 0)
                status =
                    bipe_score_journal_add(journal, length->next - length->part.losses.windows, &length->part, &err);
        }
    if (status == BIPE_OK)
        status = bipe_score_journal_commit(journal, &err);
    if (status != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
}

/* What the batch came to goes to the rows. BIPE_STOPPED: interrupted. */
static int take_batch(void *context, uint64_t tokens, bipe_error *err)
{
    (void)err;
    const text_runs *all = context;
    bipe_score_run *run = all->run[0].run;
    if (run->out.journal != NULL)
        note_batch(all);
    for (size_t m = 0; m < all->count; m++)
        for (size_t i = 0; i < all->run[m].plan.count; i++) {
            text_length *length = &all->run[m].length[i];
            bipe_score_row_merge(&length->row, &length->part);
            bipe_score_row_free(&length->part);
            length->part.losses = (bipe_losses){0};
            for (size_t k = 0; k < BIPE_SCORE_SUBSETS; k++)
                length->part.subset[k].losses = (bipe_losses){0};
        }
    run->progress.done += tokens;
    bipe_progress_update(&run->tool.progress, bipe_input_shown(all->run[0].path), run->progress.done);
    return bipe_score_over(&run->out) ? BIPE_STOPPED : BIPE_OK;
}

/* ---- progress: of the whole run, in tokens that the model computes ---- */

/* Files that are not read yet are taken to hold as many tokens for their size as those before them. */
static uint64_t estimate_total(const bipe_score_run *run, bool last)
{
    if (last)
        return run->progress.planned;
    if (run->progress.bytes == 0 || run->progress.bytes_read == 0)
        return 0;
    return (uint64_t)((double)run->progress.planned * ((double)run->progress.bytes / (double)run->progress.bytes_read));
}

/* ---- a text ---- */

/* Lengths that a text is too short for are named once per text. */
static void note_short(text_run *t, size_t number)
{
    bipe_score_run *run = t->run;
    bipe_score_short *s = &run->rows.too_short[number];
    /* Multiples of the training length end where the text ends: that needs no words, unless it has no row at all. */
    if (t->number == 0 && (run->given.lengths.count > 0 || number == 0) && s->files++ == 0) {
        s->first = t->path;
        s->tokens = t->text.tokens;
    }
}

/* Lines that are not scored though others of the text are. */
static void count_left_out(const text_run *t, uint64_t length, bipe_score_short *s)
{
    size_t documents;
    const bipe_spool_document *document = bipe_token_spool_documents(t->reader->spool, &documents);
    for (size_t d = 0; d < documents && t->number == 0 && t->run->setup.rules.lines; d++) {
        uint64_t tokens = (d + 1 < documents ? document[d + 1].first : t->text.tokens) - document[d].first;
        if (tokens > length)
            s->longer++;
        else if (t->reader->first_target != NULL && t->reader->first_target[d] >= tokens)
            s->blank++;
    }
}

/* The lengths that the text reaches. */
static int choose_text_lengths(text_run *t, bipe_error *err)
{
    bipe_score_run *run = t->run;
    for (size_t i = 0; i < run->lengths.count; i++) {
        bipe_protocol protocol;
        text_length *length = &t->length[t->plan.count];
        *length = (text_length){ .number = i };
        bool has_bos = t->combination->bos_id != BIPE_NO_TOKEN;
        int status = bipe_protocol_windows(&run->setup.rules, run->lengths.value[i], has_bos, t->reader->spool,
                                           t->reader->first_target, &protocol, &length->list, err);
        if (status != BIPE_OK)
            return status;
        /* With --tail a text shorter than a window is one by itself, but not again and again at each default length. */
        bool repeats = run->given.lengths.count == 0 && i > 0 && protocol.list == NULL &&
                       t->text.tokens < protocol.length - (protocol.bos ? 1 : 0);
        /* llama-perplexity wants two windows. */
        bool few = run->setup.rules.protocol == BIPE_PROTOCOL_LLAMA_CPP && t->text.tokens < 2 * protocol.length;
        if (bipe_window_count(&protocol, t->text.tokens) == 0 || repeats || few) {
            bipe_free(length->list);
            note_short(t, i);
            continue;
        }
        count_left_out(t, protocol.length, &run->rows.too_short[i]);
        length->row = length->part =
            (bipe_score_row){.combination = t->number, .file = t->path, .length = protocol.length, .text = t->text};
        t->plan.length[t->plan.count++] = length->all = bipe_plan_all(&protocol, t->text.tokens);
    }
    return BIPE_OK;
}

static void drop_length(text_run *t, size_t number)
{
    size_t after = t->plan.count - number - 1;
    bipe_free(t->length[number].list);
    memmove(&t->length[number], &t->length[number + 1], after * sizeof *t->length);
    memmove(&t->plan.length[number], &t->plan.length[number + 1], after * sizeof *t->plan.length);
    t->plan.count--;
}

/* Makes sure that the evaluators take all lengths; those that one cannot take are reported and dropped. */
static void reach_lengths(const text_runs *all)
{
    for (size_t m = 0; m < all->count && all->run[0].plan.count > 0;) {
        text_run *t = &all->run[m];
        size_t longest = 0;
        uint64_t length = 0;
        for (size_t i = 0; i < t->plan.count; i++) {
            uint64_t own = bipe_window_longest(&t->length[i].all.protocol, t->text.tokens);
            longest = own > length ? i : longest;
            length = own > length ? own : length;
        }
        bipe_error err = {0};
        if (bipe_score_reach(&t->run->models, t->combination, length, &err) == BIPE_OK) {
            m++;
            continue;
        }
        bipe_error_prefix(&err, "%s: length %" PRIu64, bipe_input_shown(t->path), t->length[longest].row.length);
        bipe_tool_error(&t->run->tool, &err);
        for (size_t i = 0; i < all->count; i++)
            drop_length(&all->run[i], longest);
    }
}

/* Takes finished windows from the journal. */
static int take_journal(text_run *t, bipe_error *err)
{
    bipe_score_journal *journal = t->run->out.journal;
    int status = bipe_score_journal_text(journal, t->path, t->combination->text, &t->text, err);
    for (size_t i = 0; i < t->plan.count && status == BIPE_OK; i++) {
        bipe_plan_length *length = &t->plan.length[i];
        bipe_score_journal_find(journal, length->next, &t->length[i].row, &length->next);
        t->length[i].next = length->next;
        if (length->next > length->end)
            status = bipe_fail(err, BIPE_ERR_FORMAT,
                               "%s: has windows up to %" PRIu64 " of length %" PRIu64 ", the text has %" PRIu64,
                               t->run->given.resume, length->next, t->length[i].row.length, length->end);
    }
    return status;
}

/* The same for all. What not all have finished is computed again. */
static int take_journals(const text_runs *all, bipe_error *err)
{
    bipe_plan *plan = &all->run[0].plan;
    int status = take_journal(&all->run[0], err);
    for (size_t m = 1; m < all->count && status == BIPE_OK; m++) {
        const text_run *t = &all->run[m];
        status = take_journal(&all->run[m], err);
        for (size_t i = 0; i < plan->count; i++)
            if (t->plan.length[i].next < plan->length[i].next)
                plan->length[i].next = t->plan.length[i].next;
    }
    return status;
}

/* A finished row waits for the others of the file. */
static void finish_row(bipe_score_run *run, text_length *length)
{
    bipe_error err = {0};
    bipe_score_row *row = &length->row;
    if (row->losses.tokens > 0 && !isfinite(bipe_losses_sum(&row->losses))) {
        bipe_fail(&err, BIPE_ERR_FORMAT, "%s: length %" PRIu64 ": losses are not finite, the model is broken",
                  row->file, row->length);
        bipe_tool_error(&run->tool, &err);
    }
    run->rows.row[length->number * run->setup.combinations + row->combination] = *row;
    *row = (bipe_score_row){0};
    run->rows.finished++;
}

/* Scores the text with the short context of --contrast: windows of K + K / 4 tokens, of which the last K / 4 count,
 * so that each token has seen K or a few more. */
static int score_brief(text_run *t, bipe_error *err)
{
    uint64_t context = t->run->setup.contrast, step = context / 4 > 0 ? context / 4 : 1;
    const bipe_protocol protocol = { .length = context + step, .stride = step, .tail = true,
                                     .count_bos = t->run->setup.rules.count_bos };
    return bipe_score_keep_losses(&t->run->models, t->reader, t->combination, &protocol, &t->brief, err);
}

/* Runs the plan of the first over all. */
static int run_plan(text_runs *all, bipe_error *err)
{
    text_run *t = &all->run[0];
    const bipe_score_models *models = &t->run->models;
    const bipe_score_sink sink = {.window = take_window, .batch = take_batch, .context = all};
    /* Ids that are given may hold BOS, too, whatever --bos says. */
    int64_t bos = t->combination->bos_id != BIPE_NO_TOKEN ? t->combination->bos_id
                                                          : bipe_tokenizer_bos(t->reader->tokenizer);
    if (all->count == 1)
        return bipe_score_plan(bipe_score_evaluator(models, t->combination), t->reader->spool, &t->plan,
                               t->combination->closes, bos, &sink, err);
    bipe_divergence *divergence = NULL;
    bipe_evaluator **evaluator = bipe_tool_alloc(all->count, sizeof *evaluator);
    size_t *closes = bipe_tool_alloc(all->count, sizeof *closes);
    for (size_t m = 0; m < all->count; m++) {
        evaluator[m] = bipe_score_evaluator(models, all->run[m].combination);
        closes[m] = all->run[m].combination->closes;
    }
    int status = bipe_divergence_open(&divergence, evaluator, all->count, err);
    if (status == BIPE_OK)
        status = bipe_score_in_step(divergence, all->count, t->reader->spool, &t->plan, closes, bos, &sink, err);
    bipe_divergence_close(divergence);
    bipe_free(evaluator);
    bipe_free(closes);
    return status;
}

/* Scores the plan. BIPE_STOPPED: interrupted. */
static int score_plan(text_runs *all, bool last, bipe_error *err)
{
    text_run *t = &all->run[0];
    bipe_score_run *run = t->run;
    bipe_score_work work, left;
    for (size_t m = 0; m < all->count; m++) {
        bipe_plan *plan = &all->run[m].plan;
        if (run->setup.shard.count > 0)
            bipe_plan_shard(plan, run->setup.shard.index, run->setup.shard.count);
        for (size_t i = 0; i < plan->count; i++) {
            all->run[m].length[i].windows = plan->length[i].end - plan->length[i].next;
            all->run[m].length[i].next = plan->length[i].next;
        }
    }
    int status = bipe_plan_work(&t->plan, &work.computed, &work.all, err);
    if (status == BIPE_OK && run->out.journal != NULL)
        status = take_journals(all, err);
    if (status == BIPE_OK)
        status = bipe_plan_work(&t->plan, &left.computed, &left.all, err);
    if (status != BIPE_OK)
        return status;
    run->progress.work.all += all->count * work.all;
    run->progress.work.computed += all->count * work.computed;
    run->progress.planned += all->count * left.computed;
    bipe_tool_progress(&run->tool, "tokens", estimate_total(run, last));
    double started = bipe_seconds();
    run->tool.progress.started -= run->progress.seconds;
    status = run_plan(all, err);
    bipe_progress_clear(&run->tool.progress);
    run->progress.seconds += bipe_seconds() - started;
    return status;
}

/* Says once why a text takes longer. */
static void report_alone(const text_runs *all)
{
    bipe_score_run *run = all->run[0].run;
    for (size_t m = 0; m < all->count && !run->progress.reported_alone; m++) {
        const bipe_score_combination *c = all->run[m].combination;
        const char *what = c->shared ? NULL : bipe_evaluator_length_matters(bipe_score_evaluator(&run->models, c));
        if (what == NULL)
            continue;
        bipe_tool_note(&run->tool,
                       "losses depend on the length of the window with %s: each length is computed by itself", what);
        run->progress.reported_alone = true;
    }
}

/* Scores the text in the spool. */
static void score_text(text_runs *all, bool last)
{
    text_run *t = &all->run[0];
    bipe_score_run *run = t->run;
    bipe_error err = {0};
    int status = BIPE_OK;
    for (size_t m = 0; m < all->count && status == BIPE_OK; m++) {
        status = choose_text_lengths(&all->run[m], &err);
        if (status == BIPE_OK && all->run[m].plan.count > 0 && run->setup.contrast > 0)
            status = score_brief(&all->run[m], &err);
        t->plan.share = t->plan.share && all->run[m].combination->shared;
    }
    bool some = t->plan.count > 0;
    if (status == BIPE_OK)
        reach_lengths(all);
    if (status == BIPE_OK && t->plan.count > 1)
        report_alone(all);
    if (status == BIPE_OK && run->setup.key.wanted)
        status = bipe_score_key_rewind(&run->key, &err);
    if (status == BIPE_OK && t->plan.count > 0 && bipe_score_key_own(&run->key, t->number))
        status = bipe_score_key_brief(&run->key, &run->models, t->reader, t->combination, &t->plan, &err);
    if (status == BIPE_OK && t->plan.count > 0)
        status = score_plan(all, last, &err);
    for (size_t m = 0; m < all->count && status != BIPE_ERR_MEMORY; m++)
        for (size_t i = 0; i < all->run[m].plan.count; i++)
            if (all->run[m].length[i].row.losses.windows == all->run[m].length[i].windows)
                finish_row(run, &all->run[m].length[i]);
    if (status != BIPE_OK && status != BIPE_STOPPED) {
        bipe_error_prefix(&err, "%s", bipe_input_shown(t->path));
        bipe_tool_error(&run->tool, &err);
    }
    for (size_t i = 0; i < BIPE_SCORE_DUMPS; i++)
        if (run->out.dump[i] != NULL)
            check_dump(run, i, bipe_score_dump_file_end(run->out.dump[i], &err), &err);
    run->tool.some_done |= some;
    run->rows.left_out = run->rows.left_out || (!some && !bipe_score_over(&run->out)); /* which report_short() says */
}

static text_run start_text(bipe_score_run *run, size_t number, const char *path)
{
    const bipe_score_combination *combination = &run->setup.combination[number];
    bipe_score_reader *reader = &run->texts.reader[combination->text];
    size_t count = run->lengths.count;
    text_run t = {
        .run = run,
        .combination = combination,
        .number = number,
        .reader = reader,
        .path = path,
        .text = { .hash = bipe_token_spool_hash(reader->spool), .tokens = bipe_token_spool_count(reader->spool) },
        .length = bipe_tool_alloc(count, sizeof *t.length),
        .plan = { .length = bipe_tool_alloc(count, sizeof *t.plan.length), .share = combination->shared },
    };
    t.plan.tokens = t.text.tokens;
    return t;
}

static void end_text(text_run *t)
{
    for (size_t i = 0; i < t->plan.count; i++) {
        bipe_score_row_free(&t->length[i].row);
        bipe_score_row_free(&t->length[i].part);
        bipe_free(t->length[i].list);
    }
    bipe_token_losses_free(&t->brief);
    bipe_free(t->length);
    bipe_free(t->plan.length);
}

void bipe_score_combine(bipe_score_run *run, size_t number, size_t count, const char *path, bool last)
{
    text_runs all = {.run = bipe_tool_alloc(count, sizeof *all.run), .count = count};
    for (size_t m = 0; m < count; m++)
        all.run[m] = start_text(run, number + m, path);
    score_text(&all, last);
    for (size_t m = 0; m < count; m++)
        end_text(&all.run[m]);
    bipe_free(all.run);
}
