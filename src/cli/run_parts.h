/* run_parts.h - what making a record (run_record.c) and merging records (run_merge.c) share. For these alone. */
#ifndef BIPE_CLI_RUN_PARTS_H
#define BIPE_CLI_RUN_PARTS_H

#include <jansson.h>

#include "base/buffer.h"

/* Appends a blank and a word of a command, quoted for the shell where that is needed: `name`, which is plain, and
 * `value`. */
void bipe_run_put_word(bipe_buffer *line, const char *name, const char *value);
/* The line as JSON, and frees it. NULL: out of memory. */
json_t *bipe_run_end_line(bipe_buffer *line);
/* Takes a list of texts, or of files, and returns one that is sorted (files: by path), in which equal ones are there
 * once. */
json_t *bipe_run_sort(json_t *list);

#endif
