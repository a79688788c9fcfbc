/* code_set.c - sets of characters, as ranges of code points. */
#include "text/code_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

int bipe_code_set_add(bipe_code_set *set, int32_t first, int32_t last, bipe_error *err)
{
    if (set->count > 0 && set->range[set->count - 1].last + 1 >= first) {
        bipe_code_range *before = &set->range[set->count - 1];
        before->last = last > before->last ? last : before->last;
        return BIPE_OK;
    }
    if (bipe_grow(&set->range, &set->capacity, set->count + 1, sizeof *set->range) != 0)
        return bipe_fail_memory(err);
    set->range[set->count++] = (bipe_code_range){first, last};
    return BIPE_OK;
}

int bipe_code_set_gather(bipe_code_set *set, const bipe_code_range *range, size_t count, bipe_error *err)
{
    if (count == 0)
        return BIPE_OK;
    if (bipe_grow(&set->range, &set->capacity, set->count + count, sizeof *set->range) != 0)
        return bipe_fail_memory(err);
    memcpy(set->range + set->count, range, count * sizeof *range);
    set->count += count;
    return BIPE_OK;
}

int bipe_code_set_fill(bipe_code_set *set, const bipe_code_set *listed, bool negated, bipe_error *err)
{
    int32_t next = 0;
    int status = BIPE_OK;
    for (size_t i = 0; i < listed->count && status == BIPE_OK; i++) {
        int32_t first = listed->range[i].first, last = listed->range[i].last;
        if (!negated)
            status = bipe_code_set_add(set, first, last, err);
        else if (first > next)
            status = bipe_code_set_add(set, next, first - 1, err);
        next = last + 1;
    }
    if (status == BIPE_OK && negated && next < BIPE_CODES)
        status = bipe_code_set_add(set, next, BIPE_CODES - 1, err);
    return status;
}

static int by_first(const void *a, const void *b)
{
    const bipe_code_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

void bipe_code_set_sort(bipe_code_set *set)
{
    size_t count = set->count;
    if (count > 0)
        qsort(set->range, count, sizeof *set->range, by_first);
    set->count = 0;
    for (size_t i = 0; i < count; i++) {
        bipe_code_range *before = set->count > 0 ? &set->range[set->count - 1] : NULL, range = set->range[i];
        if (before == NULL || range.first > before->last + 1)
            set->range[set->count++] = range;
        else if (range.last > before->last)
            before->last = range.last;
    }
}

void bipe_code_set_free(bipe_code_set *set)
{
    bipe_free(set->range);
    *set = (bipe_code_set){0};
}
