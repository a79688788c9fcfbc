/* reached_merges.c - see reached_merges.h. */
#include "token/reached_merges.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "token/merge_loop.h"

#define NOTHING UINT32_MAX

typedef struct reached {
    const bipe_pair_table *pairs;
    size_t count;                      /* ids are below this */
    uint32_t *left, *right;            /* (count) one of the merges that make an id; NOTHING: none does */
    uint8_t *several, *length;         /* (count) whether there are others; symbols that it is made of, 0: too many */
    uint32_t *by_length;               /* ids with several, by length */
} reached;

static void reached_free(reached *r)
{
    bipe_free(r->left);
    bipe_free(r->right);
    bipe_free(r->several);
    bipe_free(r->length);
    bipe_free(r->by_length);
}

/* Lengths, shortest first; an id that is made of itself has none. */
static void find_lengths(reached *r, const uint32_t symbol[256])
{
    for (size_t b = 0; b < 256; b++)
        if (symbol[b] < r->count)
            r->length[symbol[b]] = 1;
    for (bool more = true; more;) {
        more = false;
        for (size_t id = 0; id < r->count; id++) {
            if (r->length[id] != 0 || r->left[id] == NOTHING)
                continue;
            size_t left = r->length[r->left[id]], right = r->length[r->right[id]];
            if (left != 0 && right != 0 && left + right <= BIPE_REACHED_MOST) {
                r->length[id] = (uint8_t)(left + right);
                more = true;
            }
        }
    }
}

/* The symbols that an id of a known length is made of. */
static void spell(const reached *r, uint32_t id, uint32_t *symbol)
{
    uint32_t stack[BIPE_REACHED_MOST + 1];
    size_t depth = 0, n = 0;
    stack[depth++] = id;
    while (depth != 0) {
        id = stack[--depth];
        if (r->length[id] == 1) {
            symbol[n++] = id;
        } else {
            stack[depth++] = r->right[id];
            stack[depth++] = r->left[id];
        }
    }
}

/* Whether all merges that make an id make it from the same symbols. */
static bool is_spelled_alike(const reached *r)
{
    uint32_t one[BIPE_REACHED_MOST], other[2 * BIPE_REACHED_MOST];
    for (size_t i = 0; i <= r->pairs->mask; i++) {
        const bipe_pair_entry *e = &r->pairs->entry[i];
        if (e->key == BIPE_PAIR_EMPTY || !r->several[e->b])
            continue;
        uint32_t left = (uint32_t)(e->key >> 32), right = (uint32_t)e->key;
        size_t n = r->length[e->b];
        if (n == 0 || r->length[left] == 0 || r->length[right] == 0)
            continue; /* this never comes up */
        if (n == 1 || (size_t)r->length[left] + r->length[right] != n)
            return false;
        spell(r, e->b, one);
        spell(r, left, other);
        spell(r, right, other + r->length[left]);
        if (memcmp(one, other, n * sizeof *one) != 0)
            return false;
    }
    return true;
}

static void sort_by_length(reached *r, size_t *several)
{
    size_t place[BIPE_REACHED_MOST + 2] = {0};
    for (size_t id = 0; id < r->count; id++)
        if (r->several[id] && r->length[id] > 1)
            place[r->length[id] + 1]++;
    for (size_t k = 1; k < BIPE_REACHED_MOST + 2; k++)
        place[k] += place[k - 1];
    *several = place[BIPE_REACHED_MOST + 1];
    for (size_t id = 0; id < r->count; id++)
        if (r->several[id] && r->length[id] > 1)
            r->by_length[place[r->length[id]]++] = (uint32_t)id;
}

/* Of the ids that several merges make, adds the merge that does. */
static int add_several(reached *r, bipe_pair_table *out, size_t several)
{
    bipe_merge_room room = {0};
    bipe_error err;
    int status = 0;
    for (size_t i = 0; status == 0 && i < several; i++) {
        uint32_t id = r->by_length[i], row[BIPE_REACHED_MOST], end[BIPE_REACHED_MOST];
        size_t left = r->length[id];
        spell(r, id, row);
        for (size_t k = 0; k < left; k++)
            end[k] = (uint32_t)k + 1;
        status = bipe_merge_row(&room, out, row, end, &left, &err) == BIPE_OK ? 0 : -1;
        const bipe_pair_entry *e = left == 2 ? bipe_pair_table_find(r->pairs, row[0], row[1]) : NULL;
        if (status == 0 && e != NULL && e->b == id)
            status = bipe_pair_table_set(out, row[0], row[1], e->a, id);
    }
    bipe_merge_room_free(&room);
    return status;
}

static bool is_only(const reached *r, const bipe_pair_entry *e)
{
    return e->key != BIPE_PAIR_EMPTY && r->length[e->b] > 1 && !r->several[e->b];
}

/* Adds merges to the list, of which there are not more than pairs. */
static int add_reached(reached *r, const uint32_t symbol[256], bipe_pair_entry *list, size_t *count)
{
    size_t several;
    bipe_pair_table known = {0};
    find_lengths(r, symbol);
    if (!is_spelled_alike(r))
        return 0;
    sort_by_length(r, &several);
    for (size_t i = 0; i <= r->pairs->mask; i++)
        if (is_only(r, &r->pairs->entry[i]))
            list[(*count)++] = r->pairs->entry[i];
    if (several == 0)
        return 0;
    int status = bipe_pair_table_reserve(&known, r->count);
    for (size_t i = 0; status == 0 && i < *count; i++)
        status = bipe_pair_table_set(&known, (uint32_t)(list[i].key >> 32), (uint32_t)list[i].key, list[i].a, list[i].b);
    if (status == 0)
        status = add_several(r, &known, several);
    *count = 0;
    for (size_t i = 0; status == 0 && known.count != 0 && i <= known.mask; i++)
        if (known.entry[i].key != BIPE_PAIR_EMPTY)
            list[(*count)++] = known.entry[i];
    bipe_pair_table_free(&known);
    return status;
}

/* Sorts by rank and id, a digit after the other from the lowest on; other: room for as many. Returns where they are then. */
static bipe_pair_entry *sort_by_rank(bipe_pair_entry *list, bipe_pair_entry *other, size_t count)
{
    enum { DIGIT = 11, DIGITS = 1 << DIGIT };
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all |= (uint64_t)list[i].a << 32 | list[i].b;
    for (unsigned shift = 0; shift < 64; shift += DIGIT) {
        size_t place[DIGITS + 1] = {0};
        if ((all >> shift & (DIGITS - 1)) == 0)
            continue;
        for (size_t i = 0; i < count; i++)
            place[(((uint64_t)list[i].a << 32 | list[i].b) >> shift & (DIGITS - 1)) + 1]++;
        for (size_t d = 1; d < DIGITS; d++)
            place[d] += place[d - 1];
        for (size_t i = 0; i < count; i++)
            other[place[((uint64_t)list[i].a << 32 | list[i].b) >> shift & (DIGITS - 1)]++] = list[i];
        bipe_pair_entry *swap = list;
        list = other;
        other = swap;
    }
    return list;
}

int bipe_reached_merges(const bipe_pair_table *pairs, const uint32_t symbol[256], size_t size, bipe_pair_entry **merges, size_t *count)
{
    reached r = {.pairs = pairs, .count = size};
    bipe_pair_entry *list = bipe_realloc(NULL, pairs->count, sizeof *list), *other = bipe_realloc(NULL, pairs->count, sizeof *other);
    r.left = bipe_realloc(NULL, size, sizeof *r.left);
    r.right = bipe_alloc(size, sizeof *r.right);
    r.several = bipe_alloc(size, sizeof *r.several);
    r.length = bipe_alloc(size, sizeof *r.length);
    r.by_length = bipe_alloc(size, sizeof *r.by_length);
    int status = -1;
    *count = 0;
    if (list != NULL && other != NULL && r.left != NULL && r.right != NULL && r.several != NULL && r.length != NULL && r.by_length != NULL) {
        memset(r.left, 0xFF, size * sizeof *r.left);
        for (size_t i = 0; i <= pairs->mask; i++) {
            const bipe_pair_entry *e = &pairs->entry[i];
            if (e->key == BIPE_PAIR_EMPTY)
                continue;
            r.several[e->b] = r.left[e->b] != NOTHING;
            r.left[e->b] = (uint32_t)(e->key >> 32);
            r.right[e->b] = (uint32_t)e->key;
        }
        status = add_reached(&r, symbol, list, count);
    }
    reached_free(&r);
    *merges = status == 0 ? sort_by_rank(list, other, *count) : list;
    bipe_free(*merges == list ? other : list);
    return status;
}
