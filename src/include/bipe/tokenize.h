/* tokenize.h - text to token ids with byte spans: one interface for every kind.
 *
 * A tokenizer is a vocabulary and a way of using it; once opened it does not change and threads
 * share it. A token stream is the state of one document being tokenized.
 * Ids are those of the original implementation, without special tokens (BOS and the like are the
 * caller's affair). Spans refer to the bytes given, do not overlap and do not decrease; every byte of the document
 * lies in a span unless the normalizer removes it. */
#ifndef BIPE_TOKENIZE_H
#define BIPE_TOKENIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bipe/error.h>
#include <bipe/segmenter.h> /* bipe_token */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_tokenizer bipe_tokenizer;
typedef struct bipe_token_stream bipe_token_stream;

/* A growing list. Zero-initialise; the caller empties it by count = 0 or moves the rest to the front. */
typedef struct bipe_tokens {
    bipe_token *token;
    size_t count, capacity;
} bipe_tokens;

enum { BIPE_NO_TOKEN = -1 };

/* The form of an input of token ids: little-endian, or decimal text. */
typedef enum bipe_ids_kind { BIPE_IDS_NONE, BIPE_IDS_U16, BIPE_IDS_U32, BIPE_IDS_TEXT } bipe_ids_kind;

/* spec: "byte", "char", "word", "words", "default" or another name of an installed model, or a path: SentencePiece
 * model, tokenizer.json, tiktoken or GGUF file, or a folder that holds tokenizer.json or tokenizer.model (a folder with
 * both: tokenizer.json, which is what the published library reads). The format of a file is detected from its content.
 * special: text that spells a special token becomes that token (leftmost, then longest match); the text between special
 * tokens is tokenized separately, each part with the tokenizer's prefix. The caller closes the tokenizer; NULL may be
 * closed. */
int bipe_tokenizer_open(bipe_tokenizer **tokenizer, const char *spec, bool special, bipe_error *err);
void bipe_tokenizer_close(bipe_tokenizer *tokenizer);

/* Ids are below this; 0 when there is no vocabulary (`word`, `words`). */
size_t bipe_tokenizer_size(const bipe_tokenizer *tokenizer);
/* The id of the token that documents start with, or BIPE_NO_TOKEN. */
int64_t bipe_tokenizer_bos(const bipe_tokenizer *tokenizer);
/* The bytes of the token `id` inside a text (▁ is a space, <0x41> is A, control tokens are empty);
 * `first`: at the start of a document, where a dummy prefix is not part of the text.
 * BIPE_ERR_ARGUMENT when id is not in the vocabulary or there is none. The bytes are the tokenizer's; `buffer`
 * (4 bytes, the caller's) may be used for them. */
int bipe_tokenizer_decode(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4],
                          const uint8_t **bytes, size_t *size, bipe_error *err);

/* The tokenizer must outlive the stream, which the caller closes and which one thread uses at a time. */
int bipe_token_stream_open(bipe_token_stream **stream, const bipe_tokenizer *tokenizer, bipe_error *err);
/* A document begins at offset 0. */
int bipe_token_stream_begin(bipe_token_stream *stream, bipe_error *err);
/* Takes the next bytes, cut anywhere, and appends the tokens that are decided to *tokens.
 * BIPE_ERR_LIMIT: there is no place to cut the text in 2 MiB; the document is over. */
int bipe_token_stream_feed(bipe_token_stream *stream, const uint8_t *bytes, size_t size, bipe_tokens *tokens,
                           bipe_error *err);
/* The document is over: appends the rest. */
int bipe_token_stream_end(bipe_token_stream *stream, bipe_tokens *tokens, bipe_error *err);
void bipe_token_stream_close(bipe_token_stream *stream);

/* All tokens of a text at once, without a stream. token: (capacity); NULL where capacity is 0. *count: how many tokens
 * the text has, of which the first `capacity` are in token[]. Several threads may call it with one tokenizer. Fails as
 * bipe_token_stream_feed(). */
int bipe_tokenize_text(const bipe_tokenizer *tokenizer, const char *text, size_t size, bipe_token *token,
                       size_t capacity, size_t *count, bipe_error *err);

/* Frees the array and empties the list, which itself belongs to the caller. */
void bipe_tokens_free(bipe_tokens *tokens);

#ifdef __cplusplus
}
#endif
#endif
