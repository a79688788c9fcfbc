/* json_object.c - a JSON object, or list, from a file that nobody vouches for: jansson, with bounds on size and on the
 * number of values, because each value costs many times its bytes. */
#include <string.h>

#include "base/input.h"
#include "format/readers.h"

enum { SIZE_LIMIT = 100 * 1000 * 1000, VALUE_LIMIT = 4 << 20 };

/* An upper bound on the number of values: whatever separates or opens them. */
static size_t count_values(const uint8_t *bytes, size_t size)
{
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += bytes[i] == ',' || bytes[i] == '[' || bytes[i] == '{';
    return count;
}

int bipe_json_value_read(json_t **value, const uint8_t *bytes, size_t size, bipe_error *err)
{
    *value = NULL;
    if (size > SIZE_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%zu bytes of JSON, expected at most %d", size, SIZE_LIMIT);
    size_t values = count_values(bytes, size);
    if (values > VALUE_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "JSON of some %zu values, expected at most %d", values, VALUE_LIMIT);
    json_error_t failure;
    json_t *root = json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, &failure);
    if (root == NULL) {
        if (json_error_code(&failure) == json_error_out_of_memory)
            return bipe_fail_memory(err);
        char quoted[BIPE_QUOTED_SIZE];
        return bipe_fail(err, BIPE_ERR_FORMAT, "JSON, byte %d: %s", failure.position,
                         bipe_quoted(quoted, failure.text, strlen(failure.text)));
    }
    *value = root;
    return BIPE_OK;
}

int bipe_json_object_read(json_t **object, const uint8_t *bytes, size_t size, bipe_error *err)
{
    int status = bipe_json_value_read(object, bytes, size, err);
    if (status != BIPE_OK || json_is_object(*object))
        return status;
    json_decref(*object);
    *object = NULL;
    return bipe_fail(err, BIPE_ERR_FORMAT, "JSON that is not an object, expected {...}");
}

int bipe_json_file_read(json_t **object, const char *path, size_t most, const char *expected, bipe_buffer *text,
                        bipe_error *err)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* byte order mark */
    const size_t marked = sizeof mark - 1;
    bipe_input *input;
    *object = NULL;
    int status = bipe_input_open(&input, path, err);
    if (status == BIPE_OK)
        status = bipe_input_read_all(input, text, most, err);
    bipe_input_close(input);
    if (status != BIPE_OK)
        return status;
    if (text->size > most)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%s: more than %zu bytes, expected %s", path, most, expected);
    status = text->size >= marked && memcmp(text->data, mark, marked) == 0
                 ? bipe_json_object_read(object, text->data + marked, text->size - marked, err)
                 : bipe_json_object_read(object, text->data, text->size, err);
    if (status != BIPE_OK)
        bipe_error_prefix(err, "%s", path);
    return status;
}
