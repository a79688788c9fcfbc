/* gguf_writer.c - collects keys and tensors and writes them as a GGUF version 3 file. Tensor data is fetched row by row
 * while the file is written; none of it is held. */
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
    bool failed; /* memory was out */
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

static void append_u32(bipe_buffer *buffer, uint32_t value)
{
    uint8_t bytes[4];
    bipe_store32(bytes, value);
    bipe_buffer_write(buffer, bytes, sizeof bytes);
}

static void append_u64(bipe_buffer *buffer, uint64_t value)
{
    uint8_t bytes[8];
    bipe_store64(bytes, value);
    bipe_buffer_write(buffer, bytes, sizeof bytes);
}

static void append_gguf_string(bipe_buffer *buffer, const char *text, size_t size)
{
    append_u64(buffer, size);
    bipe_buffer_write(buffer, text, size);
}

/* ---- keys ---- */

/* Takes the value over. */
static void set_value(bipe_gguf_writer *writer, const char *key, bipe_buffer *value)
{
    size_t i = 0;
    while (i < writer->keys && strcmp(writer->key[i].key, key) != 0)
        i++;
    if (i == writer->keys && !value->failed &&
        bipe_grow(&writer->key, &writer->key_capacity, i + 1, sizeof *writer->key) == 0) {
        char *copy = bipe_strdup(key);
        if (copy != NULL)
            writer->key[writer->keys++] = (writer_key){.key = copy};
    }
    if (i == writer->keys || value->failed) {
        writer->failed = true;
        bipe_buffer_free(value);
        return;
    }
    bipe_buffer_free(&writer->key[i].value);
    writer->key[i].value = *value;
}

static void set_scalar(bipe_gguf_writer *writer, const char *key, bipe_gguf_type type, const void *bytes, size_t size)
{
    bipe_buffer value = {0};
    append_u32(&value, type);
    bipe_buffer_write(&value, bytes, size);
    set_value(writer, key, &value);
}

void bipe_gguf_set_u32(bipe_gguf_writer *writer, const char *key, uint32_t value)
{
    uint8_t bytes[4];
    bipe_store32(bytes, value);
    set_scalar(writer, key, BIPE_GGUF_U32, bytes, sizeof bytes);
}

void bipe_gguf_set_u64(bipe_gguf_writer *writer, const char *key, uint64_t value)
{
    uint8_t bytes[8];
    bipe_store64(bytes, value);
    set_scalar(writer, key, BIPE_GGUF_U64, bytes, sizeof bytes);
}

void bipe_gguf_set_f32(bipe_gguf_writer *writer, const char *key, float value)
{
    uint8_t bytes[4];
    bipe_store_float(bytes, value);
    set_scalar(writer, key, BIPE_GGUF_F32, bytes, sizeof bytes);
}

void bipe_gguf_set_bool(bipe_gguf_writer *writer, const char *key, bool value)
{
    uint8_t byte = value;
    set_scalar(writer, key, BIPE_GGUF_BOOL, &byte, 1);
}

void bipe_gguf_set_string(bipe_gguf_writer *writer, const char *key, const char *text, size_t size)
{
    bipe_buffer value = {0};
    append_u32(&value, BIPE_GGUF_STRING);
    append_gguf_string(&value, text, size);
    set_value(writer, key, &value);
}

void bipe_gguf_set_text(bipe_gguf_writer *writer, const char *key, const char *text)
{
    bipe_gguf_set_string(writer, key, text, strlen(text));
}

static void begin_array(bipe_buffer *value, bipe_gguf_type element, size_t count)
{
    append_u32(value, BIPE_GGUF_ARRAY);
    append_u32(value, element);
    append_u64(value, count);
}

void bipe_gguf_set_strings(bipe_gguf_writer *writer, const char *key, const bipe_gguf_string *strings, size_t count)
{
    bipe_buffer value = {0};
    begin_array(&value, BIPE_GGUF_STRING, count);
    for (size_t i = 0; i < count; i++)
        append_gguf_string(&value, strings[i].text, strings[i].size);
    set_value(writer, key, &value);
}

void bipe_gguf_set_f32s(bipe_gguf_writer *writer, const char *key, const float *values, size_t count)
{
    bipe_buffer value = {0};
    begin_array(&value, BIPE_GGUF_F32, count);
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[4];
        bipe_store_float(bytes, values[i]);
        bipe_buffer_write(&value, bytes, sizeof bytes);
    }
    set_value(writer, key, &value);
}

void bipe_gguf_set_i32s(bipe_gguf_writer *writer, const char *key, const int32_t *values, size_t count)
{
    bipe_buffer value = {0};
    begin_array(&value, BIPE_GGUF_I32, count);
    for (size_t i = 0; i < count; i++)
        append_u32(&value, (uint32_t)values[i]);
    set_value(writer, key, &value);
}

void bipe_gguf_set_u64s(bipe_gguf_writer *writer, const char *key, const uint64_t *values, size_t count)
{
    bipe_buffer value = {0};
    begin_array(&value, BIPE_GGUF_U64, count);
    for (size_t i = 0; i < count; i++)
        append_u64(&value, values[i]);
    set_value(writer, key, &value);
}

void bipe_gguf_set_u8s(bipe_gguf_writer *writer, const char *key, const uint8_t *values, size_t count)
{
    bipe_buffer value = {0};
    begin_array(&value, BIPE_GGUF_U8, count);
    bipe_buffer_write(&value, values, count);
    set_value(writer, key, &value);
}

/* ---- keys of a file ---- */

static void copy_value(bipe_gguf_writer *writer, const char *key, const gguf_entry *entry)
{
    bipe_buffer value = {0};
    if (entry->type == BIPE_GGUF_STRING) {
        bipe_gguf_set_string(writer, key, (const char *)entry->value, entry->count);
    } else if (entry->type != BIPE_GGUF_ARRAY) {
        set_scalar(writer, key, entry->type, entry->value, bipe_gguf_type_size(entry->type));
    } else if (entry->element == BIPE_GGUF_STRING) {
        bipe_gguf_set_strings(writer, key, entry->strings, entry->count);
    } else {
        begin_array(&value, entry->element, entry->count);
        bipe_buffer_write(&value, entry->value, entry->count * bipe_gguf_type_size(entry->element));
        set_value(writer, key, &value);
    }
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
            copy_value(*copy, key, entry);
        bipe_free(key);
    }
    return status == BIPE_OK && (*copy)->failed ? bipe_fail_memory(err) : status;
}

void bipe_gguf_set_keys(bipe_gguf_writer *writer, const bipe_gguf_writer *copy)
{
    for (size_t i = 0; i < copy->keys; i++) {
        bipe_buffer value = {0};
        bipe_buffer_write(&value, copy->key[i].value.data, copy->key[i].value.size);
        set_value(writer, copy->key[i].key, &value);
    }
}

/* ---- tensors ---- */

bipe_tensor_list *bipe_gguf_tensor_list(bipe_gguf_writer *writer)
{
    return &writer->list;
}

int bipe_gguf_add_tensor(bipe_gguf_writer *writer, const char *name, bipe_dtype dtype, int dims, const uint64_t *shape,
                         bipe_tensor_rows *rows, void *context, bipe_error *err)
{
    if (bipe_dtype_of(dtype)->gguf < 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "tensor %s: a type that cannot be written", name);
    return bipe_tensor_list_add(&writer->list, name, dtype, dims, shape, rows, context, err);
}

/* ---- the file ---- */

static uint64_t align_size(uint64_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void append_tensor(bipe_buffer *head, const bipe_tensor *tensor, uint64_t offset)
{
    append_gguf_string(head, tensor->name, strlen(tensor->name));
    append_u32(head, (uint32_t)tensor->dims);
    for (int i = tensor->dims - 1; i >= 0; i--) /* innermost first */
        append_u64(head, tensor->shape[i]);
    append_u32(head, (uint32_t)bipe_dtype_of(tensor->dtype)->gguf);
    append_u64(head, offset);
}

static int make_head(const bipe_gguf_writer *writer, bipe_buffer *head, bipe_error *err)
{
    static const uint8_t zeros[ALIGNMENT];
    uint64_t offset = 0;
    bipe_buffer_write(head, "GGUF", 4);
    append_u32(head, VERSION);
    append_u64(head, writer->list.count);
    append_u64(head, writer->keys);
    for (size_t i = 0; i < writer->keys; i++) {
        append_gguf_string(head, writer->key[i].key, strlen(writer->key[i].key));
        bipe_buffer_write(head, writer->key[i].value.data, writer->key[i].value.size);
    }
    for (size_t i = 0; i < writer->list.count; i++) {
        const bipe_tensor *tensor = &writer->list.entry[i].tensor;
        append_tensor(head, tensor, offset);
        if (tensor->size > UINT64_MAX / 2 - offset)
            return bipe_fail(err, BIPE_ERR_LIMIT, "tensors of more bytes than a file can have");
        offset = align_size(offset + tensor->size);
    }
    bipe_buffer_write(head, zeros, (size_t)(align_size(head->size) - head->size));
    return writer->failed || head->failed ? bipe_fail_memory(err) : BIPE_OK;
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
