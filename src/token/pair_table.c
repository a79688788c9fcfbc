/* pair_table.c - the growing half of the hash table of pairs. */
#include "token/pair_table.h"

#include <string.h>

#include "base/alloc.h"

/* Where a pair is or goes; it gets its bit. */
static bipe_pair_entry *slot_of_pair(const bipe_pair_table *table, uint64_t key)
{
    uint64_t hash = bipe_pair_hash(key), bit = bipe_pair_bit(table, hash);
    size_t i = hash & table->mask;
    table->seen[bit / 64] |= UINT64_C(1) << bit % 64;
    while (table->entry[i].key != key && table->entry[i].key != BIPE_PAIR_EMPTY)
        i = (i + 1) & table->mask;
    return &table->entry[i];
}

int bipe_pair_table_reserve(bipe_pair_table *table, size_t count)
{
    size_t slots = table->entry != NULL ? table->mask + 1 : 0;
    if (count <= slots / 4 * 3)
        return 0;
    size_t next = slots != 0 ? slots : 16;
    while (next / 4 * 3 < count) {
        if (next > SIZE_MAX / 2)
            return -1;
        next *= 2;
    }
    bipe_pair_table grown = {.mask = next - 1, .count = table->count};
    grown.entry = bipe_alloc_large(next, sizeof *grown.entry);
    grown.seen = bipe_alloc(next / 16, sizeof *grown.seen);
    if (grown.entry == NULL || grown.seen == NULL) {
        bipe_pair_table_free(&grown);
        return -1;
    }
    memset(grown.entry, 0xFF, next * sizeof *grown.entry);
    for (size_t i = 0; i < slots; i++)
        if (table->entry[i].key != BIPE_PAIR_EMPTY)
            *slot_of_pair(&grown, table->entry[i].key) = table->entry[i];
    bipe_pair_table_free(table);
    *table = grown;
    return 0;
}

int bipe_pair_table_set(bipe_pair_table *table, uint32_t left, uint32_t right, uint32_t a, uint32_t b)
{
    if (bipe_pair_table_reserve(table, table->count + 1) != 0)
        return -1;
    uint64_t key = (uint64_t)left << 32 | right;
    bipe_pair_entry *e = slot_of_pair(table, key);
    if (e->key == BIPE_PAIR_EMPTY)
        table->count++;
    *e = (bipe_pair_entry){.key = key, .a = a, .b = b};
    return 0;
}

void bipe_pair_table_free(bipe_pair_table *table)
{
    bipe_free(table->entry);
    bipe_free(table->seen);
    *table = (bipe_pair_table){0};
}
