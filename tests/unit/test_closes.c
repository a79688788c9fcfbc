/* test_closes.c - which tokens close segments, against the definition applied to every token. */
#include <stdbool.h>
#include <string.h>

#include "measure/closes.h"
#include "tests/check.h"

enum { MOST = 700, SIZE = 16 * MOST };

static uint8_t text[SIZE];
static bipe_token token[MOST];
static uint64_t boundary[SIZE];

/* Spans in order within the text: mostly one after the other; empty ones and gaps. */
static size_t make_tokens(uint64_t *seed, uint64_t from)
{
    size_t count = test_random(seed) % MOST;
    uint64_t at = from + test_random(seed) % 4;
    for (size_t k = 0; k < count; k++) {
        uint64_t r = test_random(seed) % 12;
        at += r == 0 ? test_random(seed) % 5 : 0;
        uint64_t size = r < 3 ? 0 : 1 + test_random(seed) % 6;
        token[k] = (bipe_token){.start = at, .end = at + size};
        at += size;
    }
    return count;
}

/* Where the token begins for boundaries. */
static uint64_t text_start(const bipe_token *t, uint64_t from)
{
    uint64_t at = t->start;
    while (at < t->end && strchr(" \n", text[at - from]) != NULL)
        at++;
    return at < t->end ? at : t->start;
}

static void test_random_tokens(void)
{
    uint64_t seed = 12;
    uint32_t ends[SIZE];
    for (int round = 0; round < test_rounds(600); round++) {
        uint64_t from = round % 3 == 0 ? 0 : test_random(&seed) % (UINT64_C(1) << 40);
        for (size_t i = 0; i < SIZE; i++)
            text[i] = (uint8_t)"ab \n "[test_random(&seed) % 5];
        size_t tokens = make_tokens(&seed, from), count = 0, share = 1 + test_random(&seed) % 60;
        for (uint64_t b = from + 1; b < from + SIZE; b++)
            if (test_random(&seed) % share == 0)
                boundary[count++] = b;
        uint32_t least = test_random(&seed) % 3 == 0 ? 1 : 0;
        if (tokens == 0 || token[0].start == token[0].end)
            least = 0;
        bipe_closes_find(ends, boundary, count, token, tokens, least, text, from);
        size_t bad = 0;
        for (size_t k = 0; k < count; k++) {
            uint32_t want = least;
            for (size_t j = 0; j < tokens; j++)
                if (token[j].start != token[j].end && text_start(&token[j], from) < boundary[k] && j + 1 > want)
                    want = (uint32_t)j + 1;
            bad += ends[k] != want;
        }
        CHECKF(bad == 0, "round %d: %zu of %zu wrong", round, bad, count);
    }
}

/* The examples of the contract. */
static void test_examples(void)
{
    static const uint8_t two[] = "Yes. No";
    const bipe_token words[] = {{.start = 0, .end = 3}, {.start = 3, .end = 4}, {.start = 4, .end = 7}};
    const uint64_t after_blank = 5, in_gap = 4, at_end = 7;
    uint32_t end;
    bipe_closes_find(&end, &after_blank, 1, words, 3, 0, two, 0);
    CHECK_UINT(end, 2);
    bipe_closes_find(&end, &at_end, 1, words, 3, 0, two, 0);
    CHECK_UINT(end, 3);
    const bipe_token bare[] = {{.start = 0, .end = 3}, {.start = 5, .end = 7}};
    bipe_closes_find(&end, &in_gap, 1, bare, 2, 0, two, 0);
    CHECK_UINT(end, 1);
    const bipe_token blank[] = {{.start = 0, .end = 4}, {.start = 4, .end = 5}};
    bipe_closes_find(&end, &after_blank, 1, blank, 2, 0, two, 0); /* a token of white space closes as any other */
    CHECK_UINT(end, 2);
    bipe_closes_find(&end, &after_blank, 1, NULL, 0, 0, two, 0);
    CHECK_UINT(end, 0);
}

int main(void)
{
    test_random_tokens();
    test_examples();
    return test_result();
}
