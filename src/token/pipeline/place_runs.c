/* place_runs.c - see place_runs.h. */
#include "token/pipeline/place_runs.h"

#include <string.h>

#include "base/alloc.h"

int bipe_place_runs_add(bipe_place_runs *p, uint64_t start, uint64_t end, bipe_error *err)
{
    bipe_place_run *r = p->runs > p->next ? &p->run[p->runs - 1] : NULL;
    if (r != NULL && start == r->start && end == r->end && (r->same || r->count == 1)) {
        r->same = true;
        r->count++;
        p->count++;
        return BIPE_OK;
    }
    if (r != NULL && !r->same && start == r->start + r->count && end == r->end + r->count) {
        r->count++;
        p->count++;
        return BIPE_OK;
    }
    if (p->next > 1024 && p->next > p->runs / 2) {
        memmove(p->run, p->run + p->next, (p->runs - p->next) * sizeof *p->run);
        p->runs -= p->next;
        p->next = 0;
    }
    if (bipe_grow(&p->run, &p->capacity, p->runs + 1, sizeof *p->run) != 0)
        return bipe_fail_memory(err);
    p->run[p->runs++] = (bipe_place_run){.at = p->count++, .count = 1, .start = start, .end = end};
    return BIPE_OK;
}

void bipe_place_runs_find(bipe_place_runs *p, uint64_t at, uint64_t *start, uint64_t *end)
{
    while (p->next + 1 < p->runs && p->run[p->next].at + p->run[p->next].count <= at)
        p->next++;
    const bipe_place_run *r = &p->run[p->next];
    uint64_t more = r->same ? 0 : at - r->at;
    *start = r->start + more;
    *end = r->end + more;
}

void bipe_place_runs_reset(bipe_place_runs *p)
{
    p->next = p->runs = 0;
    p->count = 0;
}

void bipe_place_runs_free(bipe_place_runs *p)
{
    bipe_free(p->run);
    *p = (bipe_place_runs){0};
}
