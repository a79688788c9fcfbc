/* byte_merges.c - see byte_merges.h. */
#include "token/byte_merges.h"

#include <string.h>

#include "base/alloc.h"

#define NOTHING UINT32_MAX
#define FREE UINT64_MAX
enum { ID_BITS = 20 };

static inline uint64_t hash_of(uint64_t key)
{
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return key ^ key >> 32;
}

/* The place is told by the lower bits of the hash, the bit of the filter by the upper ones. */
static inline uint32_t find(const bipe_byte_merges *m, uint32_t left, uint32_t right)
{
    uint64_t key = (uint64_t)left << ID_BITS | right, hash = hash_of(key), bit = hash >> (64 - BIPE_BYTE_MERGES_FILTER);
    if ((m->some[bit / 64] >> bit % 64 & 1) == 0)
        return NOTHING;
    for (size_t i = hash & m->mask;; i = (i + 1) & m->mask) {
        uint64_t e = m->entry[i];
        if (e >> 24 == key)
            return (uint32_t)e & 0xFFFFFF;
        if (e == FREE)
            return NOTHING;
    }
}

/* Whether all merges that make an id have one rank, and greater ids greater ranks. */
static int has_order(const bipe_pair_table *pairs, size_t count, bool *order)
{
    *order = false;
    if (count > (size_t)1 << ID_BITS || pairs->count == 0)
        return 0;
    uint32_t *rank = bipe_alloc(count, sizeof *rank);
    if (rank == NULL)
        return -1;
    memset(rank, 0xFF, count * sizeof *rank);
    bool good = true;
    for (size_t i = 0; good && i <= pairs->mask; i++) {
        const bipe_pair_entry *e = &pairs->entry[i];
        if (e->key == BIPE_PAIR_EMPTY)
            continue;
        good = e->b < count && e->key >> 32 < count && (uint32_t)e->key < count && (rank[e->b] == UINT32_MAX || rank[e->b] == e->a);
        if (good)
            rank[e->b] = e->a;
    }
    uint64_t next = 0;
    for (size_t id = 0; good && id < count; id++) {
        if (rank[id] == UINT32_MAX)
            continue;
        good = rank[id] >= next;
        next = rank[id] + (uint64_t)1;
    }
    bipe_free(rank);
    *order = good;
    return 0;
}

int bipe_byte_merges_open(bipe_byte_merges *m, const bipe_pair_table *pairs, const uint32_t symbol[256], size_t count)
{
    bool order;
    if (has_order(pairs, count, &order) != 0)
        return -1;
    if (!order)
        return 0;
    size_t places = 16;
    while (places < 2 * pairs->count)
        places *= 2;
    m->mask = places - 1;
    m->entry = bipe_realloc(NULL, places, sizeof *m->entry);
    m->byte = bipe_realloc(NULL, 65536, sizeof *m->byte);
    m->some = bipe_alloc((size_t)1 << BIPE_BYTE_MERGES_FILTER >> 6, sizeof *m->some);
    if (m->entry == NULL || m->byte == NULL || m->some == NULL)
        return -1;
    memset(m->entry, 0xFF, places * sizeof *m->entry);
    for (size_t i = 0; i <= pairs->mask; i++) {
        const bipe_pair_entry *e = &pairs->entry[i];
        if (e->key == BIPE_PAIR_EMPTY)
            continue;
        uint64_t key = e->key >> 32 << ID_BITS | (uint32_t)e->key, hash = hash_of(key), bit = hash >> (64 - BIPE_BYTE_MERGES_FILTER);
        size_t place = hash & m->mask;
        while (m->entry[place] != FREE)
            place = (place + 1) & m->mask;
        m->entry[place] = key << 24 | e->b;
        m->some[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    memcpy(m->symbol, symbol, sizeof m->symbol);
    for (size_t left = 0; left < 256; left++)
        for (size_t right = 0; right < 256; right++)
            m->byte[left << 8 | right] = find(m, symbol[left], symbol[right]);
    return 0;
}

void bipe_byte_merges_free(bipe_byte_merges *m)
{
    bipe_free(m->byte);
    bipe_free(m->entry);
    bipe_free(m->some);
    *m = (bipe_byte_merges){0};
}

/* pair[i]: what the symbol that begins at byte i makes with the next, times 64, and i: the least is the one to merge, the leftmost of
 * equals. A symbol that is gone, or makes nothing: NONE. */
#define NONE INT32_MAX

static inline int32_t pair_of(uint32_t into, size_t at)
{
    return into != NOTHING ? (int32_t)(into << 6 | (uint32_t)at) : NONE;
}

static inline int32_t least_of(const int32_t *pair, size_t size)
{
    int32_t least = NONE;
    for (size_t i = 0; i < size; i += 8) { /* eight at once: the same number of steps for most words */
        int32_t four[4];
        for (size_t k = 0; k < 4; k++)
            four[k] = pair[i + k] < pair[i + k + 4] ? pair[i + k] : pair[i + k + 4];
        int32_t one = four[0] < four[2] ? four[0] : four[2], two = four[1] < four[3] ? four[1] : four[3];
        one = one < two ? one : two;
        least = one < least ? one : least;
    }
    return least;
}

size_t bipe_byte_merges_run(const bipe_byte_merges *m, const uint8_t *text, size_t size, bipe_piece_token *token)
{
    uint32_t symbol[BIPE_BYTE_MERGES_MOST];
    int32_t pair[BIPE_BYTE_MERGES_MOST];
    uint8_t next[BIPE_BYTE_MERGES_MOST], prev[BIPE_BYTE_MERGES_MOST];
    for (size_t i = 0; i < size; i++) {
        symbol[i] = m->symbol[text[i]];
        next[i] = (uint8_t)(i + 1);
        prev[i] = (uint8_t)(i - 1);
    }
    for (size_t i = 0; i + 1 < size; i++)
        pair[i] = pair_of(m->byte[(size_t)text[i] << 8 | text[i + 1]], i);
    for (size_t i = size - 1; i < ((size + 7) & ~(size_t)7); i++)
        pair[i] = NONE;
    for (int32_t least; (least = least_of(pair, size)) != NONE;) {
        size_t at = least & 63, gone = next[at], after = next[gone], before = prev[at];
        symbol[at] = (uint32_t)least >> 6;
        pair[gone] = pair[at] = NONE;
        next[at] = (uint8_t)after;
        if (after < size) {
            prev[after] = (uint8_t)at;
            pair[at] = pair_of(find(m, symbol[at], symbol[after]), at);
        }
        if (at != 0)
            pair[before] = pair_of(find(m, symbol[before], symbol[at]), before);
    }
    size_t n = 0;
    for (size_t i = 0; i < size; i = next[i])
        token[n++] = (bipe_piece_token){.id = symbol[i], .end = next[i]};
    return n;
}
