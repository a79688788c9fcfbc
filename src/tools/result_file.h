/* result_file.h - reads results of the tools (--json) back, for --merge. They may come from anywhere, so every member is checked. */
#ifndef BIPE_TOOLS_RESULT_FILE_H
#define BIPE_TOOLS_RESULT_FILE_H

#include <jansson.h>
#include <stdint.h>

#include "base/input.h"
#include "base/status.h"

/* Reads `path` ("-": standard input), a result of `tool`, and gives it to `take`, whose errors get the file's name in front. The value
 * belongs to the reader: json_incref() keeps it. */
int bipe_result_read(const char *path, const char *tool, int (*take)(void *context, json_t *root, bipe_error *err), void *context,
                     bipe_error *err);

/* The JSON of an input of which `size` bytes have been read already; expected: for the error. The caller releases *root. */
int bipe_result_load(json_t **root, bipe_input *input, const uint8_t *head, size_t size, const char *expected, bipe_error *err);

/* BIPE_ERR_FORMAT: "WHEREKEY: expected ...", where `where` is what leads to the object, such as "model." */
int bipe_result_wrong(bipe_error *err, const char *where, const char *key, const char *expected);
int bipe_result_uint(const json_t *object, const char *where, const char *key, uint64_t *value, bipe_error *err);
/* *text belongs to the object. */
int bipe_result_text(const json_t *object, const char *where, const char *key, const char **text, bipe_error *err);

#endif
