/* result_file.c - see result_file.h. */
#include "tools/result_file.h"

#include <stdio.h>
#include <string.h>

/* What jansson reads from: first what was looked at already. */
typedef struct reader {
    bipe_input *input;
    const uint8_t *head;
    size_t left; /* of it */
    bipe_error *err;
    int status;
} reader;

static size_t read_more(void *bytes, size_t capacity, void *context)
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

int bipe_result_load(json_t **root, bipe_input *input, const uint8_t *head, size_t size, const char *expected, bipe_error *err)
{
    reader r = {input, head, size, err, BIPE_OK};
    json_error_t problem;
    *root = json_load_callback(read_more, &r, JSON_REJECT_DUPLICATES, &problem);
    return *root != NULL || r.status != BIPE_OK ? r.status
                                                : bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %d: %s, expected %s", bipe_input_name(input), problem.line,
                                                            problem.text, expected);
}

int bipe_result_read(const char *path, const char *tool, int (*take)(void *context, json_t *root, bipe_error *err), void *context,
                     bipe_error *err)
{
    bipe_input *input;
    json_t *root = NULL;
    char expected[64];
    int status = bipe_input_open(&input, path, err);
    if (status != BIPE_OK)
        return status;
    snprintf(expected, sizeof expected, "a result of %s --json", tool);
    status = bipe_result_load(&root, input, NULL, 0, expected, err);
    if (status == BIPE_OK && (status = take(context, root, err)) != BIPE_OK)
        bipe_error_prefix(err, "%s", bipe_input_name(input));
    json_decref(root);
    bipe_input_close(input);
    return status;
}

int bipe_result_wrong(bipe_error *err, const char *where, const char *key, const char *expected)
{
    return bipe_fail(err, BIPE_ERR_FORMAT, "%s%s: expected %s", where, key, expected);
}

int bipe_result_uint(const json_t *object, const char *where, const char *key, uint64_t *value, bipe_error *err)
{
    const json_t *number = json_object_get(object, key);
    if (!json_is_integer(number) || json_integer_value(number) < 0)
        return bipe_result_wrong(err, where, key, "a whole number from 0 to 2^63 - 1");
    *value = (uint64_t)json_integer_value(number);
    return BIPE_OK;
}

int bipe_result_text(const json_t *object, const char *where, const char *key, const char **text, bipe_error *err)
{
    const json_t *string = json_object_get(object, key);
    if (!json_is_string(string) || strlen(json_string_value(string)) != json_string_length(string))
        return bipe_result_wrong(err, where, key, "a string");
    *text = json_string_value(string);
    return BIPE_OK;
}
