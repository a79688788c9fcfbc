/* task.c - reads task files; see task.h. */
#include "task/task.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

const char *const bipe_task_cut_names[] = {"start", "middle", "end", NULL};

enum { ANY_MOST = 256, TOKENS_MOST = 1 << 20 };

static int wrong_member(bipe_error *err, const char *member, const char *expected)
{
    return bipe_fail(err, BIPE_ERR_FORMAT, "member %s: expected %s", member, expected);
}

/* ---- values ---- */

/* A text of the file, which stays the file's, or a number, which is written into `number`. */
static int read_text(const json_t *value, const char *member, char number[32], const char **text, bipe_error *err)
{
    if (json_is_number(value)) {
        number[json_dumpb(value, number, 31, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))] = '\0';
        *text = number;
        return BIPE_OK;
    }
    if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
        return wrong_member(err, member, "a text without NUL, or a number");
    *text = json_string_value(value);
    return BIPE_OK;
}

static int copy_text(const json_t *value, const char *member, char **copy, bipe_error *err)
{
    const char *text = NULL;
    char number[32];
    int status = read_text(value, member, number, &text, err);
    if (status != BIPE_OK)
        return status;
    bipe_free(*copy);
    *copy = bipe_strdup(text);
    return *copy == NULL ? bipe_fail_memory(err) : BIPE_OK;
}

static int read_template(const json_t *value, const char *member, bipe_task_template *template, bipe_error *err)
{
    const char *text = NULL;
    char number[32];
    int status = read_text(value, member, number, &text, err);
    if (status == BIPE_OK && (status = bipe_task_template_parse(template, text, err)) != BIPE_OK &&
        status != BIPE_ERR_MEMORY) {
        bipe_error_prefix(err, "member %s", member);
        err->status = status = BIPE_ERR_FORMAT;
    }
    return status;
}

/* The items of a list, or a single value as a list of one. */
static size_t list_size(const json_t *value)
{
    return json_is_array(value) ? json_array_size(value) : 1;
}

static const json_t *list_item(const json_t *value, size_t i)
{
    return json_is_array(value) ? json_array_get(value, i) : value;
}

static int check_list(const json_t *value, const char *member, bipe_error *err)
{
    return list_size(value) < 1 || list_size(value) > ANY_MOST ? wrong_member(err, member, "a list of 1 to 256 items")
                                                               : BIPE_OK;
}

static int read_templates(const json_t *value, const char *member, bipe_task_template **templates, size_t *count,
                          bipe_error *err)
{
    int status = check_list(value, member, err);
    if (status != BIPE_OK)
        return status;
    *templates = bipe_alloc(list_size(value), sizeof **templates);
    if (*templates == NULL)
        return bipe_fail_memory(err);
    *count = list_size(value);
    for (size_t i = 0; i < *count && status == BIPE_OK; i++)
        status = read_template(list_item(value, i), member, &(*templates)[i], err);
    return status;
}

static int read_steps(const json_t *value, const char *member, bipe_task_steps *steps, bipe_error *err)
{
    int status = check_list(value, member, err);
    for (size_t i = 0; status == BIPE_OK && i < list_size(value); i++) {
        const char *text = NULL;
        char number[32];
        status = read_text(list_item(value, i), member, number, &text, err);
        if (status == BIPE_OK && (status = bipe_task_steps_add(steps, text, strlen(text), err)) == BIPE_ERR_ARGUMENT) {
            bipe_error_prefix(err, "member %s", member);
            err->status = status = BIPE_ERR_FORMAT;
        }
    }
    if (status == BIPE_OK && bipe_task_steps_need_list(steps))
        return wrong_member(err, member, "steps for one text, not those for lists");
    return status;
}

static int read_stops(const json_t *value, const char *member, bipe_task *task, bipe_error *err)
{
    int status = check_list(value, member, err);
    if (status != BIPE_OK)
        return status;
    task->stop = bipe_alloc(list_size(value), sizeof *task->stop);
    if (task->stop == NULL)
        return bipe_fail_memory(err);
    for (; task->stop_count < list_size(value) && status == BIPE_OK; task->stop_count += status == BIPE_OK) {
        char **stop = &task->stop[task->stop_count];
        status = copy_text(list_item(value, task->stop_count), member, stop, err);
        if (status == BIPE_OK && (*stop)[0] == '\0') {
            bipe_free(*stop);
            *stop = NULL;
            status = wrong_member(err, member, "texts that are not empty");
        }
    }
    return status;
}

/* The number of a text in a list that ends with NULL. */
static int read_choice(const json_t *value, const char *member, const char *const *names, size_t *number,
                       bipe_error *err)
{
    const char *text = NULL;
    char digits[32];
    int status = read_text(value, member, digits, &text, err);
    if (status != BIPE_OK)
        return status;
    char expected[160] = "one of";
    for (*number = 0; names[*number] != NULL; ++*number) {
        if (strcmp(names[*number], text) == 0)
            return BIPE_OK;
        strncat(expected, *number > 0 ? ", " : " ", sizeof expected - strlen(expected) - 1);
        strncat(expected, names[*number], sizeof expected - strlen(expected) - 1);
    }
    return bipe_fail(err, BIPE_ERR_FORMAT, "member %s: found '%.40s', expected %s", member, text, expected);
}

static int read_metrics(const json_t *value, const char *member, bipe_task *task, bipe_error *err)
{
    const char *names[BIPE_METRICS_MOST + 1] = {NULL};
    int status = check_list(value, member, err);
    for (size_t i = 0; bipe_metrics[i].name != NULL; i++)
        names[i] = bipe_metrics[i].name;
    for (size_t i = 0; status == BIPE_OK && i < list_size(value); i++) {
        size_t number;
        status = read_choice(list_item(value, i), member, names, &number, err);
        for (size_t k = 0; k < task->metrics && status == BIPE_OK; k++)
            if (task->metric[k] == number)
                return wrong_member(err, member, "each metric once");
        if (status == BIPE_OK)
            task->metric[task->metrics++] = number;
    }
    return status;
}

/* ---- members ---- */

static int read_member(bipe_task *t, const char *key, const json_t *value, bipe_error *err)
{
    static const char *const kinds[] = {"choices", "generate", NULL};
    const struct { const char *name; char **text;
    } texts[] = {{"name", &t->name},
                 {"version", &t->version},
                 {"separator", &t->separator},
                 {"shot_separator", &t->shot_separator}};
    const struct { const char *name; bipe_task_template *template; bool *given; } templates[] = {
        {"prompt", &t->prompt, NULL}, {"description", &t->description, NULL}, {"target", &t->target, &t->has_target},
        {"ending", &t->ending, &t->has_ending}, {"id", &t->id, &t->has_id}, {"shots_by", &t->shots_by, NULL},
        {"stop_at", &t->stop_at, NULL}, {"question", &t->question, NULL}};
    const struct { const char *name; bipe_task_template **list; size_t *count; } lists[] = {
        {"choices", &t->choices, &t->choice_count}, {"labels", &t->labels, &t->label_count},
        {"references", &t->references, &t->reference_count}, {"gold", &t->gold, &t->gold_count}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(key, texts[i].name) == 0)
            return copy_text(value, key, texts[i].text, err);
    for (size_t i = 0; i < sizeof templates / sizeof templates[0]; i++)
        if (strcmp(key, templates[i].name) == 0) {
            if (templates[i].given != NULL)
                *templates[i].given = true;
            return read_template(value, key, templates[i].template, err);
        }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (strcmp(key, lists[i].name) == 0)
            return read_templates(value, key, lists[i].list, lists[i].count, err);
    size_t number = 0;
    if (strcmp(key, "kind") == 0 || strcmp(key, "truncate") == 0) {
        int status = read_choice(value, key, key[0] == 'k' ? kinds : bipe_task_cut_names, &number, err);
        if (key[0] == 'k')
            t->kind = (bipe_task_kind)number;
        else
            t->cut = (bipe_task_cut)number;
        return status;
    }
    if (strcmp(key, "clean") == 0)
        return read_steps(value, key, &t->clean, err);
    if (strcmp(key, "answer") == 0)
        return read_steps(value, key, &t->answer, err);
    if (strcmp(key, "stop") == 0)
        return read_stops(value, key, t, err);
    if (strcmp(key, "metrics") == 0)
        return read_metrics(value, key, t, err);
    if (strcmp(key, "merge") == 0 || strcmp(key, "stem") == 0) {
        *(key[0] == 'm' ? &t->merge : &t->stem) = json_is_true(value);
        return json_is_boolean(value) ? BIPE_OK : wrong_member(err, key, "true or false");
    }
    if (strcmp(key, "max_tokens") == 0) {
        if (!json_is_integer(value) || json_integer_value(value) < 1 || json_integer_value(value) > TOKENS_MOST)
            return wrong_member(err, key, "a whole number from 1 to 1048576");
        t->max_tokens = (size_t)json_integer_value(value);
        return BIPE_OK;
    }
    return bipe_fail(err, BIPE_ERR_FORMAT, "member %.80s: there is none of that name, expected those of bipe-task(5)",
                     key);
}

/* Whether all is there that a task of its kind has, and nothing that only others have. */
static int check_members(const bipe_task *t, const json_t *file, bipe_error *err)
{
    static const char *const needed[2][6] = {{"name", "kind", "prompt", "choices", "metrics", NULL},
                                             {"name", "kind", "prompt", "references", "max_tokens", "metrics"}};
    static const char *const foreign[2][9] = {{"references", "target", "stop", "stop_at", "max_tokens", "answer",
                                               "merge", "stem", "question"},
                                              {"choices", "gold", "ending", NULL}};
    const char *kind = t->kind == BIPE_TASK_CHOICES ? "choices" : "generate";
    for (size_t i = 0; i < 6 && needed[t->kind][i] != NULL; i++)
        if (json_object_get(file, needed[t->kind][i]) == NULL)
            return bipe_fail(err, BIPE_ERR_FORMAT, "member %s: there is none, expected one in a task of kind %s",
                             needed[t->kind][i], kind);
    for (size_t i = 0; i < 9 && foreign[t->kind][i] != NULL; i++)
        if (json_object_get(file, foreign[t->kind][i]) != NULL)
            return bipe_fail(err, BIPE_ERR_FORMAT, "member %s: not of a task of kind %s", foreign[t->kind][i], kind);
    for (size_t i = 0; i < t->metrics; i++) {
        const bipe_metric *m = &bipe_metrics[t->metric[i]];
        if (t->kind == BIPE_TASK_CHOICES ? m->of_choices == NULL : m->of_text == 0 && !m->combined)
            return bipe_fail(err, BIPE_ERR_FORMAT, "member metrics: %s is not of a task of kind %s", m->name, kind);
        if (m->of_labels && t->label_count == 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "member labels: there is none, expected some for %s", m->name);
    }
    bool plain = t->name[0] != '\0' && strpbrk(t->name, "/,\"") == NULL;
    for (const char *at = t->name; *at != '\0'; at++)
        plain = plain && (unsigned char)*at >= ' ' && *at != 0x7F;
    if (!plain)
        return wrong_member(err, "name", "a name without slashes, commas, quotes and control characters");
    if (t->merge && t->id.count == 0 && t->has_id)
        return wrong_member(err, "id", "a template that is not empty where records are merged");
    return BIPE_OK;
}

int bipe_task_open(bipe_task **task, const json_t *file, const uint8_t *text, size_t size, bipe_error *err)
{
    *task = NULL;
    bipe_task *t = bipe_alloc(1, sizeof *t);
    if (t == NULL)
        return bipe_fail_memory(err);
    t->separator = bipe_strdup(" ");
    t->shot_separator = bipe_strdup("\n\n");
    t->hash = bipe_hash_bytes(BIPE_HASH_EMPTY, text, size);
    int status = t->separator == NULL || t->shot_separator == NULL ? bipe_fail_memory(err) : BIPE_OK;
    if (status == BIPE_OK && !json_is_object(file))
        status = bipe_fail(err, BIPE_ERR_FORMAT, "found no object, expected a task file");
    for (void *at = json_object_iter((json_t *)(uintptr_t)file); at != NULL && status == BIPE_OK;
         at = json_object_iter_next((json_t *)(uintptr_t)file, at))
        status = read_member(t, json_object_iter_key(at), json_object_iter_value(at), err);
    if (status == BIPE_OK)
        status = check_members(t, file, err);
    if (status == BIPE_OK)
        *task = t;
    else
        bipe_task_close(t);
    return status;
}

static void free_templates(bipe_task_template *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bipe_task_template_free(&list[i]);
    bipe_free(list);
}

void bipe_task_close(bipe_task *t)
{
    if (t == NULL)
        return;
    bipe_task_template *const single[] = {&t->prompt, &t->description, &t->target, &t->ending,
                                          &t->id,     &t->shots_by,    &t->stop_at, &t->question};
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
        bipe_task_template_free(single[i]);
    free_templates(t->choices, t->choice_count);
    free_templates(t->labels, t->label_count);
    free_templates(t->references, t->reference_count);
    free_templates(t->gold, t->gold_count);
    bipe_task_steps_free(&t->clean);
    bipe_task_steps_free(&t->answer);
    for (size_t i = 0; i < t->stop_count; i++)
        bipe_free(t->stop[i]);
    void *const all[] = {t->name, t->version, t->separator, t->shot_separator, t->stop, t};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        bipe_free(all[i]);
}
