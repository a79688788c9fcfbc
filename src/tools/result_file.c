/* result_file.c - see result_file.h. */
#include "tools/result_file.h"

#include <string.h>

#include "base/input.h"

/* What jansson reads from. */
typedef struct reader {
    bipe_input *input;
    bipe_error *err;
    int status;
} reader;

static size_t read_more(void *bytes, size_t capacity, void *context)
{
    reader *r = context;
    size_t size;
    r->status = bipe_input_read(r->input, bytes, capacity, &size, r->err);
    return r->status == BIPE_OK ? size : (size_t)-1;
}

int bipe_result_read(const char *path, const char *tool, int (*take)(void *context, json_t *root, bipe_error *err), void *context,
                     bipe_error *err)
{
    reader r = {.err = err};
    int status = bipe_input_open(&r.input, path, err);
    if (status != BIPE_OK)
        return status;
    json_error_t problem;
    json_t *root = json_load_callback(read_more, &r, JSON_REJECT_DUPLICATES, &problem);
    if (root == NULL && r.status == BIPE_OK)
        status = bipe_fail(err, BIPE_ERR_FORMAT, "%s: line %d: %s, expected a result of %s --json", bipe_input_name(r.input),
                           problem.line, problem.text, tool);
    else if (root == NULL)
        status = r.status;
    else if ((status = take(context, root, err)) != BIPE_OK)
        bipe_error_prefix(err, "%s", bipe_input_name(r.input));
    json_decref(root);
    bipe_input_close(r.input);
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
