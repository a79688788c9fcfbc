/* gguf_writer.c - collects keys and tensors and writes them as a GGUF version 3 file. Tensor data is asked for row by row
 * while the file is written; nothing of it is held. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/output.h"
#include "format/gguf_file.h"
#include "format/little.h"

enum { ALIGNMENT = 32, VERSION = 3 };

typedef struct writer_key {
    char *key;
    bipe_buffer value; /* type and value, as the file has them */
} writer_key;

struct bipe_gguf_writer {
    writer_key *key;
    size_t keys, key_capacity;
    bipe_tensor_list list;
};

int bipe_gguf_writer_open(bipe_gguf_writer **writer, bipe_error *err)
{
    *writer = bipe_alloc(1, sizeof **writer);
    return *writer != NULL ? BIPE_OK : bipe_fail_memory(err);
}

void bipe_gguf_writer_close(bipe_gguf_writer *writer)
{
    if (writer == NULL)
        return;
    for (size_t i = 0; i < writer->keys; i++) {
        bipe_free(writer->key[i].key);
        bipe_buffer_free(&writer->key[i].value);
    }
    bipe_tensor_list_free(&writer->list);
    bipe_free(writer->key);
    bipe_free(writer);
}

/* ---- bytes ---- */

static int put_u32(bipe_buffer *buffer, uint32_t value, bipe_error *err)
{
    uint8_t bytes[4];
    bipe_store32(bytes, value);
    return bipe_buffer_append(buffer, bytes, sizeof bytes, err);
}

static int put_u64(bipe_buffer *buffer, uint64_t value, bipe_error *err)
{
    uint8_t bytes[8];
    bipe_store64(bytes, value);
    return bipe_buffer_append(buffer, bytes, sizeof bytes, err);
}

static int put_string(bipe_buffer *buffer, const char *text, size_t size, bipe_error *err)
{
    int status = put_u64(buffer, size, err);
    return status == BIPE_OK ? bipe_buffer_append(buffer, text, size, err) : status;
}

/* ---- keys ---- */

/* Takes the value over, also when it fails. */
static int set_value(bipe_gguf_writer *writer, const char *key, bipe_buffer *value, int status, bipe_error *err)
{
    for (size_t i = 0; status == BIPE_OK && i < writer->keys; i++)
        if (strcmp(writer->key[i].key, key) == 0) {
            bipe_buffer_free(&writer->key[i].value);
            writer->key[i].value = *value;
            return BIPE_OK;
        }
    char *copy = NULL;
    if (status == BIPE_OK &&
        (bipe_grow(&writer->key, &writer->key_capacity, writer->keys + 1, sizeof *writer->key) != 0 ||
         (copy = bipe_strdup(key)) == NULL))
        status = bipe_fail_memory(err);
    if (status != BIPE_OK) {
        bipe_buffer_free(value);
        return status;
    }
    writer->key[writer->keys++] = (writer_key){ copy, *value };
    return BIPE_OK;
}

static int set_scalar(bipe_gguf_writer *writer, const char *key, bipe_gguf_type type, const void *bytes, size_t size,
                      bipe_error *err)
{
    bipe_buffer value = {0};
    int status = put_u32(&value, type, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&value, bytes, size, err);
    return set_value(writer, key, &value, status, err);
}

int bipe_gguf_set_u32(bipe_gguf_writer *writer, const char *key, uint32_t value, bipe_error *err)
{
    uint8_t bytes[4];
    bipe_store32(bytes, value);
    return set_scalar(writer, key, BIPE_GGUF_U32, bytes, sizeof bytes, err);
}

int bipe_gguf_set_f32(bipe_gguf_writer *writer, const char *key, float value, bipe_error *err)
{
    uint8_t bytes[4];
    bipe_store_float(bytes, value);
    return set_scalar(writer, key, BIPE_GGUF_F32, bytes, sizeof bytes, err);
}

int bipe_gguf_set_bool(bipe_gguf_writer *writer, const char *key, bool value, bipe_error *err)
{
    uint8_t byte = value;
    return set_scalar(writer, key, BIPE_GGUF_BOOL, &byte, 1, err);
}

int bipe_gguf_set_string(bipe_gguf_writer *writer, const char *key, const char *text, size_t size, bipe_error *err)
{
    bipe_buffer value = {0};
    int status = put_u32(&value, BIPE_GGUF_STRING, err);
    if (status == BIPE_OK)
        status = put_string(&value, text, size, err);
    return set_value(writer, key, &value, status, err);
}

static int begin_array(bipe_buffer *value, bipe_gguf_type element, size_t count, bipe_error *err)
{
    int status = put_u32(value, BIPE_GGUF_ARRAY, err);
    if (status == BIPE_OK)
        status = put_u32(value, element, err);
    return status == BIPE_OK ? put_u64(value, count, err) : status;
}

int bipe_gguf_set_strings(bipe_gguf_writer *writer, const char *key, const bipe_gguf_string *strings, size_t count,
                          bipe_error *err)
{
    bipe_buffer value = {0};
    int status = begin_array(&value, BIPE_GGUF_STRING, count, err);
    for (size_t i = 0; status == BIPE_OK && i < count; i++)
        status = put_string(&value, strings[i].text, strings[i].size, err);
    return set_value(writer, key, &value, status, err);
}

int bipe_gguf_set_f32s(bipe_gguf_writer *writer, const char *key, const float *values, size_t count, bipe_error *err)
{
    bipe_buffer value = {0};
    int status = begin_array(&value, BIPE_GGUF_F32, count, err);
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        uint8_t bytes[4];
        bipe_store_float(bytes, values[i]);
        status = bipe_buffer_append(&value, bytes, sizeof bytes, err);
    }
    return set_value(writer, key, &value, status, err);
}

int bipe_gguf_set_i32s(bipe_gguf_writer *writer, const char *key, const int32_t *values, size_t count, bipe_error *err)
{
    bipe_buffer value = {0};
    int status = begin_array(&value, BIPE_GGUF_I32, count, err);
    for (size_t i = 0; status == BIPE_OK && i < count; i++)
        status = put_u32(&value, (uint32_t)values[i], err);
    return set_value(writer, key, &value, status, err);
}

int bipe_gguf_set_u8s(bipe_gguf_writer *writer, const char *key, const uint8_t *values, size_t count, bipe_error *err)
{
    bipe_buffer value = {0};
    int status = begin_array(&value, BIPE_GGUF_U8, count, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&value, values, count, err);
    return set_value(writer, key, &value, status, err);
}

/* ---- keys of a file ---- */

static int copy_value(bipe_gguf_writer *writer, const char *key, const gguf_entry *entry, bipe_error *err)
{
    if (entry->type == BIPE_GGUF_STRING)
        return bipe_gguf_set_string(writer, key, (const char *)entry->value, entry->count, err);
    if (entry->type != BIPE_GGUF_ARRAY)
        return set_scalar(writer, key, entry->type, entry->value, bipe_gguf_type_size(entry->type), err);
    if (entry->element == BIPE_GGUF_STRING)
        return bipe_gguf_set_strings(writer, key, entry->strings, entry->count, err);
    bipe_buffer value = {0};
    int status = begin_array(&value, entry->element, entry->count, err);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&value, entry->value, entry->count * bipe_gguf_type_size(entry->element), err);
    return set_value(writer, key, &value, status, err);
}

int bipe_gguf_copy_keys(bipe_gguf_writer **copy, const bipe_gguf *gguf, const char *prefix, bipe_error *err)
{
    int status = bipe_gguf_writer_open(copy, err);
    for (size_t i = 0; status == BIPE_OK && i < gguf->count; i++) {
        const gguf_entry *entry = &gguf->entry[i];
        char *key = bipe_alloc(entry->key.size + 1, 1);
        if (key == NULL)
            return bipe_fail_memory(err);
        memcpy(key, entry->key.text, entry->key.size);
        if (strncmp(key, prefix, strlen(prefix)) == 0)
            status = copy_value(*copy, key, entry, err);
        bipe_free(key);
    }
    return status;
}

int bipe_gguf_set_keys(bipe_gguf_writer *writer, const bipe_gguf_writer *copy, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < copy->keys; i++) {
        const bipe_buffer *from = &copy->key[i].value;
        bipe_buffer value = {0};
        status = bipe_buffer_append(&value, from->data, from->size, err);
        status = set_value(writer, copy->key[i].key, &value, status, err);
    }
    return status;
}

/* ---- tensors ---- */

/* The file's number for a type that can be written, or -1. */
static int type_number(bipe_dtype dtype)
{
    switch (dtype) {
    case BIPE_F32: return 0;
    case BIPE_F16: return 1;
    case BIPE_Q8_0: return 8;
    case BIPE_BF16: return 30;
    case BIPE_I64: return 27;
    case BIPE_OTHER: break;
    }
    return -1;
}

bipe_tensor_list *bipe_gguf_tensor_list(bipe_gguf_writer *writer)
{
    return &writer->list;
}

int bipe_gguf_add_tensor(bipe_gguf_writer *writer, const char *name, bipe_dtype dtype, int dims, const uint64_t *shape,
                         bipe_tensor_rows *rows, void *context, bipe_error *err)
{
    if (type_number(dtype) < 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "tensor %s: a type that cannot be written", name);
    return bipe_tensor_list_add(&writer->list, name, dtype, dims, shape, rows, context, err);
}

/* ---- the file ---- */

static uint64_t aligned(uint64_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int put_tensor(bipe_buffer *head, const bipe_tensor *tensor, uint64_t offset, bipe_error *err)
{
    int status = put_string(head, tensor->name, strlen(tensor->name), err);
    if (status == BIPE_OK)
        status = put_u32(head, (uint32_t)tensor->dims, err);
    for (int i = tensor->dims - 1; status == BIPE_OK && i >= 0; i--) /* innermost first */
        status = put_u64(head, tensor->shape[i], err);
    if (status == BIPE_OK)
        status = put_u32(head, (uint32_t)type_number(tensor->dtype), err);
    return status == BIPE_OK ? put_u64(head, offset, err) : status;
}

static int make_head(const bipe_gguf_writer *writer, bipe_buffer *head, bipe_error *err)
{
    uint64_t offset = 0;
    int status = bipe_buffer_append(head, "GGUF", 4, err);
    if (status == BIPE_OK)
        status = put_u32(head, VERSION, err);
    if (status == BIPE_OK)
        status = put_u64(head, writer->list.count, err);
    if (status == BIPE_OK)
        status = put_u64(head, writer->keys, err);
    for (size_t i = 0; status == BIPE_OK && i < writer->keys; i++) {
        const writer_key *key = &writer->key[i];
        status = put_string(head, key->key, strlen(key->key), err);
        if (status == BIPE_OK)
            status = bipe_buffer_append(head, key->value.data, key->value.size, err);
    }
    for (size_t i = 0; status == BIPE_OK && i < writer->list.count; i++) {
        const bipe_tensor *tensor = &writer->list.entry[i].tensor;
        status = put_tensor(head, tensor, offset, err);
        if (tensor->size > UINT64_MAX / 2 - offset)
            return bipe_fail(err, BIPE_ERR_LIMIT, "tensors of more bytes than a file can have");
        offset = aligned(offset + tensor->size);
    }
    static const uint8_t zeros[ALIGNMENT];
    if (status == BIPE_OK)
        status = bipe_buffer_append(head, zeros, (size_t)(aligned(head->size) - head->size), err);
    return status;
}

static int check_alignment(const bipe_gguf_writer *writer, bipe_error *err)
{
    for (size_t i = 0; i < writer->keys; i++) {
        const bipe_buffer *value = &writer->key[i].value;
        if (strcmp(writer->key[i].key, "general.alignment") == 0 &&
            (value->size != 8 || bipe_load32(value->data) != BIPE_GGUF_U32 ||
             bipe_load32(value->data + 4) != ALIGNMENT))
            return bipe_fail(err, BIPE_ERR_ARGUMENT, "general.alignment was set, expected a u32 of %d", ALIGNMENT);
    }
    return BIPE_OK;
}

int bipe_gguf_write_to(bipe_gguf_writer *writer, bipe_output *output, bipe_error *err)
{
    bipe_buffer head = {0};
    int status = check_alignment(writer, err);
    if (status == BIPE_OK)
        status = make_head(writer, &head, err);
    if (status == BIPE_OK)
        status = bipe_output_write(output, head.data, head.size, err);
    if (status == BIPE_OK)
        status = bipe_tensor_list_write(&writer->list, ALIGNMENT, output, err);
    bipe_buffer_free(&head);
    return status;
}

int bipe_gguf_write(bipe_gguf_writer *writer, const char *path, bipe_error *err)
{
    bipe_output *output;
    int status = bipe_output_open(&output, path, err);
    if (status != BIPE_OK)
        return status;
    status = bipe_gguf_write_to(writer, output, err);
    if (status == BIPE_OK)
        return bipe_output_commit(output, err);
    bipe_output_abandon(output);
    return status;
}
