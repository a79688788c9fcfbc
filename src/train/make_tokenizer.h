/* make_tokenizer.h - trains a tokenizer on texts: byte-pair encoding, in a file that SentencePiece reads as well; or a
 * list of words.
 *
 * It works as Llama 2's does. A piece is letters, or other characters but digits, with at most one space before them;
 * or a run of spaces. Each digit is a token. Control characters, newlines among them, and characters without a piece
 * become bytes. The result depends on the texts and the options alone. (Kudo and Richardson 2018; word_counts.h and
 * piece_merges.h have the rules.) */
#ifndef BIPE_TRAIN_MAKE_TOKENIZER_H
#define BIPE_TRAIN_MAKE_TOKENIZER_H

#include "base/output.h"
#include "text/document.h"

typedef struct bipe_tokenizer_maker bipe_tokenizer_maker;

/* 0: the default. */
typedef struct bipe_tokenizer_options {
    size_t pieces;     /* of all kinds: <unk>, <s>, </s>, 256 bytes, merges, characters; 260 to 8388608; 0: as many as
                          there are without merges */
    size_t words;      /* not 0: instead of all this, the most frequent words in a tokenizer.json (word_list.h) */
    double coverage;   /* the most frequent characters that make up this share of the text get pieces, and so does the
                          space: 0.99995 */
    size_t max_length; /* characters of a piece: 16; at most 64 */
    size_t limit; /* characters of distinct words that are kept; beyond it the rarest words are dropped: 8388608, which
                     takes at most about 450 MB of memory (100 MB of English and code take 100 MB) */
} bipe_tokenizer_options;

typedef struct bipe_tokenizer_facts {
    size_t merges, characters; /* pieces of each kind */
    size_t words;              /* distinct words that it was learned from */
    uint64_t dropped;          /* words dropped to keep the limit */
} bipe_tokenizer_facts;

/* BIPE_ERR_ARGUMENT: an option is out of bounds. The caller closes. */
int bipe_tokenizer_maker_open(bipe_tokenizer_maker **maker, const bipe_tokenizer_options *options, bipe_error *err);
/* Takes a document: begin, feed (cut anywhere), end. */
int bipe_tokenizer_maker_begin(bipe_tokenizer_maker *maker, bipe_error *err);
int bipe_tokenizer_maker_feed(bipe_tokenizer_maker *maker, const uint8_t *bytes, size_t size, bipe_error *err);
int bipe_tokenizer_maker_end(bipe_tokenizer_maker *maker, bipe_error *err);
/* Takes the whole of the present document. After an error of bipe_documents_read(), what was read before it stays
 * counted. */
int bipe_tokenizer_maker_read(bipe_tokenizer_maker *maker, bipe_documents *documents, bipe_error *err);
/* Learns the pieces and writes the model; the caller commits the output. facts may be NULL. BIPE_ERR_FORMAT: there was
 * no text. BIPE_ERR_ARGUMENT: options.pieces is less than the alphabet needs or more than the texts yield; the error
 * says how many there can be. */
int bipe_tokenizer_maker_write(bipe_tokenizer_maker *maker, bipe_output *output, bipe_tokenizer_facts *facts,
                               bipe_error *err);
void bipe_tokenizer_maker_close(bipe_tokenizer_maker *maker);

#endif
