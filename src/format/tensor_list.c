/* tensor_list.c - see tensor_list.h. */
#include "format/tensor_list.h"

#include <string.h>

#include "base/alloc.h"
#include "format/table.h"

int bipe_tensor_list_add(bipe_tensor_list *list, const char *name, bipe_dtype dtype, int dims, const uint64_t *shape,
                         bipe_tensor_rows *rows, void *context, bipe_error *err)
{
    bipe_listed_tensor entry = {.tensor = {.dtype = dtype, .dims = dims},
                                .rows = 1,
                                .give_row = rows,
                                .context = context};
    if (dims < 1 || dims > BIPE_TENSOR_DIMS)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "tensor %s: %d dimensions, expected 1 to %d", name, dims,
                         BIPE_TENSOR_DIMS);
    for (int i = 0; i < dims; i++) {
        entry.tensor.shape[i] = shape[i];
        if (shape[i] == 0)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "tensor %s: a dimension of 0, expected at least 1", name);
    }
    int status = bipe_tensor_data_size(dtype, dims, shape, &entry.tensor.size, err);
    if (status != BIPE_OK) {
        bipe_error_prefix(err, "tensor %s", name);
        status = status == BIPE_ERR_FORMAT ? BIPE_ERR_ARGUMENT : status;
        if (err != NULL)
            err->status = (bipe_status)status;
        return status;
    }
    entry.row_size = bipe_dtype_row_size(dtype, shape[dims - 1]);
    for (int i = 0; i < dims - 1; i++)
        entry.rows *= shape[i];
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->entry[i].tensor.name, name) == 0)
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "tensor %s: was added before", name);
    if (bipe_grow(&list->entry, &list->capacity, list->count + 1, sizeof entry) != 0 ||
        (entry.tensor.name = bipe_strdup(name)) == NULL)
        return bipe_fail_memory(err);
    list->entry[list->count++] = entry;
    return BIPE_OK;
}

void *bipe_tensor_list_own(bipe_tensor_list *list, size_t size)
{
    if (bipe_grow(&list->owned, &list->owned_capacity, list->owned_count + 1, sizeof *list->owned) != 0)
        return NULL;
    void *memory = bipe_alloc(1, size);
    if (memory != NULL)
        list->owned[list->owned_count++] = memory;
    return memory;
}

int bipe_tensor_list_write(const bipe_tensor_list *list, size_t alignment, bipe_output *output, bipe_error *err)
{
    static const uint8_t zeros[64];
    uint64_t done = 0, total = 0;
    size_t longest = 1;
    for (size_t i = 0; i < list->count; i++) {
        longest = list->entry[i].row_size > longest ? list->entry[i].row_size : longest;
        total += list->entry[i].tensor.size;
    }
    uint8_t *row = bipe_alloc(longest, 1);
    int status = row != NULL ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; i < list->count; i++) {
        const bipe_listed_tensor *entry = &list->entry[i];
        for (uint64_t k = 0; status == BIPE_OK && k < entry->rows; k++) {
            status = entry->give_row(entry->context, k, row, err);
            if (status == BIPE_OK)
                status = bipe_output_write(output, row, entry->row_size, err);
            done += entry->row_size;
            if (list->progress != NULL)
                list->progress(list->progress_context, done, total);
        }
        if (status == BIPE_OK)
            status = bipe_output_write(output, zeros, (size_t)(-entry->tensor.size & (alignment - 1)), err);
    }
    bipe_free(row);
    return status;
}

void bipe_tensor_list_free(bipe_tensor_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        union { const char *text; void *memory; } name = {list->entry[i].tensor.name};
        bipe_free(name.memory);
    }
    for (size_t i = 0; i < list->owned_count; i++)
        bipe_free(list->owned[i]);
    bipe_free(list->owned);
    bipe_free(list->entry);
    *list = (bipe_tensor_list){0};
}
