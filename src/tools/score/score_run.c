/* score_run.c - the loop over files: spools a text, has it scored under all combinations, reports its rows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "cli/interrupt.h"
#include "nn/cpu.h"
#include "tools/score/bipe_score.h"

bool bipe_score_over(const bipe_score_outputs *out)
{
    bool wanted = out->output != NULL || out->journal != NULL;
    for (size_t i = 0; i < BIPE_SCORE_DUMPS; i++)
        wanted = wanted || out->dump[i] != NULL;
    return bipe_interrupted() != 0 || !wanted;
}

void bipe_score_check_output(bipe_score_run *run, int status, const bipe_error *err)
{
    if (status == BIPE_OK)
        return;
    bipe_tool_error(&run->tool, err);
    bipe_output_abandon(run->out.output);
    run->out.output = NULL;
}

int bipe_score_finish(bipe_score_run *run)
{
    for (const bipe_score_reader *r = run->texts.reader; r < run->texts.reader + run->texts.readers; r++)
        if (r->unknowns > r->tokens / 100)
            bipe_tool_note(&run->tool,
                           "%s: %" PRIu64 " of %" PRIu64 " tokens are the unknown token, so perplexity says little",
                           bipe_tokenizer_spec(r->tokenizer), r->unknowns, r->tokens);
    bipe_tool_finish(&run->tool, run->out.output);
    run->out.output = NULL;
    return bipe_interrupted() != 0 ? 128 + bipe_interrupted() : run->tool.status;
}

/* Reads the file for each tokenizer. False when there is nothing to score. */
static bool read_score_file(bipe_score_run *run, size_t index, const char *path)
{
    for (size_t r = 0; r < run->texts.readers; r++) {
        bipe_token_spool_reset(run->texts.reader[r].spool);
        if (run->texts.reader[r].ids != NULL)
            bipe_spool_truncate(run->texts.reader[r].ids, 0);
        if (!bipe_score_read(&run->texts, &run->texts.reader[r], index, path))
            return false;
    }
    return bipe_score_units(&run->texts, bipe_input_shown(path));
}

/* All rows of the file that could be finished are there. */
static void finish_file(bipe_score_run *run)
{
    bipe_error err = {0};
    bipe_progress_clear(&run->tool.progress);
    if (run->out.output != NULL)
        bipe_score_check_output(
            run, bipe_score_report_file(run->out.report, run->rows.row, &run->texts.layout, &err), &err);
    for (size_t i = 0; i < run->lengths.count * run->setup.combinations; i++) {
        bipe_score_row_free(&run->rows.row[i]);
        run->rows.row[i] = (bipe_score_row){0};
    }
}

/* The reader of the texts in which key tokens are found. */
static size_t key_text(const bipe_score_run *run)
{
    return run->key.judged ? run->key.judge.text : run->setup.combination[0].text;
}

/* Those of --key-spans or of the judge, before any combination is scored. */
static int find_key_tokens(bipe_score_run *run, bipe_error *err)
{
    int status = bipe_score_key_read(&run->key, &run->texts.reader[0], err);
    if (status == BIPE_OK && run->key.judged)
        status = bipe_score_key_judge(&run->key, &run->models, &run->texts.reader[key_text(run)], err);
    return status;
}

/* What finding key tokens took counts as scoring. */
static void count_key_work(bipe_score_run *run)
{
    bipe_score_key *key = &run->key;
    run->progress.work.all += key->windows;
    run->progress.work.computed += key->computed;
    run->progress.seconds += key->seconds;
    run->progress.done += key->computed;
    run->progress.planned += key->computed;
    key->windows = key->computed = 0;
    key->seconds = 0;
}

static void score_file(bipe_score_run *run, size_t index, const char *path, bool last)
{
    struct stat st;
    bipe_error err = {0};
    int status = run->setup.key.wanted ? bipe_score_key_begin(&run->key, &err) : BIPE_OK;
    bool usable = read_score_file(run, index, path);
    if (stat(path, &st) == 0)
        run->progress.bytes_read += (uint64_t)st.st_size;
    if (!usable)
        return;
    if (status == BIPE_OK && run->setup.key.wanted)
        status = find_key_tokens(run, &err);
    if (status != BIPE_OK) {
        if (status != BIPE_STOPPED)
            bipe_error_prefix(&err, "%s", bipe_input_shown(path));
        bipe_tool_error(&run->tool, &err);
        return;
    }
    size_t together = run->setup.divergence ? run->setup.combinations : 1;
    for (size_t c = 0; c < run->setup.combinations && !bipe_score_over(&run->out); c += together)
        bipe_score_combine(run, c, together, path, last && c + together == run->setup.combinations);
    finish_file(run);
    count_key_work(run);
    if (run->key.output != NULL && bipe_interrupted() == 0)
        status = bipe_score_key_write(&run->key, path, &run->texts.reader[key_text(run)], &err);
    if (status != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
        bipe_output_abandon(run->key.output);
        run->key.output = NULL;
    }
}

/* ---- the end ---- */

static void commit_dumps(bipe_score_run *run)
{
    for (size_t i = 0; i < BIPE_SCORE_DUMPS; i++) {
        bipe_error err = {0};
        if (run->out.dump[i] != NULL && bipe_interrupted() != 0) { /* complete or not at all */
            bipe_score_dump_abandon(run->out.dump[i]);
            bipe_tool_note(&run->tool, "%s: not written, the run was interrupted", run->given.dump[i]);
        } else if (run->out.dump[i] != NULL && bipe_score_dump_commit(run->out.dump[i], &run->tool, &err) != BIPE_OK) {
            bipe_tool_error(&run->tool, &err);
        }
        run->out.dump[i] = NULL;
    }
    bipe_error err = {0};
    if (run->key.output != NULL && bipe_interrupted() != 0) {
        bipe_output_abandon(run->key.output);
        bipe_tool_note(&run->tool, "%s: not written, the run was interrupted", run->given.key_out);
    } else if (run->key.output != NULL && bipe_tool_commit(&run->tool, run->key.output, &err) != BIPE_OK) {
        bipe_tool_error(&run->tool, &err);
    }
    run->key.output = NULL;
}

void bipe_score_print_verbose(bipe_score_run *run)
{
    const bipe_score_work *work = &run->progress.work;
    bipe_score_unreach(&run->models);
    uint64_t visited = run->models.blocks_visited, skipped = run->models.blocks_skipped;
    bipe_tool_note(&run->tool, "kernels: %s, threads: %zu", run->tool.kernels, bipe_pool_threads(run->models.pool));
    if (work->computed > 0)
        bipe_tool_note(&run->tool, "windows: %" PRIu64 " tokens at all lengths, of which %" PRIu64 " are computed",
                       work->all, work->computed);
    if (run->progress.seconds > 0)
        bipe_tool_note(&run->tool, "speed: %" PRIu64 " tokens computed in %.1f s, %.0f a second", run->progress.done,
                       run->progress.seconds,
                       (double)run->progress.done / run->progress.seconds);
    if (visited + skipped > 0)
        bipe_tool_note(&run->tool, "attention: %" PRIu64 " blocks of keys visited, %" PRIu64 " left out (%.1f %%)",
                       visited, skipped, 100.0 * (double)skipped / (double)(visited + skipped));
}

/* The common identity of all shards of the run. */
static int identify_run(bipe_score_run *run, bipe_files files, bipe_error *err)
{
    bipe_output *lines;
    uint64_t *hash = &run->setup.identity;
    int status = bipe_output_open_memory(&lines, err);
    if (status != BIPE_OK)
        return status;
    bipe_score_settings(&run->setup, false, lines);
    *hash = bipe_hash_bytes(BIPE_HASH_EMPTY, bipe_output_kept(lines)->data, bipe_output_kept(lines)->size);
    status = bipe_output_flush(lines, err);
    bipe_output_abandon(lines);
    for (size_t i = 0; i < run->lengths.count; i++)
        *hash = bipe_hash_uint(*hash, run->lengths.value[i]);
    for (size_t i = 0; i < files.count; i++)
        *hash = bipe_hash_text(*hash, files.path[i]);
    return status;
}

/* Says once for each length how many texts were too short for it, and how many lines were left out. */
static void report_short(bipe_score_run *run)
{
    const bipe_score_setup *setup = &run->setup;
    bool tail = setup->rules.tail || setup->rules.protocol != BIPE_PROTOCOL_PAPER;
    const char *hint = tail ? "" : " (use --tail to score partial windows)";
    if (setup->rules.lines)
        hint = setup->loss_after != NULL
                   ? ": no line of at most so many tokens has anything after a match of --loss-after"
                   : ": no line has 2 to so many tokens";
    else if (setup->rules.protocol == BIPE_PROTOCOL_YARN)
        hint = "; --protocol yarn scores documents of at least so many tokens";
    else if (setup->rules.protocol == BIPE_PROTOCOL_LLAMA_CPP)
        hint = "; --protocol llama.cpp needs two windows";
    for (size_t i = 0; i < run->lengths.count; i++) {
        const bipe_score_short *s = &run->rows.too_short[i];
        bipe_error text;
        char only[64] = "";
        bool empty = s->tokens == 1 && run->texts.reader[0].bos_id != BIPE_NO_TOKEN;
        bool lines = setup->rules.lines && !empty;
        bipe_tool_note_lines(&run->tool, NULL, s->longer, run->lengths.value[i], s->blank);
        if (s->files == 0)
            continue;
        if (!lines)
            snprintf(only, sizeof only, "has only %" PRIu64 " token%s", s->tokens, s->tokens == 1 ? "" : "s");
        if (s->files == 1)
            bipe_fail(&text, BIPE_ERR_LIMIT, "%s: skipped length %" PRIu64 "%s%s%s", bipe_input_shown(s->first),
                      run->lengths.value[i], lines ? "" : ": the text ", only,
                      empty ? ", which marks its beginning: it is empty" : hint);
        else
            bipe_fail(&text, BIPE_ERR_LIMIT, "skipped length %" PRIu64 " for %zu files (the first, %s%s%s)%s",
                      run->lengths.value[i], s->files, bipe_input_shown(s->first), lines ? "" : ", ", only, hint);
        fprintf(stderr, "%s: %s\n", run->tool.name, text.text);
    }
}

int bipe_score_files(bipe_score_run *run, bipe_files files)
{
    bipe_error err = {0};
    bipe_interrupt_catch();
    if (identify_run(run, files, &err) != BIPE_OK)
        bipe_tool_error(&run->tool, &err);
    run->progress.bytes = bipe_files_size(files);
    for (size_t i = 0; i < files.count && !bipe_score_over(&run->out); i++)
        score_file(run, i, files.path[i], i + 1 == files.count);
    if (run->given.verbose)
        bipe_score_print_verbose(run);
    if (bipe_interrupted() != 0)
        bipe_tool_note(&run->tool, "interrupted: %s; %s%s",
                       run->rows.finished > 0 ? "only rows that were finished are reported" : "no row was finished",
                       run->given.resume == NULL ? "use --resume FILE to be able to continue next time"
                                                 : "run the same command again to resume from ",
                       run->given.resume == NULL ? "" : run->given.resume);
    bipe_progress_clear(&run->tool.progress);
    report_short(run);
    bool complete = bipe_interrupted() == 0 && run->tool.status == BIPE_EXIT_DONE;
    if (run->rows.left_out && run->tool.status == BIPE_EXIT_DONE)
        run->tool.status = BIPE_EXIT_FAILED;
    commit_dumps(run);
    if (run->texts.groups.count == 1 && strcmp(run->texts.groups.name[0], BIPE_GROUP_NONE) == 0)
        bipe_tool_note(&run->tool,
                       "no document has a member \"%s\" that is a string, number, true or false: all are in one group",
                       run->setup.group);
    if (run->out.output != NULL)
        bipe_score_check_output(run, bipe_score_report_end(run->out.report, &run->progress.work, complete, &err), &err);
    bool table = run->out.output != NULL && !run->given.json && !run->given.csv;
    if (bipe_interrupted() != 0 && run->rows.finished > 0 && table)
        bipe_output_printf(run->out.output, NULL,
                           "\nincomplete: the run was interrupted, and these rows are about what was finished\n");
    return bipe_score_finish(run);
}
