/* history.h - one sample of the arithmetic task: an expression modulo a prime and its reduction to a number, step by
 * step.
 *
 * The task is that of Feng et al. 2023 (Towards Revealing the Mystery behind Chain of Thought), which section 4.1 of
 * He et al. 2024 measures length extrapolation with. An expression is grown backwards from its value: k times one of
 * its numbers is replaced by `a op b` of the same value. The history is read from the longest expression down to
 * the value: "( 7 + 8 ) / 5 = 4 / 5 = 3". What stands here draws and prints histories; that they are distinct and where
 * they go is the program's business (arithmetic.c). */
#ifndef BIPE_CORPORA_HISTORY_H
#define BIPE_CORPORA_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

enum {
    BIPE_HISTORY_OPERATORS_MAX = 256,
    BIPE_HISTORY_MODULUS_MAX = 65521 /* the largest prime below 2^16 */
};

typedef struct bipe_history bipe_history;

/* Room for histories of up to `operators` operators modulo `modulus`.
 * BIPE_OK, BIPE_ERR_ARGUMENT (out of range, or not a prime), BIPE_ERR_MEMORY. The caller closes. */
int bipe_history_open(bipe_history **history, unsigned operators, unsigned modulus, bipe_error *err);

/* Draws a new history of `operators` (at most those of the open call) from the generator whose state is *random;
 * any state will do. The same state gives the same history on every machine. */
void bipe_history_draw(bipe_history *history, unsigned operators, uint64_t *random);

/* Appends its text: tokens with a blank between them, no newline. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_history_print(const bipe_history *history, bipe_buffer *text, bipe_error *err);

/* Numbers, signs, brackets and equals signs of the present history, without marks for start and end. */
size_t bipe_history_tokens(const bipe_history *history);
/* The number that it ends with. */
unsigned bipe_history_value(const bipe_history *history);


/* NULL is allowed. */
void bipe_history_close(bipe_history *history);

#endif
