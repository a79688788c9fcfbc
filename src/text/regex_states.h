/* regex_states.h - the states of the automaton of a program, built when a text needs them. What a state stands for is a list of
 * instructions, in the order in which PCRE2 would try them; a bounded number is kept, then all are forgotten and built again. */
#ifndef BIPE_TEXT_REGEX_STATES_H
#define BIPE_TEXT_REGEX_STATES_H

#include "text/regex_parts.h"

/* A step: what a state does with a symbol. The bits from REGEX_ROW on say where the next state's steps begin in the table. */
typedef uint32_t bipe_regex_step;
enum {
    REGEX_CANDIDATE = 1, /* a match ends before this symbol, unless a better one is found */
    REGEX_STOP = 2,      /* more than going on is to be done: */
    REGEX_TASK_SHIFT = 2,
    REGEX_TASK_MASK = 7,
    REGEX_ROW = 5
};

typedef enum bipe_regex_task {
    REGEX_UNKNOWN,  /* the step is not built yet (all bits are 0 but REGEX_STOP) */
    REGEX_CALM,     /* nothing is begun any more: a match can only start behind this symbol */
    REGEX_FOUND,    /* a match ends before this symbol, which is seen already as the first of the next search */
    REGEX_FOUND_CALM, /* both */
    REGEX_LAST,     /* the last candidate is the match; the search goes on behind that */
    REGEX_FAIL,     /* no match starts where this one was to (anchored) */
    REGEX_OVER,     /* the text is over, and nothing more is found; behind REGEX_FOUND this is meant as well */
    REGEX_STAY      /* the next state stays as it is for most of the text: see bipe_regex_stay */
} bipe_regex_task;

static inline bipe_regex_task bipe_regex_task_of(bipe_regex_step step)
{
    return (bipe_regex_task)(step >> REGEX_TASK_SHIFT & REGEX_TASK_MASK);
}

typedef struct bipe_regex_state {
    size_t key;       /* its instructions are key[.. + count) */
    uint16_t count;
    uint8_t context;  /* of what stands before */
    bool found;       /* there is a candidate: no other match is begun */
    bool fresh;       /* anchored: nothing has been seen yet */
    bool looked;      /* whether it stays as it is has been found out; */
    uint8_t stay;     /* 1 + its number: it does */
    uint32_t hash;
} bipe_regex_state;

/* A state that few bytes lead out of: these are looked for many at a time. */
typedef struct bipe_regex_stay {
    bipe_regex_filter leaves; /* set BIPE_REGEX_BEFORE: they, and all that are not ASCII */
    bool candidates;          /* each other byte has a candidate in front */
} bipe_regex_stay;
enum { BIPE_REGEX_STAYS = 16 };

typedef struct bipe_regex_states {
    const bipe_regex_program *program;
    bipe_regex_characters characters; /* the program's, and what its texts have made known besides */
    bool anchored;      /* a match starts where the search does, or not at all */
    unsigned shift;     /* a row has 1 << shift steps: of each symbol, and one that stops for bytes from 128 on */
    bipe_regex_step *table;
    size_t rows, capacity;
    bipe_regex_state *state;
    size_t state_capacity;
    uint16_t *keys;
    size_t key_size, key_capacity;
    uint32_t *slots;    /* row + 1 of each hash */
    size_t slot_count;
    bool started[BIPE_REGEX_CLASSES + 2]; /* whether the row of the start in a context is known: */
    uint32_t start[BIPE_REGEX_CLASSES + 2];
    uint64_t flushes;
    bipe_regex_stay *stays;
    size_t stay_count;
    /* For building a step: */
    uint16_t *list;     /* of the next state */
    size_t list_count;
    uint16_t *todo, *initial;
    size_t initial_count;
    uint32_t *seen_now, *seen_next, stamp; /* instructions that were followed at this place, and behind the symbol */
} bipe_regex_states;

int bipe_regex_states_open(bipe_regex_states *states, const bipe_regex_program *program, bool anchored, bipe_error *err);
void bipe_regex_states_close(bipe_regex_states *states);

/* The row of the state in which a search starts behind a symbol (of that context). */
int bipe_regex_states_start(bipe_regex_states *states, unsigned context, uint32_t *row, bipe_error *err);
/* Builds what the state of a row does with a symbol. Rows that were known before may be none any more. */
int bipe_regex_states_build(bipe_regex_states *states, uint32_t row, unsigned symbol, bipe_regex_step *step, bipe_error *err);

#endif
