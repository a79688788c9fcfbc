/* test_windows.c - windows against a second, naive account of what is scored where. */
#include "measure/windows.h"

#include "tests/check.h"

enum { MOST = 200 };

/* Which window scores token t, by trying every window that could be and keeping the one with the most
 * context; ties (none can occur within one stride) go to the earlier. context[t]: tokens of the stream before it in
 * that window plus the BOS; -1: not scored. */
static void naive(const bipe_protocol *p, uint64_t tokens, int64_t context[MOST])
{
    int64_t payload = (int64_t)p->length - (p->bos ? 1 : 0);
    int64_t stride = p->stride == 0 || (int64_t)p->stride > payload ? payload : (int64_t)p->stride;
    int64_t whole_end = 0;
    for (uint64_t t = 0; t < tokens; t++)
        context[t] = -1;
    for (int64_t start = 0; start < (int64_t)tokens; start += stride) {
        int64_t end = start + payload;
        bool whole = end <= (int64_t)tokens;
        if (!whole && !p->tail)
            break;
        if (!whole)
            end = (int64_t)tokens;
        for (int64_t t = start; t < end; t++) {
            int64_t before = t - start + (p->bos ? 1 : 0);
            if (!whole && t < whole_end)
                continue; /* the whole windows have scored it */
            if (before > 0 && before > context[t])
                context[t] = before;
        }
        if (!whole)
            break;
        whole_end = end;
    }
}

static void compare(const bipe_protocol *p, uint64_t tokens)
{
    int64_t want[MOST], got[MOST];
    naive(p, tokens, want);
    for (uint64_t t = 0; t < tokens; t++)
        got[t] = -1;
    uint64_t count = bipe_window_count(p, tokens);
    for (uint64_t w = 0; w < count; w++) {
        bipe_cut cut = bipe_window_cut(p, tokens, w);
        CHECK(cut.length == cut.count + (p->bos ? 1 : 0));
        CHECK(cut.length <= p->length && cut.first >= 1 && cut.first < cut.length);
        CHECK(cut.start <= tokens && cut.count <= tokens - cut.start);
        CHECK(p->tail || cut.length == p->length);
        for (uint64_t k = cut.first; k < cut.length; k++) {
            uint64_t t = cut.start + k - (p->bos ? 1 : 0);
            CHECKF(got[t] == -1, "token %" PRIu64 " is scored twice", t);
            got[t] = (int64_t)k;
        }
    }
    for (uint64_t t = 0; t < tokens; t++)
        CHECKF(got[t] == want[t],
               "L %" PRIu64 " stride %" PRIu64 " tail %d bos %d tokens %" PRIu64 ": token %" PRIu64
               " has context %" PRId64 ", want %" PRId64,
               p->length, p->stride, p->tail, p->bos, tokens, t, got[t], want[t]);
}

static uint64_t count_targets(const bipe_protocol *p, uint64_t tokens)
{
    uint64_t targets = 0;
    for (uint64_t w = bipe_window_count(p, tokens); w-- > 0;)
        targets += bipe_window_cut(p, tokens, w).length - bipe_window_cut(p, tokens, w).first;
    return targets;
}

int main(void)
{
    for (uint64_t length = 2; length <= 9; length++)
        for (uint64_t stride = 0; stride <= length; stride++)
            for (int flags = 0; flags < 4; flags++)
                for (uint64_t tokens = 0; tokens <= 40; tokens++) {
                    bipe_protocol p = {.length = length, .stride = stride, .tail = (flags & 1) != 0,
                                       .bos = (flags & 2) != 0};
                    compare(&p, tokens);
                }
    uint64_t seed = 7;
    for (int i = 0; i < 300; i++) {
        bipe_protocol p = { .length = 2 + test_random(&seed) % 60 };
        p.stride = test_random(&seed) % (p.length + 1);
        p.tail = test_random(&seed) % 2 == 0;
        p.bos = test_random(&seed) % 2 == 0;
        compare(&p, test_random(&seed) % MOST);
    }
    /* The paper's: 10 tokens in windows of 4 give two of them, 3 tokens scored in each. */
    bipe_protocol paper = { .length = 4 };
    CHECK_UINT(bipe_window_count(&paper, 10), 2);
    CHECK_UINT(count_targets(&paper, 10), 6);
    CHECK_UINT(bipe_window_count(&paper, 3), 0);
    /* Every token with as much context as a window can give. */
    bipe_protocol sliding = { .length = 4, .stride = 1 };
    CHECK_UINT(bipe_window_count(&sliding, 10), 7);
    CHECK_UINT(count_targets(&sliding, 10), 9);
    return test_result();
}
