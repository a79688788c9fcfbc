/* safetensors.c - checks a safetensors file: eight bytes of length, a JSON object, the data of the tensors.
 *
 * Format: github.com/huggingface/safetensors, README, "Format". */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "format/little.h"
#include "format/readers.h"

enum { HEADER_LIMIT = 100 * 1000 * 1000 };

typedef struct span {
    uint64_t begin, end;
    const char *name;
} span;

static int read_dtype(bipe_tensor *tensor, bipe_names *names, const json_t *dtype, bipe_error *err)
{
    const char *text = json_string_value(dtype);
    if (text == NULL)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no string \"dtype\"");
    const bipe_dtype_row *row;
    for (size_t i = 0; (row = bipe_dtype_of(i)) != NULL; i++)
        if (row->storage != NULL && strcmp(text, row->name) == 0) {
            tensor->dtype = (bipe_dtype)i;
            tensor->dtype_name = row->name;
            return BIPE_OK;
        }
    tensor->dtype = BIPE_OTHER;
    char quoted[BIPE_QUOTED_SIZE];
    bipe_quoted(quoted, text, strlen(text));
    tensor->dtype_name = bipe_names_copy(names, quoted, strlen(quoted));
    return tensor->dtype_name != NULL ? BIPE_OK : bipe_fail_memory(err);
}

static int read_json_count(const json_t *number, uint64_t *count, const char *what, bipe_error *err)
{
    if (!json_is_integer(number) || json_integer_value(number) < 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "\"%s\" holds something else than whole numbers from 0", what);
    *count = (uint64_t)json_integer_value(number);
    return BIPE_OK;
}

static int read_shape(bipe_tensor *tensor, const json_t *shape, bipe_error *err)
{
    if (!json_is_array(shape))
        return bipe_fail(err, BIPE_ERR_FORMAT, "no array \"shape\"");
    if (json_array_size(shape) > BIPE_TENSOR_DIMS)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "%zu dimensions, expected at most %d", json_array_size(shape),
                         BIPE_TENSOR_DIMS);
    tensor->dims = (int)json_array_size(shape);
    for (int i = 0; i < tensor->dims; i++) {
        int status = read_json_count(json_array_get(shape, (size_t)i), &tensor->shape[i], "shape", err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static int read_offsets(span *range, const json_t *offsets, bipe_error *err)
{
    if (!json_is_array(offsets) || json_array_size(offsets) != 2)
        return bipe_fail(err, BIPE_ERR_FORMAT, "no pair of numbers \"data_offsets\"");
    int status = read_json_count(json_array_get(offsets, 0), &range->begin, "data_offsets", err);
    return status == BIPE_OK ? read_json_count(json_array_get(offsets, 1), &range->end, "data_offsets", err) : status;
}

/* data: `size` bytes after the header. */
static int read_entry(bipe_tensor *tensor, span *range, bipe_names *names, const json_t *entry, const uint8_t *data,
                      size_t size, bipe_error *err)
{
    if (!json_is_object(entry))
        return bipe_fail(err, BIPE_ERR_FORMAT, "its entry is not an object");
    int status = read_dtype(tensor, names, json_object_get(entry, "dtype"), err);
    if (status == BIPE_OK)
        status = read_shape(tensor, json_object_get(entry, "shape"), err);
    if (status == BIPE_OK)
        status = read_offsets(range, json_object_get(entry, "data_offsets"), err);
    if (status == BIPE_OK)
        status = bipe_tensor_data_size(tensor->dtype, tensor->dims, tensor->shape, &tensor->size, err);
    if (status != BIPE_OK)
        return status;
    if (range->begin > range->end || range->end > size)
        return bipe_fail(err, BIPE_ERR_FORMAT, "bytes %" PRIu64 " to %" PRIu64 ", but only %zu bytes of data are there",
                         range->begin, range->end, size);
    if (tensor->dtype == BIPE_OTHER)
        return BIPE_OK;
    if (range->end - range->begin != tensor->size)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%" PRIu64 " bytes, expected %" PRIu64 " for its type and shape",
                         range->end - range->begin, tensor->size);
    tensor->data = data + range->begin;
    return BIPE_OK;
}

static int compare_spans(const void *a, const void *b)
{
    const span *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static int check_overlaps(span *spans, size_t count, bipe_error *err)
{
    qsort(spans, count, sizeof *spans, compare_spans);
    for (size_t i = 1; i < count; i++)
        if (spans[i].begin < spans[i - 1].end) {
            char one[BIPE_QUOTED_SIZE], two[BIPE_QUOTED_SIZE];
            return bipe_fail(err, BIPE_ERR_FORMAT, "the data of tensors '%s' and '%s' overlap",
                             bipe_quoted(one, spans[i - 1].name, strlen(spans[i - 1].name)),
                             bipe_quoted(two, spans[i].name, strlen(spans[i].name)));
        }
    return BIPE_OK;
}

static int read_entries(bipe_tensor_table *table, bipe_names *names, json_t *header, span *spans, const uint8_t *data,
                        size_t size, bipe_error *err)
{
    size_t count = 0;
    const char *name;
    json_t *entry;
    json_object_foreach(header, name, entry) {
        if (strcmp(name, "__metadata__") == 0)
            continue;
        bipe_tensor tensor = {0};
        char quoted[BIPE_QUOTED_SIZE];
        bipe_quoted(quoted, name, strlen(name));
        if (!bipe_name_is_plain(name, strlen(name)))
            return bipe_fail(err, BIPE_ERR_FORMAT, "tensor '%s': its name is empty or holds control characters",
                             quoted);
        tensor.name = bipe_names_copy(names, name, strlen(name));
        if (tensor.name == NULL)
            return bipe_fail_memory(err);
        spans[count].name = tensor.name;
        int status = read_entry(&tensor, &spans[count], names, entry, data, size, err);
        if (status != BIPE_OK) {
            bipe_error_prefix(err, "tensor '%s'", quoted);
            return status;
        }
        status = bipe_table_add(table, &tensor, err);
        if (status != BIPE_OK)
            return status;
        count++;
    }
    return check_overlaps(spans, count, err);
}

int bipe_safetensors_read(bipe_tensor_table *table, bipe_names *names, const uint8_t *bytes, size_t size,
                          bipe_error *err)
{
    if (size < 8)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%zu bytes, expected a safetensors header", size);
    uint64_t length = bipe_load64(bytes);
    if (length > size - 8)
        return bipe_fail(err, BIPE_ERR_FORMAT, "a header of %" PRIu64 " bytes, but only %zu are there", length,
                         size - 8);
    if (length > HEADER_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "a header of %" PRIu64 " bytes, expected at most %d", length,
                         HEADER_LIMIT);
    json_t *header;
    int status = bipe_json_object_read(&header, bytes + 8, (size_t)length, err);
    if (status != BIPE_OK) {
        bipe_error_prefix(err, "header");
        return status;
    }
    span *spans = bipe_alloc(json_object_size(header), sizeof *spans);
    status = spans != NULL
                 ? read_entries(table, names, header, spans, bytes + 8 + length, size - 8 - (size_t)length, err)
                 : bipe_fail_memory(err);
    bipe_free(spans);
    json_decref(header);
    return status;
}
