/* json_records.c - a pull parser for JSON Lines. It holds one buffer of input and the values of a few members. It stops
 * only inside the chosen string; everything else is checked and skipped. */
#include "text/json_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "text/json_paths.h"
#include "text/utf8.h"

enum { DEEPEST = 512, AT_END = -1, AT_FAILURE = -2, REPLACEMENT = 0xFFFD };

typedef enum record_state {
    BETWEEN,   /* at the start of a line */
    IN_TEXT,   /* in the chosen string */
    IN_REST,   /* after it, in the same record */
    IN_BROKEN, /* somewhere in a record that has failed */
    STOPPED    /* the input has failed */
} record_state;

struct bipe_json_records {
    bipe_input *input;
    bipe_json_paths paths;            /* the text, then the other members */
    size_t *value;                    /* (paths.count) start of its value in `values`, plus 1; 0: none */
    bipe_buffer values;               /* of members of the current record, each with a NUL at its end */
    size_t value_left;                /* bytes that the present value may still have */
    bool keeping;                     /* it is a number or word, which continues from data[kept] */
    size_t kept;
    bool whole, too_long;             /* whole: records are kept as they are, */
    size_t whole_from;                /* up to data[whole_from], */
    bipe_buffer record;               /* here, unless it is too long */
    bool opened;                      /* nothing of the current object has been read */
    record_state state;
    uint64_t count;                   /* records */
    uint64_t line;                    /* from 1 */
    uint64_t line_start;              /* offset in the decompressed input */
    const uint8_t *data;              /* data[position .. size) is unread; data[0] is at `offset`. `buffer`, or a record
                                         in memory */
    uint8_t *buffer;                  /* (capacity) */
    size_t position, size, capacity;
    uint64_t offset;
    bool end;
    bipe_error error;                 /* why the parser stopped in this record */
    int waiting;                      /* the status to return once the text before the error has been read */
    int32_t high;                     /* a high surrogate whose low one must follow, or 0 */
    uint8_t pending[8];               /* unescaped bytes that did not fit into the caller's buffer */
    size_t pending_size;
    uint8_t scratch[512];             /* for skipped strings */
};

/* ---- bytes ---- */

/* Appends to the current value, which is cut at the limit and then ends with "...". A value has no NUL. */
static void keep_value(bipe_json_records *r, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size && r->value_left > 0; i++) {
        bool nul = bytes[i] == 0;
        if (bipe_buffer_append(&r->values, nul ? (const uint8_t *)"\xEF\xBF\xBD" : bytes + i, nul ? 3 : 1, &r->error) !=
            BIPE_OK) {
            r->state = STOPPED;
            return;
        }
        if (--r->value_left > 0)
            continue;
        r->values.size = bipe_utf8_complete(r->values.data, r->values.size);
        if (bipe_buffer_append(&r->values, "...", 3, &r->error) != BIPE_OK)
            r->state = STOPPED;
    }
}

/* Appends what has been read of the record, as it is. */
static void keep_record(bipe_json_records *r)
{
    size_t size = r->position - r->whole_from;
    r->too_long = r->too_long || size > BIPE_RECORD_MOST - r->record.size;
    if (!r->too_long && bipe_buffer_append(&r->record, r->data + r->whole_from, size, &r->error) != BIPE_OK)
        r->state = STOPPED;
    r->whole_from = r->position;
}

static void drop_kept(bipe_json_records *r)
{
    r->whole_from = r->position;
    r->record.size = 0;
    r->too_long = false;
}

/* The next byte, AT_END or AT_FAILURE. */
static int peek_byte(bipe_json_records *r)
{
    if (r->position < r->size)
        return r->data[r->position];
    if (r->state == STOPPED)
        return AT_FAILURE;
    if (r->end)
        return AT_END;
    if (r->keeping)
        keep_value(r, r->data + r->kept, r->size - r->kept);
    if (r->whole)
        keep_record(r);
    if (r->state == STOPPED)
        return AT_FAILURE;
    r->kept = r->whole_from = 0;
    r->offset += r->size;
    r->position = r->size = 0;
    if (bipe_input_read(r->input, r->buffer, r->capacity, &r->size, &r->error) != BIPE_OK) {
        r->state = STOPPED;
        return AT_FAILURE;
    }
    r->end = r->size == 0;
    return r->end ? AT_END : r->data[0];
}

static int peek_past_blanks(bipe_json_records *r)
{
    int c;
    while ((c = peek_byte(r)) == ' ' || c == '\t' || c == '\r')
        r->position++;
    return c;
}

static void name_byte(int c, char *text, size_t size)
{
    if (c == AT_END)
        snprintf(text, size, "the end of the file");
    else if (c == '\n')
        snprintf(text, size, "the end of the line");
    else if (c > 0x20 && c < 0x7F)
        snprintf(text, size, "'%c'", c);
    else
        snprintf(text, size, "byte 0x%02X", (unsigned)c);
}

/* Puts the place in front of the error: a record in memory has bytes alone. */
static int fail_placed(bipe_json_records *r)
{
    uint64_t byte = r->offset + r->position - r->line_start + 1;
    if (r->input == NULL)
        return bipe_error_prefix(&r->error, "byte %" PRIu64, byte);
    return bipe_error_prefix(&r->error, "%s: record at line %" PRIu64 ", byte %" PRIu64, bipe_input_name(r->input),
                             r->line, byte);
}

static int fail_record(bipe_json_records *r, const char *found, const char *expected)
{
    bipe_fail(&r->error, BIPE_ERR_FORMAT, "found %s, expected %s", found, expected);
    return fail_placed(r);
}

/* Reports an unexpected byte. It is not consumed: it may be the newline that ends the broken record. */
static int fail_here(bipe_json_records *r, const char *expected)
{
    char found[32];
    int c = peek_byte(r);
    if (c == AT_FAILURE)
        return (int)r->error.status;
    name_byte(c, found, sizeof found);
    return fail_record(r, found, expected);
}

/* Reports a byte that a string may not contain. */
static int fail_string(bipe_json_records *r)
{
    int c = peek_byte(r);
    if (c != '\n' && c != AT_END)
        return fail_here(r, "the rest of a string, in which control characters are escaped");
    bipe_fail(&r->error, BIPE_ERR_FORMAT, "unterminated string%s",
              c == '\n' ? " (a newline inside a string must be written \\n)" : "");
    return fail_placed(r);
}

static int expect_byte(bipe_json_records *r, int wanted, const char *expected)
{
    if (peek_past_blanks(r) != wanted)
        return fail_here(r, expected);
    r->position++;
    return BIPE_OK;
}

/* ---- strings ---- */

static void add_pending(bipe_json_records *r, int32_t code)
{
    r->pending_size += bipe_utf8_encode(code, r->pending + r->pending_size);
}

static int read_hex(bipe_json_records *r, int32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int c = peek_byte(r);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return fail_here(r, "a hexadecimal digit");
        *code = *code << 4 | digit;
        r->position++;
    }
    return BIPE_OK;
}

/* Reads the rest of an escape into `pending`. Unpaired surrogates become U+FFFD. */
static int read_escape(bipe_json_records *r)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int32_t code;
    int c = peek_byte(r);
    if (c == 'u') {
        r->position++;
        int status = read_hex(r, &code);
        if (status != BIPE_OK)
            return status;
    } else {
        const char *at = c > 0 ? strchr(from, c) : NULL;
        if (at == NULL)
            return fail_here(r, "one of \"\\/bfnrtu after a backslash");
        code = (uint8_t)to[at - from];
        r->position++;
    }
    if (r->high != 0 && code >= 0xDC00 && code <= 0xDFFF) {
        add_pending(r, 0x10000 + ((r->high - 0xD800) << 10) + (code - 0xDC00));
        r->high = 0;
        return BIPE_OK;
    }
    if (r->high != 0)
        add_pending(r, REPLACEMENT);
    r->high = code >= 0xD800 && code <= 0xDBFF ? code : 0;
    if (r->high == 0)
        add_pending(r, code >= 0xDC00 && code <= 0xDFFF ? REPLACEMENT : code);
    return BIPE_OK;
}

static void start_string(bipe_json_records *r)
{
    r->high = 0;
    r->pending_size = 0;
}

/* How many bytes belong to a string unchanged: up to a quote, an escape or a control character. Eight at a time: the
 * top bit of each byte of `special` marks one of those; a borrow can set a wrong bit only above a right one. */
static size_t plain_bytes(const uint8_t *bytes, size_t size)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    size_t n = 0;
    for (; size - n >= 8; n += 8) {
        uint64_t word;
        memcpy(&word, bytes + n, sizeof word);
        uint64_t quote = word ^ ones * '"', escape = word ^ ones * '\\';
        uint64_t special = ((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) | ((escape - ones) & ~escape);
        if ((special & ones << 7) != 0)
            break;
    }
    while (n < size && bytes[n] >= 0x20 && bytes[n] != '"' && bytes[n] != '\\')
        n++;
    return n;
}

/* Unescapes up to capacity > 0 bytes of a string whose opening quote has been read. *ended: the closing quote has been
 * read and nothing is pending. *size also counts the bytes before an error. */
static int read_string(bipe_json_records *r, uint8_t *bytes, size_t capacity, size_t *size, bool *ended)
{
    size_t n = 0;
    int status = BIPE_OK;
    *ended = false;
    while (status == BIPE_OK && !*ended) {
        if (r->pending_size > 0) {
            size_t fits = r->pending_size < capacity - n ? r->pending_size : capacity - n;
            memcpy(bytes + n, r->pending, fits);
            r->pending_size -= fits;
            memmove(r->pending, r->pending + fits, r->pending_size);
            n += fits;
        }
        if (n == capacity)
            break;
        int c = peek_byte(r);
        if (c == '\\') {
            r->position++;
            status = read_escape(r);
        } else if (r->high != 0 && c >= 0x20) {
            add_pending(r, REPLACEMENT);
            r->high = 0;
        } else if (c == '"') {
            r->position++;
            *ended = true;
        } else if (c < 0x20) {
            status = fail_string(r);
        } else {
            const uint8_t *p = r->data + r->position;
            size_t most = r->size - r->position < capacity - n ? r->size - r->position : capacity - n;
            size_t run = plain_bytes(p, most);
            memcpy(bytes + n, p, run);
            r->position += run;
            n += run;
        }
    }
    *size = n;
    return status;
}

static int skip_string(bipe_json_records *r, const char *expected)
{
    bool ended = false;
    int status = expect_byte(r, '"', expected);
    start_string(r);
    while (status == BIPE_OK && !ended) {
        size_t size;
        status = read_string(r, r->scratch, sizeof r->scratch, &size, &ended);
        if (r->value_left > 0)
            keep_value(r, r->scratch, size);
    }
    return status;
}

static int skip_key(bipe_json_records *r)
{
    int status = skip_string(r, "the name of a member");
    return status == BIPE_OK ? expect_byte(r, ':', "a colon") : status;
}

/* Reads `"key" :` and compares it with the paths. */
static int read_key(bipe_json_records *r)
{
    bool ended = false;
    int status = expect_byte(r, '"', "the name of a member");
    start_string(r);
    bipe_json_paths_begin_name(&r->paths);
    while (status == BIPE_OK && !ended) {
        size_t size;
        status = read_string(r, r->scratch, sizeof r->scratch, &size, &ended);
        bipe_json_paths_feed_name(&r->paths, r->scratch, size);
    }
    bipe_json_paths_end_name(&r->paths);
    return status == BIPE_OK ? expect_byte(r, ':', "a colon") : status;
}

/* ---- other values ---- */

static int read_digits(bipe_json_records *r)
{
    int c = peek_byte(r);
    if (c < '0' || c > '9')
        return fail_here(r, "a digit");
    while (c >= '0' && c <= '9') {
        r->position++;
        c = peek_byte(r);
    }
    return BIPE_OK;
}

static int skip_number(bipe_json_records *r)
{
    int status = BIPE_OK;
    if (peek_byte(r) == '-')
        r->position++;
    if (peek_byte(r) == '0')
        r->position++;
    else
        status = read_digits(r);
    if (status == BIPE_OK && peek_byte(r) == '.') {
        r->position++;
        status = read_digits(r);
    }
    int c = status == BIPE_OK ? peek_byte(r) : 0;
    if (c == 'e' || c == 'E') {
        r->position++;
        c = peek_byte(r);
        if (c == '+' || c == '-')
            r->position++;
        status = read_digits(r);
    }
    return status;
}

static int skip_word(bipe_json_records *r)
{
    int c = peek_byte(r);
    const char *word = c == 't' ? "true" : c == 'f' ? "false" : c == 'n' ? "null" : "";
    if (word[0] == '\0')
        return fail_here(r, "a value");
    for (; *word != '\0'; word++, r->position++)
        if (peek_byte(r) != *word)
            return fail_here(r, "true, false or null");
    return BIPE_OK;
}

/* Skips one value. The open brackets are a stack of bits of fixed size. */
static int skip_value(bipe_json_records *r)
{
    uint8_t is_object[DEEPEST / 8] = {0};
    int depth = 1; /* the braces around it are open */
    for (;;) {
        int status, c = peek_past_blanks(r);
        if (c == '{' || c == '[') {
            if (depth == DEEPEST)
                return fail_record(r, "another level", "at most 512 of them");
            is_object[depth / 8] &= (uint8_t)~(1u << depth % 8);
            is_object[depth / 8] |= (uint8_t)((c == '{') << depth % 8);
            depth++;
            r->position++;
            if (peek_past_blanks(r) != (c == '{' ? '}' : ']')) {
                status = c == '{' ? skip_key(r) : BIPE_OK;
                if (status != BIPE_OK)
                    return status;
                continue;
            }
            depth--;
            r->position++;
        } else {
            status = c == '"'                             ? skip_string(r, "a string")
                     : c == '-' || (c >= '0' && c <= '9') ? skip_number(r)
                                                          : skip_word(r);
            if (status != BIPE_OK)
                return status;
        }
        /* After a value: close brackets up to the next comma. */
        for (;;) {
            if (depth == 1)
                return BIPE_OK;
            bool object = (is_object[(depth - 1) / 8] >> (depth - 1) % 8 & 1) != 0;
            c = peek_past_blanks(r);
            if (c == ',') {
                r->position++;
                status = object ? skip_key(r) : BIPE_OK;
                if (status != BIPE_OK)
                    return status;
                break;
            }
            if (c != (object ? '}' : ']'))
                return fail_here(r, object ? "a comma or a closing brace" : "a comma or a closing bracket");
            depth--;
            r->position++;
        }
    }
}

/* ---- records ---- */

static void end_record_line(bipe_json_records *r)
{
    r->position++;
    r->line++;
    r->line_start = r->offset + r->position;
}

static int fail_missing(bipe_json_records *r)
{
    char found[BIPE_JSON_FOUND_SIZE];
    bipe_error expected;
    bipe_fail(&expected, BIPE_ERR_FORMAT, "\"%.100s\" (--field names another)", r->paths.path[0].name);
    return fail_record(r, bipe_json_paths_found(&r->paths, found), expected.text);
}

/* Reads the value of a member; keeps that of a wanted one unless it is null, an object or a list. */
static int read_value(bipe_json_records *r)
{
    bool chosen = false;
    int c = peek_past_blanks(r);
    size_t start = r->values.size;
    for (size_t i = 1; i < r->paths.count; i++)
        chosen = chosen || r->paths.path[i].match == BIPE_JSON_CHOSEN;
    chosen = chosen && c != '{' && c != '[' && c != 'n';
    r->value_left = chosen ? BIPE_MEMBER_MOST : 0;
    r->keeping = chosen && c != '"';
    r->kept = r->position;
    int status = skip_value(r);
    if (r->keeping && status == BIPE_OK)
        keep_value(r, r->data + r->kept, r->position - r->kept);
    r->keeping = false;
    r->value_left = 0;
    if (status == BIPE_OK && r->state == STOPPED)
        status = (int)r->error.status;
    if (status == BIPE_OK && chosen)
        status = bipe_buffer_append(&r->values, "", 1, &r->error);
    for (size_t i = 1; i < r->paths.count; i++) /* of duplicates the last one counts */
        if (r->paths.path[i].match == BIPE_JSON_CHOSEN)
            r->value[i] = chosen ? start + 1 : 0;
    return status;
}

/* Enters the value of the current key if it is an object on a path. */
static bool enter_object(bipe_json_records *r)
{
    if (!bipe_json_paths_lead_on(&r->paths) || peek_past_blanks(r) != '{')
        return false;
    bipe_json_paths_enter(&r->paths);
    r->position++;
    return true;
}

/* Reads members: from the opening brace of the record to the start of the text, or from the end of the text to the
 * closing brace. */
static int walk_members(bipe_json_records *r)
{
    bool before = r->state != IN_REST;
    for (;;) {
        int status = BIPE_OK, c = peek_past_blanks(r);
        if (c == '}') {
            if (before && r->paths.level == 0)
                return fail_missing(r);
            r->position++;
            r->opened = false;
            if (r->paths.level == 0)
                return BIPE_OK;
            r->paths.level--;
            continue;
        }
        if (!r->opened)
            status = expect_byte(r, ',', "a comma or a closing brace");
        if (status == BIPE_OK)
            status = read_key(r);
        if (status != BIPE_OK)
            return status;
        r->opened = false;
        if (r->paths.path[0].match == BIPE_JSON_CHOSEN) {
            char expected[160];
            if (!before)
                return fail_record(r, "a second text", "one member of that name");
            snprintf(expected, sizeof expected, "a string in \"%.100s\"", r->paths.path[0].name);
            status = expect_byte(r, '"', expected);
            start_string(r);
            return status;
        }
        r->opened = enter_object(r);
        if (r->opened)
            continue;
        if (before)
            bipe_json_paths_note(&r->paths);
        status = read_value(r);
        if (status != BIPE_OK)
            return status;
    }
}

/* Reads the rest of the record after its text, and the newline. */
static int finish_record(bipe_json_records *r)
{
    int status = walk_members(r);
    if (status != BIPE_OK)
        return status;
    int c = peek_past_blanks(r);
    if (c != '\n' && c != AT_END)
        return fail_here(r, "the end of the line");
    if (c == '\n')
        end_record_line(r);
    r->state = BETWEEN;
    if (r->whole)
        keep_record(r);
    return r->state == STOPPED ? (int)r->error.status : BIPE_OK;
}

/* Skips the rest of a broken record. */
static int skip_line(bipe_json_records *r)
{
    for (;;) {
        int c = peek_byte(r);
        if (c == AT_FAILURE)
            return (int)r->error.status;
        if (c == AT_END)
            break;
        const uint8_t *p = r->data + r->position;
        const uint8_t *newline = memchr(p, '\n', r->size - r->position);
        if (newline != NULL) {
            r->position += (size_t)(newline - p);
            end_record_line(r);
            break;
        }
        r->position = r->size;
    }
    r->state = BETWEEN;
    return BIPE_OK;
}

static int skip_byte_order_mark(bipe_json_records *r)
{
    if (peek_byte(r) != 0xEF)
        return BIPE_OK;
    for (const char *p = "\xEF\xBB\xBF"; *p != '\0'; p++, r->position++)
        if (peek_byte(r) != (uint8_t)*p)
            return fail_here(r, "the rest of a byte order mark");
    return BIPE_OK;
}

int bipe_json_array_error(const bipe_input *input, bipe_error *err)
{
    return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                     "%s: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines",
                     bipe_input_name(input));
}

static int find_member(bipe_json_records *r, bipe_json_span *span)
{
    int status = skip_byte_order_mark(r);
    if (status == BIPE_OK)
        status = expect_byte(r, '{', "an object");
    *span = (bipe_json_span){ r->position, r->position, true };
    bool found = false;
    while (status == BIPE_OK && peek_past_blanks(r) != '}') {
        if (!span->first)
            status = expect_byte(r, ',', "a comma or a closing brace");
        if (status == BIPE_OK)
            status = read_key(r);
        if (status == BIPE_OK)
            peek_past_blanks(r);
        size_t start = r->position;
        if (status == BIPE_OK)
            status = skip_value(r);
        bool match = r->paths.path[0].match == BIPE_JSON_CHOSEN;
        if (match || !found)
            *span = (bipe_json_span){ match ? start : r->position, r->position, false };
        found = found || match;
    }
    if (status != BIPE_OK)
        return status;
    r->position++;
    int c = peek_past_blanks(r);
    if (c == '\n' && r->position + 1 == r->size)
        return BIPE_OK;
    return c == AT_END ? BIPE_OK : fail_here(r, "the end of the line");
}

int bipe_json_record_find(const uint8_t *record, size_t size, const char *name, bipe_json_span *span, bipe_error *err)
{
    bipe_json_records r = { .data = record, .size = size, .end = true };
    int status = bipe_json_paths_open(&r.paths, name, NULL, 0, err);
    if (status != BIPE_OK)
        return status;
    bipe_json_paths_begin(&r.paths);
    status = find_member(&r, span);
    bipe_json_paths_close(&r.paths);
    if (status != BIPE_OK && err != NULL)
        *err = r.error;
    return status;
}

/* Reads from the start of a line to the text of its record; skips blank lines. */
static int begin_record(bipe_json_records *r)
{
    bool first = r->offset == 0 && r->position == 0;
    drop_kept(r);
    r->line_start = r->offset + r->position;
    int status = first ? skip_byte_order_mark(r) : BIPE_OK;
    while (status == BIPE_OK && peek_past_blanks(r) == '\n') {
        end_record_line(r);
        drop_kept(r);
    }
    int c = peek_byte(r);
    if (status == BIPE_OK && c == AT_END)
        return BIPE_END;
    if (c == AT_FAILURE)
        return (int)r->error.status;
    if (c == '[' && r->count == 0) {
        r->state = STOPPED;
        return bipe_json_array_error(r->input, &r->error);
    }
    r->count++;
    if (status == BIPE_OK)
        status = expect_byte(r, '{', "an object");
    bipe_json_paths_begin(&r->paths);
    r->opened = true;
    r->values.size = 0;
    memset(r->value, 0, r->paths.count * sizeof *r->value);
    return status == BIPE_OK ? walk_members(r) : status;
}

/* The status that a call returns; adds line and byte to an error. */
static int settle_status(bipe_json_records *r, int status, bool *final, bipe_error *err)
{
    if (status == BIPE_OK && r->too_long) {
        bipe_fail(&r->error, BIPE_ERR_LIMIT, "more than %d MiB, expected a shorter record", BIPE_RECORD_MOST >> 20);
        status = fail_placed(r);
    }
    if (status == BIPE_OK || status == BIPE_END)
        return status;
    *final = r->state == STOPPED;
    if (!*final)
        r->state = IN_BROKEN;
    if (err != NULL)
        *err = r->error;
    if (!*final && r->whole && skip_line(r) == BIPE_OK) /* an error of the input is that of the next call */
        keep_record(r);
    return status;
}

int bipe_json_records_next(bipe_json_records *r, bool *final, bipe_error *err)
{
    int status = r->waiting;
    bool ended = false;
    *final = false;
    r->waiting = BIPE_OK;
    if (r->state == STOPPED)
        status = (int)r->error.status;
    while (r->state == IN_TEXT && status == BIPE_OK) {
        size_t size;
        status = read_string(r, r->scratch, sizeof r->scratch, &size, &ended);
        if (status == BIPE_OK && ended)
            r->state = IN_REST;
    }
    if (status == BIPE_OK && r->state == IN_REST)
        status = finish_record(r);
    if (status == BIPE_OK && r->state == IN_BROKEN)
        status = skip_line(r);
    if (status == BIPE_OK) {
        status = begin_record(r);
        if (status == BIPE_OK)
            r->state = IN_TEXT;
    }
    return settle_status(r, status, final, err);
}

int bipe_json_records_read(bipe_json_records *r, uint8_t *bytes, size_t capacity, size_t *size, bool *final,
                           bipe_error *err)
{
    int status = r->waiting;
    *size = 0;
    *final = false;
    if (capacity == 0)
        return BIPE_OK;
    r->waiting = BIPE_OK;
    if (status == BIPE_OK && r->state == IN_TEXT) {
        bool ended;
        status = read_string(r, bytes, capacity, size, &ended);
        if (status == BIPE_OK && ended)
            r->state = IN_REST;
        if (status != BIPE_OK && *size > 0) {
            r->waiting = status;
            return BIPE_OK;
        }
    }
    if (status == BIPE_OK && *size == 0 && r->state == IN_REST)
        status = finish_record(r);
    return settle_status(r, status, final, err);
}

/* ---- life ---- */

int bipe_json_records_open(bipe_json_records **result, bipe_input *input, const char *member, const char *const *others,
                           size_t count, bipe_error *err)
{
    *result = NULL;
    bipe_json_records *r = bipe_alloc(1, sizeof *r);
    if (r == NULL)
        return bipe_fail_memory(err);
    r->input = input;
    r->line = 1;
    r->capacity = bipe_buffer_size();
    r->data = r->buffer = bipe_alloc(r->capacity, 1);
    r->value = bipe_alloc(count + 1, sizeof *r->value);
    int status = r->data != NULL && r->value != NULL ? bipe_json_paths_open(&r->paths, member, others, count, err)
                                                     : bipe_fail_memory(err);
    if (status != BIPE_OK) {
        bipe_json_records_close(r);
        return status;
    }
    *result = r;
    return BIPE_OK;
}

void bipe_json_records_keep(bipe_json_records *records)
{
    records->whole = true;
}

const bipe_buffer *bipe_json_records_kept(const bipe_json_records *records)
{
    bool there = records->whole && !records->too_long && records->state != STOPPED;
    return there ? &records->record : NULL;
}

uint64_t bipe_json_records_count(const bipe_json_records *records)
{
    return records->count;
}

const char *bipe_json_records_value(const bipe_json_records *records, size_t number)
{
    size_t value = records->value[number + 1];
    return value == 0 ? NULL : (const char *)records->values.data + value - 1;
}

void bipe_json_records_close(bipe_json_records *records)
{
    if (records == NULL)
        return;
    bipe_json_paths_close(&records->paths);
    bipe_free(records->value);
    bipe_buffer_free(&records->values);
    bipe_buffer_free(&records->record);
    bipe_free(records->buffer);
    bipe_free(records);
}
