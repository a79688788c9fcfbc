/* tiktoken_merges.h - the merges of a vocabulary that is just a list of strings with ranks, as tiktoken's files are.
 *
 * There any two neighbours whose bytes together are a string of the list may be merged, the string's number being the rank. Most of
 * these pairs never meet. Of a string T, at most one does: the two that are left last when T's own bytes are merged. For when a
 * merge makes T out of a word, nothing was merged across the ends of T's bytes before, so that all merges among them were those of
 * T by itself, in the same order: each was the best of the word, hence the best of those within T, leftmost among equals. So the merge
 * that T by itself ends with is the only one that ever makes T, and where T by itself does not become one token none does. */
#ifndef BIPE_TOKEN_TIKTOKEN_MERGES_H
#define BIPE_TOKEN_TIKTOKEN_MERGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "token/pair_table.h"
#include "token/vocabulary.h"

/* Adds (left, right) -> (rank, id) of all strings that merges make to the empty table; holes of the vocabulary are empty, a string's
 * rank is its id; ids below `first` are none of it. byte: of each byte, its id. *all: merges make all of them. BIPE_ERR_MEMORY. */
int bipe_tiktoken_merges(bipe_pair_table *merges, const bipe_vocabulary *vocabulary, size_t first, const uint32_t byte[256],
                         bool *all, bipe_error *err);

#endif
