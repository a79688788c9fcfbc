/* gguf_vocabulary.h - parts of the reader of tokenizers in GGUF files (gguf_vocabulary.c), each in a file of its own. */
#ifndef BIPE_TOKEN_GGUF_VOCABULARY_H
#define BIPE_TOKEN_GGUF_VOCABULARY_H

#include "format/gguf.h"
#include "token/pipeline/pipeline.h"

/* tokenizer.ggml.model `llama`, or `t5` with `unigram` (gguf_pieces.c). Sets everything but BOS and EOS. */
int bipe_gguf_pieces_read(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bool unigram, bipe_error *err);
/* tokenizer.ggml.model `bert`: the steps and the type of the model of an empty pipeline (gguf_bert.c). */
int bipe_pipeline_add_bert(bipe_pipeline *pipeline, bool lower, bool strip, bipe_error *err);

/* A key that may be missing: BIPE_OK then, and *value stays. */
int bipe_gguf_optional_bool(const bipe_gguf *gguf, const char *key, bool *value, bipe_error *err);
/* An id of a vocabulary of that size. BIPE_END: there is no such key, and *id stays; BIPE_ERR_FORMAT: it is no number, or too large. */
int bipe_gguf_get_id(const bipe_gguf *gguf, const char *key, size_t size, int64_t *id, bipe_error *err);

#endif
