/* regex_states.c - builds the states of the automaton of a program.
 *
 * A state is the list of instructions at which the attempts of a backtracking search stand, the one that it would try first
 * in front; later doubles of an instruction can do no better than the first and are left out. Conditions and the end of a match wait for
 * the next symbol, as only that decides them. An attempt that matches ends those behind it; those in front may still
 * find a match that counts more. */
#include "text/regex_states.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { TABLE_LIMIT = 1 << 19, KEY_LIMIT = 1 << 20, SLOTS = 1 << 14 };

int bipe_regex_states_open(bipe_regex_states *d, const bipe_regex_program *p, bool anchored, bipe_error *err)
{
    *d = (bipe_regex_states){.program = p, .anchored = anchored};
    while ((1U << d->shift) < p->symbols + 1)
        d->shift++;
    d->slot_count = SLOTS;
    d->slots = bipe_alloc(SLOTS, sizeof *d->slots);
    d->list = bipe_alloc(p->count + 1, sizeof *d->list);
    d->todo = bipe_alloc(4 * p->count + 4, sizeof *d->todo);
    d->initial = bipe_alloc(p->count + 1, sizeof *d->initial);
    d->seen_now = bipe_alloc(p->count, sizeof *d->seen_now);
    d->seen_next = bipe_alloc(p->count, sizeof *d->seen_next);
    if (d->slots == NULL || d->list == NULL || d->todo == NULL || d->initial == NULL || d->seen_now == NULL || d->seen_next == NULL ||
        bipe_regex_characters_copy(&d->characters, &p->characters, err) != BIPE_OK) {
        bipe_regex_states_close(d);
        return bipe_fail_memory(err);
    }
    return BIPE_OK;
}

void bipe_regex_states_close(bipe_regex_states *d)
{
    bipe_regex_characters_free(&d->characters);
    bipe_free(d->stays);
    bipe_free(d->table);
    bipe_free(d->state);
    bipe_free(d->keys);
    bipe_free(d->slots);
    bipe_free(d->list);
    bipe_free(d->todo);
    bipe_free(d->initial);
    bipe_free(d->seen_now);
    bipe_free(d->seen_next);
    *d = (bipe_regex_states){0};
}

/* ---- keeping states ---- */

static void forget_all(bipe_regex_states *d)
{
    d->rows = 0;
    d->key_size = 0;
    d->stay_count = 0;
    d->flushes++;
    memset(d->slots, 0, d->slot_count * sizeof *d->slots);
    memset(d->started, 0, sizeof d->started);
}

static int make_room(bipe_regex_states *d, size_t keys, bipe_error *err)
{
    size_t width = (size_t)1 << d->shift;
    if ((d->rows + 1) * width > TABLE_LIMIT || d->key_size + keys > KEY_LIMIT || d->rows + 1 > d->slot_count / 2)
        forget_all(d);
    if (bipe_grow(&d->table, &d->capacity, (d->rows + 1) * width, sizeof *d->table) != 0 ||
        bipe_grow(&d->state, &d->state_capacity, d->rows + 1, sizeof *d->state) != 0 ||
        bipe_grow(&d->keys, &d->key_capacity, d->key_size + keys, sizeof *d->keys) != 0)
        return bipe_fail_memory(err);
    return BIPE_OK;
}

/* The row of the state that has `list`. */
static int find_state(bipe_regex_states *d, unsigned context, bool found, bool fresh, uint32_t *row, bipe_error *err)
{
    size_t bytes = d->list_count * sizeof *d->list, width = (size_t)1 << d->shift;
    uint64_t full = bipe_hash_bytes(bipe_hash_uint(BIPE_HASH_EMPTY, context << 2 | (unsigned)found << 1 | fresh), d->list, bytes);
    uint32_t hash = (uint32_t)(full ^ full >> 32);
    size_t slot = hash & (d->slot_count - 1);
    for (; d->slots[slot] != 0; slot = (slot + 1) & (d->slot_count - 1)) {
        const bipe_regex_state *s = &d->state[d->slots[slot] - 1];
        if (s->hash == hash && s->count == d->list_count && s->context == context && s->found == found && s->fresh == fresh &&
            (bytes == 0 || memcmp(d->keys + s->key, d->list, bytes) == 0)) {
            *row = (uint32_t)((d->slots[slot] - 1) * width);
            return BIPE_OK;
        }
    }
    uint64_t flushes = d->flushes;
    int status = make_room(d, d->list_count + 1, err);
    if (status != BIPE_OK)
        return status;
    if (flushes != d->flushes)
        slot = hash & (d->slot_count - 1);
    d->state[d->rows] = (bipe_regex_state){.key = d->key_size, .count = (uint16_t)d->list_count, .context = (uint8_t)context,
                                           .found = found, .fresh = fresh, .hash = hash};
    if (bytes > 0)
        memcpy(d->keys + d->key_size, d->list, bytes);
    d->key_size += d->list_count;
    for (size_t i = 0; i < width; i++)
        d->table[d->rows * width + i] = REGEX_STOP | REGEX_UNKNOWN << REGEX_TASK_SHIFT;
    *row = (uint32_t)(d->rows * width);
    d->slots[slot] = (uint32_t)++d->rows;
    return BIPE_OK;
}

/* ---- building a step ---- */

static void next_stamp(bipe_regex_states *d)
{
    if (++d->stamp == 0) {
        memset(d->seen_now, 0, d->program->count * sizeof *d->seen_now);
        memset(d->seen_next, 0, d->program->count * sizeof *d->seen_next);
        d->stamp = 1;
    }
    d->list_count = 0;
}

/* Takes the next instruction from the stack that was not seen so far and is more than a way on to others. False: there is none left. */
static bool take_next(bipe_regex_states *d, size_t *todo, uint32_t *seen, unsigned *at)
{
    while (*todo > 0) {
        *at = d->todo[--*todo];
        if (seen[*at] == d->stamp)
            continue;
        seen[*at] = d->stamp;
        const bipe_regex_instruction *i = &d->program->code[*at];
        if (i->op != REGEX_SPLIT && i->op != REGEX_JUMP)
            return true;
        if (i->op == REGEX_SPLIT)
            d->todo[(*todo)++] = (uint16_t)i->then;
        d->todo[(*todo)++] = (uint16_t)i->first;
    }
    return false;
}

/* Adds an instruction and all that can be reached from it without a symbol to the list of the next state. */
static void add(bipe_regex_states *d, unsigned at)
{
    size_t todo = 0;
    d->todo[todo++] = (uint16_t)at;
    while (take_next(d, &todo, d->seen_next, &at))
        d->list[d->list_count++] = (uint16_t)at;
}

/* Follows one attempt through a symbol. Whether it matches in front of it; what has just been begun does not, as it would be empty. */
static bool follow(bipe_regex_states *d, unsigned at, unsigned before, unsigned symbol, bool begun)
{
    const bipe_regex_program *p = d->program;
    size_t todo = 0;
    d->todo[todo++] = (uint16_t)at;
    while (take_next(d, &todo, d->seen_now, &at)) {
        const bipe_regex_instruction *i = &p->code[at];
        if (i->op == REGEX_MATCH && !begun)
            return true;
        if (i->op == REGEX_CONDITION && bipe_regex_holds(p, &p->condition[i->value], before, symbol))
            d->todo[todo++] = (uint16_t)(at + 1);
        if (i->op == REGEX_SET && bipe_regex_in_set(p, symbol, i->value)) {
            /* The list of the next state is begun on the same stack, above what waits here. */
            uint16_t *mine = d->todo;
            d->todo += todo;
            add(d, at + 1);
            d->todo = mine;
        }
    }
    return false;
}

/* Follows the attempts that start here. */
static void follow_new(bipe_regex_states *d, unsigned before, unsigned symbol)
{
    for (size_t i = 0; i < d->initial_count; i++)
        follow(d, d->initial[i], before, symbol, true);
}

/* What the start leads to without a symbol. */
static void find_initial(bipe_regex_states *d)
{
    if (d->initial_count > 0)
        return;
    next_stamp(d);
    add(d, 0);
    memcpy(d->initial, d->list, d->list_count * sizeof *d->list);
    d->initial_count = d->list_count;
}

int bipe_regex_states_start(bipe_regex_states *d, unsigned context, uint32_t *row, bipe_error *err)
{
    if (!d->started[context]) {
        find_initial(d);
        d->list_count = 0;
        int status = find_state(d, context, false, d->anchored, &d->start[context], err);
        if (status != BIPE_OK)
            return status;
        d->started[context] = true;
    }
    *row = d->start[context];
    return BIPE_OK;
}

/* ---- states that stay ---- */

enum { STAY_MOST = 3 }; /* bytes of a hundred that lead out */

/* Whether few ASCII characters lead out of a state, which `loop` does not. What leads into it is told, then. */
static int look_at_stay(bipe_regex_states *d, uint32_t row, bipe_regex_step loop, bipe_error *err)
{
    bipe_regex_stay stay = {.candidates = (loop & REGEX_CANDIDATE) != 0};
    uint64_t flushes = d->flushes;
    d->state[row >> d->shift].looked = true;
    for (unsigned b = 0; b < 128; b++) {
        unsigned symbol = d->characters.ascii[b];
        bipe_regex_step step = d->table[row + symbol];
        if (step == (REGEX_STOP | REGEX_UNKNOWN << REGEX_TASK_SHIFT)) {
            int status = bipe_regex_states_build(d, row, symbol, &step, err);
            if (status != BIPE_OK || flushes != d->flushes)
                return status;
        }
        stay.leaves.member[b] = step != loop ? 1 << BIPE_REGEX_BEFORE : 0;
    }
    if (bipe_regex_filter_share(&stay.leaves, BIPE_REGEX_BEFORE) * 100 > STAY_MOST)
        return BIPE_OK;
    if (d->stays == NULL && (d->stays = bipe_alloc(BIPE_REGEX_STAYS, sizeof *d->stays)) == NULL)
        return bipe_fail_memory(err);
    for (unsigned b = 0; b < 256; b++)
        stay.leaves.member[b] |= b >= 128 ? 0xFF : 0xFF & ~(1 << BIPE_REGEX_BEFORE);
    bipe_regex_filter_prepare(&stay.leaves);
    d->stays[d->stay_count++] = stay;
    d->state[row >> d->shift].stay = (uint8_t)d->stay_count;
    size_t width = (size_t)1 << d->shift;
    for (size_t i = 0; i < d->rows * width; i++)
        if ((d->table[i] & REGEX_STOP) == 0 && d->table[i] >> REGEX_ROW == row && i / width != row / width)
            d->table[i] |= REGEX_STOP | REGEX_STAY << REGEX_TASK_SHIFT;
    return BIPE_OK;
}

/* ---- steps ---- */

static bipe_regex_step make_step(uint32_t row, bipe_regex_task task, bool candidate)
{
    return row << REGEX_ROW | (uint32_t)task << REGEX_TASK_SHIFT | (task != REGEX_UNKNOWN ? REGEX_STOP : 0U) |
           (candidate ? REGEX_CANDIDATE : 0U);
}

int bipe_regex_states_build(bipe_regex_states *d, uint32_t row, unsigned symbol, bipe_regex_step *step, bipe_error *err)
{
    const bipe_regex_program *p = d->program;
    const bipe_regex_state s = d->state[row >> d->shift];
    unsigned before = p->sample[s.context], context = p->context[symbol];
    bool matched = false, begins = !s.found && (!d->anchored || s.fresh), calm = false;
    uint64_t flushes = d->flushes;
    uint32_t next = 0;
    next_stamp(d);
    for (size_t i = 0; i < s.count && !matched; i++)
        matched = follow(d, d->keys[s.key + i], before, symbol, false);
    if (!matched && begins)
        follow_new(d, before, symbol);
    bipe_regex_task task = REGEX_UNKNOWN;
    int status = BIPE_OK;
    if (symbol == p->edge) {
        task = matched ? REGEX_FOUND : s.found ? REGEX_LAST : d->anchored && !s.fresh ? REGEX_FAIL : REGEX_OVER;
        matched = false;
    } else if (matched && d->list_count == 0) { /* the match is over: what begins behind it? */
        next_stamp(d);
        follow_new(d, before, symbol);
        matched = false;
        calm = d->list_count == 0;
        task = calm ? REGEX_FOUND_CALM : REGEX_FOUND;
        status = find_state(d, context, false, d->anchored && calm, &next, err);
    } else if (d->list_count == 0 && s.found) {
        task = REGEX_LAST;
    } else if (d->list_count == 0 && d->anchored && !s.fresh) {
        task = REGEX_FAIL;
    } else {
        calm = d->list_count == 0;
        status = find_state(d, context, s.found || matched, d->anchored && calm, &next, err);
        /* Where a filter leaps over the text, it is asked each time; else it is told once that the state is a start. */
        if (calm && (p->filters || d->anchored || s.count > 0))
            task = REGEX_CALM;
    }
    if (status != BIPE_OK)
        return status;
    if (task == REGEX_UNKNOWN && next != row && d->state[next >> d->shift].stay != 0)
        task = REGEX_STAY;
    *step = make_step(next, task, matched);
    if (flushes != d->flushes)
        return BIPE_OK;
    d->table[row + symbol] = *step;
    bool stays = !d->anchored && next == row && task == REGEX_UNKNOWN && symbol < p->classes;
    return stays && !s.looked && d->stay_count < BIPE_REGEX_STAYS ? look_at_stay(d, row, *step, err) : BIPE_OK;
}
