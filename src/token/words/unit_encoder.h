/* unit_encoder.h - encodes a text unit by unit: most units are found in a cache of words, the others are encoded once
 * and kept.
 *
 * For tokenizers in which a table of byte pairs shows borders that no token crosses. A unit is the text between two
 * borders, such as a space and the word after it; its tokens depend on its bytes alone. */
#ifndef BIPE_TOKEN_UNIT_ENCODER_H
#define BIPE_TOKEN_UNIT_ENCODER_H

#include "token/tokenizer.h"
#include "token/words/word_group.h"

/* Bit y & 63 of row[x][y >> 6]: when byte y follows byte x, a character ends with x and one begins with y, and no token
 * reaches across. */
typedef struct bipe_borders {
    uint64_t row[256][4];
    bool checks_third;   /* a pair is a border only if third[] allows the byte after y */
    uint8_t third[256];  /* 1: this byte may follow y */
} bipe_borders;

static inline bool bipe_is_border(const bipe_borders *borders, uint8_t x, uint8_t y)
{
    return (borders->row[x][y >> 6] >> (y & 63) & 1) != 0;
}

/* The first, the last offset in 0 < at < size where a unit begins; 0: none. */
size_t bipe_first_border(const bipe_borders *borders, const uint8_t *text, size_t size);
size_t bipe_last_border(const bipe_borders *borders, const uint8_t *text, size_t size);

/* Writes the offsets in *at <= offset < size at which units begin, *at > 0, to start[]: at most BIPE_UNIT_STARTS.
 * Returns how many. All of them before the new *at have been found; *at >= size: none is left. BIPE_BLOCK_PAD bytes
 * after the text may be read. */
enum { BIPE_UNIT_STARTS = BIPE_WORD_GROUP - 1 };
size_t bipe_find_units(const bipe_borders *borders, const uint8_t *text, size_t size, size_t *at, uint32_t *start);

/* Appends the tokens of one unit, which begins at `offset` in the document. */
typedef int bipe_encode_unit(void *context, const uint8_t *text, size_t size, uint64_t offset, bipe_tokens *tokens,
                             bipe_error *err);

/* Zero-initialise, and set these. */
typedef struct bipe_unit_encoder {
    const bipe_borders *borders;
    bipe_words_encode *encode; /* encodes units whose tokens leave no gaps. BIPE_END: those of the next unit do, */
    bipe_encode_unit *encode_unit; /* and this encodes it */
    void *context;             /* of both */
    bool gaps;                 /* tokens leave out the ASCII white space before them */

    bipe_word_group group;     /* its own */
} bipe_unit_encoder;

/* Encodes a text, size < 2^31, that begins and ends at borders and begins at `offset` in the document. BIPE_BLOCK_PAD
 * bytes after it may be read. BIPE_ERR_MEMORY, and what encode and encode_unit return. */
int bipe_encode_units(bipe_unit_encoder *encoder, const uint8_t *text, size_t size, uint64_t offset,
                      bipe_tokens *tokens, bipe_error *err);
void bipe_unit_encoder_free(bipe_unit_encoder *encoder);

#endif
