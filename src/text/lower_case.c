/* lower_case.c - lower case, one character at a time, with a look around a sigma. */
#include "text/lower_case.h"

#include "text/unicode.h"
#include "text/utf8.h"

enum { CAPITAL_SIGMA = 0x3A3, SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2, CAPITAL_DOTTED_I = 0x130, DOT_ABOVE = 0x307, REPLACEMENT = 0xFFFD, WIDEST = 3 };

static bool is_cased(int32_t code)
{
    bipe_category c = bipe_unicode_category(code);
    return c == BIPE_LU || c == BIPE_LL || c == BIPE_LT;
}

/* Unicode's Case_Ignorable: what may stand between a sigma and the letters that decide its form. */
static bool is_ignored(int32_t code)
{
    static const uint16_t mid[] = {'\'', '.', ':', 0xB7, 0x387, 0x55F, 0x5F4, 0x2018, 0x2019, 0x2024, 0x2027, 0xFE13, 0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A};
    bipe_category c = bipe_unicode_category(code);
    for (size_t i = 0; i < sizeof mid / sizeof mid[0]; i++)
        if (code == mid[i])
            return true;
    return c == BIPE_MN || c == BIPE_ME || c == BIPE_CF || c == BIPE_LM || c == BIPE_SK;
}

/* Whether the first character of text[from .. size) that counts is a letter with case. */
static bool cased_after(const uint8_t *text, size_t from, size_t size)
{
    int32_t code = -1;
    for (size_t n; from < size; from += n) {
        n = bipe_utf8_decode(text + from, size - from, &code);
        n += n == 0;
        if (code < 0 || !is_ignored(code))
            return code >= 0 && is_cased(code);
    }
    return false;
}

int bipe_lower_text(bipe_buffer *out, const uint8_t *text, size_t size, bool lower, bipe_error *err)
{
    bool after_cased = false; /* the last character that counts has case */
    if (bipe_buffer_reserve(out, WIDEST * size, err) != BIPE_OK)
        return BIPE_ERR_MEMORY;
    uint8_t *to = out->data + out->size;
    for (size_t i = 0, n; i < size; i += n) {
        int32_t code;
        n = 1;
        if (text[i] < 0x80) {
            bool capital = text[i] >= 'A' && text[i] <= 'Z';
            after_cased = capital || (text[i] >= 'a' && text[i] <= 'z') || (after_cased && is_ignored(text[i]));
            *to++ = capital && lower ? (uint8_t)(text[i] + ('a' - 'A')) : text[i];
            continue;
        }
        n = bipe_utf8_decode(text + i, size - i, &code);
        n += n == 0;
        code = code < 0 ? REPLACEMENT : code;
        bool cased = is_cased(code) || (after_cased && is_ignored(code));
        if (lower && code == CAPITAL_DOTTED_I) {
            *to++ = 'i';
            code = DOT_ABOVE;
        } else if (lower && code == CAPITAL_SIGMA) {
            code = after_cased && !cased_after(text, i + n, size) ? FINAL_SIGMA : SIGMA;
        } else if (lower) {
            code = bipe_lower_case(code);
        }
        to += bipe_utf8_encode(code, to);
        after_cased = cased;
    }
    out->size = (size_t)(to - out->data);
    return BIPE_OK;
}
