/* pipeline_encode.h - the general path of a pipeline, for a text in memory: all steps one after the other. */
#ifndef BIPE_TOKEN_PIPELINE_ENCODE_H
#define BIPE_TOKEN_PIPELINE_ENCODE_H

#include "token/pipeline/byte_encode.h"
#include "token/words/unit_encoder.h"

/* The encoding state of one thread. */
typedef struct bipe_pipeline_scratch {
    const bipe_pipeline *pipeline;
    bipe_tokens *tokens;     /* of the present call */
    const uint8_t *bytes;    /* the present text, */
    uint64_t base;           /* its offset in the document, */
    uint64_t done;           /* and where the last token ends */
    bipe_mapped text, spare;
    bipe_ranges pieces, more;
    bipe_piece_tokens ids;
    void *model;             /* the model's scratch */
    bipe_word_cache words;   /* tokens of pre-tokens */
    bipe_byte_encoder *quick; /* or NULL */

    bipe_unit_encoder units; /* pipeline_units.c */
    bipe_tokens unit;        /* of one that was not known */
    const uint8_t *block;    /* of which the units are, */
    uint64_t block_offset;   /* and its offset */
} bipe_pipeline_scratch;

/* Appends the tokens of a text at offset `base`. begins: the document begins with it; else it continues a text. */
int bipe_pipeline_encode_text(bipe_pipeline_scratch *scratch, const uint8_t *bytes, size_t size, uint64_t base,
                              bool begins, bipe_tokens *tokens, bipe_error *err);

/* The same for a block, cut into units that are looked up (pipeline_units.c). */
int bipe_pipeline_encode_units(bipe_pipeline_scratch *scratch, const uint8_t *bytes, size_t size, uint64_t base,
                               bipe_tokens *tokens, bipe_error *err);

#endif
