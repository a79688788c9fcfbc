/* label.h - names and other short texts for people: one line of well-formed UTF-8, and how wide it is on a terminal. */
#ifndef BIPE_TEXT_LABEL_H
#define BIPE_TEXT_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output.h"

/* A copy without control characters, and with U+FFFD in place of what is not UTF-8. NULL: memory is exhausted. */
char *bipe_label_copy(const char *text);
/* Columns on a terminal. */
size_t bipe_label_columns(const char *text);
/* Columns of one character, 0 to 2; -1: a byte that is none. */
size_t bipe_character_columns(int32_t code);
/* Whether it ends a line or reorders what follows, which a label and a terminal should not have. */
bool bipe_character_hides(int32_t code);
/* Prints the text in at most `most` columns; a longer one is cut in the middle. ASCII: other characters become question marks.
 * *used (may be NULL): its columns. Failures stay in the output. */
void bipe_label_print(bipe_output *output, const char *text, size_t most, bool utf8, size_t *used);
/* The same into a buffer, always UTF-8: returns `to`. */
const char *bipe_label_cut(const char *text, size_t most, char *to, size_t size);

#endif
