/* footnote_mark.c - see footnote_mark.h. A mark is read anew with each character that comes, since it is short. */
#include "text/footnote_mark.h"

#include "text/utf8.h"

enum { DIGITS = 3 }; /* of a plain number */

static bool is_digit(int32_t code)
{
    return code >= '0' && code <= '9';
}

static bool is_raised(int32_t code)
{
    return code == 0xB2 || code == 0xB3 || code == 0xB9 || code == 0x2070 || (code >= 0x2074 && code <= 0x207F) ||
           (code >= 0x1D2C && code <= 0x1D61); /* letters */
}

static bool is_symbol(int32_t code)
{
    return code == '*' || code == '_' || code == 0xA7 || code == 0xB6 || code == 0x2016 || code == 0x2020 ||
           code == 0x2021;
}

/* Between the numbers of a mark. */
static bool is_joint(int32_t code)
{
    return code == ',' || code == '-' || code == 0x2013;
}

bool bipe_footnote_begins(int32_t code)
{
    return code == '[' || code == '(' || is_digit(code) || is_raised(code) || is_symbol(code);
}

/* The character at *at, which moves past it; -1: the text ends, or it is none. */
static int32_t next_character(const uint8_t *text, size_t size, size_t *at)
{
    int32_t code = -1;
    if (*at < size)
        *at += bipe_utf8_decode(text + *at, size - *at, &code);
    return code;
}

/* A mark of `length` bytes, if the text ends or continues with white space after it. */
static size_t end_mark(const uint8_t *text, size_t size, size_t length, bool *open)
{
    size_t at = length;
    *open = length == size;
    return *open || bipe_is_white_space(next_character(text, size, &at)) ? length : 0;
}

static size_t square_mark(const uint8_t *text, size_t size, bool *open)
{
    size_t at = 1;
    while (at < size) {
        int32_t code = next_character(text, size, &at);
        if (code == ']')
            return at > 2 ? at : 0;
        if (code < ' ' || code == '[')
            return 0;
    }
    *open = true;
    return 0;
}

static size_t round_mark(const uint8_t *text, size_t size, bool *open)
{
    size_t at = 1, digits = 0;
    int32_t code = next_character(text, size, &at);
    for (; is_digit(code) && digits < DIGITS; digits++)
        code = next_character(text, size, &at);
    if (digits == 0 && code != ')' && !bipe_is_white_space(code) && code >= 0)
        code = next_character(text, size, &at);
    *open = code < 0 && at == size;
    return code == ')' && at > 2 ? end_mark(text, size, at, open) : 0;
}

/* Superscripts, what joins them, and symbols, of which the last is not the first character of a word: io._Base. */
static size_t raised_mark(const uint8_t *text, size_t size, bool *open)
{
    size_t length = 0, at = 0;
    for (int32_t code, before = -1; at < size; before = code) {
        code = next_character(text, size, &at);
        if (is_raised(code) || is_symbol(code))
            length = at;
        else if (!is_raised(before) || !is_joint(code))
            return is_symbol(before) && bipe_is_word(code) ? 0 : length;
    }
    *open = true;
    return length;
}

/* Numbers of up to three digits, joined. */
static size_t plain_mark(const uint8_t *text, size_t size, bool *open)
{
    size_t at = 0, length = 0;
    while (at < size) {
        size_t digits = 0;
        int32_t code = -1;
        while (at < size && is_digit(code = next_character(text, size, &at)) && digits++ < DIGITS)
            length = at;
        if (digits == 0 || digits > DIGITS)
            return 0;
        if (is_digit(code))
            break;
        if (!is_joint(code))
            return end_mark(text, size, length, open);
    }
    *open = true;
    return length == size ? length : 0;
}

size_t bipe_footnote_mark(const uint8_t *text, size_t size, bool digits, bool *open)
{
    int32_t code;
    *open = false;
    if (size == 0)
        return 0;
    bipe_utf8_decode(text, size, &code);
    size_t length = code == '[' ? square_mark(text, size, open) : code == '(' ? round_mark(text, size, open) :
                    is_digit(code) ? (digits ? plain_mark(text, size, open) : 0) : raised_mark(text, size, open);
    *open = *open && size < BIPE_FOOTNOTE_MARK;
    return length;
}
