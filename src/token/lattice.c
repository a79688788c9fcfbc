/* lattice.c - the best way through a text (Viterbi), from left to right, with the decided part given out on the way.
 *
 * A piece that begins at a place is looked for when all its bytes are there. Every character is reached (one that is no
 * piece is an unknown one), so a place that no piece spans is on every way: what comes before it is decided. Where
 * pieces overlap without end, the last pieces of all open ways are followed back until the ways meet; this is
 * done each time as much has come in again, so that the work stays proportional to the text. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "token/unigram.h"

enum {
    FIRST_LOOK = 1 << 13,
    KEPT = 1 << 20 /* the memory of more places than this is not kept for the next text */
};

#define MARK UINT32_C(0x80000000) /* in back: on a way that is being followed */

void bipe_lattice_begin(bipe_lattice *l, const bipe_unigram *unigram)
{
    if (l->capacity > KEPT)
        bipe_lattice_free(l);
    l->unigram = unigram;
    l->base = l->at = l->count = l->reach = 0;
    l->look = FIRST_LOOK;
    if (l->capacity != 0) {
        l->sum[0] = 0;
        l->back[0] = 0;
    }
}

void bipe_lattice_free(bipe_lattice *l)
{
    bipe_free(l->text);
    bipe_free(l->size);
    bipe_free(l->sum);
    bipe_free(l->back);
    bipe_free(l->id);
    bipe_free(l->end);
    *l = (bipe_lattice){0};
}

/* Moves what is held to the front. */
static void compact(bipe_lattice *l)
{
    size_t base = l->base, held = l->count - base;
    memmove(l->text, l->text + base, held * sizeof *l->text);
    memmove(l->size, l->size + base, held * sizeof *l->size);
    memmove(l->sum, l->sum + base, (held + 1) * sizeof *l->sum);
    memmove(l->back, l->back + base, (held + 1) * sizeof *l->back);
    memmove(l->id, l->id + base, (held + 1) * sizeof *l->id);
    l->at -= base;
    l->reach = l->reach > base ? l->reach - base : 0;
    l->count = held;
    l->base = 0;
}

static int resize(void *array, size_t count, size_t size)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = bipe_realloc(old, count, size);
    if (grown == NULL)
        return -1;
    memcpy(array, &grown, sizeof grown);
    return 0;
}

/* Room for `want` places: 0, or -1. */
static int make_room(bipe_lattice *l, size_t want)
{
    size_t capacity = 2 * l->capacity < 4096 ? 4096 : 2 * l->capacity;
    if (capacity < want)
        capacity = want;
    bool fresh = l->capacity == 0;
    if (resize(&l->text, capacity, sizeof *l->text) != 0 || resize(&l->size, capacity, sizeof *l->size) != 0 ||
        resize(&l->sum, capacity, sizeof *l->sum) != 0 || resize(&l->back, capacity, sizeof *l->back) != 0 ||
        resize(&l->id, capacity, sizeof *l->id) != 0)
        return -1;
    l->capacity = capacity;
    if (fresh) {
        l->sum[0] = 0;
        l->back[0] = 0;
    }
    return 0;
}

int bipe_lattice_push(bipe_lattice *l, const uint8_t *bytes, size_t count, uint32_t size, bool broken, bipe_error *err)
{
    if (l->base > 4096 && l->base > l->count / 2)
        compact(l);
    size_t n = l->count;
    if (n - l->base > l->unigram->hold_limit)
        return bipe_fail(err, BIPE_ERR_LIMIT, "more than %zu bytes without a place to cut the text into tokens",
                         l->unigram->hold_limit);
    if (n + count + 1 > l->capacity && make_room(l, n + count + 1) != 0)
        return bipe_fail_memory(err);
    memcpy(l->text + n, bytes, count);
    memset(l->size + n, 0, count * sizeof *l->size);
    memset(l->back + n + 1, 0, count * sizeof *l->back);
    l->size[n] = size | (broken ? BIPE_LATTICE_BROKEN : 0);
    l->count = n + count;
    return BIPE_OK;
}

/* Gives out the pieces of the best way that ends at `to`. */
static int give_out(bipe_lattice *l, size_t to, bipe_lattice_sink *sink, void *context, bipe_error *err)
{
    size_t pieces = 0;
    for (size_t p = to; p > l->base; p -= l->back[p]) {
        if (bipe_grow(&l->end, &l->end_capacity, pieces + 1, sizeof *l->end) != 0)
            return bipe_fail_memory(err);
        l->end[pieces++] = p;
    }
    size_t from = l->base;
    int status = BIPE_OK;
    while (status == BIPE_OK && pieces-- != 0) {
        size_t end = l->end[pieces];
        status = sink(context, l, l->id[end], from, end, err);
        from = end;
    }
    l->base = to;
    return status;
}

/* The farthest place that all open ways go through; base when there is none behind it. */
static size_t meeting_place(bipe_lattice *l)
{
    size_t marked = 0, found = l->base;
    for (size_t p = l->at; p <= l->reach; p++)
        if (l->back[p] != 0) {
            l->back[p] |= MARK;
            marked++;
        }
    for (size_t p = l->reach; p > l->base && marked != 0; p--) {
        if ((l->back[p] & MARK) == 0)
            continue;
        l->back[p] &= ~MARK;
        marked--;
        if (marked == 0) {
            found = p;
            break;
        }
        size_t before = p - l->back[p];
        if (before == l->base)
            marked++; /* never taken off: no place behind base is on all ways */
        else if ((l->back[before] & MARK) == 0) {
            l->back[before] |= MARK;
            marked++;
        }
    }
    return found;
}

/* Takes a way that ends at `to`, by a piece of `length` bytes, if it is better than what is there. */
static void offer(bipe_lattice *l, size_t to, size_t length, uint32_t id, double sum, bool single)
{
    if (l->back[to] != 0 && !(sum > l->sum[to]))
        return;
    l->sum[to] = single ? (double)(float)sum : sum;
    l->back[to] = (uint32_t)length;
    l->id[to] = id;
}

/* Looks for the pieces that begin at `at`, and goes to the next character. */
static void advance(bipe_lattice *l)
{
    const bipe_unigram *u = l->unigram;
    const uint8_t *text = l->text + l->at;
    size_t left = l->count - l->at, character = 1;
    double sum = l->sum[l->at];
    bool whole = false; /* the character is a piece */
    if ((l->size[l->at] & BIPE_LATTICE_BROKEN) == 0) {
        character = text[0] < 0x80 ? 1 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
        uint32_t node = 0;
        for (size_t k = 0; k < left && (l->size[l->at + k] & BIPE_LATTICE_BROKEN) == 0;) {
            node = u->trie.size != 0 ? bipe_piece_trie_step(&u->trie, node, text[k++]) : 0;
            if (node == 0)
                break;
            uint32_t id = u->trie.node[node].value;
            if (id == BIPE_TRIE_NONE || isnan(u->score[id]))
                continue;
            offer(l, l->at + k, k, id, u->score[id] + sum, u->single);
            whole = whole || k == character;
            if (l->at + k > l->reach)
                l->reach = l->at + k;
        }
    }
    if (!whole) {
        double unknown = u->unk_score + sum;
        offer(l, l->at + character, character, BIPE_UNIGRAM_UNKNOWN, u->single ? (double)(float)unknown : unknown, u->single);
        if (l->at + character > l->reach)
            l->reach = l->at + character;
    }
    l->at += character;
}

int bipe_lattice_decide(bipe_lattice *l, bool last, bipe_lattice_sink *sink, void *context, bipe_error *err)
{
    size_t longest = l->unigram->trie.longest > 4 ? l->unigram->trie.longest : 4;
    int status = BIPE_OK;
    while (status == BIPE_OK && l->at < l->count && (last || l->count - l->at >= longest)) {
        if (l->at == l->reach && l->at != l->base)
            status = give_out(l, l->at, sink, context, err);
        if (status == BIPE_OK && l->at - l->base >= l->look) {
            status = give_out(l, meeting_place(l), sink, context, err);
            l->look = 2 * (l->at - l->base) + FIRST_LOOK;
        }
        advance(l);
    }
    if (status == BIPE_OK && last && l->count != l->base)
        status = give_out(l, l->count, sink, context, err);
    return status;
}
