/* safetensors_writer.c - writes a safetensors file: eight bytes of length, a JSON object, the data of the tensors one
 * after the other.
 *
 * Format: github.com/huggingface/safetensors, README, "Format". The header is filled up with spaces to a multiple of
 * eight bytes. */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/json_writer.h"
#include "format/little.h"
#include "format/tensor_list.h"

static int append_bytes(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return bipe_buffer_append(context, bytes, size, err);
}

static void write_entries(bipe_json *json, const bipe_tensor_list *list)
{
    uint64_t offset = 0;
    bipe_json_begin_object(json);
    bipe_json_key_object(json, "__metadata__");
    bipe_json_key_text(json, "format", "pt"); /* transformers asks for it */
    bipe_json_end_object(json);
    for (size_t i = 0; i < list->count; i++) {
        const bipe_tensor *tensor = &list->entry[i].tensor;
        bipe_json_key_object(json, tensor->name);
        bipe_json_key_text(json, "dtype", bipe_dtype_name(tensor->dtype));
        bipe_json_key_array(json, "shape");
        for (int k = 0; k < tensor->dims; k++)
            bipe_json_uint(json, tensor->shape[k]);
        bipe_json_end_array(json);
        bipe_json_key_array(json, "data_offsets");
        bipe_json_uint(json, offset);
        bipe_json_uint(json, offset += tensor->size);
        bipe_json_end_array(json);
        bipe_json_end_object(json);
    }
    bipe_json_end_object(json);
}

static int make_header(const bipe_tensor_list *list, bipe_buffer *header, bipe_error *err)
{
    bipe_output *output;
    bipe_json json;
    uint8_t length[8];
    int status = bipe_buffer_append(header, "........", 8, err);
    if (status == BIPE_OK)
        status = bipe_output_open_sink(&output, append_bytes, header, err);
    if (status != BIPE_OK)
        return status;
    bipe_json_open(&json, output, false);
    write_entries(&json, list);
    status = bipe_json_close(&json, err);
    if (status == BIPE_OK)
        status = bipe_output_commit(output, err);
    else
        bipe_output_abandon(output);
    if (status == BIPE_OK)
        status = bipe_buffer_append(header, "       ", -header->size & 7, err);
    if (status == BIPE_OK) {
        bipe_store64(length, header->size - 8);
        memcpy(header->data, length, sizeof length);
    }
    return status;
}

int bipe_safetensors_write(const bipe_tensor_list *list, const char *path, bipe_error *err)
{
    bipe_buffer header = {0};
    bipe_output *output = NULL;
    int status = BIPE_OK;
    for (size_t i = 0; i < list->count && status == BIPE_OK; i++)
        if (bipe_dtype_of(list->entry[i].tensor.dtype)->storage == NULL)
            status = bipe_fail(err, BIPE_ERR_ARGUMENT, "tensor %s: safetensors files have no type %s",
                               list->entry[i].tensor.name, bipe_dtype_name(list->entry[i].tensor.dtype));
    if (status == BIPE_OK)
        status = make_header(list, &header, err);
    if (status == BIPE_OK)
        status = bipe_output_open(&output, path, err);
    if (status == BIPE_OK)
        status = bipe_output_write(output, header.data, header.size, err);
    if (status == BIPE_OK)
        status = bipe_tensor_list_write(list, 1, output, err);
    if (status == BIPE_OK)
        status = bipe_output_commit(output, err);
    else
        bipe_output_abandon(output);
    bipe_buffer_free(&header);
    return status;
}
