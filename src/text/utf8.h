/* utf8.h - decoding of UTF-8 that may be broken, and the classes of characters. */
#ifndef BIPE_TEXT_UTF8_H
#define BIPE_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the character at bytes[0 .. size), size > 0. Returns its length (1 to 4) and sets *code;
 * for a byte that starts no well-formed character: 1 and *code = -1. When the bytes are a proper prefix
 * of a well-formed character (more input could complete it): 0 and *code = -1. */
size_t bipe_utf8_decode(const uint8_t *bytes, size_t size, int32_t *code);

/* Writes code (0 .. 0x10FFFF) as UTF-8; returns the length. */
size_t bipe_utf8_encode(int32_t code, uint8_t bytes[4]);

/* Length of the longest prefix of bytes[0 .. size) that does not end inside a character which more
 * input could complete: size, or up to 3 less. */
size_t bipe_utf8_complete(const uint8_t *bytes, size_t size);

/* Unicode general category L*, M*, N*, or the underscore: what the `word` tokenizer calls a word. */
bool bipe_is_word(int32_t code);
/* A blank of the `word` tokenizer: white space (Unicode White_Space) other than the newline. */
bool bipe_is_blank(int32_t code);
/* \w of Unicode's regular expressions (UTS 18, annex C): Alphabetic, marks, decimal digits, connectors, joiners. */
bool bipe_is_regex_word(int32_t code);
/* Unicode White_Space, the newline among it. */
bool bipe_is_white_space(int32_t code);
/* General category L*. */
bool bipe_is_letter(int32_t code);

#endif
