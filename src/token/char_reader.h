/* char_reader.h - the characters of a text that may be broken.
 *
 * A byte that begins no well-formed character counts as a character with the code BIPE_BAD_BYTE + its value. */
#ifndef BIPE_TOKEN_CHAR_READER_H
#define BIPE_TOKEN_CHAR_READER_H

#include "text/utf8.h"

enum { BIPE_BAD_BYTE = 0x200000 }; /* above every code point */

/* The character that bytes[0 .. size) begin with, size > 0, and its length; the text ends with these bytes. */
static inline size_t bipe_char_at(const uint8_t *bytes, size_t size, uint32_t *code)
{
    int32_t c;
    size_t n = bipe_utf8_decode(bytes, size, &c);
    *code = c >= 0 ? (uint32_t)c : BIPE_BAD_BYTE + (uint32_t)bytes[0];
    return n != 0 ? n : 1;
}

/* Writes its bytes; returns how many. */
static inline size_t bipe_char_bytes(uint32_t code, uint8_t bytes[4])
{
    if (code < BIPE_BAD_BYTE)
        return bipe_utf8_encode((int32_t)code, bytes);
    bytes[0] = (uint8_t)(code - BIPE_BAD_BYTE);
    return 1;
}

#endif
