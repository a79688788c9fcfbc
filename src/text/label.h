/* label.h - names and other short texts for people: one line of well-formed UTF-8, and its width on a terminal. */
#ifndef BIPE_TEXT_LABEL_H
#define BIPE_TEXT_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output.h"

/* A copy with '?' for control characters and U+FFFD for bytes that are not UTF-8. NULL: out of memory. */
char *bipe_label_copy(const char *text);
/* Columns on a terminal. */
size_t bipe_label_columns(const char *text);
/* Columns of one character, 0 to 2; -1 is a byte that is not UTF-8. */
size_t bipe_character_columns(int32_t code);
/* Whether a character ends a line or reorders the text after it, so that neither a label nor a terminal should get
 * it. */
bool bipe_character_hides(int32_t code);
/* Prints the text in at most `most` columns; a longer one is cut in the middle. Without utf8, characters beyond ASCII
 * become question marks. *used (may be NULL): the columns printed. A failure is kept by the output. */
void bipe_label_print(bipe_output *output, const char *text, size_t most, bool utf8, size_t *used);
/* The same into a buffer, always in UTF-8; returns `to`. */
const char *bipe_label_cut(const char *text, size_t most, char *to, size_t size);

#endif
