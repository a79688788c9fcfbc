/* byte_letters.h - the printable letter that GPT-2 writes each byte with: Latin-1's printable characters for themselves, the
 * others, in order, from U+0100 on. */
#ifndef BIPE_TOKEN_BYTE_LETTERS_H
#define BIPE_TOKEN_BYTE_LETTERS_H

#include <stdint.h>

enum { BIPE_BYTE_LETTERS = 0x144 }; /* all letters are below this */

/* code[b]: the letter of byte b; byte[c]: the byte of letter c, -1: none. Either may be NULL. */
static inline void bipe_byte_letters(uint16_t code[256], int16_t byte[BIPE_BYTE_LETTERS])
{
    uint16_t next = 0x100;
    for (int c = 0; byte != NULL && c < BIPE_BYTE_LETTERS; c++)
        byte[c] = -1;
    for (int b = 0; b < 256; b++) {
        int printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
        uint16_t c = printable ? (uint16_t)b : next++;
        if (code != NULL)
            code[b] = c;
        if (byte != NULL)
            byte[c] = (int16_t)b;
    }
}

#endif
