/* byte_merges.c - see byte_merges.h: makes the table, and merges with whatever vector unit there is (byte_lanes_*.c). */
#include "token/merges/byte_merges.h"

#include <string.h>

#include "base/alloc.h"
#include "token/merges/byte_lanes.h"
#include "token/merges/merge_loop.h" /* BIPE_NO_SYMBOL */
#include "token/merges/reached_merges.h"

#define NOTHING UINT32_MAX

enum { STRINGS_AT_ONCE = 1024 };

/* ---- making it ---- */

/* The bytes take the first names: name[id], m->id[name]. False: two have one symbol, or one is none of `count`. */
static bool name_bytes(bipe_byte_merges *m, const uint32_t symbol[256], uint32_t *name, size_t count)
{
    memset(name, 0xFF, count * sizeof *name);
    for (uint32_t b = 0; b < 256; b++) {
        m->none[b] = symbol[b] == BIPE_NO_SYMBOL;
        if (m->none[b])
            continue;
        if (symbol[b] >= count || name[symbol[b]] != NOTHING)
            return false;
        name[m->id[b] = symbol[b]] = b;
    }
    return true;
}

static void find_same(bipe_byte_merges *m, size_t names)
{
    m->same = 256;
    for (size_t k = 256; k < names; k++)
        if (m->id[k] != k)
            m->same = (uint32_t)k + 1;
}

/* Names for what merges in their order make; *named: how many there are then, 0: it cannot be done. Where ids follow the ranks, as they
 * mostly do, a name is the id itself, and what no id has that comes up is left out. */
static int give_names(bipe_byte_merges *m, const bipe_reached *r, const uint32_t symbol[256], uint32_t *name, size_t count, size_t *named)
{
    size_t names = 256;
    *named = 0;
    m->id = bipe_alloc(256 + count + r->count, sizeof *m->id);
    if (m->id == NULL)
        return -1;
    bool good = name_bytes(m, symbol, name, count);
    for (size_t i = 0; good && i < r->count; i++) {
        uint32_t id = r->by_rank[i];
        bool tied = i != 0 && r->id[id].rank == r->id[r->by_rank[i - 1]].rank;
        good = name[id] == NOTHING && (!tied || m->tied == 0 || m->tied_from + m->tied == names);
        if (tied && m->tied == 0) {
            m->tied_from = (uint32_t)names - 1;
            m->tied = 1;
        }
        m->tied += tied;
        if (good) {
            while (!tied && names < id)
                m->id[names] = (uint32_t)names, names++;
            name[m->id[names] = id] = (uint32_t)names, names++;
        }
    }
    find_same(m, names);
    *named = good && names < BIPE_OUTSIDE ? names : 0;
    return 0;
}

static int open_table(bipe_byte_merges *m, size_t merges)
{
    size_t buckets = 16;
    while (4 * buckets < merges)
        buckets *= 2;
    m->mask = buckets - 1;
    m->entry = bipe_alloc_large(buckets * BIPE_BYTE_MERGES_BUCKET, sizeof *m->entry);
    m->byte = bipe_alloc(65536, sizeof *m->byte);
    if (m->entry == NULL || m->byte == NULL)
        return -1;
    memset(m->entry, 0xFF, buckets * BIPE_BYTE_MERGES_BUCKET * sizeof *m->entry);
    return 0;
}

void bipe_byte_merges_put(bipe_byte_merges *m, uint32_t left, uint32_t right, uint32_t into)
{
    uint64_t key = bipe_lane_key(left, right);
    size_t at = (bipe_lane_hash(key) & m->mask) * BIPE_BYTE_MERGES_BUCKET;
    /* Buckets follow each other without a gap, and few are full. */
    while (m->entry[at] != BIPE_LANE_FREE)
        at = at + 1 < (m->mask + 1) * BIPE_BYTE_MERGES_BUCKET ? at + 1 : 0;
    m->entry[at] = key << 24 | into;
    if (left < 256 && right < 256)
        m->byte[left << 8 | right] = into;
}

/* Strings of one size that several merges make: the merge that does is that which their bytes end with. */
static int put_last_merges(bipe_byte_merges *m, const bipe_pair_table *pairs, bipe_reached *r, const uint32_t *ids, bipe_new_word *word,
                           size_t count, const uint32_t *name, bipe_piece_tokens *tokens)
{
    for (size_t i = 0; i < count; i++)
        word[i] = (bipe_new_word){.text = r->text + r->id[ids[i]].at, .size = r->id[ids[i]].size};
    tokens->count = 0;
    if (bipe_byte_merges_run(m, word, count, tokens) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        uint32_t left = tokens->token[word[i].at].id, right = tokens->token[word[i].at + 1].id;
        const bipe_pair_entry *e = word[i].count == 2 ? bipe_pair_table_find(pairs, left, right) : NULL;
        if (e == NULL || e->b != ids[i])
            continue;
        r->id[ids[i]].rank = e->a;
        bipe_byte_merges_put(m, name[left], name[right], name[ids[i]]);
    }
    return 0;
}

/* Puts the merges that come up, those of shorter strings first, and notes their ranks. */
static int put_merges(bipe_byte_merges *m, const bipe_pair_table *pairs, bipe_reached *r, const uint32_t *name)
{
    bipe_piece_tokens tokens = {0};
    bipe_new_word *word = bipe_alloc(STRINGS_AT_ONCE, sizeof *word);
    uint32_t *several = bipe_alloc(STRINGS_AT_ONCE, sizeof *several);
    int status = word != NULL && several != NULL ? 0 : -1;
    for (size_t i = 0; i < r->count && status == 0;) {
        size_t n = 0;
        for (uint8_t size = r->id[r->by_size[i]].size; i < r->count && n < STRINGS_AT_ONCE && r->id[r->by_size[i]].size == size; i++) {
            const bipe_reached_id *id = &r->id[r->by_size[i]];
            if (id->several)
                several[n++] = r->by_size[i];
            else
                bipe_byte_merges_put(m, name[id->left], name[id->right], name[r->by_size[i]]);
        }
        status = put_last_merges(m, pairs, r, several, word, n, name, &tokens);
    }
    bipe_free(word);
    bipe_free(several);
    bipe_free(tokens.token);
    return status;
}

/* Makes it with names in the order of by_rank. It is right when this turns out to be the order of the merges that come up: that is
 * seen from shorter strings to longer ones, for what becomes of a string depends on the merges of shorter ones alone. */
static int make_table(bipe_byte_merges *m, const bipe_pair_table *pairs, bipe_reached *r, const uint32_t symbol[256], uint32_t *name, size_t count,
                      bool *possible)
{
    size_t named;
    int status = give_names(m, r, symbol, name, count, &named);
    *possible = named != 0;
    if (status == 0 && named != 0)
        status = open_table(m, r->count);
    return status == 0 && named != 0 ? put_merges(m, pairs, r, name) : status;
}

/* Which merge makes a string is told by the order of the names of shorter ones. Strings of two bytes have one merge each; so the first
 * round finds the ranks of strings of three bytes, the next those of four and so on, at least: as many rounds as a string has bytes are
 * enough. */
int bipe_byte_merges_open(bipe_byte_merges *m, const bipe_pair_table *pairs, const uint32_t symbol[256], size_t count)
{
    bipe_reached r = {0};
    uint32_t *name = bipe_realloc(NULL, count, sizeof *name);
    int status = name != NULL ? bipe_reached_find(&r, pairs, symbol, count) : -1;
    bool possible = status == 0 && r.count != 0 && r.count < BIPE_OUTSIDE, done = false;
    for (int round = 0; possible && !done && round < BIPE_REACHED_MOST; round++) {
        bipe_byte_merges_free(m);
        status = round != 0 ? bipe_reached_sort(&r) : 0;
        if (status == 0)
            status = make_table(m, pairs, &r, symbol, name, count, &possible);
        possible = possible && status == 0;
        done = possible && bipe_reached_is_sorted(&r);
    }
    if (!done)
        bipe_byte_merges_free(m);
    bipe_free(name);
    bipe_reached_free(&r);
    return status;
}

int bipe_byte_merges_begin(bipe_byte_merges *m, const uint32_t symbol[256], uint32_t *name, size_t count)
{
    size_t names = 256;
    if (count >= BIPE_OUTSIDE)
        return 0;
    m->id = bipe_alloc(count + 256, sizeof *m->id);
    int status = m->id != NULL ? 0 : -1;
    bool good = status == 0 && name_bytes(m, symbol, name, count);
    for (size_t id = 0; good && id < count; id++)
        if (name[id] == NOTHING)
            name[m->id[names] = (uint32_t)id] = (uint32_t)names, names++;
    if (good && names < BIPE_OUTSIDE) {
        find_same(m, names);
        status = open_table(m, names);
    }
    if (!good || status != 0 || m->byte == NULL)
        bipe_byte_merges_free(m);
    return status;
}

static uint32_t id_of(const bipe_byte_merges *m, uint32_t name)
{
    return name < m->same ? m->id[name] : name;
}

bool bipe_byte_merges_at(const bipe_byte_merges *m, size_t place, uint32_t *left, uint32_t *right)
{
    uint64_t key = m->entry[place] >> 24;
    if (m->entry[place] == BIPE_LANE_FREE)
        return false;
    *left = id_of(m, (uint32_t)(key >> BIPE_NAME_BITS));
    *right = id_of(m, (uint32_t)key & ((1u << BIPE_NAME_BITS) - 1));
    return true;
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
    bipe_lanes_run(m, word, stop, token, bipe_lane_symbols_plain, least_plain, bipe_lane_bucket_plain);
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
