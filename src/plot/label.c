/* label.c - see label.h. */
#include "plot/label.h"

#include <string.h>
#include <utf8proc.h>

#include "base/alloc.h"
#include "text/utf8.h"

size_t bipe_character_columns(int32_t code)
{
    int width = utf8proc_charwidth(code);
    return width < 0 ? 1 : width > 2 ? 2 : (size_t)width;
}

bool bipe_character_hides(int32_t code)
{
    return (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

static bool is_plain(int32_t code)
{
    return code >= 0x20 && !(code >= 0x7F && code < 0xA0) && !bipe_character_hides(code);
}

char *bipe_label_copy(const char *text)
{
    size_t size = strlen(text), filled = 0;
    char *copy = bipe_alloc(size + 1, 3); /* U+FFFD takes three bytes */
    if (copy == NULL)
        return NULL;
    for (size_t at = 0; at < size;) {
        int32_t code;
        size_t used = bipe_utf8_decode((const uint8_t *)text + at, size - at, &code);
        if (code < 0)
            code = 0xFFFD;
        else if (!is_plain(code))
            code = '?';
        filled += bipe_utf8_encode(code, (uint8_t *)copy + filled);
        at += used > 0 ? used : 1;
    }
    copy[filled] = '\0';
    return copy;
}

/* The next character of a label; its columns. */
static size_t next_character(const char **text, int32_t *code)
{
    size_t used = bipe_utf8_decode((const uint8_t *)*text, strlen(*text), code);
    *text += used > 0 ? used : 1;
    return *code < 0 ? 1 : bipe_character_columns(*code);
}

size_t bipe_label_columns(const char *text)
{
    size_t columns = 0;
    int32_t code;
    while (*text != '\0')
        columns += next_character(&text, &code);
    return columns;
}

/* Where the first part of a text ends that is cut to `most` columns, and where its last part begins. */
static void find_cut(const char *text, size_t most, const char **end, const char **begin)
{
    size_t columns = bipe_label_columns(text), seen = 0, head = most / 2;
    int32_t code;
    *end = *begin = NULL;
    if (columns <= most || most == 0)
        return;
    for (const char *at = text; *at != '\0';) {
        const char *here = at;
        size_t width = next_character(&at, &code);
        if (*end == NULL && seen + width > head)
            *end = here;
        if (*end != NULL && columns - seen <= most - head - 1) {
            *begin = here;
            return;
        }
        seen += width;
    }
    *begin = text + strlen(text);
    *end = *end == NULL ? text : *end;
}

int bipe_label_print(bipe_output *output, const char *text, size_t most, bool utf8, size_t *used, bipe_error *err)
{
    const char *end, *begin;
    size_t columns = 0;
    int status = BIPE_OK;
    find_cut(text, most, &end, &begin);
    while (*text != '\0' && most > 0 && status == BIPE_OK) {
        int32_t code = 0x2026;
        const char *from = text;
        size_t width = 1;
        if (text == end)
            text = begin;
        else
            width = next_character(&text, &code);
        if (code == 0x2026 || code < 0x80 || utf8)
            status = code == 0x2026 ? bipe_output_printf(output, err, "%s", utf8 ? "\342\200\246" : "~")
                                    : bipe_output_write(output, from, (size_t)(text - from), err);
        else if (width > 0)
            status = bipe_output_write(output, "??", width, err);
        columns += width;
    }
    if (used != NULL)
        *used = columns;
    return status;
}

const char *bipe_label_cut(const char *text, size_t most, char *to, size_t size)
{
    const char *end, *begin;
    find_cut(text, most, &end, &begin);
    size_t head = end == NULL ? strlen(text) : (size_t)(end - text), tail = begin == NULL ? 0 : strlen(begin);
    if (head + tail + 4 > size)
        return "";
    memcpy(to, text, head);
    to[head] = '\0';
    if (end != NULL) {
        memcpy(to + head, "\342\200\246", 3);
        memcpy(to + head + 3, begin, tail + 1);
    }
    return to;
}
