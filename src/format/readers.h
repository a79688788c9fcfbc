/* readers.h - the readers of checkpoint files over bytes in memory: what checkpoint.c and the fuzzers call. Only for
 * this room and its tests.
 *
 * Each appends its tensors to *table; names live in *names, data in the bytes given. Error texts have no path in
 * front. On failure what was appended stays, for the caller to free. */
#ifndef BIPE_FORMAT_READERS_H
#define BIPE_FORMAT_READERS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "format/names.h"
#include "format/table.h"

/* One safetensors file. */
int bipe_safetensors_read(bipe_tensor_table *table, bipe_names *names, const uint8_t *bytes, size_t size,
                          bipe_error *err);

/* One file of torch.save(): a zip archive with a pickled state dict. */
int bipe_pytorch_read(bipe_tensor_table *table, bipe_names *names, const uint8_t *bytes, size_t size, bipe_error *err);

/* A JSON object or list of bounded size; a key may not occur twice. The caller releases it with json_decref(). */
int bipe_json_value_read(json_t **value, const uint8_t *bytes, size_t size, bipe_error *err);
/* The same, if it is an object. */
int bipe_json_object_read(json_t **object, const uint8_t *bytes, size_t size, bipe_error *err);
/* The same from a file of at most `most` bytes, which may begin with a byte order mark. *text (zero-initialised)
 * becomes its bytes, which the caller frees. expected: "a task file". Error texts start with the path. */
int bipe_json_file_read(json_t **object, const char *path, size_t most, const char *expected, bipe_buffer *text,
                        bipe_error *err);

#endif
