/* pickle.h - reads which tensors a pickled PyTorch state dict describes. A pickle is a program; this reads the few
 * instructions that a state dict needs and runs nothing: any other instruction or global is BIPE_ERR_UNSUPPORTED, and
 * the error names it. Only for this room and its tests. */
#ifndef BIPE_FORMAT_PICKLE_H
#define BIPE_FORMAT_PICKLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/tensor.h"

/* A tensor as described: nothing is checked against the data yet. Texts lie inside the pickle. */
typedef struct bipe_pickle_tensor {
    const char *name, *storage; /* key of the dict; key of the storage, which names a file of the archive */
    size_t name_size, storage_size;
    bipe_dtype dtype;        /* one that PyTorch has */
    uint64_t storage_items;  /* values in the storage */
    uint64_t offset;         /* in values */
    int dims;
    uint64_t shape[BIPE_TENSOR_DIMS], stride[BIPE_TENSOR_DIMS];
} bipe_pickle_tensor;

/* Calls each(context, tensor, err) for every entry of the pickled dict that is a tensor under a string key, in order;
 * others are passed over. A dict without tensors may have that dict as "state_dict", "model_state_dict", "model" or
 * "module". A status of `each` other than BIPE_OK ends it and is returned. */
int bipe_pickle_read(const uint8_t *bytes, size_t size,
                     int (*each)(void *context, const bipe_pickle_tensor *tensor, bipe_error *err), void *context,
                     bipe_error *err);

#endif
