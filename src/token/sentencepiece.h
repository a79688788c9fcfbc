/* sentencepiece.h - writes a SentencePiece .model that bipe_tokenizer_open() and SentencePiece itself read alike. */
#ifndef BIPE_TOKEN_SENTENCEPIECE_H
#define BIPE_TOKEN_SENTENCEPIECE_H

#include "base/output.h"
#include "token/vocabulary.h"

struct bipe_tokenizer;

/* The pieces that every written model starts with: <unk>, <s>, </s> and the 256 bytes. */
enum { BIPE_SENTENCEPIECE_FIRST = 3 + 256 };

/* Writes a model of type BPE with the settings of Llama 2's: byte fallback, a space in front of each text, no other normalization.
 * pieces: what follows the first ones (UTF-8, U+2581 for a space); score: of each, the greatest is merged first. */
int bipe_sentencepiece_write(bipe_output *output, const bipe_vocabulary *pieces, const float *score, bipe_error *err);

/* Writes a tokenizer that was read from such a model or from a GGUF file. BIPE_ERR_UNSUPPORTED: it is of a type that is not written. */
int bipe_sentencepiece_write_tokenizer(bipe_output *output, const struct bipe_tokenizer *tokenizer, bipe_error *err);

#endif
