/* test_word_cache.c - what the cache of words gives back is what was put in last for those bytes, or nothing. */
#include <config.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "token/words/word_cache.h"

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
        /* A byte each and, from the third on, all the same but for one sometimes: such may stand beside the key. */
        if (w->size % 4 == 1 && w->size <= 20)
            for (size_t k = 0, odd = 3 + own % 60; k < (w->count = w->size); k++)
                w->token[k] = (bipe_piece_token){k > 2 && k != odd ? w->token[2].id : (uint32_t)k + 9, (uint32_t)k + 1};
    }
}

static bool same(const word *w, size_t count, const bipe_piece_token *token)
{
    bool equal = w->count == count;
    for (size_t k = 0; equal && k < count; k++)
        equal = w->token[k].id == token[k].id && w->token[k].end == token[k].end;
    return equal;
}

static bool stands_beside(const word *w)
{
    return w->size <= BIPE_WORD_SHORT && w->count <= BIPE_WORD_SHORT_IDS;
}

/* Whether the cache has the word; what it has must be right. */
static bool look_up(const bipe_word_cache *c, const word *w)
{
    /* Other bytes after the word must not matter. */
    uint8_t bytes[MOST + BIPE_WORD_READ];
    bipe_piece_token room[BIPE_WORD_SHORT];
    size_t count;
    memset(bytes, 0xEE, sizeof bytes);
    memcpy(bytes, w->text, w->size);
    const bipe_piece_token *found = bipe_word_cache_find(c, bytes, w->size, room, &count);
    CHECK(found == NULL || same(w, count, found));
    if (w->size <= BIPE_WORD_SHORT) {
        bipe_word_key key = bipe_word_key_of(bytes, w->size);
        const bipe_short_word *place = bipe_word_of_pair(bipe_word_cache_pair(c, key), key);
        CHECK((place != NULL) == (found != NULL && stands_beside(w)));
    }
    return found != NULL;
}

static void test_put_and_find(void)
{
    bipe_word_cache c = {0};
    CHECK(bipe_word_cache_open(&c) == 0);
    unsigned bits = c.bits;
    size_t kept = 0, different = 0;
    for (size_t i = 0; i < WORDS; i++) {
        bipe_word_cache_add(&c, words[i].text, words[i].size, words[i].token, words[i].count);
        CHECK(look_up(&c, &words[i]));
    }
    CHECK(c.bits > bits); /* it has grown, and what it had was taken along: */
    for (size_t i = 0; i < WORDS; i++) {
        bool small = words[i].size <= BIPE_WORD_SHORT && words[i].size > 5, found = look_up(&c, &words[i]);
        different += small;
        kept += small && found;
    }
    CHECKF(different > 1000 && kept > different * 3 / 4, "%zu of %zu words are still there", kept, different);
    bipe_word_cache_free(&c);
}

/* A word of its own for each number, whose tokens are in the store. */
static size_t stored_word(uint32_t number, uint8_t text[BIPE_WORD_MOST], bipe_piece_token token[BIPE_WORD_MOST])
{
    size_t size = number % 2 == 0 ? 12 : 600;
    memset(text, 0, BIPE_WORD_MOST);
    memcpy(text, &number, sizeof number);
    for (uint32_t k = 0; k < size; k++)
        token[k] = (bipe_piece_token){.id = number + k, .end = k + 1};
    return size;
}

/* Whether it is known, in which case its tokens are right. */
static bool look_up_stored(const bipe_word_cache *c, const uint8_t *text, size_t size, const bipe_piece_token *token)
{
    bipe_piece_token room[BIPE_WORD_SHORT];
    size_t count = 0;
    const bipe_piece_token *found = bipe_word_cache_find(c, text, size, room, &count);
    if (found == NULL)
        return false;
    CHECK(count == size && memcmp(found, token, size * sizeof *token) == 0);
    return true;
}

/* A store that is full takes nothing in for a while, and is forgotten then; what was in it is not taken for what comes
 * then. */
static void test_store(void)
{
    bipe_word_cache c = {0};
    bipe_piece_token token[BIPE_WORD_MOST];
    uint8_t text[BIPE_WORD_MOST];
    uint32_t taken = 0, refused = 0, generation;
    CHECK(bipe_word_cache_open(&c) == 0);
    bipe_word_cache_add(&c, (const uint8_t *)"abcd", 4, words[0].token, 0);
    generation = c.generation;
    for (uint32_t number = 0; c.generation < generation + 2; number++) {
        size_t size = stored_word(number, text, token);
        CHECK(!look_up_stored(&c, text, size, token));
        bipe_word_cache_add(&c, text, size, token, size);
        if (look_up_stored(&c, text, size, token))
            taken++;
        else
            refused++;
        size = stored_word(0, text, token);
        CHECK(!look_up_stored(&c, text, size, token) || c.generation == generation);
    }
    CHECKF(taken > 1000 && refused > taken / 2 && refused < 2 * taken, "%u taken, %u refused", taken, refused);
    bipe_word_cache_free(&c);
}

/* Of words that come again and again, a third more than go in, most are known. */
static void test_too_many(void)
{
    bipe_word_cache c = {0};
    bipe_piece_token token[BIPE_WORD_MOST];
    uint8_t text[BIPE_WORD_MOST];
    size_t looked = 0, found = 0;
    CHECK(bipe_word_cache_open(&c) == 0);
    for (uint32_t round = 0; round < 8; round++)
        for (uint32_t number = 0, used = 0; used < BIPE_WORD_STORE / 3 * 4; number++) {
            size_t size = stored_word(number, text, token);
            used += (uint32_t)(1 + 2 * size + (size > BIPE_WORD_SHORT ? size / 4 : 0));
            looked += round != 0;
            if (look_up_stored(&c, text, size, token))
                found += round != 0;
            else
                bipe_word_cache_add(&c, text, size, token, size);
        }
    CHECKF(found > looked / 2, "%zu of %zu words are known", found, looked);
    bipe_word_cache_free(&c);
}

/* With many caches each is smaller, and right all the same. */
static void test_many(void)
{
    enum { MANY = 8 * BIPE_WORD_CACHES };
    static bipe_word_cache cache[MANY];
    for (unsigned many = MANY, least = 0; many != 0; many = many == MANY ? 1 : 0) {
        bipe_word_cache *c = &cache[0];
        for (size_t i = 0; i < many; i++)
            CHECK(bipe_word_cache_open(&cache[i]) == 0);
        size_t found = 0;
        for (size_t i = 0; i < 2 * WORDS; i++) {
            const word *w = &words[i % WORDS];
            found += look_up(c, w);
            bipe_word_cache_add(c, w->text, w->size, w->token, w->count);
        }
        CHECKF(many == 1 ? c->bits > least : c->bits <= BIPE_WORD_PAIRS_MOST - 3, "%u caches: %u bits", many, c->bits);
        CHECK(found > WORDS / 2);
        least = c->bits;
        for (size_t i = 0; i < many; i++)
            bipe_word_cache_free(&cache[i]);
    }
}

enum { GROUP = 700 };

/* Words looked up together, by each vector unit there is, against one by one. */
static void test_look_up(void)
{
    static uint8_t text[GROUP * MOST + BIPE_WORD_READ];
    static uint32_t start[GROUP + 1];
    static bipe_short_tokens known[GROUP];
    static uint16_t rare[GROUP];
    bipe_word_cache c = {0};
    uint64_t random = 11;
    size_t all_rare = 0, all = 0;
    CHECK(bipe_word_cache_open(&c) == 0);
    for (size_t round = 0; round < 200; round++) {
        const word *w[GROUP];
        size_t n = test_random(&random) % (round % 2 == 0 ? 20 : GROUP + 1);
        for (size_t k = 0; k < n; k++) {
            w[k] = &words[test_random(&random) % (k % 2 == 0 ? 300 : WORDS)];
            memcpy(text + start[k], w[k]->text, w[k]->size);
            start[k + 1] = start[k] + (uint32_t)w[k]->size;
        }
        size_t rares = bipe_word_look_up(&c, text, start, n, known, rare), r = 0;
        for (size_t k = 0; k < n; k++) {
            bool found = stands_beside(w[k]) && look_up(&c, w[k]), is_rare = r < rares && rare[r] == k;
            r += is_rare;
            CHECKF(found != is_rare, "word %zu of %zu", k, n);
            bool equal = is_rare || known[k].count == w[k]->count;
            for (size_t i = 0; equal && !is_rare && i < w[k]->count; i++) {
                bipe_piece_token token = {.id = known[k].id[i], .end = known[k].end[i]};
                equal = token.id == w[k]->token[i].id && token.end == w[k]->token[i].end;
            }
            CHECKF(equal, "word %zu of %zu has other tokens", k, n);
        }
        CHECK(r == rares);
        all_rare += rares;
        all += n;
        for (size_t k = 0; k < n; k += 1 + k % 2)
            bipe_word_cache_add(&c, w[k]->text, w[k]->size, w[k]->token, w[k]->count);
    }
    CHECK(all_rare > all / 10 && all_rare < all / 10 * 9);
    bipe_word_cache_free(&c);
}

/* Out of memory while it is made, and while it grows: then it stays as it is. */
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
    for (long n = 0; n < 8; n++) {
        bipe_word_cache c = {0};
        CHECK(bipe_word_cache_open(&c) == 0);
        bipe_alloc_fail_at(n);
        for (size_t i = 0; i < WORDS / 4; i++) {
            bipe_word_cache_add(&c, words[i].text, words[i].size, words[i].token, words[i].count);
            look_up(&c, &words[i]);
        }
        bipe_alloc_fail_at(-1);
        bipe_word_cache_free(&c);
    }
}

int main(void)
{
    make_words();
    test_put_and_find();
    test_store();
    test_too_many();
    test_many();
    test_look_up();
    test_memory();
    return test_result();
}
