/* test_closes.c - which tokens close segments, against the definition applied to every token. */
#include <stdbool.h>

#include "base/alloc.h"
#include "measure/closes.h"
#include "tests/check.h"

enum { MOST = 700 };

static bipe_token token[MOST];
static uint64_t boundary[MOST];

/* Spans in order: mostly one behind the other; empty ones, the same ones again, gaps, and rarely very long ones. */
static size_t make_tokens(uint64_t *seed, uint64_t at, bool far, bool whole)
{
    size_t count = test_random(seed) % MOST;
    for (size_t k = 0; k < count; k++) {
        uint64_t r = test_random(seed) % 40;
        if (k != 0 && r < 3 && !whole) {
            token[k] = token[k - 1];
            continue;
        }
        at += r == 3 && !whole ? test_random(seed) % 5 : 0;
        uint64_t size = r == 4 ? 0 : r == 5 && far ? test_random(seed) % (UINT64_C(1) << 33) : 1 + test_random(seed) % 6;
        token[k] = (bipe_token){.start = at, .end = at + size};
        at += size;
    }
    return count;
}

/* Rising, around the tokens: some before them, some behind. */
static size_t make_boundaries(uint64_t *seed, size_t tokens, uint64_t from)
{
    uint64_t b = from - test_random(seed) % 4, far = 1 + test_random(seed) % 90;
    size_t count = 0;
    for (size_t k = 0; count < MOST && k < tokens; count++) {
        b += 1 + (test_random(seed) % 3 != 0 ? test_random(seed) % far : 0);
        if (test_random(seed) % 50 == 0 && b < token[k].end) /* over much at once */
            b = token[k].end + test_random(seed) % 2;
        boundary[count] = b;
        while (k < tokens && token[k].end < b)
            k++;
    }
    return count;
}

static bool is_closed(const bipe_token *t, size_t count, uint64_t last)
{
    bool closed = t->start < last && last <= t->end;
    for (size_t i = 0; i < count; i++)
        closed = closed || (t->start < boundary[i] && boundary[i] <= t->end);
    return closed;
}

static void test_random_tokens(void)
{
    uint64_t seed = 12;
    bipe_error err;
    bipe_token_ends ends = {0};
    bipe_closes closes = {0};
    int all_whole = 0;
    for (int round = 0; round < test_rounds(600); round++) {
        uint64_t from = round % 3 == 0 ? 4 : 4 + test_random(&seed) % (UINT64_C(1) << 40);
        size_t tokens = make_tokens(&seed, from, round % 5 == 0, round % 2 == 0);
        CHECK(bipe_token_ends_set(&ends, token, tokens, &err) == BIPE_OK);
        bool whole = true;
        for (size_t k = 1; k < tokens; k++)
            whole = whole && token[k].start == token[k - 1].end;
        if (whole && tokens != 0 && token[tokens - 1].end - token[0].start < INT32_MAX) {
            ends.token = NULL; /* what they start at follows */
            all_whole++;
        }
        for (int segmenter = 0; segmenter < 2; segmenter++) {
            size_t count = make_boundaries(&seed, tokens, from);
            uint64_t last = UINT64_MAX;
            if (tokens != 0 && round % 2 == 0) {
                last = token[tokens - 1].end;
                while (count != 0 && boundary[count - 1] > last)
                    count--;
            }
            CHECK(bipe_closes_find(&closes, &ends, boundary, count, last, &err) == BIPE_OK);
            size_t found = 0, bad = 0;
            for (size_t k = 0; k < tokens; k++)
                if (is_closed(&token[k], count, last))
                    bad += found >= closes.count || closes.number[found++] != k;
            CHECKF(bad == 0 && found == closes.count, "round %d: %zu wrong, %zu of %zu", round, bad, closes.count, found);
        }
    }
    CHECK((all_whole > 100 && all_whole < 500) || !test_all_rounds());
    bipe_token_ends_free(&ends);
    bipe_closes_free(&closes);
}

static void test_nothing(void)
{
    bipe_error err;
    bipe_token_ends ends = {0};
    bipe_closes closes = {0};
    CHECK(bipe_token_ends_set(&ends, NULL, 0, &err) == BIPE_OK);
    CHECK(bipe_closes_find(&closes, &ends, NULL, 0, UINT64_MAX, &err) == BIPE_OK && closes.count == 0);
    const bipe_token one = {.start = 0, .end = 1};
    CHECK(bipe_token_ends_set(&ends, &one, 1, &err) == BIPE_OK);
    CHECK(bipe_closes_find(&closes, &ends, NULL, 0, UINT64_MAX, &err) == BIPE_OK && closes.count == 0);
    CHECK(bipe_closes_find(&closes, &ends, NULL, 0, 1, &err) == BIPE_OK && closes.count == 1 && closes.number[0] == 0);
    bipe_token_ends_free(&ends);
    bipe_closes_free(&closes);
    bipe_alloc_fail_at(0);
    CHECK(bipe_token_ends_set(&ends, &one, 1, &err) == BIPE_ERR_MEMORY);
    bipe_alloc_fail_at(1);
    CHECK(bipe_token_ends_set(&ends, &one, 1, &err) == BIPE_OK);
    CHECK(bipe_closes_find(&closes, &ends, NULL, 0, 1, &err) == BIPE_ERR_MEMORY);
    bipe_alloc_fail_at(-1);
    bipe_token_ends_free(&ends);
    bipe_closes_free(&closes);
}

int main(void)
{
    test_random_tokens();
    test_nothing();
    return test_result();
}
