/* char_reader.h - characters from bytes that are cut anywhere.
 *
 * A byte that starts no well-formed character comes out by itself, as BIPE_BAD_BYTE + its value. */
#ifndef BIPE_TOKEN_CHAR_READER_H
#define BIPE_TOKEN_CHAR_READER_H

#include <string.h>

#include "text/utf8.h"

enum { BIPE_BAD_BYTE = 0x200000 }; /* above every code point */

/* Zero-initialise at the start of a document: up to 3 bytes of a character that is not complete. */
typedef struct bipe_char_reader {
    uint8_t held[4];
    size_t count;
} bipe_char_reader;

/* Takes the next character from the held bytes and from *bytes up to end, and advances *bytes. Returns its length and
 * sets *code; 0 when all bytes are taken. last: nothing follows, so an incomplete character is broken. */
static inline size_t bipe_char_read(bipe_char_reader *reader, const uint8_t **bytes, const uint8_t *end, bool last,
                                    uint32_t *code)
{
    int32_t c;
    size_t n;
    if (reader->count == 0) {
        if (*bytes == end)
            return 0;
        if (**bytes < 0x80) {
            *code = *(*bytes)++;
            return 1;
        }
        n = bipe_utf8_decode(*bytes, (size_t)(end - *bytes), &c);
        if (n != 0) {
            *code = c >= 0 ? (uint32_t)c : BIPE_BAD_BYTE + (uint32_t)**bytes;
            *bytes += n;
            return n;
        }
    }
    for (;;) {
        n = reader->count != 0 ? bipe_utf8_decode(reader->held, reader->count, &c) : 0;
        if (n == 0) {
            if (*bytes != end) {
                reader->held[reader->count++] = *(*bytes)++;
                continue;
            }
            if (!last || reader->count == 0)
                return 0;
            n = 1;
            c = -1;
        }
        *code = c >= 0 ? (uint32_t)c : BIPE_BAD_BYTE + (uint32_t)reader->held[0];
        reader->count -= n;
        memmove(reader->held, reader->held + n, reader->count);
        return n;
    }
}

#endif
