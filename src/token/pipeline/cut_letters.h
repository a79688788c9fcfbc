/* cut_letters.h - letters of any script beside which a document may be cut (BIPE_CUT_WORD): whatever a normalizer does to one, there is a
 * letter in its place, which takes nothing from a space in front of it or after it. */
#ifndef BIPE_TOKEN_CUT_LETTERS_H
#define BIPE_TOKEN_CUT_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { BIPE_CUT_LETTER_END = 0x40000 }; /* there are none from here on */

/* A letter that is no modifier, no ideograph and no presentation form, is a grapheme cluster by itself or a syllable, and becomes
 * letters like that and marks, a letter first, when it is taken apart. */
bool bipe_is_cut_letter(uint32_t code);
/* A letter like that, or a mark: what may stand after the first of them. */
bool bipe_is_cut_tail(uint32_t code);

#endif
