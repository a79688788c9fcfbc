/* word_cache.c - the growing half of the cache of words, and the table of the longer ones. */
#include "token/word_cache.h"

#include "base/alloc.h"
#include "token/vocabulary.h" /* bipe_hash_bytes */

int bipe_word_cache_open(bipe_word_cache *c)
{
    /* Zeroed memory that is not touched costs nothing, which aligned memory would. */
    if (c->room == NULL && (c->room = bipe_alloc(((size_t)1 << BIPE_WORD_PAIRS) + 1, sizeof *c->pair)) != NULL) {
        uintptr_t place = (uintptr_t)c->room;
        c->pair = (bipe_short_word (*)[2])(void *)((char *)c->room + (-place & (sizeof *c->pair - 1)));
    }
    if (c->word == NULL)
        c->word = bipe_alloc((size_t)1 << BIPE_WORD_WORDS, sizeof *c->word);
    if (c->sign == NULL)
        c->sign = bipe_alloc((size_t)1 << BIPE_WORD_WORDS, sizeof *c->sign);
    return c->pair != NULL && c->word != NULL && c->sign != NULL ? 0 : -1;
}

void bipe_word_cache_free(bipe_word_cache *c)
{
    bipe_free(c->room);
    bipe_free(c->word);
    bipe_free(c->sign);
    *c = (bipe_word_cache){0};
}

static size_t place_of(uint64_t hash)
{
    return (size_t)((hash ^ hash >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - BIPE_WORD_WORDS));
}

static uint8_t sign_of(uint64_t hash)
{
    return (uint8_t)(hash ^ hash >> 24 ^ hash >> 48);
}

const bipe_long_word *bipe_word_cache_find_long(const bipe_word_cache *c, const uint8_t *text, size_t size)
{
    if (size > BIPE_WORD_LONG)
        return NULL;
    uint64_t hash = bipe_hash_bytes(text, size);
    size_t place = place_of(hash);
    if (c->sign[place] != sign_of(hash))
        return NULL;
    const bipe_long_word *w = &c->word[place];
    return w->hash == hash && w->size == size && memcmp(w->key, text, size) == 0 ? w : NULL;
}

static void put_short(bipe_word_cache *c, const uint8_t *text, size_t size, const bipe_piece_token *token, size_t count)
{
    uint8_t room[BIPE_WORD_READ] = {0};
    memcpy(room, text, size);
    bipe_short_word w = {.key = bipe_word_key_of(room, size), .count = (uint8_t)count};
    for (size_t i = 0; i < count; i++) {
        w.id[i] = token[i].id;
        w.end[i] = (uint8_t)token[i].end;
    }
    bipe_short_word *pair = c->pair[bipe_word_place(w.key)];
    if (pair[0].key.low != w.key.low || pair[0].key.high != w.key.high)
        pair[1] = pair[0];
    pair[0] = w;
}

static void put_long(bipe_word_cache *c, const uint8_t *text, size_t size, const bipe_piece_token *token, size_t count)
{
    uint64_t hash = bipe_hash_bytes(text, size);
    size_t place = place_of(hash);
    bipe_long_word *w = &c->word[place];
    c->sign[place] = sign_of(hash);
    *w = (bipe_long_word){.hash = hash, .size = (uint8_t)size, .count = (uint8_t)count};
    memcpy(w->key, text, size);
    for (size_t i = 0; i < count; i++) {
        w->id[i] = token[i].id;
        w->end[i] = (uint8_t)token[i].end;
    }
}

void bipe_word_cache_put(bipe_word_cache *c, const uint8_t *text, size_t size, const bipe_piece_token *token, size_t count)
{
    if (size <= BIPE_WORD_SHORT && count <= BIPE_WORD_SHORT_IDS)
        put_short(c, text, size, token, count);
    else if (size <= BIPE_WORD_LONG && count <= BIPE_WORD_LONG_IDS)
        put_long(c, text, size, token, count);
}
