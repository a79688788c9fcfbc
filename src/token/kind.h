/* kind.h - the interface of a kind of tokenizer, and the detection of formats. Internal to src/token.
 *
 * A kind is a table of functions and one file (or a few) beside this one. Kinds without a file are named in
 * bipe_token_kind_find(), formats of files in the table of token_format.c; nothing else knows them.
 *
 * A kind tokenizes text that lies in memory: cut() finds a position where a text may be divided, encode() gives the
 * tokens of a block between two such positions. token_stream.c does the rest: it collects the bytes of a document, cuts
 * them into blocks and fails where there is no position to cut in BIPE_UNIT_LIMIT bytes. Nothing in a kind is ever
 * resumed in the middle of a unit. */
#ifndef BIPE_TOKEN_KIND_H
#define BIPE_TOKEN_KIND_H

#include <time.h>

#include "base/limits.h"
#include "token/tokenizer.h"

struct bipe_gguf;
struct bipe_gguf_writer;

/* A tokenizer as every kind sees it. The reader of a format fills everything but spec and special. */
struct bipe_tokenizer {
    const struct bipe_token_kind *kind; /* NULL until a reader is done */
    void *model;                        /* the kind's own, closed by kind->close */
    char *spec;
    bool special;
    size_t size;                        /* ids are below this */
    int64_t bos, eos;                   /* or BIPE_NO_TOKEN */
    uint32_t *end;                      /* (ends) the tokens that end a text, eos among them */
    size_t ends, end_capacity;
    const char *stray_file;             /* states one that the vocabulary does not have; or NULL */
    int64_t stray_end;
    size_t leading;                     /* tokens that documents start with, when these are more than bos can be; or
                                           0 */
    bool in_order; /* a block depends on those before it by what its scratch keeps: one thread encodes them all,
                    * from offset 0 on */
    char *source;                       /* the tokenizer.json that it was read from, or NULL; */
    struct timespec changed;            /* when that was written */
    struct bipe_gguf_writer *keys;      /* of the GGUF file that it was read from, to be written again; or NULL */
    uint8_t *original;                  /* the bytes kept by bipe_tokenizer_keep(), or NULL */
    size_t original_size;
    /* Overrides kind->write_gguf when not NULL. */
    int (*write_gguf)(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer, bipe_error *err);
};

/* Closes the model that a reader has made, and forgets it. */
void bipe_tokenizer_clear(bipe_tokenizer *tokenizer);

/* Keeps the bytes that a tokenizer was made of, to write them into a GGUF file. No copy is made of a tokenizer.json
 * that can be read again, since it may be larger than all the rest. Clears the tokenizer when it fails. */
int bipe_tokenizer_keep(bipe_tokenizer *tokenizer, const void *bytes, size_t size, bipe_error *err);
/* These bytes. BIPE_ERR_FORMAT: the file has changed. *loaded is freed by the caller, with bipe_free(), also after a
 * failure. */
int bipe_tokenizer_original(const bipe_tokenizer *tokenizer, uint8_t **loaded, const uint8_t **bytes, size_t *size,
                            bipe_error *err);
/* Writes them as that member. BIPE_ERR_FORMAT: the file has changed. */
int bipe_tokenizer_write_original(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer, const char *key,
                                  bipe_error *err);

typedef struct bipe_token_kind {
    const char *name; /* as in -t NAME and in tokenizer.ggml.model */
    size_t size;      /* of kinds without a file: ids are below this */
    void (*close)(void *model); /* NULL when there is nothing to close */
    /* As bipe_tokenizer_decode(). */
    int (*decode)(const bipe_tokenizer *tokenizer, uint32_t id, bool first, uint8_t buffer[4], const uint8_t **bytes,
                  size_t *size, bipe_error *err);
    /* NULL: the name says all. */
    int (*write_gguf)(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer, bipe_error *err);
    /* As bipe_tokenizer_cut(), in at most a few times `size` steps; NULL: documents cannot be divided. A position that
     * is safe because of bytes after it is found once these are there. */
    size_t (*cut)(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size);
    /* The state of a thread that encodes documents of this tokenizer, one after the other: memory, caches. NULL:
     * nothing, scratch is NULL. */
    int (*scratch_open)(void **scratch, const bipe_tokenizer *tokenizer, bipe_error *err);
    void (*scratch_close)(void *scratch);
    /* Appends the tokens of a block, 0 < size <= BIPE_UNIT_LIMIT + 1, which is at `offset` of its document (0: at its
     * beginning). The block ends at a position that cut() found, or with the document. BIPE_BLOCK_PAD bytes after it
     * may be read. Spans count from the start of the document. Blocks may be encoded in any order, by any scratch,
     * unless the tokenizer says in_order. */
    int (*encode)(void *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bipe_tokens *tokens,
                  bipe_error *err);
} bipe_token_kind;

extern const bipe_token_kind bipe_byte_kind, bipe_char_kind, bipe_word_kind, bipe_words_kind;
extern const bipe_token_kind bipe_bpe_kind; /* SentencePiece */

/* The kind that needs no file of that name, or NULL. */
const bipe_token_kind *bipe_token_kind_find(const char *name, size_t size);

/* Reads a file or folder into a tokenizer whose kind is NULL. Error texts start with the path. */
int bipe_token_format_read(bipe_tokenizer *tokenizer, const char *path, bipe_error *err);

/* The readers, from bytes in memory; error texts carry no path. The tokenizer owns what they allocated
 * only when they return BIPE_OK. */
int bipe_sentencepiece_read(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err);
int bipe_tokenizer_json_read(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err);
int bipe_tiktoken_read(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err);
/* Whether a file that begins so is one of tiktoken's. */
bool bipe_tiktoken_recognise(const uint8_t *head, size_t size);
int bipe_gguf_vocabulary_read(bipe_tokenizer *tokenizer, const struct bipe_gguf *gguf, bipe_error *err);
/* The files of a folder of one of Hugging Face's older tokenizers, which has no tokenizer.json (vocab_files.c). */
typedef enum bipe_vocab_file_kind {
    BIPE_VOCAB_TXT, BIPE_VOCAB_JSON, BIPE_MERGES_TXT, BIPE_TOKENIZER_CONFIG, BIPE_MODEL_CONFIG, BIPE_ADDED_TOKENS,
    BIPE_SPECIAL_TOKENS,
    BIPE_VOCAB_FILES
} bipe_vocab_file_kind;
typedef struct bipe_vocab_file {
    uint8_t *bytes; /* NULL: not there */
    size_t size;
} bipe_vocab_file;
extern const char *const bipe_vocab_file_names[BIPE_VOCAB_FILES];
int bipe_vocab_files_read(bipe_tokenizer *tokenizer, const bipe_vocab_file file[BIPE_VOCAB_FILES], bipe_error *err);
/* Refuses a folder whose class gives other ids than the SentencePiece model in it; one that names no class is taken. */
int bipe_vocab_files_keep_ids(const bipe_vocab_file file[BIPE_VOCAB_FILES], bipe_error *err);
/* tokenizer_config.json beside a tokenizer: whether documents start with BOS, and which it is. */
int bipe_tokenizer_config_apply(bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size, bipe_error *err);

/* end_tokens.c: the tokens that end a text. `file`, config.json or generation_config.json beside a tokenizer: what it
 * states replaces what an earlier file has stated. */
int bipe_end_tokens_read(bipe_tokenizer *tokenizer, const char *file, const uint8_t *bytes, size_t size,
                         bipe_error *err);
/* The keys of a GGUF file, after eos is known. */
int bipe_end_tokens_read_gguf(bipe_tokenizer *tokenizer, const struct bipe_gguf *gguf, bipe_error *err);
/* After all that is read: EOS is one of them. */
int bipe_end_tokens_finish(bipe_tokenizer *tokenizer, bipe_error *err);
/* Those that eos does not say, under a key of bipe's own; for other programs all of them, and under the keys that
 * llama.cpp reads. */
void bipe_end_tokens_write(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer);
int bipe_end_tokens_write_llama(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer, bipe_error *err);

/* Appends a token. */
int bipe_tokens_add(bipe_tokens *tokens, uint64_t start, uint64_t end, uint32_t id, bipe_error *err);

enum {
    BIPE_BLOCK_PAD = 96,              /* bytes after a block that may be read */
    BIPE_TOKEN_FILE_LIMIT = 1 << 28,  /* bytes of a tokenizer file */
    BIPE_VOCABULARY_LIMIT = 1 << 24,  /* entries of a vocabulary */
    BIPE_PIECE_LIMIT = 1 << 16        /* bytes of one entry */
};

#endif
