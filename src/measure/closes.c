/* closes.c - a merge of boundaries with ends of tokens that steps over tokens: first over groups of them, several at a time and without a branch
 * that depends on the text, then within a group. */
#include "measure/closes.h"

#include <stdbool.h>

#include "base/alloc.h"

enum { GROUP = 8, /* tokens */ GROUPS_AT_ONCE = 8 };

static int32_t near(uint64_t distance)
{
    return distance < INT32_MAX ? (int32_t)distance : INT32_MAX;
}

int bipe_token_ends_set(bipe_token_ends *ends, const bipe_token *token, size_t count, bipe_error *err)
{
    size_t groups = count / GROUP;
    if (bipe_grow(&ends->end, &ends->capacity, groups + GROUPS_AT_ONCE, sizeof *ends->end) != 0)
        return bipe_fail_memory(err);
    ends->token = token;
    ends->count = count;
    for (size_t g = 0; g < groups; g++)
        ends->end[g] = near(token[g * GROUP + GROUP - 1].end - token[0].start);
    for (size_t g = groups; g < groups + GROUPS_AT_ONCE; g++)
        ends->end[g] = INT32_MAX;
    return BIPE_OK;
}

void bipe_token_ends_free(bipe_token_ends *ends)
{
    bipe_free(ends->end);
    *ends = (bipe_token_ends){0};
}

/* The first group from `group` on that does not end before the boundary. */
static inline size_t find_group(const int32_t *end, size_t group, int32_t boundary)
{
    for (;;) {
        int32_t before = 0;
        for (size_t i = 0; i < GROUPS_AT_ONCE; i++)
            before += end[group + i] < boundary;
        group += (size_t)before;
        if (before != GROUPS_AT_ONCE)
            return group;
    }
}

int bipe_closes_find(bipe_closes *closes, const bipe_token_ends *ends, const uint64_t *boundary, size_t count, uint64_t last, bipe_error *err)
{
    const bipe_token *token = ends->token;
    closes->count = 0;
    if (ends->count == 0)
        return BIPE_OK;
    if (bipe_grow(&closes->number, &closes->capacity, ends->count, sizeof *closes->number) != 0)
        return bipe_fail_memory(err);
    uint64_t from = token[0].start, to = token[ends->count - 1].end;
    size_t group = 0, n = 0, listed = 0; /* tokens before `listed` have had their turn */
    for (size_t i = 0; i <= count; i++) {
        uint64_t b = i < count ? boundary[i] : last;
        if (b <= from)
            continue;
        if (b > to)
            break;
        group = find_group(ends->end, group, near(b - from));
        size_t k = group * GROUP;
        if (ends->count - k >= GROUP) { /* halves of halves of it */
            k += token[k + 3].end < b ? 4 : 0;
            k += token[k + 1].end < b ? 2 : 0;
            k += token[k].end < b ? 1 : 0;
        }
        while (token[k].end < b) /* in the rest behind the groups, or very far */
            k++;
        k = k > listed ? k : listed;
        if (k == ends->count)
            break;
        /* Mostly it is one token, or none where the boundary before was in the same: that cannot be foreseen, but more can. */
        size_t starts = token[k].start < b;
        closes->number[n] = (uint32_t)k;
        n += starts;
        k += starts;
        for (; k < ends->count && token[k].start < b; k++)
            closes->number[n++] = (uint32_t)k;
        listed = k;
    }
    closes->count = n;
    return BIPE_OK;
}

void bipe_closes_free(bipe_closes *closes)
{
    bipe_free(closes->number);
    *closes = (bipe_closes){0};
}
