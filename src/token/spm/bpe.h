/* bpe.h - SentencePiece's byte-pair encoding: it starts from characters and merges neighbours, best pair (by the score
 * of the resulting piece) first, leftmost first among equals. Its models of the types Unigram and char are kept here as
 * well: all but the search for the pieces is the same.
 *
 * Symbols: ids of the vocabulary, and after them characters that are part of pieces without being one. */
#ifndef BIPE_TOKEN_BPE_H
#define BIPE_TOKEN_BPE_H

#include "token/added_set.h"
#include "token/decoder.h"
#include "token/kind.h"
#include "token/merges/merge_loop.h"
#include "token/pair_table.h"
#include "token/spm/spm_text.h"
#include "token/spm/unigram.h"
#include "token/vocabulary.h"
#include "token/words/unit_encoder.h"

/* The numbers of SentencePiece, which GGUF shares; 0 is a hole in the ids. */
typedef enum bipe_piece_type {
    BIPE_PIECE_NONE,
    BIPE_PIECE_NORMAL,
    BIPE_PIECE_UNKNOWN,
    BIPE_PIECE_CONTROL,
    BIPE_PIECE_USER,   /* matched before anything else */
    BIPE_PIECE_UNUSED, /* taken apart again when merges make it */
    BIPE_PIECE_BYTE
} bipe_piece_type;

enum { BIPE_CODE_PAGES = 0x1100 };

/* Code points. */
typedef struct bipe_codes {
    uint32_t *code;
    size_t count, capacity;
} bipe_codes;

typedef struct bipe_bpe {
    bipe_vocabulary vocabulary;      /* the strings of all ids (V) */
    uint8_t *type;                   /* (V) bipe_piece_type */
    float *score;                    /* (V) */
    size_t type_capacity, score_capacity;

    uint32_t *page[BIPE_CODE_PAGES]; /* page[c >> 8][c & 255]: the symbol of a character, or BIPE_NO_SYMBOL */
    bipe_codes extra;                /* the characters of the symbols V, V + 1, ... */
    bipe_pair_table merges;          /* (left, right) -> (rank, symbol) */
    bipe_pair_table crossings;       /* (a, b): a merge may join neighbours that end with a and begin with b */
    bipe_pair_table splits;          /* (unused piece, 0) -> its two halves */

    bipe_spm_rules rules;
    bool has_rules;                  /* these do more than put a prefix in front and change spaces */
    bipe_unigram *unigram;           /* or NULL: pieces come from merges */
    const char *unwritable_type; /* SentencePiece type that neither GGUF nor our SentencePiece writer supports ("char");
                                    NULL: writable */
    bipe_added_set raw;              /* in the text as it is: ends one text and begins another */
    uint32_t byte_id[256];
    bool byte_fallback;              /* all of byte_id is set */
    int64_t unk;                     /* or BIPE_NO_TOKEN */

    _Atomic(bipe_decoder *) decoder; /* for bipe_tokenizer_decode(), or NULL */
    uint8_t *unk_surface;            /* of the unknown token */
    size_t unk_surface_size;

    bipe_borders *borders;           /* or NULL: texts are not cut into units */
    bipe_borders *safe_borders;      /* the subset of `borders` that no string of `raw` has anything to do with:
                                        documents may be cut there */
} bipe_bpe;

/* An empty model; NULL when memory is exhausted. */
bipe_bpe *bipe_bpe_new(void);
void bipe_bpe_free(void *bpe);

/* Appends an id. Limits of kind.h are checked. */
int bipe_bpe_add_piece(bipe_bpe *bpe, const void *text, size_t size, bipe_piece_type type, float score,
                       bipe_error *err);
/* Sets or asks for the symbol of a character. */
int bipe_bpe_set_symbol(bipe_bpe *bpe, uint32_t code, uint32_t symbol, bipe_error *err);
static inline uint32_t bipe_bpe_symbol(const bipe_bpe *bpe, uint32_t code)
{
    const uint32_t *page = code < 0x110000 ? bpe->page[code >> 8] : NULL;
    return page != NULL ? page[code & 255] : (uint32_t)BIPE_NO_SYMBOL;
}

/* As SentencePiece numbers them. */
typedef enum bipe_spm_type {
    BIPE_SPM_UNIGRAM = 1,
    BIPE_SPM_BPE,
    BIPE_SPM_WORD /* not supported */,
    BIPE_SPM_CHAR
} bipe_spm_type;

/* The settings of a SentencePiece model. */
typedef struct bipe_spm_settings {
    bipe_spm_type type;
    bool byte_fallback, dummy_prefix, squeeze, escape;
    bool suffix; /* treat_whitespace_as_suffix */
    const void *charsmap; /* of the normalizer; charsmap_size 0: none */
    size_t charsmap_size;
    const uint8_t *unk_surface; /* the unknown token, decoded */
    size_t unk_surface_size;
} bipe_spm_settings;

/* Builds all tables of a model whose pieces were added (spm_build.c). special: control pieces are found in text. */
int bipe_spm_build(bipe_bpe *bpe, const bipe_spm_settings *settings, bool special, bipe_error *err);
/* The symbol of a single character of a piece: one is made if no piece is this character. BIPE_NO_SYMBOL: it is a
 * user-defined symbol, which is found before. */
int bipe_spm_symbol(bipe_bpe *bpe, const uint8_t *text, size_t size, uint32_t *symbol, bipe_error *err);
/* Parts of it (spm_unigram.c): the tables of a Unigram model, the user-defined symbols among the rules. */
int bipe_spm_build_symbols(bipe_bpe *bpe, bipe_error *err);
int bipe_spm_build_unigram(bipe_bpe *bpe, bipe_error *err);
/* Finds the borders of a model that is complete otherwise (bpe_borders.c). */
int bipe_bpe_build_borders(bipe_bpe *bpe, bipe_error *err);
/* Gives a finished model to the tokenizer, which owns it from then on. */
void bipe_bpe_install(bipe_tokenizer *tokenizer, bipe_bpe *bpe);

/* Members of the kind (bpe_text.c). */
size_t bipe_bpe_cut(const bipe_tokenizer *tokenizer, const uint8_t *bytes, size_t size);
int bipe_bpe_scratch_open(void **scratch, const bipe_tokenizer *tokenizer, bipe_error *err);
void bipe_bpe_scratch_close(void *scratch);
int bipe_bpe_encode_block(void *scratch, const uint8_t *bytes, size_t size, uint64_t offset, bipe_tokens *tokens,
                          bipe_error *err);

/* ---- GGUF (gguf_pieces.c) ---- */

int bipe_bpe_write_gguf(const bipe_tokenizer *tokenizer, struct bipe_gguf_writer *writer, bipe_error *err);

#endif
