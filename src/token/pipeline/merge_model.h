/* merge_model.h - byte-pair encoding of one pre-token: the model of a pipeline whose tokens come from merges, whatever file the
 * merges come from (tokenizer.json, GGUF `gpt2`, tiktoken). */
#ifndef BIPE_TOKEN_MERGE_MODEL_H
#define BIPE_TOKEN_MERGE_MODEL_H

#include "token/words/word_group.h"
#include "token/merges/merge_list.h"
#include "token/pair_table.h"
#include "token/pipeline/pipeline.h"

enum { BIPE_MERGE_KNOWN = 21 }; /* 256 KiB */

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
    bool plain;                /* bytes, each of which has one symbol wherever it stands */
} bipe_merge_model;

/* An empty model of the pipeline's vocabulary; NULL when memory is exhausted. */
bipe_merge_model *bipe_merge_model_new(bipe_pipeline *pipeline);
/* For the merges of a file, whose list has this name, when the vocabulary and `prefix` are there. */
bipe_merge_list bipe_merge_model_list(bipe_merge_model *model, const char *name);
/* When vocabulary and settings are there: finds byte_symbol. */
int bipe_merge_model_ready(bipe_merge_model *model, bipe_error *err);
/* Encodes pre-tokens, as bipe_words_encode (word_group.h) does. scratch: that of bipe_model_bpe. */
int bipe_merge_model_encode_words(const bipe_merge_model *model, void *scratch, bipe_new_word *word, size_t count,
                                  bipe_piece_tokens *tokens, size_t *done, bipe_error *err);
/* Gives it to the pipeline (as bipe_pipeline_set_model() does for a tokenizer.json). */
void bipe_merge_model_install(bipe_pipeline *pipeline, bipe_merge_model *model);

/* The places of a pre-token that no merge can reach across, as a step after a pipeline's pre-tokenizers (merge_borders.c): the text between
 * them is encoded by itself, and found in the cache of words. Without it a text that no step splits is one row of merges. Appends the step
 * for a model that merges characters; there is none where borders are not known, or something else than merges is made of a pre-token
 * (affixes, ignore_merges). */
int bipe_merge_borders_add(bipe_pipeline *pipeline, const bipe_merge_model *model, bipe_error *err);

#endif
