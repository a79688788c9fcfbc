/* normalizers.h - the normalizers in the table of pipeline_steps.c, and their common helpers. */
#ifndef BIPE_TOKEN_NORMALIZERS_H
#define BIPE_TOKEN_NORMALIZERS_H

#include "token/pipeline/step_text.h"

extern const bipe_normalizer_type bipe_norm_nfc, bipe_norm_nfd, bipe_norm_nfkc, bipe_norm_nfkd;
extern const bipe_normalizer_type bipe_norm_lowercase, bipe_norm_strip_accents, bipe_norm_nmt, bipe_norm_byte_level;
extern const bipe_normalizer_type bipe_norm_bert, bipe_norm_strip, bipe_norm_prepend, bipe_norm_replace,
    bipe_norm_precompiled;

/* Appends a normalization form of a whole text to *out. */
int bipe_normalize_form(const bipe_mapped *in, bipe_mapped *out, bool compatibility, bool composed, bipe_error *err);

/* bipe_normalizer_type.open of steps without options. */
int bipe_open_bare(void **config, const json_t *json, bipe_error *err);

enum { BIPE_NORMALIZED_CHARACTERS = 6 };

/* Maps one character; returns the number of characters in to[] (0: it is removed). */
typedef size_t bipe_normalize_character(const void *config, uint32_t code, uint32_t to[BIPE_NORMALIZED_CHARACTERS]);
/* Appends to *out the mapped characters of *in, one by one; broken bytes stay. */
int bipe_normalize_each(const bipe_mapped *in, bipe_mapped *out, bipe_normalize_character *character,
                        const void *config, bipe_error *err);
/* bipe_normalizer_type.pairs for such a step. */
void bipe_pairs_of_characters(bipe_pairs *pairs, bipe_normalize_character *character, const void *config);

/* For bipe_pairs_become(): ASCII stays, nothing is known of other characters. */
uint32_t bipe_only_ascii(const void *context, uint32_t code);

/* Whether a step is a Replace that may replace several characters at once; *white: they are white space. */
bool bipe_replaces_several(const bipe_normalizer_step *normalizer, bool *white);

/* Whether one of the steps puts a space in front of a text, or what they make of one. */
bool bipe_prepends_space(const bipe_normalizer_step *step, size_t steps);

#endif
