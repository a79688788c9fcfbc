/* gguf_file.h - what is inside a bipe_gguf: filled by gguf_reader.c and gguf_parts.c, asked by gguf_values.c. Only for
 * this room and its tests. */
#ifndef BIPE_FORMAT_GGUF_FILE_H
#define BIPE_FORMAT_GGUF_FILE_H

#include "format/gguf.h"
#include "format/mapping.h"
#include "format/names.h"

typedef struct gguf_entry {
    bipe_gguf_string key;
    bipe_gguf_type type;
    bipe_gguf_type element;    /* of an array */
    size_t count;              /* elements of an array, bytes of a string */
    const uint8_t *value;      /* the number, the text, or the first element */
    bipe_gguf_string *strings; /* [count] of an array of strings */
} gguf_entry;

struct bipe_gguf {
    char *path;
    bipe_mapping mapping;
    gguf_entry *entry; /* in the order of the file */
    size_t count, capacity;
    gguf_entry **by_key; /* the same, sorted */
    bipe_tensor_table tensors;
    bipe_names names;
    bipe_gguf **part; /* the other files of a model in several, whose tensors are in `tensors` as well */
    size_t parts;
};

/* As bipe_gguf_open(), but of one file alone, even if it is a part of a model. */
int gguf_open_file(bipe_gguf **gguf, const char *path, bipe_error *err);

/* As bipe_gguf_open(), of bytes that the caller keeps until bipe_gguf_close(). `name` is what error texts start
 * with. */
int bipe_gguf_open_bytes(bipe_gguf **gguf, const uint8_t *bytes, size_t size, const char *name, bipe_error *err);

/* Orders two elements of by_key by their keys. */
int gguf_compare_entries(const void *a, const void *b);
/* Bytes of a value of a number type or bool; 0 for strings, arrays and what is no type. */
size_t bipe_gguf_type_size(uint32_t type);
const char *bipe_gguf_type_name(uint32_t type);

#endif
