/* test_dtype.c - every f16 and bf16 value against formulas in double, rounding at every midpoint, Q8_0 blocks. */
#include <stdbool.h>

#include "format/tensor.h"
#include "tests/check.h"

/* A small float format by the book: 1 sign bit, `exponent_bits`, the rest significand. */
static double small_float(uint16_t bits, int exponent_bits)
{
    int significand_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = bits >> significand_bits & ((1 << exponent_bits) - 1);
    double significand = bits & ((1 << significand_bits) - 1), sign = bits & 0x8000 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return significand != 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(significand, 1 - bias - significand_bits);
    return sign * ldexp(significand + ldexp(1, significand_bits), exponent - bias - significand_bits);
}

static uint16_t to_bits(bipe_dtype dtype, double x)
{
    float from = (float)x;
    uint16_t bits;
    bipe_dtype_from_f32(dtype, &from, &bits, 1);
    return bits;
}

static void test_small_floats(bipe_dtype dtype, int exponent_bits)
{
    /* all at once at an odd address, but for the last few */
    static uint8_t bytes[1 + 2 * 65536];
    static float values[65536];
    for (unsigned i = 0; i < 65536; i++) {
        bytes[1 + 2 * i] = (uint8_t)i;
        bytes[2 + 2 * i] = (uint8_t)(i >> 8);
    }
    bipe_dtype_to_f32(dtype, bytes + 1, values, 65536 - 3);
    bipe_dtype_to_f32(dtype, bytes + 1 + 2 * (65536 - 3), values + 65536 - 3, 3);
    unsigned long wrong = 0;
    for (unsigned i = 0; i < 65536; i++) {
        uint16_t bits = (uint16_t)i, back;
        double want = small_float(bits, exponent_bits);
        float got = values[i];
        bipe_dtype_from_f32(dtype, &got, &back, 1);
        if (isnan(want))
            wrong += !isnan(got) || !isnan(small_float(back, exponent_bits)) || (signbit(got) != 0) != (i >> 15 != 0);
        else
            wrong += got != want || (signbit(got) != 0) != (i >> 15 != 0) || back != bits;
    }
    CHECK_UINT(wrong, 0);

    /* Between each value and the next: the midpoint goes to the even one, what lies beside it to the nearer. */
    uint16_t top = (uint16_t)(((1 << exponent_bits) - 1) << (15 - exponent_bits)); /* infinity */
    for (unsigned i = 0; i + 1 < top; i++) {
        double low = small_float((uint16_t)i, exponent_bits), high = small_float((uint16_t)(i + 1), exponent_bits);
        double middle = low + (high - low) / 2;
        wrong += (float)middle != middle; /* f32 holds every midpoint */
        unsigned even = i & 1 ? i + 1 : i;
        wrong += to_bits(dtype, middle) != even || to_bits(dtype, -middle) != (even | 0x8000);
        wrong += to_bits(dtype, nextafterf((float)middle, 0)) != i;
        wrong += to_bits(dtype, nextafterf((float)middle, INFINITY)) != i + 1;
    }
    CHECK_UINT(wrong, 0);
    double last = small_float((uint16_t)(top - 1), exponent_bits);
    double step = last - small_float((uint16_t)(top - 2), exponent_bits);
    CHECK_UINT(to_bits(dtype, last + step / 2), top); /* the tie goes to the even one: infinity */
    CHECK_UINT(to_bits(dtype, nextafterf((float)(last + step / 2), 0)), top - 1u);
    CHECK_UINT(to_bits(dtype, INFINITY), top);
    CHECK_UINT(to_bits(dtype, -INFINITY), top | 0x8000u);
    CHECK(isnan(small_float(to_bits(dtype, NAN), exponent_bits)));
}

/* A NaN whose payload lies in the bits that are dropped must not become infinity. */
static void test_low_nan(void)
{
    uint32_t bits = 0x7F800001u;
    float x;
    uint16_t half, bfloat;
    memcpy(&x, &bits, sizeof x);
    bipe_dtype_from_f32(BIPE_F16, &x, &half, 1);
    bipe_dtype_from_f32(BIPE_BF16, &x, &bfloat, 1);
    CHECK(isnan(small_float(half, 5)));
    CHECK(isnan(small_float(bfloat, 8)));
}

static void test_f32(void)
{
    float from[3] = { 1.5f, -0.0f, NAN }, to[3];
    uint8_t odd[13];
    bipe_dtype_from_f32(BIPE_F32, from, odd + 1, 3);
    bipe_dtype_to_f32(BIPE_F32, odd + 1, to, 3);
    CHECK(memcmp(from, to, sizeof to) == 0);
    CHECK(odd[1] == 0 && odd[2] == 0 && odd[3] == 0xC0 && odd[4] == 0x3F); /* little-endian */
}

/* By the definition, in double where the reference has double's worth of freedom: the scale is the f32 quotient. */
static void test_q8(void)
{
    uint64_t random = 88172645463325252u;
    for (int turn = 0; turn < 2000; turn++) {
        float from[64], to[64];
        uint8_t blocks[68];
        double scale = pow(2, (double)(test_random(&random) % 40) - 20);
        for (int i = 0; i < 64; i++)
            from[i] = (float)(((double)(test_random(&random) % 2000001) / 1e6 - 1) * scale);
        if (turn == 0)
            memset(from, 0, sizeof from);
        bipe_dtype_from_f32(BIPE_Q8_0, from, blocks, 64);
        bipe_dtype_to_f32(BIPE_Q8_0, blocks, to, 64);
        for (int block = 0; block < 2; block++) {
            const float *x = from + 32 * block;
            const uint8_t *bytes = blocks + 34 * block;
            double largest = 0;
            for (int i = 0; i < 32; i++)
                largest = fabs((double)x[i]) > largest ? fabs((double)x[i]) : largest;
            float d = (float)largest / 127, inverse = d != 0 ? 1 / d : 0;
            uint16_t bits = (uint16_t)(bytes[0] | bytes[1] << 8);
            CHECK_UINT(bits, to_bits(BIPE_F16, (double)d));
            for (int i = 0; i < 32; i++) {
                int q = (int8_t)bytes[2 + i];
                CHECK_NEAR(q, round((double)(x[i] * inverse)), 0);
                CHECK_NEAR(to[32 * block + i], small_float(bits, 5) * q, 0);
                CHECK(abs(q) <= 127);
            }
        }
    }
}

/* Halves go away from zero: with a largest value of 127 the scale is 1. */
static void test_q8_halves(void)
{
    float from[32] = { 127, 0.5f, -0.5f, 1.5f, -1.5f, 2.5f, -2.5f, -127 };
    uint8_t block[34];
    bipe_dtype_from_f32(BIPE_Q8_0, from, block, 32);
    static const int8_t want[8] = { 127, 1, -1, 2, -2, 3, -3, -127 };
    CHECK(memcmp(block + 2, want, sizeof want) == 0);
}

static void test_q8_not_finite(void)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY };
    for (int k = 0; k < 3; k++) {
        float from[32] = { 1, 2, odd[k] }, to[32];
        uint8_t block[34];
        bipe_dtype_from_f32(BIPE_Q8_0, from, block, 32);
        bipe_dtype_to_f32(BIPE_Q8_0, block, to, 32);
        for (int i = 0; i < 32; i++)
            CHECK(isnan(to[i]));
    }
    float tiny[32] = { 0x1p-149f, -0x1p-140f }, to[32];
    uint8_t block[34];
    bipe_dtype_from_f32(BIPE_Q8_0, tiny, block, 32);
    bipe_dtype_to_f32(BIPE_Q8_0, block, to, 32);
    for (int i = 0; i < 32; i++)
        CHECK(to[i] == 0);
}

static void test_sizes(void)
{
    CHECK_UINT(bipe_dtype_row_size(BIPE_F32, 3), 12);
    CHECK_UINT(bipe_dtype_row_size(BIPE_F16, 3), 6);
    CHECK_UINT(bipe_dtype_row_size(BIPE_BF16, 3), 6);
    CHECK_UINT(bipe_dtype_row_size(BIPE_Q8_0, 64), 68);
    CHECK_UINT(bipe_dtype_row_size(BIPE_Q8_0, 33), 0);
    CHECK_UINT(bipe_dtype_row_size(BIPE_F32, UINT64_MAX / 2), 0);
    CHECK_UINT(bipe_dtype_row_size(BIPE_Q8_0, UINT64_MAX - 31), 0);
    CHECK_UINT(bipe_dtype_row_size(BIPE_OTHER, 3), 0);
    CHECK_TEXT(bipe_dtype_name(BIPE_BF16), "BF16");
    char list[BIPE_DTYPE_LIST];
    bipe_dtype_list(list);
    CHECKF(strncmp(list, "F32, F16, BF16, Q8_0, Q4_0, ", 28) == 0, "%s", list);
    CHECKF(strstr(list, ", Q1_0 or Q2_0") != NULL, "%s", list);
}

/* Tools go by it: what can be written comes first, and no two types share a name or a number. */
static void test_table(void)
{
    const bipe_dtype_row *row, *other;
    bool written = true;
    for (size_t i = 0; (row = bipe_dtype_of(i)) != NULL; i++) {
        CHECKF(written || row->write == NULL, "%s", row->name);
        CHECKF((row->read == NULL && row->write == NULL) || (row->bytes != 0 && 256 % row->values == 0), "%s",
               row->name);
        CHECKF(row->config == NULL || (row->storage != NULL && row->write != NULL), "%s", row->name);
        CHECKF((row->bytes == 0) == (row->values == 0) && (row->storage == NULL || row->values == 1), "%s", row->name);
        written = row->write != NULL;
        for (size_t k = 0; k < i; k++) {
            other = bipe_dtype_of(k);
            CHECKF(strcmp(row->name, other->name) != 0 && (row->gguf < 0 || row->gguf != other->gguf), "%s", row->name);
        }
    }
}

int main(void)
{
    test_small_floats(BIPE_F16, 5);
    test_small_floats(BIPE_BF16, 8);
    test_low_nan();
    test_f32();
    test_q8();
    test_q8_halves();
    test_q8_not_finite();
    test_sizes();
    test_table();
    return test_result();
}
