/* segment_table.c - the formats of bipe-segment that programs read: jsonl, tsv and tokens. */
#include <string.h>

#include "base/json_writer.h"
#include "tools/segment_writer.h"

int segment_write_field(bipe_output *output, const char *text, bipe_error *err)
{
    int status = BIPE_OK;
    while (*text != '\0' && status == BIPE_OK) {
        size_t plain = strcspn(text, "\t\n\r\\");
        status = bipe_output_write(output, text, plain, err);
        text += plain;
        if (*text == '\0' || status != BIPE_OK)
            break;
        const char *escape = *text == '\t' ? "\\t" : *text == '\n' ? "\\n" : *text == '\r' ? "\\r" : "\\\\";
        status = bipe_output_write(output, escape, 2, err);
        text++;
    }
    return status;
}

/* "tokens" and "end" stand before the text, so all of it waits in the spool. */
static int jsonl_text(segment_writer *w, const uint8_t *bytes, size_t size, bipe_error *err)
{
    return bipe_spool_append(w->spool, bytes, size, err);
}

static int print_json(void *context, const uint8_t *bytes, size_t size, bipe_error *err)
{
    bipe_json *json = context;
    bipe_json_string_part(json, bytes, size);
    if (json->error.status != BIPE_OK && err != NULL)
        *err = json->error;
    return (int)json->error.status;
}

static void json_uint(bipe_json *json, const char *key, uint64_t value)
{
    bipe_json_key(json, key);
    bipe_json_uint(json, value);
}

static int jsonl_segment(segment_writer *w, bipe_error *err)
{
    bipe_json json;
    bipe_json_open(&json, w->output, false);
    bipe_json_begin_object(&json);
    bipe_json_key(&json, "file");
    bipe_json_text(&json, w->file);
    json_uint(&json, "document", w->document);
    json_uint(&json, "segment", w->index);
    json_uint(&json, "start", w->start);
    json_uint(&json, "end", w->end);
    json_uint(&json, "tokens", w->tokens);
    bipe_json_key(&json, "text");
    bipe_json_begin_string(&json);
    int status = segment_writer_replay(w, print_json, &json, err);
    bipe_json_end_string(&json);
    bipe_json_end_object(&json);
    int closed = bipe_json_close(&json, status == BIPE_OK ? err : NULL);
    return status == BIPE_OK ? closed : status;
}

static int tsv_header(segment_writer *w, bipe_error *err)
{
    return bipe_output_printf(w->output, err, "file\tdocument\tsegment\tstart\tend\ttokens\n");
}

enum { NUMBER = 21 }; /* bytes of a number and what stands before it */

/* Writes `before` and the number; where they end. */
static uint8_t *put_uint(uint8_t *to, uint8_t before, uint64_t value)
{
    static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
                                "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    uint8_t digits[NUMBER - 1];
    size_t at = sizeof digits;
    *to++ = before;
    for (; value >= 10; value /= 100)
        memcpy(digits + (at -= 2), pairs + value % 100 * 2, 2);
    if (value != 0 || at == sizeof digits)
        digits[--at] = (uint8_t)('0' + value);
    memcpy(to, digits + at, sizeof digits - at);
    return to + (sizeof digits - at);
}

/* A row: file and document, then `count` numbers. */
static int put_row(segment_writer *w, const uint64_t *number, size_t count, bipe_error *err)
{
    int status = segment_write_field(w->output, w->file, err);
    uint8_t *to = NULL;
    size_t room;
    if (status == BIPE_OK)
        status = bipe_output_room(w->output, (count + 1) * NUMBER + 1, &to, &room, err);
    if (status != BIPE_OK)
        return status;
    uint8_t *end = put_uint(to, '\t', w->document);
    for (size_t i = 0; i < count; i++)
        end = put_uint(end, '\t', number[i]);
    *end++ = '\n';
    bipe_output_filled(w->output, (size_t)(end - to));
    return BIPE_OK;
}

static int tsv_segment(segment_writer *w, bipe_error *err)
{
    const uint64_t number[] = {w->index, w->start, w->end, w->tokens};
    return put_row(w, number, sizeof number / sizeof *number, err);
}

static int tokens_header(segment_writer *w, bipe_error *err)
{
    return bipe_output_printf(w->output, err, "file\tdocument\ttoken\tstart\tend\tid\tsegment\tintra\n");
}

static int tokens_token(segment_writer *w, const bipe_token *token, bipe_error *err)
{
    const uint64_t number[] = {w->token_index, token->start, token->end, token->id, w->token_segment, w->token_intra};
    return put_row(w, number, sizeof number / sizeof *number, err);
}

const segment_format segment_format_jsonl = {
    .name = "jsonl", .wants_tokens = true, .wants_text = true, .text = jsonl_text, .segment = jsonl_segment};
const segment_format segment_format_tsv = {
    .name = "tsv", .wants_tokens = true, .header = tsv_header, .segment = tsv_segment};
const segment_format segment_format_tokens = {
    .name = "tokens", .wants_tokens = true, .header = tokens_header, .token = tokens_token};
