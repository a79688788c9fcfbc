/* byte_words.h - the cache of byte_stream.c: what pre-tokens became, for many more words than word_cache.h keeps, and for words that are
 * longer or have many tokens.
 *
 * Words of up to BIPE_WORD_SHORT bytes stand in a table of pairs of places, as in word_cache.h. Tokens that do not fit there, and longer
 * words, stand one behind the other in a store, which is bounded: when it is full all in it is forgotten. */
#ifndef BIPE_TOKEN_BYTE_WORDS_H
#define BIPE_TOKEN_BYTE_WORDS_H

#include "token/word_cache.h"

enum {
    BIPE_BYTE_WORD_PAIRS = 18,      /* bits: 16 MiB of places, of which only what is used costs memory */
    BIPE_BYTE_WORD_LONG_BITS = 15,
    BIPE_BYTE_WORD_MOST = 1024,     /* bytes of a word: longer ones are not kept */
    BIPE_BYTE_WORD_STORE = 1 << 21  /* numbers of four bytes */
};

typedef struct bipe_stored_word {
    uint64_t hash;
    uint32_t at, size; /* in the store: the number of tokens, the tokens, the bytes; size 0: free */
} bipe_stored_word;

/* Zero-initialise. */
typedef struct bipe_byte_words {
    void *room;
    bipe_short_word (*pair)[2];     /* count 0 of a taken place: the tokens are in the store at id[0], if id[1] is `generation` */
    bipe_stored_word *stored;
    uint32_t *store;
    size_t used, capacity;
    uint32_t generation;            /* from 1 */
} bipe_byte_words;

/* Makes the tables if they are not there: 0, or -1 when memory is out. */
int bipe_byte_words_open(bipe_byte_words *words);
void bipe_byte_words_free(bipe_byte_words *words);

/* The places where a short word may be. */
static inline bipe_short_word *bipe_byte_words_pair(const bipe_byte_words *words, bipe_word_key key)
{
    uint64_t hash = (key.low ^ UINT64_C(0x2D358DCCAA6C78A5)) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ key.high) * UINT64_C(0xD6E8FEB86659FD93);
    return words->pair[hash >> (64 - BIPE_BYTE_WORD_PAIRS)];
}

/* Tokens of a word that the pairs do not hold by themselves, and how many; NULL: not known. w: its place in the pairs, or NULL for a
 * word longer than BIPE_WORD_SHORT. Valid until the next put. */
const bipe_piece_token *bipe_byte_words_stored(const bipe_byte_words *words, const bipe_short_word *w, const uint8_t *text, size_t size,
                                               size_t *count);
/* Keeps a word, unless it is too long or memory is out; just `size` bytes are read. */
void bipe_byte_words_put(bipe_byte_words *words, const uint8_t *text, size_t size, const bipe_piece_token *token, size_t count);

#endif
