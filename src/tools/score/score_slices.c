/* score_slices.c - reads key spans in the form of LongPPL's program; see score_slices.h. */
#include "tools/score/score_slices.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/tool_alloc.h"
#include "tools/score/score_texts.h"

/* Bytes of a file: more than two million spans. */
enum { FILE_MOST = 64 << 20 };

static const char blanks[] = " \t\r\n";

/* A number at *text, which moves behind it and the blanks around it. */
static bool take_number(const char **text, uint64_t *number)
{
    const char *at = *text + strspn(*text, blanks);
    size_t digits = strspn(at, "0123456789");
    *number = 0;
    for (size_t i = 0; i < digits; i++)
        *number = 10 * *number + (uint64_t)(at[i] - '0');
    *text = at + digits;
    *text += strspn(*text, blanks);
    return digits > 0 && digits < 19;
}

static bool take_mark(const char **text, char mark)
{
    bool there = **text == mark;
    *text += there ? 1 : 0;
    return there;
}

/* "[A, B];[C, D]", or nothing, and a NUL at the end. */
static int parse_spans(bipe_score_slices *s, bipe_error *err)
{
    const char *at = (const char *)s->text.data, *end = at + s->text.size - 1;
    at += strspn(at, blanks);
    s->count = 0;
    while (at < end) {
        bipe_key_span span = {0};
        uint64_t before = s->count > 0 ? s->span[s->count - 1].start : 0;
        bool good = take_mark(&at, '[') && take_number(&at, &span.start) && take_mark(&at, ',') &&
                    take_number(&at, &span.end) && take_mark(&at, ']') && span.start <= span.end &&
                    span.start >= before;
        at += strspn(at, blanks);
        if (!good || (at < end && !take_mark(&at, ';')))
            return bipe_fail(err, BIPE_ERR_FORMAT,
                             "%s: span %zu: expected spans of characters by rising start, such as "
                             "[40351, 40358];[40379, 40380]",
                             s->name, s->count + 1);
        at += strspn(at, blanks);
        bool joins = s->count > 0 && span.start <= s->span[s->count - 1].end;
        if (joins && span.end > s->span[s->count - 1].end)
            s->span[s->count - 1].end = span.end;
        if (joins)
            continue;
        bipe_tool_grow(&s->span, &s->capacity, s->count + 1, sizeof *s->span);
        s->span[s->count++] = span;
    }
    return BIPE_OK;
}

static void close_file(bipe_score_slices *s)
{
    bipe_input_close(s->input);
    bipe_buffer_free(&s->text);
    s->input = NULL;
}

int bipe_score_slices_begin(bipe_score_slices *s, bipe_error *err)
{
    size_t size = strlen(s->path) + 40;
    int status = BIPE_OK;
    bipe_free(s->name);
    s->name = bipe_tool_alloc(size, 1);
    s->at = s->characters = s->bytes = s->count = 0;
    if (s->folder)
        snprintf(s->name, size, "%s/slice_%" PRIu64 ".txt", s->path, s->documents);
    else
        snprintf(s->name, size, "%s", bipe_input_shown(s->path));
    if (s->documents++ > 0 && !s->folder)
        return bipe_fail(err, BIPE_ERR_UNSUPPORTED,
                         "%s: has the key spans of one document, and there is a second one: expected a folder of such "
                         "files, named slice_0.txt and so on",
                         s->name);
    if (s->folder)
        status = bipe_input_open(&s->input, s->name, err);
    if (status == BIPE_OK)
        status = bipe_input_read_all(s->input, &s->text, FILE_MOST, err);
    if (status == BIPE_OK && s->text.size > FILE_MOST)
        status = bipe_fail(err, BIPE_ERR_LIMIT, "%s: has more than %d bytes", s->name, (int)FILE_MOST);
    if (status == BIPE_OK)
        status = bipe_buffer_append(&s->text, "", 1, err);
    if (status == BIPE_OK)
        status = parse_spans(s, err);
    close_file(s);
    return status;
}

/* The ends of spans that are at the present place. */
static void settle(bipe_score_slices *s)
{
    for (; s->at < 2 * s->count; s->at++) {
        bipe_key_span *span = &s->span[s->at / 2];
        uint64_t *end = s->at % 2 == 0 ? &span->start : &span->end;
        if (*end > s->characters)
            return;
        *end = s->bytes;
    }
}

void bipe_score_slices_text(bipe_score_slices *s, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++, s->bytes++) {
        if ((bytes[i] & 0xC0) == 0x80) /* within a character */
            continue;
        settle(s);
        s->characters++;
    }
}

int bipe_score_slices_end(bipe_score_slices *s, uint64_t document, bipe_key_spans *spans, bipe_error *err)
{
    settle(s);
    if (s->at < 2 * s->count)
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "%s: span %zu ends beyond the %" PRIu64 " characters of the document: it is of another text",
                         s->name, s->at / 2 + 1, s->characters);
    int status = BIPE_OK;
    for (size_t i = 0; i < s->count && status == BIPE_OK; i++)
        status = bipe_key_spans_add(spans, (bipe_key_span){document, s->span[i].start, s->span[i].end}, err);
    return status;
}

void bipe_score_slices_free(bipe_score_slices *s)
{
    close_file(s);
    bipe_free(s->name);
    bipe_free(s->span);
}
