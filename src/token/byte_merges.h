/* byte_merges.h - merges of a byte-level vocabulary, arranged for short words: pairs of bytes in a table of their own, the others in
 * eight bytes each.
 *
 * For vocabularies whose ids grow with the ranks of the merges that make them, as those made by training do, so that
 * an id can stand for its rank. */
#ifndef BIPE_TOKEN_BYTE_MERGES_H
#define BIPE_TOKEN_BYTE_MERGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "token/pair_table.h"
#include "token/word_cache.h"

enum {
    BIPE_BYTE_MERGES_MOST = 48,  /* bytes of a word */
    BIPE_BYTE_MERGES_FILTER = 20 /* 128 KiB */
};

/* Zero-initialise. Does not change once made. */
typedef struct bipe_byte_merges {
    uint32_t *byte;     /* (256, 256) what two bytes make, or UINT32_MAX; NULL: this table is not to be used */
    uint64_t *entry;    /* left << 44 | right << 24 | what they make; UINT64_MAX: free */
    uint64_t *some;     /* (1 << BIPE_BYTE_MERGES_FILTER bits) most pairs that make nothing have no bit here, and are not looked up */
    size_t mask;        /* places - 1 */
    uint32_t symbol[256];
} bipe_byte_merges;

/* symbol: of each byte; count: ids are below this. Leaves an empty table where ids do not stand for ranks. 0, or -1 when memory is out. */
int bipe_byte_merges_open(bipe_byte_merges *merges, const bipe_pair_table *pairs, const uint32_t symbol[256], size_t count);
void bipe_byte_merges_free(bipe_byte_merges *merges);
/* The tokens of a word, 0 < size <= BIPE_BYTE_MERGES_MOST; token: room for that many. Returns how many. */
size_t bipe_byte_merges_run(const bipe_byte_merges *merges, const uint8_t *text, size_t size, bipe_piece_token *token);

#endif
