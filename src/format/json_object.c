/* json_object.c - a JSON object from a file that nobody vouches for: jansson, with bounds on size and on the number of
 * values, because each value costs many times its bytes. */
#include <string.h>

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

int bipe_json_object_read(json_t **object, const uint8_t *bytes, size_t size, bipe_error *err)
{
    *object = NULL;
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
    if (!json_is_object(root)) {
        json_decref(root);
        return bipe_fail(err, BIPE_ERR_FORMAT, "JSON that is not an object, expected {...}");
    }
    *object = root;
    return BIPE_OK;
}
