/* word_cache.h - what words became when they came last: bytes -> token ids, so that the frequent words of a text are encoded once.
 *
 * A cache belongs to one stream and one model, and to words whose tokens do not depend on what stands around them. It is bounded, and forgets
 * when two words want one place. There are two tables: one for short words of few tokens, whose keys are compared as two numbers, and one
 * for the others. Text is never believed to be a word because of a hash: the bytes are compared. */
#ifndef BIPE_TOKEN_WORD_CACHE_H
#define BIPE_TOKEN_WORD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    BIPE_WORD_SHORT = 15,      /* bytes of a key of the first table */
    BIPE_WORD_SHORT_IDS = 3,   /* its ids */
    BIPE_WORD_LONG = 48,       /* bytes of a key of the second table: longer words are not kept */
    BIPE_WORD_LONG_IDS = 14,
    BIPE_WORD_READ = 16        /* bytes that bipe_word_key_of() reads, however short the word is */
};

/* A token of a word (of a pre-token): it ends at byte `end` of it. */
typedef struct bipe_piece_token {
    uint32_t id, end;
} bipe_piece_token;

/* A word of at most BIPE_WORD_SHORT bytes as two numbers: the bytes, zeros behind them, and the size in the last byte. */
typedef struct bipe_word_key {
    uint64_t low, high;
} bipe_word_key;

/* Token i of the word is id[i] and ends at byte end[i] of it. */
typedef struct bipe_short_word {
    bipe_word_key key;         /* {0, 0}: free */
    uint8_t count, end[BIPE_WORD_SHORT_IDS];
    uint32_t id[BIPE_WORD_SHORT_IDS];
} bipe_short_word;

typedef struct bipe_long_word {
    uint64_t hash;
    uint8_t size, count;       /* size 0: free */
    uint8_t end[BIPE_WORD_LONG_IDS];
    uint32_t id[BIPE_WORD_LONG_IDS];
    uint8_t key[BIPE_WORD_LONG];
} bipe_long_word;

/* Zero-initialise; the tables are made by bipe_word_cache_open(). */
typedef struct bipe_word_cache {
    void *room;                 /* what `pair` lies in: two words share a cache line */
    bipe_short_word (*pair)[2]; /* (1 << BIPE_WORD_PAIRS): two places for words of the same hash, the newer one first */
    bipe_long_word *word;       /* (1 << BIPE_WORD_WORDS) */
    uint8_t *sign;              /* (1 << BIPE_WORD_WORDS): some bits of the hashes in `word`, which say of most words that they are not there */
} bipe_word_cache;

enum { BIPE_WORD_PAIRS = 16, BIPE_WORD_WORDS = 13 }; /* 4 MiB and 1 MiB, of which only what is used costs memory */

/* Makes the tables if they are not there: 0, or -1 when memory is out. */
int bipe_word_cache_open(bipe_word_cache *cache);
void bipe_word_cache_free(bipe_word_cache *cache);

/* text: BIPE_WORD_READ bytes of it may be read; 0 < size <= BIPE_WORD_SHORT. */
static inline bipe_word_key bipe_word_key_of(const uint8_t *text, size_t size)
{
    bipe_word_key key;
    memcpy(&key.low, text, 8);
    memcpy(&key.high, text + 8, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    key.low = __builtin_bswap64(key.low);
    key.high = __builtin_bswap64(key.high);
#endif
    uint64_t low = size < 8 ? ~(UINT64_MAX << 8 * size) : UINT64_MAX;
    uint64_t high = size > 8 ? ~(UINT64_MAX << 8 * (size - 8)) : 0;
    key.low &= low;
    key.high = (key.high & high) | (uint64_t)size << 56;
    return key;
}

static inline size_t bipe_word_place(bipe_word_key key)
{
    uint64_t hash = (key.low ^ UINT64_C(0x2D358DCCAA6C78A5)) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ key.high) * UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)(hash >> (64 - BIPE_WORD_PAIRS));
}

/* What a short word became, or NULL. The cache is open. Valid until the next put. */
static inline const bipe_short_word *bipe_word_cache_find(const bipe_word_cache *cache, bipe_word_key key)
{
    const bipe_short_word *w = cache->pair[bipe_word_place(key)];
    if (w[0].key.low == key.low && w[0].key.high == key.high)
        return &w[0];
    if (w[1].key.low == key.low && w[1].key.high == key.high)
        return &w[1];
    return NULL;
}

/* Of a word of at most BIPE_WORD_LONG bytes that is not in the first table; just `size` bytes are read. */
const bipe_long_word *bipe_word_cache_find_long(const bipe_word_cache *cache, const uint8_t *text, size_t size);

/* Keeps a word, if it and its `count` tokens fit one of the tables; just `size` bytes are read. */
void bipe_word_cache_put(bipe_word_cache *cache, const uint8_t *text, size_t size, const bipe_piece_token *token, size_t count);

#endif
