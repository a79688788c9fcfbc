/* dtype.c - the types of numbers in tensors: one table of what is known of them, and how each is read and written. No
 * vector units, but reading goes in pieces of a fixed length, of which compilers make vector code.
 *
 * Names and numbers: enum ggml_type in ggml.h. */
#include <stdio.h>
#include <string.h>

#include "format/blocks_write.h"
#include "format/half.h"
#include "format/little.h"
#include "format/tensor.h"

enum { PIECE = 16 };

/* ---- reading ---- */

#define HALF_AT(at) bipe_half_to_float(bipe_load16(at))
#define BFLOAT_AT(at) bipe_bfloat_to_float(bipe_load16(at))

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

/* ---- writing ---- */

#define WRITER(name, bytes, STORE)                                                               \
    static void name(const float *from, void *to, size_t count)                                  \
    {                                                                                            \
        for (size_t i = 0; i < count; i++)                                                       \
            STORE((uint8_t *)to + i * (bytes), from[i]);                                         \
    }
#define STORE_HALF(to, x) bipe_store16(to, bipe_float_to_half(x))
#define STORE_BFLOAT(to, x) bipe_store16(to, bipe_float_to_bfloat(x))
WRITER(write_f32, 4, bipe_store_float)
WRITER(write_f16, 2, STORE_HALF)
WRITER(write_bf16, 2, STORE_BFLOAT)

/* ---- the table ---- */

/* name, config, storage, gguf, values, bytes, read, write */
static const bipe_dtype_row table[] = {
    [BIPE_F32] = {"F32", "float32", "FloatStorage", 0, 1, 4, read_f32, write_f32},
    [BIPE_F16] = {"F16", "float16", "HalfStorage", 1, 1, 2, read_f16, write_f16},
    [BIPE_BF16] = {"BF16", "bfloat16", "BFloat16Storage", 30, 1, 2, read_bf16, write_bf16},
    [BIPE_Q8_0] = {"Q8_0", NULL, NULL, 8, 32, 34, bipe_read_q8_0, bipe_write_q8_0},
    [BIPE_Q4_0] = {"Q4_0", NULL, NULL, 2, 32, 18, bipe_read_q4_0, bipe_write_q4_0},
    [BIPE_Q5_0] = {"Q5_0", NULL, NULL, 6, 32, 22, bipe_read_q5_0, bipe_write_q5_0},
    [BIPE_Q5_1] = {"Q5_1", NULL, NULL, 7, 32, 24, bipe_read_q5_1, bipe_write_q5_1},
    [BIPE_Q4_K] = {"Q4_K", NULL, NULL, 12, 256, 144, bipe_read_q4_k, bipe_write_q4_k},
    [BIPE_Q5_K] = {"Q5_K", NULL, NULL, 13, 256, 176, bipe_read_q5_k, bipe_write_q5_k},
    [BIPE_Q6_K] = {"Q6_K", NULL, NULL, 14, 256, 210, bipe_read_q6_k, bipe_write_q6_k},
    [BIPE_MXFP4] = {"MXFP4", NULL, NULL, 39, 32, 17, bipe_read_mxfp4, bipe_write_mxfp4},
    [BIPE_OTHER] = {"other", .gguf = -1},
    /* Read alone: */
    {"Q4_1", NULL, NULL, 3, 32, 20, bipe_read_q4_1, NULL},
    {"Q2_K", NULL, NULL, 10, 256, 84, bipe_read_q2_k, NULL},
    {"Q3_K", NULL, NULL, 11, 256, 110, bipe_read_q3_k, NULL},
    {"IQ1_S", NULL, NULL, 19, 256, 50, bipe_read_iq1_s, NULL},
    {"IQ1_M", NULL, NULL, 29, 256, 56, bipe_read_iq1_m, NULL},
    {"IQ2_XXS", NULL, NULL, 16, 256, 66, bipe_read_iq2_xxs, NULL},
    {"IQ2_XS", NULL, NULL, 17, 256, 74, bipe_read_iq2_xs, NULL},
    {"IQ2_S", NULL, NULL, 22, 256, 82, bipe_read_iq2_s, NULL},
    {"IQ3_XXS", NULL, NULL, 18, 256, 98, bipe_read_iq3_xxs, NULL},
    {"IQ3_S", NULL, NULL, 21, 256, 110, bipe_read_iq3_s, NULL},
    {"IQ4_NL", NULL, NULL, 20, 32, 18, bipe_read_iq4_nl, NULL},
    {"IQ4_XS", NULL, NULL, 23, 256, 136, bipe_read_iq4_xs, NULL},
    {"TQ1_0", NULL, NULL, 34, 256, 54, bipe_read_tq1_0, NULL},
    {"TQ2_0", NULL, NULL, 35, 256, 66, bipe_read_tq2_0, NULL},
    {"NVFP4", NULL, NULL, 40, 64, 36, bipe_read_nvfp4, NULL},
    {"Q1_0", NULL, NULL, 41, 128, 18, bipe_read_q1_0, NULL},
    {"Q2_0", NULL, NULL, 42, 64, 18, bipe_read_q2_0, NULL},
    /* Never computed with: */
    {"F64", NULL, "DoubleStorage", 28, 1, 8, NULL, NULL},
    {"I64", NULL, "LongStorage", 27, 1, 8, NULL, NULL},
    {"I32", NULL, "IntStorage", 26, 1, 4, NULL, NULL},
    {"I16", NULL, "ShortStorage", 25, 1, 2, NULL, NULL},
    {"I8", NULL, "CharStorage", 24, 1, 1, NULL, NULL},
    {"U8", NULL, "ByteStorage", -1, 1, 1, NULL, NULL},
    {"BOOL", NULL, "BoolStorage", -1, 1, 1, NULL, NULL},
    /* Known by name alone, since files do not hold them: */
    {"Q8_1", .gguf = 9}, {"Q8_K", .gguf = 15},
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
