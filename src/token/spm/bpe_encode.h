/* bpe_encode.h - encodes a text, or a part of one, into the pieces of a SentencePiece model: shared by the encoders of
 * this folder. */
#ifndef BIPE_TOKEN_BPE_ENCODE_H
#define BIPE_TOKEN_BPE_ENCODE_H

#include "token/merges/merge_loop.h"
#include "token/spm/bpe.h"
#include "token/words/unit_encoder.h"

/* The memory of one thread. */
typedef struct bipe_bpe_scratch {
    const bipe_bpe *bpe;
    bool looks;                 /* for added tokens */
    bipe_unit_encoder units;
    bipe_piece_tokens pieces;   /* of a text that is encoded by itself */

    /* Of the text that is being encoded: */
    bipe_characters characters; /* normalized */
    bipe_symbol_row row;        /* some of it, which is merged */
    uint32_t *stack;            /* halves of unused pieces */
    size_t stack_capacity;
    bipe_piece_tokens *out;     /* its pieces, from number `first` on; the last so far ends at byte `at` */
    size_t first;
    uint32_t at;

    bipe_buffer text;           /* Unigram: the characters as bytes */
    bipe_piece_tokens found;    /* its pieces there */
    bipe_unigram_memory search;   /* with the sum of the document so far */
} bipe_bpe_scratch;

/* Appends the pieces of bytes[0 .. size); begins, ends: the text has its own beginning (end) here, otherwise a unit
 * does. *gap: so many bytes at the front belong to no piece; the pieces' ends are counted from there on. */
int bipe_bpe_encode(bipe_bpe_scratch *scratch, const uint8_t *bytes, size_t size, bool begins, bool ends,
                    bipe_piece_tokens *pieces, size_t *gap, bipe_error *err);
/* The same, as tokens of a text at this offset. */
int bipe_bpe_encode_alone(bipe_bpe_scratch *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bool begins,
                          bool ends, bipe_tokens *tokens, bipe_error *err);
/* Appends tokens that begin at `offset`, each where the one before ends. */
int bipe_bpe_add_pieces(bipe_tokens *tokens, uint64_t offset, const bipe_piece_token *piece, size_t count,
                        bipe_error *err);
/* The characters of a Unigram model's text as pieces (spm_unigram.c). */
int bipe_unigram_encode(bipe_bpe_scratch *scratch, bipe_error *err);
/* A text between two borders, of a Unigram model, unit by unit. */
int bipe_unigram_encode_units(bipe_bpe_scratch *scratch, const uint8_t *text, size_t size, uint64_t offset,
                              bipe_tokens *tokens, bipe_error *err);
/* Appends the tokens of a piece or of an unknown character, which has `size` bytes of the document. */
int bipe_bpe_emit(bipe_bpe_scratch *scratch, uint32_t id, uint32_t size, bipe_error *err);
int bipe_bpe_emit_unknown(bipe_bpe_scratch *scratch, uint32_t code, uint32_t size, bipe_error *err);

#endif
