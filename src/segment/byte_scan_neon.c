/* byte_scan_neon.c - the finder of bytes for 64-bit ARM. It works as those for x86 do (byte_scan_x86.c); a nibble of
 * each of 16 answers makes a word. */
#include "segment/byte_scan.h"

#ifdef BIPE_BYTE_SCAN_NEON
#include <arm_neon.h>
#include <string.h>

static const uint8_t columns[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

size_t bipe_byte_find_neon(const bipe_byte_scan *scan, const uint8_t *bytes, size_t size, uint64_t first,
                           uint64_t *offset)
{
    uint8x16_t low = vld1q_u8(scan->low), high = vld1q_u8(scan->high), column = vld1q_u8(columns);
    size_t n = 0;
    for (size_t i = 0; i < size; i += 16) {
        size_t left = size - i;
        uint8_t rest[16] = {0};
        if (left < 16)
            memcpy(rest, bytes + i, left);
        uint8x16_t b = vld1q_u8(left < 16 ? rest : bytes + i);
        /* An index from 16 on gives 0: of the two rows one at most is looked up. */
        uint8x16_t lower = vandq_u8(b, vdupq_n_u8(0x8F));
        uint8x16_t row = vorrq_u8(vqtbl1q_u8(low, lower), vqtbl1q_u8(high, veorq_u8(lower, vdupq_n_u8(0x80))));
        uint8x16_t member = vtstq_u8(row, vqtbl1q_u8(column, vshrq_n_u8(b, 4)));
        uint64_t word = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(member), 4)), 0);
        word &= UINT64_C(0x8888888888888888);
        if (left < 16)
            word &= ((uint64_t)1 << 4 * left) - 1;
        for (; word != 0; word &= word - 1)
            offset[n++] = first + i + (uint64_t)__builtin_ctzll(word) / 4;
    }
    return n;
}
#else
/* Another machine: an empty file is no C. */
typedef int bipe_byte_scan_neon_is_empty;
#endif
