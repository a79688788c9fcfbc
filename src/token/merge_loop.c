/* merge_loop.c - merges neighbours, best pair first: a heap of candidates, O(n log n).
 *
 * A fast version replaces this file alone. */
#include "base/alloc.h"
#include "token/bpe.h"

/* A candidate is a pair of neighbours that can be merged: its rank, and in the lower half the place of its left symbol. The
 * smallest goes first. */
static uint64_t candidate_of(uint32_t rank, uint32_t place)
{
    return (uint64_t)rank << 32 | place;
}

static void sift_down(uint64_t *heap, size_t count, size_t i)
{
    uint64_t moved = heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= count)
            break;
        if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (moved <= heap[child])
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static uint64_t heap_pop(bipe_stretch *s)
{
    uint64_t top = s->heap[0];
    s->heap[0] = s->heap[--s->heap_count];
    sift_down(s->heap, s->heap_count, 0);
    return top;
}

/* If the symbols at left and right can be merged: adds them behind the heap (its order is not kept). 0, or -1. */
static int append_pair(bipe_stretch *s, const bipe_pair_table *merges, uint32_t left, uint32_t right)
{
    const bipe_pair_entry *e = bipe_pair_table_find(merges, s->symbol[left], s->symbol[right]);
    if (e == NULL)
        return 0;
    if (bipe_grow(&s->heap, &s->heap_capacity, s->heap_count + 1, sizeof *s->heap) != 0)
        return -1;
    s->heap[s->heap_count++] = candidate_of(e->a, left);
    return 0;
}

/* The same, with the order restored. */
static int push_pair(bipe_stretch *s, const bipe_pair_table *merges, uint32_t left, uint32_t right)
{
    size_t i = s->heap_count;
    if (append_pair(s, merges, left, right) != 0)
        return -1;
    if (i == s->heap_count)
        return 0;
    uint64_t candidate = s->heap[i];
    while (i > 0 && candidate < s->heap[(i - 1) / 2]) {
        s->heap[i] = s->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->heap[i] = candidate;
    return 0;
}

int bipe_stretch_merge(bipe_stretch *s, const bipe_pair_table *merges, bipe_error *err)
{
    uint32_t count = (uint32_t)s->count; /* the stream keeps it below BIPE_TOKEN_HOLD_LIMIT */
    if (bipe_grow(&s->next, &s->next_capacity, count, sizeof *s->next) != 0 ||
        bipe_grow(&s->prev, &s->prev_capacity, count, sizeof *s->prev) != 0)
        return bipe_fail_memory(err);
    s->heap_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        s->next[i] = i + 1;
        s->prev[i] = i - 1; /* of the first: never used */
        if (i != 0 && append_pair(s, merges, i - 1, i) != 0)
            return bipe_fail_memory(err);
    }
    for (size_t i = s->heap_count / 2; i-- != 0;)
        sift_down(s->heap, s->heap_count, i);
    while (s->heap_count != 0) {
        uint64_t top = heap_pop(s);
        uint32_t left = (uint32_t)top, right = s->next[left];
        /* The pair may be gone: its left half merged into the symbol before it, or one of the two grew. When what stands
         * there now has the same rank, it is the next to be merged as well. */
        if (s->symbol[left] == BIPE_NO_SYMBOL || right == count)
            continue;
        const bipe_pair_entry *e = bipe_pair_table_find(merges, s->symbol[left], s->symbol[right]);
        if (e == NULL || e->a != top >> 32)
            continue;
        s->symbol[left] = e->b;
        s->symbol[right] = BIPE_NO_SYMBOL;
        uint32_t after = s->next[left] = s->next[right];
        if (after != count)
            s->prev[after] = left;
        if ((left != 0 && push_pair(s, merges, s->prev[left], left) != 0) ||
            (after != count && push_pair(s, merges, left, after) != 0))
            return bipe_fail_memory(err);
    }
    return BIPE_OK;
}

void bipe_stretch_free(bipe_stretch *s)
{
    bipe_free(s->symbol);
    bipe_free(s->size);
    bipe_free(s->next);
    bipe_free(s->prev);
    bipe_free(s->heap);
    *s = (bipe_stretch){0};
}
