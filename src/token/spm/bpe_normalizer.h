/* bpe_normalizer.h - the normalizer of the Llama family: replaces single characters and puts a prefix in front.
 *
 * A chain of Hugging Face's Prepend and Replace steps, each of one character, becomes one such normalizer. SentencePiece's
 * further rules are in spm_text.h. */
#ifndef BIPE_TOKEN_BPE_NORMALIZER_H
#define BIPE_TOKEN_BPE_NORMALIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

enum { BIPE_NORMALIZER_RULES = 16, BIPE_NORMALIZER_TEXT = 1024 };

/* Code points. */
typedef struct bipe_codes {
    uint32_t *code;
    size_t count, capacity;
} bipe_codes;

typedef struct bipe_normalizer {
    bipe_codes prefix; /* put in front of every text that is not empty; has no bytes of the document */
    bool lone;         /* but not where the text, with the rules applied, begins with it: it is one character then; */
    bool first;        /* and only of the text that a document begins with */
    struct {
        uint32_t from;
        bipe_codes to;
    } rule[BIPE_NORMALIZER_RULES];
    size_t rules;
} bipe_normalizer;

/* Adds a step: text (UTF-8) in front of what is there; or each `from` becomes text. BIPE_ERR_UNSUPPORTED when it
 * becomes too large. */
int bipe_normalizer_prepend(bipe_normalizer *normalizer, const char *text, size_t size, bipe_error *err);
int bipe_normalizer_replace(bipe_normalizer *normalizer, uint32_t from, const char *text, size_t size, bipe_error *err);

/* Whether the prefix goes in front of a text that begins with this character. */
bool bipe_normalizer_begins(const bipe_normalizer *normalizer, uint32_t code);

/* The replacement of a character, or NULL when it stays. */
const bipe_codes *bipe_normalizer_find(const bipe_normalizer *normalizer, uint32_t code);

/* Whether a normalized text may contain the character. */
bool bipe_normalizer_leaves(const bipe_normalizer *normalizer, uint32_t code);

/* Appends the string of an added token, normalized. */
int bipe_normalizer_apply(const bipe_normalizer *normalizer, const uint8_t *text, size_t size, bipe_buffer *to,
                          bipe_error *err);
/* Appends the text of a token with the replacements undone. */
int bipe_normalizer_undo(const bipe_normalizer *normalizer, const uint8_t *text, size_t size, bipe_buffer *to,
                         bipe_error *err);
void bipe_normalizer_free(bipe_normalizer *normalizer);

#endif
