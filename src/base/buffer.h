/* buffer.h - a growable run of bytes whose front can be consumed. */
#ifndef BIPE_BASE_BUFFER_H
#define BIPE_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise to make an empty one. The bytes are data[0 .. size). */
typedef struct bipe_buffer {
    uint8_t *data;
    size_t size, capacity;
    bool failed; /* memory was out: see bipe_buffer_write() */
} bipe_buffer;

/* Reserves `more` bytes after the present ones. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_buffer_reserve(bipe_buffer *buffer, size_t more, bipe_error *err);
int bipe_buffer_append(bipe_buffer *buffer, const void *bytes, size_t size, bipe_error *err);
/* The same for long sequences: a failure is remembered, and nothing is appended after it. */
void bipe_buffer_write(bipe_buffer *buffer, const void *bytes, size_t size);
int bipe_buffer_printf(bipe_buffer *buffer, bipe_error *err, const char *format, ...) BIPE_PRINTF(3, 4);
/* Drops the first `size` bytes (size <= buffer->size); the rest moves to the front. */
void bipe_buffer_consume(bipe_buffer *buffer, size_t size);
/* Frees the memory and leaves an empty buffer. */
void bipe_buffer_free(bipe_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
