/* vocabulary.c - strings by id and ids by string. */
#include "token/vocabulary.h"

#include <string.h>

#include "base/alloc.h"

enum { AT_ONCE = 64, AHEAD = 8 };

uint64_t bipe_vocabulary_hash(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < size; i++)
        hash = bipe_hash_step(hash, bytes[i]);
    return hash;
}

static size_t slot_of(uint64_t hash, size_t mask)
{
    hash ^= hash >> 32;
    hash *= UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)(hash ^ hash >> 32) & mask;
}

int bipe_vocabulary_append(bipe_vocabulary *v, const void *text, size_t size, bipe_error *err)
{
    if (size > SIZE_MAX - BIPE_VOCABULARY_SLACK - v->text_size ||
        bipe_grow(&v->text, &v->text_capacity, v->text_size + size + BIPE_VOCABULARY_SLACK, 1) != 0 ||
        bipe_grow(&v->end, &v->end_capacity, v->count + 1, sizeof *v->end) != 0)
        return bipe_fail_memory(err);
    if (size != 0)
        memcpy(v->text + v->text_size, text, size);
    v->text_size += size;
    v->end[v->count++] = v->text_size;
    return BIPE_OK;
}

static int grow_slots(bipe_vocabulary *v, size_t want)
{
    size_t slots = v->slot != NULL ? v->mask + 1 : 0;
    if (want <= slots / 2)
        return 0;
    size_t next = slots != 0 ? slots : 64;
    while (next / 2 < want) {
        if (next > SIZE_MAX / 2)
            return -1;
        next *= 2;
    }
    uint32_t *grown = bipe_alloc_large(next, sizeof *grown);
    if (grown == NULL)
        return -1;
    for (size_t i = 0; i < slots; i++) {
        if (v->slot[i] == 0)
            continue;
        size_t size;
        const uint8_t *text = bipe_vocabulary_text(v, v->slot[i] - 1, &size);
        size_t place = slot_of(bipe_vocabulary_hash(text, size), next - 1);
        while (grown[place] != 0)
            place = (place + 1) & (next - 1);
        grown[place] = v->slot[i];
    }
    bipe_free(v->slot);
    v->slot = grown;
    v->mask = next - 1;
    return 0;
}

void bipe_vocabulary_expect(bipe_vocabulary *v, size_t count)
{
    (void)grow_slots(v, count);
}

static int64_t index_hashed(bipe_vocabulary *v, uint32_t id, uint64_t hash)
{
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(v, id, &size);
    int64_t known = bipe_vocabulary_find_hashed(v, text, size, hash);
    if (known != BIPE_NO_PIECE)
        return known;
    size_t place = slot_of(hash, v->mask);
    while (v->slot[place] != 0)
        place = (place + 1) & v->mask;
    v->slot[place] = id + 1;
    v->used++;
    return id;
}

int64_t bipe_vocabulary_index(bipe_vocabulary *v, uint32_t id)
{
    /* Room for all strings that are there, once, rather than step by step. */
    if (grow_slots(v, v->used + 1 > v->count ? v->used + 1 : v->count) != 0)
        return BIPE_NO_PIECE;
    size_t size;
    const uint8_t *text;
    if (id + AHEAD < v->count) { /* one that comes soon, where ids come in a row */
        text = bipe_vocabulary_text(v, id + AHEAD, &size);
        __builtin_prefetch(&v->slot[slot_of(bipe_vocabulary_hash(text, size), v->mask)], 1);
    }
    text = bipe_vocabulary_text(v, id, &size);
    return index_hashed(v, id, bipe_vocabulary_hash(text, size));
}

int bipe_vocabulary_index_all(bipe_vocabulary *v)
{
    if (grow_slots(v, v->count) != 0)
        return -1;
    for (size_t first = 0, n; first < v->count; first += n) {
        uint64_t hash[AT_ONCE];
        size_t size[AT_ONCE];
        n = v->count - first < AT_ONCE ? v->count - first : AT_ONCE;
        for (size_t i = 0; i < n; i++) {
            const uint8_t *text = bipe_vocabulary_text(v, (uint32_t)(first + i), &size[i]);
            hash[i] = bipe_vocabulary_hash(text, size[i]);
            __builtin_prefetch(&v->slot[slot_of(hash[i], v->mask)], 1);
        }
        for (size_t i = 0; i < n; i++)
            if (size[i] != 0)
                index_hashed(v, (uint32_t)(first + i), hash[i]);
    }
    return 0;
}

int64_t bipe_vocabulary_find_hashed(const bipe_vocabulary *v, const uint8_t *text, size_t size, uint64_t hash)
{
    if (v->slot == NULL)
        return BIPE_NO_PIECE;
    for (size_t place = slot_of(hash, v->mask); v->slot[place] != 0; place = (place + 1) & v->mask) {
        size_t other_size;
        const uint8_t *other = bipe_vocabulary_text(v, v->slot[place] - 1, &other_size);
        if (other_size == size && memcmp(other, text, size) == 0)
            return v->slot[place] - 1;
    }
    return BIPE_NO_PIECE;
}

int64_t bipe_vocabulary_find(const bipe_vocabulary *v, const void *text, size_t size)
{
    return bipe_vocabulary_find_hashed(v, text, size, bipe_vocabulary_hash(text, size));
}

/* A step asks for the memory that the next one needs, of all texts. */
static void find_some(const bipe_vocabulary *v, const uint8_t *const *text, const size_t *size, size_t count, int64_t *id)
{
    uint64_t hash[AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        hash[i] = bipe_vocabulary_hash(text[i], size[i]);
        __builtin_prefetch(&v->slot[slot_of(hash[i], v->mask)]);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t next = v->slot[slot_of(hash[i], v->mask)];
        id[i] = next;
        __builtin_prefetch(&v->end[next > 1 ? next - 2 : 0]);
    }
    for (size_t i = 0; i < count; i++)
        if (id[i] != 0)
            __builtin_prefetch(v->text + (id[i] > 1 ? v->end[id[i] - 2] : 0));
    for (size_t i = 0; i < count; i++)
        id[i] = bipe_vocabulary_find_hashed(v, text[i], size[i], hash[i]);
}

void bipe_vocabulary_find_all(const bipe_vocabulary *v, const uint8_t *const *text, const size_t *size, size_t count, int64_t *id)
{
    for (size_t i = 0, n; i < count; i += n) {
        n = count - i < AT_ONCE ? count - i : AT_ONCE;
        if (v->slot != NULL)
            find_some(v, text + i, size + i, n, id + i);
        for (size_t k = i; v->slot == NULL && k < i + n; k++)
            id[k] = BIPE_NO_PIECE;
    }
}

void bipe_vocabulary_free(bipe_vocabulary *v)
{
    bipe_free(v->text);
    bipe_free(v->end);
    bipe_free(v->slot);
    *v = (bipe_vocabulary){0};
}

int bipe_byte_piece(const uint8_t *text, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    if (size != 6 || memcmp(text, "<0x", 3) != 0 || text[5] != '>' || text[3] == '\0' || text[4] == '\0')
        return -1;
    const char *high = strchr(digits, text[3]), *low = strchr(digits, text[4]);
    return high != NULL && low != NULL ? (int)(high - digits) * 16 + (int)(low - digits) : -1;
}
