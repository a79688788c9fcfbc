/* segment_table.c - the formats of bipe-segment that programs read: jsonl, tsv, csv and tokens, which are rows of
 * columns in different syntax. Rows are put together in the output's own buffer. */
#include <string.h>

#include "base/digits.h"
#include "base/json_writer.h"
#include "text/utf8.h"
#include "tools/segment/bipe_segment.h"

/* Of a row: bytes that are copied at once, and all but its file and its texts at most. */
enum { COPY = SEGMENT_BEFORE, ROW = COPY + SEGMENT_COLUMNS * (BIPE_DIGITS_SIZE + COPY) };
/* What a byte of a text takes at most, of JSON and otherwise, and a text that is put at once. */
enum { WIDEST = BIPE_JSON_WIDEST, WIDEST_FIELD = 3, TEXT = WIDEST_FIELD * SEGMENT_REPLAY + 2 };

/* Bytes of a text that can be put at once. */
static inline size_t most_text(segment_syntax syntax)
{
    return syntax == SEGMENT_JSON ? SEGMENT_REPLAY * WIDEST_FIELD / WIDEST : SEGMENT_REPLAY;
}

/* The text as a field, to at most WIDEST * size + 2 bytes; returns where it ends. */
static uint8_t *put_text(uint8_t *to, const uint8_t *bytes, size_t size, segment_syntax syntax)
{
    bool csv = syntax == SEGMENT_CSV;
    if (syntax == SEGMENT_JSON) {
        *to++ = '"';
        to = bipe_json_encode_string(to, bytes, size);
        *to++ = '"';
        return to;
    }
    const uint8_t *end = bytes + size;
    if (csv)
        *to++ = '"';
    while (bytes < end) {
        uint8_t c = *bytes;
        int32_t code = c;
        if (c >= ' ' && c < 0x80 && c != '\\' && c != '"') {
            *to++ = *bytes++;
            continue;
        }
        size_t n = c < 0x80 ? 1 : bipe_utf8_decode(bytes, (size_t)(end - bytes), &code);
        const char *tab = csv || c > '\\' ? NULL
                          : c == '\t'     ? "\\t"
                          : c == '\n'     ? "\\n"
                          : c == '\r'     ? "\\r"
                          : c == '\\'     ? "\\\\"
                                          : NULL;
        n = n > 0 ? n : (size_t)(end - bytes);
        if (tab != NULL || code < 0) {
            memcpy(to, tab != NULL ? tab : "\357\277\275", 3);
            to += tab != NULL ? 2 : 3;
        } else {
            if (csv && c == '"')
                *to++ = '"';
            for (size_t i = 0; i < n; i++)
                *to++ = bytes[i];
        }
        bytes += n;
    }
    if (csv)
        *to++ = '"';
    return to;
}

void segment_put_field(bipe_buffer *buffer, const char *text, segment_syntax syntax, bipe_error *err)
{
    size_t size = strlen(text);
    if (bipe_buffer_reserve(buffer, WIDEST * size + 2, err) != BIPE_OK)
        return;
    uint8_t *to = buffer->data + buffer->size;
    if (syntax == SEGMENT_CSV && strpbrk(text, ",\"\r\n") == NULL)
        syntax = SEGMENT_TSV;
    buffer->size += (size_t)(put_text(to, (const uint8_t *)text, size, syntax) - to);
}

/* Copies a text that is not empty, COPY bytes at once: so much may be read and written after it. */
static inline uint8_t *copy_text(uint8_t *to, const void *text, size_t size)
{
    const uint8_t *from = text;
    for (size_t i = 0; i < size; i += COPY)
        memcpy(to + i, from + i, COPY);
    return to + size;
}

/* "tokens" and "end" may stand before the text, so all of it waits in the spool. */
static void row_text(segment_writer *w, const uint8_t *bytes, size_t size)
{
    segment_tidy_append(w, bytes, size);
}

typedef struct row_text_bytes {
    const uint8_t *bytes; /* NULL: in the spool */
    size_t size;
} row_text_bytes;

/* What a row has, by column. */
typedef struct table_row {
    uint64_t number[SEGMENT_NUMBERS];
    row_text_bytes text[SEGMENT_COLUMNS]; /* those of texts, but the file's */
} table_row;

/* A number that often comes again. */
typedef struct known_number {
    uint64_t value;
    size_t size; /* 0: none so far */
    uint8_t text[BIPE_DIGITS_SIZE];
} known_number;

/* Rows that are being put together: from `start` to `to`, of `left` bytes. */
typedef struct table_rows {
    segment_writer *writer;
    uint8_t *start, *to;
    size_t left;
    known_number known[SEGMENT_NUMBERS];
} table_rows;

/* Makes the file's name, which all rows of a document have, unless it has been made. False: it failed, or leaves no
 * space for the rest. */
static bool begin_rows(table_rows *r, segment_writer *w)
{
    *r = (table_rows){.writer = w};
    if (w->head.size == 0) {
        segment_put_field(&w->head, w->at.file, w->columns->syntax, &w->error);
        bipe_buffer_reserve(&w->head, COPY, &w->error);
    }
    if (w->error.status == BIPE_OK && w->head.size + ROW > BIPE_OUTPUT_RESERVE)
        bipe_fail(&w->error, BIPE_ERR_LIMIT, "a name of %zu bytes is too long for a row", strlen(w->at.file));
    return w->error.status == BIPE_OK;
}

static void end_rows(table_rows *r)
{
    if (r->to != r->start)
        bipe_output_filled(r->writer->output, (size_t)(r->to - r->start));
    r->start = r->to;
    r->left = 0;
}

/* Whether there is space for so many bytes more. */
static inline bool reserve_rows(table_rows *r, size_t need)
{
    segment_writer *w = r->writer;
    if (r->left - (size_t)(r->to - r->start) >= need)
        return true;
    end_rows(r);
    if (need > BIPE_OUTPUT_RESERVE || bipe_output_reserve(w->output, need, &r->start, &r->left, &w->error) != BIPE_OK)
        return false;
    r->to = r->start;
    return true;
}

static inline void put_number(table_rows *r, segment_column column, uint64_t value)
{
    known_number *known = &r->known[column];
    if (known->value != value || known->size == 0) {
        known->value = value;
        known->size = (size_t)(bipe_write_uint(known->text, value) - known->text);
    }
    memcpy(r->to, known->text, sizeof known->text);
    r->to += known->size;
}

/* Pieces of a field that is too long to be put at once. */
static void put_piece(void *rows, const uint8_t *bytes, size_t size)
{
    table_rows *r = rows;
    segment_syntax syntax = r->writer->columns->syntax;
    for (size_t n; size > 0 && reserve_rows(r, TEXT); bytes += n, size -= n) {
        n = size <= most_text(syntax) ? size : bipe_utf8_complete(bytes, most_text(syntax));
        uint8_t *end = put_text(r->to, bytes, n, syntax);
        if (syntax != SEGMENT_TSV) { /* without the quotes of the piece */
            memmove(r->to, r->to + 1, (size_t)(end - r->to) - 2);
            end -= 2;
        }
        r->to = end;
    }
}

static void put_long_text(table_rows *r, row_text_bytes text)
{
    segment_writer *w = r->writer;
    bool quoted = w->columns->syntax != SEGMENT_TSV;
    if (quoted && reserve_rows(r, 1))
        *r->to++ = '"';
    if (text.bytes == NULL)
        segment_replay(w->spool, put_piece, r, &w->error);
    else
        put_piece(r, text.bytes, text.size);
    if (quoted && reserve_rows(r, 1))
        *r->to++ = '"';
}

static void put_row(table_rows *r, const table_row *row)
{
    segment_writer *w = r->writer;
    const segment_columns *columns = w->columns;
    const size_t count = columns->count, rest = ROW + w->head.size, most = most_text(columns->syntax);
    if (!reserve_rows(r, rest))
        return;
    for (size_t i = 0; i < count; i++) {
        segment_column column = columns->column[i];
        memcpy(r->to, columns->before[i].text, COPY);
        r->to += columns->before[i].size;
        if (column < SEGMENT_NUMBERS) {
            put_number(r, column, row->number[column]);
        } else if (column == SEGMENT_FILE) {
            r->to = copy_text(r->to, w->head.data, w->head.size);
        } else {
            const row_text_bytes *text = &row->text[column];
            size_t need = (columns->syntax == SEGMENT_JSON ? WIDEST : WIDEST_FIELD) * text->size + rest;
            bool whole = text->bytes != NULL && text->size <= most && need <= BIPE_OUTPUT_RESERVE;
            if (whole && reserve_rows(r, need))
                r->to = put_text(r->to, text->bytes, text->size, columns->syntax);
            else if (!whole)
                put_long_text(r, *text);
            if (!reserve_rows(r, rest))
                return;
        }
    }
    if (columns->syntax == SEGMENT_JSON)
        *r->to++ = '}';
    *r->to++ = '\n';
}

static row_text_bytes language_of(const segment_writer *w)
{
    const char *language = w->language != NULL ? w->language : "";
    return (row_text_bytes){(const uint8_t *)language, strlen(language)};
}

static void put_segment(table_rows *r, row_text_bytes text)
{
    const segment_writer *w = r->writer;
    table_row row;
    row.number[SEGMENT_DOCUMENT] = w->at.document;
    row.number[SEGMENT_INDEX] = w->at.index;
    row.number[SEGMENT_START] = w->at.start;
    row.number[SEGMENT_END] = w->at.end;
    row.number[SEGMENT_TOKENS] = w->tokens;
    row.text[SEGMENT_TEXT] = text;
    row.text[SEGMENT_LANGUAGE] = language_of(w);
    put_row(r, &row);
}

static void table_segment(segment_writer *w)
{
    table_rows rows;
    if (!begin_rows(&rows, w))
        return;
    segment_tidy_end(w);
    put_segment(&rows, (row_text_bytes){NULL, 0});
    end_rows(&rows);
}

static void table_segments(segment_writer *w, const segment_stretch *s)
{
    table_rows rows;
    const uint8_t *bytes = s->bytes;
    if (!begin_rows(&rows, w))
        return;
    for (size_t k = 0; k < s->count && w->error.status == BIPE_OK; k++) {
        w->at.end = s->boundaries[k];
        w->tokens = w->format->wants_tokens ? s->counts[k] : 0;
        size_t size = (size_t)(w->at.end - w->at.start);
        put_segment(&rows, (row_text_bytes){bytes, size});
        bytes += size;
        w->at.start = w->at.end;
        w->at.index++;
    }
    end_rows(&rows);
}

static void table_tokens(segment_writer *w, const bipe_batch *batch)
{
    size_t next_close = 0;
    table_rows rows;
    table_row row;
    if (!begin_rows(&rows, w))
        return;
    row.number[SEGMENT_DOCUMENT] = w->at.document;
    for (size_t k = 0; k < batch->token_count && w->error.status == BIPE_OK; k++) {
        const bipe_token *token = &batch->tokens[k];
        row.number[SEGMENT_TOKEN] = w->at.token++;
        row.number[SEGMENT_START] = token->start;
        row.number[SEGMENT_END] = token->end;
        row.number[SEGMENT_ID] = token->id;
        row.number[SEGMENT_INDEX] = w->at.token_at[0];
        for (size_t i = 1; i < 2 * w->columns->levels; i++)
            row.number[SEGMENT_INTRA + i - 1] = w->at.token_at[i];
        w->at.token_at[1]++;
        if (w->format->wants_text) {
            row_text_bytes text = {batch->bytes + (token->start - batch->byte_offset),
                                   (size_t)(token->end - token->start)};
            if (w->trim)
                segment_trim(&text.bytes, &text.size);
            row.text[SEGMENT_TEXT] = text;
        }
        put_row(&rows, &row);
        if (next_close < batch->close_count[0] && batch->closes[0][next_close] == k) {
            bipe_place_close(w->at.token_at, bipe_batch_level(batch, 0, next_close));
            next_close++;
        }
    }
    end_rows(&rows);
}

void segment_table_match(segment_writer *w, uint64_t start, uint64_t end, const bipe_buffer text[3])
{
    table_rows rows;
    table_row row;
    if (!begin_rows(&rows, w))
        return;
    row.number[SEGMENT_DOCUMENT] = w->at.document;
    row.number[SEGMENT_INDEX] = w->at.index;
    row.number[SEGMENT_START] = start;
    row.number[SEGMENT_END] = end;
    row.text[SEGMENT_LANGUAGE] = language_of(w);
    for (size_t i = 0; i < 3; i++)
        row.text[SEGMENT_LEFT + i] =
            (row_text_bytes){text[i].size > 0 ? text[i].data : (const uint8_t *)"", text[i].size};
    put_row(&rows, &row);
    end_rows(&rows);
}

const segment_format segment_format_table = {.name = "table", .header = segment_columns_header, .text = row_text,
                                             .segment = table_segment, .segments = table_segments};
const segment_format segment_format_token_table = {
    .name = "tokens", .wants_tokens = true, .header = segment_columns_header, .tokens = table_tokens};
