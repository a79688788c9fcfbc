/* merge_loop.c - merges the neighbours of a row, best pair first: a scan of all pairs for short rows, a heap of
 * candidates for long ones, O(n log n). */
#include "token/merges/merge_loop.h"

#include <string.h>

#include "base/alloc.h"

#define NO_RANK UINT32_MAX

/* The pair of a symbol and the one after it: *into is what they make; NO_RANK when they make nothing. */
static uint32_t rank_of(const bipe_pair_table *merges, uint32_t left, uint32_t right, uint32_t *into)
{
    const bipe_pair_entry *e = bipe_pair_table_find(merges, left, right);
    if (e == NULL)
        return NO_RANK;
    *into = e->b;
    return e->a;
}

/* ---- short rows ---- */

static size_t merge_short(const bipe_pair_table *merges, uint32_t *symbol, uint32_t *end, size_t n)
{
    uint32_t rank[BIPE_MERGE_SHORT], into[BIPE_MERGE_SHORT];
    for (size_t i = 0; i < n; i++)
        end[i] = (uint32_t)i + 1;
    for (size_t i = 0; i + 1 < n; i++)
        rank[i] = rank_of(merges, symbol[i], symbol[i + 1], &into[i]);
    while (n > 1) {
        size_t best = 0, pairs = n - 1;
        uint32_t least = rank[0];
        for (size_t i = 1; i < pairs; i++) {
            best = rank[i] < least ? i : best;
            least = rank[i] < least ? rank[i] : least;
        }
        if (least == NO_RANK)
            break;
        symbol[best] = into[best];
        n--;
        for (size_t i = best; i < n; i++)
            end[i] = end[i + 1];
        for (size_t i = best + 1; i < n; i++) {
            symbol[i] = symbol[i + 1];
            rank[i - 1] = rank[i];
            into[i - 1] = into[i];
        }
        if (best > 0)
            rank[best - 1] = rank_of(merges, symbol[best - 1], symbol[best], &into[best - 1]);
        if (best + 1 < n)
            rank[best] = rank_of(merges, symbol[best], symbol[best + 1], &into[best]);
    }
    return n;
}

/* ---- long rows ---- */

/* The symbol that begins here and its pair with the next one. */
typedef struct bipe_merge_node {
    uint32_t rank, into;
    uint32_t next, prev; /* where the neighbours begin (next: the length of the row, when there is none) */
} node;

/* A candidate is a pair of neighbours that can be merged: its rank, and in the lower half the position of its left
 * symbol. The smallest goes first. */
static uint64_t candidate_of(uint32_t rank, uint32_t at)
{
    return (uint64_t)rank << 32 | at;
}

static void sift_down(uint64_t *heap, size_t count, size_t i)
{
    uint64_t moved = heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= count)
            break;
        if (child + 1 < count)
            child += heap[child + 1] < heap[child];
        if (moved <= heap[child])
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static void sift_up(uint64_t *heap, size_t i)
{
    uint64_t moved = heap[i];
    while (i > 0 && moved < heap[(i - 1) / 2]) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = moved;
}

static size_t merge_long(bipe_merge_memory *memory, const bipe_pair_table *merges, uint32_t *symbol, uint32_t *end,
                         uint32_t count)
{
    node *p = memory->node;
    uint64_t *heap = memory->heap;
    size_t candidates = 0;
    for (uint32_t i = 0; i < count; i++) {
        p[i] = (node){.rank = NO_RANK, .next = i + 1, .prev = i - 1};
        if (i + 1 < count && (p[i].rank = rank_of(merges, symbol[i], symbol[i + 1], &p[i].into)) != NO_RANK)
            heap[candidates++] = candidate_of(p[i].rank, i);
    }
    for (size_t i = candidates / 2; i-- != 0;)
        sift_down(heap, candidates, i);
    while (candidates != 0) {
        uint64_t top = heap[0];
        uint32_t left = (uint32_t)top, right = p[left].next;
        /* The pair may no longer exist: its left half merged into the symbol before it, or one of the two grew. If the
         * pair that is now in its place has the same rank, it is the next to be merged all the same. */
        if (p[left].rank != top >> 32) {
            heap[0] = heap[--candidates];
            sift_down(heap, candidates, 0);
            continue;
        }
        symbol[left] = p[left].into;
        uint32_t after = p[left].next = p[right].next;
        p[right].rank = NO_RANK;
        p[left].rank = NO_RANK;
        if (after != count) {
            p[after].prev = left;
            p[left].rank = rank_of(merges, symbol[left], symbol[after], &p[left].into);
        }
        /* The pair that its symbol now begins takes the slot of the candidate that is done, if there is one. */
        heap[0] = p[left].rank != NO_RANK ? candidate_of(p[left].rank, left) : heap[--candidates];
        sift_down(heap, candidates, 0);
        if (left != 0) {
            uint32_t before = p[left].prev;
            p[before].rank = rank_of(merges, symbol[before], symbol[left], &p[before].into);
            if (p[before].rank != NO_RANK) {
                heap[candidates] = candidate_of(p[before].rank, before);
                sift_up(heap, candidates++);
            }
        }
    }
    size_t n = 0;
    for (uint32_t i = 0; i < count; i = p[i].next) {
        symbol[n] = symbol[i];
        end[n++] = p[i].next;
    }
    return n;
}

int bipe_merge_row(bipe_merge_memory *memory, const bipe_pair_table *merges, uint32_t *symbol, uint32_t *end,
                   size_t *count, bipe_error *err)
{
    size_t n = *count;
    if (n <= BIPE_MERGE_SHORT) {
        *count = merge_short(merges, symbol, end, n);
        return BIPE_OK;
    }
    /* Each merge takes a candidate away and adds two at most, so that there are never more than n - 1 + n - 1. */
    if (bipe_grow(&memory->node, &memory->node_capacity, n, sizeof *memory->node) != 0 ||
        bipe_grow(&memory->heap, &memory->heap_capacity, 2 * n, sizeof *memory->heap) != 0)
        return bipe_fail_memory(err);
    *count = merge_long(memory, merges, symbol, end, (uint32_t)n);
    return BIPE_OK;
}

static void free_merge_memory(bipe_merge_memory *memory)
{
    bipe_free(memory->node);
    bipe_free(memory->heap);
    *memory = (bipe_merge_memory){0};
}

int bipe_symbol_row_grow(bipe_symbol_row *row, bipe_error *err)
{
    size_t want = row->count + 1;
    return bipe_grow(&row->symbol, &row->symbol_capacity, want, sizeof *row->symbol) == 0 &&
                   bipe_grow(&row->size, &row->size_capacity, want, sizeof *row->size) == 0 &&
                   bipe_grow(&row->end, &row->end_capacity, want, sizeof *row->end) == 0
               ? BIPE_OK
               : bipe_fail_memory(err);
}

void bipe_symbol_row_free(bipe_symbol_row *row)
{
    bipe_free(row->symbol);
    bipe_free(row->size);
    bipe_free(row->end);
    free_merge_memory(&row->memory);
    *row = (bipe_symbol_row){0};
}
