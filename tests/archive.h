/* archive.h - for tests: zip archives and pickles, put together record by record. Independent of the readers in src. */
#ifndef BIPE_TESTS_ARCHIVE_H
#define BIPE_TESTS_ARCHIVE_H

#include "tests/bytes.h"

/* ---- zip ---- */

typedef struct test_archive {
    test_bytes bytes, directory;
    uint64_t count;
    int zip64;            /* sizes and offsets in extra fields, and the zip64 end records */
    unsigned method, flags;
} test_archive;

static inline void archive_add(test_archive *a, const char *name, const void *data, size_t size)
{
    uint64_t offset = a->bytes.size, small = a->zip64 ? 0xFFFFFFFF : size;
    put_number(&a->bytes, 0x04034b50, 4);
    put_number(&a->bytes, 20, 2), put_number(&a->bytes, a->flags, 2), put_number(&a->bytes, a->method, 2);
    put_zeros(&a->bytes, 4 + 4); /* time, checksum */
    put_number(&a->bytes, size, 4), put_number(&a->bytes, size, 4);
    put_number(&a->bytes, strlen(name), 2), put_number(&a->bytes, 5, 2);
    put_text(&a->bytes, name);
    put_text(&a->bytes, "FB\1"), put_zeros(&a->bytes, 2); /* an extra field, as PyTorch pads with */
    put_bytes(&a->bytes, data, size);

    put_number(&a->directory, 0x02014b50, 4);
    put_number(&a->directory, 20, 2), put_number(&a->directory, 20, 2);
    put_number(&a->directory, a->flags, 2), put_number(&a->directory, a->method, 2);
    put_zeros(&a->directory, 4 + 4);
    put_number(&a->directory, small, 4), put_number(&a->directory, small, 4);
    put_number(&a->directory, strlen(name), 2), put_number(&a->directory, a->zip64 ? 32 : 0, 2);
    put_zeros(&a->directory, 2 + 2 + 2 + 4);
    put_number(&a->directory, a->zip64 ? 0xFFFFFFFF : offset, 4);
    put_text(&a->directory, name);
    if (a->zip64) {
        put_number(&a->directory, 0x7777, 2), put_number(&a->directory, 0, 2); /* another field before */
        put_number(&a->directory, 1, 2), put_number(&a->directory, 24, 2);
        put_number(&a->directory, size, 8), put_number(&a->directory, size, 8), put_number(&a->directory, offset, 8);
    }
    a->count++;
}

/* The finished file; *a is empty afterwards. */
static inline test_bytes archive_end(test_archive *a)
{
    test_bytes b = a->bytes;
    uint64_t offset = b.size, size = a->directory.size;
    put_bytes(&b, a->directory.data, a->directory.size);
    if (a->zip64) {
        uint64_t end = b.size;
        put_number(&b, 0x06064b50, 4), put_number(&b, 44, 8), put_zeros(&b, 2 + 2 + 4 + 4);
        put_number(&b, a->count, 8), put_number(&b, a->count, 8), put_number(&b, size, 8), put_number(&b, offset, 8);
        put_number(&b, 0x07064b50, 4), put_number(&b, 0, 4), put_number(&b, end, 8), put_number(&b, 1, 4);
    }
    put_number(&b, 0x06054b50, 4), put_zeros(&b, 4);
    put_number(&b, a->zip64 ? 0xFFFF : a->count, 2), put_number(&b, a->zip64 ? 0xFFFF : a->count, 2);
    put_number(&b, a->zip64 ? 0xFFFFFFFF : size, 4), put_number(&b, a->zip64 ? 0xFFFFFFFF : offset, 4);
    put_number(&b, 0, 2);
    free_bytes(&a->directory);
    *a = (test_archive){0};
    return b;
}

/* ---- pickle ---- */

static inline void put_unicode(test_bytes *b, const char *text)
{
    put_text(b, "X");
    put_number(b, strlen(text), 4);
    put_text(b, text);
}

static inline void put_int(test_bytes *b, uint64_t number)
{
    put_text(b, "J");
    put_number(b, number, 4);
}

/* A tuple of `count` numbers. */
static inline void put_ints(test_bytes *b, const int *numbers, int count)
{
    put_text(b, "(");
    for (int i = 0; i < count; i++)
        put_int(b, (uint64_t)(int64_t)numbers[i]);
    put_text(b, "t");
}

/* "NAME": tensor, to stand between MARK and SETITEMS. */
static inline void put_entry(test_bytes *b, const char *name, const char *type, const char *key, int items, int offset,
                             int dims, const int *shape, const int *stride)
{
    put_unicode(b, name);
    put_text(b, "ctorch._utils\n_rebuild_tensor_v2\n((");
    put_unicode(b, "storage");
    put_text(b, "ctorch\n"), put_text(b, type), put_text(b, "\n");
    put_unicode(b, key);
    put_unicode(b, "cpu");
    put_int(b, (uint64_t)items);
    put_text(b, "tQ");
    put_int(b, (uint64_t)(int64_t)offset);
    put_ints(b, shape, dims);
    put_ints(b, stride, dims);
    put_text(b, "\x89" "ccollections\nOrderedDict\n)RtR");
}

#endif
