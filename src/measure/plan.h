/* plan.h - in what order the windows of several lengths are given to a model. Losses of a window's first tokens do not depend on what
 * follows, so of the windows that start at the same token the longest is computed and the shorter ones take their losses from it: for
 * lengths of 1, 2, 4 and 8 times L these are 2.5 passes over the text instead of 4. Arithmetic on indices only: the same plan serves
 * every model and every segmenter over the same tokens. */
#ifndef BIPE_MEASURE_PLAN_H
#define BIPE_MEASURE_PLAN_H

#include <stddef.h>

#include "base/status.h"
#include "measure/windows.h"

/* The windows of one length. */
typedef struct bipe_plan_length {
    bipe_protocol protocol;
    uint64_t next, end; /* windows next .. end - 1 are not yet in a step */
} bipe_plan_length;

/* Lengths, over the same tokens; protocols differ in the length alone. */
typedef struct bipe_plan {
    bipe_plan_length *length; /* (count), the caller's */
    size_t count;
    uint64_t tokens;          /* of the text */
    bool share;               /* false where positions depend on the length of the window: each is computed alone */
} bipe_plan;

/* A window of a step. */
typedef struct bipe_plan_window {
    size_t which;   /* its length: plan->length[which] */
    uint64_t index; /* among the windows of that length */
    bipe_cut cut;
} bipe_plan_window;

/* The protocol with all its windows. */
bipe_plan_length bipe_plan_all(const bipe_protocol *protocol, uint64_t tokens);
/* Keeps the windows that start in part `index` of `count` of the text. Those that start together stay together. */
void bipe_plan_shard(bipe_plan *plan, uint64_t index, uint64_t count);
/* The next step: windows that start at the same token, a longest one first; `window` has room for plan->count. Returns how many; 0: all
 * is done. Steps are in the order of their starts, so the windows of each length are in order as well. */
size_t bipe_plan_next(bipe_plan *plan, bipe_plan_window *window);
/* Tokens of the windows that are left: those that will be computed, and those of all windows together. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_plan_work(const bipe_plan *plan, uint64_t *computed, uint64_t *all, bipe_error *err);

#endif
