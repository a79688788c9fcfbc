/* gguf_parts.h - readers of the vocabularies in GGUF files that are pipelines, each in a file of its own, and what they share with
 * gguf_vocabulary.c. */
#ifndef BIPE_TOKEN_GGUF_PARTS_H
#define BIPE_TOKEN_GGUF_PARTS_H

#include "token/merges/merge_list.h"
#include "token/pipeline/pipeline.h"

struct bipe_bpe;

/* tokenizer.ggml.model `gpt2` (gguf_byte_level.c). Sets everything but BOS and EOS. */
int bipe_gguf_byte_level_read(bipe_tokenizer *tokenizer, const struct bipe_gguf *gguf, bipe_error *err);
/* tokenizer.ggml.model `bert` (gguf_bert.c). Sets everything but BOS and EOS. */
int bipe_gguf_bert_read(bipe_tokenizer *tokenizer, const struct bipe_gguf *gguf, bipe_error *err);
/* Vocabularies that merge characters (gguf_characters.c): whether tokenizer.ggml.pre names one. */
bool bipe_gguf_characters_know(const char *name, size_t size);
/* Reads one of that name. apart: tokenizer.ggml.model is `whitespace`. Sets everything but BOS and EOS. */
int bipe_gguf_characters_read(bipe_tokenizer *tokenizer, const struct bipe_gguf *gguf, const char *name, size_t size, bool apart,
                              bipe_error *err);
/* 1: texts begin with BOS whatever the file says; 0: only if it says so; -1: the tokenizer is no such vocabulary. */
int bipe_gguf_characters_bos(const bipe_tokenizer *tokenizer);
/* bipe_merge_at (merge_list.h) of a bipe_gguf: "LEFT RIGHT". Tokens have no spaces; a space at the front is a part of the left one. */
bool bipe_gguf_merge_at(const void *gguf, size_t i, bipe_named_merge *merge);
/* Whether texts of a pipeline from a GGUF file begin with BOS where the file does not say: of `gpt2` some, of others all. */
bool bipe_gguf_byte_level_adds_bos(const bipe_tokenizer *tokenizer);

/* ---- shared (gguf_parts.c) ---- */

/* A key that may be missing: BIPE_OK then, and *value stays. */
int bipe_gguf_optional_bool(const struct bipe_gguf *gguf, const char *key, bool *value, bipe_error *err);
/* An id of a vocabulary of that size. BIPE_END: there is no such key, and *id stays; BIPE_ERR_FORMAT: it is no number, or too large. */
int bipe_gguf_get_id(const struct bipe_gguf *gguf, const char *key, size_t size, int64_t *id, bipe_error *err);

/* The tokens of a pipeline with their types; those of a model of SentencePiece's with scores, too. Filled up to `size` tokens with unused ones
 * where these are fewer. */
int bipe_gguf_write_tokens(const bipe_pipeline *pipeline, size_t size, struct bipe_gguf_writer *writer, bipe_error *err);
int bipe_gguf_write_pieces(const struct bipe_bpe *bpe, size_t size, struct bipe_gguf_writer *writer, bipe_error *err);
/* Tokens of which none is special. */
int bipe_gguf_write_plain_tokens(const bipe_vocabulary *vocabulary, size_t size, struct bipe_gguf_writer *writer, bipe_error *err);
/* The keys of a vocabulary `llama` or `t5` (gguf_vocabulary.c), all but a tokenizer.json that is kept whole. */
int bipe_gguf_write_spm(const bipe_tokenizer *tokenizer, size_t size, struct bipe_gguf_writer *writer, bipe_error *err);
/* Merges in the order of their ranks. */
int bipe_gguf_write_merges(const bipe_vocabulary *vocabulary, const struct bipe_pair_table *merges, struct bipe_gguf_writer *writer,
                           bipe_error *err);

#endif
