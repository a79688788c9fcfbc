/* tensor.c - tables of tensors: adding, finding, sizes. */
#include "format/tensor.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "format/names.h"
#include "format/table.h"

int bipe_table_add(bipe_tensor_table *table, const bipe_tensor *tensor, bipe_error *err)
{
    if (table->count >= BIPE_TABLE_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d tensors", BIPE_TABLE_LIMIT);
    if (bipe_grow(&table->tensor, &table->capacity, table->count + 1, sizeof *table->tensor) != 0)
        return bipe_fail_memory(err);
    table->tensor[table->count++] = *tensor;
    return BIPE_OK;
}

static int compare_names(const void *a, const void *b)
{
    const bipe_tensor *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

int bipe_table_finish(bipe_tensor_table *table, bipe_error *err)
{
    bipe_free(table->by_name);
    table->by_name = bipe_alloc(table->count, sizeof *table->by_name);
    if (table->by_name == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < table->count; i++)
        table->by_name[i] = &table->tensor[i];
    qsort(table->by_name, table->count, sizeof *table->by_name, compare_names);
    for (size_t i = 1; i < table->count; i++) {
        const char *name = table->by_name[i]->name;
        if (strcmp(table->by_name[i - 1]->name, name) == 0) {
            char quoted[BIPE_QUOTED_SIZE];
            return bipe_fail(err, BIPE_ERR_FORMAT, "tensor '%s' occurs twice",
                             bipe_quoted(quoted, name, strlen(name)));
        }
    }
    return BIPE_OK;
}

void bipe_table_free(bipe_tensor_table *table)
{
    bipe_free(table->tensor);
    bipe_free(table->by_name);
    *table = (bipe_tensor_table){0};
}

const bipe_tensor *bipe_tensor_find(const bipe_tensor_table *table, const char *name)
{
    const bipe_tensor wanted = {.name = name}, *key = &wanted;
    const bipe_tensor **found = table->by_name == NULL
        ? NULL : bsearch(&key, table->by_name, table->count, sizeof *table->by_name, compare_names);
    return found != NULL ? *found : NULL;
}

int bipe_tensor_data_size(bipe_dtype dtype, int dims, const uint64_t *shape, uint64_t *size, bipe_error *err)
{
    uint64_t columns = dims > 0 ? shape[dims - 1] : 1, rows = 1, values = columns;
    bool empty = columns == 0;
    for (int i = 0; i < dims - 1; i++) {
        if (shape[i] == 0)
            empty = true;
        else if (values > SIZE_MAX / shape[i])
            return bipe_fail(err, BIPE_ERR_LIMIT, "its shape has more values than memory can hold");
        else
            rows *= shape[i], values *= shape[i];
    }
    *size = 0;
    if (dtype == BIPE_OTHER || empty)
        return BIPE_OK;
    size_t row = bipe_dtype_row_size(dtype, columns);
    uint32_t block = bipe_dtype_of(dtype)->values;
    if (row == 0 && columns % block != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "rows of %llu values in type %s, expected a multiple of %u",
                         (unsigned long long)columns, bipe_dtype_name(dtype), block);
    if (row == 0)
        return bipe_fail(err, BIPE_ERR_LIMIT, "its rows are larger than memory");
    if (rows > SIZE_MAX / row)
        return bipe_fail(err, BIPE_ERR_LIMIT, "its shape has more bytes than memory can hold");
    *size = rows * row;
    return BIPE_OK;
}
