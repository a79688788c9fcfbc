/* lattice.c - the best way through a text (Viterbi), from left to right, with the decided part given out on the way.
 *
 * A piece that begins at a place is looked for when all its bytes are there. Every character is reached (one that is no
 * piece is an unknown one), so a place that no piece spans is on every way: what comes before it is decided. Where
 * pieces overlap without end, the last pieces of all open ways are followed back until the ways meet; this is
 * done each time as much has come in again, so that the work stays proportional to the text. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "token/spm/unigram.h"

enum {
    FIRST_LOOK = 1 << 13,
    KEPT = 1 << 20,  /* the memory of more places than this is not kept for the next text */
    MARK = 0x8000,   /* in back: on a way that is being followed */
    BROKEN = 0x8000, /* in size: a byte that belongs to no character, and to no piece */
    WIDE = 0x7FFF    /* in size: it stands in `wide` */
};

static double *sum_at(const bipe_lattice *l, size_t place)
{
    return &l->sum[(l->origin + place) & l->mask];
}

void bipe_lattice_begin(bipe_lattice *l, const bipe_unigram *unigram)
{
    if (l->capacity > KEPT || l->unigram != unigram)
        bipe_lattice_free(l);
    l->unigram = unigram;
    l->base = l->at = l->count = l->reach = l->wides = 0;
    l->origin = 0;
    l->unknown = false;
    l->look = FIRST_LOOK;
    if (l->sum != NULL)
        *sum_at(l, 0) = 0;
}

void bipe_lattice_free(bipe_lattice *l)
{
    bipe_free(l->text);
    bipe_free(l->size);
    bipe_free(l->back);
    bipe_free(l->sum);
    bipe_free(l->wide);
    *l = (bipe_lattice){0};
}

/* Moves what is held to the front. */
static void compact(bipe_lattice *l)
{
    size_t base = l->base, held = l->count - base, kept = 0;
    memmove(l->text, l->text + base, held * sizeof *l->text);
    memmove(l->size, l->size + base, held * sizeof *l->size);
    memmove(l->back, l->back + base, (held + 1) * sizeof *l->back);
    l->origin += base;
    for (size_t i = 0; i < l->wides; i++)
        if (l->wide[i].place >= l->origin)
            l->wide[kept++] = l->wide[i];
    l->wides = kept;
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
    size_t capacity = 2 * l->capacity < 4096 ? 4096 : 2 * l->capacity, sums = 8;
    if (capacity < want)
        capacity = want;
    while (sums <= l->unigram->trie.longest)
        sums *= 2;
    if (l->sum == NULL) {
        if ((l->sum = bipe_alloc(sums, sizeof *l->sum)) == NULL)
            return -1;
        l->mask = sums - 1;
    }
    if (resize(&l->text, capacity, sizeof *l->text) != 0 || resize(&l->size, capacity, sizeof *l->size) != 0 ||
        resize(&l->back, capacity, sizeof *l->back) != 0)
        return -1;
    if (l->capacity == 0)
        l->back[0] = 0;
    l->capacity = capacity;
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
    if (size >= WIDE) {
        if (bipe_grow(&l->wide, &l->wide_capacity, l->wides + 1, sizeof *l->wide) != 0)
            return bipe_fail_memory(err);
        l->wide[l->wides++] = (bipe_lattice_wide){.place = l->origin + n, .size = size};
        size = WIDE;
    }
    for (size_t i = 0; i < count; i++) {
        l->text[n + i] = bytes[i];
        l->size[n + i] = 0;
        l->back[n + i + 1] = 0;
    }
    l->size[n] = (uint16_t)(size | (broken ? BROKEN : 0));
    l->count = n + count;
    return BIPE_OK;
}

uint64_t bipe_lattice_bytes(const bipe_lattice *l, size_t from, size_t to)
{
    uint64_t bytes = 0;
    for (size_t i = from; i < to; i++) {
        size_t size = l->size[i] & WIDE;
        if (size == WIDE) {
            size_t k = 0;
            while (l->wide[k].place != l->origin + i)
                k++;
            size = l->wide[k].size;
        }
        bytes += size;
    }
    return bytes;
}

/* The piece [from, to), which was found before. */
static uint32_t piece_of(const bipe_lattice *l, size_t from, size_t to)
{
    const bipe_unigram *u = l->unigram;
    if (u->trie.size == 0 || (l->size[from] & BROKEN) != 0)
        return BIPE_UNIGRAM_UNKNOWN;
    uint32_t node = 0;
    do
        node = bipe_piece_trie_step(&u->trie, node, l->text[from]);
    while (node != 0 && ++from < to);
    uint32_t id = node != 0 ? u->trie.node[node].value : BIPE_TRIE_NONE;
    return id != BIPE_TRIE_NONE && !isnan(u->score[id]) ? id : BIPE_UNIGRAM_UNKNOWN;
}

/* Gives out the pieces of the best way that ends at `to`: turns the way round first, so that back[] says how long the piece is that begins
 * at a place. */
static int give_out(bipe_lattice *l, size_t to, bipe_lattice_sink *sink, void *context, bipe_error *err)
{
    uint16_t length = 0;
    size_t from = to;
    while (from > l->base) {
        uint16_t back = l->back[from];
        l->back[from] = length;
        length = back;
        from -= back;
    }
    int status = BIPE_OK;
    while (status == BIPE_OK && from < to) {
        size_t end = from + length;
        status = sink(context, l, piece_of(l, from, end), from, end, err);
        from = end;
        length = l->back[end];
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
            l->back[p] |= (uint16_t)MARK;
            marked++;
        }
    for (size_t p = l->reach; p > l->base && marked != 0; p--) {
        if ((l->back[p] & MARK) == 0)
            continue;
        l->back[p] &= (uint16_t)~MARK;
        marked--;
        if (marked == 0) {
            found = p;
            break;
        }
        size_t before = p - l->back[p];
        if (before == l->base)
            marked++; /* never taken off: no place behind base is on all ways */
        else if ((l->back[before] & MARK) == 0) {
            l->back[before] |= (uint16_t)MARK;
            marked++;
        }
    }
    return found;
}

/* Takes a way that ends at `to`, by a piece of `length` bytes, if it is better than what is there: whether it is. */
static bool offer(bipe_lattice *l, size_t to, size_t length, double sum, bool single)
{
    double *best = sum_at(l, to);
    if (l->back[to] != 0 && !(sum > *best))
        return false;
    *best = single ? (double)(float)sum : sum;
    l->back[to] = (uint16_t)length;
    return true;
}

/* Looks for the pieces that begin at `at`, and goes to the next character. */
static void advance(bipe_lattice *l)
{
    const bipe_unigram *u = l->unigram;
    const uint8_t *text = l->text + l->at;
    size_t left = l->count - l->at, character = 1;
    double sum = *sum_at(l, l->at);
    bool whole = false; /* the character is a piece */
    if ((l->size[l->at] & BROKEN) == 0) {
        character = text[0] < 0x80 ? 1 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
        uint32_t node = 0;
        for (size_t k = 0; k < left && (l->size[l->at + k] & BROKEN) == 0;) {
            node = u->trie.size != 0 ? bipe_piece_trie_step(&u->trie, node, text[k++]) : 0;
            if (node == 0)
                break;
            uint32_t id = u->trie.node[node].value;
            if (id == BIPE_TRIE_NONE || isnan(u->score[id]))
                continue;
            offer(l, l->at + k, k, u->score[id] + sum, u->single);
            whole = whole || k == character;
            if (l->at + k > l->reach)
                l->reach = l->at + k;
        }
    }
    if (!whole) {
        double unknown = u->unk_score + sum;
        l->unknown = offer(l, l->at + character, character, u->single ? (double)(float)unknown : unknown, u->single) || l->unknown;
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
