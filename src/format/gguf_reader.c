/* gguf_reader.c - checks a GGUF file from the first byte to the last tensor and indexes what is in it. Says nothing
 * about what keys mean.
 *
 * Format: github.com/ggml-org/ggml, docs/gguf.md. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "format/gguf_file.h"
#include "format/little.h"
#include "format/table.h"

enum { KEY_LIMIT = 1 << 16, DEFAULT_ALIGNMENT = 32, MAGIC_SIZE = 4 };

typedef struct cursor {
    const uint8_t *data;
    size_t size, at;
} cursor;

size_t bipe_gguf_type_size(uint32_t type)
{
    static const uint8_t size[] = {
        [BIPE_GGUF_U8] = 1,  [BIPE_GGUF_I8] = 1,  [BIPE_GGUF_U16] = 2, [BIPE_GGUF_I16] = 2,
        [BIPE_GGUF_U32] = 4, [BIPE_GGUF_I32] = 4, [BIPE_GGUF_F32] = 4, [BIPE_GGUF_BOOL] = 1,
        [BIPE_GGUF_U64] = 8, [BIPE_GGUF_I64] = 8, [BIPE_GGUF_F64] = 8,
    };
    return type < sizeof size ? size[type] : 0;
}

const char *bipe_gguf_type_name(uint32_t type)
{
    static const char *const name[] = { "u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                        "bool", "string", "array", "u64", "i64", "f64" };
    return type < sizeof name / sizeof name[0] ? name[type] : "unknown";
}

/* ---- primitive values ---- */

static int fail_torn(const cursor *c, const char *what, bipe_error *err)
{
    bipe_fail(err, BIPE_ERR_FORMAT, "byte %zu: the file ends within %s", c->at, what);
    return BIPE_ERR_FORMAT;
}

static int read_bytes(cursor *c, uint64_t size, const uint8_t **bytes, const char *what, bipe_error *err)
{
    if (size > c->size - c->at)
        return fail_torn(c, what, err);
    *bytes = c->data + c->at;
    c->at += (size_t)size;
    return BIPE_OK;
}

static int read_u32(cursor *c, uint32_t *value, const char *what, bipe_error *err)
{
    const uint8_t *bytes;
    int status = read_bytes(c, 4, &bytes, what, err);
    if (status == BIPE_OK)
        *value = bipe_load32(bytes);
    return status;
}

static int read_u64(cursor *c, uint64_t *value, const char *what, bipe_error *err)
{
    const uint8_t *bytes;
    int status = read_bytes(c, 8, &bytes, what, err);
    if (status == BIPE_OK)
        *value = bipe_load64(bytes);
    return status;
}

static int read_string(cursor *c, bipe_gguf_string *string, const char *what, bipe_error *err)
{
    uint64_t size;
    const uint8_t *bytes;
    int status = read_u64(c, &size, what, err);
    if (status == BIPE_OK)
        status = read_bytes(c, size, &bytes, what, err);
    if (status == BIPE_OK)
        *string = (bipe_gguf_string){ (const char *)bytes, (size_t)size };
    return status;
}

/* ---- keys and values ---- */

static int check_bools(const uint8_t *bytes, size_t count, bipe_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] > 1)
            return bipe_fail(err, BIPE_ERR_FORMAT, "a bool is %u, expected 0 or 1", bytes[i]);
    return BIPE_OK;
}

static int read_strings(cursor *c, gguf_entry *entry, bipe_error *err)
{
    if (entry->count > (c->size - c->at) / 8) /* each has a length of 8 bytes */
        return fail_torn(c, "an array of strings", err);
    entry->strings = bipe_alloc(entry->count, sizeof *entry->strings);
    if (entry->strings == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < entry->count; i++) {
        int status = read_string(c, &entry->strings[i], "an array of strings", err);
        if (status != BIPE_OK)
            return status;
    }
    return BIPE_OK;
}

static int read_array(cursor *c, gguf_entry *entry, bipe_error *err)
{
    uint32_t element;
    uint64_t count;
    int status = read_u32(c, &element, "an array", err);
    if (status == BIPE_OK)
        status = read_u64(c, &count, "an array", err);
    if (status != BIPE_OK)
        return status;
    if (element == BIPE_GGUF_ARRAY)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "an array of arrays, which bipe does not read");
    size_t size = bipe_gguf_type_size(element);
    if (size == 0 && element != BIPE_GGUF_STRING)
        return bipe_fail(err, BIPE_ERR_FORMAT, "an array of values of type %u, expected 0 to 12", element);
    if (count > c->size - c->at)
        return fail_torn(c, "an array", err);
    entry->element = (bipe_gguf_type)element;
    entry->count = (size_t)count;
    if (element == BIPE_GGUF_STRING)
        return read_strings(c, entry, err);
    if (count > (c->size - c->at) / size)
        return fail_torn(c, "an array", err);
    status = read_bytes(c, count * size, &entry->value, "an array", err);
    return status == BIPE_OK && element == BIPE_GGUF_BOOL ? check_bools(entry->value, entry->count, err) : status;
}

static int read_value(cursor *c, gguf_entry *entry, bipe_error *err)
{
    uint32_t type;
    int status = read_u32(c, &type, "a value", err);
    if (status != BIPE_OK)
        return status;
    entry->type = (bipe_gguf_type)type;
    if (type == BIPE_GGUF_ARRAY)
        return read_array(c, entry, err);
    if (type == BIPE_GGUF_STRING) {
        bipe_gguf_string string;
        status = read_string(c, &string, "a string", err);
        if (status == BIPE_OK) {
            entry->value = (const uint8_t *)string.text;
            entry->count = string.size;
        }
        return status;
    }
    size_t size = bipe_gguf_type_size(type);
    if (size == 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "a value of type %u, expected 0 to 12", type);
    status = read_bytes(c, size, &entry->value, "a value", err);
    return status == BIPE_OK && type == BIPE_GGUF_BOOL ? check_bools(entry->value, 1, err) : status;
}

static int read_keys(bipe_gguf *gguf, cursor *c, uint64_t count, bipe_error *err)
{
    for (uint64_t i = 0; i < count; i++) {
        if (bipe_grow(&gguf->entry, &gguf->capacity, gguf->count + 1, sizeof *gguf->entry) != 0)
            return bipe_fail_memory(err);
        gguf_entry *entry = &gguf->entry[gguf->count];
        *entry = (gguf_entry){0};
        int status = read_string(c, &entry->key, "a key", err);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "key %llu", (unsigned long long)i);
        gguf->count++;
        if (read_value(c, entry, err) != BIPE_OK) {
            char quoted[BIPE_QUOTED_SIZE];
            return bipe_error_prefix(err, "key '%s'", bipe_quoted(quoted, entry->key.text, entry->key.size));
        }
    }
    return BIPE_OK;
}

int gguf_compare_entries(const void *a, const void *b)
{
    const gguf_entry *const *x = a, *const *y = b;
    return bipe_names_compare((*x)->key.text, (*x)->key.size, (*y)->key.text, (*y)->key.size);
}

static int sort_keys(bipe_gguf *gguf, bipe_error *err)
{
    gguf->by_key = bipe_alloc(gguf->count, sizeof *gguf->by_key);
    if (gguf->by_key == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < gguf->count; i++)
        gguf->by_key[i] = &gguf->entry[i];
    qsort(gguf->by_key, gguf->count, sizeof *gguf->by_key, gguf_compare_entries);
    for (size_t i = 1; i < gguf->count; i++)
        if (gguf_compare_entries(&gguf->by_key[i - 1], &gguf->by_key[i]) == 0) {
            char quoted[BIPE_QUOTED_SIZE];
            bipe_gguf_string key = gguf->by_key[i]->key;
            return bipe_fail(err, BIPE_ERR_FORMAT, "key '%s' occurs twice",
                             bipe_quoted(quoted, key.text, key.size));
        }
    return BIPE_OK;
}

/* ---- tensors ---- */

static int read_shape(cursor *c, bipe_tensor *tensor, bipe_error *err)
{
    uint32_t dims;
    int status = read_u32(c, &dims, "a shape", err);
    if (status != BIPE_OK)
        return status;
    if (dims < 1 || dims > BIPE_TENSOR_DIMS)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%u dimensions, expected 1 to %d", dims, BIPE_TENSOR_DIMS);
    tensor->dims = (int)dims;
    for (uint32_t i = 0; i < dims; i++) {
        uint64_t *n = &tensor->shape[dims - 1 - i]; /* the file has the innermost first */
        status = read_u64(c, n, "a shape", err);
        if (status != BIPE_OK)
            return status;
        if (*n == 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "a dimension of 0, expected at least 1");
    }
    return BIPE_OK;
}

/* Until the offset of the data section is known, `data` stays empty and the offset of the tensor is returned apart. */
static int read_tensor(bipe_gguf *gguf, cursor *c, bipe_tensor *tensor, uint64_t *offset, bipe_error *err)
{
    uint32_t type;
    int status = read_shape(c, tensor, err);
    if (status == BIPE_OK)
        status = read_u32(c, &type, "a tensor's type", err);
    if (status == BIPE_OK)
        status = read_u64(c, offset, "a tensor's offset", err);
    if (status != BIPE_OK)
        return status;
    tensor->dtype = BIPE_OTHER;
    const bipe_dtype_row *row;
    for (size_t i = 0; (row = bipe_dtype_of(i)) != NULL; i++)
        if (row->gguf == (int64_t)type) {
            tensor->dtype = row->bytes != 0 ? (bipe_dtype)i : BIPE_OTHER;
            tensor->dtype_name = row->name;
        }
    if (tensor->dtype_name == NULL) {
        char text[32];
        int size = snprintf(text, sizeof text, "type %u", type);
        tensor->dtype_name = bipe_names_copy(&gguf->names, text, (size_t)size);
        if (tensor->dtype_name == NULL)
            return bipe_fail_memory(err);
    }
    return bipe_tensor_data_size(tensor->dtype, tensor->dims, tensor->shape, &tensor->size, err);
}

static int read_tensors(bipe_gguf *gguf, cursor *c, size_t count, uint64_t *offsets, bipe_error *err)
{
    for (size_t i = 0; i < count; i++) {
        bipe_tensor tensor = {0};
        bipe_gguf_string name;
        int status = read_string(c, &name, "a tensor's name", err);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "tensor %zu", i);
        char quoted[BIPE_QUOTED_SIZE];
        bipe_quoted(quoted, name.text, name.size);
        if (!bipe_name_is_plain(name.text, name.size))
            return bipe_fail(err, BIPE_ERR_FORMAT, "tensor %zu: its name '%s' is empty or holds control characters", i,
                             quoted);
        status = read_tensor(gguf, c, &tensor, &offsets[i], err);
        if (status != BIPE_OK)
            return bipe_error_prefix(err, "tensor '%s'", quoted);
        tensor.name = bipe_names_copy(&gguf->names, name.text, name.size);
        if (tensor.name == NULL)
            return bipe_fail_memory(err);
        status = bipe_table_add(&gguf->tensors, &tensor, err);
        if (status != BIPE_OK)
            return status;
    }
    return bipe_table_finish(&gguf->tensors, err);
}

static int place_tensors(bipe_gguf *gguf, const cursor *c, const uint64_t *offsets, bipe_error *err)
{
    uint64_t alignment = DEFAULT_ALIGNMENT;
    int status = bipe_gguf_get_uint(gguf, "general.alignment", &alignment, NULL);
    if (status != BIPE_OK && status != BIPE_END)
        return bipe_fail(err, BIPE_ERR_FORMAT, "key general.alignment is not an integer, expected a power of two");
    if (alignment == 0 || alignment > UINT32_MAX || (alignment & (alignment - 1)) != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "general.alignment is %llu, expected a power of two",
                         (unsigned long long)alignment);
    uint64_t start = (c->at + alignment - 1) / alignment * alignment;
    for (size_t i = 0; i < gguf->tensors.count; i++) {
        bipe_tensor *tensor = &gguf->tensors.tensor[i];
        uint64_t room = start <= c->size ? c->size - start : 0;
        char quoted[BIPE_QUOTED_SIZE];
        bipe_quoted(quoted, tensor->name, strlen(tensor->name));
        if (offsets[i] % alignment != 0)
            return bipe_fail(err, BIPE_ERR_FORMAT, "tensor '%s': offset %llu, expected a multiple of %llu", quoted,
                             (unsigned long long)offsets[i], (unsigned long long)alignment);
        if (offsets[i] > room || tensor->size > room - offsets[i])
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "tensor '%s': %llu bytes at offset %llu, but only %llu bytes of data are there", quoted,
                             (unsigned long long)tensor->size, (unsigned long long)offsets[i],
                             (unsigned long long)room);
        if (tensor->dtype != BIPE_OTHER)
            tensor->data = c->data + start + offsets[i];
    }
    return BIPE_OK;
}

/* ---- the whole ---- */

static int read_head(cursor *c, uint64_t *tensors, uint64_t *keys, bipe_error *err)
{
    const uint8_t *magic;
    uint32_t version;
    int status = read_bytes(c, MAGIC_SIZE, &magic, "its first bytes", err);
    if (status != BIPE_OK)
        return status;
    if (memcmp(magic, "GGUF", MAGIC_SIZE) != 0)
        return bipe_fail(err, BIPE_ERR_FORMAT, "not a GGUF file: it does not begin with \"GGUF\"");
    status = read_u32(c, &version, "its version", err);
    if (status != BIPE_OK)
        return status;
    if (version != 0 && (version & 0xFFFFu) == 0)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "a big-endian GGUF file, expected a little-endian one");
    if (version != 2 && version != 3)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED, "GGUF version %u, expected 2 or 3", version);
    status = read_u64(c, tensors, "its number of tensors", err);
    if (status == BIPE_OK)
        status = read_u64(c, keys, "its number of keys", err);
    if (status != BIPE_OK)
        return status;
    /* The least a key takes: length, type, one byte. A tensor: two lengths and one dimension, type, offset. */
    uint64_t left = c->size - c->at;
    if (*keys > left / 13)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%llu keys claimed in %llu bytes", (unsigned long long)*keys,
                         (unsigned long long)left);
    if (*tensors > left / 32)
        return bipe_fail(err, BIPE_ERR_FORMAT, "%llu tensors claimed in %llu bytes", (unsigned long long)*tensors,
                         (unsigned long long)left);
    if (*keys > KEY_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%llu keys, expected at most %d", (unsigned long long)*keys, KEY_LIMIT);
    if (*tensors > BIPE_TABLE_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "%llu tensors, expected at most %d", (unsigned long long)*tensors,
                         BIPE_TABLE_LIMIT);
    return BIPE_OK;
}

static int read_gguf(bipe_gguf *gguf, const uint8_t *bytes, size_t size, bipe_error *err)
{
    cursor c = { bytes, size, 0 };
    uint64_t tensors = 0, keys = 0;
    int status = read_head(&c, &tensors, &keys, err);
    if (status == BIPE_OK)
        status = read_keys(gguf, &c, keys, err);
    if (status == BIPE_OK)
        status = sort_keys(gguf, err);
    if (status != BIPE_OK)
        return status;
    uint64_t *offsets = bipe_alloc((size_t)tensors, sizeof *offsets);
    if (offsets == NULL)
        return bipe_fail_memory(err);
    status = read_tensors(gguf, &c, (size_t)tensors, offsets, err);
    if (status == BIPE_OK)
        status = place_tensors(gguf, &c, offsets, err);
    bipe_free(offsets);
    return status;
}

static int open_common(bipe_gguf **gguf, const uint8_t *bytes, size_t size, const char *name, bipe_error *err)
{
    bipe_gguf *g = bipe_alloc(1, sizeof *g);
    *gguf = NULL;
    if (g == NULL || (g->path = bipe_strdup(name)) == NULL) {
        bipe_free(g);
        bipe_fail_memory(err);
        return bipe_error_prefix(err, "%s", name);
    }
    int status = BIPE_OK;
    if (bytes == NULL) {
        status = bipe_mapping_open(&g->mapping, name, err);
        if (status != BIPE_OK) {
            bipe_gguf_close(g);
            return status;
        }
        bytes = g->mapping.data;
        size = g->mapping.size;
    }
    status = read_gguf(g, bytes, size, err);
    if (status != BIPE_OK) {
        bipe_gguf_close(g);
        bipe_error_prefix(err, "%s", name);
        return status;
    }
    *gguf = g;
    return BIPE_OK;
}

int gguf_open_file(bipe_gguf **gguf, const char *path, bipe_error *err)
{
    return open_common(gguf, NULL, 0, path, err);
}

int bipe_gguf_open_bytes(bipe_gguf **gguf, const uint8_t *bytes, size_t size, const char *name, bipe_error *err)
{
    return open_common(gguf, bytes != NULL ? bytes : (const uint8_t *)"", size, name, err);
}

void bipe_gguf_close(bipe_gguf *gguf)
{
    if (gguf == NULL)
        return;
    for (size_t i = 0; i < gguf->parts; i++)
        bipe_gguf_close(gguf->part[i]);
    bipe_free(gguf->part);
    for (size_t i = 0; i < gguf->count; i++)
        bipe_free(gguf->entry[i].strings);
    bipe_free(gguf->entry);
    bipe_free(gguf->by_key);
    bipe_table_free(&gguf->tensors);
    bipe_names_free(&gguf->names);
    bipe_mapping_close(&gguf->mapping);
    bipe_free(gguf->path);
    bipe_free(gguf);
}
