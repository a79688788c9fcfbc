/* segment_table.c - the formats of bipe-segment that programs read: jsonl, tsv and tokens. Rows are put together in the output's own buffer. */
#include <inttypes.h>
#include <string.h>

#include "base/digits.h"
#include "base/json_writer.h"
#include "tools/bipe_segment.h"

/* Of a row: bytes that are copied at once, numbers at most, and all but its head and its text. */
enum { COPY = 16, NUMBERS = 6, ROW = COPY + NUMBERS * (BIPE_DIGITS_SIZE + 12) };

void segment_put_field(bipe_buffer *buffer, const char *text, bipe_error *err)
{
    while (*text != '\0') {
        size_t plain = strcspn(text, "\t\n\r\\");
        bipe_buffer_append(buffer, text, plain, err);
        text += plain;
        if (*text == '\0')
            break;
        const char *escape = *text == '\t' ? "\\t" : *text == '\n' ? "\\n" : *text == '\r' ? "\\r" : "\\\\";
        bipe_buffer_append(buffer, escape, 2, err);
        text++;
    }
}

/* Copies a text that is not empty, COPY bytes at once: so much may be read and written after it. */
static inline uint8_t *copy_text(uint8_t *to, const void *text, size_t size)
{
    const uint8_t *from = text;
    for (size_t i = 0; i < size; i += COPY)
        memcpy(to + i, from + i, COPY);
    return to + size;
}

/* A number, and the text before it. */
#define PUT(to, before, value) bipe_put_uint((uint8_t *)memcpy(to, before, sizeof before - 1) + sizeof before - 1, value)

/* Bytes of the output that a row with so much text needs; BIPE_OUTPUT_RESERVE + 1: more than it has. */
static size_t row_needs(const segment_writer *w, size_t text)
{
    size_t most = BIPE_OUTPUT_RESERVE, head = w->head.size + ROW;
    return head > most || text > (most - head) / BIPE_JSON_WIDEST ? most + 1 : head + text * BIPE_JSON_WIDEST;
}

/* Whether the beginning of all rows of a document has been made, and leaves space for the rest. */
static bool has_head(segment_writer *w)
{
    if (w->error.status == BIPE_OK && row_needs(w, 0) > BIPE_OUTPUT_RESERVE)
        bipe_fail(&w->error, BIPE_ERR_LIMIT, "a name of %zu bytes is too long for a row", strlen(w->at.file));
    return w->error.status == BIPE_OK;
}

/* ---- jsonl ---- */

/* Makes the beginning of rows. False: it failed. */
static bool json_head(segment_writer *w)
{
    size_t size = strlen(w->at.file);
    if (w->head.size != 0)
        return true;
    if (bipe_buffer_reserve(&w->head, BIPE_JSON_WIDEST * size + ROW, &w->error) != BIPE_OK)
        return false;
    uint8_t *to = (uint8_t *)memcpy(w->head.data, "{\"file\":\"", 9) + 9;
    to = bipe_json_put_string(to, (const uint8_t *)w->at.file, size);
    to = PUT(to, "\",\"document\":", w->at.document);
    w->head.size = (size_t)(to - w->head.data);
    return has_head(w);
}

/* "tokens" and "end" stand before the text, so all of it waits in the spool. */
static void jsonl_text(segment_writer *w, const uint8_t *bytes, size_t size)
{
    bipe_spool_append(w->spool, bytes, size, &w->error);
}

static void print_json(void *json, const uint8_t *bytes, size_t size)
{
    bipe_json_string_part(json, bytes, size);
}

/* A row up to its text. */
static uint8_t *put_json(const segment_writer *w, uint8_t *to)
{
    to = copy_text(to, w->head.data, w->head.size);
    to = PUT(to, ",\"segment\":", w->at.index);
    to = PUT(to, ",\"start\":", w->at.start);
    to = PUT(to, ",\"end\":", w->at.end);
    to = PUT(to, ",\"tokens\":", w->tokens);
    return (uint8_t *)memcpy(to, ",\"text\":\"", 9) + 9;
}

/* A segment of any length. */
static void jsonl_segment(segment_writer *w)
{
    uint8_t *to;
    size_t left;
    bipe_json json;
    if (!json_head(w) || bipe_output_reserve(w->output, row_needs(w, 0), &to, &left, &w->error) != BIPE_OK)
        return;
    bipe_output_filled(w->output, (size_t)(put_json(w, to) - to));
    bipe_json_open(&json, w->output, false);
    segment_replay(w->spool, print_json, &json, &w->error);
    bipe_json_end_string(&json);
    bipe_output_write(w->output, "}\n", 2, &w->error);
}

static void jsonl_segments(segment_writer *w, const segment_stretch *s)
{
    const uint8_t *bytes = s->bytes;
    if (!json_head(w))
        return;
    for (size_t k = 0; k < s->count && w->error.status == BIPE_OK; k++) {
        w->at.end = s->boundaries[k];
        w->tokens = s->counts[k];
        size_t size = (size_t)(w->at.end - w->at.start), need = row_needs(w, size), left;
        uint8_t *to;
        if (need > BIPE_OUTPUT_RESERVE) {
            jsonl_text(w, bytes, size);
            jsonl_segment(w);
        } else if (bipe_output_reserve(w->output, need, &to, &left, &w->error) == BIPE_OK) {
            uint8_t *end = bipe_json_put_string(put_json(w, to), bytes, size);
            bipe_output_filled(w->output, (size_t)((uint8_t *)memcpy(end, "\"}\n", 3) + 3 - to));
        }
        bytes += size;
        w->at.start = w->at.end;
        w->at.index++;
    }
}

/* ---- tsv and tokens ---- */

/* As json_head(). */
static bool tab_head(segment_writer *w)
{
    if (w->head.size != 0)
        return true;
    segment_put_field(&w->head, w->at.file, &w->error);
    bipe_buffer_printf(&w->head, &w->error, "\t%" PRIu64, w->at.document);
    bipe_buffer_reserve(&w->head, COPY, &w->error);
    return has_head(w);
}

static void tsv_header(segment_writer *w)
{
    bipe_output_printf(w->output, &w->error, "file\tdocument\tsegment\tstart\tend\ttokens\n");
}

static void tsv_segment(segment_writer *w)
{
    uint8_t *to;
    size_t left;
    if (!tab_head(w) || bipe_output_reserve(w->output, row_needs(w, 0), &to, &left, &w->error) != BIPE_OK)
        return;
    uint8_t *end = copy_text(to, w->head.data, w->head.size);
    end = PUT(end, "\t", w->at.index);
    end = PUT(end, "\t", w->at.start);
    end = PUT(end, "\t", w->at.end);
    end = PUT(end, "\t", w->tokens);
    *end++ = '\n';
    bipe_output_filled(w->output, (size_t)(end - to));
}

static void tsv_segments(segment_writer *w, const segment_stretch *s)
{
    for (size_t k = 0; k < s->count && w->error.status == BIPE_OK; k++) {
        w->at.end = s->boundaries[k];
        w->tokens = s->counts[k];
        tsv_segment(w);
        w->at.start = w->at.end;
        w->at.index++;
    }
}

static void tokens_header(segment_writer *w)
{
    bipe_output_printf(w->output, &w->error, "file\tdocument\ttoken\tstart\tend\tid\tsegment\tintra\n");
}

/* A number that often comes again. */
typedef struct known_number {
    uint64_t value;
    size_t size; /* 0: none so far */
    uint8_t text[BIPE_DIGITS_SIZE];
} known_number;

static inline uint8_t *put_known(uint8_t *to, known_number *known, uint64_t value)
{
    if (known->value != value || known->size == 0) {
        known->value = value;
        known->size = (size_t)(bipe_put_uint(known->text, value) - known->text);
    }
    *to++ = '\t';
    memcpy(to, known->text, sizeof known->text);
    return to + known->size;
}

static void tokens_tokens(segment_writer *w, const bipe_batch *batch)
{
    size_t next_close = 0, left;
    known_number place = {0}, segment = {0};
    uint8_t *to;
    if (!tab_head(w))
        return;
    size_t need = row_needs(w, 0);
    for (size_t k = 0; k < batch->token_count && bipe_output_reserve(w->output, need, &to, &left, &w->error) == BIPE_OK;) {
        uint8_t *end = to;
        for (; k < batch->token_count && left - (size_t)(end - to) >= need; k++) {
            const bipe_token *token = &batch->tokens[k];
            end = copy_text(end, w->head.data, w->head.size);
            end = PUT(end, "\t", w->at.token++);
            end = put_known(end, &place, token->start); /* where the last one ended */
            end = put_known(end, &place, token->end);
            end = PUT(end, "\t", token->id);
            end = put_known(end, &segment, w->at.token_segment);
            end = PUT(end, "\t", w->at.token_intra++);
            *end++ = '\n';
            if (next_close < batch->close_count[0] && batch->closes[0][next_close] == k) {
                next_close++;
                w->at.token_segment++;
                w->at.token_intra = 0;
            }
        }
        bipe_output_filled(w->output, (size_t)(end - to));
    }
}

const segment_format segment_format_jsonl = {
    .name = "jsonl", .wants_tokens = true, .wants_text = true, .text = jsonl_text, .segment = jsonl_segment, .segments = jsonl_segments};
const segment_format segment_format_tsv = {
    .name = "tsv", .wants_tokens = true, .header = tsv_header, .segment = tsv_segment, .segments = tsv_segments};
const segment_format segment_format_tokens = {
    .name = "tokens", .wants_tokens = true, .header = tokens_header, .tokens = tokens_tokens};
