/* blocks_ternary.c - block types of -1, 0 and 1 times a scale d: TQ1_0 and TQ2_0. */
#include "format/blocks.h"

/* `size` bytes with `digits` values each: the first digit to base 3 of each byte, then the second of each, ... A byte
 * is a fraction of 256, so that a digit is what three times it carries. */
static inline float *read_digits(const uint8_t *restrict bytes, int size, int digits, float d, float *restrict to)
{
    static const uint8_t power[5] = {1, 3, 9, 27, 81};
    for (int digit = 0; digit < digits; digit++, to += size)
        for (int i = 0; i < size; i++)
            to[i] = d * (float)(((bytes[i] * power[digit] & 255) * 3 >> 8) - 1);
    return to;
}

/* 52 bytes of digits, d. */
static void tq1_0(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block + 52);
    to = read_digits(block, 32, 5, d, to);
    to = read_digits(block + 32, 16, 5, d, to);
    read_digits(block + 48, 4, 4, d, to);
}
BIPE_BLOCK_READER(tq1_0, 256, 54)

/* 64 bytes, of which each 32 hold 4 runs of codes, d: d * (q - 1), where q can be 3. */
static void tq2_0(const uint8_t *restrict block, float *restrict to)
{
    float d = bipe_half_at(block + 64);
    for (int run = 0; run < 8; run++, to += 32)
        for (int i = 0; i < 32; i++)
            to[i] = d * (float)((block[run / 4 * 32 + i] >> run % 4 * 2 & 3) - 1);
}
BIPE_BLOCK_READER(tq2_0, 256, 66)
