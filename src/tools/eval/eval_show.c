/* eval_show.c - prompts for people to look at before a long run: --show. */
#include <string.h>

#include "base/alloc.h"
#include "cli/csv.h"
#include "cli/tool_alloc.h"
#include "tools/eval/bipe_eval.h"

/* Tokens of a prompt that are listed, at its beginning and before the answer. */
enum { LISTED_FIRST = 8, LISTED_LAST = 16 };

const char *bipe_eval_cut_place(const bipe_eval_run *run)
{
    static const char *const place[] = {"at the start", "in the middle", "at the end"}; /* by bipe_task_cut */
    return place[run->given.truncate >= 0 ? run->given.truncate : (int)run->task->cut];
}

/* A text, each line after a mark. Control characters are hidden. */
static void show_text(bipe_output *output, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size || (at == 0 && size == 0);) {
        const uint8_t *end = at < size ? memchr(bytes + at, '\n', size - at) : NULL;
        size_t length = end != NULL ? (size_t)(end - bytes) - at : size - at;
        char *line = bipe_tool_alloc(length + 1, 1);
        memcpy(line, bytes + at, length);
        bipe_output_printf(output, NULL, "| ");
        bipe_output_name(output, line, NULL);
        bipe_output_printf(output, NULL, "\n");
        bipe_free(line);
        at += length + 1;
        if (at == size) /* a newline at the end begins an empty line, where the answer goes on */
            bipe_output_printf(output, NULL, "| \n");
    }
}

/* Tokens from .. to as ids with their text, or their name where they have none, the middle of many left out. */
static void show_tokens(bipe_output *output, const bipe_tokenizer *tokenizer, const bipe_growing_view *v, size_t from,
                        size_t to, bool all)
{
    bipe_output_printf(output, NULL, "tokens");
    for (size_t i = from; i < to; i++) {
        if (!all && i == from + LISTED_FIRST && to - i > LISTED_LAST) {
            bipe_output_printf(output, NULL, "  ... %zu more ...", to - i - LISTED_LAST);
            i = to - LISTED_LAST;
        }
        const bipe_token *t = &v->tokens[i];
        size_t size = 0;
        const uint8_t *name = t->end == t->start ? bipe_tokenizer_string(tokenizer, v->ids[i], &size) : NULL;
        bipe_output_printf(output, NULL, name != NULL ? "  %u " : "  %u \"", v->ids[i]);
        if (name != NULL)
            bipe_tsv_text(output, (const char *)name, size);
        else
            bipe_tsv_text(output, (const char *)v->bytes + t->start, (size_t)(t->end - t->start));
        bipe_output_printf(output, NULL, name != NULL ? "" : "\"");
    }
    bipe_output_printf(output, NULL, "\n");
}

static void show_prompt(bipe_output *output, const bipe_tokenizer *tokenizer, const struct bipe_task_text *text)
{
    bipe_growing_view v = bipe_growing_text_view(text->tokens);
    show_text(output, v.bytes, text->first < v.count ? (size_t)v.tokens[text->first].start : v.size);
    show_tokens(output, tokenizer, &v, 0, text->first, false);
}

static void show_answer(bipe_output *output, const bipe_tokenizer *tokenizer, const struct bipe_task_text *text)
{
    bipe_growing_view v = bipe_growing_text_view(text->tokens);
    size_t start = (size_t)v.tokens[text->first].start;
    show_text(output, v.bytes + start, v.size - start);
    show_tokens(output, tokenizer, &v, text->first, v.count, true);
}

/* The choices, each after its own prompt where it is not the one before. */
static void show_choices(bipe_output *output, const bipe_tokenizer *tokenizer, const bipe_question *q,
                         const bipe_task_prompt *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct bipe_task_text *text = &p->text[i];
        size_t tokens = bipe_growing_text_view(text->tokens).count - text->first;
        if (i > 0 && p->shared < p->text[0].first) {
            bipe_output_printf(output, NULL, "prompt of choice %zu, %zu tokens\n", i, text->first);
            show_prompt(output, tokenizer, text);
        }
        bipe_output_printf(output, NULL, "choice %zu%s, %zu token%s from token %zu on\n", i,
                           q->right[i] ? ", right" : "", tokens, tokens == 1 ? "" : "s", text->first);
        show_answer(output, tokenizer, text);
    }
}

/* What ends generated text, and what it is compared with. */
static void show_generation(bipe_output *output, const bipe_task *task, const bipe_question *q,
                            const bipe_task_prompt *p)
{
    bipe_output_printf(output, NULL, "answer, at most %zu tokens from token %zu on", task->max_tokens,
                       p->text[0].first);
    for (size_t i = 0; i < task->stop_count; i++) {
        bipe_output_printf(output, NULL, "%s \"", i == 0 ? ", up to" : " or");
        bipe_tsv_text(output, task->stop[i], strlen(task->stop[i]));
        bipe_output_printf(output, NULL, "\"");
    }
    if (p->stop_at > 1)
        bipe_output_printf(output, NULL, " for the %zuth time", p->stop_at);
    bipe_output_printf(output, NULL, "\n");
    for (size_t i = 0; i < q->references.count; i++) {
        bipe_output_printf(output, NULL, "reference %zu\n", i);
        show_text(output, q->references.text[i].data, q->references.text[i].size);
    }
}

void bipe_eval_show(const bipe_eval_run *run, const char *path, size_t model, const bipe_question *q,
                    const bipe_task_prompt *p)
{
    const bipe_tokenizer *tokenizer = run->model[model].tokenizer;
    bipe_output *output = run->output;
    char *id = bipe_tool_alloc(q->id.size + 1, 1);
    memcpy(id, q->id.data, q->id.size);
    bipe_output_printf(output, NULL, "%srecord ", run->done > 0 || model > 0 ? "\n" : "");
    bipe_output_name(output, id, NULL);
    bipe_output_printf(output, NULL, " of ");
    bipe_output_name(output, path, NULL);
    if (run->models > 1) {
        bipe_output_printf(output, NULL, ", as ");
        bipe_output_name(output, run->about[model].name, NULL);
        bipe_output_printf(output, NULL, " sees it");
    }
    bipe_output_printf(output, NULL, "\nprompt, %zu tokens", p->text[0].first);
    if (p->cut > 0)
        bipe_output_printf(output, NULL, " without %zu that are cut %s", p->cut, bipe_eval_cut_place(run));
    bipe_output_printf(output, NULL, "\n");
    show_prompt(output, tokenizer, &p->text[0]);
    if (run->task->kind == BIPE_TASK_CHOICES)
        show_choices(output, tokenizer, q, p);
    else
        show_generation(output, run->task, q, p);
    bipe_free(id);
}
