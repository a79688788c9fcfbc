/* test_window_counter.c - windows of many lengths in one pass, against each length counted by itself from a list of
 * tokens. */
#include <stdbool.h>

#include "base/alloc.h"
#include "measure/window_counter.h"
#include "tests/check.h"

enum { MOST = 40 };

/* The plain way: cut the list into windows of `length`, count each. */
static void count_plainly(const uint8_t *closes, size_t count, uint64_t length, bool whole, bipe_tally_row *row)
{
    bipe_error err;
    size_t windows = whole ? 1 : count / length;
    for (size_t w = 0; w < windows; w++) {
        size_t first = whole ? 0 : w * length, last = whole ? count : first + length, start = first, segments = 0;
        for (size_t k = first; k < last; k++)
            if (closes[k] || k + 1 == last) {
                CHECK(bipe_histogram_add(&row->tokens, k + 1 - start, 1, &err) == BIPE_OK);
                segments++;
                start = k + 1;
            }
        CHECK(bipe_histogram_add(&row->segments, segments, 1, &err) == BIPE_OK);
    }
}

static void check_same(const bipe_histogram *got, const bipe_histogram *want)
{
    bipe_count *a = NULL, *b = NULL;
    size_t n = 0, m = 0;
    bipe_error err;
    CHECK(bipe_histogram_sorted(got, &a, &n, &err) == BIPE_OK && bipe_histogram_sorted(want, &b, &m, &err) == BIPE_OK);
    CHECK_UINT(got->total, want->total);
    CHECK_UINT(n, m);
    for (size_t i = 0; i < n && i < m; i++)
        CHECK(a[i].value == b[i].value && a[i].count == b[i].count);
    bipe_free(a);
    bipe_free(b);
}

/* Feeds tokens by whether each closes its segment. */
static int feed(bipe_window_counter *c, const uint8_t *closes, size_t count, bipe_error *err)
{
    uint32_t *number = calloc(count + 1, sizeof *number);
    size_t n = 0;
    for (size_t k = 0; k < count; k++)
        if (closes[k] != 0)
            number[n++] = (uint32_t)k;
    int status = bipe_window_counter_feed(c, count, n != 0 ? number : NULL, n, err);
    free(number);
    return status;
}

static void feed_in_pieces(bipe_window_counter *c, const uint8_t *closes, size_t count, uint64_t *state)
{
    bipe_error err;
    for (size_t at = 0; at < count;) {
        size_t n = 1 + test_random(state) % (test_random(state) % 4 == 0 ? 3000 : 50);
        n = n < count - at ? n : count - at;
        CHECK(feed(c, closes + at, n, &err) == BIPE_OK);
        at += n;
    }
}

static uint64_t tokens, segments; /* of the document that ended last */

static void test_random_documents(void)
{
    uint64_t state = 99;
    bipe_error err;
    for (int round = 0; round < 40; round++) {
        uint64_t lengths[MOST];
        size_t n = round == 7 ? 0 : 1 + test_random(&state) % MOST, documents = test_random(&state) % 6;
        for (size_t i = 0; i < n; i++)
            lengths[i] = round % 4 == 3 ? (uint64_t)(1 + round % 3) << test_random(&state) % 12
                                        : 1 + test_random(&state) % (round % 2 ? 30 : 2500);
        bipe_tally got = {0}, want = {0};
        bipe_window_counter *c;
        CHECK(bipe_window_counter_open(&c, lengths, n, &got, &err) == BIPE_OK);
        for (size_t i = 0; i < n; i++)
            CHECK(bipe_tally_row_at(&want, lengths[i]) != NULL);
        CHECK(bipe_tally_row_at(&want, BIPE_TALLY_DOCUMENT) != NULL);
        for (size_t d = 0; d < documents; d++) {
            size_t count = test_random(&state) % 4000;
            uint64_t rare = 1 + test_random(&state) % (test_random(&state) % 2 ? 1500 : 3);
            uint8_t *closes = calloc(count + 1, 1);
            for (size_t k = 0; k < count; k++)
                closes[k] = test_random(&state) % rare == 0;
            bipe_window_counter_begin(c);
            if (test_random(&state) % 3 == 0) { /* a document that breaks off leaves no trace */
                feed_in_pieces(c, closes, count / 2, &state);
                bipe_window_counter_begin(c);
            }
            feed_in_pieces(c, closes, count, &state);
            CHECK(bipe_window_counter_end(c, &tokens, &segments, &err) == BIPE_OK);
            size_t ends = count != 0 && !closes[count - 1];
            for (size_t k = 0; k < count; k++)
                ends += closes[k];
            CHECK(tokens == count && segments == ends);
            for (size_t r = 0; r < want.count; r++)
                count_plainly(closes, count, want.row[r].length, want.row[r].length == BIPE_TALLY_DOCUMENT,
                              &want.row[r]);
            free(closes);
        }
        CHECK_UINT(got.count, want.count);
        for (size_t r = 0; r < got.count && r < want.count; r++) {
            CHECK_UINT(got.row[r].length, want.row[r].length);
            check_same(&got.row[r].tokens, &want.row[r].tokens);
            check_same(&got.row[r].segments, &want.row[r].segments);
        }
        bipe_window_counter_close(c);
        bipe_tally_free(&got);
        bipe_tally_free(&want);
    }
}

/* Without lengths: 1024 and its doublings, as far as a document reaches. */
static void test_usual_lengths(void)
{
    bipe_tally tally = {0};
    bipe_window_counter *c;
    bipe_error err;
    uint8_t closes[5000] = {0};
    CHECK(bipe_window_counter_open(&c, NULL, 0, &tally, &err) == BIPE_OK);
    bipe_window_counter_begin(c);
    CHECK(feed(c, closes, 5000, &err) == BIPE_OK);
    CHECK(bipe_window_counter_end(c, &tokens, &segments, &err) == BIPE_OK);
    CHECK_UINT(tally.count, 4);
    CHECK(tally.row[0].length == 1024 && tally.row[1].length == 2048 && tally.row[2].length == 4096);
    CHECK(tally.row[3].length == BIPE_TALLY_DOCUMENT);
    CHECK(tally.row[0].segments.total == 4 && tally.row[1].segments.total == 2 && tally.row[2].segments.total == 1);
    bipe_window_counter_close(c);
    bipe_tally_free(&tally);
}

static void test_no_memory(void)
{
    uint8_t closes[3000];
    for (size_t i = 0; i < sizeof closes; i++)
        closes[i] = i % 7 == 0 || i % 1200 == 3;
    for (long n = 0;; n++) {
        bipe_tally tally = {0};
        bipe_window_counter *c = NULL;
        bipe_error err;
        bipe_alloc_fail_at(n);
        int status = bipe_window_counter_open(&c, NULL, 0, &tally, &err);
        if (status == BIPE_OK) {
            bipe_window_counter_begin(c);
            status = feed(c, closes, sizeof closes, &err);
            if (status == BIPE_OK)
                status = bipe_window_counter_end(c, &tokens, &segments, &err);
        }
        bipe_alloc_fail_at(-1);
        bipe_window_counter_close(c);
        bipe_tally_free(&tally);
        if (status == BIPE_OK) {
            CHECK(n > 8);
            return;
        }
        CHECK(status == BIPE_ERR_MEMORY);
    }
}

int main(void)
{
    test_random_documents();
    test_usual_lengths();
    test_no_memory();
    return test_result();
}
