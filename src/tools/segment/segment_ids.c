/* segment_ids.c - rows of a document wait until the id of its record is known. */
#include <string.h>

#include "tools/segment/bipe_segment.h"

enum { SPOOL_MEMORY = 4 << 20 };

static int spool_rows(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return bipe_spool_append(context, bytes, size, err);
}

int segment_ids_open(segment_ids *ids, bipe_output *output, bipe_error *err)
{
    ids->output = output;
    int status = bipe_spool_open(&ids->spool, SPOOL_MEMORY, err);
    return status == BIPE_OK ? bipe_output_open_sink(&ids->rows, spool_rows, ids->spool, err) : status;
}

/* Rows that are copied. */
typedef struct released {
    const segment_ids *ids;
    bipe_buffer end;  /* of each row, in place of its newline, and of its brace */
    uint8_t last;     /* byte of the piece before, which may be the brace that ends a row, */
    bool held;        /* if there is one */
    bool quoted;      /* CSV: within quotes, where a newline ends no row */
    bipe_error *err;
} released;

static void make_end(released *r, const char *id)
{
    static const char *const before[] = {[SEGMENT_TSV] = "\t", [SEGMENT_CSV] = ",", [SEGMENT_JSON] = ",\"record\":"};
    segment_syntax syntax = r->ids->syntax;
    const char *end = syntax == SEGMENT_JSON ? "}\n" : "\n";
    bipe_buffer_append(&r->end, before[syntax], strlen(before[syntax]), r->err);
    if (syntax == SEGMENT_JSON && id == NULL)
        bipe_buffer_append(&r->end, "null", 4, r->err);
    else
        segment_put_field(&r->end, id != NULL ? id : "", syntax, r->err);
    bipe_buffer_append(&r->end, end, strlen(end), r->err);
}

/* The newline that ends a row. */
static const uint8_t *find_row_end(released *r, const uint8_t *bytes, size_t size)
{
    if (r->ids->syntax != SEGMENT_CSV)
        return memchr(bytes, '\n', size);
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == '"')
            r->quoted = !r->quoted;
        else if (bytes[i] == '\n' && !r->quoted)
            return bytes + i;
    return NULL;
}

static void copy_rows(void *context, const uint8_t *bytes, size_t size)
{
    released *r = context;
    bipe_output *output = r->ids->output;
    bool json = r->ids->syntax == SEGMENT_JSON;
    while (size > 0) {
        const uint8_t *newline = find_row_end(r, bytes, size);
        size_t n = newline != NULL ? (size_t)(newline - bytes) : size;
        if (n > 0 && r->held)
            bipe_output_write(output, &r->last, 1, r->err);
        if (n > 0) {
            bipe_output_write(output, bytes, n - json, r->err);
            r->last = bytes[n - 1];
            r->held = json;
        }
        if (newline != NULL) {
            bipe_output_write(output, r->end.data, r->end.size, r->err);
            r->held = false;
            n++;
        }
        bytes += n;
        size -= n;
    }
}

void segment_ids_release(segment_ids *ids, const char *id, bipe_error *err)
{
    released r = {.ids = ids, .err = err};
    make_end(&r, id);
    if (bipe_output_flush(ids->rows, err) == BIPE_OK && err->status == BIPE_OK)
        segment_replay(ids->spool, copy_rows, &r, err);
    bipe_buffer_free(&r.end);
}

void segment_ids_close(segment_ids *ids)
{
    bipe_output_abandon(ids->rows);
    bipe_spool_close(ids->spool);
}
