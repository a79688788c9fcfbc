/* word_key.h - short words as numbers: what caches of words compare and hash. */
#ifndef BIPE_TOKEN_WORD_KEY_H
#define BIPE_TOKEN_WORD_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
#define BIPE_WORD_MASK(n) \
    {(n) < 8 ? ~(~UINT64_C(0) << 8 * ((n) & 7)) : ~UINT64_C(0), (n) > 8 ? ~(~UINT64_C(0) << 8 * ((n) & 7)) : 0, (uint64_t)(n) << 56}
    BIPE_WORD_MASK(0),  BIPE_WORD_MASK(1),  BIPE_WORD_MASK(2),  BIPE_WORD_MASK(3),  BIPE_WORD_MASK(4),  BIPE_WORD_MASK(5),
    BIPE_WORD_MASK(6),  BIPE_WORD_MASK(7),  BIPE_WORD_MASK(8),  BIPE_WORD_MASK(9),  BIPE_WORD_MASK(10), BIPE_WORD_MASK(11),
    BIPE_WORD_MASK(12), BIPE_WORD_MASK(13), BIPE_WORD_MASK(14), BIPE_WORD_MASK(15), BIPE_WORD_MASK(16),
#undef BIPE_WORD_MASK
};

/* text: BIPE_WORD_READ bytes of it may be read; 0 < size <= BIPE_WORD_SHORT, or BIPE_WORD_LONG: a key that no word has. */
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

/* The upper bits choose the pair of entries. */
static inline uint64_t bipe_word_hash(bipe_word_key key)
{
    uint64_t hash = (key.low ^ BIPE_WORD_HASH_FIRST) * BIPE_WORD_HASH_LOW;
    return (hash ^ hash >> 32 ^ key.high) * BIPE_WORD_HASH_HIGH;
}

static inline uint64_t bipe_word_differs(bipe_word_key a, bipe_word_key b)
{
    return (a.low ^ b.low) | (a.high ^ b.high);
}

#endif
