/* segment_ids.c - rows with the id of their record at the end; see segment_ids.h. */
#include "tools/segment_ids.h"

#include <string.h>

#include "base/buffer.h"
#include "base/json_writer.h"
#include "tools/segment_writer.h"

enum { SPOOL_MEMORY = 4 << 20, PIECE = 1 << 14 };

static int spool_rows(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return bipe_spool_append(context, bytes, size, err);
}

int segment_ids_open(segment_ids *ids, bipe_output *output, bool json, bipe_error *err)
{
    ids->output = output;
    ids->json = json;
    int status = bipe_spool_open(&ids->spool, SPOOL_MEMORY, err);
    return status == BIPE_OK ? bipe_output_open_sink(&ids->rows, spool_rows, ids->spool, err) : status;
}

/* What each row ends with, in place of its newline, and of its brace. */
static int make_end(const segment_ids *ids, const char *id, bipe_buffer *end, bipe_error *err)
{
    if (!ids->json) {
        int status = bipe_buffer_append(end, "\t", 1, err);
        if (status == BIPE_OK && id != NULL)
            status = segment_put_field(end, id, err);
        return status == BIPE_OK ? bipe_buffer_append(end, "\n", 1, err) : status;
    }
    if (id == NULL)
        return bipe_buffer_append(end, ",\"record\":null}\n", 16, err);
    size_t size = strlen(id);
    int status = bipe_buffer_append(end, ",\"record\":\"", 11, err);
    if (status == BIPE_OK)
        status = bipe_buffer_reserve(end, BIPE_JSON_WIDEST * size + PIECE, err);
    if (status != BIPE_OK)
        return status;
    end->size = (size_t)(bipe_json_put_string(end->data + end->size, (const uint8_t *)id, size) - end->data);
    return bipe_buffer_append(end, "\"}\n", 3, err);
}

/* Copies rows up to the last byte, which may be the brace that ends a row: *last, if *held. */
static int copy_rows(const segment_ids *ids, const uint8_t *bytes, size_t size, const bipe_buffer *end, uint8_t *last, bool *held, bipe_error *err)
{
    int status = BIPE_OK;
    while (size > 0 && status == BIPE_OK) {
        const uint8_t *newline = memchr(bytes, '\n', size);
        size_t n = newline != NULL ? (size_t)(newline - bytes) : size;
        if (n > 0 && *held)
            status = bipe_output_write(ids->output, last, 1, err);
        if (n > 0 && status == BIPE_OK) {
            status = bipe_output_write(ids->output, bytes, n - ids->json, err);
            *last = bytes[n - 1];
            *held = ids->json;
        }
        if (newline != NULL && status == BIPE_OK) {
            status = bipe_output_write(ids->output, end->data, end->size, err);
            *held = false;
            n++;
        }
        bytes += n;
        size -= n;
    }
    return status;
}

int segment_ids_release(segment_ids *ids, const char *id, bipe_error *err)
{
    bipe_buffer end = {0};
    uint8_t piece[PIECE], last = 0;
    bool held = false;
    int status = bipe_output_flush(ids->rows, err);
    if (status == BIPE_OK)
        status = make_end(ids, id, &end, err);
    uint64_t size = bipe_spool_size(ids->spool);
    for (uint64_t at = 0; at < size && status == BIPE_OK; at += PIECE) {
        size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;
        status = bipe_spool_read(ids->spool, at, piece, n, err);
        if (status == BIPE_OK)
            status = copy_rows(ids, piece, n, &end, &last, &held, err);
    }
    bipe_spool_reset(ids->spool);
    bipe_buffer_free(&end);
    return status;
}

void segment_ids_close(segment_ids *ids)
{
    bipe_output_abandon(ids->rows);
    bipe_spool_close(ids->spool);
}
