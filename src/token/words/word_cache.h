/* word_cache.h - the tokens of words seen before: bytes -> token ids, so that the frequent words of a text are encoded
 * once.
 *
 * A cache belongs to one thread and one model, and to words whose tokens do not depend on the text around them. Its
 * size is bounded: old words are dropped. A hash match is always confirmed by comparing the bytes.
 *
 * Short words of few tokens are kept in a table of pairs of entries, which grows with the number of words, so that
 * a text of few words stays in the processor's caches. Tokens that do not fit there, and longer words, are kept one
 * after the other in a store. When the store is full, it takes nothing for as long as it took to fill, and is then
 * emptied. */
#ifndef BIPE_TOKEN_WORD_CACHE_H
#define BIPE_TOKEN_WORD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

/* ---- short words as numbers, which caches compare and hash ---- */

enum {
    BIPE_WORD_SHORT = 15, /* bytes of the longest word that has a key */
    BIPE_WORD_LONG,       /* stands for the size of all that have none */
    BIPE_WORD_READ = 16   /* bytes that bipe_word_key_of() reads, however short the word is */
};

/* A word of at most BIPE_WORD_SHORT bytes: the bytes, zeros after them, and the size in the last byte. */
typedef struct bipe_word_key {
    uint64_t low, high;
} bipe_word_key;

/* For each size, which bytes are the word's, and the size in its place. */
static const struct bipe_word_mask {
    uint64_t low, high, size;
} bipe_word_mask[BIPE_WORD_SHORT + 2] = {
#define BIPE_WORD_BYTES(n) (~(~UINT64_C(0) << 8 * ((n) & 7)))
#define BIPE_WORD_MASK(n) \
    {(n) < 8 ? BIPE_WORD_BYTES(n) : ~UINT64_C(0), (n) > 8 ? BIPE_WORD_BYTES(n) : 0, (uint64_t)(n) << 56}
    BIPE_WORD_MASK(0),  BIPE_WORD_MASK(1),  BIPE_WORD_MASK(2),  BIPE_WORD_MASK(3),  BIPE_WORD_MASK(4),
    BIPE_WORD_MASK(5),  BIPE_WORD_MASK(6),  BIPE_WORD_MASK(7),  BIPE_WORD_MASK(8),  BIPE_WORD_MASK(9),
    BIPE_WORD_MASK(10), BIPE_WORD_MASK(11), BIPE_WORD_MASK(12), BIPE_WORD_MASK(13), BIPE_WORD_MASK(14),
    BIPE_WORD_MASK(15), BIPE_WORD_MASK(16),
#undef BIPE_WORD_MASK
#undef BIPE_WORD_BYTES
};

/* text: BIPE_WORD_READ bytes of it may be read; 0 < size <= BIPE_WORD_SHORT, or BIPE_WORD_LONG: a key that no word
 * has. */
static inline bipe_word_key bipe_word_key_of(const uint8_t *text, size_t size)
{
    const struct bipe_word_mask *mask = &bipe_word_mask[size];
    bipe_word_key key;
    memcpy(&key.low, text, 8);
    memcpy(&key.high, text + 8, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    key.low = __builtin_bswap64(key.low);
    key.high = __builtin_bswap64(key.high);
#endif
    key.low &= mask->low;
    key.high = (key.high & mask->high) | mask->size;
    return key;
}

#define BIPE_WORD_HASH_FIRST UINT64_C(0x2D358DCCAA6C78A5)
#define BIPE_WORD_HASH_LOW UINT64_C(0x9E3779B97F4A7C15)
#define BIPE_WORD_HASH_HIGH UINT64_C(0xD6E8FEB86659FD93)

/* Its upper bits number a pair of the cache. */
static inline uint64_t bipe_word_hash(bipe_word_key key)
{
    uint64_t hash = (key.low ^ BIPE_WORD_HASH_FIRST) * BIPE_WORD_HASH_LOW;
    return (hash ^ hash >> 32 ^ key.high) * BIPE_WORD_HASH_HIGH;
}

static inline uint64_t bipe_word_differs(bipe_word_key a, bipe_word_key b)
{
    return (a.low ^ b.low) | (a.high ^ b.high);
}

/* ---- the cache ---- */

enum {
    BIPE_WORD_SHORT_IDS = 3,    /* ids in one entry */
    BIPE_WORD_MOST = 1024,      /* bytes of a word: longer ones are not kept */
    BIPE_WORD_PAIRS_FIRST = 10, /* bits of the number of pairs, when the cache is new (64 KiB) */
    BIPE_WORD_CACHES = 6,       /* up to this many caches may reach the full size; with more, each is smaller, down to a
                                   sixteenth */
    BIPE_WORD_PAIRS_MOST = 17,  /* bits at full size (8 MiB) */
    BIPE_WORD_STORED = 15,      /* bits of the number of longer words */
    BIPE_WORD_STORE = 1 << 20   /* numbers of four bytes (4 MiB) */
};

/* A token of a word (of a pre-token): it ends at byte `end` of it. */
typedef struct bipe_piece_token {
    uint32_t id, end;
} bipe_piece_token;

/* Tokens of one word or of several. Zero-initialise. */
typedef struct bipe_piece_tokens {
    bipe_piece_token *token;
    size_t count, capacity;
} bipe_piece_tokens;

int bipe_piece_tokens_add(bipe_piece_tokens *tokens, uint32_t id, size_t end, bipe_error *err);

/* A word that is to be encoded, size > 0; where its tokens are then: token[at] to token[at + count - 1] of a list. */
typedef struct bipe_new_word {
    const uint8_t *text;
    size_t size, at, count;
} bipe_new_word;

/* The tokens of a word: token i is id[i] and ends at byte end[i] of it. */
typedef struct bipe_short_tokens {
    uint8_t count, end[BIPE_WORD_SHORT_IDS];
    uint32_t id[BIPE_WORD_SHORT_IDS];
} bipe_short_tokens;

/* An entry. One without tokens, under a key that no word has, points into the store: at id[0], valid while id[1] is
 * `generation`. */
typedef struct bipe_short_word {
    bipe_word_key key;         /* {0, 0}: free */
    bipe_short_tokens tokens;
} bipe_short_word;

/* Where a longer word is in the store: the number of tokens, the tokens, the bytes. size 0: free. */
typedef struct bipe_stored_word {
    uint64_t hash;
    uint32_t at, size;
} bipe_stored_word;

/* Zero-initialise. */
typedef struct bipe_word_cache {
    bipe_short_word (*pair)[2];     /* (1 << bits): two words share a cache line */
    unsigned bits, most;            /* of the number of pairs, now and at most; 0: not open */
    size_t evicted;                 /* words that were overwritten since the table grew */
    bipe_stored_word *stored;       /* (1 << BIPE_WORD_STORED) */
    uint32_t *store;
    size_t used, capacity;
    size_t skipped;                 /* numbers not taken since the store is full */
    uint32_t generation;            /* of the store, from 1 */
} bipe_word_cache;

/* Makes the tables if they do not exist: 0, or -1 when memory is exhausted. */
int bipe_word_cache_open(bipe_word_cache *cache);
void bipe_word_cache_free(bipe_word_cache *cache);

/* The two entries that a short word may be in. The cache is open. Valid until the next put. */
static inline const bipe_short_word *bipe_word_cache_pair(const bipe_word_cache *cache, bipe_word_key key)
{
    return cache->pair[bipe_word_hash(key) >> (64 - cache->bits)];
}

/* The one of the two that has the word, or NULL. Chosen without a branch, which would be unpredictable. */
static inline const bipe_short_word *bipe_word_of_pair(const bipe_short_word *pair, bipe_word_key key)
{
    const bipe_short_word *w = pair + (bipe_word_differs(pair[0].key, key) != 0);
    return bipe_word_differs(w->key, key) == 0 ? w : NULL;
}

/* The tokens of a word in the store, and how many there are. NULL: not known. No more than `size` bytes are read. Valid
 * until the next put. */
const bipe_piece_token *bipe_word_cache_stored(const bipe_word_cache *cache, bipe_word_key key, const uint8_t *text,
                                               size_t size, size_t *count);
/* The same for any word, in the table or the store; the tokens of an entry are written to `room`. BIPE_WORD_READ bytes
 * of the text may be read. */
static inline const bipe_piece_token *bipe_word_cache_find(const bipe_word_cache *cache, const uint8_t *text,
                                                           size_t size, bipe_piece_token room[BIPE_WORD_SHORT_IDS],
                                                           size_t *count)
{
    bipe_word_key key = bipe_word_key_of(text, size <= BIPE_WORD_SHORT ? size : BIPE_WORD_LONG);
    const bipe_short_word *w = size <= BIPE_WORD_SHORT ? bipe_word_of_pair(bipe_word_cache_pair(cache, key), key)
                                                       : NULL;
    if (w == NULL)
        return bipe_word_cache_stored(cache, key, text, size, count);
    *count = w->tokens.count;
    for (size_t i = 0; i < *count; i++)
        room[i] = (bipe_piece_token){.id = w->tokens.id[i], .end = w->tokens.end[i]};
    return room;
}

/* Looks up the n <= 65536 words text[start[k] .. start[k + 1]); BIPE_WORD_READ bytes of each may be read, and start[n]
 * < 2^31. known[k]: the tokens of each that is in a pair of the cache. miss: the numbers of the others, in order; (n)
 * may be written. Returns how many these are. */
size_t bipe_word_look_up(const bipe_word_cache *cache, const uint8_t *text, const uint32_t *start, size_t n,
                         bipe_short_tokens *known, uint16_t *miss);

/* Keeps a word and its tokens, unless it is too long or memory is exhausted; no more than `size` bytes are read. */
void bipe_word_cache_add(bipe_word_cache *cache, const uint8_t *text, size_t size, const bipe_piece_token *token,
                         size_t count);

#endif
