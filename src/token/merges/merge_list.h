/* merge_list.h - merges given as strings, turned into a table of ids. */
#ifndef BIPE_TOKEN_MERGE_LIST_H
#define BIPE_TOKEN_MERGE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "token/pair_table.h"
#include "token/vocabulary.h"

/* The table that merges go to. Zero-initialise. */
typedef struct bipe_merge_list {
    const bipe_vocabulary *vocabulary;
    size_t ids;            /* strings from this id on do not count */
    size_t drop;           /* bytes at the front of the right side that the result lacks: continuing_subword_prefix */
    bipe_pair_table *table; /* (left, right) -> (rank, result); of a pair that comes twice the last rank counts */
    const char *name;      /* for errors, which begin with it and the merge's range */
} bipe_merge_list;

/* A merge in a text: the left string at text[at], the right one after it. */
typedef struct bipe_merge_range {
    uint32_t at, left, right; /* left, right: their sizes */
} bipe_merge_range;

/* All merges, in their order, which is that of their ranks. BIPE_ERR_FORMAT: a string is not in the vocabulary;
 * BIPE_ERR_MEMORY. */
int bipe_merge_list_read(bipe_merge_list *list, const char *text, const bipe_merge_range *range, size_t count,
                         bipe_error *err);

#endif
