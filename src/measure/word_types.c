/* word_types.c - a hash table of words. */
#include "measure/word_types.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { FEWEST_SLOTS = 64, WIDE = 16 };

/* The slot of a word, or the free one where it belongs. */
static size_t find_slot(const bipe_word_types *t, const uint8_t *word, size_t size, uint32_t hash)
{
    size_t s = hash & (t->slots - 1);
    for (; t->slot[s] != 0; s = (s + 1) & (t->slots - 1)) {
        const bipe_word_type *type = &t->type[t->slot[s] - 1];
        if (type->hash == hash && type->size == size && memcmp(t->text.data + type->at, word, size) == 0)
            break;
    }
    return s;
}

/* Keeps half of the slots free. */
static int grow_slots(bipe_word_types *t, bipe_error *err)
{
    if (2 * (t->count + 1) <= t->slots)
        return BIPE_OK;
    size_t slots = t->slots == 0 ? FEWEST_SLOTS : 2 * t->slots;
    uint32_t *slot = bipe_alloc(slots, sizeof *slot);
    if (slot == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < t->count; i++) {
        size_t s = t->type[i].hash & (slots - 1);
        while (slot[s] != 0)
            s = (s + 1) & (slots - 1);
        slot[s] = (uint32_t)i + 1;
    }
    bipe_free(t->slot);
    t->slot = slot;
    t->slots = slots;
    return BIPE_OK;
}

int bipe_word_types_find(bipe_word_types *t, const uint8_t *word, size_t size, uint32_t *number, bipe_error *err)
{
    uint64_t hash = bipe_hash_bytes(BIPE_HASH_EMPTY, word, size);
    uint32_t mixed = (uint32_t)(hash ^ hash >> 32);
    if (grow_slots(t, err) != BIPE_OK)
        return BIPE_ERR_MEMORY;
    size_t s = find_slot(t, word, size, mixed);
    *number = t->slot[s] - 1;
    if (t->slot[s] != 0)
        return BIPE_OK;
    if (t->count == BIPE_WORD_TYPES_MOST || size >= BIPE_WORD_BYTES_MOST - t->text.size)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %d different words, or %d bytes of them, expected fewer",
                         BIPE_WORD_TYPES_MOST, BIPE_WORD_BYTES_MOST);
    if (bipe_grow(&t->type, &t->capacity, t->count + 1, sizeof *t->type) != 0)
        return bipe_fail_memory(err);
    uint32_t at = (uint32_t)t->text.size;
    if (bipe_buffer_reserve(&t->text, size + 1, err) != BIPE_OK)
        return BIPE_ERR_MEMORY;
    bipe_buffer_append(&t->text, word, size, NULL);
    bipe_buffer_append(&t->text, "", 1, NULL);
    *number = (uint32_t)t->count;
    t->type[t->count++] = (bipe_word_type){.at = at, .size = (uint32_t)size, .hash = mixed};
    t->slot[s] = (uint32_t)t->count;
    return BIPE_OK;
}

int bipe_word_types_compare(const bipe_word_types *t, uint32_t a, uint32_t b)
{
    const bipe_word_type *x = &t->type[a], *y = &t->type[b];
    int order = memcmp(t->text.data + x->at, t->text.data + y->at, x->size < y->size ? x->size : y->size);
    return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

void bipe_word_types_clear(bipe_word_types *t)
{
    if (t->slots > WIDE * (t->count + FEWEST_SLOTS)) { /* those of a longer text before */
        bipe_word_types_free(t);
        return;
    }
    if (t->slots != 0)
        memset(t->slot, 0, t->slots * sizeof *t->slot);
    t->count = t->text.size = 0;
}

void bipe_word_types_free(bipe_word_types *t)
{
    bipe_buffer_free(&t->text);
    bipe_free(t->type);
    bipe_free(t->slot);
    *t = (bipe_word_types){0};
}
