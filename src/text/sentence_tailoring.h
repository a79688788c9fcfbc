/* sentence_tailoring.h - tailors the segmenter `sentence` to a language: abbreviations, and words that begin sentences,
 * from files that users can write as well (segmenters/sentence/en.txt shows the format). */
#ifndef BIPE_TEXT_SENTENCE_TAILORING_H
#define BIPE_TEXT_SENTENCE_TAILORING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { BIPE_SENTENCE_WORD = 31 }; /* bytes of the longest word of a list */

typedef struct bipe_sentence_tailoring bipe_sentence_tailoring;

/* Reads the argument after "sentence:", one or more of these, separated by commas: LANG, for LANG.txt in a folder of
 * BIPE_SENTENCE_PATH (colon-separated) or among the installed lists; FILE, a path with a slash or a dot in it;
 * "wrapped", see below. BIPE_ERR_ARGUMENT reports what was found and expected; BIPE_ERR_IO and BIPE_ERR_FORMAT name
 * file and line. A list is refused, too, if it has a word twice, or one that no text can match. The caller closes. */
int bipe_sentence_tailoring_open(bipe_sentence_tailoring **tailoring, const char *argument, bipe_error *err);

/* How many words of earlier lists a later one has in another section, so that they count for nothing; *first: describes
 * one of them. */
size_t bipe_sentence_tailoring_overrides(const bipe_sentence_tailoring *tailoring, const char **first);

/* Whether lines are wrapped: a single newline is a blank, and an empty line ends a sentence. */
bool bipe_sentence_tailoring_wrapped(const bipe_sentence_tailoring *tailoring);

/* The meaning of a word before a full stop. */
typedef enum bipe_abbreviation {
    BIPE_NO_ABBREVIATION,
    BIPE_ABBREVIATION_NEVER,     /* ends no sentence */
    BIPE_ABBREVIATION_NUMBER,    /* ends none before a number */
    BIPE_ABBREVIATION_UNCERTAIN, /* ends one before a word that begins sentences */
    BIPE_ABBREVIATION_END        /* no abbreviation, even if it looks like an initial */
} bipe_abbreviation;

bipe_abbreviation bipe_sentence_tailoring_abbreviation(const bipe_sentence_tailoring *tailoring, const char *word,
                                                       size_t size);

/* Whether a word begins sentences, and whether any such words are listed: without them initials cannot be judged. */
bool bipe_sentence_tailoring_has_starts(const bipe_sentence_tailoring *tailoring);
bool bipe_sentence_tailoring_starts(const bipe_sentence_tailoring *tailoring, const char *word, size_t size);

/* NULL is allowed. */
void bipe_sentence_tailoring_close(bipe_sentence_tailoring *tailoring);

#endif
