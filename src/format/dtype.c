/* dtype.c - the types of numbers in tensors: one table of what is known of them, and how each is read and written. No
 * vector units, but reading goes in pieces of a fixed length, of which compilers make vector code.
 *
 * Names and numbers: enum ggml_type in ggml.h, enum llama_ftype in llama.h. Q8_0 as in ggml (ggml-common.h, block_q8_0;
 * quantize_row_q8_0_ref in ggml-quants.c). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/little.h"
#include "format/tensor.h"

enum { PIECE = 16, Q8_VALUES = 32, Q8_BYTES = 34 };

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- reading ---- */

/* The magnitude's bits, read as an f32 exponent that is 112 too small, make subnormals come out right too. */
static inline float half_to_float(uint16_t half)
{
    uint32_t bits = float_bits(float_of((uint32_t)(half & 0x7FFF) << 13) * 0x1p112f);
    uint32_t endless = (half & 0x7C00) == 0x7C00; /* infinity or NaN */
    return float_of(bits | (uint32_t)(half & 0x8000) << 16 | ((0 - endless) & 0x7F800000));
}

#define HALF_AT(at) half_to_float(bipe_load16(at))
#define BFLOAT_AT(at) float_of((uint32_t)bipe_load16(at) << 16)

/* A reader of numbers of `bytes` each. */
#define READER(name, bytes, VALUE_AT)                                                            \
    static void name(const void *restrict from, float *restrict to, size_t count)                \
    {                                                                                            \
        const uint8_t *restrict at = from;                                                       \
        for (; count >= PIECE; count -= PIECE, at += PIECE * (size_t)(bytes), to += PIECE)       \
            for (size_t i = 0; i < PIECE; i++)                                                   \
                to[i] = VALUE_AT(at + i * (bytes));                                              \
        for (size_t i = 0; i < count; i++)                                                       \
            to[i] = VALUE_AT(at + i * (bytes));                                                  \
    }
READER(read_f32, 4, bipe_load_float)
READER(read_f16, 2, HALF_AT)
READER(read_bf16, 2, BFLOAT_AT)

static void read_q8_0(const void *restrict from, float *restrict to, size_t count)
{
    const uint8_t *restrict block = from;
    for (; count >= Q8_VALUES; count -= Q8_VALUES, block += Q8_BYTES, to += Q8_VALUES) {
        float scale = HALF_AT(block);
        for (size_t i = 0; i < Q8_VALUES; i++)
            to[i] = scale * (float)(int8_t)block[2 + i];
    }
}

/* ---- writing ---- */

static uint16_t float_to_half(float x)
{
    uint32_t bits = float_bits(x), sign = bits >> 16 & 0x8000u, rest = bits & 0x7FFFFFFFu;
    if (rest > 0x7F800000u) /* NaN stays one, whatever bits are lost */
        return (uint16_t)(sign | 0x7E00u | (rest >> 13 & 0x3FFu));
    if (rest >= 0x477FF000u) /* half way from 65504 to 65536, and beyond */
        return (uint16_t)(sign | 0x7C00u);
    if (rest >= 0x38800000u) { /* 2^-14: a normal number; a carry runs into the exponent, as it should */
        rest += 0xFFFu + (rest >> 13 & 1u);
        return (uint16_t)(sign | ((rest >> 13) - ((127u - 15u) << 10)));
    }
    if (rest <= 0x33000000u) /* 2^-25, a tie whose even neighbour is 0 */
        return (uint16_t)sign;
    /* Subnormal: significand times 2^(exponent - 150) in units of 2^-24. */
    uint32_t shift = 126u - (rest >> 23), significand = (rest & 0x7FFFFFu) | 0x800000u;
    uint32_t units = significand >> shift, left = significand & ((1u << shift) - 1u), half = 1u << (shift - 1u);
    if (left > half || (left == half && (units & 1u) != 0))
        units++;
    return (uint16_t)(sign | units);
}

static uint16_t float_to_bfloat(float x)
{
    uint32_t bits = float_bits(x);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

static void float_to_q8(const float *from, uint8_t *block)
{
    float largest = 0;
    int finite = 1;
    for (int i = 0; i < Q8_VALUES; i++) {
        float size = fabsf(from[i]);
        finite &= isfinite(size) != 0;
        if (size > largest)
            largest = size;
    }
    float d = finite ? largest / 127 : NAN, inverse = d != 0 ? 1 / d : 0;
    if (!isfinite(inverse)) /* NaN, or so small that d is 0 as f16 anyway */
        inverse = 0;
    bipe_store16(block, float_to_half(d));
    for (int i = 0; i < Q8_VALUES; i++)
        block[2 + i] = (uint8_t)(int8_t)(inverse != 0 ? roundf(from[i] * inverse) : 0);
}

#define WRITER(name, bytes, STORE)                                                               \
    static void name(const float *from, void *to, size_t count)                                  \
    {                                                                                            \
        for (size_t i = 0; i < count; i++)                                                       \
            STORE((uint8_t *)to + i * (bytes), from[i]);                                         \
    }
#define STORE_HALF(to, x) bipe_store16(to, float_to_half(x))
#define STORE_BFLOAT(to, x) bipe_store16(to, float_to_bfloat(x))
WRITER(write_f32, 4, bipe_store_float)
WRITER(write_f16, 2, STORE_HALF)
WRITER(write_bf16, 2, STORE_BFLOAT)

static void write_q8_0(const float *from, void *to, size_t count)
{
    for (size_t i = 0; i < count / Q8_VALUES; i++)
        float_to_q8(from + i * Q8_VALUES, (uint8_t *)to + i * Q8_BYTES);
}

/* ---- the table ---- */

/* name, option, config, storage, gguf, file, values, bytes, read, write */
static const bipe_dtype_row table[] = {
    [BIPE_F32] = {"F32", "f32", "float32", "FloatStorage", 0, 0, 1, 4, read_f32, write_f32},
    [BIPE_F16] = {"F16", "f16", "float16", "HalfStorage", 1, 1, 1, 2, read_f16, write_f16},
    [BIPE_BF16] = {"BF16", "bf16", "bfloat16", "BFloat16Storage", 30, 32, 1, 2, read_bf16, write_bf16},
    [BIPE_Q8_0] = {"Q8_0", "q8_0", NULL, NULL, 8, 7, Q8_VALUES, Q8_BYTES, read_q8_0, write_q8_0},
    [BIPE_OTHER] = {"other", .gguf = -1},
    /* Never computed with: */
    {"F64", NULL, NULL, "DoubleStorage", 28, 0, 1, 8, NULL, NULL},
    {"I64", NULL, NULL, "LongStorage", 27, 0, 1, 8, NULL, NULL},
    {"I32", NULL, NULL, "IntStorage", 26, 0, 1, 4, NULL, NULL},
    {"I16", NULL, NULL, "ShortStorage", 25, 0, 1, 2, NULL, NULL},
    {"I8", NULL, NULL, "CharStorage", 24, 0, 1, 1, NULL, NULL},
    {"U8", NULL, NULL, "ByteStorage", -1, 0, 1, 1, NULL, NULL},
    {"BOOL", NULL, NULL, "BoolStorage", -1, 0, 1, 1, NULL, NULL},
    /* Known by name alone: */
    {"Q4_0", .gguf = 2}, {"Q4_1", .gguf = 3}, {"Q5_0", .gguf = 6}, {"Q5_1", .gguf = 7}, {"Q8_1", .gguf = 9},
    {"Q2_K", .gguf = 10}, {"Q3_K", .gguf = 11}, {"Q4_K", .gguf = 12}, {"Q5_K", .gguf = 13}, {"Q6_K", .gguf = 14},
    {"Q8_K", .gguf = 15}, {"IQ2_XXS", .gguf = 16}, {"IQ2_XS", .gguf = 17}, {"IQ3_XXS", .gguf = 18},
    {"IQ1_S", .gguf = 19}, {"IQ4_NL", .gguf = 20}, {"IQ3_S", .gguf = 21}, {"IQ2_S", .gguf = 22}, {"IQ4_XS", .gguf = 23},
    {"IQ1_M", .gguf = 29}, {"TQ1_0", .gguf = 34}, {"TQ2_0", .gguf = 35}, {"MXFP4", .gguf = 39},
};

const bipe_dtype_row *bipe_dtype_of(size_t dtype)
{
    return dtype < sizeof table / sizeof table[0] ? &table[dtype] : NULL;
}

const char *bipe_dtype_name(bipe_dtype dtype)
{
    return table[dtype].name;
}

const char *bipe_dtype_list(char text[BIPE_DTYPE_LIST])
{
    const char *last = "";
    size_t at = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].read == NULL)
            continue;
        if (last[0] != '\0' && at < BIPE_DTYPE_LIST)
            at += (size_t)snprintf(text + at, BIPE_DTYPE_LIST - at, "%s%s", at != 0 ? ", " : "", last);
        last = table[i].name;
    }
    if (at < BIPE_DTYPE_LIST)
        snprintf(text + at, BIPE_DTYPE_LIST - at, " or %s", last);
    return text;
}

size_t bipe_dtype_row_size(bipe_dtype dtype, uint64_t columns)
{
    const bipe_dtype_row *row = &table[dtype];
    if (row->bytes == 0 || columns % row->values != 0 || columns / row->values > SIZE_MAX / row->bytes)
        return 0;
    return (size_t)(columns / row->values * row->bytes);
}

void bipe_dtype_to_f32(bipe_dtype dtype, const void *from, float *to, size_t count)
{
    table[dtype].read(from, to, count);
}

void bipe_dtype_from_f32(bipe_dtype dtype, const float *from, void *to, size_t count)
{
    table[dtype].write(from, to, count);
}
