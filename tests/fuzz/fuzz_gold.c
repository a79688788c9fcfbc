/* fuzz_gold.c - reference segments of bipe-stats --gold from anywhere, and a text of any bytes, which follows a NUL,
 * that is compared with them. */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "tests/fuzz/memory_file.h"
#include "tools/stats/stats_gold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text has a boundary after each of so many bytes, and at its end. */
enum { STEP = 7, MOST = 1 << 12 };

static int feed(stats_judge *judge, const uint8_t *text, size_t from, size_t to, size_t size, bipe_error *err)
{
    static uint64_t boundary[MOST / STEP + 2];
    const uint64_t *const boundaries[] = {boundary};
    size_t count = 0;
    for (size_t at = from + 1; at <= to; at++)
        if (at % STEP == 0 || at == size)
            boundary[count++] = at;
    const bipe_batch batch = {.bytes = text + from, .byte_count = to - from, .byte_offset = from,
                              .boundaries = boundaries, .boundary_count = &count, .last = to == size};
    return stats_judge_feed(judge, &batch, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const specs[] = {"a"};
    const uint8_t *end = memchr(data, '\0', size), *text = end != NULL ? end + 1 : data + size;
    size_t length = (size_t)(data + size - text), middle = length / 2;
    bipe_error err;
    stats_misses misses = {0};
    bipe_agreement value[BIPE_AGREEMENT_COUNT];
    if (size != 0 && strchr("\x1F\x28\xFD", data[0]) != NULL) /* compressed input is the business of fuzz_input */
        return 0;
    length = length < MOST ? length : MOST;
    middle = middle < length ? middle : length;
    while (middle < length && (text[middle] & 0xC0) == 0x80)
        middle++;
    const char *path = memory_file(data, (size_t)((end != NULL ? end : data + size) - data));
    stats_judge *judge = stats_judge_open(specs, 1, 3);
    if (stats_judge_file(judge, "text", 0, path, &err) == BIPE_OK && stats_judge_begin(judge, 0, &err) == BIPE_OK &&
        (middle == length || feed(judge, text, 0, middle, length, &err) == BIPE_OK) &&
        feed(judge, text, middle == length ? 0 : middle, length, length, &err) == BIPE_OK) {
        if (stats_judge_find(judge, 0, value))
            for (size_t id = 0; id < BIPE_AGREEMENT_COUNT; id++)
                if (value[id].sum > value[id].weight)
                    abort();
        if (stats_judge_collect(judge, &err) != BIPE_OK)
            abort();
        stats_judge_end_file(judge, 1, &misses, &err);
    }
    stats_misses_free(&misses);
    stats_judge_close(judge);
    return 0;
}
