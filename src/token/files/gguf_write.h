/* gguf_write.h - vocabularies as keys of a GGUF file. Lists are filled up to `size` tokens with unused ones where these are fewer. */
#ifndef BIPE_TOKEN_GGUF_WRITE_H
#define BIPE_TOKEN_GGUF_WRITE_H

#include "token/pipeline/pipeline.h"

struct bipe_bpe;

/* The tokens of a pipeline with their types; those of a SentencePiece model with scores, too. */
int bipe_gguf_write_tokens(const bipe_pipeline *pipeline, size_t size, struct bipe_gguf_writer *writer, bipe_error *err);
int bipe_gguf_write_pieces(const struct bipe_bpe *bpe, size_t size, struct bipe_gguf_writer *writer, bipe_error *err);
/* Tokens of which none is special. */
int bipe_gguf_write_plain_tokens(const bipe_vocabulary *vocabulary, size_t size, struct bipe_gguf_writer *writer, bipe_error *err);
/* The keys of a vocabulary `llama` or `t5` (gguf_pieces.c), all but a tokenizer.json that is kept whole. */
int bipe_gguf_write_spm(const bipe_tokenizer *tokenizer, size_t size, struct bipe_gguf_writer *writer, bipe_error *err);
/* Merges in the order of their ranks. */
int bipe_gguf_write_merges(const bipe_vocabulary *vocabulary, const struct bipe_pair_table *merges, struct bipe_gguf_writer *writer,
                           bipe_error *err);

#endif
