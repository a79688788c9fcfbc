/* question.c - records as questions; see task.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "task/task.h"

/* Fills a template of the task, whose name errors carry. clean: the result goes through the task's steps. */
static int fill_member(const bipe_task *t, const bipe_task_template *template, const json_t *record, bool clean,
                       bipe_buffer *text, bipe_error *err)
{
    text->size = 0;
    int status = bipe_task_template_fill(template, record, text, err);
    return status == BIPE_OK && clean ? bipe_task_steps_apply(&t->clean, false, text, err) : status;
}

static int fill_members(const bipe_task_template *templates, size_t count, const json_t *record, bipe_task_texts *texts,
                        bipe_error *err)
{
    int status = BIPE_OK;
    texts->count = 0;
    for (size_t i = 0; i < count && status == BIPE_OK; i++)
        status = bipe_task_template_fill_list(&templates[i], record, texts, err);
    return status;
}

static bool is_text(const bipe_buffer *text, const char *what)
{
    return text->size == strlen(what) && memcmp(text->data, what, text->size) == 0;
}

static bool same_text(const bipe_buffer *a, const bipe_buffer *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* ---- the right choices ---- */

/* A number of at most six digits; false: it is none. */
static bool parse_number(const bipe_buffer *text, size_t *number)
{
    *number = 0;
    for (size_t i = 0; i < text->size; i++) {
        if (i == 6 || text->data[i] < '0' || text->data[i] > '9')
            return false;
        *number = *number * 10 + (size_t)(text->data[i] - '0');
    }
    return text->size > 0;
}

/* The number of the choice that `gold` names. */
static int find_choice(const bipe_question *q, const bipe_buffer *gold, size_t *choice, bipe_error *err)
{
    const char *text = gold->size > 0 ? (const char *)gold->data : "";
    if (q->labels.count > 0) {
        for (*choice = 0; *choice < q->labels.count; ++*choice)
            if (same_text(&q->labels.text[*choice], gold))
                return BIPE_OK;
        return bipe_fail(err, BIPE_ERR_FORMAT, "the gold answer is '%.*s', expected one of the %zu labels",
                         (int)(gold->size < 80 ? gold->size : 80), text, q->labels.count);
    }
    if (!parse_number(gold, choice) || *choice >= q->choices.count)
        return bipe_fail(err, BIPE_ERR_FORMAT, "the gold answer is '%.*s', expected a number from 0 to %zu",
                         (int)(gold->size < 80 ? gold->size : 80), text, q->choices.count - 1);
    return BIPE_OK;
}

static int find_right(const bipe_task *t, bipe_question *q, const json_t *record, bipe_error *err)
{
    size_t choices = q->choices.count, found = 0;
    if (bipe_grow(&q->right, &q->right_capacity, choices, 1) != 0)
        return bipe_fail_memory(err);
    memset(q->right, 0, choices);
    if (t->gold_count == 0 && choices == 1) {
        q->right[0] = 1;
        return BIPE_OK;
    }
    int status = fill_members(t->labels, t->label_count, record, &q->labels, err);
    if (status == BIPE_OK)
        status = fill_members(t->gold, t->gold_count, record, &q->gold, err);
    if (status != BIPE_OK)
        return status;
    if (q->labels.count > 0 && q->labels.count != choices)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu labels, expected one for each of the %zu choices", q->labels.count,
                         choices);
    if (q->gold.count == 1) {
        status = find_choice(q, &q->gold.text[0], &found, err);
        if (status == BIPE_OK)
            q->right[found] = 1;
        return status;
    }
    if (q->gold.count != choices)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu gold answers, expected one, or 0 or 1 for each of the %zu choices",
                         q->gold.count, choices);
    for (size_t i = 0; i < choices; i++) {
        if (!is_text(&q->gold.text[i], "0") && !is_text(&q->gold.text[i], "1"))
            return bipe_fail(err, BIPE_ERR_FORMAT, "a gold answer for choice %zu that is neither 0 nor 1", i);
        q->right[i] = q->gold.text[i].data[0] == '1';
        found += q->right[i];
    }
    return found > 0
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_FORMAT, "none of the %zu choices is right, expected one at least", choices);
}

static int read_choices(const bipe_task *t, bipe_question *q, const json_t *record, bipe_error *err)
{
    int status = fill_members(t->choices, t->choice_count, record, &q->choices, err);
    if (status == BIPE_OK && q->choices.count == 0)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "the record has no choices, expected one at least");
    for (size_t i = 0; i < q->choices.count && status == BIPE_OK; i++) {
        status = bipe_task_steps_apply(&t->clean, false, &q->choices.text[i], err);
        if (status == BIPE_OK && q->choices.text[i].size == 0)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "choice %zu is empty, expected text", i);
    }
    if (status == BIPE_OK && t->has_ending) {
        status = fill_member(t, &t->ending, record, true, &q->ending, err);
        if (status == BIPE_OK && q->ending.size == 0)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "the ending is empty, expected text");
    }
    return status == BIPE_OK ? find_right(t, q, record, err) : status;
}

/* ---- questions ---- */

static int read_id(const bipe_task *t, bipe_question *q, const json_t *record, uint64_t number, bipe_error *err)
{
    const json_t *own = json_object_get(record, "id");
    q->id.size = 0;
    if (t->has_id)
        return fill_member(t, &t->id, record, false, &q->id, err);
    if (json_is_string(own))
        return bipe_buffer_append(&q->id, json_string_value(own), json_string_length(own), err);
    if (json_is_integer(own))
        return bipe_buffer_printf(&q->id, err, "%" JSON_INTEGER_FORMAT, json_integer_value(own));
    return bipe_buffer_printf(&q->id, err, "%" PRIu64, number);
}

int bipe_task_ask(const bipe_task *t, const json_t *record, uint64_t number, bipe_question *q, bipe_error *err)
{
    int status = read_id(t, q, record, number, err);
    if (status == BIPE_OK)
        status = fill_member(t, &t->description, record, false, &q->description, err);
    if (status == BIPE_OK)
        status = fill_member(t, &t->shots_by, record, false, &q->group, err);
    if (status == BIPE_OK)
        status = fill_member(t, &t->prompt, record, true, &q->prompt, err);
    if (status == BIPE_OK && q->prompt.size == 0 && !t->has_ending) /* the choice is before the ending */
        status = bipe_fail(err, BIPE_ERR_FORMAT, "the prompt is empty, expected text");
    if (status == BIPE_OK && t->kind == BIPE_TASK_CHOICES)
        status = read_choices(t, q, record, err);
    if (status == BIPE_OK && t->kind == BIPE_TASK_GENERATE) {
        status = fill_members(t->references, t->reference_count, record, &q->references, err);
        if (status == BIPE_OK && q->references.count == 0)
            status = bipe_fail(err, BIPE_ERR_FORMAT, "the record has no reference, expected one at least");
        if (status == BIPE_OK)
            status = fill_members(t->labels, t->label_count, record, &q->labels, err);
        if (status == BIPE_OK)
            status = fill_member(t, &t->question, record, false, &q->asked, err);
    }
    if (status == BIPE_OK && t->stop_at.count > 0) {
        status = fill_member(t, &t->stop_at, record, false, &q->number, err);
        if (status == BIPE_OK && (!parse_number(&q->number, &q->stop_at) || q->stop_at == 0))
            status = bipe_fail(err, BIPE_ERR_FORMAT,
                               "stop_at is no number of a text to stop at, expected one from 1 to 999999");
    }
    if (status != BIPE_OK)
        return status;
    if (t->has_target)
        return fill_member(t, &t->target, record, true, &q->target, err);
    const bipe_task_texts *from = t->kind == BIPE_TASK_CHOICES ? &q->choices : &q->references;
    size_t right = 0;
    while (t->kind == BIPE_TASK_CHOICES && !q->right[right])
        right++;
    q->target.size = 0;
    return bipe_buffer_append(&q->target, from->text[right].data, from->text[right].size, err);
}

static int append_text(bipe_buffer *text, const char *more, bipe_error *err)
{
    return bipe_buffer_append(text, more, strlen(more), err);
}

int bipe_task_shot(const bipe_task *t, const bipe_question *q, bipe_buffer *text, bipe_error *err)
{
    /* where the ending is scored, the choice is part of the prompt */
    const bipe_buffer *first = t->has_ending ? &q->target : NULL, *second = t->has_ending ? &q->ending : &q->target;
    int status = bipe_buffer_append(text, q->prompt.data, q->prompt.size, err);
    if (status == BIPE_OK && first != NULL)
        status = bipe_buffer_append(text, first->data, first->size, err);
    if (status == BIPE_OK)
        status = append_text(text, t->separator, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(text, second->data, second->size, err);
    return status == BIPE_OK ? append_text(text, t->shot_separator, err) : status;
}

void bipe_question_free(bipe_question *q)
{
    bipe_buffer *const all[] = {&q->id,     &q->description, &q->group, &q->prompt,
                                &q->ending, &q->target,      &q->asked, &q->number};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        bipe_buffer_free(all[i]);
    bipe_task_texts *const lists[] = {&q->choices, &q->references, &q->labels, &q->gold};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        bipe_task_texts_free(lists[i]);
    bipe_free(q->right);
    *q = (bipe_question){0};
}
