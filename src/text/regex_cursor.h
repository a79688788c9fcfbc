/* regex_cursor.h - reads characters of a text as symbols of a program. Not for others than its searches. */
#ifndef BIPE_TEXT_REGEX_CURSOR_H
#define BIPE_TEXT_REGEX_CURSOR_H

#include "text/regex_parts.h"

/* The symbol of the character at at[0 .. size), size > 0, and its length; 0: it is not complete. */
static inline size_t bipe_regex_symbol_at(const bipe_regex_program *p, const uint8_t *at, size_t size, unsigned *symbol)
{
    uint8_t c = at[0], low = 0x80, high = 0xBF;
    if (c < 0x80) {
        *symbol = p->ascii[c];
        return 1;
    }
    *symbol = p->barrier;
    if (c < 0xC2 || c > 0xF4)
        return 1;
    if (c == 0xE0)
        low = 0xA0;
    else if (c == 0xED)
        high = 0x9F;
    else if (c == 0xF0)
        low = 0x90;
    else if (c == 0xF4)
        high = 0x8F;
    size_t length = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    int32_t code = c & (0xFF >> (length + 1));
    for (size_t i = 1; i < length; i++, low = 0x80, high = 0xBF) {
        if (i == size)
            return 0;
        if (at[i] < low || at[i] > high)
            return 1;
        code = code << 6 | (at[i] & 0x3F);
    }
    *symbol = bipe_regex_class(p, code);
    return length;
}

/* The symbol of the character that ends at text[end), end > 0: a byte that ends none is a barrier. */
static inline unsigned bipe_regex_symbol_before(const bipe_regex_program *p, const uint8_t *text, size_t end)
{
    size_t start = end - 1;
    while (start > 0 && end - start < 4 && (text[start] & 0xC0) == 0x80)
        start--;
    unsigned symbol;
    return bipe_regex_symbol_at(p, text + start, end - start, &symbol) == end - start ? symbol : p->barrier;
}

#endif
