/* test_word_cache.c - what the cache of words gives back is what was put in last for those bytes, or nothing. */
#include <config.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "token/word_cache.h"

enum { WORDS = 40000, MOST = 60 };

typedef struct word {
    uint8_t text[MOST];
    size_t size, count;
    bipe_piece_token token[20];
} word;

static word words[WORDS];

/* Words of few letters, so that many begin alike, of all sizes; NULs among them. Equal words have equal tokens. */
static void make_words(void)
{
    uint64_t random = 5;
    for (size_t i = 0; i < WORDS; i++) {
        word *w = &words[i];
        w->size = 1 + test_random(&random) % (i % 3 == 0 ? MOST : 17);
        for (size_t k = 0; k < w->size; k++)
            w->text[k] = (uint8_t)(test_random(&random) % 3 * 97);
        uint64_t own = w->size;
        for (size_t k = 0; k < w->size; k++)
            own = own * 7 + w->text[k];
        w->count = 1 + test_random(&own) % (w->size % 5 == 0 ? 20 : 4);
        for (size_t k = 0; k < w->count; k++)
            w->token[k] = (bipe_piece_token){(uint32_t)test_random(&own), (uint32_t)((k + 1) * w->size / w->count)};
    }
}

static bool same(const word *w, size_t count, const uint32_t *id, const uint8_t *end)
{
    bool equal = w->count == count;
    for (size_t k = 0; equal && k < count; k++)
        equal = w->token[k].id == id[k] && w->token[k].end == end[k];
    return equal;
}

/* Whether the cache has the word; what it has must be right. */
static bool look_up(const bipe_word_cache *c, const word *w)
{
    /* Other bytes behind the word must not matter. */
    uint8_t room[MOST + BIPE_WORD_READ];
    memset(room, 0xEE, sizeof room);
    memcpy(room, w->text, w->size);
    if (w->size <= BIPE_WORD_SHORT) {
        const bipe_short_word *found = bipe_word_cache_find(c, bipe_word_key_of(room, w->size));
        if (found != NULL) {
            CHECK(same(w, found->count, found->id, found->end));
            return true;
        }
    }
    const bipe_long_word *found = bipe_word_cache_find_long(c, room, w->size);
    CHECK(found == NULL || same(w, found->count, found->id, found->end));
    return found != NULL;
}

static void test_put_and_find(void)
{
    bipe_word_cache c = {0};
    CHECK(bipe_word_cache_open(&c) == 0);
    size_t kept = 0, fit = 0;
    for (size_t i = 0; i < WORDS; i++) {
        const word *w = &words[i];
        bipe_word_cache_put(&c, w->text, w->size, w->token, w->count);
        bool fits = w->size <= BIPE_WORD_LONG && w->count <= BIPE_WORD_LONG_IDS;
        CHECK(look_up(&c, w) == fits);
    }
    for (size_t i = 0; i < WORDS; i++) {
        bool found = look_up(&c, &words[i]), small = words[i].size <= BIPE_WORD_SHORT && words[i].count <= BIPE_WORD_SHORT_IDS;
        fit += small;
        kept += small && found;
    }
    CHECKF(fit > 1000 && kept > fit / 2, "%zu of %zu words are still there", kept, fit);
    bipe_word_cache_free(&c);
}

static void test_memory(void)
{
    for (long n = 0; n < 2; n++) {
        bipe_word_cache c = {0};
        bipe_alloc_fail_at(n);
        CHECK(bipe_word_cache_open(&c) != 0);
        bipe_alloc_fail_at(-1);
        CHECK(bipe_word_cache_open(&c) == 0);
        CHECK(((uintptr_t)c.pair & 63) == 0);
        bipe_word_cache_free(&c);
    }
}

int main(void)
{
    make_words();
    test_put_and_find();
    test_memory();
    return test_result();
}
