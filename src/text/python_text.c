/* python_text.c - case and white space as Python's str has them; see python_text.h. tests/peers/answers compares each
 * character. */
#include "text/python_text.h"

#include <string.h>
#include <utf8proc.h>

#include "text/break_class.h"
#include "text/unicode_table.h"
#include "text/utf8.h"

enum { GROWTH = 3 }; /* no character takes more than so many times its bytes in another case */

/* The character at text[*at], which moves on. */
static int32_t next_code(const uint8_t *text, size_t size, size_t *at)
{
    int32_t code;
    size_t length = bipe_utf8_decode(text + *at, size - *at, &code);
    *at += length + (length == 0);
    return code < 0 ? 0xFFFD : code;
}

/* ---- white space ---- */

bool bipe_python_space(int32_t code)
{
    return bipe_is_white_space(code) || (code >= 0x1C && code <= 0x1F);
}

void bipe_python_strip(const uint8_t *text, size_t size, size_t *from, size_t *to)
{
    *from = *to = 0;
    for (size_t at = 0, start = 0; at < size; start = at) {
        if (bipe_python_space(next_code(text, size, &at)))
            continue;
        *from = *to == 0 ? start : *from;
        *to = at;
    }
}

/* ---- case ---- */

static bool has_property(const char *property, int32_t code)
{
    const bipe_unicode_name *name = bipe_unicode_names;
    while (strcmp(name->name, property) != 0)
        name++;
    for (size_t i = name[0].range; i < name[1].range; i++)
        if (code >= bipe_unicode_ranges[i].first && code <= bipe_unicode_ranges[i].last)
            return true;
    return false;
}

/* Unicode's property Cased. */
static bool is_cased(int32_t code)
{
    bipe_category category = bipe_unicode_category(code);
    return (category >= BIPE_LU && category <= BIPE_LT) || has_property("Other_Lowercase", code) ||
           has_property("Other_Uppercase", code);
}

/* Unicode's property Case_Ignorable. */
static bool is_case_ignorable(int32_t code)
{
    bipe_category category = bipe_unicode_category(code);
    bipe_word_class class = bipe_word_class_of(code);
    return category == BIPE_MN || category == BIPE_ME || category == BIPE_CF || category == BIPE_LM ||
           category == BIPE_SK || class == BIPE_WB_MID_LETTER || class == BIPE_WB_MID_NUM_LET ||
           class == BIPE_WB_SINGLE_QUOTE;
}

/* Whether a cased character comes next, after any number of those to ignore. */
static bool starts_cased(const uint8_t *text, size_t size)
{
    int32_t code = -1;
    for (size_t at = 0; at < size;) {
        code = next_code(text, size, &at);
        if (!is_case_ignorable(code))
            return is_cased(code);
    }
    return false;
}

static size_t lower_case(int32_t code, int32_t lower[4])
{
    lower[0] = code == 0x130 ? 'i' : utf8proc_tolower(code); /* the only lower case of two characters: i and a combining
                                                                dot */
    lower[1] = 0x307;
    return code == 0x130 ? 2 : 1;
}

/* Where a small letter is written as several characters in title case, they are those of its case folding, the first
 * letter among them in title case ("ﬁ": "Fi"); an iota at the end is the combining one. */
static size_t title_case(int32_t code, int32_t title[4])
{
    int boundary = 0;
    title[0] = code == 0xDF ? code : utf8proc_totitle(code); /* not the capital sharp s, but "Ss" */
    if (title[0] != code || utf8proc_category(code) != UTF8PROC_CATEGORY_LL)
        return 1;
    utf8proc_ssize_t count = utf8proc_decompose_char(code, title, 4, UTF8PROC_CASEFOLD, &boundary), i = 0;
    if (count < 2 || count > 4) {
        title[0] = code;
        return 1;
    }
    while (i + 1 < count && utf8proc_totitle(title[i]) == title[i])
        i++;
    title[i] = utf8proc_totitle(title[i]);
    if (title[count - 1] == 0x3B9)
        title[count - 1] = 0x345;
    return (size_t)count;
}

int bipe_python_change(bipe_buffer *out, const uint8_t *text, size_t size, bipe_python_case to, bipe_error *err)
{
    int32_t before = 0xFFFD; /* the last character that is not ignored */
    if (size > SIZE_MAX / GROWTH || bipe_buffer_reserve(out, GROWTH * size, err) != BIPE_OK)
        return bipe_fail_memory(err);
    for (size_t at = 0; at < size;) {
        bool title = at == 0 && to == BIPE_PYTHON_CAPITALIZE;
        int32_t code = next_code(text, size, &at), changed[4] = {code};
        size_t count = to == BIPE_PYTHON_AS_IS ? 1 : title ? title_case(code, changed) : lower_case(code, changed);
        if (code == 0x3A3 && to != BIPE_PYTHON_AS_IS && !title && is_cased(before) &&
            !starts_cased(text + at, size - at))
            changed[0] = 0x3C2;
        for (size_t i = 0; i < count; i++)
            out->size += bipe_utf8_encode(changed[i], out->data + out->size);
        if (!is_case_ignorable(code))
            before = code;
    }
    return BIPE_OK;
}
