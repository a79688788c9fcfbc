/* lower_case.h - texts in lower case by Unicode's full mapping, as ICU and Python have it: a capital I with a dot becomes two characters, and
 * a capital sigma at the end of a word becomes a final one. */
#ifndef BIPE_TEXT_LOWER_CASE_H
#define BIPE_TEXT_LOWER_CASE_H

#include "base/buffer.h"

/* Appends the text, whose neighbours do not matter, with U+FFFD for bytes that are no character. lower: otherwise case stays as it is.
 * BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_lower_text(bipe_buffer *out, const uint8_t *text, size_t size, bool lower, bipe_error *err);

#endif
