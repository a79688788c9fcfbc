/* gguf_vocabulary.h - parts of the reader of tokenizers in GGUF files (gguf_vocabulary.c), each in a file of its own;
 * and their keys, written. */
#ifndef BIPE_TOKEN_GGUF_VOCABULARY_H
#define BIPE_TOKEN_GGUF_VOCABULARY_H

#include "format/gguf.h"
#include "token/pipeline/pipeline.h"
#include "token/spm/bpe.h"

/* tokenizer.ggml.model `llama`, or `t5` with `unigram` (gguf_pieces.c). Sets everything but BOS and EOS. */
int bipe_gguf_pieces_read(bipe_tokenizer *tokenizer, const bipe_gguf *gguf, bool unigram, bipe_error *err);
/* tokenizer.ggml.model `bert`: the steps and the type of the model of an empty pipeline (gguf_bert.c). */
int bipe_pipeline_add_bert(bipe_pipeline *pipeline, bool lower, bool strip, bipe_error *err);

/* A key that may be missing: BIPE_OK then, and *value stays. */
int bipe_gguf_optional_bool(const bipe_gguf *gguf, const char *key, bool *value, bipe_error *err);

/* An id of a vocabulary of that size. BIPE_END: there is no such key, and *id stays; BIPE_ERR_FORMAT: it is no number,
 * or too large. */
int bipe_gguf_read_id(const bipe_gguf *gguf, const char *key, size_t size, int64_t *id, bipe_error *err);

/* ---- writing (gguf_write.c); lists are filled up to `size` tokens with unused ones where these are fewer ---- */

/* The tokens of a pipeline with their types; those of a SentencePiece model with scores, too. */
int bipe_gguf_write_tokens(const bipe_pipeline *pipeline, size_t size, struct bipe_gguf_writer *writer,
                           bipe_error *err);
int bipe_gguf_write_pieces(const bipe_bpe *bpe, size_t size, struct bipe_gguf_writer *writer, bipe_error *err);
/* Tokens of which none is special. */
int bipe_gguf_write_plain_tokens(const bipe_vocabulary *vocabulary, size_t size, struct bipe_gguf_writer *writer,
                                 bipe_error *err);
/* The keys of a vocabulary `llama` or `t5` (gguf_pieces.c), all but a tokenizer.json that is kept whole. */
int bipe_gguf_write_spm(const bipe_tokenizer *tokenizer, size_t size, struct bipe_gguf_writer *writer, bipe_error *err);
/* Merges in the order of their ranks. */
int bipe_gguf_write_merges(const bipe_vocabulary *vocabulary, const struct bipe_pair_table *merges,
                           struct bipe_gguf_writer *writer, bipe_error *err);

#endif
