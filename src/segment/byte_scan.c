/* byte_scan.c - prepares sets of bytes, chooses a finder; the plain finder. Vector code is in byte_scan_*.c. */
#include "segment/byte_scan.h"

/* A store for each byte and no branch that depends on the text. */
size_t bipe_byte_find_plain(const bipe_byte_scan *scan, const uint8_t *bytes, size_t size, uint64_t first,
                            uint64_t *offset)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        offset[n] = first + i;
        n += scan->member[bytes[i]];
    }
    return n;
}

static bool always_usable(void)
{
    return true;
}

const bipe_byte_finder bipe_byte_finders[] = {
#ifdef BIPE_BYTE_SCAN_X86
    {.name = "avx512-vbmi2", .usable = bipe_byte_vbmi2_usable, .find = bipe_byte_find_vbmi2},
    {.name = "avx512", .usable = bipe_byte_avx512_usable, .find = bipe_byte_find_avx512},
    {.name = "avx2", .usable = bipe_byte_avx2_usable, .find = bipe_byte_find_avx2},
    {.name = "ssse3", .usable = bipe_byte_ssse3_usable, .find = bipe_byte_find_ssse3},
#endif
#ifdef BIPE_BYTE_SCAN_NEON
    {.name = "neon", .usable = always_usable, .find = bipe_byte_find_neon},
#endif
    {.name = "plain", .usable = always_usable, .find = bipe_byte_find_plain},
    {.name = NULL},
};

void bipe_byte_scan_prepare(bipe_byte_scan *scan, const bipe_byte_set *set)
{
    *scan = (bipe_byte_scan){.only_ascii = true};
    for (unsigned b = 0; b < 256; b++) {
        if ((set->word[b / 64] >> b % 64 & 1) == 0)
            continue;
        scan->member[b] = 1;
        scan->only_ascii = scan->only_ascii && b < 128;
        uint8_t *half = b < 128 ? scan->low : scan->high;
        half[b % 16] = (uint8_t)(half[b % 16] | 1u << b / 16 % 8);
    }
    const bipe_byte_finder *finder = bipe_byte_finders;
    while (!finder->usable())
        finder++;
    scan->find = finder->find;
}
