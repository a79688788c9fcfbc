/* byte_merges.c - see byte_merges.h: makes the table, and merges with whatever vector unit there is (byte_lanes_*.c). */
#include "token/byte_merges.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "token/byte_lanes.h"
#include "token/merge_loop.h" /* BIPE_NO_SYMBOL */
#include "token/reached_merges.h"

#define NOTHING UINT32_MAX

/* ---- making it ---- */

typedef struct made {
    uint32_t rank, id;
} made;

static int compare(const void *a, const void *b)
{
    const made *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : x->id < y->id ? -1 : x->id > y->id;
}

/* Gives names: name[id], m->id[name]; *named: how many, 0: it cannot be done. */
static int give_names(bipe_byte_merges *m, const bipe_pair_table *pairs, const uint32_t symbol[256], uint32_t *name, size_t count,
                      size_t *named)
{
    made *all = bipe_alloc(pairs->count, sizeof *all);
    m->id = bipe_alloc(pairs->count + 256, sizeof *m->id);
    *named = 0;
    if (all == NULL || m->id == NULL) {
        bipe_free(all);
        return -1;
    }
    size_t n = 0, names = 256;
    bool good = true;
    memset(name, 0xFF, count * sizeof *name);
    for (uint32_t b = 0; good && b < 256; b++) {
        m->none[b] = symbol[b] == BIPE_NO_SYMBOL;
        if (m->none[b])
            continue;
        good = symbol[b] < count && name[symbol[b]] == NOTHING;
        if (good)
            name[m->id[b] = symbol[b]] = b;
    }
    for (size_t i = 0; pairs->count != 0 && i <= pairs->mask; i++)
        if (pairs->entry[i].key != BIPE_PAIR_EMPTY)
            all[n++] = (made){.rank = pairs->entry[i].a, .id = pairs->entry[i].b};
    qsort(all, n, sizeof *all, compare);
    for (size_t i = 0; good && i < n; i++) {
        bool tied = i != 0 && all[i].rank == all[i - 1].rank;
        good = name[all[i].id] == NOTHING && (!tied || m->tied == 0 || m->tied_from + m->tied == names);
        if (tied && m->tied == 0) {
            m->tied_from = (uint32_t)names - 1;
            m->tied = 1;
        }
        m->tied += tied;
        if (good)
            name[m->id[names] = all[i].id] = (uint32_t)names, names++;
    }
    bipe_free(all);
    m->same = 256;
    for (size_t k = 256; good && k < names; k++)
        if (m->id[k] != k)
            m->same = (uint32_t)k + 1;
    *named = good && names < BIPE_OUTSIDE ? names : 0;
    return 0;
}

static void put(bipe_byte_merges *m, uint32_t left, uint32_t right, uint32_t into)
{
    uint64_t key = bipe_lane_key(left, right);
    size_t at = (bipe_lane_hash(key) & m->mask) * BIPE_BYTE_MERGES_BUCKET;
    /* Buckets follow each other without a gap, and few are full. */
    while (m->entry[at] != BIPE_LANE_FREE)
        at = at + 1 < (m->mask + 1) * BIPE_BYTE_MERGES_BUCKET ? at + 1 : 0;
    m->entry[at] = key << 24 | into;
}

static int fill(bipe_byte_merges *m, const bipe_pair_table *pairs, const uint32_t *name, size_t count)
{
    size_t buckets = 16;
    while (4 * buckets < pairs->count)
        buckets *= 2;
    m->mask = buckets - 1;
    m->entry = bipe_alloc_large(buckets * BIPE_BYTE_MERGES_BUCKET, sizeof *m->entry);
    m->byte = bipe_alloc(65536, sizeof *m->byte);
    if (m->entry == NULL || m->byte == NULL)
        return -1;
    memset(m->entry, 0xFF, buckets * BIPE_BYTE_MERGES_BUCKET * sizeof *m->entry);
    for (size_t i = 0; i <= pairs->mask; i++) {
        const bipe_pair_entry *e = &pairs->entry[i];
        uint32_t left = (uint32_t)(e->key >> 32), right = (uint32_t)e->key;
        /* What has no name never comes up. */
        if (e->key != BIPE_PAIR_EMPTY && left < count && right < count && name[left] != NOTHING && name[right] != NOTHING)
            put(m, name[left], name[right], name[e->b]);
    }
    for (uint32_t left = 0; left < 256; left++)
        for (uint32_t right = 0; right < 256; right++)
            m->byte[left << 8 | right] = bipe_lane_find(m, bipe_lane_want(m, left, right), bipe_lane_bucket_plain);
    return 0;
}

int bipe_byte_merges_open(bipe_byte_merges *m, const bipe_pair_table *pairs, const uint32_t symbol[256], size_t count)
{
    if (pairs->count == 0)
        return 0;
    bipe_pair_table come_up = {0};
    uint32_t *name = bipe_realloc(NULL, count, sizeof *name);
    size_t named = 0;
    int status = name != NULL ? bipe_reached_merges(pairs, symbol, count, &come_up) : -1;
    if (status == 0 && come_up.count != 0 && come_up.count < BIPE_OUTSIDE)
        status = give_names(m, &come_up, symbol, name, count, &named);
    if (status == 0 && named != 0)
        status = fill(m, &come_up, name, count);
    else
        bipe_byte_merges_free(m);
    bipe_free(name);
    bipe_pair_table_free(&come_up);
    return status;
}

void bipe_byte_merges_free(bipe_byte_merges *m)
{
    bipe_free(m->byte);
    bipe_free(m->entry);
    bipe_free(m->id);
    *m = (bipe_byte_merges){0};
}

/* ---- merging ---- */

static uint32_t least_plain(const uint32_t *pair, size_t places)
{
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < places; i++)
        least = pair[i] < least ? pair[i] : least;
    return least;
}

void bipe_byte_lanes_plain(const bipe_byte_merges *m, bipe_new_word *word, const bipe_new_word *stop, bipe_piece_token *token)
{
    bipe_lanes_run(m, word, stop, token, least_plain, bipe_lane_bucket_plain);
}

static bool always(void)
{
    return true;
}

const bipe_byte_lanes_unit bipe_byte_lanes_units[] = {
#ifdef BIPE_BYTE_LANES_X86
    {.name = "avx2", .usable = bipe_byte_lanes_avx2_usable, .run = bipe_byte_lanes_avx2},
#endif
    {.name = "plain", .usable = always, .run = bipe_byte_lanes_plain},
    {.name = NULL},
};

static bipe_byte_lanes *best(void)
{
    const bipe_byte_lanes_unit *unit = bipe_byte_lanes_units;
    while (!unit->usable())
        unit++;
    return unit->run;
}

bool bipe_byte_merges_takes(const bipe_byte_merges *m, const uint8_t *text, size_t size)
{
    bool none = size == 0 || size > BIPE_BYTE_MERGES_MOST;
    for (size_t i = 0; !none && i < size; i++)
        none = m->none[text[i]];
    return !none;
}

int bipe_byte_merges_run_by(bipe_byte_lanes *run, const bipe_byte_merges *m, bipe_new_word *word, size_t count, bipe_piece_tokens *tokens)
{
    size_t room = tokens->count;
    for (size_t i = 0; i < count; i++)
        if (word[i].count == 0) {
            word[i].at = room;
            room += (word[i].size + BIPE_LANE_TOKENS - 1) / BIPE_LANE_TOKENS * BIPE_LANE_TOKENS;
        }
    if (bipe_grow(&tokens->token, &tokens->capacity, room, sizeof *tokens->token) != 0)
        return -1;
    tokens->count = room;
    run(m, word, word + count, tokens->token);
    return 0;
}

int bipe_byte_merges_run(const bipe_byte_merges *m, bipe_new_word *word, size_t count, bipe_piece_tokens *tokens)
{
    return bipe_byte_merges_run_by(best(), m, word, count, tokens);
}
