/* task_steps.c - transforms texts by named steps; see task_steps.h. */
#include "config.h"

#include "task/task_steps.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "text/pattern.h"
#include "text/python_text.h"
#include "text/utf8.h"

typedef int step_function(const bipe_task_step *step, bool strict, bipe_buffer *text, bipe_error *err);

/* The table of steps. */
typedef struct step_kind {
    const char *name;
    int arguments;
    step_function *apply;                                     /* NULL: it is for lists */
    int (*apply_list)(const bipe_task_step *, bipe_task_texts *, bipe_error *);
} step_kind;

struct bipe_task_step {
    const step_kind *kind;
    bipe_buffer argument[2];
    bipe_pattern *pattern;
    bipe_matches *matches;
};

enum { STEPS_MOST = 64, LETTERS = 26, TEXT_MOST = 64 << 20 /* bytes that replace makes */ };

/* ---- texts ---- */

int bipe_task_texts_add(bipe_task_texts *texts, bipe_buffer **text, bipe_error *err)
{
    size_t capacity = texts->capacity;
    if (bipe_grow(&texts->text, &texts->capacity, texts->count + 1, sizeof *texts->text) != 0)
        return bipe_fail_memory(err);
    memset(texts->text + capacity, 0, (texts->capacity - capacity) * sizeof *texts->text);
    *text = &texts->text[texts->count++];
    (*text)->size = 0;
    return BIPE_OK;
}

void bipe_task_texts_free(bipe_task_texts *texts)
{
    for (size_t i = 0; i < texts->capacity; i++)
        bipe_buffer_free(&texts->text[i]);
    bipe_free(texts->text);
    *texts = (bipe_task_texts){0};
}

/* ---- steps ---- */

/* Keeps bytes from .. to. */
static void keep_part(bipe_buffer *text, size_t from, size_t to)
{
    text->size = to;
    bipe_buffer_consume(text, from);
}

static int squeeze_text(const bipe_task_step *step, bool strict, bipe_buffer *text, bipe_error *err)
{
    (void)step, (void)strict, (void)err;
    size_t kept = 0;
    bool between = false;
    for (size_t at = 0, used; at < text->size; at += used) {
        int32_t code;
        used = bipe_utf8_decode(text->data + at, text->size - at, &code);
        used += used == 0;
        if (bipe_python_space(code)) {
            between = kept > 0;
            continue;
        }
        if (between)
            text->data[kept++] = ' ';
        memmove(text->data + kept, text->data + at, used);
        kept += used;
        between = false;
    }
    text->size = kept;
    return BIPE_OK;
}

static int strip_text(const bipe_task_step *step, bool strict, bipe_buffer *text, bipe_error *err)
{
    (void)step, (void)strict, (void)err;
    size_t from, to;
    bipe_python_strip(text->data, text->size, &from, &to);
    keep_part(text, from, to);
    return BIPE_OK;
}

static int change_case(bipe_buffer *text, bool capitalize, bipe_error *err)
{
    bipe_buffer changed = {0};
    int status = bipe_python_change(&changed, text->data, text->size,
                                    capitalize ? BIPE_PYTHON_CAPITALIZE : BIPE_PYTHON_LOWER, err);
    bipe_buffer_free(text);
    *text = changed;
    return status;
}

static int lower_text(const bipe_task_step *step, bool strict, bipe_buffer *text, bipe_error *err)
{
    (void)step, (void)strict;
    return change_case(text, false, err);
}

static int capitalize_text(const bipe_task_step *step, bool strict, bipe_buffer *text, bipe_error *err)
{
    (void)step, (void)strict;
    return change_case(text, true, err);
}

/* The first offset of `what` (size 1 or more) at or after `from`; SIZE_MAX: none. */
static size_t find_text(const bipe_buffer *text, const bipe_buffer *what, size_t from)
{
    const uint8_t *found = from < text->size ? memmem(text->data + from, text->size - from, what->data, what->size)
                                             : NULL;
    return found == NULL ? SIZE_MAX : (size_t)(found - text->data);
}

static int cut_text(const bipe_task_step *step, bool strict, bipe_buffer *text, bipe_error *err)
{
    const bipe_buffer *what = &step->argument[0];
    const char *name = step->kind->name;
    size_t found = find_text(text, what, 0);
    if (found == SIZE_MAX && strict)
        return bipe_fail(err, BIPE_ERR_FORMAT, "found no '%.*s', expected one for the step %s", (int)what->size,
                         (const char *)what->data, name);
    if (found == SIZE_MAX)
        return BIPE_OK;
    if (strstr(name, "_last") != NULL)
        for (size_t next; (next = find_text(text, what, found + 1)) != SIZE_MAX;)
            found = next;
    if (name[0] == 'b')
        keep_part(text, 0, found);
    else if (name[0] == 'a')
        keep_part(text, found + what->size, text->size);
    else
        keep_part(text, 0, found + what->size);
    return BIPE_OK;
}

static int replace_text(const bipe_task_step *step, bool strict, bipe_buffer *text, bipe_error *err)
{
    (void)strict;
    const bipe_buffer *what = &step->argument[0], *by = &step->argument[1];
    bipe_buffer changed = {0};
    size_t at = 0;
    int status = BIPE_OK;
    for (size_t found; status == BIPE_OK && (found = find_text(text, what, at)) != SIZE_MAX; at = found + what->size) {
        status = bipe_buffer_append(&changed, text->data + at, found - at, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(&changed, by->data, by->size, err);
        if (status == BIPE_OK && changed.size > TEXT_MOST)
            status = bipe_fail(err, BIPE_ERR_LIMIT, "the step replace makes a text of more than %d bytes", TEXT_MOST);
    }
    if (status == BIPE_OK && at > 0) {
        status = bipe_buffer_append(&changed, text->data + at, text->size - at, err);
        bipe_buffer swap = *text;
        *text = changed;
        changed = swap;
    }
    bipe_buffer_free(&changed);
    return status;
}

/* As re.sub("\\[.*?\\]", "", text): from each [ to the next ] of its line. */
static int drop_brackets(const bipe_task_step *step, bool strict, bipe_buffer *text, bipe_error *err)
{
    (void)step, (void)strict, (void)err;
    size_t kept = 0, end = 0; /* end: of what has been searched, which no other [ needs to search again */
    for (size_t at = 0; at < text->size;) {
        if (text->data[at] == '[')
            for (end = end > at ? end : at; end < text->size && text->data[end] != ']' && text->data[end] != '\n';)
                end++;
        if (text->data[at] == '[' && end < text->size && text->data[end] == ']')
            at = end + 1;
        else
            text->data[kept++] = text->data[at++];
    }
    text->size = kept;
    return BIPE_OK;
}

static int match_text(const bipe_task_step *step, bool strict, bipe_buffer *text, bipe_error *err)
{
    (void)strict;
    size_t start = 0, end = 0;
    bipe_matches_resume(step->matches);
    bipe_matches_begin(step->matches, text->data, text->size, false);
    int status = bipe_matches_next(step->matches, &start, &end, err);
    if (status == BIPE_OK || status == BIPE_END)
        keep_part(text, start, end);
    return status == BIPE_END ? BIPE_OK : status;
}

/* ---- of lists ---- */

static int check_letters(const bipe_task_texts *list, bipe_error *err)
{
    if (list->count > LETTERS)
        return bipe_fail(err, BIPE_ERR_FORMAT, "a list of %zu items, expected at most %d, one for each letter",
                         list->count, LETTERS);
    return BIPE_OK;
}

static int letter_items(const bipe_task_step *step, bipe_task_texts *list, bipe_error *err)
{
    const bipe_buffer *after = &step->argument[0];
    int status = check_letters(list, err);
    for (size_t i = 0; i < list->count && status == BIPE_OK; i++) {
        bipe_buffer *text = &list->text[i];
        size_t size = text->size, more = 1 + after->size;
        status = bipe_buffer_reserve(text, more, err);
        if (status != BIPE_OK)
            break;
        if (size > 0)
            memmove(text->data + more, text->data, size);
        text->data[0] = (uint8_t)('A' + i);
        if (after->size > 0)
            memcpy(text->data + 1, after->data, after->size);
        text->size = size + more;
    }
    return status;
}

static int letters_alone(const bipe_task_step *step, bipe_task_texts *list, bipe_error *err)
{
    for (size_t i = 0; i < list->count; i++)
        list->text[i].size = 0;
    return letter_items(step, list, err);
}

static int join_items(const bipe_task_step *step, bipe_task_texts *list, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 1; i < list->count && status == BIPE_OK; i++) {
        status = bipe_buffer_append(&list->text[0], step->argument[0].data, step->argument[0].size, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(&list->text[0], list->text[i].data, list->text[i].size, err);
    }
    list->count = list->count > 1 ? 1 : list->count;
    return status;
}

static const step_kind kinds[] = {
    {"strip", 0, strip_text, NULL},
    {"squeeze", 0, squeeze_text, NULL},
    {"lower", 0, lower_text, NULL},
    {"capitalize", 0, capitalize_text, NULL},
    {"before", 1, cut_text, NULL},
    {"after", 1, cut_text, NULL},
    {"upto", 1, cut_text, NULL},
    {"before_last", 1, cut_text, NULL},
    {"after_last", 1, cut_text, NULL},
    {"replace", 2, replace_text, NULL},
    {"drop_brackets", 0, drop_brackets, NULL},
    {"match", 1, match_text, NULL},
    {"letter", 1, NULL, letter_items},
    {"letters", 0, NULL, letters_alone},
    {"join", 1, NULL, join_items},
};

/* ---- a list of steps ---- */

static const step_kind *find_kind(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].name) == size && memcmp(kinds[i].name, name, size) == 0)
            return &kinds[i];
    return NULL;
}

int bipe_task_steps_add(bipe_task_steps *steps, const char *text, size_t size, bipe_error *err)
{
    const char *colon = memchr(text, ':', size);
    size_t name = colon == NULL ? size : (size_t)(colon - text);
    const step_kind *kind = find_kind(text, name);
    if (kind == NULL)
        return bipe_fail(
            err, BIPE_ERR_ARGUMENT,
            "there is no step '%.*s', expected strip, squeeze, lower, capitalize, before:X, after:X, upto:X, "

            "before_last:X, after_last:X, replace:X:Y, drop_brackets, match:PATTERN, letter:X, letters or join:X",
            (int)(name < 80 ? name : 80), text);
    if ((colon != NULL) != (kind->arguments > 0))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "the step %s: expected %s", kind->name,
                         kind->arguments > 0 ? "a colon and an argument" : "no argument");
    if (steps->count == STEPS_MOST)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "more than %d steps, expected fewer", STEPS_MOST);
    if (bipe_grow(&steps->step, &steps->capacity, steps->count + 1, sizeof *steps->step) != 0)
        return bipe_fail_memory(err);
    bipe_task_step *step = &steps->step[steps->count++];
    *step = (bipe_task_step){.kind = kind};
    if (colon == NULL)
        return BIPE_OK;
    const char *argument = colon + 1, *end = text + size;
    if (kind->arguments == 2) {
        const char *second = memchr(argument, ':', (size_t)(end - argument));
        if (second == NULL)
            return bipe_fail(err, BIPE_ERR_ARGUMENT,
                             "the step %s: found one argument, expected two and a colon between them", kind->name);
        int status = bipe_buffer_append(&step->argument[1], second + 1, (size_t)(end - second - 1), err);
        if (status != BIPE_OK)
            return status;
        end = second;
    }
    if (argument == end && kind->apply != NULL)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "the step %s: the text to look for is empty", kind->name);
    int status = bipe_buffer_append(&step->argument[0], argument, (size_t)(end - argument), err);
    if (status == BIPE_OK && kind->apply == match_text) {
        status = bipe_pattern_compile(&step->pattern, argument, (size_t)(end - argument), err);
        if (status == BIPE_OK)
            status = bipe_matches_open(&step->matches, step->pattern, err);
        if (status != BIPE_OK && status != BIPE_ERR_MEMORY && err != NULL) {
            bipe_error_prefix(err, "the step match");
            status = err->status = BIPE_ERR_ARGUMENT;
        }
    }
    return status;
}

bool bipe_task_steps_join(const bipe_task_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->step[i].kind->apply_list == join_items)
            return true;
    return false;
}

bool bipe_task_steps_need_list(const bipe_task_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->step[i].kind->apply_list != NULL)
            return true;
    return false;
}

int bipe_task_steps_apply(const bipe_task_steps *steps, bool strict, bipe_buffer *text, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < steps->count && status == BIPE_OK; i++)
        if (steps->step[i].kind->apply != NULL)
            status = steps->step[i].kind->apply(&steps->step[i], strict, text, err);
    return status;
}

int bipe_task_steps_apply_list(const bipe_task_steps *steps, bool strict, bipe_task_texts *list, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < steps->count && status == BIPE_OK; i++) {
        const bipe_task_step *step = &steps->step[i];
        if (step->kind->apply_list != NULL)
            status = step->kind->apply_list(step, list, err);
        for (size_t k = 0; step->kind->apply != NULL && k < list->count && status == BIPE_OK; k++)
            status = step->kind->apply(step, strict, &list->text[k], err);
    }
    return status;
}

void bipe_task_steps_free(bipe_task_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        bipe_buffer_free(&steps->step[i].argument[0]);
        bipe_buffer_free(&steps->step[i].argument[1]);
        bipe_matches_close(steps->step[i].matches);
        bipe_pattern_free(steps->step[i].pattern);
    }
    bipe_free(steps->step);
    *steps = (bipe_task_steps){0};
}
