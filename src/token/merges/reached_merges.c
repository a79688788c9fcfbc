/* reached_merges.c - see reached_merges.h. */
#include "token/merges/reached_merges.h"

#include <string.h>

#include "base/alloc.h"
#include "token/words/word_key.h"

#define NOTHING UINT32_MAX

static int note_merges(bipe_reached *r, const bipe_pair_table *pairs, size_t ids)
{
    r->id = bipe_alloc_large_unset(ids, sizeof *r->id);
    if (r->id == NULL)
        return -1;
    for (size_t id = 0; id < ids; id++)
        r->id[id] = (bipe_reached_id){.left = NOTHING, .right = NOTHING};
    for (size_t i = 0; i <= pairs->mask; i++) {
        const bipe_pair_entry *e = &pairs->entry[i];
        if (e->key == BIPE_PAIR_EMPTY)
            continue;
        bipe_reached_id *into = &r->id[e->b];
        into->several = into->left != NOTHING;
        if (!into->several || e->a < into->rank) {
            into->left = (uint32_t)(e->key >> 32);
            into->right = (uint32_t)e->key;
            into->rank = e->a;
        }
    }
    return 0;
}

static const uint8_t *string_of(const bipe_reached *r, uint32_t id)
{
    return r->text + r->id[id].at;
}

/* The string of an id that two others make, whose strings are known, if it is not too long. */
static int join(bipe_reached *r, bipe_reached_id *into, uint32_t one, uint32_t other)
{
    size_t left = r->id[one].size, right = r->id[other].size;
    if (left == 0 || right == 0 || left + right > BIPE_REACHED_MOST)
        return 0;
    if (bipe_grow(&r->text, &r->text_capacity, r->text_size + left + right + BIPE_WORD_READ, 1) != 0)
        return -1;
    into->at = r->text_size;
    into->size = (uint8_t)(left + right);
    memcpy(r->text + r->text_size, string_of(r, one), left);
    memcpy(r->text + r->text_size + left, string_of(r, other), right);
    r->text_size += left + right;
    return 0;
}

/* Strings of the bytes' symbols, */
static int set_symbols(bipe_reached *r, const uint32_t symbol[256], size_t ids)
{
    if (bipe_grow(&r->text, &r->text_capacity, 256 + BIPE_WORD_READ, 1) != 0)
        return -1;
    r->text_size = 256;
    for (size_t b = 0; b < 256; b++) {
        r->text[b] = (uint8_t)b;
        if (symbol[b] < ids) {
            r->id[symbol[b]].at = b;
            r->id[symbol[b]].size = 1;
        }
    }
    return 0;
}

/* of what is made of them by the merge that is noted, */
static int find_strings(bipe_reached *r, size_t ids)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t id = 0; id < ids; id++) {
            bipe_reached_id *into = &r->id[id];
            if (into->size != 0 || into->left == NOTHING)
                continue;
            if (join(r, into, into->left, into->right) != 0)
                return -1;
            more = more || into->size != 0;
        }
    }
    return 0;
}

/* and by others, if that has a side that is never made: *more says that there were some. *alike: all merges that make an id make it from
 * the same bytes, which are its string. */
static int find_others(bipe_reached *r, const bipe_pair_table *pairs, bool *more, bool *alike)
{
    *more = false;
    for (size_t i = 0; i <= pairs->mask; i++) {
        const bipe_pair_entry *e = &pairs->entry[i];
        if (e->key == BIPE_PAIR_EMPTY || (!r->id[e->b].several && r->id[e->b].size > 1))
            continue;
        bipe_reached_id *into = &r->id[e->b];
        uint32_t left = (uint32_t)(e->key >> 32), right = (uint32_t)e->key;
        size_t n_left = r->id[left].size, n_right = r->id[right].size;
        if (n_left == 0 || n_right == 0)
            continue; /* this never comes up */
        if (into->size == 0) {
            if (join(r, into, left, right) != 0)
                return -1;
            *more = *more || into->size != 0;
        } else {
            *alike = *alike && n_left + n_right == into->size && memcmp(string_of(r, e->b), string_of(r, left), n_left) == 0 &&
                     memcmp(string_of(r, e->b) + n_left, string_of(r, right), n_right) == 0;
        }
    }
    return 0;
}

static int find_all_strings(bipe_reached *r, const bipe_pair_table *pairs, const uint32_t symbol[256], size_t ids, bool *alike)
{
    int status = set_symbols(r, symbol, ids);
    *alike = true;
    for (bool more = true; more && *alike && status == 0;) {
        status = find_strings(r, ids);
        if (status == 0)
            status = find_others(r, pairs, &more, alike);
    }
    if (status == 0)
        memset(r->text + r->text_size, 0, BIPE_WORD_READ);
    return status;
}

/* Sorts ids by their keys, which are below 2^bits, a digit after the other from the lowest on; equal ones stay as they are. other: room for
 * as many. Returns where they are then. */
static uint64_t *sort(uint64_t *list, uint64_t *other, size_t count, unsigned bits)
{
    enum { DIGIT = 11, DIGITS = 1 << DIGIT };
    for (unsigned shift = 32; shift < 32 + bits; shift += DIGIT) {
        size_t place[DIGITS + 1] = {0};
        for (size_t i = 0; i < count; i++)
            place[(list[i] >> shift & (DIGITS - 1)) + 1]++;
        for (size_t d = 1; d < DIGITS; d++)
            place[d] += place[d - 1];
        for (size_t i = 0; i < count; i++)
            other[place[list[i] >> shift & (DIGITS - 1)]++] = list[i];
        uint64_t *swap = list;
        list = other;
        other = swap;
    }
    return list;
}

/* The ids that merges make, by rank or by size. */
static int sort_ids(const bipe_reached *r, bool by_size, uint32_t *sorted)
{
    uint64_t *list = bipe_realloc(NULL, r->count, sizeof *list), *other = bipe_realloc(NULL, r->count, sizeof *other);
    int status = list != NULL && other != NULL ? 0 : -1;
    size_t n = 0;
    for (uint32_t id = 0; id < r->ids && status == 0; id++)
        if (r->id[id].size > 1)
            list[n++] = (uint64_t)(by_size ? r->id[id].size : r->id[id].rank) << 32 | id;
    const uint64_t *found = status == 0 ? sort(list, other, n, by_size ? 8 : 32) : NULL;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (uint32_t)found[i];
    bipe_free(list);
    bipe_free(other);
    return status;
}

static int list_ids(bipe_reached *r)
{
    for (size_t id = 0; id < r->ids; id++)
        r->count += r->id[id].size > 1;
    r->by_rank = bipe_realloc(NULL, r->count, sizeof *r->by_rank);
    r->by_size = bipe_realloc(NULL, r->count, sizeof *r->by_size);
    int status = r->by_rank != NULL && r->by_size != NULL ? bipe_reached_sort(r) : -1;
    return status == 0 ? sort_ids(r, true, r->by_size) : status;
}

int bipe_reached_sort(bipe_reached *r)
{
    return sort_ids(r, false, r->by_rank);
}

bool bipe_reached_is_sorted(const bipe_reached *r)
{
    for (size_t i = 1; i < r->count; i++) {
        uint32_t one = r->by_rank[i - 1], next = r->by_rank[i];
        if (r->id[one].rank > r->id[next].rank || (r->id[one].rank == r->id[next].rank && one > next))
            return false;
    }
    return true;
}

int bipe_reached_find(bipe_reached *r, const bipe_pair_table *pairs, const uint32_t symbol[256], size_t ids)
{
    bool alike;
    if (pairs->count == 0)
        return 0;
    r->ids = ids;
    int status = note_merges(r, pairs, ids);
    if (status == 0)
        status = find_all_strings(r, pairs, symbol, ids, &alike);
    return status == 0 && alike ? list_ids(r) : status;
}

void bipe_reached_free(bipe_reached *r)
{
    bipe_free(r->id);
    bipe_free(r->text);
    bipe_free(r->by_rank);
    bipe_free(r->by_size);
    *r = (bipe_reached){0};
}
