/* reached_merges.h - the merges of a vocabulary that ever come up in short words of bytes.
 *
 * Lists of merges for the Llama family name several for most ids. Of those that make an id from the same symbols only one ever does: that
 * which these symbols end with when they are merged by themselves (tiktoken_merges.h says why; it does not take equal ranks). */
#ifndef BIPE_TOKEN_REACHED_MERGES_H
#define BIPE_TOKEN_REACHED_MERGES_H

#include <stddef.h>
#include <stdint.h>

#include "token/pair_table.h"

enum { BIPE_REACHED_MOST = 62 }; /* bytes of a word */

/* Lists the merges (left, right) -> (rank, id) that come up in words of at most BIPE_REACHED_MOST bytes, by rising rank, of equals by id: one for
 * each id, or, for an id that one merge makes, that one. None, when an id is made from different symbols. symbol: of each byte, its id,
 * or BIPE_NO_SYMBOL where it stands in no word; all ids of pairs are below size. *merges (*count): the caller's to free. 0, or -1 when memory is
 * out. */
int bipe_reached_merges(const bipe_pair_table *pairs, const uint32_t symbol[256], size_t size, bipe_pair_entry **merges, size_t *count);

#endif
