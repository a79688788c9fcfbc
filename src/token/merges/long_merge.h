/* long_merge.h - byte-pair encoding of a row of symbols of any length, in bounded memory: symbols go in one by one, tokens come out
 * in order. Exactly what merging the whole row gives (merge_loop.h), or an error.
 *
 * A row is encoded window by window; neighbouring windows overlap and are joined at a token that both have. Why that is right:
 *
 * Let E(T) be the tokens of a row T, merged best pair first, leftmost among equals, each a range of T.
 *
 * (1) Let I be a range of T whose ends no merge of T crosses. Then the merges of T within I are those of E(I), in the same order: the
 *     best pair of T, when it lies in I, is the best of I, and nothing but merges within I changes what stands in I.
 * (2) A cut of T into ranges is E(T) if and only if each range by itself becomes one token, and each two neighbours by themselves
 *     become these two. "Only if" is (1). "If": suppose that merges of T cross a border of the cut, and look at the first that
 *     does. What it joins lies in the two ranges beside the border, for nothing has crossed their other ends yet. By (1) all
 *     merges in these two so far were those of the two by themselves, and this one, the best of T, is the next of theirs: but they
 *     stay two. So nothing crosses a border, and by (1) each range becomes its one token.
 * (3) So let A = E(T[0, i)), B = E(T[j, k)), j < i <= k, and both have the token [p, q). Then A up to it and B from it on are
 *     E(T[0, k)): all the neighbours in it are neighbours in A or in B, and these are E of their ranges by (2).
 *
 * Ranks may be anything: equal, or smaller for what is made from others. When no token is shared, the second window begins further
 * back, twice as far each time, and the next windows are made longer, so that all of this stays a small share of the work. It
 * goes no further back than the tail of the row that is kept. */
#ifndef BIPE_TOKEN_LONG_MERGE_H
#define BIPE_TOKEN_LONG_MERGE_H

#include <stdbool.h>

#include "token/merges/merge_loop.h"

/* A token made from `count` symbols, which had these sizes when they were pushed. */
typedef int bipe_merged_sink(void *context, uint32_t symbol, const uint32_t *size, size_t count, bipe_error *err);

/* Zero-initialise, set these, and begin. They may be changed before another bipe_long_merge_begin(). */
typedef struct bipe_long_merge {
    const bipe_pair_table *merges;
    bipe_merged_sink *sink;
    void *context;
    size_t window, overlap, kept; /* symbols, at least 1; 0: BIPE_MERGE_WINDOW, _OVERLAP, _KEPT */

    /* Its own. The row from some token on, of which [0, done) is encoded: token k ends before symbol end[k]. */
    uint32_t *symbol, *size, *token, *end;
    size_t symbol_capacity, size_capacity, token_capacity, end_capacity;
    size_t count, done, tokens;
    bool dropped;                 /* something in front of it has gone out */
    size_t back, step;            /* symbols that the last window began before `done`; new ones that the next takes */
    uint32_t *row, *row_end;      /* a window on its way */
    size_t row_capacity, row_end_capacity;
    bipe_merge_room room;
} bipe_long_merge;

enum { BIPE_MERGE_WINDOW = 4096, BIPE_MERGE_OVERLAP = 128, BIPE_MERGE_KEPT = 1 << 15 };

/* Forgets what is there: a new row. Called first of all, and after an error. */
void bipe_long_merge_begin(bipe_long_merge *merge);
/* The next symbol of the row, and a number that goes out with it (the bytes that it stands for). What the sink returns ends it and is
 * returned; BIPE_ERR_MEMORY; BIPE_ERR_LIMIT: the tokens depend on more than the `kept` symbols before. */
int bipe_long_merge_push(bipe_long_merge *merge, uint32_t symbol, uint32_t size, bipe_error *err);
/* The row is over: the rest goes out, and a new row begins. Errors as above. */
int bipe_long_merge_end(bipe_long_merge *merge, bipe_error *err);
/* Releases what it holds; it may be used again. */
void bipe_long_merge_free(bipe_long_merge *merge);

#endif
