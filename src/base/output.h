/* output.h - buffered output that is checked to the last byte: standard output, or a file that
 * appears under its name complete or not at all. */
#ifndef BIPE_BASE_OUTPUT_H
#define BIPE_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

typedef struct bipe_output bipe_output;

enum { BIPE_OUTPUT_RESERVE = 65536 };

/* path NULL or "-": standard output. Otherwise a temporary file beside `path` that
 * bipe_output_commit() syncs and renames; anything but a regular file (/dev/null, /dev/full, a pipe) is
 * written directly. Error texts start with the path ("standard output"). */
int bipe_output_open(bipe_output **output, const char *path, bipe_error *err);

/* Gets all bytes, in order, instead of a file. BIPE_OK, or a failure, which the output then remembers. */
typedef int bipe_output_sink(void *context, const uint8_t *bytes, size_t size, bipe_error *err);

/* An output that passes everything to a function, buffered as others are. */
int bipe_output_open_sink(bipe_output **output, bipe_output_sink *sink, void *context, bipe_error *err);
/* An output that keeps everything in memory, and what it keeps; bipe_output_forget() empties it. */
int bipe_output_open_memory(bipe_output **output, bipe_error *err);
const bipe_buffer *bipe_output_kept(const bipe_output *output);
void bipe_output_forget(bipe_output *output);

/* Writes all of it or fails. A failure is remembered: every later call returns it again.
 * A pipe whose reader has gone is BIPE_STOPPED: the tool stops quietly with status 0.
 * (bipe_output_open() makes the process ignore SIGPIPE.) */
int bipe_output_write(bipe_output *output, const void *bytes, size_t size, bipe_error *err);
/* Instead, for many small pieces: up to *left bytes, at least need <= BIPE_OUTPUT_RESERVE, may be written at *to until
 * the next call; bipe_output_filled() says how many were. */
int bipe_output_reserve(bipe_output *output, size_t need, uint8_t **to, size_t *left, bipe_error *err);
void bipe_output_filled(bipe_output *output, size_t size);
int bipe_output_printf(bipe_output *output, bipe_error *err, const char *format, ...) BIPE_PRINTF(3, 4);
/* A name that people read: as bipe_hide_controls() leaves it. */
int bipe_output_name(bipe_output *output, const char *name, bipe_error *err);
/* Writes the buffer out (a finished row of a table must be seen at once). */
int bipe_output_flush(bipe_output *output, bipe_error *err);

/* Whether it is a file with which bipe_output_commit() replaces another. */
bool bipe_output_replaces(const bipe_output *output);
/* Flushes; a file is synced, closed and renamed to its name, standard output is closed. Frees. */
int bipe_output_commit(bipe_output *output, bipe_error *err);
/* Makes the name of a file that was made or renamed durable, by syncing its folder. Some file systems and folders do
 * not allow it, which is no failure. 0, or -1 with errno. */
int bipe_output_sync_folder(const char *path);
/* Drops what was not committed (a temporary file is removed) and frees. NULL is allowed. */
void bipe_output_abandon(bipe_output *output);

#endif
