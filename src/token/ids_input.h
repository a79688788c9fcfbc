/* ids_input.h - an input of token ids, and their text. One input is one document. */
#ifndef BIPE_TOKEN_IDS_INPUT_H
#define BIPE_TOKEN_IDS_INPUT_H

#include <bipe/tokenize.h>

#include "base/buffer.h"
#include "base/input.h"

typedef struct bipe_ids_input bipe_ids_input;

/* kind is not BIPE_IDS_NONE; the tokenizer has a vocabulary and outlives the input. */
int bipe_ids_input_open(bipe_ids_input **ids, const char *path, bipe_ids_kind kind, const bipe_tokenizer *tokenizer,
                        bipe_error *err);

/* Appends the next ids to *tokens, with cumulative spans, and their text to *text: at most about 1 MiB of text and one
 * buffer of ids at a time. BIPE_END at the end; BIPE_ERR_FORMAT, with the byte offset: a truncated id, not a number, or
 * an id that is not in the vocabulary. Error texts start with the input's name. */
int bipe_ids_input_read(bipe_ids_input *ids, bipe_tokens *tokens, bipe_buffer *text, bipe_error *err);

const bipe_input *bipe_ids_input_source(const bipe_ids_input *ids);
/* NULL is allowed. */
void bipe_ids_input_close(bipe_ids_input *ids);

#endif
