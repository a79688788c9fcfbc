/* eval_records.c - records of JSON Lines; see eval_records.h. */
#include "tools/eval_records.h"

#include <inttypes.h>
#include <string.h>

#include "format/readers.h"

enum { LINE_MOST = 100 * 1000 * 1000 };

int bipe_eval_records_open(bipe_eval_records *r, const char *path, bipe_error *err)
{
    *r = (bipe_eval_records){0};
    return bipe_input_open(&r->input, path, err);
}

int bipe_eval_records_place(const bipe_eval_records *r, bipe_error *err)
{
    return bipe_error_prefix(err, "%s: record at line %" PRIu64, bipe_input_name(r->input), r->line);
}

static int read_more(bipe_eval_records *r, bipe_error *err)
{
    size_t size, some = bipe_buffer_size();
    bipe_buffer_consume(&r->text, r->taken);
    r->searched -= r->taken;
    r->taken = 0;
    int status = bipe_buffer_reserve(&r->text, some, err);
    if (status == BIPE_OK)
        status = bipe_input_read(r->input, r->text.data + r->text.size, some, &size, err);
    if (status == BIPE_OK) {
        r->text.size += size;
        r->ended = size == 0;
    }
    return status;
}

/* The next line, without its newline: bytes r->taken .. *end; the caller takes it. BIPE_END. */
static int find_line(bipe_eval_records *r, size_t *end, bipe_error *err)
{
    for (;;) {
        const uint8_t *newline = r->searched < r->text.size ? memchr(r->text.data + r->searched, '\n', r->text.size - r->searched) : NULL;
        r->searched = newline != NULL ? (size_t)(newline - r->text.data) : r->text.size;
        *end = r->searched;
        if (newline != NULL || (r->ended && *end > r->taken))
            return BIPE_OK;
        if (r->ended)
            return BIPE_END;
        if (r->text.size - r->taken > LINE_MOST)
            return bipe_fail(err, BIPE_ERR_LIMIT, "%s: line %" PRIu64 ": more than %d MB, expected a record of JSON", bipe_input_name(r->input),
                             r->line + 1, LINE_MOST / 1000000);
        int status = read_more(r, err);
        if (status != BIPE_OK)
            return status;
    }
}

static bool is_blank(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r')
            return false;
    return true;
}

int bipe_eval_records_next(bipe_eval_records *r, json_t **record, bipe_error *err)
{
    for (;;) {
        size_t end;
        int status = find_line(r, &end, err);
        if (status != BIPE_OK)
            return status;
        const uint8_t *line = r->text.data + r->taken;
        size_t size = end - r->taken;
        r->line++;
        r->taken = end < r->text.size ? end + 1 : end;
        r->searched = r->taken;
        if (r->line == 1 && size >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) { /* a byte order mark */
            line += 3;
            size -= 3;
        }
        if (is_blank(line, size))
            continue;
        r->number = r->next++;
        status = bipe_json_object_read(record, line, size, err);
        if (status == BIPE_OK || status == BIPE_ERR_MEMORY)
            return status;
        bipe_eval_records_place(r, err);
        return err->status = BIPE_ERR_FORMAT;
    }
}

void bipe_eval_records_close(bipe_eval_records *r)
{
    bipe_input_close(r->input);
    bipe_buffer_free(&r->text);
}

int bipe_eval_records_count(const char *path, uint64_t *count, bipe_error *err)
{
    bipe_eval_records r;
    size_t end;
    int status = bipe_eval_records_open(&r, path, err);
    while (status == BIPE_OK && (status = find_line(&r, &end, err)) == BIPE_OK) {
        *count += !is_blank(r.text.data + r.taken, end - r.taken);
        r.taken = end < r.text.size ? end + 1 : end;
        r.searched = r.taken;
    }
    bipe_eval_records_close(&r);
    return status == BIPE_END ? BIPE_OK : status;
}
