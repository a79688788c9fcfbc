/* plan.h - the order in which windows of several lengths are computed. The losses of a window's first tokens do not
 * depend on later tokens, so of the windows that start at the same token only the longest is computed and the shorter
 * ones share its losses: for lengths of 1, 2, 4 and 8 times L these are 2.5 passes over the text instead of 4. A plan
 * is arithmetic on indices: it holds for every model and every segmenter over the same tokens. */
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

/* Several lengths over the same tokens; their protocols differ only in the length. */
typedef struct bipe_plan {
    bipe_plan_length *length; /* (count), the caller's */
    size_t count;
    uint64_t tokens;          /* of the text */
    bool share;               /* false if positions depend on the length of the window: each is then computed alone */
    size_t batch;             /* tokens of the next batch, by the time that those before took; 0: there were none */
} bipe_plan;

/* A window of a step. */
typedef struct bipe_plan_window {
    size_t which;   /* its length: plan->length[which] */
    uint64_t index; /* among the windows of that length */
    bipe_cut cut;
} bipe_plan_window;

/* The protocol with all its windows. */
bipe_plan_length bipe_plan_all(const bipe_protocol *protocol, uint64_t tokens);
/* Keeps the windows that start in part `index` of `count` of the text. Windows with the same start stay together. */
void bipe_plan_shard(bipe_plan *plan, uint64_t index, uint64_t count);
/* The next step: windows (plan->count at most) that start at the same token, a longest one first. Returns their number;
 * 0: the plan is finished. Steps are in the order of their starts, and so are the windows of each length. */
size_t bipe_plan_next(bipe_plan *plan, bipe_plan_window *window);
/* Tokens of the remaining windows: those to be computed, and those of all windows. BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_plan_work(const bipe_plan *plan, uint64_t *computed, uint64_t *all, bipe_error *err);

#endif
