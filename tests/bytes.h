/* bytes.h - for tests that make files of their own: a run of bytes, built piece by piece with little-endian numbers.
 * Independent of the writers in src. */
#ifndef BIPE_TESTS_BYTES_H
#define BIPE_TESTS_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_bytes {
    uint8_t *data;
    size_t size;
} test_bytes;

/* Room for `size` bytes: powers of two, because checking tools copy at each realloc(). */
static inline size_t room_for(size_t size)
{
    size_t room = 64;
    while (room < size)
        room *= 2;
    return room;
}

static inline void put_bytes(test_bytes *b, const void *bytes, size_t size)
{
    size_t room = room_for(b->size + size);
    if (b->data == NULL || room != room_for(b->size)) {
        b->data = realloc(b->data, room);
        if (b->data == NULL)
            abort();
    }
    if (size != 0)
        memcpy(b->data + b->size, bytes, size);
    b->size += size;
}

/* The lowest `width` bytes of value. */
static inline void put_number(test_bytes *b, uint64_t value, int width)
{
    for (int i = 0; i < width; i++) {
        uint8_t byte = (uint8_t)(value >> 8 * i);
        put_bytes(b, &byte, 1);
    }
}

static inline void put_text(test_bytes *b, const char *text)
{
    put_bytes(b, text, strlen(text));
}

static inline void put_zeros(test_bytes *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_bytes(b, "", 1);
}

static inline void free_bytes(test_bytes *b)
{
    free(b->data);
    *b = (test_bytes){0};
}

/* An allocation of exactly `size` bytes, so that a sanitizer sees the first byte read beyond. */
static inline uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size != 0 ? size : 1);
    if (copy == NULL)
        abort();
    if (size != 0)
        memcpy(copy, bytes, size);
    return copy;
}

static inline void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        abort();
    }
}

#endif
