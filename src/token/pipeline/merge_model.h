/* merge_model.h - byte-pair encoding of one pre-token: the model of a pipeline whose tokens come from merges, whatever
 * file the merges come from (tokenizer.json, GGUF `gpt2`, tiktoken). */
#ifndef BIPE_TOKEN_MERGE_MODEL_H
#define BIPE_TOKEN_MERGE_MODEL_H

#include "token/words/word_group.h"
#include "token/merges/merge_list.h"
#include "token/pair_table.h"
#include "token/pipeline/pipeline.h"
#include "token/pretoken/pretoken_parts.h"

typedef struct bipe_merge_model {
    const bipe_vocabulary *vocabulary; /* the pipeline's, of which the first `count` ids are the model's */
    size_t count;
    bipe_pair_table merges;    /* (left, right) -> (rank, id); equal ranks go from left to right */
    bool bytes;                /* pre-tokens are bytes; without it, characters */
    bool cut;                  /* bytes: pre-tokens may begin and end within characters */
    bool letters;              /* bytes: the strings of the vocabulary write them as letters (byte_letters.h): */
    uint8_t letter[256][2];    /* in UTF-8 */
    uint32_t byte_symbol[4][256]; /* bytes: the initial id of a byte, or BIPE_NO_SYMBOL; [+1]: the first of a pre-token,
                                     * [+2]: the last */
    bool whole;                /* a pre-token that is in the vocabulary is a token whatever the merges say
                                  (ignore_merges) */
    bool fallback;             /* unknown characters become bytes, if each byte has an id, else unk: */
    uint32_t byte_id[256];     /* or BIPE_NO_SYMBOL */
    int64_t unk;               /* or BIPE_NO_TOKEN: they are dropped */
    const char *unk_name;      /* the name of an unknown token that is not in the vocabulary: unknown characters are an
                                  error; else NULL */
    bool dropped_block_merges; /* dropped characters keep their neighbours from merging, as in llama.cpp */
    bool fuse;                 /* neighbouring unknown characters are one token */
    const char *prefix, *suffix; /* continuing_subword_prefix, end_of_word_suffix, or NULL; they are the model's */
    bool plain;                /* bytes: each has the same symbol everywhere */
    bipe_pretoken_parts parts; /* of pre-tokens, if it is plain */
} bipe_merge_model;

/* An empty model over the pipeline's vocabulary; NULL: out of memory. */
bipe_merge_model *bipe_merge_model_new(bipe_pipeline *pipeline);
/* Fills byte_symbol, after the vocabulary and all settings. */
int bipe_merge_model_ready(bipe_merge_model *model, bipe_error *err);
/* Encodes pre-tokens, as bipe_words_encode (word_group.h) does. scratch: that of bipe_model_bpe. */
int bipe_merge_model_encode_words(const bipe_merge_model *model, void *scratch, bipe_new_word *word, size_t count,
                                  bipe_piece_tokens *tokens, size_t *done, bipe_error *err);
/* Finds its parts, for a complete plain model. There are none where memory is exhausted. */
void bipe_merge_parts_open(bipe_pretoken_parts *parts, const bipe_merge_model *model);
/* Passes the model to the pipeline. */
void bipe_merge_model_install(bipe_pipeline *pipeline, bipe_merge_model *model);

/* Where no merge of characters reaches across (merge_borders.c): sets pairs->splits, and clears pairs->bytes where one
 * may. */
int bipe_merge_borders_find(const bipe_merge_model *model, bipe_pairs *pairs, bipe_error *err);

#endif
