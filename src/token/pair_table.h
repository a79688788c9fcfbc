/* pair_table.h - a hash table from two 32-bit numbers to two 32-bit numbers: merges, edges of a trie. */
#ifndef BIPE_TOKEN_PAIR_TABLE_H
#define BIPE_TOKEN_PAIR_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct bipe_pair_entry {
    uint64_t key; /* left << 32 | right; BIPE_PAIR_EMPTY: free */
    uint32_t a, b;
} bipe_pair_entry;

#define BIPE_PAIR_EMPTY UINT64_MAX

/* Zero-initialise. The number of slots is a power of two, at most 3/4 are taken. */
typedef struct bipe_pair_table {
    bipe_pair_entry *entry;
    uint64_t *seen;     /* (mask / 16 + 1) a filter that stays in the cache: a pair without a bit here is not in the
                           table */
    size_t mask, count; /* mask is 0 while there is no slot */
} bipe_pair_table;

/* Reserves `count` entries in all: 0, or -1 when memory is exhausted. */
int bipe_pair_table_reserve(bipe_pair_table *table, size_t count);
/* Sets or replaces; left and right are not both UINT32_MAX. 0, or -1 when memory is exhausted. */
int bipe_pair_table_set(bipe_pair_table *table, uint32_t left, uint32_t right, uint32_t a, uint32_t b);
void bipe_pair_table_free(bipe_pair_table *table);

static inline uint64_t bipe_pair_hash(uint64_t key)
{
    key *= UINT64_C(0x9E3779B97F4A7C15);
    key ^= key >> 32;
    key *= UINT64_C(0xD6E8FEB86659FD93);
    return key ^ key >> 32;
}

/* The bit of a pair in the filter. */
static inline uint64_t bipe_pair_bit(const bipe_pair_table *table, uint64_t hash)
{
    return hash >> 32 & (4 * (uint64_t)table->mask + 3);
}

/* The entry, or NULL. */
static inline const bipe_pair_entry *bipe_pair_table_find(const bipe_pair_table *table, uint32_t left, uint32_t right)
{
    if (table->count == 0)
        return NULL;
    uint64_t key = (uint64_t)left << 32 | right, hash = bipe_pair_hash(key), bit = bipe_pair_bit(table, hash);
    if ((table->seen[bit / 64] >> bit % 64 & 1) == 0)
        return NULL;
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        const bipe_pair_entry *e = &table->entry[i];
        if (e->key == key)
            return e;
        if (e->key == BIPE_PAIR_EMPTY)
            return NULL;
    }
}

#endif
