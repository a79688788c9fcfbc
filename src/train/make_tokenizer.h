/* make_tokenizer.h - makes a tokenizer of texts: byte-pair encoding in a file that SentencePiece reads, too.
 *
 * It works as Llama 2's does: pieces of letters alone or of other characters alone, a space in front at most, runs of spaces, each
 * digit for itself; characters without a piece, line feeds and other control characters become bytes. The result depends on the texts
 * and the options alone. (Kudo and Richardson 2018; the rules are in piece_merges.h and word_counts.h.) */
#ifndef BIPE_TRAIN_MAKE_TOKENIZER_H
#define BIPE_TRAIN_MAKE_TOKENIZER_H

#include "base/output.h"
#include "text/document.h"

typedef struct bipe_tokenizer_maker bipe_tokenizer_maker;

/* Zeros stand for the defaults. */
typedef struct bipe_tokenizer_options {
    size_t pieces;   /* of all kinds: <unk>, <s>, </s>, 256 bytes, merges, characters; 260 to 8388608; no default */
    double coverage; /* the most frequent characters, that are so much of all, get pieces of their own, and the space: 0.99995 */
    size_t longest;  /* characters of a piece: 16; at most 64 */
    size_t limit;    /* characters of different words that are remembered; the rarer ones are forgotten beyond it: 8388608, for which
                        at most about half a GB of memory is taken (for 100 MB of English and code, 100 MB) */
} bipe_tokenizer_options;

typedef struct bipe_tokenizer_facts {
    size_t merges, characters; /* pieces of each kind */
    size_t words;              /* different words that it was learned from */
    uint64_t dropped;          /* and that were forgotten */
} bipe_tokenizer_facts;

/* BIPE_ERR_ARGUMENT: an option is out of bounds. The caller closes. */
int bipe_tokenizer_maker_open(bipe_tokenizer_maker **maker, const bipe_tokenizer_options *options, bipe_error *err);
/* Takes a document: begin, feed (cut anywhere), end. */
int bipe_tokenizer_maker_begin(bipe_tokenizer_maker *maker, bipe_error *err);
int bipe_tokenizer_maker_feed(bipe_tokenizer_maker *maker, const uint8_t *bytes, size_t size, bipe_error *err);
int bipe_tokenizer_maker_end(bipe_tokenizer_maker *maker, bipe_error *err);
/* The same for the whole of the present document. The errors of bipe_documents_read(), too: what came before one is taken. */
int bipe_tokenizer_maker_read(bipe_tokenizer_maker *maker, bipe_documents *documents, bipe_error *err);
/* Learns from what was taken and writes the model, which the caller commits; facts may be NULL. BIPE_ERR_ARGUMENT: there was no text, or
 * it has too many characters for so few pieces or too few words for so many; the text says how many there can be. */
int bipe_tokenizer_maker_write(bipe_tokenizer_maker *maker, bipe_output *output, bipe_tokenizer_facts *facts, bipe_error *err);
void bipe_tokenizer_maker_close(bipe_tokenizer_maker *maker);

#endif
