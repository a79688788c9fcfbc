/* piece_trie.c - builds the double array, node by node from the sorted strings. */
#include "token/spm/piece_trie.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Free slots are a list, in order: `base` is the next one, `value` the one before; slot 0 is its end on both sides. The
 * tail of 256 slots is not in it. */
enum { TAIL = 256, TRIES = 64, TRIE_LIMIT = 1 << 28 };

typedef struct range {
    uint32_t node;
    size_t from, to, depth; /* the strings [from, to) have `depth` bytes in common, which lead to node */
} range;

typedef struct builder {
    bipe_piece_trie *trie;
    uint32_t first_free, last_free;
    uint32_t top; /* after the last slot that is taken: from here on all are free */
    range *stack;
    size_t depth, capacity;
} builder;

static int compare_strings(const void *a, const void *b)
{
    const bipe_trie_string *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->size < y->size ? x->size : y->size);
    if (order != 0)
        return order;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Makes the array so long that `want` slots are there before the tail. */
static int grow_nodes(builder *b, size_t want, bipe_error *err)
{
    bipe_piece_trie *t = b->trie;
    size_t old = t->size != 0 ? t->size - TAIL : 0, size = old + old / 2 + 1024;
    if (want > TRIE_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "pieces: a trie of more than %d nodes", TRIE_LIMIT);
    if (want <= old)
        return BIPE_OK;
    if (size < want)
        size = want;
    if (bipe_grow(&t->node, &t->capacity, size + TAIL, sizeof *t->node) != 0)
        return bipe_fail_memory(err);
    memset(t->node + t->size, 0, (size + TAIL - t->size) * sizeof *t->node);
    t->size = size + TAIL;
    for (size_t i = old; i < size; i++) {
        /* Every label fits below the slots from TAIL on. */
        if (i < TAIL) {
            t->node[i] = (bipe_trie_node){0};
            continue;
        }
        t->node[i] = (bipe_trie_node){.value = b->last_free};
        if (b->last_free != 0)
            t->node[b->last_free].base = (uint32_t)i;
        else
            b->first_free = (uint32_t)i;
        b->last_free = (uint32_t)i;
    }
    return BIPE_OK;
}

static void use_node(builder *b, uint32_t slot, uint32_t parent)
{
    bipe_trie_node *n = b->trie->node;
    uint32_t next = n[slot].base, before = n[slot].value;
    if (before != 0)
        n[before].base = next;
    else
        b->first_free = next;
    if (next != 0)
        n[next].value = before;
    else
        b->last_free = before;
    n[slot] = (bipe_trie_node){.parent = parent + 1, .value = BIPE_TRIE_NONE};
    b->top = slot >= b->top ? slot + 1 : b->top;
}

static bool is_free(const builder *b, size_t slot)
{
    return slot >= b->trie->size - TAIL || (b->trie->node[slot].parent == 0 && slot >= TAIL);
}

/* A base at which all labels have a free slot: in one of the first gaps, or at the end, where slots may be added. */
static int find_base(builder *b, const uint8_t *label, size_t labels, uint32_t *base, bipe_error *err)
{
    uint32_t slot = b->first_free;
    size_t found = b->top - label[0];
    for (int tries = 0; slot != 0 && tries < TRIES; tries++, slot = b->trie->node[slot].base) {
        size_t k = 1, at = slot - label[0];
        while (k < labels && is_free(b, at + label[k]))
            k++;
        if (k == labels) {
            found = at;
            break;
        }
    }
    *base = (uint32_t)found;
    return grow_nodes(b, found + label[labels - 1] + 1, err);
}

static int push_range(builder *b, uint32_t node, size_t from, size_t to, size_t depth, bipe_error *err)
{
    if (bipe_grow(&b->stack, &b->capacity, b->depth + 1, sizeof *b->stack) != 0)
        return bipe_fail_memory(err);
    b->stack[b->depth++] = (range){node, from, to, depth};
    return BIPE_OK;
}

/* Gives a node its value and its children. */
static int expand_node(builder *b, const bipe_trie_string *strings, range r, bipe_error *err)
{
    uint8_t label[256];
    size_t labels = 0, begin[257];
    for (; r.from < r.to && strings[r.from].size == r.depth; r.from++)
        b->trie->node[r.node].value = strings[r.from].value;
    for (size_t i = r.from; i < r.to; i++) {
        uint8_t byte = strings[i].text[r.depth];
        if (labels == 0 || label[labels - 1] != byte) {
            begin[labels] = i;
            label[labels++] = byte;
        }
    }
    if (labels == 0)
        return BIPE_OK;
    begin[labels] = r.to;
    uint32_t base;
    int status = find_base(b, label, labels, &base, err);
    if (status != BIPE_OK)
        return status;
    b->trie->node[r.node].base = base;
    for (size_t k = 0; k < labels; k++)
        use_node(b, base + label[k], r.node);
    for (size_t k = labels; status == BIPE_OK && k-- != 0;)
        status = push_range(b, base + label[k], begin[k], begin[k + 1], r.depth + 1, err);
    return status;
}

int bipe_piece_trie_build(bipe_piece_trie *trie, bipe_trie_string *strings, size_t count, bipe_error *err)
{
    if (count == 0)
        return BIPE_OK;
    qsort(strings, count, sizeof *strings, compare_strings);
    builder b = {.trie = trie, .top = TAIL};
    int status = grow_nodes(&b, TAIL, err);
    if (status == BIPE_OK) {
        trie->node[0] = (bipe_trie_node){.value = BIPE_TRIE_NONE};
        status = push_range(&b, 0, 0, count, 0, err);
    }
    while (status == BIPE_OK && b.depth != 0)
        status = expand_node(&b, strings, b.stack[--b.depth], err);
    bipe_free(b.stack);
    for (size_t i = 0; i < count; i++)
        trie->longest = strings[i].size > trie->longest ? strings[i].size : trie->longest;
    /* Free slots still hold the list: let them lead nowhere. */
    for (size_t i = 1; status == BIPE_OK && i < trie->size; i++)
        if (trie->node[i].parent == 0)
            trie->node[i] = (bipe_trie_node){.value = BIPE_TRIE_NONE};
    return status;
}

void bipe_piece_trie_free(bipe_piece_trie *trie)
{
    bipe_free(trie->node);
    *trie = (bipe_piece_trie){0};
}
