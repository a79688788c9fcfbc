/* tensor_list.h - the tensors of a file that is being written. They are announced first; their data is fetched row by
 * row while the file is written, so no copy of the model is held. */
#ifndef BIPE_FORMAT_TENSOR_LIST_H
#define BIPE_FORMAT_TENSOR_LIST_H

#include "base/output.h"
#include "format/tensor.h"

/* Puts a row, which is the last dimension, into `buffer`. */
typedef int bipe_tensor_rows(void *context, uint64_t row, void *buffer, bipe_error *err);

typedef struct bipe_listed_tensor {
    bipe_tensor tensor; /* without data; the list owns its name */
    uint64_t rows;
    size_t row_size;
    bipe_tensor_rows *give_row;
    void *context;
} bipe_listed_tensor;

/* Zeros: an empty list. */
typedef struct bipe_tensor_list {
    bipe_listed_tensor *entry;
    size_t count, capacity;
    /* Called after each row that is written, with the bytes of all tensors; or NULL. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *progress_context;
    void **owned;
    size_t owned_count, owned_capacity;
} bipe_tensor_list;

/* shape is outermost first. A name that was added before, an empty shape, a row that the type cannot hold:
 * BIPE_ERR_ARGUMENT; more bytes than memory: BIPE_ERR_LIMIT. */
int bipe_tensor_list_add(bipe_tensor_list *list, const char *name, bipe_dtype dtype, int dims, const uint64_t *shape,
                         bipe_tensor_rows *rows, void *context, bipe_error *err);
/* Memory for a context, zeroed, that lives as long as the list; NULL when there is none left. */
void *bipe_tensor_list_own(bipe_tensor_list *list, size_t size);
/* Writes the data of all, each filled up with zeros to a multiple of `alignment` bytes (a power of two, at most 64). */
int bipe_tensor_list_write(const bipe_tensor_list *list, size_t alignment, bipe_output *output, bipe_error *err);
void bipe_tensor_list_free(bipe_tensor_list *list);

/* Writes a safetensors file, atomically (base/output.h). BIPE_ERR_ARGUMENT: a type that such files do not have. */
int bipe_safetensors_write(const bipe_tensor_list *list, const char *path, bipe_error *err);

#endif
