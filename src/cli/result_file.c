/* result_file.c - see result_file.h. */
#include "config.h"

#include "cli/result_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/exact.h"

/* What jansson reads from: first what was looked at already. */
typedef struct reader {
    bipe_input *input;
    const uint8_t *head;
    size_t left; /* of it */
    bipe_error *err;
    int status;
} reader;

static size_t read_result_bytes(void *bytes, size_t capacity, void *context)
{
    reader *r = context;
    size_t size = r->left < capacity ? r->left : capacity;
    if (r->left == 0) {
        r->status = bipe_input_read(r->input, bytes, capacity, &size, r->err);
        return r->status == BIPE_OK ? size : (size_t)-1;
    }
    memcpy(bytes, r->head, size);
    r->head += size;
    r->left -= size;
    return size;
}

int bipe_result_load(json_t **root, bipe_input *input, const uint8_t *head, size_t size, const char *expected,
                     bipe_error *err)
{
    reader r = {input, head, size, err, BIPE_OK};
    json_error_t problem;
    *root = json_load_callback(read_result_bytes, &r, JSON_REJECT_DUPLICATES, &problem);
    return *root != NULL || r.status != BIPE_OK
               ? r.status
               : bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %d: %s, expected %s", bipe_input_name(input), problem.line,
                           problem.text, expected);
}

/* Whether the object is one of the tool and of this version. */
static void check_tool(bipe_result *r, const char *written_by)
{
    const char *tool = "", *version = "";
    char expected[64];
    size_t size = strcspn(written_by, " ");
    snprintf(expected, sizeof expected, "\"%.*s\"", (int)size, written_by);
    if (!json_is_string(json_object_get(r->root, "tool")))
        r->status = bipe_fail(r->err, BIPE_ERR_FORMAT, "expected a result of %s", written_by);
    BIPE_MEMBERS(r, r->root, BIPE_MEMBER("tool", TEXT, &tool), BIPE_MEMBER("version", TEXT, &version));
    bipe_result_expect(r, strlen(tool) == size && strncmp(tool, written_by, size) == 0, "tool", expected);
    if (r->status == BIPE_OK && strcmp(version, PACKAGE_VERSION) != 0)
        r->status = bipe_fail(r->err, BIPE_ERR_ARGUMENT, "version is '%s', expected '%s'", version, PACKAGE_VERSION);
}

void bipe_result_open(bipe_result *r, const char *path, const char *written_by, bipe_error *err)
{
    char expected[64];
    *r = (bipe_result){.err = err};
    r->status = bipe_input_open(&r->input, path, err);
    if (r->status != BIPE_OK)
        return;
    snprintf(expected, sizeof expected, "a result of %.*s --json", (int)strcspn(written_by, " "), written_by);
    r->status = bipe_result_load(&r->root, r->input, NULL, 0, expected, err);
    if (r->status == BIPE_OK)
        check_tool(r, written_by);
}

int bipe_result_close(bipe_result *r)
{
    if (r->status != BIPE_OK && r->root != NULL)
        bipe_error_prefix(r->err, "%s", bipe_input_name(r->input));
    json_decref(r->root);
    bipe_input_close(r->input);
    return r->status;
}

int bipe_result_wrong(bipe_error *err, const char *where, const char *key, const char *expected)
{
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s%s: expected %s", where, key, expected);
}

bool bipe_result_number(const json_t *value, uint64_t *number)
{
    *number = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

bool bipe_result_numbers(const json_t *list, uint64_t *number, size_t count)
{
    bool good = json_array_size(list) == count;
    for (size_t i = 0; i < count && good; i++)
        good = bipe_result_number(json_array_get(list, i), &number[i]);
    return good;
}

/* The value to its target. NULL, or what was expected instead. */
static const char *take_value(const bipe_result_member *m, const json_t *value)
{
    const char *text = json_string_value(value);
    uint64_t number;
    if (text != NULL && strlen(text) != json_string_length(value))
        text = NULL;
    switch (m->kind) {
    case BIPE_RESULT_UINT:
        if (!bipe_result_number(value, &number) || (m->most != 0 && number > m->most))
            return "a whole number from 0 to 2^63 - 1";
        *(uint64_t *)m->target = number;
        return NULL;
    case BIPE_RESULT_TEXT:
        if (text == NULL)
            return "a string";
        *(const char **)m->target = text;
        return NULL;
    case BIPE_RESULT_BOOL:
        if (!json_is_boolean(value))
            return "true or false";
        *(bool *)m->target = json_is_true(value);
        return NULL;
    case BIPE_RESULT_WORD:
        for (int i = 0; text != NULL && m->words[i] != NULL; i++)
            if (strcmp(m->words[i], text) == 0) {
                *(int *)m->target = i;
                return NULL;
            }
        return "a word that this tool knows";
    case BIPE_RESULT_SUM:
        return text != NULL && bipe_exact_parse(m->target, text) ? NULL : "an exact sum";
    case BIPE_RESULT_HASH:
        if (text == NULL || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
            return "16 hexadecimal digits";
        *(uint64_t *)m->target = strtoull(text, NULL, 16);
        return NULL;
    case BIPE_RESULT_LIST:
        break;
    }
    if (!json_is_array(value))
        return "a list";
    *(const json_t **)m->target = value;
    return NULL;
}

/* The value that a key or a path of keys leads to, or NULL. */
static const json_t *find_value(const json_t *object, const char *key)
{
    char name[64];
    size_t size = strcspn(key, ".");
    snprintf(name, sizeof name, "%.*s", (int)size, key);
    const json_t *value = json_object_get(object, name);
    return key[size] == '\0' ? value : find_value(value, key + size + 1);
}

void bipe_result_members(bipe_result *r, const json_t *object, const bipe_result_member *member)
{
    for (; member->key != NULL && r->status == BIPE_OK; member++) {
        const json_t *value = find_value(object, member->key);
        const char *expected = member->optional && (value == NULL || json_is_null(value)) ? NULL
                                                                                          : take_value(member, value);
        bipe_result_expect(r, expected == NULL, member->key, member->expected != NULL ? member->expected : expected);
    }
}

const json_t *bipe_result_element(bipe_result *r, const json_t *list, const char *key, size_t i)
{
    snprintf(r->where, sizeof r->where, "%s[%zu].", key, i);
    return json_array_get(list, i);
}

void bipe_result_end_list(bipe_result *r)
{
    r->where[0] = '\0';
}

void bipe_result_expect(bipe_result *r, bool good, const char *key, const char *expected)
{
    if (r->status == BIPE_OK && !good)
        r->status = bipe_result_wrong(r->err, r->where, key, expected);
}
