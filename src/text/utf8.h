/* utf8.h - decoding of UTF-8 that may be broken, and the classes of characters. */
#ifndef BIPE_TEXT_UTF8_H
#define BIPE_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Decodes the character at bytes[0 .. size), size > 0, strictly (Unicode 15, table 3-7). Returns its length (1 to 4)
 * and sets *code; for a byte that starts no well-formed character: 1 and *code = -1. When the bytes are a proper prefix
 * of a well-formed character (more input could complete it): 0 and *code = -1. */
static inline size_t bipe_utf8_decode(const uint8_t *bytes, size_t size, int32_t *code)
{
    uint8_t first = bytes[0], low = 0x80, high = 0xBF; /* the bounds of the next byte */
    *code = -1;
    if (first < 0x80) {
        *code = first;
        return 1;
    }
    if (first < 0xC2 || first > 0xF4)
        return 1;
    /* The common cases, without a loop. */
    if (first < 0xE0 && size > 1 && (bytes[1] & 0xC0) == 0x80) {
        *code = (first & 0x1F) << 6 | (bytes[1] & 0x3F);
        return 2;
    }
    if (first > 0xE0 && first < 0xED && size > 2 && (bytes[1] & 0xC0) == 0x80 && (bytes[2] & 0xC0) == 0x80) {
        *code = (first & 0xF) << 12 | (bytes[1] & 0x3F) << 6 | (bytes[2] & 0x3F);
        return 3;
    }
    if (first == 0xE0)
        low = 0xA0;
    else if (first == 0xED)
        high = 0x9F;
    else if (first == 0xF0)
        low = 0x90;
    else if (first == 0xF4)
        high = 0x8F;
    size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    int32_t value = first & (0xFF >> (length + 1));
    for (size_t i = 1; i < length; i++, low = 0x80, high = 0xBF) {
        if (i == size)
            return 0;
        if (bytes[i] < low || bytes[i] > high)
            return 1;
        value = value << 6 | (bytes[i] & 0x3F);
    }
    *code = value;
    return length;
}

/* How many ASCII characters bytes[0 .. size) begins with. */
size_t bipe_utf8_ascii(const uint8_t *bytes, size_t size);

/* Whether bytes[0 .. size) are whole characters. */
bool bipe_is_utf8(const uint8_t *bytes, size_t size);

/* Writes code (0 .. 0x10FFFF) as UTF-8; returns the length. */
size_t bipe_utf8_encode(int32_t code, uint8_t bytes[4]);

/* True only if text[at], at > 0, is not a continuation byte of a character that starts before it: the text before `at`
 * then decodes the same whether or not more follows. */
static inline bool bipe_utf8_begins(const uint8_t *text, size_t at)
{
    return (text[at] & 0xC0) != 0x80 ||
           (at > 3 && (text[at - 1] & 0xC0) == 0x80 && (text[at - 2] & 0xC0) == 0x80 && (text[at - 3] & 0xC0) == 0x80);
}

/* Length of the longest prefix of bytes[0 .. size) that does not end within a character that more input could complete:
 * size, or up to 3 less. */
size_t bipe_utf8_complete(const uint8_t *bytes, size_t size);

/* Counts well-formed UTF-8 and other bytes of a text that arrives in pieces. Zero-initialise. */
typedef struct bipe_utf8_tally {
    uint64_t bytes;      /* looked at: the first BIPE_UTF8_TALLIED or some more */
    uint64_t characters; /* beyond ASCII */
    uint64_t wrong;      /* bytes that belong to no character */
    uint64_t controls;   /* control characters that do not belong in text; UTF-16 has many NULs */
    unsigned missing;    /* bytes that the current character still needs */
} bipe_utf8_tally;

enum { BIPE_UTF8_TALLIED = 1 << 16 };

void bipe_utf8_tally_add(bipe_utf8_tally *tally, const uint8_t *bytes, size_t size);
/* Whether there are more wrong bytes than characters beyond ASCII, and at least one in a hundred bytes. Control
 * characters count as wrong if they are more than one byte in eight. */
bool bipe_utf8_mostly_wrong(const bipe_utf8_tally *tally);

/* General category L*, M*, N* of Unicode 17.0, or the underscore: a character of a word to the tokenizer `word`. */
bool bipe_is_word(int32_t code);
/* A blank of the tokenizer `word`: Unicode White_Space other than the newline. */
bool bipe_is_blank(int32_t code);
/* Unicode White_Space, including the newline. */
bool bipe_is_white_space(int32_t code);
/* General category L*, by the version of utf8proc. */
bool bipe_is_letter(int32_t code);

#ifdef __cplusplus
}
#endif
#endif
