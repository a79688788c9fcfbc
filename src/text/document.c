/* document.c - cuts an input into documents: all of a plain input, or each of its lines, or each record of JSON Lines
 * (json_records.c); or takes them from memory. */
#include "text/document.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "text/json_paths.h"
#include "text/json_records.h"
#include "text/utf8.h"

struct bipe_documents {
    bipe_input *input;
    bipe_json_records *records; /* NULL: plain */
    bipe_memory_texts texts;    /* in place of an input */
    size_t text_at;             /* read of the current text */
    uint8_t *line_bytes;        /* (LINE_BYTES) bytes read but not yet returned, where each line or block is a document;
                                   else NULL */
    size_t least, due;          /* bytes of a block before a newline ends it; those still missing in the current
                                   block */
    size_t line_at, line_size;  /* the unread part of line_bytes */
    uint64_t lines;             /* or texts, begun so far */
    bool trim, held;            /* held: the last byte is kept in held_byte, so that a final newline can be dropped */
    uint8_t held_byte;
    bool begun;                 /* a document has been returned */
    bool open;                  /* the current document has not ended */
    bipe_utf8_tally tally;      /* of what was read */
    bool over;                  /* a final error was reported, or the end reached */
};

enum { LINE_BYTES = 65536 };

static bool ends_with(const char *name, size_t *size, const char *suffix)
{
    size_t n = strlen(suffix);
    if (*size < n || strncasecmp(name + *size - n, suffix, n) != 0)
        return false;
    *size -= n;
    return true;
}

bool bipe_documents_named_records(const char *path)
{
    static const char *const packed[] = {".zst", ".zstd", ".gz", ".xz"};
    size_t size = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++)
        if (ends_with(path, &size, packed[i]))
            break;
    return ends_with(path, &size, ".jsonl") || ends_with(path, &size, ".ndjson");
}

int bipe_documents_check_field(const char *field, bipe_error *err)
{
    int names = 1;
    for (const char *dot = field; (dot = strchr(dot, '.')) != NULL; dot++)
        names++;
    return names <= BIPE_JSON_NAMES ? BIPE_OK
                                    : bipe_fail(err, BIPE_ERR_ARGUMENT, "found a path of %d names, expected at most %d",
                                                names, BIPE_JSON_NAMES);
}

int bipe_documents_open(bipe_documents **documents, const char *path, bipe_document_kind kind, const char *field,
                        bipe_error *err)
{
    return bipe_documents_open_members(documents, path, kind, field, NULL, 0, err);
}

int bipe_documents_open_members(bipe_documents **result, const char *path, bipe_document_kind kind, const char *field,
                                const char *const *members, size_t count, bipe_error *err)
{
    *result = NULL;
    bipe_documents *documents = bipe_alloc(1, sizeof *documents);
    if (documents == NULL)
        return bipe_fail_memory(err);
    int status = bipe_input_open(&documents->input, path, err);
    if (status == BIPE_OK)
        bipe_input_decode(documents->input, NULL);
    bool by_name = kind != BIPE_DOCUMENTS_PLAIN && kind != BIPE_DOCUMENTS_JSONL;
    bool json = kind == BIPE_DOCUMENTS_JSONL || (by_name && bipe_documents_named_records(path));
    if (status == BIPE_OK && json)
        status = bipe_json_records_open(&documents->records, documents->input, field != NULL ? field : "text", members,
                                        count, err);
    if (status == BIPE_OK && (kind == BIPE_DOCUMENTS_LINES || kind == BIPE_DOCUMENTS_BLOCKS) && !json) {
        documents->least = kind == BIPE_DOCUMENTS_BLOCKS ? BIPE_DOCUMENT_BLOCK : 0;
        documents->line_bytes = bipe_alloc(LINE_BYTES, 1);
        if (documents->line_bytes == NULL)
            status = bipe_fail_memory(err);
    }
    if (status != BIPE_OK) {
        bipe_documents_close(documents);
        return status;
    }
    *result = documents;
    return BIPE_OK;
}

int bipe_documents_open_texts(bipe_documents **documents, const bipe_memory_texts *texts, bipe_error *err)
{
    *documents = bipe_alloc(1, sizeof **documents);
    if (*documents == NULL)
        return bipe_fail_memory(err);
    (*documents)->texts = *texts;
    return BIPE_OK;
}

void bipe_documents_keep_records(bipe_documents *documents)
{
    if (documents->records != NULL)
        bipe_json_records_keep(documents->records);
}

const bipe_buffer *bipe_documents_record(const bipe_documents *documents)
{
    return documents->records != NULL ? bipe_json_records_kept(documents->records) : NULL;
}

void bipe_documents_any(bipe_documents *documents)
{
    bipe_input_any(documents->input);
}

void bipe_documents_decode(bipe_documents *documents, const char *encoding)
{
    bipe_input_decode(documents->input, encoding);
}

void bipe_documents_trim(bipe_documents *documents)
{
    documents->trim = true;
}

void bipe_documents_busy(bipe_documents *documents)
{
    bipe_input_busy(documents->input);
}

/* Makes sure that line_bytes holds some bytes. BIPE_END at the end of the input. */
static int fill_line_bytes(bipe_documents *documents, bipe_error *err)
{
    if (documents->line_at < documents->line_size)
        return BIPE_OK;
    documents->line_at = documents->line_size = 0;
    int status = bipe_input_read(documents->input, documents->line_bytes, LINE_BYTES, &documents->line_size, err);
    return status == BIPE_OK && documents->line_size == 0 ? BIPE_END : status;
}

/* The next bytes of the current line or block; its newline closes it. */
static int read_line(bipe_documents *documents, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    int status = fill_line_bytes(documents, err);
    if (status != BIPE_OK) {
        documents->open = false;
        documents->over = status != BIPE_END;
        return status == BIPE_END ? BIPE_OK : status;
    }
    const uint8_t *from = documents->line_bytes + documents->line_at;
    size_t most = documents->line_size - documents->line_at;
    most = most < capacity ? most : capacity;
    if (documents->due > 0) {
        *size = most < documents->due ? most : documents->due;
        memcpy(bytes, from, *size);
        documents->line_at += *size;
        documents->due -= *size;
        return BIPE_OK;
    }
    const uint8_t *newline = memchr(from, '\n', most);
    *size = newline != NULL ? (size_t)(newline - from) + 1 : most;
    memcpy(bytes, from, *size);
    documents->line_at += *size;
    documents->open = newline == NULL;
    return BIPE_OK;
}

static int next_line(bipe_documents *documents, bipe_error *err)
{
    int status = BIPE_OK;
    while (documents->open && status == BIPE_OK) {
        uint8_t skipped[512];
        size_t size;
        status = read_line(documents, skipped, sizeof skipped, &size, err);
    }
    if (status == BIPE_OK)
        status = fill_line_bytes(documents, err);
    documents->open = status == BIPE_OK;
    documents->due = documents->least;
    documents->over = status != BIPE_OK;
    documents->lines += status == BIPE_OK;
    return status;
}

static int next_text(bipe_documents *documents)
{
    documents->open = documents->lines < documents->texts.count;
    documents->text_at = 0;
    documents->lines += documents->open;
    return documents->open ? BIPE_OK : BIPE_END;
}

static void read_text(bipe_documents *documents, uint8_t *bytes, size_t capacity, size_t *size)
{
    const bipe_memory_texts *texts = &documents->texts;
    const char *text = texts->text[documents->lines - 1];
    size_t left = (texts->size != NULL ? texts->size[documents->lines - 1] : strlen(text)) - documents->text_at;
    *size = left < capacity ? left : capacity;
    if (*size > 0)
        memcpy(bytes, text + documents->text_at, *size);
    documents->text_at += *size;
    documents->open = *size > 0;
}

int bipe_documents_next(bipe_documents *documents, bipe_error *err)
{
    if (documents->input == NULL)
        return next_text(documents);
    if (documents->line_bytes != NULL)
        return documents->over ? BIPE_END : next_line(documents, err);
    documents->open = false;
    if (documents->over)
        return BIPE_END;
    if (documents->records == NULL) {
        documents->over = documents->begun;
        documents->open = !documents->begun;
        documents->begun = true;
        return documents->open ? BIPE_OK : BIPE_END;
    }
    bool final;
    int status = bipe_json_records_next(documents->records, &final, err);
    documents->open = status == BIPE_OK;
    documents->over = status == BIPE_END || final;
    return status;
}

/* Reads one byte late, so that the last byte can be dropped if it is a newline. */
static int read_trimmed(bipe_documents *d, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    *size = 0;
    while (*size == 0) {
        size_t got;
        int status = bipe_input_read(d->input, bytes, capacity, &got, err);
        if (status != BIPE_OK || got == 0) {
            if (status == BIPE_OK && d->held && d->held_byte != '\n')
                bytes[(*size)++] = d->held_byte;
            d->held = false;
            return status;
        }
        uint8_t last = bytes[got - 1];
        if (d->held) {
            memmove(bytes + 1, bytes, got - 1);
            bytes[0] = d->held_byte;
        }
        *size = got - !d->held;
        d->held = true;
        d->held_byte = last;
    }
    return BIPE_OK;
}

int bipe_documents_read(bipe_documents *documents, uint8_t *bytes, size_t capacity, size_t *size, bipe_error *err)
{
    *size = 0;
    if (!documents->open || capacity == 0)
        return BIPE_OK;
    if (documents->line_bytes != NULL)
        return read_line(documents, bytes, capacity, size, err);
    if (documents->input == NULL) {
        read_text(documents, bytes, capacity, size);
        return BIPE_OK;
    }
    int status;
    bool final = false;
    if (documents->records != NULL) {
        status = bipe_json_records_read(documents->records, bytes, capacity, size, &final, err);
    } else {
        status = documents->trim ? read_trimmed(documents, bytes, capacity, size, err)
                                 : bipe_input_read(documents->input, bytes, capacity, size, err);
        final = status != BIPE_OK;
    }
    bipe_utf8_tally_add(&documents->tally, bytes, *size);
    documents->open = status == BIPE_OK && *size > 0;
    documents->over = final;
    return status;
}

const char *bipe_documents_value(const bipe_documents *documents, size_t number)
{
    return documents->records == NULL ? NULL : bipe_json_records_value(documents->records, number);
}

bool bipe_documents_mostly_wrong(const bipe_documents *documents)
{
    return bipe_utf8_mostly_wrong(&documents->tally);
}

int bipe_documents_read_whole(bipe_documents *documents, bipe_buffer *text, size_t most, bipe_error *err)
{
    size_t size = 1, some = bipe_buffer_size();
    int status = BIPE_OK;
    text->size = 0;
    while (status == BIPE_OK && size > 0) {
        if (text->size > most)
            return bipe_fail(err, BIPE_ERR_LIMIT, "a document of more than %zu MiB, expected less", most >> 20);
        status = bipe_buffer_reserve(text, some, err);
        if (status == BIPE_OK)
            status = bipe_documents_read(documents, text->data + text->size, some, &size, err);
        if (status == BIPE_OK)
            text->size += size;
    }
    return status;
}

uint64_t bipe_documents_index(const bipe_documents *documents)
{
    uint64_t count = documents->records != NULL ? bipe_json_records_count(documents->records)
                     : documents->line_bytes != NULL || documents->input == NULL ? documents->lines
                                                                                 : 1;
    return count > 0 ? count - 1 : 0;
}

bool bipe_documents_are_records(const bipe_documents *documents)
{
    return documents->records != NULL || documents->line_bytes != NULL || documents->input == NULL;
}

const bipe_input *bipe_documents_input(const bipe_documents *documents)
{
    return documents->input;
}

void bipe_documents_close(bipe_documents *documents)
{
    if (documents == NULL)
        return;
    bipe_json_records_close(documents->records);
    bipe_input_close(documents->input);
    bipe_free(documents->line_bytes);
    bipe_free(documents);
}
