/* regex_filter_neon.c - the scanner of filters for 64-bit ARM. It works as those for x86 do (regex_filter_x86.c); of 64 answers, each is
 * made the bit that it has in its byte of the word, and neighbours are added up three times. */
#include "text/regex_filter.h"

#ifdef BIPE_REGEX_FILTER_NEON
#include <arm_neon.h>

static const uint8_t columns[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

void bipe_regex_scan_neon(const bipe_regex_filter *filter, const uint8_t *at, size_t words, uint64_t *bits)
{
    const uint8x16_t column = vld1q_u8(columns);
    for (size_t w = 0; w < words; w++)
        bits[w] = ~UINT64_C(0);
    for (int k = 0; k < BIPE_REGEX_REACH; k++) {
        if (filter->kind[k] == BIPE_REGEX_ALL)
            continue;
        const uint8x16_t low = vld1q_u8(filter->low[k]), high = vld1q_u8(filter->high[k]);
        const uint8x16_t one = vdupq_n_u8(filter->pair[k][0]), two = vdupq_n_u8(filter->pair[k][1]);
        const bool is_pair = filter->kind[k] == BIPE_REGEX_PAIR;
        for (size_t w = 0; w < words; w++) {
            uint8x16_t answer[4];
            for (size_t i = 0; i < 4; i++) {
                uint8x16_t bytes = vld1q_u8(at + k - BIPE_REGEX_BEFORE + 64 * w + 16 * i);
                if (is_pair) {
                    answer[i] = vorrq_u8(vceqq_u8(bytes, one), vceqq_u8(bytes, two));
                } else {
                    /* An index from 16 on gives 0: of the two rows one at most is looked up. */
                    uint8x16_t lower = vandq_u8(bytes, vdupq_n_u8(0x8F));
                    uint8x16_t row = vorrq_u8(vqtbl1q_u8(low, lower), vqtbl1q_u8(high, veorq_u8(lower, vdupq_n_u8(0x80))));
                    answer[i] = vtstq_u8(row, vqtbl1q_u8(column, vshrq_n_u8(bytes, 4)));
                }
                answer[i] = vandq_u8(answer[i], column);
            }
            uint8x16_t sum = vpaddq_u8(vpaddq_u8(answer[0], answer[1]), vpaddq_u8(answer[2], answer[3]));
            bits[w] &= vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
        }
    }
}
#else
/* Another machine: an empty file is no C. */
typedef int bipe_regex_filter_neon_is_empty;
#endif
