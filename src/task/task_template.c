/* task_template.c - texts with placeholders; see task_template.h. */
#include "task/task_template.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Literal text, or a placeholder, which has a path. */
struct bipe_task_part {
    bipe_buffer literal;
    char *path;
    bipe_task_steps steps;
};

enum { PARTS_MOST = 1024, ITEMS_MOST = 1024, NAME_SIZE = 256, FOUND_SIZE = 160, SHOWN = 80, TEXTS_MOST = 256 << 20 };

/* ---- parsing ---- */

static int add_template_part(bipe_task_template *t, bipe_task_part **part, bipe_error *err)
{
    if (t->count == PARTS_MOST)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a template of more than %d parts, expected fewer", PARTS_MOST);
    if (bipe_grow(&t->part, &t->capacity, t->count + 1, sizeof *t->part) != 0)
        return bipe_fail_memory(err);
    *part = &t->part[t->count++];
    **part = (bipe_task_part){0};
    return BIPE_OK;
}

/* text: between the braces. */
static int add_placeholder(bipe_task_template *t, const char *text, size_t size, bipe_error *err)
{
    bipe_task_part *part;
    size_t name = 0;
    while (name < size && text[name] != '|')
        name++;
    if (name == 0 || name >= NAME_SIZE)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a placeholder with a name of %zu bytes, expected 1 to %d", name,
                         NAME_SIZE - 1);
    int status = add_template_part(t, &part, err);
    if (status != BIPE_OK)
        return status;
    part->path = bipe_alloc(name + 1, 1);
    if (part->path == NULL)
        return bipe_fail_memory(err);
    memcpy(part->path, text, name);
    for (size_t at = name, end; at < size && status == BIPE_OK; at = end) {
        end = at + 1;
        while (end < size && text[end] != '|')
            end++;
        status = bipe_task_steps_add(&part->steps, text + at + 1, end - at - 1, err);
    }
    return status != BIPE_OK ? bipe_error_prefix(err, "{%s}", part->path) : BIPE_OK;
}

int bipe_task_template_parse(bipe_task_template *t, const char *text, bipe_error *err)
{
    bipe_task_part *literal = NULL;
    int status = BIPE_OK;
    for (const char *at = text; *at != '\0' && status == BIPE_OK;) {
        if (at[0] == '{' && at[1] != '{') {
            const char *end = strchr(at, '}');
            if (end == NULL)
                return bipe_fail(err, BIPE_ERR_ARGUMENT,
                                 "found '%.*s', expected a placeholder that ends with } ({{ is a brace)", SHOWN, at);
            status = add_placeholder(t, at + 1, (size_t)(end - at - 1), err);
            at = end + 1;
            literal = NULL;
            continue;
        }
        if (at[0] == '}' && at[1] != '}')
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%.*s', expected a { before it (}} is a brace)", SHOWN, at);
        if (literal == NULL)
            status = add_template_part(t, &literal, err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(&literal->literal, at, 1, err);
        at += at[0] == '{' || at[0] == '}' ? 2 : 1;
    }
    return status;
}

void bipe_task_template_free(bipe_task_template *t)
{
    for (size_t i = 0; i < t->count; i++) {
        bipe_buffer_free(&t->part[i].literal);
        bipe_free(t->part[i].path);
        bipe_task_steps_free(&t->part[i].steps);
    }
    bipe_free(t->part);
    *t = (bipe_task_template){0};
}

/* ---- the members of a record ---- */

/* The names in an object, as many as fit, or what it is instead. */
static const char *describe_value(const json_t *value, char text[FOUND_SIZE])
{
    size_t used = 0;
    if (json_is_array(value))
        snprintf(text, FOUND_SIZE, "a list of %zu item%s", json_array_size(value),
                 json_array_size(value) == 1 ? "" : "s");
    else if (!json_is_object(value))
        snprintf(text, FOUND_SIZE, "%s",
                 json_is_string(value)   ? "text"
                 : json_is_null(value)   ? "null"
                 : json_is_number(value) ? "a number"
                                         : "true or false");
    else if (json_object_size(value) == 0)
        snprintf(text, FOUND_SIZE, "no member");
    for (void *i = json_object_iter((json_t *)(uintptr_t)value); i != NULL;
         i = json_object_iter_next((json_t *)(uintptr_t)value, i)) {
        const char *name = json_object_iter_key(i), *comma = used > 0 ? ", " : "";
        if (used + strlen(name) + 10 > FOUND_SIZE) { /* with the marks, the comma after it and "..." */
            snprintf(text + used, FOUND_SIZE - used, "%s...", comma);
            break;
        }
        used += (size_t)snprintf(text + used, FOUND_SIZE - used, "%s\"%s\"", comma, name);
    }
    return text;
}

static int no_member(const char *path, const json_t *inside, bipe_error *err)
{
    char text[FOUND_SIZE];
    return bipe_fail(err, BIPE_ERR_FORMAT, "the record has no {%s}, found %s, expected the members that the task names",
                     path, describe_value(inside, text));
}

/* The value at a path such as a.b[2].c; a member may also have the whole path as its name. */
static int find_value(const json_t *record, const char *path, const json_t **value, bipe_error *err)
{
    const json_t *at = json_object_get(record, path);
    const json_t *inside = record;
    for (const char *p = path; at == NULL && *p != '\0';) {
        inside = p == path ? record : *value;
        if (*p == '[') {
            size_t digits = strspn(p + 1, "0123456789");
            if (digits == 0 || p[1 + digits] != ']')
                return no_member(path, inside, err);
            *value = json_array_get(inside, (size_t)strtoull(p + 1, NULL, 10));
            p += digits + 2;
        } else {
            char name[NAME_SIZE];
            p += p != path && *p == '.';
            size_t size = strcspn(p, ".[");
            if (size == 0)
                return no_member(path, inside, err);
            memcpy(name, p, size); /* shorter than the path */
            name[size] = '\0';
            *value = json_object_get(inside, name);
            p += size;
        }
        if (*value == NULL)
            return no_member(path, inside, err);
        if (*p == '\0')
            at = *value;
        else if (*p != '.' && *p != '[')
            return no_member(path, inside, err);
    }
    if (at == NULL || json_is_null(at))
        return no_member(path, at == NULL ? inside : at, err);
    *value = at;
    return BIPE_OK;
}

/* A number with as few digits as give it back. */
static int append_number(bipe_buffer *text, double value, bipe_error *err)
{
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) /* NOLINT: exact on purpose */
            break;
    }
    return bipe_buffer_append(text, digits, strlen(digits), err);
}

static int append_value(bipe_buffer *text, const json_t *value, const char *path, bipe_error *err)
{
    if (json_is_string(value))
        return bipe_buffer_append(text, json_string_value(value), json_string_length(value), err);
    if (json_is_integer(value))
        return bipe_buffer_printf(text, err, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value))
        return append_number(text, json_real_value(value), err);
    if (json_is_boolean(value))
        return bipe_buffer_printf(text, err, "%s", json_is_true(value) ? "true" : "false");
    return bipe_fail(err, BIPE_ERR_FORMAT, "{%s}: found %s, expected text or a number", path,
                     json_is_array(value) ? "a list" : json_is_object(value) ? "an object" : "null");
}

/* ---- filling ---- */

static int too_long(bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_LIMIT, "the texts of a list have more than %d bytes together", TEXTS_MOST);
}

/* The texts of a list that a placeholder names, after its steps. */
static int fill_items(const bipe_task_part *part, const json_t *list, bipe_task_texts *items, bipe_error *err)
{
    int status = BIPE_OK;
    items->count = 0;
    if (json_array_size(list) > ITEMS_MOST)
        return bipe_fail(err, BIPE_ERR_FORMAT, "{%s}: a list of %zu items, expected at most %d", part->path,
                         json_array_size(list), ITEMS_MOST);
    for (size_t i = 0; i < json_array_size(list) && status == BIPE_OK; i++) {
        bipe_buffer *text;
        status = bipe_task_texts_add(items, &text, err);
        if (status == BIPE_OK)
            status = append_value(text, json_array_get(list, i), part->path, err);
    }
    if (status == BIPE_OK) {
        status = bipe_task_steps_apply_list(&part->steps, true, items, err);
        if (status != BIPE_OK)
            bipe_error_prefix(err, "{%s}", part->path);
    }
    return status;
}

/* A placeholder filled from a record: one text, or one for each item of a list. */
typedef struct part_texts {
    bipe_task_texts texts;
    bool list;
} part_texts;

/* lists: the placeholder may name a list that its steps do not join. */
static int fill_part(const bipe_task_part *part, const json_t *record, bool lists, part_texts *to, bipe_error *err)
{
    const json_t *value = NULL;
    bipe_buffer *text;
    int status = find_value(record, part->path, &value, err);
    if (status != BIPE_OK)
        return status;
    bool joined = bipe_task_steps_join(&part->steps);
    if (json_is_array(value) && (joined || lists)) {
        to->list = !joined;
        return fill_items(part, value, &to->texts, err);
    }
    if (bipe_task_steps_need_list(&part->steps))
        return bipe_fail(err, BIPE_ERR_FORMAT, "{%s}: found no list, expected one for its steps", part->path);
    status = bipe_task_texts_add(&to->texts, &text, err);
    if (status == BIPE_OK)
        status = append_value(text, value, part->path, err);
    if (status == BIPE_OK && (status = bipe_task_steps_apply(&part->steps, true, text, err)) != BIPE_OK)
        bipe_error_prefix(err, "{%s}", part->path);
    return status;
}

/* All placeholders (t->count; the caller closes them). *items: the length of their lists; SIZE_MAX: there is none. */
static int fill_parts(const bipe_task_template *t, const json_t *record, bool lists, part_texts **parts, size_t *items,
                      bipe_error *err)
{
    size_t total = 0;
    *items = SIZE_MAX;
    *parts = bipe_alloc(t->count, sizeof **parts);
    int status = *parts != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; i < t->count && status == BIPE_OK; i++) {
        part_texts *p = &(*parts)[i];
        if (t->part[i].path == NULL)
            continue;
        status = fill_part(&t->part[i], record, lists, p, err);
        for (size_t k = 0; k < p->texts.count; k++)
            total += p->texts.text[k].size;
        if (status == BIPE_OK && total > TEXTS_MOST)
            status = too_long(err);
        if (status == BIPE_OK && p->list && *items != SIZE_MAX && *items != p->texts.count)
            status = bipe_fail(err, BIPE_ERR_FORMAT,
                               "{%s}: a list of %zu items beside one of %zu, expected the same number", t->part[i].path,
                               p->texts.count, *items);
        if (p->list)
            *items = p->texts.count;
    }
    return status;
}

static void close_parts(part_texts *parts, size_t count)
{
    for (size_t i = 0; parts != NULL && i < count; i++)
        bipe_task_texts_free(&parts[i].texts);
    bipe_free(parts);
}

/* Appends the template with this item of each list. */
static int append_parts(const bipe_task_template *t, const part_texts *parts, size_t item, bipe_buffer *text,
                        bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < t->count && status == BIPE_OK; i++) {
        const bipe_task_texts *texts = &parts[i].texts;
        size_t number = parts[i].list ? item : 0;
        const bipe_buffer *more = t->part[i].path == NULL ? &t->part[i].literal
                                  : number < texts->count ? &texts->text[number]
                                                          : NULL;
        if (more != NULL)
            status = bipe_buffer_append(text, more->data, more->size, err);
    }
    return status;
}

int bipe_task_template_fill(const bipe_task_template *t, const json_t *record, bipe_buffer *text, bipe_error *err)
{
    size_t items;
    part_texts *parts;
    int status = fill_parts(t, record, false, &parts, &items, err);
    if (status == BIPE_OK)
        status = append_parts(t, parts, 0, text, err);
    close_parts(parts, t->count);
    return status;
}

int bipe_task_template_fill_list(const bipe_task_template *t, const json_t *record, bipe_task_texts *texts,
                                 bipe_error *err)
{
    size_t items, total = 0;
    part_texts *parts;
    int status = fill_parts(t, record, true, &parts, &items, err);
    for (size_t i = 0; i < texts->count; i++)
        total += texts->text[i].size;
    for (size_t item = 0; status == BIPE_OK && item < (items == SIZE_MAX ? 1 : items); item++) {
        bipe_buffer *text;
        status = bipe_task_texts_add(texts, &text, err);
        if (status == BIPE_OK)
            status = append_parts(t, parts, item, text, err);
        if (status == BIPE_OK && (total += text->size) > TEXTS_MOST)
            status = too_long(err);
    }
    close_parts(parts, t->count);
    return status;
}
