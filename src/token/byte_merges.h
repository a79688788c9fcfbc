/* byte_merges.h - merges of a byte-level vocabulary, arranged for short words, several of which are merged side by side.
 *
 * Symbols have names of their own here: 0 to 255 are the bytes, and what merges make comes behind them in the order of its rank, so that
 * the least name is the merge to do first. That needs vocabularies of which each string has one rank, as those made by training do. */
#ifndef BIPE_TOKEN_BYTE_MERGES_H
#define BIPE_TOKEN_BYTE_MERGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "token/pair_table.h"
#include "token/word_cache.h"

enum {
    BIPE_BYTE_MERGES_MOST = 62, /* bytes of a word */
    BIPE_BYTE_MERGES_BUCKET = 4
};

/* Zero-initialise. Does not change once made. */
typedef struct bipe_byte_merges {
    uint32_t *byte;     /* (256, 256) the name of what two bytes make, or UINT32_MAX; NULL: this table is not to be used */
    uint64_t *entry;    /* (mask + 1, BIPE_BYTE_MERGES_BUCKET) left << 44 | right << 24 | what they make, or all ones; what a full bucket
                         * has no room for is in the next */
    size_t mask;        /* buckets - 1 */
    uint32_t *id;       /* of each name; */
    uint32_t same;      /* from here on each name is the id itself */
} bipe_byte_merges;

/* A word, 0 < size <= BIPE_BYTE_MERGES_MOST. token: room for `size`; count: how many it became. */
typedef struct bipe_byte_word {
    const uint8_t *text;
    bipe_piece_token *token;
    uint32_t size, count;
} bipe_byte_word;

/* symbol: of each byte, its id; count: ids are below this. Leaves an empty table where it cannot be used. 0, or -1 when memory is out. */
int bipe_byte_merges_open(bipe_byte_merges *merges, const bipe_pair_table *pairs, const uint32_t symbol[256], size_t count);
void bipe_byte_merges_free(bipe_byte_merges *merges);
/* The tokens of `count` words. */
void bipe_byte_merges_run(const bipe_byte_merges *merges, bipe_byte_word *word, size_t count);

#endif
