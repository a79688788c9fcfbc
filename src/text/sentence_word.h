/* sentence_word.h - the forms of words that `sentence` with a list, and what learns lists, look at. Words are UTF-8 of
 * `size` bytes, without the full stop that follows them. */
#ifndef BIPE_TEXT_SENTENCE_WORD_H
#define BIPE_TEXT_SENTENCE_WORD_H

#include <stdbool.h>
#include <stddef.h>

#include "text/break_class.h"

static inline bool bipe_sentence_is_letter(bipe_sentence_class class)
{
    return class == BIPE_SB_LOWER || class == BIPE_SB_UPPER || class == BIPE_SB_OLETTER;
}

/* Letters and digits. */
static inline bool bipe_sentence_is_word(bipe_sentence_class class)
{
    return bipe_sentence_is_letter(class) || class == BIPE_SB_NUMERIC;
}

static inline bool bipe_sentence_is_white(bipe_sentence_class class)
{
    return class == BIPE_SB_SP || class == BIPE_SB_CR || class == BIPE_SB_LF || class == BIPE_SB_SEP;
}

/* How many ASCII digits a word begins with; its size: it is a number. */
size_t bipe_sentence_digits(const char *word, size_t size);

bool bipe_sentence_is_one_letter(const char *word, size_t size);

/* Whether it can mark an item of a list: 1, 12, 1.2, a, iv. */
bool bipe_sentence_is_marker(const char *word, size_t size);

/* A single capital, alone or after a full stop, as in U.S and Ph.D. */
bool bipe_sentence_is_initial(const char *word, size_t size);

/* A Roman numeral in capitals other than I, which is more often a word. */
bool bipe_sentence_is_roman(const char *word, size_t size);

#endif
