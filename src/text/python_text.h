/* python_text.h - Python's str.lower(), capitalize(), strip() and split(), since tasks and metrics reproduce programs
 * that are written in Python. Bytes that belong to no character count as U+FFFD. */
#ifndef BIPE_TEXT_PYTHON_TEXT_H
#define BIPE_TEXT_PYTHON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* White space to str.strip() and str.split(): Unicode's White_Space, and the separators of ASCII. */
bool bipe_python_space(int32_t code);

/* Finds what str.strip() leaves: bytes *from .. *to. */
void bipe_python_strip(const uint8_t *text, size_t size, size_t *from, size_t *to);

/* Appends the text, as it is or in lower case, by the full mappings of Unicode and its rule for a capital sigma at the
 * end of a word (Final_Sigma); or so but for its first character, which is in title case. BIPE_OK or
 * BIPE_ERR_MEMORY. */
typedef enum bipe_python_case { BIPE_PYTHON_AS_IS, BIPE_PYTHON_LOWER, BIPE_PYTHON_CAPITALIZE } bipe_python_case;
int bipe_python_change(bipe_buffer *out, const uint8_t *text, size_t size, bipe_python_case to, bipe_error *err);

#endif
