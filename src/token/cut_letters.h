/* cut_letters.h - letters of any script beside which a document may be cut (BIPE_CUT_WORD): whatever a normalizer does to one, there is a
 * letter in its place, which takes nothing from a space in front of it or behind it. */
#ifndef BIPE_TOKEN_CUT_LETTERS_H
#define BIPE_TOKEN_CUT_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { BIPE_CUT_LETTER_END = 0x40000 }; /* there are none from here on */

/* A letter that is no modifier, no ideograph and no presentation form, is a grapheme cluster by itself or a syllable, and becomes
 * letters like that and marks, a letter first, when it is taken apart. */
bool bipe_is_cut_letter(uint32_t code);
/* A letter like that, or a mark: what may stand behind the first of them. */
bool bipe_is_cut_tail(uint32_t code);

/* Letters and ideographs within words of which documents may be cut (BIPE_JOIN_WORD, BIPE_JOIN_HAN): whatever normalizers make of one, no
 * pre-tokenizer tells it from its like, nothing combines with it from in front, and it with nothing that stands behind but marks. */
bool bipe_is_join_letter(uint32_t code);
bool bipe_is_join_ideograph(uint32_t code);
/* One of them, or a letter or digit of ASCII. */
bool bipe_is_join(uint32_t code);
/* The kind of place between two characters (BIPE_JOIN_...), 0: none. */
unsigned bipe_join_between(uint32_t before, uint32_t behind);

#endif
