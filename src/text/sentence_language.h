/* sentence_language.h - `sentence:auto`: chooses the list of a text by the common words of each list.
 *
 * A word of the text that lists have counts log2(lists / lists that have it) bits for each of these; a letter beyond
 * ASCII that none of a list's words has counts half a bit against that list. The list with the most bits is taken, if
 * these are enough for the number of words. */
#ifndef BIPE_TEXT_SENTENCE_LANGUAGE_H
#define BIPE_TEXT_SENTENCE_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "text/sentence_tailoring.h"

enum { BIPE_LANGUAGE_TEXT = 8192 }; /* bytes of the beginning of a text that say its language */

typedef struct bipe_sentence_languages bipe_sentence_languages;

/* Whether "auto" is among the names of an argument, as bipe_sentence_tailoring_open() takes it. */
bool bipe_sentence_is_auto(const char *argument);

/* Reads all lists that there are. The argument has "auto" where the name of the list is to stand. Errors are those of
 * bipe_sentence_tailoring_open(), and BIPE_ERR_LIMIT: more than 64 languages. The caller closes. */
int bipe_sentence_languages_open(bipe_sentence_languages **languages, const char *argument, bipe_error *err);

/* The language of a text, its first BIPE_LANGUAGE_TEXT bytes at most: the name of its list, or NULL: none is likely. */
const char *bipe_sentence_language(const bipe_sentence_languages *languages, const uint8_t *text, size_t size);

/* The tailoring for a language that was found, or for NULL what the argument has without "auto", which may be nothing
 * (*tailoring: NULL). It lives until the close. */
int bipe_sentence_languages_tailoring(bipe_sentence_languages *languages, const char *name,
                                      const bipe_sentence_tailoring **tailoring, bipe_error *err);

/* NULL is allowed. */
void bipe_sentence_languages_close(bipe_sentence_languages *languages);

#endif
