/* sampler.c - which token comes next; see sampler.h. */
#include "model/sampler.h"

#include <math.h>
#include <stdbool.h>

#include "base/random.h"

uint64_t bipe_sampler_state(uint64_t seed, uint64_t sample)
{
    uint64_t state = seed;
    state = bipe_random_bits(&state) ^ sample;
    return bipe_random_bits(&state);
}

void bipe_sampler_penalize(const bipe_repetition *r, float *logits, size_t count, const uint32_t *ids, size_t size,
                           uint8_t *seen)
{
    size_t first = r->last < size ? size - r->last : 0;
    if (r->penalty == 0 || r->penalty == 1)
        return;
    for (size_t i = first; i < size; i++) {
        uint32_t id = ids[i];
        if (id >= count || seen[id] != 0)
            continue;
        seen[id] = 1;
        logits[id] = logits[id] <= 0 ? logits[id] * (float)r->penalty : logits[id] / (float)r->penalty;
    }
    for (size_t i = first; i < size; i++)
        if (ids[i] < count)
            seen[ids[i]] = 0;
}

static bool is_before(const bipe_candidate *a, const bipe_candidate *b)
{
    return a->weight > b->weight || (a->weight == b->weight && a->id < b->id);
}

/* Lets candidate i of a heap (count) sink, whose first is the most probable. */
static void sink_candidate(bipe_candidate *heap, size_t count, size_t i)
{
    bipe_candidate moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && is_before(&heap[child + 1], &heap[child]);
        if (is_before(&moved, &heap[child]))
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

/* Pops the most probable candidate off a heap, and stores it after the end of the heap. */
static void pop_candidate(bipe_candidate *heap, size_t count)
{
    bipe_candidate first = heap[0];
    heap[0] = heap[count - 1];
    sink_candidate(heap, count - 1, 0);
    heap[count - 1] = first;
}

static double sum_of_weights(const bipe_candidate *candidate, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += candidate[i].weight;
    return sum;
}

/* Those that top-k and top-p keep, *left of them, the most probable last. */
static bipe_candidate *keep_top(const bipe_sampling *s, bipe_candidate *candidate, size_t count, size_t *left)
{
    size_t most = s->top_k != 0 && s->top_k < count ? s->top_k : count, sorted = 0;
    for (size_t i = count / 2; i-- > 0;)
        sink_candidate(candidate, count, i);
    if (most < count) /* what is left to top-p: otherwise it sorts no more than it keeps */
        for (; sorted < most; sorted++)
            pop_candidate(candidate, count - sorted);
    double whole = most < count ? sum_of_weights(candidate + count - most, most) : sum_of_weights(candidate, count),
           sum = 0;
    for (*left = 0; *left < most && (*left == 0 || sum < s->top_p * whole); ++*left) {
        if (*left == sorted)
            pop_candidate(candidate, count - sorted++);
        sum += candidate[count - 1 - *left].weight;
    }
    return candidate + count - *left;
}

int bipe_sampler_choose(const bipe_sampling *s, const float *logits, size_t count, bipe_candidate *spare,
                        uint64_t *state, uint32_t *id, bipe_error *err)
{
    size_t best = 0;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good = good && !isnan(logits[i]);
        best = logits[i] > logits[best] ? i : best;
    }
    if (!good || !isfinite(logits[best]))
        return bipe_fail(err, BIPE_ERR_FORMAT,
                         "a logit that is not a finite number: are the weights of the model damaged?");
    *id = (uint32_t)best;
    if (s->temperature == 0)
        return BIPE_OK;
    for (size_t i = 0; i < count; i++)
        spare[i] = (bipe_candidate){exp(((double)logits[i] - (double)logits[best]) / s->temperature), (uint32_t)i};
    bipe_candidate *kept = spare;
    if ((s->top_k != 0 && s->top_k < count) || s->top_p < 1)
        kept = keep_top(s, spare, count, &count);
    size_t left = 0;
    for (size_t i = 0; i < count; i++) /* the largest weight is 1 */
        if (kept[i].weight >= s->min_p)
            kept[left++] = kept[i];
    double draw = bipe_random_uniform(state) * sum_of_weights(kept, left);
    size_t chosen = 0;
    for (; chosen + 1 < left && draw >= kept[chosen].weight; chosen++)
        draw -= kept[chosen].weight;
    while (kept[chosen].weight == 0 && chosen > 0) /* what rounding may leave at the end */
        chosen--;
    *id = kept[chosen].id;
    return BIPE_OK;
}
