/* closes.c - a merge of boundaries with ends of tokens that steps over tokens, many at a time and mostly without a branch that depends on
 * the text. */
#include "measure/closes.h"

#include <string.h>

#include "base/alloc.h"

enum { AT_ONCE = 32, /* ends */ CHAINS = 4 };
_Static_assert((int)AT_ONCE <= (int)BIPE_TOKEN_ENDS_SLACK, "what is read behind the ends");

/* How many of AT_ONCE numbers are less. The compiler makes of it what the machine has. */
static inline size_t count_less(const int32_t *number, int32_t than)
{
    typedef int32_t four __attribute__((vector_size(16)));
    typedef uint64_t two __attribute__((vector_size(16)));
    const four limit = {than, than, than, than};
    four less = {0}, some;
#pragma GCC unroll 8
    for (size_t i = 0; i < AT_ONCE; i += 4) {
        memcpy(&some, number + i, sizeof some);
        less -= some < limit; /* true is -1 */
    }
    two pairs = (two)less;
    uint64_t sum = pairs[0] + pairs[1];
    return (uint32_t)sum + (size_t)(sum >> 32);
}

/* The first end from number k on that is not before the boundary. */
static inline size_t find_end(const int32_t *end, size_t k, int32_t boundary)
{
    for (;;) {
        size_t before = count_less(end + k, boundary);
        k += before;
        if (before != AT_ONCE)
            return k;
    }
}

/* The same from the first on, of `count`. */
static size_t look_for_end(const int32_t *end, size_t count, int32_t boundary)
{
    size_t first = 0;
    while (first < count) {
        size_t middle = first + (count - first) / 2;
        if (end[middle] < boundary)
            first = middle + 1;
        else
            count = middle;
    }
    return first;
}

/* For each boundary (n) the number of the first end that is not before it. Each search begins where the one before ended and has to wait
 * for it: so several parts of the boundaries take turns. */
static void find_ends(const bipe_token_ends *ends, const uint64_t *boundary, size_t n, uint32_t *number)
{
    const int32_t *end = ends->end;
    size_t each = n / CHAINS, k[CHAINS] = {0};
    for (size_t c = 0; each != 0 && c < CHAINS; c++)
        k[c] = look_for_end(end, ends->count, bipe_token_ends_near(boundary[c * each] - ends->base));
    for (size_t i = 0; i < each; i++)
#pragma GCC unroll 4
        for (size_t c = 0; c < CHAINS; c++) {
            k[c] = find_end(end, k[c], bipe_token_ends_near(boundary[c * each + i] - ends->base));
            number[c * each + i] = (uint32_t)k[c];
        }
    for (size_t i = CHAINS * each; i < n; i++)
        number[i] = (uint32_t)look_for_end(end, ends->count, bipe_token_ends_near(boundary[i] - ends->base));
}

/* Lists token k, the first that does not end before the boundary, if it starts before it, and others that do, too; not those before
 * `next`, which have had their turn. Returns the next. */
static inline size_t list_tokens(bipe_closes *closes, const bipe_token_ends *ends, size_t k, size_t next, uint64_t boundary)
{
    const bipe_token *token = ends->token;
    if (token == NULL) { /* it does, and is listed unless the boundary before was in it: that cannot be foreseen */
        closes->number[closes->count] = (uint32_t)k;
        closes->count += k >= next;
        return k + 1;
    }
    k = k > next ? k : next;
    while (k < ends->count && token[k].end < boundary) /* very far */
        k++;
    for (; k < ends->count && token[k].start < boundary; k++)
        closes->number[closes->count++] = (uint32_t)k;
    return k;
}

int bipe_closes_find(bipe_closes *closes, const bipe_token_ends *ends, const uint64_t *boundary, size_t count, uint64_t last, bipe_error *err)
{
    closes->count = 0;
    if (ends->count == 0)
        return BIPE_OK;
    const bipe_token *token = ends->token;
    size_t most = token != NULL ? ends->count : 0; /* what may be listed beyond one token a boundary */
    if (bipe_grow(&closes->number, &closes->capacity, most + count + 1, sizeof *closes->number) != 0)
        return bipe_fail_memory(err);
    uint64_t to = token != NULL ? token[ends->count - 1].end : ends->base + (uint64_t)ends->end[ends->count - 1];
    for (; count != 0 && boundary[0] <= ends->base; count--)
        boundary++;
    for (; count != 0 && boundary[count - 1] > to; count--)
        continue;
    uint32_t *found = closes->number + most; /* the list does not grow over what is still to be read there */
    find_ends(ends, boundary, count, found);
    size_t next = 0;
    for (size_t i = 0; i < count; i++)
        next = list_tokens(closes, ends, found[i], next, boundary[i]);
    if (last > ends->base && last <= to)
        list_tokens(closes, ends, look_for_end(ends->end, ends->count, bipe_token_ends_near(last - ends->base)), next, last);
    return BIPE_OK;
}

void bipe_closes_free(bipe_closes *closes)
{
    bipe_free(closes->number);
    *closes = (bipe_closes){0};
}
