/* corpus.h - the texts that a model is trained on, as rows of tokens.
 *
 * Everything that is read is tokenized and segmented once and kept in a token spool (on disk when it is much), from
 * which any row can be read at any time. Two ways to cut rows: stream  each document after the tokenizer's BOS, all
 * joined; row r holds tokens r L .. (r + 1) L - 1; the rest is left out line    each line of plain text, or each record
 * of JSON Lines, after BOS, is a row of its own of at most L tokens BOS is context and never a target; with
 * `loss_after`, tokens before the end of the pattern's first match are not targets either. */
#ifndef BIPE_TRAIN_CORPUS_H
#define BIPE_TRAIN_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "measure/stream.h"
#include "measure/token_spool.h"

typedef struct bipe_corpus bipe_corpus;

typedef enum bipe_pack { BIPE_PACK_STREAM, BIPE_PACK_LINE } bipe_pack;

typedef struct bipe_corpus_options {
    const bipe_tokenizer *tokenizer;
    const char *segmenter;      /* a SPEC */
    size_t length;              /* L >= 2 */
    bipe_pack pack;
    const char *loss_after;     /* a PCRE2 pattern, with BIPE_PACK_LINE; NULL: all tokens are targets */
    uint64_t vocabulary;        /* ids must be below */
    bipe_stream_options stream; /* what inputs are, and threads that may read them together; the rest is filled in */
    size_t memory;              /* bytes of tokens that stay in memory */
} bipe_corpus_options;

/* The tokenizer and the strings must outlive the corpus. BIPE_ERR_ARGUMENT: the SPEC or the pattern makes no sense. */
int bipe_corpus_open(bipe_corpus **corpus, const bipe_corpus_options *options, bipe_error *err);

/* What is reported while a file is read. */
typedef struct bipe_corpus_reader {
    void *context;
    void (*trouble)(void *context, const bipe_error *err);      /* a document that is left out, and why */
    bool (*progress)(void *context, const bipe_input *input);   /* after each batch; false: stop, bipe_corpus_read()
                                                                   gives BIPE_STOPPED */
    void (*document)(void *context, const bipe_stream *stream); /* after each document that is kept; or NULL */
} bipe_corpus_reader;

/* Appends the documents of a file ("-": standard input). Documents that cannot be read are reported and left out;
 * an error that ends the file is returned. */
int bipe_corpus_read(bipe_corpus *corpus, const char *path, const bipe_corpus_reader *reader, bipe_error *err);

/* Adds a text as a row of its own: the bytes after its first `prompt` are to be learned, and after them the tokenizer's
 * EOS or, where it has none, the tokens of `end` (NULL: nothing). For BIPE_PACK_LINE. */
int bipe_corpus_add(bipe_corpus *corpus, const uint8_t *bytes, size_t size, size_t prompt, const char *end,
                    bipe_error *err);

/* The stream it reads with; belongs to the corpus. */
const bipe_stream *bipe_corpus_stream(const bipe_corpus *corpus);
uint64_t bipe_corpus_tokens(const bipe_corpus *corpus);  /* all of them, BOS too */
uint64_t bipe_corpus_rows(const bipe_corpus *corpus);
/* BIPE_PACK_LINE: lines left out because they are longer than L tokens, or hold no target. */
uint64_t bipe_corpus_long_lines(const bipe_corpus *corpus);
uint64_t bipe_corpus_blank_lines(const bipe_corpus *corpus);
/* The first word that the vocabulary lacks, which became the unknown token; how many tokens did, 0: none, or the
 * tokenizer has no such token. word: its first bytes, *size of them. */
uint64_t bipe_corpus_unknown(const bipe_corpus *corpus, const uint8_t **word, size_t *size);
/* A hash of texts, tokens, segments and rows: corpora with the same hash are the same. */
uint64_t bipe_corpus_hash(const bipe_corpus *corpus);

/* A row. The caller gives arrays of L. */
typedef struct bipe_corpus_row {
    uint32_t *ids;
    uint32_t *index;                 /* (2 * levels, stride) as bipe_positions(), counted from the start of the row */
    size_t levels, stride;
    uint8_t *target;                 /* 1 where the token's loss counts; the first never does */
    size_t length;                   /* tokens; L with BIPE_PACK_STREAM */
    size_t targets;
} bipe_corpus_row;
int bipe_corpus_row_read(bipe_corpus *corpus, uint64_t index, bipe_corpus_row *row, bipe_error *err);

/* All tokens, for scoring; the corpus keeps it. */
bipe_token_spool *bipe_corpus_spool(bipe_corpus *corpus);
void bipe_corpus_close(bipe_corpus *corpus);

/* The order in which rows are met in an epoch: 0 .. count - 1 shuffled (Fisher and Yates; the random numbers are those
 * of splitmix64 seeded from seed and epoch), the same on every machine. order: (count) out. */
void bipe_corpus_shuffle(uint64_t seed, uint64_t epoch, uint32_t *order, size_t count);

#endif
