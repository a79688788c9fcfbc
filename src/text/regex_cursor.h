/* regex_cursor.h - reads characters of a text as symbols of a program. Not for others than its searches. */
#ifndef BIPE_TEXT_REGEX_CURSOR_H
#define BIPE_TEXT_REGEX_CURSOR_H

#include "text/regex_parts.h"
#include "text/utf8.h"

/* The symbol of the character at at[0 .. size), size > 0, which may be `unknown`, and its length; 0: it is not complete. */
static inline size_t bipe_regex_symbol_at(const bipe_regex_characters *c, const uint8_t *at, size_t size, unsigned *symbol)
{
    int32_t code;
    size_t length = bipe_utf8_decode(at, size, &code);
    *symbol = code < 0 ? c->barrier : c->blocks[c->block[code / BIPE_REGEX_BLOCK]][code % BIPE_REGEX_BLOCK];
    return length;
}

/* The same; what is unknown is asked for. A character that never becomes complete (`last`) is a barrier of one byte. */
static inline int bipe_regex_read_symbol(bipe_regex_characters *c, const bipe_regex_program *p, const uint8_t *at, size_t size, bool last,
                                         unsigned *symbol, size_t *length, bipe_error *err)
{
    *length = bipe_regex_symbol_at(c, at, size, symbol);
    if (*length == 0 && last)
        *length = 1;
    if (*symbol != c->unknown)
        return BIPE_OK;
    int32_t code;
    bipe_utf8_decode(at, size, &code);
    int status = bipe_regex_characters_learn(c, p, code, err);
    bipe_regex_symbol_at(c, at, size, symbol);
    return status;
}

/* The context of what stands before text[end), end > 0: a byte that ends no character is a barrier. */
static inline int bipe_regex_read_context(bipe_regex_characters *c, const bipe_regex_program *p, const uint8_t *text, size_t end,
                                          unsigned *context, bipe_error *err)
{
    *context = 0;
    if (p->contexts == 1)
        return BIPE_OK;
    size_t start = end - 1, length;
    while (start > 0 && end - start < 4 && (text[start] & 0xC0) == 0x80)
        start--;
    unsigned symbol;
    int status = bipe_regex_read_symbol(c, p, text + start, end - start, false, &symbol, &length, err);
    *context = p->context[status == BIPE_OK && length == end - start ? symbol : p->barrier];
    return status;
}

#endif
