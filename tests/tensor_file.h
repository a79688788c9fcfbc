/* tensor_file.h - for tests of readers of tensors: bytes read from an exact copy; every truncation, bit flips, failing
 * allocations. */
#ifndef BIPE_TESTS_TENSOR_FILE_H
#define BIPE_TESTS_TENSOR_FILE_H

#include "base/alloc.h"
#include "format/readers.h"
#include "tests/bytes.h"
#include "tests/check.h"

typedef int tensor_reader(bipe_tensor_table *table, bipe_names *names, const uint8_t *bytes, size_t size,
                          bipe_error *err);

typedef struct opened {
    bipe_tensor_table table;
    bipe_names names;
    uint8_t *copy;
} opened;

static inline int open_copy(opened *o, tensor_reader *read, const test_bytes *file, size_t size, bipe_error *err)
{
    *o = (opened){.copy = exact_copy(file->data, size)};
    int status = read(&o->table, &o->names, o->copy, size, err);
    return status == BIPE_OK ? bipe_table_finish(&o->table, err) : status;
}

static inline void close_copy(opened *o)
{
    bipe_table_free(&o->table);
    bipe_names_free(&o->names);
    free(o->copy);
}

/* Reads every byte of every tensor. */
static inline uint64_t sum_of_tensors(const bipe_tensor_table *table)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < table->count; i++)
        for (uint64_t k = 0; table->tensor[i].data != NULL && k < table->tensor[i].size; k++)
            sum += ((const uint8_t *)table->tensor[i].data)[k];
    return sum;
}

/* data: bytes that the tensors have at most. */
static inline void check_torn_and_flipped(tensor_reader *read, test_bytes *file, size_t data)
{
    bipe_error err;
    opened o;
    for (size_t size = 0; size < file->size; size++) {
        int status = open_copy(&o, read, file, size, &err);
        CHECKF(status == BIPE_ERR_FORMAT, "cut to %zu bytes", size);
        close_copy(&o);
    }
    for (size_t bit = 0; bit < 8 * file->size; bit++) {
        file->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (open_copy(&o, read, file, file->size, &err) == BIPE_OK)
            CHECK(sum_of_tensors(&o.table) <= 255 * (uint64_t)data);
        close_copy(&o);
        file->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* Each allocation fails in turn; there are more than `least`. */
static inline void check_allocations(tensor_reader *read, const test_bytes *file, long least)
{
    long n = 0;
    int status = BIPE_ERR_MEMORY;
    for (; status == BIPE_ERR_MEMORY && n < 1000; n++) {
        opened o;
        bipe_error err;
        bipe_alloc_fail_at(n);
        status = open_copy(&o, read, file, file->size, &err);
        bipe_alloc_fail_at(-1);
        close_copy(&o);
    }
    CHECKF(status == BIPE_OK && n > least, "%d after %ld allocations", status, n);
}

#endif
