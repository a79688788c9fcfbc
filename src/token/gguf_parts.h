/* gguf_parts.h - readers of the vocabularies in GGUF files that are pipelines, each in a file of its own. */
#ifndef BIPE_TOKEN_GGUF_PARTS_H
#define BIPE_TOKEN_GGUF_PARTS_H

#include "token/pipeline.h"

/* tokenizer.ggml.model `gpt2` (gguf_byte_level.c). Sets everything but BOS and EOS. */
int bipe_gguf_byte_level_read(bipe_tokenizer *tokenizer, const struct bipe_gguf *gguf, bipe_error *err);
/* tokenizer.ggml.model `bert` (gguf_bert.c). Sets everything but BOS and EOS. */
int bipe_gguf_bert_read(bipe_tokenizer *tokenizer, const struct bipe_gguf *gguf, bipe_error *err);
/* Whether texts of a pipeline from a GGUF file begin with BOS where the file does not say: of `gpt2` some, of others all. */
bool bipe_gguf_byte_level_adds_bos(const bipe_tokenizer *tokenizer);

#endif
