/* gguf.h - GGUF version 3 files (github.com/ggml-org/ggml, docs/gguf.md): reading what nobody vouches
 * for, and writing. Little-endian files only; version 2 is read as well (same layout). */
#ifndef BIPE_FORMAT_GGUF_H
#define BIPE_FORMAT_GGUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/tensor.h"
#include "format/tensor_list.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_gguf bipe_gguf;

typedef enum bipe_gguf_type { /* numbers of the file format */
    BIPE_GGUF_U8 = 0, BIPE_GGUF_I8, BIPE_GGUF_U16, BIPE_GGUF_I16, BIPE_GGUF_U32, BIPE_GGUF_I32,
    BIPE_GGUF_F32, BIPE_GGUF_BOOL, BIPE_GGUF_STRING, BIPE_GGUF_ARRAY, BIPE_GGUF_U64, BIPE_GGUF_I64, BIPE_GGUF_F64
} bipe_gguf_type;

/* A string inside the mapped file: not NUL-terminated, any bytes. */
typedef struct bipe_gguf_string {
    const char *text;
    size_t size;
} bipe_gguf_string;

/* Maps and checks the whole header. Of a model in several files (split.count), `path` is any of them, and all are
 * opened: keys and bipe_gguf_path() are those of the first, tensors those of all. Error texts start with the path. */
int bipe_gguf_open(bipe_gguf **gguf, const char *path, bipe_error *err);
void bipe_gguf_close(bipe_gguf *gguf);
const char *bipe_gguf_path(const bipe_gguf *gguf);
const bipe_tensor_table *bipe_gguf_tensors(const bipe_gguf *gguf);

/* A name such as a/x-00002-of-00003.gguf: 3, and *part is 1. 0 for any other name. */
size_t bipe_gguf_parts(const char *path, size_t *part);
/* The name of another part (from 0) beside that one, which the caller frees; NULL when memory is out. */
char *bipe_gguf_part_path(const char *path, size_t part);

/* The keys, in the order of the file. */
size_t bipe_gguf_key_count(const bipe_gguf *gguf);
bipe_gguf_string bipe_gguf_key(const bipe_gguf *gguf, size_t i, bipe_gguf_type *type);

/* Values by key. Each returns BIPE_OK; BIPE_END when there is no such key (*value untouched, *err untouched);
 * BIPE_ERR_FORMAT when it is of another type or out of range. Integers of any width convert when they fit. */
int bipe_gguf_get_uint(const bipe_gguf *gguf, const char *key, uint64_t *value, bipe_error *err);
int bipe_gguf_get_number(const bipe_gguf *gguf, const char *key, double *value, bipe_error *err);
int bipe_gguf_get_bool(const bipe_gguf *gguf, const char *key, bool *value, bipe_error *err);
int bipe_gguf_get_string(const bipe_gguf *gguf, const char *key, bipe_gguf_string *value, bipe_error *err);

/* Arrays: the number of elements, then each; strings are indexed when the file is opened. Any integer type passes for
 * an integer `type`, either float type for a float one. An absent value (no such key, another type, i too large) is an
 * empty string or NaN. */
int bipe_gguf_get_array(const bipe_gguf *gguf, const char *key, bipe_gguf_type type, size_t *count, bipe_error *err);
bipe_gguf_string bipe_gguf_array_string(const bipe_gguf *gguf, const char *key, size_t i);
double bipe_gguf_array_number(const bipe_gguf *gguf, const char *key,
                              size_t i); /* any element that is a number or a flag */
/* An array of bytes (u8 or i8): *bytes stays the file's. Statuses as above. */
int bipe_gguf_get_bytes(const bipe_gguf *gguf, const char *key, const uint8_t **bytes, size_t *count, bipe_error *err);

/* ---- writing ---- */

typedef struct bipe_gguf_writer bipe_gguf_writer;

int bipe_gguf_writer_open(bipe_gguf_writer **writer, bipe_error *err);
/* Keys; a key that was set before is replaced in place. That memory was out is remembered, and writing fails. */
void bipe_gguf_set_u32(bipe_gguf_writer *writer, const char *key, uint32_t value);
void bipe_gguf_set_u64(bipe_gguf_writer *writer, const char *key, uint64_t value);
void bipe_gguf_set_f32(bipe_gguf_writer *writer, const char *key, float value);
void bipe_gguf_set_bool(bipe_gguf_writer *writer, const char *key, bool value);
void bipe_gguf_set_string(bipe_gguf_writer *writer, const char *key, const char *text, size_t size);
void bipe_gguf_set_text(bipe_gguf_writer *writer, const char *key, const char *text); /* as far as its NUL */
void bipe_gguf_set_strings(bipe_gguf_writer *writer, const char *key, const bipe_gguf_string *strings, size_t count);
void bipe_gguf_set_f32s(bipe_gguf_writer *writer, const char *key, const float *values, size_t count);
void bipe_gguf_set_i32s(bipe_gguf_writer *writer, const char *key, const int32_t *values, size_t count);
void bipe_gguf_set_u64s(bipe_gguf_writer *writer, const char *key, const uint64_t *values, size_t count);
void bipe_gguf_set_u8s(bipe_gguf_writer *writer, const char *key, const uint8_t *values, size_t count);
/* A writer with the keys of a file that begin so, which is closed by the caller; and these keys set in another one. */
int bipe_gguf_copy_keys(bipe_gguf_writer **copy, const bipe_gguf *gguf, const char *prefix, bipe_error *err);
void bipe_gguf_set_keys(bipe_gguf_writer *writer, const bipe_gguf_writer *copy);
/* Announces a tensor, as bipe_tensor_list_add(). */
int bipe_gguf_add_tensor(bipe_gguf_writer *writer, const char *name, bipe_dtype dtype, int dims, const uint64_t *shape,
                         bipe_tensor_rows *rows, void *context, bipe_error *err);
/* The tensors announced, to which more may be added. */
bipe_tensor_list *bipe_gguf_tensor_list(bipe_gguf_writer *writer);
/* Writes everything to `path`, atomically (base/output.h), or to an output. Alignment 32. */
int bipe_gguf_write(bipe_gguf_writer *writer, const char *path, bipe_error *err);
int bipe_gguf_write_to(bipe_gguf_writer *writer, bipe_output *output, bipe_error *err);
void bipe_gguf_writer_close(bipe_gguf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
