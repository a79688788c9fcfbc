/* fuzz_input.c - any bytes as a compressed input: no crash, and the same text through small buffers as through large
 * ones. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "base/input.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 18 };

typedef struct result {
    uint8_t bytes[MOST];
    size_t size;
    int status;
    bool cut; /* there was more */
} result;

static void read_all(const char *path, const char *buffer_size, size_t capacity, result *r)
{
    bipe_input *input;
    bipe_error err = {BIPE_OK, ""};
    setenv("BIPE_BUFFER_SIZE", buffer_size, 1);
    r->size = 0;
    r->cut = false;
    r->status = bipe_input_open(&input, path, &err);
    if (r->status != BIPE_OK)
        abort();
    for (size_t n = 1; n > 0 && r->status == BIPE_OK; r->size += n) {
        size_t room = MOST - r->size < capacity ? MOST - r->size : capacity;
        if (room == 0) {
            r->cut = true;
            break;
        }
        r->status = bipe_input_read(input, r->bytes + r->size, room, &n, &err);
        if (n > room || (r->status != BIPE_OK && (n != 0 || strncmp(err.text, path, strlen(path)) != 0)))
            abort();
    }
    bipe_input_close(input);
}

/* libFuzzer takes an allocation of gigabytes, which a zstd header of a few bytes may ask for, for a bug. */
static bool asks_for_much(const uint8_t *p, size_t size)
{
    for (size_t i = 0; i + 6 <= size; i++)
        if (memcmp(p + i, "\x28\xB5\x2F\xFD", 4) == 0 &&
            ((p[i + 4] & 0x20) != 0 ? p[i + 4] >= 0x80 : p[i + 5] >> 3 > 16))
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static result large, small;
    if (asks_for_much(data, size))
        return 0;
    const char *path = memory_file(data, size);
    read_all(path, "4096", MOST, &large);
    read_all(path, "1", 1 + size % 300, &small);
    /* How much is decoded before an error may differ; that there is one may not. */
    size_t both = large.size < small.size ? large.size : small.size;
    if (memcmp(large.bytes, small.bytes, both) != 0)
        abort();
    if (!large.cut && !small.cut &&
        ((large.status == BIPE_OK) != (small.status == BIPE_OK) ||
         (large.status == BIPE_OK && large.size != small.size)))
        abort();
    return 0;
}
