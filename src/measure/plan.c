/* plan.c - the order of windows of several lengths; see plan.h. */
#include "measure/plan.h"

#include "base/alloc.h"
#include "measure/distribution.h"

bipe_plan_length bipe_plan_all(const bipe_protocol *protocol, uint64_t tokens)
{
    return (bipe_plan_length){ .protocol = *protocol, .end = bipe_window_count(protocol, tokens) };
}

static uint64_t start_of(const bipe_plan *plan, const bipe_plan_length *length, uint64_t index)
{
    return bipe_window_cut(&length->protocol, plan->tokens, index).start;
}

/* The first window of a length that starts at `token` or after it. */
static uint64_t first_from(const bipe_plan *plan, const bipe_plan_length *length, uint64_t token)
{
    uint64_t low = length->next, high = length->end;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (start_of(plan, length, middle) < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void bipe_plan_shard(bipe_plan *plan, uint64_t index, uint64_t count)
{
    uint64_t from = (uint64_t)((bipe_uint128)plan->tokens * index / count);
    uint64_t to = (uint64_t)((bipe_uint128)plan->tokens * (index + 1) / count);
    for (size_t i = 0; i < plan->count; i++) {
        bipe_plan_length *length = &plan->length[i];
        uint64_t first = first_from(plan, length, from);
        length->end = first_from(plan, length, to);
        length->next = first;
    }
}

size_t bipe_plan_next(bipe_plan *plan, bipe_plan_window *window)
{
    size_t members = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const bipe_plan_length *length = &plan->length[i];
        if (length->next == length->end)
            continue;
        bipe_plan_window here = { .which = i, .index = length->next };
        here.cut = bipe_window_cut(&length->protocol, plan->tokens, length->next);
        bool longer = members > 0 && here.cut.length > window[0].cut.length;
        if (members > 0 && here.cut.start > window[0].cut.start)
            continue;
        if (members > 0 && (here.cut.start < window[0].cut.start || (!plan->share && longer)))
            members = 0;
        else if (members > 0 && !plan->share)
            continue;
        window[members++] = here;
        if (members > 1 && longer) {
            window[members - 1] = window[0];
            window[0] = here;
        }
    }
    for (size_t i = 0; i < members; i++)
        plan->length[window[i].which].next++;
    return members;
}

int bipe_plan_work(const bipe_plan *plan, uint64_t *computed, uint64_t *all, bipe_error *err)
{
    bipe_plan left = *plan;
    left.length = bipe_alloc(plan->count, sizeof *left.length);
    bipe_plan_window *window = bipe_alloc(plan->count, sizeof *window);
    *computed = *all = 0;
    if (left.length == NULL || window == NULL) {
        bipe_free(left.length);
        bipe_free(window);
        return bipe_fail_memory(err);
    }
    for (size_t i = 0; i < plan->count; i++)
        left.length[i] = plan->length[i];
    for (size_t members; (members = bipe_plan_next(&left, window)) > 0;) {
        *computed += window[0].cut.length;
        for (size_t i = 0; i < members; i++)
            *all += window[i].cut.length;
    }
    bipe_free(left.length);
    bipe_free(window);
    return BIPE_OK;
}
