/* sentence_tailoring.h - tailors the segmenter `sentence` to a language: abbreviations, and words that begin sentences,
 * from files that users can write as well (segmenters/sentence/en.txt shows the format). */
#ifndef BIPE_TEXT_SENTENCE_TAILORING_H
#define BIPE_TEXT_SENTENCE_TAILORING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/name_list.h"
#include "base/status.h"

enum {
    BIPE_SENTENCE_WORD = 31, /* bytes of the longest word of a list */
    BIPE_SENTENCE_MARK = 8   /* bytes of the longest mark of a list */
};

typedef struct bipe_sentence_tailoring bipe_sentence_tailoring;

/* Reads the argument after "sentence:", one or more of these, separated by commas: LANG, for LANG.txt in a folder of
 * BIPE_SENTENCE_PATH (colon-separated) or among the installed lists; FILE, a path with a slash or a dot in it;
 * "wrapped", see below. BIPE_ERR_ARGUMENT reports what was found and expected; BIPE_ERR_IO and BIPE_ERR_FORMAT name
 * file and line. A list is refused, too, if it has a word twice, or one that no text can match. The caller closes. */
int bipe_sentence_tailoring_open(bipe_sentence_tailoring **tailoring, const char *argument, bipe_error *err);

/* The languages that have a list there, sorted. BIPE_ERR_MEMORY. */
int bipe_sentence_tailoring_languages(bipe_name_list *names, bipe_error *err);

/* Passes on the common words of the language: those that begin sentences, with a capital, and those that the lists name
 * for this alone. */
int bipe_sentence_tailoring_words(const bipe_sentence_tailoring *tailoring,
                                  int (*take)(void *context, const char *word, bipe_error *err), void *context,
                                  bipe_error *err);

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

/* Whether an abbreviation begins with this word, not empty, and its full stop. */
bool bipe_sentence_tailoring_goes_on(const bipe_sentence_tailoring *tailoring, const char *word, size_t size);

/* Whether a word begins sentences, and whether any such words are listed: without them initials cannot be judged. */
bool bipe_sentence_tailoring_has_starts(const bipe_sentence_tailoring *tailoring);
bool bipe_sentence_tailoring_starts(const bipe_sentence_tailoring *tailoring, const char *word, size_t size);

/* Marks: strings that do not begin with a letter or a digit. */
typedef enum bipe_sentence_mark {
    BIPE_MARK_NONE,
    BIPE_MARK_STOP = 1, /* ends a sentence as a full stop does */
    BIPE_MARK_OPEN = 2, /* after a stop it begins the next sentence */
    BIPE_MARK_CLOSE = 4 /* after a stop it belongs to the sentence before, even where a blank stands between them */
} bipe_sentence_mark;

/* The longest mark of these kinds (a bit each) that the text begins with; *size becomes its length. *open: more text
 * may change that. */
bipe_sentence_mark bipe_sentence_tailoring_mark(const bipe_sentence_tailoring *tailoring, unsigned kinds,
                                                const uint8_t *text, size_t *size, bool *open);

/* The kinds of marks that begin with a byte, a bit each. */
unsigned bipe_sentence_tailoring_marks(const bipe_sentence_tailoring *tailoring, uint8_t first);
/* The bytes that are the second ones of marks of these kinds; all, if there is one of a single byte. */
void bipe_sentence_tailoring_seconds(const bipe_sentence_tailoring *tailoring, unsigned kinds, bool second[256]);

/* What the lists name by an example, where none is a word of a text. */
typedef struct bipe_sentence_samples {
    bool small;                        /* [open] a: small letters begin sentences */
    bool digits;                       /* [open] 1: digits begin sentences */
    bool bracketed;                    /* [close] [1]: numbers in square brackets close sentences after a blank */
    bipe_abbreviation number, numeral; /* of numbers such as 1. and of Roman numerals such as II. */
} bipe_sentence_samples;

const bipe_sentence_samples *bipe_sentence_tailoring_samples(const bipe_sentence_tailoring *tailoring);

/* NULL is allowed. */
void bipe_sentence_tailoring_close(bipe_sentence_tailoring *tailoring);

#endif
