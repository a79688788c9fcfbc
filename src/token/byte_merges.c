/* byte_merges.c - see byte_merges.h.
 *
 * One merge waits for two look-ups, and they for the one before; the words in the lanes do not wait for each other. */
#include "token/byte_merges.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "token/merge_loop.h" /* BIPE_NO_SYMBOL */
#include "token/reached_merges.h"

#define NOTHING UINT32_MAX
#define FREE UINT64_MAX
enum {
    NAME_BITS = 20,
    PLACE_BITS = 6, /* a place in a word, with one in front of it and one behind */
    LANES = 16,
    BUCKET = BIPE_BYTE_MERGES_BUCKET,
    OUTSIDE = (1 << NAME_BITS) - 1 /* the name of what stands in front of a word and behind it */
};

static inline uint64_t hash_of(uint64_t key)
{
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return key ^ key >> 32;
}

/* A pair of names that is looked up: the entry's upper bits, and the bucket where it is if it is. */
typedef struct wanted {
    uint64_t key;
    const uint64_t *bucket;
} wanted;

static inline wanted want(const bipe_byte_merges *m, uint32_t left, uint32_t right)
{
    uint64_t key = (uint64_t)left << NAME_BITS | right;
    return (wanted){.key = key, .bucket = m->entry + (hash_of(key) & m->mask) * BUCKET};
}

static inline uint64_t in_bucket(const uint64_t *e, uint64_t key)
{
    uint64_t found = e[0] >> 24 == key ? e[0] : FREE;
    found = e[1] >> 24 == key ? e[1] : found;
    found = e[2] >> 24 == key ? e[2] : found;
    return e[3] >> 24 == key ? e[3] : found;
}

/* What the two make. Only a full bucket takes a branch. */
static inline uint32_t find(const bipe_byte_merges *m, wanted w)
{
    uint64_t found = in_bucket(w.bucket, w.key);
    while (found == FREE && w.bucket[BUCKET - 1] != FREE) {
        w.bucket = m->entry + (((size_t)(w.bucket - m->entry) / BUCKET + 1) & m->mask) * BUCKET;
        found = in_bucket(w.bucket, w.key);
    }
    return found != FREE ? (uint32_t)found & 0xFFFFFF : NOTHING;
}

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
    *named = good && names < OUTSIDE ? names : 0;
    return 0;
}

static void put(bipe_byte_merges *m, uint32_t left, uint32_t right, uint32_t into)
{
    uint64_t key = (uint64_t)left << NAME_BITS | right;
    size_t at = (hash_of(key) & m->mask) * BUCKET;
    /* Buckets follow each other without a gap, and few are full. */
    while (m->entry[at] != FREE)
        at = at + 1 < (m->mask + 1) * BUCKET ? at + 1 : 0;
    m->entry[at] = key << 24 | into;
}

static int fill(bipe_byte_merges *m, const bipe_pair_table *pairs, const uint32_t *name, size_t count)
{
    size_t buckets = 16;
    while (buckets < pairs->count)
        buckets *= 2;
    m->mask = buckets - 1;
    m->entry = bipe_alloc_large(buckets * BUCKET, sizeof *m->entry);
    m->byte = bipe_alloc(65536, sizeof *m->byte);
    if (m->entry == NULL || m->byte == NULL)
        return -1;
    memset(m->entry, 0xFF, buckets * BUCKET * sizeof *m->entry);
    for (size_t i = 0; i <= pairs->mask; i++) {
        const bipe_pair_entry *e = &pairs->entry[i];
        uint32_t left = (uint32_t)(e->key >> 32), right = (uint32_t)e->key;
        /* What has no name never comes up. */
        if (e->key != BIPE_PAIR_EMPTY && left < count && right < count && name[left] != NOTHING && name[right] != NOTHING)
            put(m, name[left], name[right], name[e->b]);
    }
    for (uint32_t left = 0; left < 256; left++)
        for (uint32_t right = 0; right < 256; right++)
            m->byte[left << 8 | right] = find(m, want(m, left, right));
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
    if (status == 0 && come_up.count != 0 && come_up.count < OUTSIDE)
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

#define NONE INT32_MAX

/* A word on its way: symbols stand at the places of their first bytes, from 1 on. pair[i]: the rank of what the symbol at i makes with the
 * next (into[i]), and i in the lower bits: the least is the one to merge, the leftmost of equals. A symbol that is gone, or makes
 * nothing: NONE. */
typedef struct lane {
    int32_t pair[1 << PLACE_BITS];
    uint32_t name[1 << PLACE_BITS], into[1 << PLACE_BITS];
    uint8_t next[1 << PLACE_BITS], prev[1 << PLACE_BITS];
    size_t places; /* of pair[], to look at */
    bipe_new_word *word;
    bipe_piece_token *token;
    size_t at, before; /* of the merge that waits for: */
    wanted with_after, with_before;
} lane;

/* A name is its rank, but for those that have one rank. */
static inline void set_pair(const bipe_byte_merges *m, lane *l, size_t at, uint32_t into)
{
    uint32_t rank = into - m->tied_from < m->tied ? m->tied_from : into;
    l->into[at] = into;
    l->pair[at] = into != NOTHING ? (int32_t)(rank << PLACE_BITS | (uint32_t)at) : NONE;
}

/* Eight at a time: the same number of steps for most words. */
static inline int32_t least_of(const int32_t *pair, size_t places)
{
    int32_t least = NONE;
    for (size_t i = 0; i < places; i += 8) {
        int32_t four[4];
        for (size_t k = 0; k < 4; k++)
            four[k] = pair[i + k] < pair[i + k + 4] ? pair[i + k] : pair[i + k + 4];
        int32_t one = four[0] < four[2] ? four[0] : four[2], two = four[1] < four[3] ? four[1] : four[3];
        one = one < two ? one : two;
        least = one < least ? one : least;
    }
    return least;
}

static void begin(const bipe_byte_merges *m, lane *l, bipe_new_word *word, bipe_piece_token *token)
{
    const uint8_t *text = word->text;
    size_t size = word->size;
    l->word = word;
    l->token = token + word->at;
    l->places = (size + 8) & ~(size_t)7;
    for (size_t i = 0; i < l->places; i++)
        l->pair[i] = NONE;
    l->name[0] = l->name[size + 1] = OUTSIDE;
    l->prev[size + 1] = (uint8_t)size;
    for (size_t i = 0; i < size; i++) {
        l->name[i + 1] = text[i];
        l->next[i + 1] = (uint8_t)(i + 2);
        l->prev[i + 1] = (uint8_t)i;
    }
    for (size_t i = 1; i < size; i++)
        set_pair(m, l, i, m->byte[(size_t)text[i - 1] << 8 | text[i]]);
}

static void end(const bipe_byte_merges *m, lane *l)
{
    size_t n = 0, size = l->word->size;
    bipe_piece_token *token = l->token;
    for (size_t i = 1, next; i <= size; i = next) {
        next = l->next[i];
        uint32_t name = l->name[i], id = m->id[name < m->same ? name : 0];
        token[n++] = (bipe_piece_token){.id = name < m->same ? id : name, .end = (uint32_t)next - 1};
    }
    l->word->count = n;
}

/* Begins the merge that `least` stands for. What stands outside makes nothing with anything. */
static inline void merge(const bipe_byte_merges *m, lane *l, int32_t least)
{
    size_t at = least & ((1 << PLACE_BITS) - 1), gone = l->next[at], after = l->next[gone], before = l->prev[at];
    uint32_t name = l->into[at];
    l->name[at] = name;
    l->pair[gone] = NONE;
    l->next[at] = (uint8_t)after;
    l->prev[after] = (uint8_t)at;
    l->at = at;
    l->before = before;
    l->with_after = want(m, name, l->name[after]);
    l->with_before = want(m, l->name[before], name);
    __builtin_prefetch(l->with_after.bucket);
    __builtin_prefetch(l->with_before.bucket);
}

/* Ends it, when the buckets have come near. */
static inline void merged(const bipe_byte_merges *m, lane *l)
{
    set_pair(m, l, l->at, find(m, l->with_after));
    set_pair(m, l, l->before, find(m, l->with_before));
}

/* The next word that is to be encoded, or NULL. */
static bipe_new_word *next_word(bipe_new_word **at, const bipe_new_word *end)
{
    while (*at < end && (*at)->count != 0)
        ++*at;
    return *at < end ? (*at)++ : NULL;
}

static void run(const bipe_byte_merges *m, bipe_new_word *word, const bipe_new_word *stop, bipe_piece_token *token)
{
    lane room[LANES];
    bipe_new_word *next;
    size_t lanes = 0;
    while (lanes < LANES && (next = next_word(&word, stop)) != NULL)
        begin(m, &room[lanes++], next, token);
    while (lanes != 0) {
        for (size_t k = 0; k < lanes;) {
            lane *l = &room[k];
            int32_t least = least_of(l->pair, l->places);
            if (least != NONE) {
                merge(m, l, least);
                k++;
                continue;
            }
            end(m, l);
            if ((next = next_word(&word, stop)) != NULL)
                begin(m, l, next, token);
            else if (k != --lanes)
                *l = room[lanes];
        }
        for (size_t k = 0; k < lanes; k++)
            merged(m, &room[k]);
    }
}

bool bipe_byte_merges_takes(const bipe_byte_merges *m, const uint8_t *text, size_t size)
{
    bool none = size == 0 || size > BIPE_BYTE_MERGES_MOST;
    for (size_t i = 0; !none && i < size; i++)
        none = m->none[text[i]];
    return !none;
}

int bipe_byte_merges_run(const bipe_byte_merges *m, bipe_new_word *word, size_t count, bipe_piece_tokens *tokens)
{
    size_t room = tokens->count;
    for (size_t i = 0; i < count; i++)
        if (word[i].count == 0) {
            word[i].at = room;
            room += word[i].size;
        }
    if (bipe_grow(&tokens->token, &tokens->capacity, room, sizeof *tokens->token) != 0)
        return -1;
    tokens->count = room;
    run(m, word, word + count, tokens->token);
    return 0;
}
