/* regex_filter.c - prepares filters, chooses a scanner, and holds the plain one. Vector code is in regex_filter_*.c. */
#include "text/regex_filter.h"

void bipe_regex_scan_plain(const bipe_regex_filter *filter, const uint8_t *at, size_t words, uint64_t *bits)
{
    const uint8_t *member = filter->member;
    for (size_t w = 0; w < words; w++, at += 64) {
        uint64_t word = 0;
        for (int i = 0; i < 64; i++) {
            unsigned in = 1;
            for (int k = 0; k < BIPE_REGEX_REACH; k++)
                in &= member[at[i + k - BIPE_REGEX_BEFORE]] >> k;
            word |= (uint64_t)(in & 1) << i;
        }
        bits[w] = word;
    }
}

static bool always(void)
{
    return true;
}

const bipe_regex_scanner bipe_regex_scanners[] = {
#ifdef BIPE_REGEX_FILTER_X86
    {.name = "avx512", .usable = bipe_regex_avx512_usable, .scan = bipe_regex_scan_avx512},
    {.name = "avx2", .usable = bipe_regex_avx2_usable, .scan = bipe_regex_scan_avx2},
#endif
#ifdef BIPE_REGEX_FILTER_NEON
    {.name = "neon", .usable = always, .scan = bipe_regex_scan_neon},
#endif
    {.name = "plain", .usable = always, .scan = bipe_regex_scan_plain},
    {.name = NULL},
};

void bipe_regex_filter_prepare(bipe_regex_filter *filter)
{
    for (unsigned k = 0; k < BIPE_REGEX_REACH; k++) {
        unsigned count = 0, last = 0;
        for (unsigned b = 0; b < 256; b++) {
            if ((filter->member[b] >> k & 1) == 0)
                continue;
            uint8_t *half = b < 128 ? filter->low[k] : filter->high[k];
            half[b % 16] = (uint8_t)(half[b % 16] | 1u << b / 16 % 8);
            filter->pair[k][count > 0] = (uint8_t)b;
            filter->pair[k][1] = (uint8_t)b;
            last = b;
            count++;
        }
        filter->kind[k] = count == 256              ? BIPE_REGEX_ALL
                          : count == 1 || count == 2 ? BIPE_REGEX_PAIR
                          : last < 128               ? BIPE_REGEX_LOWER
                                                     : BIPE_REGEX_ANY;
    }
    const bipe_regex_scanner *scanner = bipe_regex_scanners;
    while (!scanner->usable())
        scanner++;
    filter->scan = scanner->scan;
}

double bipe_regex_filter_share(const bipe_regex_filter *filter, unsigned k)
{
    double sum = 0;
    for (unsigned b = 0; b < 256; b++)
        if ((filter->member[b] >> k & 1) != 0)
            sum += b == ' ' ? 0.17 : b == 'e' ? 0.1 : b >= 'a' && b <= 'z' ? 0.026 : b >= 'A' && b <= 'Z' ? 0.0015
                   : b == '\n' ? 0.02 : b >= '0' && b <= '9' ? 0.001 : b == '.' || b == ',' ? 0.01 : 0.0004;
    return sum;
}
