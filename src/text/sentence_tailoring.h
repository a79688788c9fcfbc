/* sentence_tailoring.h - what the segmenter `sentence` knows of a language beyond UAX #29: abbreviations, and words that begin
 * sentences. They come from files that users can write, too (segmenters/sentence/en.txt shows the form). */
#ifndef BIPE_TEXT_SENTENCE_TAILORING_H
#define BIPE_TEXT_SENTENCE_TAILORING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { BIPE_SENTENCE_WORD = 31 }; /* bytes of the longest word of a list */

typedef struct bipe_sentence_tailoring bipe_sentence_tailoring;

/* Reads what stands after "sentence:": one or more of these, separated by commas. LANG: LANG.txt in a folder of BIPE_SENTENCE_PATH
 * (separated by colons) or among the installed lists; FILE, a path with a slash or a dot in it; "wrapped", see below.
 * BIPE_ERR_ARGUMENT names what was found and expected; BIPE_ERR_IO, BIPE_ERR_FORMAT the file and the line. The caller closes. */
int bipe_sentence_tailoring_open(bipe_sentence_tailoring **tailoring, const char *argument, bipe_error *err);

/* Whether a single newline is a blank, so that an empty line ends a sentence. */
bool bipe_sentence_tailoring_wrapped(const bipe_sentence_tailoring *tailoring);

/* What a word means that stands before a full stop. */
typedef enum bipe_abbreviation {
    BIPE_NO_ABBREVIATION,
    BIPE_ABBREVIATION_NEVER,     /* ends no sentence */
    BIPE_ABBREVIATION_NUMBER,    /* ends none before a number */
    BIPE_ABBREVIATION_UNCERTAIN, /* ends one before a word that begins sentences */
    BIPE_ABBREVIATION_END        /* is none, even if it looks like an initial */
} bipe_abbreviation;

bipe_abbreviation bipe_sentence_tailoring_abbreviation(const bipe_sentence_tailoring *tailoring, const char *word, size_t size);

/* Whether a word begins sentences, and whether there are such words at all: without them nothing is known of initials. */
bool bipe_sentence_tailoring_has_starts(const bipe_sentence_tailoring *tailoring);
bool bipe_sentence_tailoring_starts(const bipe_sentence_tailoring *tailoring, const char *word, size_t size);

/* NULL is allowed. */
void bipe_sentence_tailoring_close(bipe_sentence_tailoring *tailoring);

#endif
