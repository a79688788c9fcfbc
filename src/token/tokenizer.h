/* tokenizer.h - <bipe/tokenize.h>, and internal functions of tokenizers. */
#ifndef BIPE_TOKEN_TOKENIZER_H
#define BIPE_TOKEN_TOKENIZER_H

#include <bipe/tokenize.h>

#include "base/status.h"

/* Whether a SPEC names a kind that needs no file: "byte" and the like. */
bool bipe_tokenizer_is_kind(const char *spec);
/* Whether a SPEC names a kind or an installed model, rather than a file or folder. */
bool bipe_tokenizer_is_name(const char *spec);
/* One described by a tokenizer.json in memory. The caller closes it. */
int bipe_tokenizer_open_json(bipe_tokenizer **tokenizer, const uint8_t *bytes, size_t size, bipe_error *err);
/* The spec it was opened with, a name resolved to a path. */
const char *bipe_tokenizer_spec(const bipe_tokenizer *tokenizer);
/* The id, or BIPE_NO_TOKEN. */
int64_t bipe_tokenizer_eos(const bipe_tokenizer *tokenizer);
/* The tokens that end a text, (*count): EOS, and what the files beside the tokenizer state. */
const uint32_t *bipe_tokenizer_ends(const bipe_tokenizer *tokenizer, size_t *count);
bool bipe_tokenizer_is_end(const bipe_tokenizer *tokenizer, uint32_t id);
/* Whether a file states an end token that the vocabulary does not have: the file's name, and the id; or NULL. */
const char *bipe_tokenizer_stray_end(const bipe_tokenizer *tokenizer, int64_t *id);
/* The string of a token in its vocabulary, such as "<|eot_id|>"; NULL: it has none. */
const uint8_t *bipe_tokenizer_string(const bipe_tokenizer *tokenizer, uint32_t id, size_t *size);
/* *id: the unknown token, or BIPE_NO_TOKEN. It is the last token of each of two rare letters, if that is the same one:
 * this finds it in tokenizers of any kind, whatever its name, and vocabularies of bytes end these letters with
 * different ones. */
int bipe_tokenizer_unknown(const bipe_tokenizer *tokenizer, int64_t *id, bipe_error *err);
/* How many special tokens documents start with: bipe_tokenizer_bos() reports one alone. */
size_t bipe_tokenizer_leading(const bipe_tokenizer *tokenizer);
/* Whether a model with this vocabulary knows its ids: BIPE_ERR_ARGUMENT where it has none, or more of them. */
int bipe_tokenizer_suits(const bipe_tokenizer *tokenizer, size_t vocabulary, bipe_error *err);
/* The last known position in a text such that bytes before it, as the end of a text, and those from it on, begun with
 * bipe_token_stream_begin_at(), give the tokens of the whole. 0: none. bytes: (size) from anywhere in a document. */
size_t bipe_tokenizer_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size);
/* Whether the parts of a document must then go through one stream, in order; otherwise any stream gives the tokens of
 * any part. */
bool bipe_tokenizer_in_order(const bipe_tokenizer *tokenizer);
/* Instead of bipe_token_stream_begin(): the document continues at such a position, which is at `offset` > 0. */
int bipe_token_stream_begin_at(bipe_token_stream *stream, uint64_t offset, bipe_error *err);
/* Writes the tokenizer under the keys tokenizer.* of a GGUF file being made, such that
 * bipe_tokenizer_open() of that file gives the same ids. */
struct bipe_gguf_writer;
int bipe_tokenizer_write_gguf(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer, bipe_error *err);
/* The same for other programs: under the keys that llama.cpp knows, `vocabulary` tokens, of which those that the
 * tokenizer does not have are named [PADn] (tokenizer_llama.c); or as files in a folder, as transformers reads them
 * (tokenizer_folder.c). BIPE_ERR_UNSUPPORTED says which part of the tokenizer these cannot have. */
int bipe_tokenizer_write_llama(const bipe_tokenizer *tokenizer, size_t vocabulary, struct bipe_gguf_writer *writer,
                               bipe_error *err);
int bipe_tokenizer_write_files(const bipe_tokenizer *tokenizer, const char *folder, bipe_error *err);
/* The names of the files that it may write, ended by NULL. */
extern const char *const bipe_tokenizer_file_names[];

/* ---- SentencePiece models, which bipe_tokenizer_open() and SentencePiece itself read alike (sentencepiece_write.c)
 * ---- */

struct bipe_output;
struct bipe_vocabulary;
/* The pieces that every written model starts with: <unk>, <s>, </s> and the 256 bytes. */
enum { BIPE_SENTENCEPIECE_FIRST = 3 + 256 };

/* Writes a model of type BPE with the settings of Llama 2's: byte fallback, a space in front of each text, no other
 * normalization. pieces: what follows the first ones (UTF-8, U+2581 for a space); score: of each, the greatest is
 * merged first. */
int bipe_sentencepiece_write(struct bipe_output *output, const struct bipe_vocabulary *pieces, const float *score,
                             bipe_error *err);

/* Writes a tokenizer that was read from such a model or from a GGUF file. BIPE_ERR_UNSUPPORTED: it is of a type that is
 * not written. */
int bipe_sentencepiece_write_tokenizer(struct bipe_output *output, const bipe_tokenizer *tokenizer, bipe_error *err);

#endif
