/* eval_requests.c - requests that models were asked, so that none is asked twice: a table of their hashes. */
#include "base/alloc.h"
#include "base/hash.h"
#include "cli/tool_alloc.h"
#include "tools/eval/bipe_eval.h"

enum { SLOTS_FIRST = 1024 }; /* a power of 2 */

/* The slot of a request, or an empty one for it. */
static bipe_eval_entry **find_slot(const bipe_eval_requests *r, uint64_t key, size_t model)
{
    size_t slot = (size_t)bipe_hash_uint(key, model) & (r->slots - 1);
    while (r->slot[slot] != NULL && (r->slot[slot]->key != key || r->slot[slot]->model != model))
        slot = (slot + 1) & (r->slots - 1);
    return &r->slot[slot];
}

const bipe_task_answer *bipe_eval_request_find(const bipe_eval_requests *r, uint64_t key, size_t model)
{
    const bipe_eval_entry *entry = r->slots > 0 ? *find_slot(r, key, model) : NULL;
    return entry != NULL ? &entry->answer : NULL;
}

bipe_task_answer *bipe_eval_request_add(bipe_eval_requests *r, uint64_t key, size_t model)
{
    if (2 * r->count >= r->slots) {
        const bipe_eval_requests old = *r;
        r->slots = old.slots > 0 ? 2 * old.slots : SLOTS_FIRST;
        r->slot = bipe_tool_alloc(r->slots, sizeof(bipe_eval_entry *));
        for (size_t i = 0; i < old.slots; i++)
            if (old.slot[i] != NULL)
                *find_slot(r, old.slot[i]->key, old.slot[i]->model) = old.slot[i];
        bipe_free(old.slot);
    }
    bipe_eval_entry *entry = bipe_tool_alloc(1, sizeof *entry);
    *entry = (bipe_eval_entry){.key = key, .model = model};
    *find_slot(r, key, model) = entry;
    r->count++;
    return &entry->answer;
}

void bipe_eval_requests_free(bipe_eval_requests *r)
{
    for (size_t i = 0; i < r->slots; i++) {
        if (r->slot[i] == NULL)
            continue;
        bipe_task_answer_free(&r->slot[i]->answer);
        bipe_free(r->slot[i]);
    }
    bipe_free(r->slot);
}
