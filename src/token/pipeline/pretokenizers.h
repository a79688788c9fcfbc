/* pretokenizers.h - the pre-tokenizers in the table of pipeline_steps.c, and their common helpers. */
#ifndef BIPE_TOKEN_PRETOKENIZERS_H
#define BIPE_TOKEN_PRETOKENIZERS_H

#include "token/pipeline/step_text.h"

/* The treatment of a match that a text is split at. */
typedef enum bipe_split_behaviour {
    BIPE_SPLIT_REMOVED,
    BIPE_SPLIT_ISOLATED,
    BIPE_SPLIT_PREVIOUS,  /* goes to the piece before it, unless that is a match */
    BIPE_SPLIT_NEXT,      /* goes to the piece after it, unless that is a match */
    BIPE_SPLIT_CONTIGUOUS /* neighbouring matches are one piece */
} bipe_split_behaviour;

/* The member "behavior" of a step; *behaviour is unchanged if it is missing. */
int bipe_split_behaviour_read(const json_t *json, bipe_split_behaviour *behaviour, bipe_error *err);

typedef bool bipe_is_match(const void *context, uint32_t code);

/* Drops the characters that `space` matches, and isolates those that `alone` matches. */
int bipe_split_words(const bipe_mapped *text, const bipe_ranges *in, bipe_is_match *space, bipe_is_match *alone,
                     bipe_ranges *out, bipe_error *err);

extern const bipe_pretokenizer_type bipe_pre_whitespace, bipe_pre_whitespace_split, bipe_pre_bert;
extern const bipe_pretokenizer_type bipe_pre_punctuation, bipe_pre_digits, bipe_pre_delimiter;
extern const bipe_pretokenizer_type bipe_pre_fixed_length, bipe_pre_metaspace, bipe_pre_scripts, bipe_pre_split,
    bipe_pre_byte_level;
/* The parts of ByteLevel other than splitting: a prefix space; bytes become letters. */
extern const bipe_pretokenizer_type bipe_pre_prefix, bipe_pre_byte_letters;

#endif
