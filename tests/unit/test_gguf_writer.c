/* test_gguf_writer.c - what the writer writes, byte for byte against a file put together here by hand; then read
 * back. */
#include <unistd.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "format/gguf_file.h"
#include "tests/bytes.h"
#include "tests/check.h"

#define PATH "test_gguf_writer.tmp"

static const float weights[6] = { 0, 1, -2, 3.5f, 1e-3f, 7 };

static int give_rows(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    (void)err;
    const float *from = context;
    bipe_dtype_from_f32(BIPE_F32, from + 3 * row, buffer, 3);
    return BIPE_OK;
}

static int give_halves(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    (void)err;
    const float *from = context;
    bipe_dtype_from_f32(BIPE_F16, from + row, buffer, 1);
    return BIPE_OK;
}

static int give_failure(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    (void)context;
    (void)buffer;
    return row == 0 ? BIPE_OK : bipe_fail(err, BIPE_ERR_FORMAT, "no such row");
}

static float *mutable_weights(void)
{
    static float copy[6];
    memcpy(copy, weights, sizeof copy);
    return copy;
}

static int fill(bipe_gguf_writer *w, bipe_error *err)
{
    static const bipe_gguf_string strings[2] = { { "one", 3 }, { "t\0o", 3 } };
    static const float floats[2] = { 1.5f, -0.5f };
    static const uint64_t wides[2] = { UINT64_C(1) << 40, 7 };
    static const int32_t ints[3] = { 1, -1, INT32_MIN };
    static const uint64_t matrix[2] = { 2, 3 }, cube[3] = { 1, 6, 1 };
    bipe_gguf_set_text(w, "general.architecture", "none");
    bipe_gguf_set_u32(w, "number", 5);
    bipe_gguf_set_f32(w, "float", 0.1f);
    bipe_gguf_set_bool(w, "flag", true);
    bipe_gguf_set_strings(w, "strings", strings, 2);
    bipe_gguf_set_f32s(w, "floats", floats, 2);
    bipe_gguf_set_i32s(w, "ints", ints, 3);
    bipe_gguf_set_u64(w, "wide", UINT64_MAX - 1);
    bipe_gguf_set_u64s(w, "wides", wides, 2);
    bipe_gguf_set_string(w, "number", "six", 3); /* replaced in place, by a value of another type */
    bipe_gguf_set_u32(w, "general.alignment", 32);
    int status = bipe_gguf_add_tensor(w, "matrix", BIPE_F32, 2, matrix, give_rows, mutable_weights(), err);
    if (status == BIPE_OK)
        status = bipe_gguf_add_tensor(w, "cube", BIPE_F16, 3, cube, give_halves, mutable_weights(), err);
    return status;
}

static void put_key(test_bytes *b, const char *key, uint32_t type)
{
    put_number(b, strlen(key), 8);
    put_text(b, key);
    put_number(b, type, 4);
}

static void put_float(test_bytes *b, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_number(b, bits, 4);
}

static test_bytes expected_file(void)
{
    test_bytes b = {0};
    put_text(&b, "GGUF");
    put_number(&b, 3, 4), put_number(&b, 2, 8), put_number(&b, 10, 8);
    put_key(&b, "general.architecture", 8), put_number(&b, 4, 8), put_text(&b, "none");
    put_key(&b, "number", 8), put_number(&b, 3, 8), put_text(&b, "six");
    put_key(&b, "float", 6), put_float(&b, 0.1f);
    put_key(&b, "flag", 7), put_number(&b, 1, 1);
    put_key(&b, "strings", 9), put_number(&b, 8, 4), put_number(&b, 2, 8);
    put_number(&b, 3, 8), put_text(&b, "one"), put_number(&b, 3, 8), put_bytes(&b, "t\0o", 3);
    put_key(&b, "floats", 9), put_number(&b, 6, 4), put_number(&b, 2, 8), put_float(&b, 1.5f), put_float(&b, -0.5f);
    put_key(&b, "ints", 9), put_number(&b, 5, 4), put_number(&b, 3, 8);
    put_number(&b, 1, 4), put_number(&b, 0xFFFFFFFF, 4), put_number(&b, 0x80000000, 4);
    put_key(&b, "wide", 10), put_number(&b, UINT64_MAX - 1, 8);
    put_key(&b, "wides", 9), put_number(&b, 10, 4), put_number(&b, 2, 8), put_number(&b, UINT64_C(1) << 40, 8),
        put_number(&b, 7, 8);
    put_key(&b, "general.alignment", 4), put_number(&b, 32, 4);
    put_number(&b, 6, 8), put_text(&b, "matrix"), put_number(&b, 2, 4), put_number(&b, 3, 8), put_number(&b, 2, 8);
    put_number(&b, 0, 4), put_number(&b, 0, 8);
    put_number(&b, 4, 8), put_text(&b, "cube"), put_number(&b, 3, 4), put_number(&b, 1, 8), put_number(&b, 6, 8);
    put_number(&b, 1, 8), put_number(&b, 1, 4), put_number(&b, 32, 8);
    while (b.size % 32 != 0)
        put_zeros(&b, 1);
    for (int i = 0; i < 6; i++)
        put_float(&b, weights[i]);
    put_zeros(&b, 8);
    static const uint16_t halves[6] = { 0, 0x3C00, 0xC000, 0x4300, 0x1419, 0x4700 };
    for (int i = 0; i < 6; i++)
        put_number(&b, halves[i], 2);
    put_zeros(&b, 20);
    return b;
}

static void test_bytes_written(void)
{
    bipe_gguf_writer *w;
    bipe_error err = {0};
    CHECK(bipe_gguf_writer_open(&w, &err) == BIPE_OK);
    CHECK(fill(w, &err) == BIPE_OK);
    CHECK(bipe_gguf_write(w, PATH, &err) == BIPE_OK);
    CHECK_TEXT(err.text, "");
    bipe_gguf_writer_close(w);
    bipe_gguf_writer_close(NULL);

    test_bytes want = expected_file(), got = {0};
    FILE *file = fopen(PATH, "rb");
    CHECK(file != NULL);
    for (int c; file != NULL && (c = getc(file)) != EOF;)
        put_number(&got, (uint64_t)c, 1);
    if (file != NULL)
        fclose(file);
    CHECK_UINT(got.size, want.size);
    CHECK(got.size == want.size && memcmp(got.data, want.data, want.size) == 0);
    free_bytes(&want);
    free_bytes(&got);

    bipe_gguf *g;
    CHECK(bipe_gguf_open(&g, PATH, &err) == BIPE_OK);
    if (g != NULL) {
        const bipe_tensor *t = bipe_tensor_find(bipe_gguf_tensors(g), "cube");
        CHECK(t != NULL && t->dims == 3 && t->shape[0] == 1 && t->shape[1] == 6 && t->shape[2] == 1);
        CHECK(bipe_gguf_array_number(g, "ints", 2) == INT32_MIN);
        bipe_gguf_string s = bipe_gguf_array_string(g, "strings", 1);
        CHECK(s.size == 3 && memcmp(s.text, "t\0o", 3) == 0);
    }
    bipe_gguf_close(g);
    remove(PATH);
}

static void test_refusals(void)
{
    bipe_gguf_writer *w;
    bipe_error err = {0};
    static const uint64_t shape[4] = { 2, 3, 0, 1 }, huge[2] = { UINT64_MAX / 2, 3 }, row[1] = { 33 };
    CHECK(bipe_gguf_writer_open(&w, &err) == BIPE_OK);
    CHECK(bipe_gguf_add_tensor(w, "a", BIPE_OTHER, 1, shape, give_rows, NULL, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_gguf_add_tensor(w, "a", BIPE_F32, 0, shape, give_rows, NULL, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_gguf_add_tensor(w, "a", BIPE_F32, 5, shape, give_rows, NULL, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_gguf_add_tensor(w, "a", BIPE_F32, 4, shape, give_rows, NULL, &err) == BIPE_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "tensor a: a dimension of 0, expected at least 1");
    CHECK(bipe_gguf_add_tensor(w, "a", BIPE_F32, 2, huge, give_rows, NULL, &err) == BIPE_ERR_LIMIT);
    CHECK(bipe_gguf_add_tensor(w, "a", BIPE_Q8_0, 1, row, give_rows, NULL, &err) == BIPE_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "tensor a: rows of 33 values in type Q8_0, expected a multiple of 32");
    CHECK(bipe_gguf_add_tensor(w, "a", BIPE_F32, 2, shape, give_failure, NULL, &err) == BIPE_OK);
    CHECK(bipe_gguf_add_tensor(w, "a", BIPE_F32, 2, shape, give_failure, NULL, &err) == BIPE_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "tensor a: was added before");
    CHECK(bipe_gguf_write(w, PATH, &err) == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, "no such row");
    CHECK(access(PATH, F_OK) != 0); /* nothing half-made under the name */
    CHECK(bipe_gguf_write(w, "/nowhere/x.bin", &err) == BIPE_ERR_IO);
    bipe_gguf_set_u32(w, "general.alignment", 64);
    CHECK(bipe_gguf_write(w, PATH, &err) == BIPE_ERR_ARGUMENT);
    bipe_gguf_writer_close(w);
}

static void test_full_disk(void)
{
    bipe_gguf_writer *w;
    bipe_error err = {0};
    CHECK(bipe_gguf_writer_open(&w, &err) == BIPE_OK);
    CHECK(fill(w, &err) == BIPE_OK);
    if (access("/dev/full", W_OK) == 0)
        CHECK(bipe_gguf_write(w, "/dev/full", &err) == BIPE_ERR_IO);
    bipe_gguf_writer_close(w);
}

static void test_allocations(void)
{
    long n;
    for (n = 0; n < 1000; n++) {
        bipe_gguf_writer *w = NULL;
        bipe_error err = {0};
        bipe_alloc_fail_at(n);
        int status = bipe_gguf_writer_open(&w, &err);
        if (status == BIPE_OK)
            status = fill(w, &err);
        if (status == BIPE_OK)
            status = bipe_gguf_write(w, PATH, &err);
        bipe_alloc_fail_at(-1);
        bipe_gguf_writer_close(w);
        if (status == BIPE_OK)
            break;
        CHECKF(status == BIPE_ERR_MEMORY, "allocation %ld", n);
    }
    CHECK(n > 20 && n < 1000);
    remove(PATH);
}

int main(void)
{
    test_bytes_written();
    test_refusals();
    test_full_disk();
    test_allocations();
    return test_result();
}
