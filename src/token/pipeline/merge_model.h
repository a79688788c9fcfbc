/* merge_model.h - byte-pair encoding of one pre-token: the model of a pipeline whose tokens come from merges, whatever file the
 * merges come from (tokenizer.json, GGUF `gpt2`, tiktoken). */
#ifndef BIPE_TOKEN_MERGE_MODEL_H
#define BIPE_TOKEN_MERGE_MODEL_H

#include "token/merges/byte_merges.h"
#include "token/merges/merge_list.h"
#include "token/pair_table.h"
#include "token/pipeline/pipeline.h"
#include "token/put_off.h"

enum { BIPE_MERGE_KNOWN = 21 }; /* 256 KiB */

struct bipe_long_merge;

typedef struct bipe_merge_model {
    const bipe_vocabulary *vocabulary; /* the pipeline's, of which the first `count` ids are the model's */
    size_t count;
    bipe_pair_table merges;    /* (left, right) -> (rank, id); equal ranks go from left to right */
    bool bytes;                /* pre-tokens are bytes; without it, characters */
    bool cut;                  /* bytes: pre-tokens may begin and end within characters */
    bool letters;              /* bytes: the strings of the vocabulary write them as letters (byte_letters.h) */
    uint32_t byte_symbol[4][256]; /* bytes: the id that a byte begins as, or BIPE_NO_SYMBOL; [+1]: the first of a pre-token,
                                     * [+2]: the last */
    bool whole;                /* a pre-token that is in the vocabulary is a token whatever the merges say (ignore_merges) */
    bool fallback;             /* unknown characters become bytes, if each of them has one, else unk: */
    uint32_t byte_id[256];     /* or BIPE_NO_SYMBOL */
    int64_t unk;               /* or BIPE_NO_TOKEN: nothing comes of them, */
    const char *unk_name;      /* unless the file names a token that there is not: they are an error. NULL: it does not */
    bool apart;                /* those that nothing comes of keep their neighbours from merging, as in llama.cpp */
    bool fuse;                 /* neighbouring unknown characters are one */
    const char *prefix, *suffix; /* continuing_subword_prefix, end_of_word_suffix, or NULL; they are the model's */
    uint64_t *known;           /* whole, bytes: (1 << BIPE_MERGE_KNOWN bits) pre-tokens without a bit here, by bipe_vocabulary_hash(), are not in
                                * the vocabulary; or NULL */
    bipe_byte_merges quick;    /* the merges for short words of bytes, or empty; there when what is put off is made */
    bipe_put_off *put_off;     /* or NULL */
} bipe_merge_model;

/* An empty model of the pipeline's vocabulary; NULL when memory is out. */
bipe_merge_model *bipe_merge_model_new(bipe_pipeline *pipeline);
/* For the merges of a file, whose list has this name, when the vocabulary and `prefix` are there. */
bipe_merge_list bipe_merge_model_list(bipe_merge_model *model, const char *name);
/* When vocabulary and settings are there: finds byte_symbol. */
int bipe_merge_model_ready(bipe_merge_model *model, bipe_error *err);
/* Encodes pre-tokens, as bipe_words_encode (word_group.h) does. scratch: that of bipe_model_bpe. */
int bipe_merge_model_encode_words(const bipe_merge_model *model, void *scratch, bipe_new_word *word, size_t count,
                                  bipe_piece_tokens *tokens, size_t *done, bipe_error *err);
/* Whether it has the same or none wherever it stands, so that a pre-token longer than any string may come in pieces. */
bool bipe_merge_model_streams(const bipe_merge_model *model);

/* What is known of the bytes before; zero where a pre-token begins. */
typedef struct bipe_merge_before {
    uint32_t waiting; /* bytes of unknown characters whose token is not out: it goes in front of the next known one */
    uint64_t lost;    /* bytes before the first symbol that become nothing */
    bool gap;         /* the last ones did, and keep apart */
} bipe_merge_before;

/* Gives the symbols of bytes to a row: of a pre-token, or of whole characters of one. first, last: it begins, ends with them. */
int bipe_merge_model_push(const bipe_merge_model *model, struct bipe_long_merge *row, bipe_merge_before *before, const uint8_t *text,
                          size_t size, bool first, bool last, bipe_error *err);
/* The pre-token is over: ends the row. */
int bipe_merge_model_end(const bipe_merge_model *model, struct bipe_long_merge *row, bipe_merge_before *before, bipe_error *err);
/* Makes `quick`. */
void bipe_merge_model_quicken(bipe_merge_model *model);
/* Has make(context) called, which makes it, when it is worth while. */
void bipe_merge_model_put_off(bipe_merge_model *model, void (*make)(void *context), void *context);
/* Gives it to the pipeline (as bipe_pipeline_set_model() does for a tokenizer.json). */
void bipe_merge_model_install(bipe_pipeline *pipeline, bipe_merge_model *model);

#endif
