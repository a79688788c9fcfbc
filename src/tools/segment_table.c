/* segment_table.c - the formats of bipe-segment that programs read: jsonl, tsv and tokens. */
#include <inttypes.h>
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

static int tsv_segment(segment_writer *w, bipe_error *err)
{
    int status = segment_write_field(w->output, w->file, err);
    if (status != BIPE_OK)
        return status;
    return bipe_output_printf(w->output, err, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                              w->document, w->index, w->start, w->end, w->tokens);
}

static int tokens_header(segment_writer *w, bipe_error *err)
{
    return bipe_output_printf(w->output, err, "file\tdocument\ttoken\tstart\tend\tid\tsegment\tintra\n");
}

static int tokens_token(segment_writer *w, const bipe_token *token, bipe_error *err)
{
    int status = segment_write_field(w->output, w->file, err);
    if (status != BIPE_OK)
        return status;
    return bipe_output_printf(w->output, err,
                              "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\n",
                              w->document, w->token_index, token->start, token->end, token->id, w->token_segment,
                              w->token_intra);
}

const segment_format segment_format_jsonl = {
    .name = "jsonl", .wants_tokens = true, .wants_text = true, .text = jsonl_text, .segment = jsonl_segment};
const segment_format segment_format_tsv = {
    .name = "tsv", .wants_tokens = true, .header = tsv_header, .segment = tsv_segment};
const segment_format segment_format_tokens = {
    .name = "tokens", .wants_tokens = true, .header = tokens_header, .token = tokens_token};
