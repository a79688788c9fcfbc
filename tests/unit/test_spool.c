/* test_spool.c - what was appended is read back, from memory, from the file and across both. */
#include "config.h"

#include "base/alloc.h"
#include "base/spool.h"
#include "tests/check.h"
#include "tests/scratch.h"

enum { TOTAL = 300000 };

static uint8_t bytes[TOTAL], got[TOTAL];

static void fill(bipe_spool *spool, uint64_t *seed)
{
    bipe_error err;
    for (size_t at = 0; at < TOTAL;) {
        size_t n = test_random(seed) % (test_random(seed) % 5 == 0 ? 100000 : 100);
        n = n < TOTAL - at ? n : TOTAL - at;
        CHECK(bipe_spool_append(spool, bytes + at, n, &err) == BIPE_OK);
        at += n;
        CHECK_UINT(bipe_spool_size(spool), at);
        size_t from = (size_t)(test_random(seed) % (at + 1)), size = (size_t)(test_random(seed) % (at - from + 1));
        CHECK(bipe_spool_read(spool, from, got, size, &err) == BIPE_OK && memcmp(got, bytes + from, size) == 0);
    }
}

static void test_limit(size_t limit)
{
    bipe_spool *spool;
    bipe_error err;
    uint64_t seed = 11 + limit;
    CHECK(bipe_spool_open(&spool, limit, &err) == BIPE_OK);
    fill(spool, &seed);
    CHECK(bipe_spool_read(spool, TOTAL, got, 1, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_spool_read(spool, UINT64_MAX, got, 2, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_spool_read(spool, TOTAL, got, 0, &err) == BIPE_OK);
    bipe_spool_truncate(spool, 0);
    CHECK_UINT(bipe_spool_size(spool), 0);
    CHECK(bipe_spool_read(spool, 0, got, 1, &err) == BIPE_ERR_ARGUMENT);
    fill(spool, &seed);
    bipe_spool_close(spool);
    bipe_spool_close(NULL);
}

static void test_no_folder(void)
{
    bipe_spool *spool;
    bipe_error err;
    char *saved = getenv("TMPDIR") != NULL ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", scratch_path("absent"), 1);
    CHECK(bipe_spool_open(&spool, 10, &err) == BIPE_OK);
    CHECK(bipe_spool_append(spool, bytes, 10, &err) == BIPE_OK);
    CHECK(bipe_spool_append(spool, bytes, 1, &err) == BIPE_ERR_IO);
    CHECK(strstr(err.text, "absent") != NULL);
    bipe_spool_close(spool);
    setenv("TMPDIR", scratch_path(""), 1);
    CHECK(bipe_spool_open(&spool, 0, &err) == BIPE_OK);
    CHECK(bipe_spool_append(spool, bytes, TOTAL, &err) == BIPE_OK);
    CHECK_UINT(scratch_count(), 0);
    bipe_spool_close(spool);
    if (saved != NULL)
        setenv("TMPDIR", saved, 1);
    else
        unsetenv("TMPDIR");
    free(saved);
}

static void test_no_memory(void)
{
    int status = BIPE_ERR_MEMORY;
    long n;
    for (n = 0; status != BIPE_OK && n < 50; n++) {
        bipe_spool *spool;
        bipe_error err;
        bipe_alloc_fail_at(n);
        status = bipe_spool_open(&spool, 1000, &err);
        for (size_t at = 0; at < TOTAL && status == BIPE_OK; at += 500)
            status = bipe_spool_append(spool, bytes + at, 500, &err);
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || status == BIPE_ERR_MEMORY);
        bipe_spool_close(spool);
    }
    CHECK(n > 4 && n < 50);
}

int main(void)
{
    uint64_t seed = 3;
    for (size_t i = 0; i < TOTAL; i++)
        bytes[i] = (uint8_t)test_random(&seed);
    test_no_folder();
    test_limit(0);
    test_limit(1);
    test_limit(65536);
    test_limit(100001);
    test_limit(SIZE_MAX);
    test_no_memory();
    return test_result();
}
