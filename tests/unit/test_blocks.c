/* test_blocks.c - values of blocks of every type, those of tests/cases/blocks.jsonl, and any bytes as blocks. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "format/tensor.h"
#include "nn/block_products.h"
#include "nn/micro.h"
#include "tests/cases.h"
#include "tests/check.h"

static const bipe_dtype_row *row_of(const char *name)
{
    const bipe_dtype_row *row;
    for (size_t i = 0; (row = bipe_dtype_of(i)) != NULL; i++)
        if (strcmp(row->name, name) == 0)
            return row;
    cases_fail("no type of this name: ", name);
    return NULL;
}

/* Two of the same block, at an odd address and at the end of their memory. */
static void check_block(const bipe_dtype_row *row, const char *block, const json_t *values)
{
    size_t size = 2 * row->bytes + 1, count = 2 * row->values;
    uint8_t *bytes = calloc(size, 1);
    float *got = calloc(count, sizeof *got);
    CHECK_UINT(strlen(block), 2 * row->bytes);
    CHECK_UINT(json_array_size(values), row->values);
    for (size_t i = 0; i < 2 * row->bytes; i++) {
        const char digits[3] = {block[2 * (i % row->bytes)], block[2 * (i % row->bytes) + 1], '\0'};
        bytes[1 + i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    row->read(bytes + 1, got, count);
    for (size_t i = 0; i < count; i++) {
        float want = (float)json_number_value(json_array_get(values, i % row->values));
        CHECKF(memcmp(&got[i], &want, sizeof want) == 0, "%s: value %zu is %g, expected %g", row->name, i,
               (double)got[i], (double)want);
    }
    free(bytes);
    free(got);
}

/* Returns which types had one. */
static uint64_t test_known(void)
{
    test_cases cases = {.name = "blocks.jsonl"};
    const char *type, *block;
    json_t *values;
    uint64_t seen = 0;
    while (read_case(&cases, "{s:s, s:s, s:o}", "type", &type, "block", &block, "values", &values)) {
        const bipe_dtype_row *row = row_of(type);
        check_block(row, block, values);
        seen |= UINT64_C(1) << row->gguf;
    }
    return seen;
}

/* Any bytes are blocks: nothing but values is written, as many as there are, and each block by itself. */
static void test_any(const bipe_dtype_row *row)
{
    enum { BLOCKS = 3 };
    uint64_t random = 88172645463325252u + (unsigned)row->gguf;
    uint8_t *bytes = calloc(BLOCKS, row->bytes);
    float *all = calloc(BLOCKS * row->values + 1, sizeof *all), *each = calloc(row->values, sizeof *each);
    for (int turn = 0; turn < test_rounds(200); turn++) {
        for (size_t i = 0; i < BLOCKS * (size_t)row->bytes; i++)
            bytes[i] = (uint8_t)test_random(&random);
        all[BLOCKS * row->values] = 12345;
        row->read(bytes, all, BLOCKS * row->values);
        CHECK(all[BLOCKS * row->values] == 12345);
        for (size_t i = 0; i < BLOCKS; i++) {
            row->read(bytes + i * row->bytes, each, row->values);
            CHECKF(memcmp(each, all + i * row->values, row->values * sizeof *each) == 0, "%s", row->name);
        }
    }
    free(bytes);
    free(all);
    free(each);
}

/* Whether a NaN is one says nothing about its bits. */
static bool same(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof a[i]) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* All f16, in one piece whose end is odd, and the rest. */
static void test_halves(const nn_cpu *cpu, nn_reader *read)
{
    static uint8_t bytes[1 + 2 * 65536];
    static float got[65536], want[65536];
    for (unsigned i = 0; i < 65536; i++) {
        bytes[1 + 2 * i] = (uint8_t)i;
        bytes[2 + 2 * i] = (uint8_t)(i >> 8);
    }
    bipe_dtype_to_f32(BIPE_F16, bytes + 1, want, 65536);
    read(bytes + 1, got, 65536 - 3);
    read(bytes + 1 + 2 * (65536 - 3), got + 65536 - 3, 3);
    CHECKF(same(got, want, 65536), "%s", nn_cpu_name(cpu));
}

/* The readers of a vector unit against the plain ones: each code of each byte, the others random. */
static void test_vectors(const nn_cpu *cpu, const nn_block_reader *reader)
{
    const bipe_dtype_row *row = NULL;
    for (size_t i = 0; row == NULL || row->gguf != reader->type; i++)
        row = bipe_dtype_of(i);
    if (row->gguf == 1)
        test_halves(cpu, reader->read);
    uint64_t random = 99 + (unsigned)row->gguf;
    uint8_t *bytes = malloc(row->bytes);
    float *got = calloc(row->values, sizeof *got), *want = calloc(row->values, sizeof *want);
    for (size_t at = 0; at < row->bytes; at++) {
        for (size_t i = 0; i < row->bytes; i++)
            bytes[i] = (uint8_t)test_random(&random);
        for (int code = 0; code < 256; code += test_stride(255)) {
            bytes[at] = (uint8_t)code;
            row->read(bytes, want, row->values);
            reader->read(bytes, got, row->values);
            CHECKF(same(got, want, row->values), "%s of %s, byte %zu, code %d", row->name, nn_cpu_name(cpu), at, code);
        }
    }
    free(bytes);
    free(got);
    free(want);
}

/* The codes, scales and minima of rows, which products take as they are, against the plain reader: each code of each
 * byte, the others random. No product of a code and a scale is rounded. */
static void test_codes(const nn_cpu *cpu, const nn_coded_type *type)
{
    const size_t columns = cpu->products->columns;
    const bipe_dtype_row *row = NULL;
    for (size_t i = 0; row == NULL || row->gguf != type->type; i++)
        row = bipe_dtype_of(i);
    size_t values = NN_CODED_VALUES, stride = values / row->values * row->bytes;
    uint64_t random = 77 + (unsigned)row->gguf;
    uint8_t *bytes = malloc(columns * stride);
    nn_codes *codes = aligned_alloc(64, (sizeof *codes + 63) / 64 * 64);
    float want[NN_CODED_VALUES];
    CHECK(stride <= NN_CODED_BYTES);
    for (size_t round = 0; round < (row->bytes * 256 + columns - 1) / columns;
         round += (size_t)test_stride(16)) {
        for (size_t i = 0; i < columns * stride; i++)
            bytes[i] = (uint8_t)test_random(&random);
        for (size_t i = 0; i < columns; i++)
            bytes[i * stride + (round * columns + i) / 256 % stride] = (uint8_t)(round * columns + i);
        const uint8_t *groups[NN_CODED_COLUMNS / NN_CODED_TOGETHER];
        for (size_t i = 0; i < columns; i += NN_CODED_TOGETHER)
            groups[i / NN_CODED_TOGETHER] = bytes + i * stride;
        type->unpack(groups, stride, values, (uintptr_t)bytes, codes);
        for (size_t i = 0; i < columns; i++) {
            row->read(bytes + i * stride, want, values);
            bool equal = true;
            for (size_t k = 0; k < values; k++) {
                float code = (float)((int)(codes->code[k / 4][i] >> 8 * (k % 4) & 255) - type->offset);
                float less = type->less ? codes->less[k / 32][i] : 0;
                float got = fmaf(codes->scale[k / type->part][i], code, -less);
                equal = equal && (got == want[k] || (isnan(got) && isnan(want[k])));
            }
            CHECKF(equal, "%s of %s, round %zu, row %zu", row->name, nn_cpu_name(cpu), round, i);
        }
    }
    free(bytes);
    free(codes);
}

int main(void)
{
    uint64_t seen = test_known();
    const bipe_dtype_row *row;
    for (size_t i = 0; (row = bipe_dtype_of(i)) != NULL; i++)
        if (row->read != NULL && row->values > 1) {
            CHECKF((seen >> row->gguf & 1) != 0, "%s has no case", row->name);
            test_any(row);
        }
    for (size_t i = 0; i < nn_cpu_count(); i++)
        for (const nn_block_reader *r = nn_cpu_at(i) != NULL ? nn_cpu_at(i)->readers : NULL; r && r->read; r++)
            test_vectors(nn_cpu_at(i), r);
    for (size_t i = 0; i < nn_cpu_count(); i++)
        if (nn_cpu_at(i) != NULL && nn_cpu_at(i)->products != NULL)
            for (const nn_coded_type *type = nn_cpu_at(i)->products->types; type->unpack != NULL; type++)
                test_codes(nn_cpu_at(i), type);
    return test_result();
}
