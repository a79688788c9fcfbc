/* buffer.c - a growable run of bytes. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { LARGE = 1 << 22 }; /* a buffer that was larger, and holds little, gives memory back */

int bipe_buffer_reserve(bipe_buffer *buffer, size_t more, bipe_error *err)
{
    if (more > SIZE_MAX - buffer->size ||
        bipe_grow(&buffer->data, &buffer->capacity, buffer->size + more, 1) != 0)
        return bipe_fail_memory(err);
    return BIPE_OK;
}

int bipe_buffer_append(bipe_buffer *buffer, const void *bytes, size_t size, bipe_error *err)
{
    if (size == 0)
        return BIPE_OK;
    int status = bipe_buffer_reserve(buffer, size, err);
    if (status != BIPE_OK)
        return status;
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    return BIPE_OK;
}

void bipe_buffer_write(bipe_buffer *buffer, const void *bytes, size_t size)
{
    if (!buffer->failed)
        buffer->failed = bipe_buffer_append(buffer, bytes, size, NULL) != BIPE_OK;
}

int bipe_buffer_printf(bipe_buffer *buffer, bipe_error *err, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int need = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (need < 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "a text could not be formatted");
    int status = bipe_buffer_reserve(buffer, (size_t)need + 1, err);
    if (status != BIPE_OK)
        return status;
    va_start(ap, format);
    vsnprintf((char *)buffer->data + buffer->size, (size_t)need + 1, format, ap);
    va_end(ap);
    buffer->size += (size_t)need;
    return BIPE_OK;
}

void bipe_buffer_consume(bipe_buffer *buffer, size_t size)
{
    if (size == 0)
        return;
    memmove(buffer->data, buffer->data + size, buffer->size - size);
    buffer->size -= size;
    if (buffer->capacity <= LARGE || buffer->size > buffer->capacity / 8)
        return;
    uint8_t *less = bipe_realloc(buffer->data, buffer->capacity / 4, 1);
    if (less == NULL)
        return; /* what is there does as well */
    buffer->data = less;
    buffer->capacity /= 4;
}

void bipe_buffer_free(bipe_buffer *buffer)
{
    bipe_free(buffer->data);
    *buffer = (bipe_buffer){0};
}
