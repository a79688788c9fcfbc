/* read_ahead.h - a thread that fills buffers ahead of a reader: it reads and decompresses while earlier bytes are used.
 * The reader gets the bytes, and the error that ended them, exactly as if it had filled its buffers itself. Internal to
 * src/base. */
#ifndef BIPE_BASE_READ_AHEAD_H
#define BIPE_BASE_READ_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct bipe_read_ahead bipe_read_ahead;

/* Fills a buffer; *size is 0 only at the end. With an error, *size is the number of bytes that came before it. *mark:
 * anything, see below. Called by the thread, one call after the other, until the end or an error. */
typedef int bipe_read_ahead_fill(void *context, uint8_t *bytes, size_t capacity, size_t *size, uint64_t *mark,
                                 bipe_error *err);

/* Starts a thread that fills a few buffers of `capacity` bytes by fill(context, ...). `context` is the thread's until
 * bipe_read_ahead_close(). NULL when there is no memory or no thread to be had: the caller then does without. */
bipe_read_ahead *bipe_read_ahead_open(size_t capacity, bipe_read_ahead_fill *fill, void *context);

/* The next bytes, up to `capacity` of those of one buffer, and the mark that was set with them; waits for them. *size
 * is 0 only at the end, or with an error, which comes when the bytes before it have been read. */
int bipe_read_ahead_read(bipe_read_ahead *ahead, uint8_t *bytes, size_t capacity, size_t *size, uint64_t *mark,
                         bipe_error *err);

/* Ends the thread when it has filled the buffer that it is filling. NULL is allowed. */
void bipe_read_ahead_close(bipe_read_ahead *ahead);

#endif
