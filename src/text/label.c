/* label.c - see label.h. */
#include "text/label.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "base/alloc.h"
#include "text/utf8.h"

enum { CUT_SIZE = 4096 };

size_t bipe_character_columns(int32_t code)
{
    if (code < 0x20 || (code >= 0x7F && code < 0xA0)) /* one question mark per byte */
        return code < 0x80 ? 1 : 2;
    int width = utf8proc_charwidth(code);
    return width > 2 ? 2 : (size_t)width;
}

bool bipe_character_hides(int32_t code)
{
    return (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

static bool is_plain_code(int32_t code)
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
        else if (!is_plain_code(code))
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
    size_t used = bipe_utf8_decode((const uint8_t *)*text, strnlen(*text, 4), code);
    *text += used > 0 ? used : 1;
    return bipe_character_columns(*code);
}

size_t bipe_label_columns(const char *text)
{
    size_t columns = 0;
    int32_t code;
    while (*text != '\0')
        columns += next_character(&text, &code);
    return columns;
}

/* For a text cut to `most` columns: the end of its first part and the start of its last part. */
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

const char *bipe_label_cut(const char *text, size_t most, char *to, size_t size)
{
    const char *end, *begin;
    find_cut(text, most, &end, &begin);
    snprintf(to, size, "%.*s%s%s", end == NULL ? (int)strlen(text) : (int)(end - text), text,
             end != NULL ? "\342\200\246" : "", end != NULL ? begin : "");
    return to;
}

void bipe_label_print(bipe_output *output, const char *text, size_t most, bool utf8, size_t *used)
{
    char cut[CUT_SIZE];
    int32_t code;
    size_t columns = 0;
    for (const char *at = bipe_label_cut(text, most, cut, sizeof cut), *from = at; *at != '\0'; from = at) {
        size_t width = next_character(&at, &code);
        if (utf8 || code < 0x80)
            bipe_output_write(output, from, (size_t)(at - from), NULL);
        else
            bipe_output_write(output, code == 0x2026 ? "~" : "??", width, NULL);
        columns += width;
    }
    if (used != NULL)
        *used = columns;
}
