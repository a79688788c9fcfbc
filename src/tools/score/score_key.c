/* score_key.c - finds the key tokens of a file; see score_key.h. */
#include "tools/score/score_key.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/numbers.h"
#include "cli/interrupt.h"
#include "cli/tool_alloc.h"

enum { LINE_MOST = 64 << 20 };

bool bipe_score_key_numbers(const char *text, bipe_key_rule *rule)
{
    double number[2];
    if (bipe_parse_numbers(text, number, 2) != 2)
        return false;
    rule->alpha = number[0];
    rule->beta = number[1];
    return true;
}

int bipe_score_key_parse(const char *text, bipe_error *err)
{
    bipe_key_rule rule;
    return bipe_score_key_numbers(text, &rule)
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_ARGUMENT,
                           "found '%s', expected two numbers of nats with a comma between them, such as 2,2", text);
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* JSON Lines or spans of characters, as the first byte says; an empty file has no spans. */
static int open_spans(bipe_score_key *key, const char *path, bipe_error *err)
{
    struct stat st;
    bipe_lines *lines = &key->lines;
    size_t blanks = 0;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        key->slices = (bipe_score_slices){.path = path, .folder = true};
        return BIPE_OK;
    }
    lines->most = LINE_MOST;
    int status = bipe_input_open(&lines->input, path, err);
    while (status == BIPE_OK && !lines->ended && blanks == lines->text.size && blanks <= LINE_MOST) {
        status = bipe_lines_read(lines, err);
        while (blanks < lines->text.size && is_blank(lines->text.data[blanks]))
            blanks++;
    }
    if (status == BIPE_OK && (blanks == lines->text.size || lines->text.data[blanks] != '{')) {
        key->slices = (bipe_score_slices){.path = path, .input = lines->input, .text = lines->text};
        *lines = (bipe_lines){0};
    }
    return status;
}

int bipe_score_key_open(bipe_score_key *key, const bipe_score_setup *setup, bipe_tool *tool, const char *output,
                        bipe_error *err)
{
    size_t lengths = setup->lengths->count;
    key->tool = tool;
    key->setup = setup;
    key->spans = bipe_tool_alloc(lengths, sizeof *key->spans);
    key->cursor = bipe_tool_alloc(lengths, sizeof *key->cursor);
    key->brief = bipe_tool_alloc(lengths, sizeof *key->brief);
    int status = setup->key.spans != NULL ? open_spans(key, setup->key.spans, err) : BIPE_OK;
    if (status == BIPE_OK && output != NULL)
        status = bipe_output_open(&key->output, output, err);
    return status;
}

static void free_brief(bipe_score_key *key)
{
    for (size_t i = 0; key->brief != NULL && i < key->setup->lengths->count; i++) {
        bipe_token_losses_free(&key->brief[i]);
        key->brief[i] = (bipe_token_losses){0};
    }
}

void bipe_score_key_close(bipe_score_key *key)
{
    free_brief(key);
    for (size_t i = 0; key->spans != NULL && i < key->setup->lengths->count; i++)
        bipe_key_spans_close(&key->spans[i]);
    bipe_free(key->spans);
    bipe_free(key->cursor);
    bipe_free(key->brief);
    bipe_lines_close(&key->lines);
    bipe_score_slices_free(&key->slices);
    bipe_output_abandon(key->output);
}

int bipe_score_key_begin(bipe_score_key *key, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < key->setup->lengths->count && status == BIPE_OK; i++)
        status = bipe_key_spans_reset(&key->spans[i], err);
    return status;
}

int bipe_score_key_rewind(bipe_score_key *key, bipe_error *err)
{
    int status = BIPE_OK;
    free_brief(key);
    for (size_t i = 0; i < key->setup->lengths->count && status == BIPE_OK; i++) {
        key->cursor[i] = (bipe_key_cursor){0};
        status = bipe_key_spans_end(&key->spans[i], err);
    }
    return status;
}

bool bipe_score_key_own(const bipe_score_key *key, size_t combination)
{
    return key->setup != NULL && key->setup->key.spans == NULL && !key->judged && combination == 0;
}

int bipe_score_key_token(bipe_score_key *key, const bipe_score_key_case *one, bool *is, bipe_error *err)
{
    bipe_key_spans *spans = &key->spans[key->setup->key.spans != NULL ? 0 : one->length];
    if (!bipe_score_key_own(key, one->combination))
        return bipe_key_cursor_holds(&key->cursor[one->length], spans, one->token, is, err);
    *is = one->token.end > one->token.start && bipe_key_token(&key->setup->key.rule, one->whole, one->brief);
    return *is ? bipe_key_spans_add(spans, one->token, err) : BIPE_OK;
}

/* ---- passes ---- */

typedef struct brief_pass {
    bipe_score_key *key;
    const bipe_score_combination *combination;
    const bipe_score_reader *reader;
    uint64_t done;
    const size_t *number; /* (plan.count) of the lengths in the run */
} brief_pass;

static int keep_brief(void *context, const bipe_scored_window *window, bipe_error *err)
{
    const brief_pass *pass = context;
    return bipe_token_losses_add(&pass->key->brief[window->which], window, err);
}

static int count_batch(void *context, uint64_t tokens, bipe_error *err)
{
    brief_pass *pass = context;
    (void)err;
    pass->done += tokens;
    bipe_progress_update(&pass->key->tool->progress, "key tokens", pass->done);
    return bipe_interrupted() != 0 ? BIPE_STOPPED : BIPE_OK;
}

/* Ids that are given may hold BOS, too, whatever --bos says. */
static int run_plan(bipe_score_models *models, brief_pass *pass, bipe_plan *plan, const bipe_score_sink *sink,
                    bipe_error *err)
{
    bipe_score_key *key = pass->key;
    uint64_t computed, windows;
    double started = bipe_seconds();
    int status = bipe_plan_work(plan, &computed, &windows, err);
    if (status != BIPE_OK)
        return status;
    bipe_tool_progress(key->tool, "tokens", computed);
    pass->done = 0;
    status = bipe_score_plan(bipe_score_evaluator(models, pass->combination), pass->reader->spool, plan,
                             pass->combination->closes, bipe_tokenizer_bos(pass->reader->tokenizer), sink, err);
    bipe_progress_clear(&key->tool->progress);
    key->windows += windows;
    key->computed += computed;
    key->seconds += bipe_seconds() - started;
    return status;
}

int bipe_score_key_brief(bipe_score_key *key, bipe_score_models *models, const bipe_score_reader *reader,
                         const bipe_score_combination *c, const bipe_plan *whole, bipe_error *err)
{
    brief_pass pass = {.key = key, .combination = c, .reader = reader};
    const bipe_score_sink sink = {.window = keep_brief, .batch = count_batch, .context = &pass};
    bipe_plan plan = {.length = bipe_tool_alloc(whole->count, sizeof *plan.length), .count = whole->count,
                      .tokens = whole->tokens, .share = c->shared};
    bipe_cut **list = bipe_tool_alloc(whole->count, sizeof *list);
    int status = BIPE_OK;
    free_brief(key);
    for (size_t i = 0; i < plan.count && status == BIPE_OK; i++) {
        bipe_protocol brief;
        status = bipe_key_windows(&key->setup->key.rule, &whole->length[i].protocol, plan.tokens, &brief, &list[i],
                                  err);
        if (status == BIPE_OK)
            status = bipe_token_losses_open(&key->brief[i], err);
        if (status == BIPE_OK)
            plan.length[i] = bipe_plan_all(&brief, plan.tokens);
    }
    if (status == BIPE_OK)
        status = run_plan(models, &pass, &plan, &sink, err);
    for (size_t i = 0; i < plan.count; i++) {
        if (status == BIPE_OK)
            status = bipe_token_losses_end(&key->brief[i], plan.tokens, err);
        bipe_free(list[i]);
    }
    bipe_free(list);
    bipe_free(plan.length);
    return status;
}

static int judge_window(void *context, const bipe_scored_window *window, bipe_error *err)
{
    const brief_pass *pass = context;
    bipe_score_key *key = pass->key;
    bipe_token_losses *brief = &key->brief[window->which];
    size_t documents;
    const bipe_spool_document *document = bipe_token_spool_documents(pass->reader->spool, &documents);
    int status = bipe_token_losses_read(brief, window, err);
    for (size_t k = window->first; k < window->length && status == BIPE_OK; k++) {
        const bipe_spool_token *token = &window->token[k];
        bool key_token = window->target[k - window->first] && token->end > token->start &&
                         bipe_key_token(&key->setup->key.rule, window->nll[k - window->first], brief->window[k]);
        const bipe_key_span span = {document[bipe_score_document(pass->reader, window, k)].index, token->start,
                                    token->end};
        if (key_token)
            status = bipe_key_spans_add(&key->spans[pass->number[window->which]], span, err);
    }
    return status;
}

/* The judge's windows of each length that the text reaches. */
static int judge_windows(bipe_score_key *key, const bipe_score_reader *reader, bipe_plan *plan, size_t *number,
                         bipe_cut **list, bipe_error *err)
{
    bool has_bos = key->judge.bos_id != BIPE_NO_TOKEN;
    int status = BIPE_OK;
    for (size_t i = 0; i < key->setup->lengths->count && status == BIPE_OK; i++) {
        bipe_protocol protocol;
        status = bipe_protocol_windows(&key->rules, key->setup->lengths->value[i], has_bos, reader->spool, NULL,
                                       &protocol, &list[i], err);
        if (status != BIPE_OK || bipe_window_count(&protocol, plan->tokens) == 0)
            continue;
        number[plan->count] = i;
        plan->length[plan->count++] = bipe_plan_all(&protocol, plan->tokens);
    }
    return status;
}

int bipe_score_key_judge(bipe_score_key *key, bipe_score_models *models, const bipe_score_reader *reader,
                         bipe_error *err)
{
    size_t lengths = key->setup->lengths->count;
    size_t *number = bipe_tool_alloc(lengths, sizeof *number);
    bipe_cut **list = bipe_tool_alloc(lengths, sizeof *list);
    uint64_t longest = 0;
    bipe_plan plan = {.length = bipe_tool_alloc(lengths, sizeof *plan.length), .share = key->judge.shared,
                      .tokens = bipe_token_spool_count(reader->spool)};
    brief_pass pass = {.key = key, .combination = &key->judge, .reader = reader, .number = number};
    const bipe_score_sink sink = {.window = judge_window, .batch = count_batch, .context = &pass};
    int status = judge_windows(key, reader, &plan, number, list, err);
    for (size_t i = 0; i < plan.count && status == BIPE_OK; i++) {
        uint64_t own = bipe_window_longest(&plan.length[i].protocol, plan.tokens);
        longest = own > longest ? own : longest;
    }
    if (status == BIPE_OK && plan.count > 0)
        status = bipe_score_reach(models, &key->judge, longest, err);
    if (status == BIPE_OK && plan.count > 0)
        status = bipe_score_key_brief(key, models, reader, &key->judge, &plan, err);
    if (status == BIPE_OK && plan.count > 0)
        status = run_plan(models, &pass, &plan, &sink, err);
    for (size_t i = 0; i < lengths; i++)
        bipe_free(list[i]);
    bipe_free(list);
    bipe_free(number);
    bipe_free(plan.length);
    if (status != BIPE_OK && status != BIPE_STOPPED)
        bipe_error_prefix(err, "--key-from %s", key->judge.model_name);
    return status;
}
