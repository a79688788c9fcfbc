/* vocabulary.c - strings by id and ids by string. */
#include "token/vocabulary.h"

#include <string.h>

#include "base/alloc.h"

uint64_t bipe_vocabulary_hash(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < size; i++)
        hash = hash * UINT64_C(0x2545F4914F6CDD1D) + bytes[i] + 1;
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
    if (size >= SIZE_MAX - v->text_size || bipe_grow(&v->text, &v->text_capacity, v->text_size + size + 1, 1) != 0 ||
        bipe_grow(&v->end, &v->end_capacity, v->count + 1, sizeof *v->end) != 0)
        return bipe_fail_memory(err);
    if (size != 0)
        memcpy(v->text + v->text_size, text, size);
    v->text_size += size;
    v->end[v->count++] = v->text_size;
    return BIPE_OK;
}

/* The slot of a text, or the free one where it would be. There are slots. */
static size_t find_slot(const bipe_vocabulary *v, const uint8_t *text, size_t size)
{
    size_t at = slot_of(bipe_vocabulary_hash(text, size), v->mask);
    for (; v->slot[at] != 0; at = (at + 1) & v->mask) {
        size_t other_size;
        const uint8_t *other = bipe_vocabulary_text(v, v->slot[at] - 1, &other_size);
        if (other_size == size && memcmp(other, text, size) == 0)
            break;
    }
    return at;
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
    uint32_t *old = v->slot;
    v->slot = grown;
    v->mask = next - 1;
    for (size_t i = 0; i < slots; i++)
        if (old[i] != 0) {
            size_t size;
            const uint8_t *text = bipe_vocabulary_text(v, old[i] - 1, &size);
            grown[find_slot(v, text, size)] = old[i];
        }
    bipe_free(old);
    return 0;
}

int64_t bipe_vocabulary_find(const bipe_vocabulary *v, const void *text, size_t size)
{
    if (v->slot == NULL)
        return BIPE_NO_PIECE;
    return (int64_t)v->slot[find_slot(v, text, size)] - 1;
}

int64_t bipe_vocabulary_index(bipe_vocabulary *v, uint32_t id)
{
    /* Room for all strings that are there, once, rather than step by step. */
    if (grow_slots(v, v->used + 1 > v->count ? v->used + 1 : v->count) != 0)
        return BIPE_NO_PIECE;
    size_t size;
    const uint8_t *text = bipe_vocabulary_text(v, id, &size);
    uint32_t *slot = &v->slot[find_slot(v, text, size)];
    if (*slot != 0)
        return *slot - 1;
    *slot = id + 1;
    v->used++;
    return id;
}

int bipe_vocabulary_index_all(bipe_vocabulary *v)
{
    for (uint32_t id = 0; id < v->count; id++) {
        size_t size;
        bipe_vocabulary_text(v, id, &size);
        if (size != 0 && bipe_vocabulary_index(v, id) == BIPE_NO_PIECE)
            return -1;
    }
    return 0;
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
