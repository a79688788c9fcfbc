/* hf_unicode.h - characters as Hugging Face's tokenizers library (0.22) sees them.
 *
 * The library takes its properties from several Rust crates, each with the Unicode of its own year: what counts as
 * punctuation is older than what counts as a digit. Ids must be the library's, so these functions give the answer of
 * Unicode 16.0 (properties) and utf8proc (2.8, Unicode 15.0: the rest), with exceptions where the library differs; they
 * were found by comparing every character. */
#ifndef BIPE_TOKEN_HF_UNICODE_H
#define BIPE_TOKEN_HF_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BIPE_HF_LOWER = 2,        /* most characters in a lower-case mapping */
    BIPE_HF_DECOMPOSED = 18   /* most characters in a decomposition */
};

/* All take any number. Codes that are not characters (BIPE_BAD_BYTE and above) have no properties. */
bool bipe_hf_is_space(uint32_t code);       /* White_Space */
bool bipe_hf_is_numeric(uint32_t code);     /* Nd, Nl, No */
bool bipe_hf_is_punctuation(uint32_t code); /* P* and all ASCII punctuation */
bool bipe_hf_is_word(uint32_t code);        /* \w of the regex crate */
bool bipe_hf_is_other(uint32_t code);       /* Cc, Cf, Co: BertNormalizer's control characters */
bool bipe_hf_is_mark(uint32_t code);        /* M*: removed by StripAccents */
bool bipe_hf_is_nonspacing(uint32_t code);  /* Mn: removed by BertNormalizer */
bool bipe_hf_is_cjk(uint32_t code);         /* surrounded with spaces by BertNormalizer */

/* Whether the character was added after Unicode 9.0: several of the library's tables lack it. */
bool bipe_hf_is_new(uint32_t code);

/* The lower case of a character without regard to its neighbours; how many characters it is (1 or 2). */
size_t bipe_hf_lower(uint32_t code, uint32_t lower[BIPE_HF_LOWER]);

/* Canonical combining class; 0: a starter. */
uint8_t bipe_hf_combining_class(uint32_t code);
/* The full canonical (or compatibility) decomposition, itself when there is none; how many characters. */
size_t bipe_hf_decompose(uint32_t code, bool compatibility, uint32_t parts[BIPE_HF_DECOMPOSED]);
/* The primary composite of two characters, or 0. */
uint32_t bipe_hf_compose(uint32_t first, uint32_t second);

#endif
