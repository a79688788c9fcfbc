/* tensor.h - a checked table of tensors over mapped bytes, which the readers of model files return.
 *
 * Every entry's data lies inside its file and has exactly the size that its type and shape ask for;
 * nothing here is interpreted further. Shapes are row-major, outermost first (as in safetensors and
 * PyTorch; GGUF's reversed order is turned round by its reader): a linear layer is [out, in]. */
#ifndef BIPE_FORMAT_TENSOR_H
#define BIPE_FORMAT_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row of the table in dtype.c. Those that weights are written in come first. */
typedef enum bipe_dtype {
    BIPE_F32,
    BIPE_F16,
    BIPE_BF16,
    BIPE_Q8_0, /* blocks of 32 or, of the K types, 256 values along a row: blocks.h */
    BIPE_Q4_0,
    BIPE_Q5_0,
    BIPE_Q5_1,
    BIPE_Q4_K,
    BIPE_Q5_K,
    BIPE_Q6_K,
    BIPE_MXFP4,
    BIPE_OTHER /* a type of which no more than a name is known */
} bipe_dtype;

typedef struct bipe_dtype_row {
    const char *name;       /* in GGUF and safetensors files */
    const char *config;     /* in a config.json; NULL: weights of a folder are not written in it */
    const char *storage;    /* PyTorch's class; NULL: neither it nor safetensors have the type */
    int gguf;               /* number in GGUF files, -1: none */
    uint32_t values, bytes; /* of a block, which lies along a row; 0 bytes: not known */
    /* A whole number of blocks at any address from and to f32; NULL: cannot be computed with, cannot be written. */
    void (*read)(const void *restrict from, float *restrict to, size_t count);
    void (*write)(const float *from, void *to, size_t count);
} bipe_dtype_row;

enum { BIPE_TENSOR_DIMS = 4 };

typedef struct bipe_tensor {
    const char *name;
    bipe_dtype dtype;
    const char *dtype_name;             /* as the file calls it, for messages */
    int dims;                           /* 0 .. BIPE_TENSOR_DIMS */
    uint64_t shape[BIPE_TENSOR_DIMS];   /* product fits size_t */
    const void *data;                   /* little-endian, need not be aligned; NULL for BIPE_OTHER */
    uint64_t size;                      /* bytes */
} bipe_tensor;

/* Owned by its reader. */
typedef struct bipe_tensor_table {
    bipe_tensor *tensor;         /* in the order of the file */
    size_t count, capacity;
    const bipe_tensor **by_name; /* the same, sorted: what bipe_tensor_find() looks in */
} bipe_tensor_table;

/* The entry of that name, or NULL. */
const bipe_tensor *bipe_tensor_find(const bipe_tensor_table *table, const char *name);

/* NULL after the last. */
const bipe_dtype_row *bipe_dtype_of(size_t dtype);
const char *bipe_dtype_name(bipe_dtype dtype);
/* "F32, F16, BF16 or Q8_0": the types that can be computed with. Returns `text`. */
enum { BIPE_DTYPE_LIST = 512 };
const char *bipe_dtype_list(char text[BIPE_DTYPE_LIST]);
/* Bytes of one row of `columns` values; 0 when the type cannot hold such a row, which is a whole number of blocks. */
size_t bipe_dtype_row_size(bipe_dtype dtype, uint64_t columns);

/* `count` values, a whole number of blocks, from and to types whose row has a function for it. F16 and BF16 round to
 * nearest even and keep infinities and NaN; blocks are rounded as in ggml (blocks_write.h), and one with a value that
 * is not finite has none that is. */
void bipe_dtype_to_f32(bipe_dtype dtype, const void *from, float *to, size_t count);
void bipe_dtype_from_f32(bipe_dtype dtype, const float *from, void *to, size_t count);

#ifdef __cplusplus
}
#endif
#endif
