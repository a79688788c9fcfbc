/* byte_front.h - what goes before the short way of byte-level pipelines (byte_stream.h), where text is changed a little: added tokens
 * that are found in the text as it is while others are found in the normalized text, or that take white space or stand for words of
 * their own; normalization form C; a space in front. Text that stays goes through as it is; places of tokens are told in the original
 * text. Where nothing of the kind is to be done, it is that stream. */
#ifndef BIPE_TOKEN_BYTE_FRONT_H
#define BIPE_TOKEN_BYTE_FRONT_H

#include "token/pipeline/byte_stream.h"

typedef struct bipe_byte_front bipe_byte_front;

/* As the functions of byte_stream.h. */
int bipe_byte_front_open(bipe_byte_front **front, const bipe_pipeline *pipeline, bipe_error *err);
void bipe_byte_front_begin(bipe_byte_front *front, uint64_t offset);
int bipe_byte_front_feed(bipe_byte_front *front, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err);
bool bipe_byte_front_owes(const bipe_byte_front *front); /* bipe_token_stream_owes() */
int bipe_byte_front_end(bipe_byte_front *front, bipe_tokens *tokens, bipe_error *err);
void bipe_byte_front_close(bipe_byte_front *front);
/* Between calls: forgets what words became. */
void bipe_byte_front_trim(bipe_byte_front *front);

#endif
