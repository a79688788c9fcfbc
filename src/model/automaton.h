/* automaton.h - a decoder that runs a two-level automaton, its weights not trained but built (He et al. 2024, Theorem
 * 3.2; docs/theorem.md has the design and says where it leaves the proof).
 *
 * A Bi-NFA has k sets of states. A symbol leads from a state to states of the same set; the separator leads from any
 * state to start states, of which each set has one. */
#ifndef BIPE_MODEL_AUTOMATON_H
#define BIPE_MODEL_AUTOMATON_H

#include "model/parameters.h"

/* The tokens of the model: <unk>, <s> and the newline, as word lists have them, then the answers, the separator, the
 * symbols and the states. */
enum { BIPE_AUTOMATON_START = 1, BIPE_AUTOMATON_ACCEPT = 3, BIPE_AUTOMATON_REJECT, BIPE_AUTOMATON_SEPARATOR,
       BIPE_AUTOMATON_SYMBOLS };
enum { BIPE_AUTOMATON_STATES = 4096, BIPE_AUTOMATON_LENGTH = 1 << 16 };

typedef struct bipe_automaton {
    size_t sets;           /* k */
    const size_t *size;    /* (k) states of each set, at least 1; the first of them is its start state */
    size_t states;         /* T, their sum: state j of set i has the number size[0] + .. + size[i - 1] + j */
    size_t symbols;        /* without the separator */
    const uint8_t *step;   /* (symbols, T, T) whether the symbol leads from one state to another, of the same set */
    const uint8_t *leave;  /* (T, k) whether the separator leads from a state to the start state of a set */
    size_t initial;        /* the set in whose start state it begins */
    const uint8_t *accepts; /* (T) */
} bipe_automaton;

/* A model in memory for texts of up to `length` tokens after <s>. After each token its distribution is that of the
 * states that the automaton may be in: each is equally probable, and the answer (accept or reject) twice as much as
 * any; all else has none. An answer or a state in the text changes nothing: the automaton reads symbols alone.
 * BIPE_ERR_ARGUMENT: length; BIPE_ERR_MEMORY, BIPE_ERR_FORMAT: the model would be too large. */
int bipe_automaton_model(bipe_model **model, const bipe_automaton *automaton, size_t length, bipe_error *err);

#endif
