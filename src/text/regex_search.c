/* regex_search.c - runs the automaton of a program over a text that comes in pieces. */
#include "text/regex_search.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "text/regex_cursor.h"
#include "text/regex_states.h"

#define HOLD_LIMIT ((size_t)64 << 20)
#define AGAIN_BASE ((uint64_t)1 << 28) /* bytes that may be gone through again in any text, and */
#define AGAIN_EACH UINT64_C(1000)      /* for each byte of it that was decided */

enum { ENDS = 512, WORDS = 64 };
enum { MARK_EVERY = 256, MARKS = 1 << 18, MARKS_FROM = 1 << 16, MARKS_SHARE = 4 };

/* The state in which the search came to a place. Where it comes there again in the same one, it cannot find a candidate behind it: it
 * would not have gone back. So a search that goes back again and again does not go through all of the text each time. */
typedef struct mark {
    uint64_t offset; /* a multiple of MARK_EVERY, but 0 */
    uint32_t row;
} mark;

struct bipe_regex_search {
    const bipe_regex_program *program;
    bipe_regex_states states;
    bipe_regex_take *take;
    void *context;

    bool begun;       /* row is set */
    uint32_t row;     /* the state */
    uint64_t base;    /* offset of the text that is looked at */
    size_t at;        /* and the place in it */
    uint64_t last;    /* offset of the last candidate, */
    unsigned last_context; /* what stands before it, if that text is not looked at any more */
    uint64_t calm;    /* nothing that starts before is still to come */
    uint64_t again;   /* bytes that were gone through again */
    mark *marks;      /* (MARKS) NULL: it did not go back much so far; a mark is at the place of its offset */
    uint64_t marks_flushes; /* of the states, when they were made */
    bipe_buffer held; /* text from `base` on that may be needed again */
    uint64_t ends[ENDS];
    size_t count;

    const uint8_t *text; /* what is looked at, */
    size_t size, whole;  /* and up to where characters are complete */
    size_t first;        /* where it is gone on with, */
    unsigned first_context; /* and what stands before that */
    size_t words_at, words_end; /* the places of which bits are known */
    uint64_t bits[WORDS];
};

int bipe_regex_search_open(bipe_regex_search **search, const bipe_regex_program *program, bipe_regex_take *take, void *context,
                           bipe_error *err)
{
    *search = NULL;
    bipe_regex_search *s = bipe_alloc(1, sizeof *s);
    if (s == NULL)
        return bipe_fail_memory(err);
    s->program = program;
    s->take = take;
    s->context = context;
    int status = bipe_regex_states_open(&s->states, program, false, err);
    if (status != BIPE_OK) {
        bipe_free(s);
        return status;
    }
    *search = s;
    return BIPE_OK;
}

void bipe_regex_search_close(bipe_regex_search *s)
{
    if (s == NULL)
        return;
    bipe_regex_states_close(&s->states);
    bipe_free(s->marks);
    bipe_buffer_free(&s->held);
    bipe_free(s);
}

void bipe_regex_search_begin(bipe_regex_search *s)
{
    bipe_buffer_free(&s->held);
    bipe_free(s->marks);
    s->marks = NULL;
    s->begun = false;
    s->base = s->last = s->calm = s->again = 0;
    s->at = s->count = 0;
}

uint64_t bipe_regex_search_settled(const bipe_regex_search *s)
{
    return s->calm;
}

/* ---- leaping ---- */

/* Fills `bits` from a place on, which has a byte in front. What the filter would look at past the end of the text may be anything. */
static void scan(bipe_regex_search *s, size_t at)
{
    const size_t reach = BIPE_REGEX_REACH - BIPE_REGEX_BEFORE;
    size_t words = s->size - at >= reach ? (s->size - at - reach + 1) / 64 : 0;
    s->words_at = at;
    if (words > 0) {
        words = words < WORDS ? words : WORDS;
        s->program->filter.scan(&s->program->filter, s->text + at, words, s->bits);
        s->words_end = at + words * 64;
        return;
    }
    size_t n = s->size - at < 64 ? s->size - at : 64;
    s->bits[0] = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned in = 1;
        for (size_t k = 0; k < BIPE_REGEX_REACH && at + i + k - BIPE_REGEX_BEFORE < s->size; k++)
            in &= s->program->filter.member[s->text[at + i + k - BIPE_REGEX_BEFORE]] >> k;
        s->bits[0] |= (uint64_t)(in & 1) << i;
    }
    s->words_end = at + n;
}

/* The first place from `at` on, at > 0, where a match can start; or where the text ends. */
static size_t next_place(bipe_regex_search *s, size_t at)
{
    while (at < s->whole) {
        if (at < s->words_at || at >= s->words_end)
            scan(s, at);
        size_t word = (at - s->words_at) / 64, words = (s->words_end - s->words_at + 63) / 64;
        uint64_t bits = s->bits[word] >> (at - s->words_at) % 64;
        if (bits != 0) {
            at += (size_t)__builtin_ctzll(bits);
            return at < s->whole ? at : s->whole;
        }
        while (++word < words && s->bits[word] == 0)
            ;
        at = s->words_at + word * 64;
        if (word < words) {
            at += (size_t)__builtin_ctzll(s->bits[word]);
            return at < s->whole ? at : s->whole;
        }
        at = s->words_end;
    }
    return s->whole;
}

/* Goes past bytes that do not lead out of a state. */
static void stay(bipe_regex_search *s, uint32_t row)
{
    const bipe_regex_stay *state = &s->states.stays[s->states.state[row >> s->states.shift].stay - 1];
    size_t from = s->at;
    uint64_t bits[8];
    if (s->marks != NULL)
        return;
    for (size_t words = 1; s->size - s->at >= 64 * words; words = 8) {
        size_t w = 0;
        state->leaves.scan(&state->leaves, s->text + s->at, words, bits);
        while (w < words && bits[w] == 0)
            w++;
        s->at += 64 * w + (w < words ? (size_t)__builtin_ctzll(bits[w]) : 0);
        if (w < words)
            break;
    }
    if (state->candidates && s->at > from)
        s->last = s->base + s->at - 1;
}

/* ---- searching ---- */

static int hand_over(bipe_regex_search *s)
{
    size_t count = s->count;
    s->count = 0;
    return count > 0 ? s->take(s->context, s->ends, count) : BIPE_OK;
}

static int found(bipe_regex_search *s, uint64_t end)
{
    s->calm = end;
    s->ends[s->count++] = end;
    return s->count == ENDS ? hand_over(s) : BIPE_OK;
}

static int check_limits(const bipe_regex_search *s, bipe_error *err)
{
    uint64_t at = s->base + s->at;
    if (at - s->calm > HOLD_LIMIT)
        return bipe_fail(err, BIPE_ERR_LIMIT, "offset %" PRIu64 ": undecided after %zu bytes more, expected a pattern that needs less text",
                         s->calm, HOLD_LIMIT);
    if (s->again > AGAIN_BASE && (s->again - AGAIN_BASE) / AGAIN_EACH > s->calm)
        return bipe_fail(err, BIPE_ERR_LIMIT,
                         "offset %" PRIu64 ": the text is gone through more than %" PRIu64 " times, expected a pattern that backtracks less",
                         s->calm, AGAIN_EACH);
    return BIPE_OK;
}

/* To the next place where a match can start; s->at is a start. */
static int leap(bipe_regex_search *s, uint32_t *row, bipe_error *err)
{
    size_t at = next_place(s, s->at);
    s->calm = s->base + at;
    if (at == s->at)
        return BIPE_OK;
    s->at = at;
    unsigned context;
    int status = bipe_regex_read_context(&s->states.characters, s->program, s->text, at, &context, err);
    if (status != BIPE_OK)
        return status;
    if (s->states.started[context]) {
        *row = s->states.start[context];
        return BIPE_OK;
    }
    return bipe_regex_states_start(&s->states, context, row, err);
}

/* What stands before the last candidate. */
static int context_of_last(bipe_regex_search *s, unsigned *context, bipe_error *err)
{
    *context = s->last < s->base + s->first ? s->last_context : s->first_context;
    if (s->last <= s->base + s->first)
        return BIPE_OK;
    return bipe_regex_read_context(&s->states.characters, s->program, s->text, (size_t)(s->last - s->base), context, err);
}

/* The last candidate is a match: the search goes on behind it. */
static int go_back(bipe_regex_search *s, uint32_t *row, bipe_error *err)
{
    size_t at = (size_t)(s->last - s->base);
    unsigned context;
    int status = context_of_last(s, &context, err);
    if (status == BIPE_OK)
        status = found(s, s->last);
    s->again += s->at - at;
    s->at = at;
    if (status == BIPE_OK)
        status = check_limits(s, err);
    if (s->marks == NULL && s->again > MARKS_FROM && s->again / MARKS_SHARE > s->calm) {
        s->marks = bipe_alloc(MARKS, sizeof *s->marks);
        s->marks_flushes = s->states.flushes;
        if (s->marks == NULL)
            return bipe_fail_memory(err);
    }
    if (at < s->first) { /* that text is gone through again, as if it came now */
        s->first = at;
        s->first_context = context;
    }
    return status == BIPE_OK ? bipe_regex_states_start(&s->states, context, row, err) : status;
}

/* Looks at the mark of this place, and leaves one. */
static int pass_mark(bipe_regex_search *s, uint32_t *row, bipe_error *err)
{
    uint64_t offset = s->base + s->at;
    mark *m = &s->marks[offset / MARK_EVERY % MARKS];
    if (s->marks_flushes != s->states.flushes) /* rows mean other states */
        memset(s->marks, 0, MARKS * sizeof *s->marks);
    s->marks_flushes = s->states.flushes;
    bool again = m->offset == offset && m->row == *row && s->states.state[*row >> s->states.shift].found;
    *m = (mark){offset, *row};
    return again ? go_back(s, row, err) : BIPE_OK;
}

/* Does what a step says that stands for more than going on. `length`: of the symbol; 0: the end. *over: nothing is left. */
static int act(bipe_regex_search *s, bipe_regex_step step, size_t length, uint32_t *row, bool *over, bipe_error *err)
{
    bipe_regex_task task = bipe_regex_task_of(step);
    int status = BIPE_OK;
    *row = step >> REGEX_ROW;
    if (task == REGEX_FOUND || task == REGEX_FOUND_CALM)
        status = found(s, s->base + s->at);
    if (task == REGEX_LAST)
        return go_back(s, row, err);
    *over = length == 0;
    s->at += length;
    if (s->states.state[*row >> s->states.shift].stay != 0)
        stay(s, *row);
    if (status == BIPE_OK && (task == REGEX_CALM || task == REGEX_FOUND_CALM)) {
        s->calm = s->base + s->at;
        if (s->program->filters)
            status = leap(s, row, err);
    }
    return status;
}

/* Goes through s->text from s->at on, as far as characters are complete; `last`: and through its end. */
static int run(bipe_regex_search *s, bool last, bipe_error *err)
{
    const bipe_regex_program *p = s->program;
    bipe_regex_characters *characters = &s->states.characters;
    const uint8_t *text = s->text, *ascii = characters->ascii;
    uint32_t row = s->row;
    bool over = false;
    int status = BIPE_OK;
    s->words_at = s->words_end = 0;
    s->first = s->at;
    s->first_context = s->states.state[row >> s->states.shift].context;
    while (status == BIPE_OK && !over) {
        const bipe_regex_step *table = s->states.table;
        bipe_regex_step step;
        size_t at = s->at, size = s->size, end = size, length = 1, candidate = SIZE_MAX;
        unsigned symbol;
        if (s->marks != NULL) { /* no farther than to the next mark */
            uint64_t left = MARK_EVERY - (s->base + at) % MARK_EVERY;
            end = left < size - at ? at + (size_t)left : size;
        }
        for (;; at += length) {
            for (; at < end; at++) {
                step = table[row + ascii[text[at]]];
                if ((step & REGEX_STOP) != 0)
                    break;
                candidate = (step & REGEX_CANDIDATE) != 0 ? at : candidate;
                row = step >> REGEX_ROW;
            }
            if (at >= end || text[at] < 0x80)
                break;
            length = bipe_regex_symbol_at(characters, text + at, size - at, &symbol);
            if (length == 0)
                break;
            step = table[row + symbol];
            if ((step & REGEX_STOP) != 0)
                break;
            candidate = (step & REGEX_CANDIDATE) != 0 ? at : candidate;
            row = step >> REGEX_ROW;
        }
        if (candidate != SIZE_MAX)
            s->last = s->base + candidate;
        s->at = at;
        if (at >= end && end < size) {
            status = at == end ? pass_mark(s, &row, err) : BIPE_OK;
            continue;
        }
        if (at < size) {
            status = bipe_regex_read_symbol(characters, p, text + at, size - at, last, &symbol, &length, err);
            if (status != BIPE_OK || length == 0)
                break;
        } else {
            if (!last)
                break;
            length = 0;
            symbol = p->edge;
        }
        step = table[row + symbol];
        if (bipe_regex_task_of(step) == REGEX_UNKNOWN && (step & REGEX_STOP) != 0)
            status = bipe_regex_states_build(&s->states, row, symbol, &step, err);
        if (status != BIPE_OK)
            break;
        if ((step & REGEX_CANDIDATE) != 0)
            s->last = s->base + at;
        if ((step & REGEX_STOP) != 0) {
            status = act(s, step, length, &row, &over, err);
        } else {
            row = step >> REGEX_ROW;
            s->at += length;
        }
    }
    s->row = row;
    return status;
}

/* Keeps what may be needed again: from the last candidate on, or what was not gone through. */
static int keep(bipe_regex_search *s, bool is_held, bipe_error *err)
{
    const bipe_regex_state *state = &s->states.state[s->row >> s->states.shift];
    size_t from = s->at;
    if (state->count == 0 && !state->found)
        s->calm = s->base + s->at;
    if (state->found) {
        int status = context_of_last(s, &s->last_context, err);
        if (status != BIPE_OK)
            return status;
        from = (size_t)(s->last - s->base);
    }
    if (is_held)
        bipe_buffer_consume(&s->held, from);
    else if (bipe_buffer_append(&s->held, s->text + from, s->size - from, err) != BIPE_OK)
        return BIPE_ERR_MEMORY;
    s->base += from;
    s->at -= from;
    return BIPE_OK;
}

int bipe_regex_search_feed(bipe_regex_search *s, const uint8_t *bytes, size_t size, bool last, bipe_error *err)
{
    bool is_held = s->held.size > 0;
    int status = BIPE_OK;
    if (!s->begun) {
        status = bipe_regex_states_start(&s->states, s->program->context[s->program->edge], &s->row, err);
        s->begun = status == BIPE_OK;
    }
    if (status == BIPE_OK && is_held)
        status = bipe_buffer_append(&s->held, bytes, size, err);
    if (status != BIPE_OK)
        return status;
    s->text = is_held ? s->held.data : bytes;
    s->size = s->whole = is_held ? s->held.size : size;
    if (!last)
        s->whole = bipe_utf8_complete(s->text, s->size);
    status = run(s, last, err);
    if (status == BIPE_OK)
        status = hand_over(s);
    if (status == BIPE_OK && !last) {
        status = check_limits(s, err);
        if (status == BIPE_OK)
            status = keep(s, is_held, err);
    }
    return status;
}
