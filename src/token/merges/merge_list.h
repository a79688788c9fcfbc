/* merge_list.h - reads a list of merges, given as pairs of strings, into a table of pairs of ids.
 *
 * Each merge needs three look-ups in the vocabulary. These are done for many merges at a time, so that their cache misses overlap. */
#ifndef BIPE_TOKEN_MERGE_LIST_H
#define BIPE_TOKEN_MERGE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "token/pair_table.h"
#include "token/vocabulary.h"

typedef struct bipe_named_merge {
    const char *left, *right; /* valid until the list has been read */
    size_t left_size, right_size;
    size_t place;             /* in the list of the file, for errors */
    uint32_t rank;
} bipe_named_merge;

/* Called for each merge, in their order, with the id that it makes. */
typedef int bipe_merge_made(void *context, const bipe_named_merge *merge, uint32_t into, bipe_error *err);

/* Where the merges go. Members that are not set are zero. */
typedef struct bipe_merge_list {
    const bipe_vocabulary *vocabulary;
    size_t ids;            /* only strings below this id count */
    size_t drop;           /* bytes of the right side's prefix (continuing_subword_prefix), which the merged string lacks */
    bipe_pair_table *table; /* (left, right) -> (rank, merged); of a pair that comes twice the last rank counts */
    bipe_merge_made *made; /* or NULL */
    void *context;
    const char *name;      /* for errors, which begin with it and the merge's place */
} bipe_merge_list;

/* The merge number i of the source, without its place and rank. left NULL: there is none under this number. false: it is malformed. */
typedef bool bipe_merge_at(const void *source, size_t i, bipe_named_merge *merge);

/* All merges, in their order, which is that of their ranks. BIPE_ERR_FORMAT: a string is not in the vocabulary, which may be reported for a
 * later merge, or `at` returned false; BIPE_ERR_LIMIT: too many; what made() returns; BIPE_ERR_MEMORY. */
int bipe_merge_list_read(bipe_merge_list *list, size_t count, bipe_merge_at *at, const void *source, bipe_error *err);

#endif
