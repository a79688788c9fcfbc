/* unit_bins.c - units by the first bits of their keys. */
#include "measure/unit_bins.h"

#include <stdlib.h>

#include "base/alloc.h"

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = ((const bipe_unit_bin *)a)->key, y = ((const bipe_unit_bin *)b)->key;
    return (x > y) - (x < y);
}

/* Joins neighbours with the same key. */
static void join_bins(bipe_unit_bins *bins)
{
    size_t kept = 0;
    for (size_t i = 0; i < bins->count; i++) {
        bipe_unit_bin one = bins->bin[i];
        one.key = one.key >> bins->dropped << bins->dropped;
        if (kept > 0 && bins->bin[kept - 1].key == one.key) {
            bins->bin[kept - 1].sum += one.sum;
            bins->bin[kept - 1].weight += one.weight;
        } else {
            bins->bin[kept++] = one;
        }
    }
    bins->count = kept;
}

void bipe_unit_bins_settle(bipe_unit_bins *bins)
{
    if (bins->count > 0)
        qsort(bins->bin, bins->count, sizeof *bins->bin, compare_keys);
    for (join_bins(bins); bins->count > BIPE_UNITS_MOST; join_bins(bins))
        bins->dropped++;
}

int bipe_unit_bins_add(bipe_unit_bins *bins, uint64_t key, uint64_t sum, uint64_t weight, bipe_error *err)
{
    if (bins->count == 2 * BIPE_UNITS_MOST)
        bipe_unit_bins_settle(bins);
    if (bipe_grow(&bins->bin, &bins->capacity, bins->count + 1, sizeof *bins->bin) != 0)
        return bipe_fail_memory(err);
    bins->bin[bins->count++] = (bipe_unit_bin){.key = key, .sum = sum, .weight = weight};
    return BIPE_OK;
}

int bipe_unit_bins_merge(bipe_unit_bins *into, const bipe_unit_bins *from, bipe_error *err)
{
    int status = BIPE_OK;
    if (into->dropped < from->dropped)
        into->dropped = from->dropped;
    for (size_t i = 0; i < from->count && status == BIPE_OK; i++)
        status = bipe_unit_bins_add(into, from->bin[i].key, from->bin[i].sum, from->bin[i].weight, err);
    return status;
}

bipe_unit *bipe_unit_bins_units(const bipe_unit_bins *bins)
{
    bipe_unit *unit = bipe_alloc(bins->count, sizeof *unit);
    for (size_t i = 0; unit != NULL && i < bins->count; i++)
        unit[i] = (bipe_unit){(double)bins->bin[i].sum, (double)bins->bin[i].weight};
    return unit;
}

void bipe_unit_bins_free(bipe_unit_bins *bins)
{
    bipe_free(bins->bin);
    *bins = (bipe_unit_bins){0};
}
