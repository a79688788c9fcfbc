/* footnote_mark.h - footnote marks directly after the end of a sentence, as in so.[1,2] and Done.¹ */
#ifndef BIPE_TEXT_FOOTNOTE_MARK_H
#define BIPE_TEXT_FOOTNOTE_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BIPE_FOOTNOTE_MARK = 48 }; /* bytes of the longest mark, and the character after it */

/* Whether a mark may begin with this character. */
bool bipe_footnote_begins(int32_t code);

/* The length of the mark that the text, whole characters, begins with; 0: it begins with none. *open: more text may
 * change that, which it cannot once there are BIPE_FOOTNOTE_MARK bytes. digits: plain digits may be a mark. Marks are
 * - anything short in square brackets: [1], [2, 3], [a], [note 4], [citation needed];
 * - superscripts, and, not before a letter or digit, * † ‡ § ¶ ‖ _ (which also end emphasis in plain text), in any
 * number;
 * - before white space or the end: up to three digits or one other character in round brackets, (1) and (a), and plain
 * digits, 1 and 12,13. */
size_t bipe_footnote_mark(const uint8_t *text, size_t size, bool digits, bool *open);

#endif
