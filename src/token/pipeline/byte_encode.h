/* byte_encode.h - the fast path of a pipeline that only splits text and merges bytes: no copies, no offset maps. Text
 * is split by pretoken_starts.h where a known pattern allows it, else by the steps themselves; pre-tokens are looked up
 * many at a time. The general path (pipeline_encode.c) is its plain twin. */
#ifndef BIPE_TOKEN_BYTE_ENCODE_H
#define BIPE_TOKEN_BYTE_ENCODE_H

#include "token/pipeline/pipeline.h"

/* Called for a complete pipeline: sets `quick` if this path gives the same tokens, and the rule if there is one. */
void bipe_byte_encoder_choose(bipe_pipeline *pipeline);
/* Whether texts get a space as a prefix. */
bool bipe_byte_encoder_prefixes(const bipe_pipeline *pipeline);

typedef struct bipe_byte_encoder bipe_byte_encoder;

int bipe_byte_encoder_open(bipe_byte_encoder **encoder, const bipe_pipeline *pipeline, bipe_error *err);
void bipe_byte_encoder_close(bipe_byte_encoder *encoder);

/* Appends the tokens of a text without need of normalization or prefix, between safe positions or ends of the document.
 * base: its offset in the document. BIPE_BLOCK_PAD bytes after it may be read. An error names the offset. */
int bipe_byte_encode(bipe_byte_encoder *encoder, const uint8_t *text, size_t size, uint64_t base, bipe_tokens *tokens,
                     bipe_error *err);

/* The same for units of a text, where there is no rule: splits all of them at once, then appends the tokens of each, in
 * their order. */
int bipe_byte_split_units(bipe_byte_encoder *encoder, const uint8_t *text, uint64_t base, const bipe_new_word *unit,
                          size_t count, bipe_error *err);
int bipe_byte_encode_unit(bipe_byte_encoder *encoder, const bipe_new_word *unit, bipe_tokens *tokens, bipe_error *err);

#endif
