/* growing_text.h - a text to which tokens are added: its bytes, and the segment and intra index of each token.
 *
 * The segmenter sees the bytes of tokens as they are added, so a token that ends a segment moves the next one into a
 * new segment. The indices of tokens that are added together depend on the text up to the last of them, and do not
 * change afterwards. A segmenter that reads beyond a boundary before it decides (regex, sentence) may find one before
 * existing tokens; it then counts from the next token on. So does a coarser end at a token that ends a segment already.
 * The current end of the text is no boundary. Otherwise the
 * rules are those of stream.h. */
#ifndef BIPE_TASK_GROWING_TEXT_H
#define BIPE_TASK_GROWING_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/indices.h"
#include "token/tokenizer.h"

typedef struct bipe_growing_text bipe_growing_text;

/* The text so far. Pointers are valid until tokens are added. Empty arrays may be NULL. */
typedef struct bipe_growing_view {
    const uint32_t *ids;                   /* (count) */
    bipe_indices index;                    /* (count) each, of the segmenter's levels */
    const bipe_token *tokens;              /* (count) the same tokens with their bytes */
    size_t count;
    const uint8_t *bytes;                  /* (size) */
    size_t size;
} bipe_growing_view;

/* Opens an empty text. The tokenizer has a vocabulary and outlives it. BIPE_ERR_ARGUMENT: an invalid SPEC of the
 * segmenter. */
int bipe_growing_text_open(bipe_growing_text **text, const bipe_tokenizer *tokenizer, const char *segmenter,
                           bipe_error *err);
/* Becomes an empty text again. */
int bipe_growing_text_clear(bipe_growing_text *text, bipe_error *err);
/* Becomes the text of another, opened with the same tokenizer and segmenter, as if its tokens had been added at
 * once. */
int bipe_growing_text_copy(bipe_growing_text *text, const bipe_growing_text *from, bipe_error *err);

/* Adds a token without text that no segmenter sees: BOS. */
int bipe_growing_text_mark(bipe_growing_text *text, uint32_t id, bipe_error *err);
/* Adds tokens whose spans continue the text, and its next bytes, at least up to the last span. BIPE_ERR_LIMIT: the
 * segmenter gave up. */
int bipe_growing_text_append(bipe_growing_text *text, const bipe_token *tokens, size_t count, const uint8_t *bytes,
                             size_t size, bipe_error *err);
/* Tokenizes a separate text and adds its tokens. */
int bipe_growing_text_tokenize(bipe_growing_text *text, const uint8_t *bytes, size_t size, bipe_error *err);
/* Adds one token with its text. BIPE_ERR_ARGUMENT: the id is not in the vocabulary. */
int bipe_growing_text_add(bipe_growing_text *text, uint32_t id, bipe_error *err);

bipe_growing_view bipe_growing_text_view(const bipe_growing_text *text);
/* What the segmenter chose for the text, as bipe_boundaries says; NULL: nothing. Lives until the close. */
const char *bipe_growing_text_choice(const bipe_growing_text *text);
void bipe_growing_text_close(bipe_growing_text *text);

#endif
