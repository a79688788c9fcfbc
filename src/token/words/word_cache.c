/* word_cache.c - the cache's growth, its store, and what goes in. */
#include "token/words/word_cache.h"

#include <stdatomic.h>

#include "base/alloc.h"

/* In the key of a word whose tokens are in the store, so that it is not taken for one whose tokens are here. */
#define STORED ((uint64_t)1 << 63)

enum { STORE_FIRST = 1 << 15 }; /* numbers in the store when it is first made */

/* Those of the process, so that what they have together does not grow with its threads. */
static atomic_uint open_caches;

/* How often the size that is allowed is halved. */
static unsigned count_halvings(void)
{
    unsigned caches = atomic_load_explicit(&open_caches, memory_order_relaxed), n = 0;
    while (n < 4 && caches > (unsigned)BIPE_WORD_CACHES << n)
        n++;
    return n;
}

static bipe_short_word (*new_pairs(unsigned bits))[2]
{
    return bipe_alloc_large((size_t)1 << bits, sizeof(bipe_short_word[2]));
}

int bipe_word_cache_open(bipe_word_cache *c)
{
    if (c->pair == NULL && (c->pair = new_pairs(BIPE_WORD_PAIRS_FIRST)) != NULL) {
        c->bits = BIPE_WORD_PAIRS_FIRST;
        c->most = BIPE_WORD_PAIRS_MOST;
        atomic_fetch_add_explicit(&open_caches, 1, memory_order_relaxed);
    }
    if (c->stored == NULL)
        c->stored = bipe_alloc((size_t)1 << BIPE_WORD_STORED, sizeof *c->stored);
    c->generation = c->generation != 0 ? c->generation : 1;
    return c->pair != NULL && c->stored != NULL ? 0 : -1;
}

void bipe_word_cache_free(bipe_word_cache *c)
{
    if (c->pair != NULL)
        atomic_fetch_sub_explicit(&open_caches, 1, memory_order_relaxed);
    bipe_free(c->pair);
    bipe_free(c->stored);
    bipe_free(c->store);
    *c = (bipe_word_cache){0};
}

/* ---- finding ---- */

/* Eight bytes at a time; size > 8. */
static uint64_t hash_of(const uint8_t *text, size_t size)
{
    uint64_t hash = size, word;
    for (size_t i = 0; i + 8 < size; i += 8) {
        memcpy(&word, text + i, 8);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    memcpy(&word, text + size - 8, 8);
    hash = (hash ^ word) * UINT64_C(0xD6E8FEB86659FD93);
    return hash ^ hash >> 32;
}

static bipe_stored_word *stored_word_of(const bipe_word_cache *c, uint64_t hash)
{
    return &c->stored[hash * UINT64_C(0x9E3779B97F4A7C15) >> (64 - BIPE_WORD_STORED)];
}

const bipe_piece_token *bipe_word_cache_stored(const bipe_word_cache *c, bipe_word_key key, const uint8_t *text,
                                               size_t size, size_t *count)
{
    const uint32_t *at = NULL;
    if (size <= BIPE_WORD_SHORT) {
        const bipe_short_word *pair = bipe_word_cache_pair(c, key);
        key.high |= STORED;
        const bipe_short_word *w = bipe_word_of_pair(pair, key);
        at = w != NULL && w->tokens.id[1] == c->generation ? c->store + w->tokens.id[0] : NULL;
    } else if (size <= BIPE_WORD_MOST) {
        uint64_t hash = hash_of(text, size);
        const bipe_stored_word *s = stored_word_of(c, hash);
        if (s->size == size && s->hash == hash) {
            at = c->store + s->at;
            at = memcmp(at + 1 + 2 * (size_t)at[0], text, size) == 0 ? at : NULL;
        }
    }
    if (at == NULL)
        return NULL;
    *count = at[0];
    return (const bipe_piece_token *)(const void *)(at + 1);
}

enum { AT_ONCE = 128 }; /* words whose pairs are on their way from memory together */

/* No branch depends on the text. */
size_t bipe_word_look_up(const bipe_word_cache *cache, const uint8_t *text, const uint32_t *start, size_t n,
                         bipe_short_tokens *known, uint16_t *miss)
{
    bipe_word_key key[AT_ONCE];
    const bipe_short_word *pair[AT_ONCE];
    size_t misses = 0;
    for (size_t from = 0, to; from < n; from = to) {
        to = n - from < AT_ONCE ? n : from + AT_ONCE;
        for (size_t k = from; k < to; k++) {
            size_t size = start[k + 1] - start[k], i = k - from;
            key[i] = bipe_word_key_of(text + start[k], size <= BIPE_WORD_SHORT ? size : BIPE_WORD_LONG);
            pair[i] = bipe_word_cache_pair(cache, key[i]);
            __builtin_prefetch(pair[i]);
        }
        for (size_t k = from; k < to; k++) {
            /* Which of the two it is cannot be foreseen. */
            size_t i = k - from;
            const bipe_short_word *w = pair[i] + (bipe_word_differs(pair[i][0].key, key[i]) != 0);
            known[k] = w->tokens;
            miss[misses] = (uint16_t)k;
            misses += bipe_word_differs(w->key, key[i]) != 0;
        }
    }
    return misses;
}

/* ---- keeping ---- */

static void place_word(bipe_word_cache *c, const bipe_short_word *w)
{
    bipe_word_key key = {.low = w->key.low, .high = w->key.high & ~STORED};
    bipe_short_word *pair = c->pair[bipe_word_hash(key) >> (64 - c->bits)];
    /* Words of one token are the frequent ones: others do not push them. */
    bool second = pair[0].tokens.count == 1 && w->tokens.count != 1,
         known = bipe_word_differs(pair[0].key, w->key) == 0;
    if (!known) {
        c->evicted += pair[1].key.high != 0;
        pair[1] = second ? *w : pair[0];
    }
    if (known || !second)
        pair[0] = *w;
}

/* Four times as many pairs, where so many are allowed. Without memory for them they stay as many as they are. */
static void grow_pairs(bipe_word_cache *c)
{
    size_t pairs = (size_t)1 << c->bits;
    unsigned most = c->most - count_halvings(), bits = c->bits + 2 < most ? c->bits + 2 : most;
    c->evicted = 0;
    if (bits <= c->bits)
        return;
    bipe_short_word(*old)[2] = c->pair, (*grown)[2] = new_pairs(bits);
    if (grown == NULL) {
        c->most = c->bits;
        return;
    }
    c->pair = grown;
    c->bits = bits;
    for (size_t i = 0; i < pairs; i++)
        for (size_t k = 2; k-- > 0;) /* the first one last */
            if (old[i][k].key.high != 0)
                place_word(c, &old[i][k]);
    c->evicted = 0;
    bipe_free(old);
    if (bits == c->most) /* smaller tables were there before, which nothing else has a use for */
        bipe_alloc_trim();
}

/* In few steps, since every one that gives memory back stops all threads of the process for a while. */
static int grow_store(bipe_word_cache *c, size_t want, size_t most)
{
    size_t next = c->capacity != 0 ? c->capacity : STORE_FIRST;
    if (want <= c->capacity)
        return 0;
    while (next < want)
        next *= 8;
    next = next < most ? next : most;
    uint32_t *grown = bipe_alloc_large(next, sizeof *grown);
    if (grown == NULL)
        return -1;
    if (c->used != 0)
        memcpy(grown, c->store, c->used * sizeof *grown);
    bipe_free(c->store);
    c->store = grown;
    c->capacity = next;
    return 0;
}

/* Room for `more` numbers in the store; NULL: none. A full store is kept until as much again did not come in: when text
 * that exceeds it comes again, most is known, while a store that is emptied at once would know nothing each time. */
static uint32_t *reserve_numbers(bipe_word_cache *c, size_t more)
{
    size_t most = (size_t)BIPE_WORD_STORE >> count_halvings();
    if (c->used + more > most) {
        c->skipped += more;
        if (c->skipped <= most)
            return NULL;
        memset(c->stored, 0, sizeof *c->stored << BIPE_WORD_STORED);
        c->used = c->skipped = 0;
        c->generation++;
    }
    if (grow_store(c, c->used + more, most) != 0)
        return NULL;
    uint32_t *at = c->store + c->used;
    c->used += more;
    return at;
}

static void write_tokens(uint32_t *at, const bipe_piece_token *token, size_t count)
{
    at[0] = (uint32_t)count;
    memcpy(at + 1, token, count * sizeof *token);
}

static void add_short(bipe_word_cache *c, const uint8_t *text, size_t size, const bipe_piece_token *token, size_t count)
{
    uint8_t padded[BIPE_WORD_READ] = {0};
    memcpy(padded, text, size);
    bipe_short_word w = {.key = bipe_word_key_of(padded, size),
                         .tokens.count = (uint8_t)(count <= BIPE_WORD_SHORT_IDS ? count : 0)};
    if (w.tokens.count == 0) {
        w.key.high |= STORED;
        uint32_t *at = reserve_numbers(c, 1 + 2 * count);
        if (at == NULL)
            return;
        write_tokens(at, token, count);
        w.tokens.id[0] = (uint32_t)(at - c->store);
        w.tokens.id[1] = c->generation;
    }
    for (size_t i = 0; i < w.tokens.count; i++) {
        w.tokens.id[i] = token[i].id;
        w.tokens.end[i] = (uint8_t)token[i].end;
    }
    place_word(c, &w);
    if (c->evicted > (size_t)1 << c->bits >> 1 && c->bits < c->most)
        grow_pairs(c);
}

void bipe_word_cache_add(bipe_word_cache *c, const uint8_t *text, size_t size, const bipe_piece_token *token,
                         size_t count)
{
    if (count == 0 || size == 0 || size > BIPE_WORD_MOST || count > 4 * size)
        return;
    if (size <= BIPE_WORD_SHORT) {
        add_short(c, text, size, token, count);
        return;
    }
    uint32_t *at = reserve_numbers(c, 1 + 2 * count + (size + 3) / 4);
    if (at == NULL)
        return;
    write_tokens(at, token, count);
    memcpy(at + 1 + 2 * count, text, size);
    uint64_t hash = hash_of(text, size);
    *stored_word_of(c, hash) =
        (bipe_stored_word){.hash = hash, .at = (uint32_t)(at - c->store), .size = (uint32_t)size};
}

int bipe_piece_tokens_add(bipe_piece_tokens *t, uint32_t id, size_t end, bipe_error *err)
{
    if (t->count == t->capacity && bipe_grow(&t->token, &t->capacity, t->count + 1, sizeof *t->token) != 0)
        return bipe_fail_memory(err);
    t->token[t->count++] = (bipe_piece_token){.id = id, .end = (uint32_t)end};
    return BIPE_OK;
}
