/* test_key_tokens.c - windows of the short context against a naive account of who sees what; spans of key tokens. */
#include "measure/key_tokens.h"

#include "base/alloc.h"
#include "tests/check.h"

enum { MOST = 120 };

/* Where the short context of each token starts; -1: it has none. A window that scores tokens first .. length - 1 has
 * groups from the first that has `context` tokens before it on. */
static void naive(const bipe_key_rule *rule, const bipe_protocol *whole, uint64_t tokens, int64_t from[MOST])
{
    for (uint64_t t = 0; t < tokens; t++)
        from[t] = -1;
    for (uint64_t w = 0; w < bipe_window_count(whole, tokens); w++) {
        bipe_cut cut = bipe_window_cut(whole, tokens, w);
        int64_t context = -1;
        uint64_t in_group = 0;
        for (uint64_t k = cut.first; k < cut.length; k++) {
            if (k < rule->context)
                continue;
            if (in_group == 0)
                context = (int64_t)(cut.start + k - rule->context);
            if (context > (int64_t)cut.start) /* else it is the whole context */
                from[cut.start + k] = context;
            in_group = (in_group + 1) % rule->step;
        }
    }
}

static void test_windows(void)
{
    for (uint64_t tokens = 0; tokens < MOST; tokens += 7)
        for (uint64_t length = 2; length < 60; length += 9)
            for (uint64_t stride = 0; stride < 30; stride += 11)
                for (uint64_t context = 1; context < 20; context += 3)
                    for (uint64_t step = 1; step < 9; step += 3) {
                        const bipe_protocol whole = {.length = length, .stride = stride, .tail = stride > 0};
                        const bipe_key_rule rule = {.context = context, .step = step};
                        int64_t want[MOST], got[MOST], last = -1;
                        bipe_protocol brief;
                        bipe_cut *list;
                        bipe_error err;
                        for (uint64_t t = 0; t < tokens; t++)
                            got[t] = -1;
                        naive(&rule, &whole, tokens, want);
                        CHECK(bipe_key_windows(&rule, &whole, tokens, &brief, &list, &err) == BIPE_OK);
                        for (uint64_t w = 0; w < bipe_window_count(&brief, tokens); w++) {
                            bipe_cut cut = bipe_window_cut(&brief, tokens, w);
                            CHECK((int64_t)cut.start > last && cut.first == context && cut.length == cut.count);
                            CHECK(cut.length > cut.first && cut.length <= context + step && cut.count <= tokens);
                            CHECK(cut.start <= tokens - cut.count);
                            last = (int64_t)cut.start;
                            for (uint64_t k = cut.first; k < cut.length; k++)
                                got[cut.start + k] = (int64_t)cut.start;
                        }
                        for (uint64_t t = 0; t < tokens; t++)
                            CHECKF(got[t] == want[t],
                                   "L %" PRIu64 " stride %" PRIu64 " context %" PRIu64 " step %" PRIu64
                                   ": the context of token %" PRIu64 " starts at %" PRId64 ", want %" PRId64,
                                   length, stride, context, step, t, got[t], want[t]);
                        bipe_free(list);
                    }
}

static void test_rule(void)
{
    const bipe_key_rule rule = {.alpha = 2, .beta = 1.5};
    const double nan = (double)NAN;
    CHECK(bipe_key_token(&rule, 1, 3.25));
    CHECK(!bipe_key_token(&rule, 1, 3) && !bipe_key_token(&rule, 1.5, 4));
    CHECK(!bipe_key_token(&rule, nan, 4) && !bipe_key_token(&rule, 1, nan));
}

static void test_spans(void)
{
    const bipe_key_span add[] = {{0, 2, 4}, {0, 4, 7}, {0, 6, 9}, {0, 10, 12}, {2, 0, 3}, {2, 3, 3}, {3, 1, 2}};
    const struct {
        bipe_key_span token;
        bool key;
    } ask[] = {
        {{0, 0, 2}, false}, {{0, 1, 3}, false}, {{0, 2, 3}, true},  {{0, 3, 9}, true},  {{0, 5, 5}, false},
        {{0, 8, 11}, false}, {{0, 10, 12}, true}, {{0, 12, 13}, false}, {{1, 0, 3}, false}, {{2, 0, 0}, false},
        {{2, 0, 3}, true},  {{2, 3, 4}, false}, {{3, 0, 2}, false}, {{3, 1, 2}, true},  {{4, 0, 1}, false},
    };
    bipe_key_spans spans = {0};
    bipe_key_cursor cursor = {0};
    bipe_key_span first;
    bipe_error err;
    for (int round = 0; round < 2; round++) {
        CHECK(bipe_key_spans_reset(&spans, &err) == BIPE_OK);
        for (size_t i = 0; i < sizeof add / sizeof *add; i++)
            CHECK(bipe_key_spans_add(&spans, add[i], &err) == BIPE_OK);
        CHECK(bipe_key_spans_end(&spans, &err) == BIPE_OK);
        CHECK(bipe_key_spans_count(&spans) == 4);
        CHECK(bipe_key_spans_read(&spans, 0, &first, &err) == BIPE_OK);
        CHECK(first.document == 0 && first.start == 2 && first.end == 9);
    }
    for (size_t i = 0; i < sizeof ask / sizeof *ask; i++) {
        bool holds;
        CHECK(bipe_key_cursor_holds(&cursor, &spans, ask[i].token, &holds, &err) == BIPE_OK);
        CHECKF(holds == ask[i].key, "token %zu", i);
    }
    cursor = (bipe_key_cursor){0};
    CHECK(bipe_key_spans_reset(&spans, &err) == BIPE_OK);
    bool holds = true;
    CHECK(bipe_key_cursor_holds(&cursor, &spans, ask[2].token, &holds, &err) == BIPE_OK);
    CHECK(!holds);
    bipe_key_spans_close(&spans);
}

int main(void)
{
    test_windows();
    test_rule();
    test_spans();
    return test_result();
}
