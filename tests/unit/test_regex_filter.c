/* test_regex_filter.c - every scanner of places where a match can start against the definition: each byte around a place is in its set. */
#include "base/alloc.h"
#include "tests/check.h"
#include "text/regex_filter.h"

enum { WORDS = 9 };

static void check_scanners(const bipe_regex_filter *filter, const uint8_t *text, size_t words)
{
    uint64_t want[WORDS] = {0}, got[WORDS];
    for (size_t i = 0; i < 64 * words; i++) {
        bool in = true;
        for (size_t k = 0; k < BIPE_REGEX_REACH; k++)
            in = in && (filter->member[text[i + k]] >> k & 1) != 0;
        want[i / 64] |= (uint64_t)in << i % 64;
    }
    for (const bipe_regex_scanner *s = bipe_regex_scanners; s->name != NULL; s++) {
        if (!s->usable())
            continue;
        memset(got, 0xA5, sizeof got);
        s->scan(filter, text + BIPE_REGEX_BEFORE, words, got);
        CHECKF(memcmp(want, got, words * sizeof *got) == 0, "%s, %zu words", s->name, words);
    }
}

int main(void)
{
    uint64_t random = 1;
    for (int round = 0; round < 300; round++) {
        bipe_regex_filter filter = {0};
        unsigned full = round % 2 == 0 ? 0 : (unsigned)(test_random(&random) % 16), rare = 1 + round % 3;
        for (unsigned b = 0; b < 256; b++) {
            unsigned in = (unsigned)test_random(&random) & 15;
            for (unsigned k = 1; k < rare; k++)
                in &= (unsigned)test_random(&random);
            filter.member[b] = (uint8_t)(in | full);
        }
        if (round % 5 == 1) { /* sets that have kinds of their own: few bytes, and ASCII alone */
            for (unsigned b = 0; b < 256; b++)
                filter.member[b] &= b < 128 ? 13 : 9;
            for (unsigned n = 0; n < 1 + (unsigned)round % 3; n++)
                filter.member[test_random(&random) & 255] |= 2;
        }
        uint8_t common = 0;
        while (common < 255 && (filter.member[common] & 2) == 0)
            common++;
        bipe_regex_filter_prepare(&filter);
        CHECK(filter.scan != NULL);
        for (size_t words = 0; words <= WORDS; words++) { /* no more than what may be looked at */
            size_t size = 64 * words + BIPE_REGEX_REACH - 1;
            uint8_t *text = bipe_alloc(size, 1);
            if (text == NULL)
                abort();
            for (size_t i = 0; i < size; i++)
                text[i] = (uint8_t)test_random(&random);
            for (size_t i = 0; i < size; i += 3) /* a byte that may be one of few */
                text[i] = common;
            check_scanners(&filter, text, words);
            bipe_free(text);
        }
    }
    return test_result();
}
