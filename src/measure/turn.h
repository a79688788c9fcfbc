/* turn.h - memory that streams of several threads share: who needs much has the turn, and who needs very much goes on alone. */
#ifndef BIPE_MEASURE_TURN_H
#define BIPE_MEASURE_TURN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* One at a time has it. While that one is alone, all others give back what they can and wait: so what is needed together is what one needs,
 * and of the others what cannot be given back.
 *
 * Nobody waits for ever: who has the turn waits for input and output, and for threads that work for it alone, which never take it; before
 * it waits for others, it gives the turn back. Who waits for the turn, or for the end of being alone, has neither. */
typedef struct bipe_turn {
    pthread_mutex_t lock; /* of `taken`, and of changes */
    pthread_cond_t changed;
    bool taken;
    atomic_bool alone;
} bipe_turn;

void bipe_turn_open(bipe_turn *turn);
void bipe_turn_close(bipe_turn *turn);

/* Takes it, or false: another has it. */
bool bipe_turn_try(bipe_turn *turn);
/* Waits until it is free, and takes it. */
void bipe_turn_take(bipe_turn *turn);
/* Who has it: others are to stand still. */
void bipe_turn_stand_alone(bipe_turn *turn);
/* Whether others than who has it are to wait; they ask often. */
static inline bool bipe_turn_is_alone(bipe_turn *turn)
{
    return atomic_load_explicit(&turn->alone, memory_order_relaxed);
}
/* Waits while somebody is alone. */
void bipe_turn_wait(bipe_turn *turn);
/* Who has it gives it back. */
void bipe_turn_give(bipe_turn *turn);

#endif
