/* digits.h - writes decimal numbers into a buffer, eight digits at a time (SWAR). */
#ifndef BIPE_BASE_DIGITS_H
#define BIPE_BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

/* Bytes that writing a number may touch: it has 20 digits at most, and bytes after them may be overwritten. */
enum { BIPE_DIGITS_SIZE = 24 };

/* The digits of value < 10^8 in the bytes of a word, the first in the lowest; leading zeros, too. */
static inline uint64_t bipe_eight_digits(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007F0000007F);
    uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000F000F000F000F);
    return tens | (twos - 10 * tens) << 8;
}

/* Writes eight digits without the first `skip`; returns where they end. */
static inline uint8_t *bipe_write_digits(uint8_t *to, uint64_t digits, unsigned skip)
{
    uint64_t text = (digits >> 8 * skip) | UINT64_C(0x3030303030303030);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    text = __builtin_bswap64(text);
#endif
    memcpy(to, &text, sizeof text);
    return to + 8 - skip;
}

/* A number without leading zeros; returns where it ends. */
static inline uint8_t *bipe_write_uint(uint8_t *to, uint64_t value)
{
    const uint64_t eight = 100000000;
    uint64_t first = value;
    unsigned more = 0;
    for (; first >= eight; more++)
        first /= eight;
    uint64_t digits = bipe_eight_digits((uint32_t)first);
    to = bipe_write_digits(to, digits, (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8);
    if (more > 1)
        to = bipe_write_digits(to, bipe_eight_digits((uint32_t)(value / eight % eight)), 0);
    if (more > 0)
        to = bipe_write_digits(to, bipe_eight_digits((uint32_t)(value % eight)), 0);
    return to;
}

#endif
