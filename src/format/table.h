/* table.h - how the readers of this room fill a table of tensors. Internal to src/format. */
#ifndef BIPE_FORMAT_TABLE_H
#define BIPE_FORMAT_TABLE_H

#include "format/tensor.h"

/* More tensors than any model has: keeps memory bounded. */
enum { BIPE_TABLE_LIMIT = 1 << 20 };

/* Appends a copy of *tensor (whose name and data the caller keeps). BIPE_ERR_LIMIT, BIPE_ERR_MEMORY. */
int bipe_table_add(bipe_tensor_table *table, const bipe_tensor *tensor, bipe_error *err);
/* All are in: sorts them for bipe_tensor_find(). BIPE_ERR_FORMAT when a name occurs twice. */
int bipe_table_finish(bipe_tensor_table *table, bipe_error *err);
void bipe_table_free(bipe_tensor_table *table);

/* The bytes that data of this type and shape take (dims 0: one value). BIPE_ERR_LIMIT when they are more than a size_t
 * holds, BIPE_ERR_FORMAT when the type cannot hold such rows; BIPE_OTHER has 0. Errors do not name the tensor. */
int bipe_tensor_data_size(bipe_dtype dtype, int dims, const uint64_t *shape, uint64_t *size, bipe_error *err);

#endif
