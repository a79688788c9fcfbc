/* merge_loop.c - merges neighbours, best pair first: a heap of candidates, O(n log n).
 *
 * A fast version replaces this file alone. */
#include "base/alloc.h"
#include "token/bpe.h"

/* A pair of neighbours that can be merged, by the place of its left half. */
typedef struct bipe_candidate {
    uint32_t rank, place, result;
} bipe_candidate;

static bool goes_before(const bipe_candidate *a, const bipe_candidate *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->place < b->place;
}

static int heap_push(bipe_stretch *s, bipe_candidate candidate)
{
    if (bipe_grow(&s->heap, &s->heap_capacity, s->heap_count + 1, sizeof *s->heap) != 0)
        return -1;
    size_t i = s->heap_count++;
    while (i > 0 && goes_before(&candidate, &s->heap[(i - 1) / 2])) {
        s->heap[i] = s->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->heap[i] = candidate;
    return 0;
}

static bipe_candidate heap_pop(bipe_stretch *s)
{
    bipe_candidate top = s->heap[0], moved = s->heap[--s->heap_count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= s->heap_count)
            break;
        if (child + 1 < s->heap_count && goes_before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!goes_before(&s->heap[child], &moved))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = moved;
    return top;
}

/* Adds the pair of the symbols at left and right to the candidates if it can be merged. */
static int consider(bipe_stretch *s, const bipe_pair_table *merges, uint32_t left, uint32_t right)
{
    const bipe_pair_entry *e = bipe_pair_table_find(merges, s->symbol[left], s->symbol[right]);
    return e != NULL ? heap_push(s, (bipe_candidate){.rank = e->a, .place = left, .result = e->b}) : 0;
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
        if (i != 0 && consider(s, merges, i - 1, i) != 0)
            return bipe_fail_memory(err);
    }
    while (s->heap_count != 0) {
        bipe_candidate top = heap_pop(s);
        uint32_t left = top.place, right = s->next[left];
        /* The pair may be gone: its left half merged into the symbol before it, or one of the two grew. */
        if (s->symbol[left] == BIPE_NO_SYMBOL || right == count)
            continue;
        const bipe_pair_entry *e = bipe_pair_table_find(merges, s->symbol[left], s->symbol[right]);
        if (e == NULL || e->b != top.result)
            continue;
        s->symbol[left] = top.result;
        s->symbol[right] = BIPE_NO_SYMBOL;
        uint32_t after = s->next[left] = s->next[right];
        if (after != count)
            s->prev[after] = left;
        if ((left != 0 && consider(s, merges, s->prev[left], left) != 0) ||
            (after != count && consider(s, merges, left, after) != 0))
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
