/* byte_merges.h - merges of a byte-level vocabulary, arranged for short words, several of which are merged side by side.
 *
 * Symbols have names of their own here: 0 to 255 are the bytes, and what merges make comes behind them in the order of its rank, so that
 * the least name is the merge to do first. A vocabulary may have one rank that several of its ids share. */
#ifndef BIPE_TOKEN_BYTE_MERGES_H
#define BIPE_TOKEN_BYTE_MERGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "token/merges/reached_merges.h"
#include "token/pair_table.h"
#include "token/words/word_cache.h"

enum {
    BIPE_BYTE_MERGES_MOST = BIPE_REACHED_MOST, /* bytes of a word */
    BIPE_BYTE_MERGES_BUCKET = 8
};

/* Zero-initialise. Does not change once made. */
typedef struct bipe_byte_merges {
    uint32_t *byte;     /* (256, 256) the name of what two bytes make, or 0; NULL: this table is not to be used */
    uint64_t *entry;    /* (mask + 1, BIPE_BYTE_MERGES_BUCKET) left << 44 | right << 24 | what they make, or all ones; what a full bucket
                         * has no room for is in the next */
    size_t mask;        /* buckets - 1 */
    uint32_t *id;       /* of each name; */
    uint32_t same;      /* from here on each name is the id itself */
    bool none[256];     /* bytes without a symbol */
    uint32_t tied_from, tied; /* so many names from this one on have one rank */
} bipe_byte_merges;

/* symbol: of each byte, its id, or BIPE_NO_SYMBOL where it stands in no word; count: ids are below this. Leaves an empty table where it
 * cannot be used: two bytes have one symbol, several groups of ids a rank each, an id is made from different bytes, or there are too many.
 * 0, or -1 when memory is out. */
int bipe_byte_merges_open(bipe_byte_merges *merges, const bipe_pair_table *pairs, const uint32_t symbol[256], size_t count);
/* Instead, for merges that are found one by one, where the rank of what they make is its id: an empty table, for which
 * bipe_byte_merges_put() is called with the names of a merge's sides and of what it makes. name: (count) of each id, out. */
int bipe_byte_merges_begin(bipe_byte_merges *merges, const uint32_t symbol[256], uint32_t *name, size_t count);
void bipe_byte_merges_put(bipe_byte_merges *merges, uint32_t left, uint32_t right, uint32_t into);
/* The merges it has: the ids of the sides of that at one of the table's places. False: there is none. */
static inline size_t bipe_byte_merges_places(const bipe_byte_merges *merges)
{
    return (merges->mask + 1) * BIPE_BYTE_MERGES_BUCKET;
}
bool bipe_byte_merges_at(const bipe_byte_merges *merges, size_t place, uint32_t *left, uint32_t *right);
void bipe_byte_merges_free(bipe_byte_merges *merges);
/* Whether a word is of bytes that have a symbol, and not too long. */
bool bipe_byte_merges_takes(const bipe_byte_merges *merges, const uint8_t *text, size_t size);
/* Encodes those of the words whose count is 0 and that it takes; BIPE_WORD_READ bytes of each may be read. Appends to the list: 0, or -1
 * when memory is out. */
int bipe_byte_merges_run(const bipe_byte_merges *merges, bipe_new_word *word, size_t count, bipe_piece_tokens *tokens);

#endif
