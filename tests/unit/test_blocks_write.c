/* test_blocks_write.c - blocks that are written: values that a block can hold come back as they are, errors are within
 * what the codes of a type allow, and what is not finite does not become a number. tests/peers/block-writers compares
 * the bytes with ggml's. */
#include <math.h>
#include <stdbool.h>

#include "format/tensor.h"
#include "tests/check.h"

enum { MOST = 256, MOST_BYTES = 512 };

static double uniform(uint64_t *random)
{
    return (double)(test_random(random) % 2000001) / 1e6 - 1;
}

static void put16(uint8_t *bytes, unsigned value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

/* ---- values that blocks can hold ---- */

/* The 6 bits of a scale or minimum `k` of Q4_K and Q5_K, whose layout blocks_k.c has. */
static void put_six_bits(uint8_t *packed, int k, bool minimum, unsigned value)
{
    if (k < 4) {
        packed[k + 4 * minimum] = (uint8_t)((packed[k + 4 * minimum] & 0xC0) | value);
    } else {
        packed[k - 4 + 4 * minimum] = (uint8_t)((packed[k - 4 + 4 * minimum] & 0x3F) | value >> 4 << 6);
        packed[4 + k] = (uint8_t)(minimum ? (packed[4 + k] & 0x0F) | (value & 15) << 4
                                          : (packed[4 + k] & 0xF0) | (value & 15));
    }
}

/* A random block whose numbers a search must find again, since each part uses its whole range and one of the parts has
 * the largest scale and minimum. `d`: an f16. */
static void make_q4_k(uint8_t *block, unsigned d, bool fifth, uint64_t *random)
{
    put16(block, d);
    put16(block + 2, d);
    for (int k = 0; k < 8; k++) {
        put_six_bits(block + 4, k, false, k == 3 ? 63 : 20 + (unsigned)(test_random(random) % 44));
        put_six_bits(block + 4, k, true, k == 5 ? 63 : (unsigned)(test_random(random) % 64));
    }
    for (int i = 16; i < (fifth ? 176 : 144); i++)
        block[i] = (uint8_t)test_random(random);
    uint8_t *codes = block + (fifth ? 48 : 16); /* the first two codes of a part are the least and the greatest */
    for (int pair = 0; pair < 4; pair++)
        codes[32 * pair] = 0, codes[32 * pair + 1] = 0xFF;
    if (fifth)
        block[16] = 0, block[17] = 0xFF;
}

static void make_q6_k(uint8_t *block, unsigned d, uint64_t *random)
{
    for (int i = 0; i < 192; i++)
        block[i] = (uint8_t)test_random(random);
    for (int at = 0; at < 8; at++) { /* in each part the first code is -32, the largest magnitude */
        block[16 * at] = 0;
        block[128 + 16 * (at % 4)] = 0;
    }
    for (int part = 0; part < 16; part++)
        block[192 + part] = (uint8_t)(int8_t)(part == 7 ? -128 : 30 + (int)(test_random(random) % 98));
    put16(block + 208, d);
}

static void make_block(bipe_dtype dtype, uint8_t *block, uint64_t *random)
{
    unsigned d = 0x1C00 + (unsigned)(test_random(random) % 0x1000); /* 2^-8 to 2^-4 */
    size_t bytes = bipe_dtype_of(dtype)->bytes;
    for (size_t i = 0; i < bytes; i++)
        block[i] = (uint8_t)test_random(random);
    switch ((int)dtype) {
    case BIPE_Q8_0:
        for (int i = 2; i < 34; i++)
            block[i] = block[i] == 0x80 ? 0 : block[i]; /* -128 is not written */
        put16(block, d), block[9] = 0x81; /* -127 */
        break;
    case BIPE_Q4_0: put16(block, d), block[7] &= 0xF0; break; /* a code of 0 is the largest magnitude */
    case BIPE_Q5_0: put16(block, d), block[9] &= 0xF0, block[2] &= 0xF7; break; /* the same, of value 3 */
    case BIPE_Q5_1: /* d = m: sums are exact; code 0 of value 3, code 31 of value 4 */
        put16(block, d), put16(block + 2, d);
        block[11] &= 0xF0, block[12] |= 0x0F, block[4] = (uint8_t)((block[4] & 0xF7) | 0x10);
        break;
    case BIPE_Q4_K: make_q4_k(block, d, false, random); break;
    case BIPE_Q5_K: make_q4_k(block, d, true, random); break;
    case BIPE_Q6_K: make_q6_k(block, d, random); break;
    case BIPE_MXFP4: block[0] = (uint8_t)(100 + block[0] % 50), block[5] = (uint8_t)((block[5] & 0xF0) | 6); break;
    default: CHECKF(false, "%s: a type without blocks made here", bipe_dtype_name(dtype));
    }
}

static void test_again(bipe_dtype dtype)
{
    const bipe_dtype_row *row = bipe_dtype_of(dtype);
    uint64_t random = 88172645463325252u + dtype;
    for (int turn = 0; turn < test_rounds(300); turn++) {
        uint8_t made[MOST_BYTES], written[MOST_BYTES];
        float from[MOST], to[MOST];
        make_block(dtype, made, &random);
        row->read(made, from, row->values);
        row->write(from, written, row->values);
        row->read(written, to, row->values);
        for (uint32_t i = 0; i < row->values; i++)
            CHECKF(from[i] == to[i], "%s: block %d, value %u: %.9g, expected %.9g", row->name, turn, i, (double)to[i],
                   (double)from[i]);
    }
}

/* ---- errors ---- */

/* The mean squared error of a plain quantiser in double: `levels` equal steps over the range of each part of `size`
 * values, or over twice its largest magnitude. */
static double plain_error(const float *x, int count, int size, int levels, bool range)
{
    double sum = 0;
    for (int part = 0; part < count; part += size) {
        double low = 0, high = 0;
        for (int i = part; i < part + size; i++) {
            low = fmin(low, (double)x[i]);
            high = fmax(high, (double)x[i]);
        }
        if (!range)
            low = -fmax(-low, high), high = -low;
        double step = (high - low) / levels;
        for (int i = part; i < part + size && step > 0; i++)
            sum += pow(low + step * round(((double)x[i] - low) / step) - (double)x[i], 2);
    }
    return sum / count;
}

/* Values of one size: a searched scale must do better than steps over the whole range, in spite of its rounding to a
 * few bits; one that is not searched must do about as well. */
static void test_errors(bipe_dtype dtype, int size, int levels, bool range, double factor)
{
    const bipe_dtype_row *row = bipe_dtype_of(dtype);
    uint64_t random = 362436069u + dtype;
    double total = 0, plain = 0;
    for (int turn = 0; turn < 200; turn++) {
        float from[MOST], to[MOST];
        uint8_t blocks[MOST_BYTES];
        double sum = 0, scale = pow(2, (double)(test_random(&random) % 12) - 4); /* so that units are no small f16 */
        for (int i = 0; i < MOST; i++)
            from[i] = (float)((uniform(&random) + uniform(&random) + uniform(&random)) * scale);
        row->write(from, blocks, MOST);
        row->read(blocks, to, MOST);
        for (int i = 0; i < MOST; i++)
            sum += pow((double)to[i] - (double)from[i], 2);
        total += sum / MOST / (scale * scale);
        plain += plain_error(from, MOST, size, levels, range) / (scale * scale);
    }
    CHECKF(total < factor * plain && total > 0.2 * plain, "%s: %g times the error of plain steps", row->name,
           total / plain);
}

/* ---- others ---- */

/* Zeros stay zeros, NaN and infinities do not become numbers, and each block is written by itself. */
static void test_odd(bipe_dtype dtype)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    const bipe_dtype_row *row = bipe_dtype_of(dtype);
    float from[3 * MOST] = {0}, to[3 * MOST];
    uint8_t blocks[3 * MOST_BYTES], one[MOST_BYTES];
    uint32_t n = row->values;
    row->write(from, blocks, n);
    row->read(blocks, to, n);
    for (uint32_t i = 0; i < n; i++)
        CHECKF(to[i] == 0, "%s: %g, expected 0", row->name, (double)to[i]);
    uint64_t random = 521288629u;
    for (uint32_t i = 0; i < 3 * n; i++)
        from[i] = (float)uniform(&random);
    for (size_t k = 0; k < 3; k++) {
        from[n + 3] = odd[k];
        memset(blocks, 0xA5, sizeof blocks);
        row->write(from, blocks, 3 * n);
        CHECK_UINT(blocks[3 * row->bytes], 0xA5);
        row->write(from + 2 * n, one, n);
        CHECK(memcmp(one, blocks + 2 * row->bytes, row->bytes) == 0);
        row->read(blocks, to, 3 * n);
        for (uint32_t i = 0; i < 3 * n; i++)
            CHECKF((isfinite(to[i]) != 0) == (i / n != 1) || (dtype == BIPE_MXFP4 && i / n == 1), "%s: value %u is %g",
                   row->name, i, (double)to[i]);
        CHECK(!isfinite(to[n + 3]));
    }
}

int main(void)
{
    static const struct {
        bipe_dtype dtype;
        int size, levels; /* of the plain quantiser */
        bool range;
        double factor;
    } types[] = {
        {BIPE_Q8_0, 32, 254, false, 1.01}, {BIPE_Q4_0, 32, 15, false, 0.95}, {BIPE_Q5_0, 32, 31, false, 0.97},
        {BIPE_Q5_1, 32, 31, true, 1.01}, {BIPE_Q4_K, 32, 15, true, 0.85}, {BIPE_Q5_K, 32, 31, true, 0.93},
        {BIPE_Q6_K, 16, 63, false, 0.9}, {BIPE_MXFP4, 32, 12, false, 1.3},
    };
    size_t known = 0;
    for (size_t i = 0; bipe_dtype_of(i) != NULL; i++)
        known += bipe_dtype_of(i)->write != NULL && bipe_dtype_of(i)->values > 1;
    CHECK_UINT(known, sizeof types / sizeof types[0]);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        test_again(types[i].dtype);
        test_errors(types[i].dtype, types[i].size, types[i].levels, types[i].range, types[i].factor);
        test_odd(types[i].dtype);
    }
    return test_result();
}
