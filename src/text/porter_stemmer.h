/* porter_stemmer.h - the stem of an English word, as the Natural Language Toolkit finds it.
 *
 * That is Porter's algorithm ("An algorithm for suffix stripping", Program 14.3, 1980) with the extensions that are nltk's default mode and
 * that ROUGE is computed with: `enjoy`, `they` and `money` keep their y, `tries`, `tried` and `try` share a stem, and some irregular words
 * have theirs from a list. One word in fifty of English text has another stem by the original algorithm. */
#ifndef BIPE_TEXT_PORTER_STEMMER_H
#define BIPE_TEXT_PORTER_STEMMER_H

#include <stddef.h>

/* Replaces word[0 .. size), of lower-case ASCII letters and digits, by its stem, which is never longer; returns its length. */
size_t bipe_porter_stem(char *word, size_t size);

#endif
