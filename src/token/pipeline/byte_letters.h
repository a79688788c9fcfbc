/* byte_letters.h - the printable letter by which GPT-2 writes each byte: printable Latin-1 characters stay, the other
 * bytes are, in order, the letters from U+0100 on. */
#ifndef BIPE_TOKEN_BYTE_LETTERS_H
#define BIPE_TOKEN_BYTE_LETTERS_H

#include <stddef.h>
#include <stdint.h>

#include "text/utf8.h"

enum { BIPE_BYTE_LETTERS = 0x144 }; /* all letters are below this */

/* The letter of a byte. */
static inline int32_t bipe_byte_letter(uint8_t byte)
{
    if ((byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD))
        return byte;
    return byte <= 0x20 ? 0x100 + byte : byte <= 0xA0 ? 0x121 + (byte - 0x7F) : 0x143;
}

/* The byte of a letter, -1: it is none. */
static inline int bipe_letter_byte(int32_t code)
{
    if ((code >= 0x21 && code <= 0x7E) || (code >= 0xA1 && code <= 0xFF && code != 0xAD))
        return code;
    if (code < 0x100 || code >= BIPE_BYTE_LETTERS)
        return -1;
    int n = code - 0x100; /* bytes that are no such characters: 0 to 0x20, 0x7F to 0xA0, 0xAD */
    return n <= 0x20 ? n : n <= 0x42 ? n + 0x5E : 0xAD;
}

#endif
