/* eval_records.c - records of JSON Lines; see eval_records.h. */
#include "cli/eval_records.h"

#include <inttypes.h>
#include <string.h>

#include "cli/interrupt.h"
#include "format/readers.h"
#include "text/json_records.h"

enum { LINE_MOST = 100 * 1000 * 1000 };

int bipe_eval_records_open(bipe_eval_records *r, const char *path, bipe_error *err)
{
    *r = (bipe_eval_records){.lines.most = LINE_MOST};
    return bipe_input_open(&r->lines.input, path, err);
}

int bipe_eval_records_place(const bipe_eval_records *r, bipe_error *err)
{
    return bipe_error_prefix(err, "%s: record at line %" PRIu64, bipe_input_name(r->lines.input), r->lines.number);
}

/* The next line that is not blank. BIPE_END. */
static int next_line(bipe_eval_records *r, char **line, size_t *size, bipe_error *err)
{
    int status;
    do
        status = bipe_lines_next(&r->lines, line, size, err);
    while (status == BIPE_OK && strspn(*line, " \t\r") == *size);
    return status;
}

int bipe_eval_records_next(bipe_eval_records *r, json_t **record, bipe_error *err)
{
    char *line;
    size_t size;
    int status = next_line(r, &line, &size, err);
    if (status == BIPE_ERR_FORMAT) /* damaged data of an archive, after which no record comes */
        err->status = BIPE_ERR_IO;
    if (status != BIPE_OK)
        return status == BIPE_ERR_FORMAT ? BIPE_ERR_IO : status;
    size_t mark = r->lines.number == 1 && strncmp(line, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* a byte order mark */
    char first = line[mark + strspn(line + mark, " \t")];
    if (first == '[' && r->next == 0)
        return bipe_json_array_error(r->lines.input, err);
    r->number = r->next++;
    if (first != '{')
        status = bipe_fail(err, BIPE_ERR_FORMAT, "not an object, expected JSON Lines: {...} on each line");
    else
        status = bipe_json_object_read(record, (const uint8_t *)line + mark, size - mark, err);
    if (status == BIPE_OK || status == BIPE_ERR_MEMORY)
        return status;
    bipe_eval_records_place(r, err);
    return err->status = BIPE_ERR_FORMAT;
}

void bipe_eval_records_close(bipe_eval_records *r)
{
    bipe_lines_close(&r->lines);
}

int bipe_eval_records_each(const char *path, bipe_tool *tool, bipe_eval_take *take, void *context, bipe_error *err)
{
    bipe_eval_records records;
    int status = bipe_eval_records_open(&records, path, err);
    while (status == BIPE_OK && bipe_interrupted() == 0) {
        json_t *record = NULL;
        status = bipe_eval_records_next(&records, &record, err);
        bool one = status == BIPE_ERR_FORMAT;
        if (status == BIPE_OK) {
            status = take(context, &records, record, err);
            one = status == BIPE_ERR_FORMAT || status == BIPE_ERR_LIMIT;
            if (one)
                bipe_eval_records_place(&records, err);
        }
        json_decref(record);
        if (one) {
            bipe_tool_error(tool, err);
            status = BIPE_OK;
        }
    }
    bipe_eval_records_close(&records);
    return status == BIPE_END ? BIPE_OK : status;
}

int bipe_eval_records_count(const char *path, uint64_t *count, bipe_error *err)
{
    bipe_eval_records r;
    char *line;
    size_t size;
    int status = bipe_eval_records_open(&r, path, err);
    while (status == BIPE_OK && (status = next_line(&r, &line, &size, err)) == BIPE_OK)
        ++*count;
    bipe_eval_records_close(&r);
    return status == BIPE_END ? BIPE_OK : status;
}
