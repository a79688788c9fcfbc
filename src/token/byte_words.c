/* byte_words.c - the half of the cache that is not asked for every word. */
#include "token/byte_words.h"

#include "base/alloc.h"

int bipe_byte_words_open(bipe_byte_words *c)
{
    /* Zeroed memory that is not touched costs nothing, which aligned memory would. */
    if (c->room == NULL && (c->room = bipe_alloc(((size_t)1 << BIPE_BYTE_WORD_PAIRS) + 1, sizeof *c->pair)) != NULL) {
        uintptr_t place = (uintptr_t)c->room;
        c->pair = (bipe_short_word (*)[2])(void *)((char *)c->room + (-place & (sizeof *c->pair - 1)));
    }
    if (c->stored == NULL)
        c->stored = bipe_alloc((size_t)1 << BIPE_BYTE_WORD_LONG_BITS, sizeof *c->stored);
    c->generation = c->generation != 0 ? c->generation : 1;
    return c->pair != NULL && c->stored != NULL ? 0 : -1;
}

void bipe_byte_words_free(bipe_byte_words *c)
{
    bipe_free(c->room);
    bipe_free(c->stored);
    bipe_free(c->store);
    *c = (bipe_byte_words){0};
}

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

static bipe_stored_word *place_of(const bipe_byte_words *c, uint64_t hash)
{
    return &c->stored[hash * UINT64_C(0x9E3779B97F4A7C15) >> (64 - BIPE_BYTE_WORD_LONG_BITS)];
}

const bipe_piece_token *bipe_byte_words_stored(const bipe_byte_words *c, const bipe_short_word *w, const uint8_t *text, size_t size,
                                               size_t *count)
{
    const uint32_t *at = NULL;
    if (w != NULL) {
        at = w->id[1] == c->generation ? c->store + w->id[0] : NULL;
    } else if (size <= BIPE_BYTE_WORD_MOST) {
        uint64_t hash = hash_of(text, size);
        const bipe_stored_word *s = place_of(c, hash);
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

/* A place for `more` numbers of the store; NULL: none. */
static uint32_t *make_room(bipe_byte_words *c, size_t more)
{
    if (c->used + more > BIPE_BYTE_WORD_STORE) {
        memset(c->stored, 0, sizeof *c->stored << BIPE_BYTE_WORD_LONG_BITS);
        c->used = 0;
        c->generation++;
    }
    if (bipe_grow(&c->store, &c->capacity, c->used + more, sizeof *c->store) != 0)
        return NULL;
    uint32_t *at = c->store + c->used;
    c->used += more;
    return at;
}

static void put_tokens(uint32_t *at, const bipe_piece_token *token, size_t count)
{
    at[0] = (uint32_t)count;
    memcpy(at + 1, token, count * sizeof *token);
}

static void put_short(bipe_byte_words *c, const uint8_t *text, size_t size, const bipe_piece_token *token, size_t count)
{
    uint8_t room[BIPE_WORD_READ] = {0};
    memcpy(room, text, size);
    bipe_short_word w = {.key = bipe_word_key_of(room, size), .count = (uint8_t)(count <= BIPE_WORD_SHORT_IDS ? count : 0)};
    if (w.count == 0) {
        uint32_t *at = make_room(c, 1 + 2 * count);
        if (at == NULL)
            return;
        put_tokens(at, token, count);
        w.id[0] = (uint32_t)(at - c->store);
        w.id[1] = c->generation;
    }
    for (size_t i = 0; i < w.count; i++) {
        w.id[i] = token[i].id;
        w.end[i] = (uint8_t)token[i].end;
    }
    bipe_short_word *pair = bipe_byte_words_pair(c, w.key);
    if (pair[0].key.low != w.key.low || pair[0].key.high != w.key.high)
        pair[1] = pair[0];
    pair[0] = w;
}

void bipe_byte_words_put(bipe_byte_words *c, const uint8_t *text, size_t size, const bipe_piece_token *token, size_t count)
{
    if (count == 0 || size > BIPE_BYTE_WORD_MOST || count > 4 * size)
        return;
    if (size <= BIPE_WORD_SHORT) {
        put_short(c, text, size, token, count);
        return;
    }
    uint32_t *at = make_room(c, 1 + 2 * count + (size + 3) / 4);
    if (at == NULL)
        return;
    put_tokens(at, token, count);
    memcpy(at + 1 + 2 * count, text, size);
    uint64_t hash = hash_of(text, size);
    *place_of(c, hash) = (bipe_stored_word){.hash = hash, .at = (uint32_t)(at - c->store), .size = (uint32_t)size};
}
