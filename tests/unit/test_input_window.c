/* test_input_window.c - what decompressing takes, of headers put together by hand, whole, short and hostile. */
#include "config.h"

#include "base/input_window.h"
#include "tests/check.h"
#include "tests/scratch.h"

#define XZ "\xFD" "7zXZ\0\0\4...."

static uint64_t window_of(const void *head, size_t size, size_t file_size)
{
    uint8_t *file = calloc(1, file_size);
    memcpy(file, head, size < file_size ? size : file_size);
    uint64_t window = bipe_input_window(scratch_write("file", file, file_size));
    free(file);
    return window;
}

static void test_headers(void)
{
    static const struct {
        const char *head;
        size_t size;
        uint64_t window;
    } cases[] = {
        {"\x28\xB5\x2F\xFD\x04\x58", 6, 2 << 20},                               /* a window of 2^21 bytes */
        {"\x28\xB5\x2F\xFD\x04\x5B", 6, (2 << 20) + 3 * (2 << 17)},             /* and three eighths of it */
        {"\x28\xB5\x2F\xFD\xA4\x00\x00\x10\x00", 9, 1 << 20},                   /* one segment, its size in four
                                                                                   bytes, */
        {"\x28\xB5\x2F\xFD\x64\x10\x01", 7, 0x110 + 256},                       /* in two, */
        {"\x28\xB5\x2F\xFD\x24\x07", 6, 7},                                     /* in one, */
        {"\x28\xB5\x2F\xFD\xE7....\x00\x00\x20\x00\x00\x00\x00\x00", 17, 2 << 20},
        /* in eight after the number of a dictionary */
        {XZ "\2\0\x21\1\x10", 17, 1 << 20},
        {XZ "\2\0\x21\1\x13", 17, 3 << 20},
        {XZ "\3\xC0\x80\x01\x05\x21\1\x10", 20, 1 << 20},                       /* after two sizes */
        {XZ "\3\1\x04\0\x21\1\x10", 19, 1 << 20},                               /* after another filter */
        {XZ "\2\0\x04\0", 16, 0},                                               /* which is the only one */
        {XZ "\0", 13, 0},                                                       /* no block */
        {XZ "\3\1\x04\xFF\xFF\xFF\x7F", 19, 0},                                 /* a filter with much to say */
        {XZ "\3\xC0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 24, 0},
        {"plain text", 10, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECKF(window_of(cases[i].head, cases[i].size, 1 << 20) == cases[i].window, "%zu", i);
    CHECK_UINT(window_of(XZ "\2\0\x21\1\xFF", 17, 1 << 20), 16 << 20); /* a small file has no use for more */
    CHECK_UINT(window_of("\x28\xB5\x2F\xFD\x04\xFF", 6, 1000), 16000);
    for (size_t size = 0; size < 64; size++)
        CHECK_UINT(window_of(cases[0].head, cases[0].size, size), 0);
    CHECK_UINT(bipe_input_window(scratch_path("absent")), 0);
    CHECK_UINT(bipe_input_window(scratch_path("")), 0);
    CHECK(mkfifo(scratch_path("fifo"), 0600) == 0);
    CHECK_UINT(bipe_input_window(scratch_path("fifo")), 0);
}

static void test_many(void)
{
    static const char *paths[1000];
    uint8_t file[200000] = "\x28\xB5\x2F\xFD\x04\x50";
    const char *packed = scratch_write("packed", file, sizeof file), *plain = scratch_write("plain", "text", 4);
    CHECK_UINT(bipe_input_windows(paths, 0), 0);
    for (size_t i = 0; i < 1000; i++)
        paths[i] = plain;
    CHECK_UINT(bipe_input_windows(paths, 1000), 0);
    paths[1] = packed;
    CHECK_UINT(bipe_input_windows(paths, 3), 1 << 20);
    paths[1] = plain;
    paths[777] = packed;
    CHECK_UINT(bipe_input_windows(paths, 1000), 1 << 20);
    for (size_t i = 0; i < 1000; i++)
        paths[i] = packed;
    CHECK_UINT(bipe_input_windows(paths, 1000), 1 << 20);
}

int main(void)
{
    test_headers();
    test_many();
    return test_result();
}
