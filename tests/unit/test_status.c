/* test_status.c - error texts, checked allocation and buffers. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "base/status.h"
#include "tests/check.h"

static void test_errors(void)
{
    bipe_error err;
    CHECK(bipe_fail(&err, BIPE_ERR_FORMAT, "byte %d: found %s", 7, "x") == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, "byte 7: found x");
    CHECK(bipe_error_prefix(&err, "%s", "a.bin") == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, "a.bin: byte 7: found x");
    CHECK(bipe_fail(NULL, BIPE_ERR_IO, "x") == BIPE_ERR_IO);
    bipe_fail(&err, BIPE_ERR_IO, "a\nb\033[2J\x7F\t\xC3\xA9");
    CHECK_TEXT(err.text, "a?b?[2J??\xC3\xA9");
    bipe_error_prefix(&err, "%s", "c\r");
    CHECK_TEXT(err.text, "c?: a?b?[2J??\xC3\xA9");

    bipe_fail(&err, BIPE_ERR_IO, "\xC2\x9B\x32J \xC2\xA0 \xC2\x80\xC2\x9F \xC2");
    CHECK_TEXT(err.text, "??2J \xC2\xA0 ???? \xC2");

    char long_text[2 * BIPE_ERROR_SIZE + 1];
    for (size_t i = 0; i + 1 < sizeof long_text; i += 2)
        memcpy(long_text + i, "\xC3\xA9", 2);
    long_text[sizeof long_text - 1] = '\0';
    bipe_fail(&err, BIPE_ERR_IO, "%s", long_text);
    CHECK(strlen(err.text) % 2 == 0 && strlen(err.text) >= BIPE_ERROR_SIZE - 4);
}

static void test_allocation(void)
{
    CHECK(bipe_alloc(SIZE_MAX / 2, 4) == NULL);
    CHECK(bipe_alloc_aligned(SIZE_MAX, 1) == NULL);
    void *p = bipe_alloc(0, 8);
    CHECK(p != NULL);
    bipe_free(p);
    float *a = bipe_alloc_aligned(3, sizeof *a);
    CHECK(a != NULL && (uintptr_t)a % 64 == 0);
    bipe_free(a);
    bipe_alloc_fail_at(1);
    p = bipe_alloc(1, 1);
    CHECK(p != NULL);
    CHECK(bipe_alloc(1, 1) == NULL);
    bipe_alloc_fail_at(-1);
    bipe_free(p);
}

static void test_buffers(void)
{
    bipe_buffer b = {0};
    bipe_error err;
    for (int i = 0; i < 1000; i++)
        CHECK(bipe_buffer_append(&b, "abc", 3, &err) == BIPE_OK);
    CHECK_UINT(b.size, 3000);
    bipe_buffer_consume(&b, 2998);
    CHECK(b.size == 2 && memcmp(b.data, "bc", 2) == 0);
    CHECK(bipe_buffer_printf(&b, &err, "%d", 12345) == BIPE_OK);
    CHECK(b.size == 7 && memcmp(b.data, "bc12345", 7) == 0);
    bipe_buffer_free(&b);
    bipe_alloc_fail_at(0);
    CHECK(bipe_buffer_append(&b, "x", 1, &err) == BIPE_ERR_MEMORY);
    bipe_alloc_fail_at(-1);
}

int main(void)
{
    test_errors();
    test_allocation();
    test_buffers();
    return test_result();
}
