/* test_set_aside.c - text that waits with its places against a list that holds it whole, through memory and temporary files. */
#include "base/alloc.h"
#include "tests/check.h"
#include "token/pipeline/pipeline.h"

/* Places as steps make them: each byte for one, several for one, one for several, or for nothing. */
static void add_text(bipe_mapped *text, size_t size, uint32_t *place, uint64_t *random)
{
    while (text->size < size) {
        size_t n = 1 + test_random(random) % 4, times = 1 + test_random(random) % (test_random(random) % 8 == 0 ? 3000 : 3);
        uint32_t more = test_random(random) % 500 == 0 ? 100000 : (uint32_t)(test_random(random) % 4);
        for (size_t k = 0; k < times; k++) {
            CHECK(bipe_mapped_put(text, " \t\xC2\xA0", n, *place, *place + more, NULL) == BIPE_OK);
            *place += more;
        }
    }
}

/* Now and then places are counted from a later one on. */
static void move(bipe_set_aside *aside, uint32_t *moved, uint64_t *random)
{
    if (test_random(random) % 4 != 0 || !bipe_set_aside_waits(aside))
        return;
    uint32_t delta = (uint32_t)(test_random(random) % (bipe_set_aside_first(aside) + 1));
    bipe_set_aside_move(aside, delta);
    *moved += delta;
}

/* Puts a text there and takes it back. */
static void run(bipe_set_aside *aside, size_t size, uint64_t *random)
{
    bipe_mapped text = {0}, piece = {0};
    bipe_error err = {0};
    uint32_t place = (uint32_t)(test_random(random) % 1000), moved = 0;
    size_t wrong = 0, given = 0;
    add_text(&text, size, &place, random);
    for (size_t at = 0, n; at < text.size; at += n) {
        n = test_random(random) % 5000;
        n = n < text.size - at ? n : text.size - at;
        piece.size = 0;
        CHECK(bipe_mapped_copy(&piece, &text, at, at + n, &err) == BIPE_OK);
        bipe_mapped_move(&piece, moved);
        CHECKF(bipe_set_aside_put(aside, &piece, 0, n, &err) == BIPE_OK, "%s", err.text);
        CHECK(at + n == 0 || bipe_set_aside_first(aside) == text.start[0] - moved);
        move(aside, &moved, random);
    }
    while (bipe_set_aside_waits(aside)) {
        piece.size = 0;
        CHECK(bipe_set_aside_first(aside) <= text.start[given] - moved);
        CHECKF(bipe_set_aside_give(aside, 1 + test_random(random) % 9000, &piece, &err) == BIPE_OK, "%s", err.text);
        for (size_t i = 0; i < piece.size; i++, given++)
            wrong += given >= text.size || piece.text[i] != text.text[given] || piece.start[i] != text.start[given] - moved ||
                     piece.end[i] != text.end[given] - moved;
        move(aside, &moved, random);
    }
    CHECK_UINT(given, text.size);
    CHECK_UINT(wrong, 0);
    bipe_mapped_free(&text);
    bipe_mapped_free(&piece);
}

static void test_no_memory(void)
{
    bipe_mapped text = {0}, out = {0};
    uint64_t random = 5;
    uint32_t place = 0;
    add_text(&text, 200000, &place, &random);
    bool done = false;
    for (long n = 0; !done && n < 1000; n++) {
        bipe_set_aside aside = {0};
        out.size = 0;
        bipe_alloc_fail_at(n);
        int status = bipe_set_aside_put(&aside, &text, 0, text.size, NULL);
        while (status == BIPE_OK && bipe_set_aside_waits(&aside))
            status = bipe_set_aside_give(&aside, 50000, &out, NULL);
        bipe_alloc_fail_at(-1);
        done = status == BIPE_OK;
        CHECK(done || status == BIPE_ERR_MEMORY);
        bipe_set_aside_free(&aside);
        bipe_mapped_free(&out);
    }
    CHECK(done);
    bipe_mapped_free(&text);
}

int main(void)
{
    uint64_t random = 3;
    bipe_set_aside aside = {0};
    for (int round = 0; round < test_rounds(60); round++)
        run(&aside, test_random(&random) % (round % 6 == 0 ? 400000 : 3000), &random);
    run(&aside, 400000, &random);
    bipe_set_aside_free(&aside);
    test_no_memory();
    return test_result();
}
