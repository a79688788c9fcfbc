/* reached_merges.h - what the merges of a vocabulary make of short words of bytes.
 *
 * Lists of merges for the Llama family name several for most ids. Of those that make an id from the same bytes only one ever comes up: that
 * which these bytes end with when they are merged by themselves (tiktoken_merges.h says why). What is found here is in which order ids are
 * made, and from which bytes; so that merge can be found when those of shorter strings are known. */
#ifndef BIPE_TOKEN_REACHED_MERGES_H
#define BIPE_TOKEN_REACHED_MERGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "token/pair_table.h"

enum { BIPE_REACHED_MOST = 62 }; /* bytes of a word */

/* One of the merges that make an id, if any does: with the least rank of them. */
typedef struct bipe_reached_id {
    uint32_t left, right; /* UINT32_MAX: none does */
    uint32_t rank;        /* until it is known which comes up, the least */
    bool several;         /* others do as well */
    uint8_t size;         /* of its string, at `text` from `at` on; 0: too long, or never made */
    size_t at;
} bipe_reached_id;

/* Zero-initialise. */
typedef struct bipe_reached {
    bipe_reached_id *id;   /* (ids) */
    size_t ids;
    uint8_t *text;         /* strings; BIPE_WORD_READ bytes behind the last may be read */
    size_t text_size, text_capacity;
    size_t count;          /* ids that merges make, with a string: */
    uint32_t *by_rank;     /* (count) as ranks were when they were sorted; of equal ranks by id */
    uint32_t *by_size;     /* (count) shortest first */
} bipe_reached;

/* symbol: of each byte, its id, or BIPE_NO_SYMBOL where it stands in no word; no two bytes have the same; all ids of pairs are below `ids`.
 * count is 0 where an id is made from different bytes. 0, or -1 when memory is out. */
int bipe_reached_find(bipe_reached *reached, const bipe_pair_table *pairs, const uint32_t symbol[256], size_t ids);
/* Whether by_rank is in the order of the ranks as they are now; puts it there. */
bool bipe_reached_is_sorted(const bipe_reached *reached);
int bipe_reached_sort(bipe_reached *reached);
void bipe_reached_free(bipe_reached *reached);

#endif
