/* test_vocabulary.c - strings made findable at once, against one by one. */
#include <config.h>

#include <string.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "token/vocabulary.h"

enum { MOST = 500 };

/* Of few letters, so that some come twice; some are empty. */
static size_t make_text(uint64_t *random, uint8_t text[8])
{
    size_t size = (size_t)(test_random(random) % 7);
    for (size_t i = 0; i < size; i++)
        text[i] = (uint8_t)('a' + test_random(random) % 3);
    return size;
}

static void test_round(uint64_t *random)
{
    static uint8_t room[MOST][8];
    size_t size[MOST], count = (size_t)(test_random(random) % MOST);
    bipe_vocabulary one = {0}, all = {0};
    bipe_error err = {0};
    for (uint32_t i = 0; i < count; i++) {
        size[i] = make_text(random, room[i]);
        CHECK(bipe_vocabulary_append(&one, room[i], size[i], &err) == BIPE_OK &&
              bipe_vocabulary_append(&all, room[i], size[i], &err) == BIPE_OK);
        CHECK(size[i] == 0 || bipe_vocabulary_index(&one, i) != BIPE_NO_PIECE);
    }
    CHECK(bipe_vocabulary_index_all(&all) == 0 && all.used == one.used);
    for (size_t i = 0; i < MOST; i++) {
        size[i] = make_text(random, room[i]);
        CHECK(bipe_vocabulary_find(&one, room[i], size[i]) == bipe_vocabulary_find(&all, room[i], size[i]));
    }
    bipe_vocabulary_free(&one);
    bipe_vocabulary_free(&all);
}

/* Nothing is found where nothing is, and a lack of memory is reported. */
static void test_edges(void)
{
    bipe_vocabulary v = {0};
    bipe_error err = {0};
    CHECK(bipe_vocabulary_find(&v, "a", 1) == BIPE_NO_PIECE && bipe_vocabulary_append(&v, "a", 1, &err) == BIPE_OK);
    bipe_alloc_fail_at(0);
    CHECK(bipe_vocabulary_index_all(&v) == -1);
    bipe_alloc_fail_at(-1);
    CHECK(bipe_vocabulary_index_all(&v) == 0);
    CHECK(bipe_vocabulary_find(&v, "a", 1) == 0);
    bipe_vocabulary_free(&v);
}

int main(void)
{
    uint64_t random = 3;
    for (int round = 0; round < test_rounds(200); round++)
        test_round(&random);
    test_edges();
    return test_result();
}
