/* histogram.c - exact sparse counts: an array for small values, open addressing for the others. */
#include "measure/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { SMALL_FIRST = 64 }; /* a power of two, as BIPE_HISTOGRAM_SMALL */
enum { MOST_KEPT = 1 << 9 };        /* slots of a table that is empty */

/* Grows the array to the small values below `top`. It starts small: there are many histograms, and most have few
 * values. */
static int make_small(bipe_histogram *h, size_t top, bipe_error *err)
{
    size_t capacity = h->small_capacity != 0 ? h->small_capacity : SMALL_FIRST;
    if (top <= h->small_capacity)
        return BIPE_OK;
    while (capacity < top)
        capacity *= 2;
    uint64_t *grown = bipe_realloc(h->small, capacity, sizeof *grown);
    if (grown == NULL)
        return bipe_fail_memory(err);
    memset(grown + h->small_capacity, 0, (capacity - h->small_capacity) * sizeof *grown);
    h->small = grown;
    h->small_capacity = capacity;
    return BIPE_OK;
}

/* The slot of `value` in a table of a power of two: where it is, or the free one where it would be. */
static size_t slot_of_value(const bipe_count *table, size_t capacity, uint64_t value)
{
    size_t i = (size_t)((value * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (capacity - 1);
    while (table[i].count != 0 && table[i].value != value)
        i = (i + 1) & (capacity - 1);
    return i;
}

/* Keeps the table at most three quarters full with one more value in it. */
static int grow_table(bipe_histogram *h, bipe_error *err)
{
    if (h->capacity != 0 && h->used + 1 <= h->capacity - h->capacity / 4)
        return BIPE_OK;
    size_t capacity = h->capacity == 0 ? 64 : h->capacity * 2;
    bipe_count *table = bipe_alloc(capacity, sizeof *table);
    if (table == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < h->capacity; i++)
        if (h->large[i].count != 0)
            table[slot_of_value(table, capacity, h->large[i].value)] = h->large[i];
    bipe_free(h->large);
    h->large = table;
    h->capacity = capacity;
    return BIPE_OK;
}

int bipe_histogram_add(bipe_histogram *h, uint64_t value, uint64_t count, bipe_error *err)
{
    if (count == 0)
        return BIPE_OK;
    if (count > UINT64_MAX - h->total)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than 2^64 - 1 observations, expected fewer");
    if (value < BIPE_HISTOGRAM_SMALL) {
        int status = make_small(h, (size_t)value + 1, err);
        if (status != BIPE_OK)
            return status;
        h->small[value] += count;
        if (h->small_top <= value)
            h->small_top = (size_t)value + 1;
    } else {
        int status = grow_table(h, err);
        if (status != BIPE_OK)
            return status;
        bipe_count *entry = &h->large[slot_of_value(h->large, h->capacity, value)];
        if (entry->count == 0) {
            entry->value = value;
            h->used++;
        }
        entry->count += count;
    }
    h->total += count;
    return BIPE_OK;
}

int bipe_histogram_merge(bipe_histogram *into, const bipe_histogram *from, bipe_error *err)
{
    if (from->total > UINT64_MAX - into->total)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than 2^64 - 1 observations, expected fewer");
    uint64_t small = from->total;
    int status = make_small(into, from->small_top, err);
    if (from->used != 0)
        for (size_t i = 0; i < from->capacity && status == BIPE_OK; i++) {
            small -= from->large[i].count;
            status = bipe_histogram_add(into, from->large[i].value, from->large[i].count, err);
        }
    if (status != BIPE_OK || from->small_top == 0)
        return status;
    for (size_t v = 0; v < from->small_top; v++)
        into->small[v] += from->small[v];
    into->small_top = into->small_top < from->small_top ? from->small_top : into->small_top;
    into->total += small;
    return BIPE_OK;
}

void bipe_histogram_clear(bipe_histogram *h)
{
    if (h->small_top != 0)
        memset(h->small, 0, h->small_top * sizeof *h->small);
    if (h->capacity > MOST_KEPT) {
        bipe_free(h->large);
        h->large = NULL;
        h->capacity = 0;
    } else if (h->used != 0)
        memset(h->large, 0, h->capacity * sizeof *h->large);
    h->small_top = h->used = 0;
    h->total = 0;
}

void bipe_histogram_free(bipe_histogram *h)
{
    bipe_free(h->small);
    bipe_free(h->large);
    *h = (bipe_histogram){0};
}

size_t bipe_histogram_memory(const bipe_histogram *h)
{
    return h->small_capacity * sizeof *h->small + h->capacity * sizeof *h->large;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = ((const bipe_count *)a)->value, y = ((const bipe_count *)b)->value;
    return (x > y) - (x < y);
}

int bipe_histogram_sorted(const bipe_histogram *h, bipe_count **counts, size_t *size, bipe_error *err)
{
    size_t n = h->used;
    for (size_t v = 0; v < h->small_top; v++)
        n += h->small[v] != 0;
    bipe_count *list = bipe_alloc(n, sizeof *list);
    if (list == NULL)
        return bipe_fail_memory(err);
    size_t k = 0;
    for (size_t v = 0; v < h->small_top; v++)
        if (h->small[v] != 0)
            list[k++] = (bipe_count){.value = v, .count = h->small[v]};
    size_t first = k;
    for (size_t i = 0; i < h->capacity; i++)
        if (h->large[i].count != 0)
            list[k++] = h->large[i];
    qsort(list + first, k - first, sizeof *list, by_value);
    *counts = list;
    *size = k;
    return BIPE_OK;
}
