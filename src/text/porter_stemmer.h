/* porter_stemmer.h - the stem of an English word, as the Natural Language Toolkit (nltk) finds it.
 *
 * Porter's algorithm ("An algorithm for suffix stripping", Program 14.3, 1980) with the extensions of nltk's default
 * mode, with which ROUGE is computed: `enjoy`, `they` and `money` keep their y; `tries`, `tried` and `try` share a
 * stem; some irregular words have listed stems. In English text one word in fifty differs from the original
 * algorithm. */
#ifndef BIPE_TEXT_PORTER_STEMMER_H
#define BIPE_TEXT_PORTER_STEMMER_H

#include <stddef.h>

/* Replaces word[0 .. size), of lower-case ASCII letters and digits, by its stem, which is never longer; returns its
 * length. */
size_t bipe_porter_stem(char *word, size_t size);

#endif
