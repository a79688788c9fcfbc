/* input_window.c - see input_window.h. By the formats' descriptions: RFC 8878, and that of the .xz file format. */
#include "base/input_window.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"

/* A text has at most RATIO times the bytes of its file, as far as memory goes. Where many files are looked at, those
 * that can hold no FEW bytes of text are not opened: where there are very many, they are small. */
enum { HEAD = 64, RATIO = 16, FEW = 1 << 18 };

static uint64_t read_little(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* The header of a frame: a window, or the size of a text that is one. */
static uint64_t zstd_window(const uint8_t *head)
{
    static const size_t id_size[] = {0, 1, 2, 4}, content_size[] = {1, 2, 4, 8};
    uint8_t flags = head[4];
    if ((flags & 0x20) == 0) {
        uint64_t base = UINT64_C(1) << (10 + (head[5] >> 3));
        return base + base / 8 * (head[5] & 7U);
    }
    size_t size = content_size[flags >> 6];
    return read_little(head + 5 + id_size[flags & 3], size) + (size == 2 ? 256 : 0);
}

/* A number of seven bits a byte; *at after it, or after all. */
static uint64_t xz_number(const uint8_t *head, size_t *at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < HEAD && shift < 63; shift += 7) {
        uint8_t byte = head[(*at)++];
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    *at = HEAD;
    return 0;
}

/* The header of the first block: the dictionary of LZMA2 among its filters. */
static uint64_t xz_window(const uint8_t *head)
{
    size_t at = 14;
    uint8_t flags = head[13];
    if (head[12] == 0) /* there is none */
        return 0;
    for (unsigned sizes = flags >> 6; sizes != 0; sizes &= sizes - 1)
        (void)xz_number(head, &at);
    for (unsigned filters = (flags & 3U) + 1; filters != 0 && at < HEAD; filters--) {
        uint64_t id = xz_number(head, &at), size = xz_number(head, &at);
        if (id == 0x21 && size == 1 && at < HEAD)
            return head[at] < 40 ? (uint64_t)(2 | (head[at] & 1)) << (head[at] / 2 + 11) : UINT32_MAX;
        at = size < HEAD - at ? at + (size_t)size : HEAD;
    }
    return 0;
}

/* The window of a file whose text may have `least` bytes; 0 for others. */
static uint64_t window_of(const char *path, uint64_t least)
{
    uint8_t head[HEAD] = {0};
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || (uint64_t)info.st_size < least / RATIO)
        return 0;
    int fd = bipe_descriptor_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0); /* it may be another by now */
    if (fd < 0)
        return 0;
    ssize_t n = bipe_descriptor_read(fd, head, sizeof head);
    close(fd);
    uint64_t window = 0, most = (uint64_t)info.st_size * RATIO;
    if (n == (ssize_t)sizeof head && memcmp(head, "\x28\xB5\x2F\xFD", 4) == 0)
        window = zstd_window(head);
    else if (n == (ssize_t)sizeof head && memcmp(head, "\xFD" "7zXZ", 6) == 0)
        window = xz_window(head);
    return window < most ? window : most;
}

uint64_t bipe_input_window(const char *path)
{
    return window_of(path, 0);
}

uint64_t bipe_input_windows(const char *const *path, size_t count)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t window = window_of(path[i], FEW);
        largest = window > largest ? window : largest;
    }
    return largest;
}
