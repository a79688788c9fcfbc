/* test_gguf_reader.c - GGUF files made here byte by byte: every value type, one bad file for each check, every
 * truncation, bit flips, every failing allocation. */
#include "base/alloc.h"
#include "format/gguf_file.h"
#include "nn/nn.h"
#include "tests/bytes.h"
#include "tests/check.h"

static void put_string(test_bytes *b, const char *text)
{
    put_number(b, strlen(text), 8);
    put_text(b, text);
}

static void put_head(test_bytes *b, uint32_t version, uint64_t tensors, uint64_t keys)
{
    put_text(b, "GGUF");
    put_number(b, version, 4);
    put_number(b, tensors, 8);
    put_number(b, keys, 8);
}

static void put_key(test_bytes *b, const char *key, uint32_t type)
{
    put_string(b, key);
    put_number(b, type, 4);
}

static void put_array(test_bytes *b, const char *key, uint32_t type, uint64_t count)
{
    put_key(b, key, BIPE_GGUF_ARRAY);
    put_number(b, type, 4);
    put_number(b, count, 8);
}

static void put_tensor(test_bytes *b, const char *name, uint64_t columns, uint64_t rows, uint32_t type, uint64_t offset)
{
    put_string(b, name);
    put_number(b, rows != 0 ? 2 : 1, 4);
    put_number(b, columns, 8);
    if (rows != 0)
        put_number(b, rows, 8);
    put_number(b, type, 4);
    put_number(b, offset, 8);
}

static void pad(test_bytes *b, size_t alignment)
{
    while (b->size % alignment != 0)
        put_zeros(b, 1);
}

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* A file with every type of value and of tensor. */
static test_bytes whole_file(void)
{
    test_bytes b = {0};
    put_head(&b, 3, 7, 19);
    put_key(&b, "u8", BIPE_GGUF_U8), put_number(&b, 200, 1);
    put_key(&b, "i8", BIPE_GGUF_I8), put_number(&b, (uint64_t)-100, 1);
    put_key(&b, "u16", BIPE_GGUF_U16), put_number(&b, 60000, 2);
    put_key(&b, "i16", BIPE_GGUF_I16), put_number(&b, (uint64_t)-30000, 2);
    put_key(&b, "u32", BIPE_GGUF_U32), put_number(&b, 4000000000u, 4);
    put_key(&b, "i32", BIPE_GGUF_I32), put_number(&b, (uint64_t)-2000000000, 4);
    put_key(&b, "f32", BIPE_GGUF_F32), put_number(&b, float_bits(1.5f), 4);
    put_key(&b, "yes", BIPE_GGUF_BOOL), put_number(&b, 1, 1);
    put_key(&b, "no", BIPE_GGUF_BOOL), put_number(&b, 0, 1);
    put_key(&b, "string", BIPE_GGUF_STRING), put_string(&b, "a text");
    put_key(&b, "u64", BIPE_GGUF_U64), put_number(&b, UINT64_MAX, 8);
    put_key(&b, "i64", BIPE_GGUF_I64), put_number(&b, (uint64_t)INT64_MIN, 8);
    put_key(&b, "f64", BIPE_GGUF_F64), put_number(&b, double_bits(-0.1), 8);
    put_array(&b, "strings", BIPE_GGUF_STRING, 3), put_string(&b, "one"), put_string(&b, ""), put_string(&b, "three");
    put_array(&b, "floats", BIPE_GGUF_F32, 2), put_number(&b, float_bits(0.25f), 4), put_number(&b, float_bits(-3), 4);
    put_array(&b, "ints", BIPE_GGUF_I32, 2), put_number(&b, 7, 4), put_number(&b, (uint64_t)-7, 4);
    put_array(&b, "bools", BIPE_GGUF_BOOL, 2), put_number(&b, 1, 1), put_number(&b, 0, 1);
    put_array(&b, "none", BIPE_GGUF_U64, 0);
    put_key(&b, "general.alignment", BIPE_GGUF_U32), put_number(&b, 64, 4);
    put_tensor(&b, "f32", 3, 2, 0, 0);
    put_tensor(&b, "f16", 5, 0, 1, 64);
    put_tensor(&b, "q8", 32, 1, 8, 128);
    put_tensor(&b, "bf16", 4, 1, 30, 192);
    put_tensor(&b, "k-quant", 256, 1, 12, 0);
    put_tensor(&b, "q8_k", 256, 1, 15, 0);
    put_tensor(&b, "future", 256, 1, 77, 0);
    pad(&b, 64);
    for (int i = 0; i < 6; i++)
        put_number(&b, float_bits((float)i), 4);
    pad(&b, 64);
    put_zeros(&b, 10), pad(&b, 64);
    put_zeros(&b, 34), pad(&b, 64);
    put_zeros(&b, 8);
    return b;
}

static int open_copy(bipe_gguf **gguf, uint8_t **copy, const uint8_t *bytes, size_t size, bipe_error *err)
{
    *copy = exact_copy(bytes, size);
    return bipe_gguf_open_bytes(gguf, *copy, size, "x.gguf", err);
}

static void check_values(const bipe_gguf *g)
{
    bipe_error err = {0};
    uint64_t u = 1;
    double x;
    bool flag;
    size_t count;
    bipe_gguf_string s;
    bipe_gguf_type type;
    CHECK_UINT(bipe_gguf_key_count(g), 19);
    s = bipe_gguf_key(g, 9, &type);
    CHECK(type == BIPE_GGUF_STRING && s.size == 6 && memcmp(s.text, "string", 6) == 0);
    CHECK(bipe_gguf_get_uint(g, "u8", &u, &err) == BIPE_OK && u == 200);
    CHECK(bipe_gguf_get_uint(g, "u16", &u, &err) == BIPE_OK && u == 60000);
    CHECK(bipe_gguf_get_uint(g, "u32", &u, &err) == BIPE_OK && u == 4000000000u);
    CHECK(bipe_gguf_get_uint(g, "u64", &u, &err) == BIPE_OK && u == UINT64_MAX);
    CHECK(bipe_gguf_get_number(g, "i16", &x, &err) == BIPE_OK && x == -30000);
    CHECK(bipe_gguf_get_number(g, "i32", &x, &err) == BIPE_OK && x == -2000000000);
    CHECK(bipe_gguf_get_number(g, "i64", &x, &err) == BIPE_OK && x == (double)INT64_MIN);
    CHECK(bipe_gguf_get_number(g, "u32", &x, &err) == BIPE_OK && x == 4000000000);
    CHECK(bipe_gguf_get_number(g, "f32", &x, &err) == BIPE_OK && x == 1.5);
    CHECK(bipe_gguf_get_number(g, "f64", &x, &err) == BIPE_OK && x == -0.1);
    CHECK(bipe_gguf_get_number(g, "i8", &x, &err) == BIPE_OK && x == -100);
    CHECK(bipe_gguf_get_bool(g, "yes", &flag, &err) == BIPE_OK && flag);
    CHECK(bipe_gguf_get_bool(g, "no", &flag, &err) == BIPE_OK && !flag);
    CHECK(bipe_gguf_get_string(g, "string", &s, &err) == BIPE_OK && s.size == 6 && memcmp(s.text, "a text", 6) == 0);
    CHECK(bipe_gguf_get_array(g, "strings", BIPE_GGUF_STRING, &count, &err) == BIPE_OK && count == 3);
    s = bipe_gguf_array_string(g, "strings", 2);
    CHECK(s.size == 5 && memcmp(s.text, "three", 5) == 0);
    CHECK(bipe_gguf_array_string(g, "strings", 1).size == 0);
    CHECK(bipe_gguf_get_array(g, "floats", BIPE_GGUF_F32, &count, &err) == BIPE_OK && count == 2);
    CHECK(bipe_gguf_array_number(g, "floats", 1) == -3);
    CHECK(bipe_gguf_get_array(g, "ints", BIPE_GGUF_U32, &count, &err) == BIPE_OK && count == 2);
    CHECK(bipe_gguf_array_number(g, "ints", 1) == -7);
    CHECK(bipe_gguf_get_array(g, "none", BIPE_GGUF_U64, &count, &err) == BIPE_OK && count == 0);
    CHECK_TEXT(err.text, "");

    u = 12345;
    CHECK(bipe_gguf_get_uint(g, "absent", &u, &err) == BIPE_END && u == 12345);
    CHECK(bipe_gguf_get_array(g, "absent", BIPE_GGUF_I32, &count, &err) == BIPE_END);
    CHECK_TEXT(err.text, "");
    CHECK(bipe_gguf_get_uint(g, "i8", &u, &err) == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, "x.gguf: key i8 is negative, expected at least 0");
    CHECK(bipe_gguf_get_uint(g, "f32", &u, &err) == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, "x.gguf: key f32 is of type f32, expected an integer");
    CHECK(bipe_gguf_get_number(g, "string", &x, &err) == BIPE_ERR_FORMAT);
    CHECK(bipe_gguf_get_bool(g, "u8", &flag, &err) == BIPE_ERR_FORMAT);
    CHECK(bipe_gguf_get_string(g, "u8", &s, &err) == BIPE_ERR_FORMAT);
    CHECK(bipe_gguf_get_array(g, "u8", BIPE_GGUF_U8, &count, &err) == BIPE_ERR_FORMAT);
    CHECK(bipe_gguf_get_array(g, "ints", BIPE_GGUF_STRING, &count, &err) == BIPE_ERR_FORMAT);
    CHECK(bipe_gguf_array_string(g, "ints", 0).size == 0);
    CHECK(isnan(bipe_gguf_array_number(g, "ints", 2)));
    CHECK(isnan(bipe_gguf_array_number(g, "strings", 0)));
    CHECK(isnan(bipe_gguf_array_number(g, "absent", 0)));
}

static void check_tensors(const bipe_gguf *g)
{
    const bipe_tensor_table *table = bipe_gguf_tensors(g);
    CHECK_UINT(table->count, 7);
    const bipe_tensor *t = bipe_tensor_find(table, "f32");
    CHECK(t != NULL && t->dims == 2 && t->shape[0] == 2 && t->shape[1] == 3 && t->size == 24);
    float x[6];
    CHECK(t->dtype == BIPE_F32);
    bipe_dtype_to_f32(BIPE_F32, t->data, x, 6);
    CHECK(x[0] == 0 && x[5] == 5);
    t = bipe_tensor_find(table, "f16");
    CHECK(t != NULL && t->dtype == BIPE_F16 && t->dims == 1 && t->shape[0] == 5 && t->size == 10);
    t = bipe_tensor_find(table, "q8");
    CHECK(t != NULL && t->dtype == BIPE_Q8_0 && t->size == 34);
    t = bipe_tensor_find(table, "bf16");
    CHECK(t != NULL && t->dtype == BIPE_BF16 && t->size == 8 && t->data != NULL);
    t = bipe_tensor_find(table, "k-quant");
    CHECK(t != NULL && t->size == 144 && t->data != NULL && bipe_dtype_of(t->dtype)->read != NULL);
    CHECK_TEXT(t->dtype_name, "Q4_K");
    t = bipe_tensor_find(table, "q8_k");
    CHECK(t != NULL && t->dtype == BIPE_OTHER && t->data == NULL && t->size == 0);
    CHECK_TEXT(t->dtype_name, "Q8_K");
    t = bipe_tensor_find(table, "future");
    CHECK(t != NULL && t->dtype == BIPE_OTHER);
    CHECK_TEXT(t->dtype_name, "type 77");
    CHECK(bipe_tensor_find(table, "f3") == NULL && bipe_tensor_find(table, "zzz") == NULL);
}

static void test_whole(void)
{
    test_bytes b = whole_file();
    bipe_gguf *g;
    bipe_error err;
    uint8_t *copy;
    CHECK(open_copy(&g, &copy, b.data, b.size, &err) == BIPE_OK);
    if (g != NULL) {
        check_values(g);
        check_tensors(g);
    }
    bipe_gguf_close(g);
    free(copy);

    /* Version 2 has the same layout. */
    b.data[4] = 2;
    CHECK(open_copy(&g, &copy, b.data, b.size, &err) == BIPE_OK);
    bipe_gguf_close(g);
    free(copy);

    write_file("test_gguf_reader.tmp", b.data, b.size);
    CHECK(bipe_gguf_open(&g, "test_gguf_reader.tmp", &err) == BIPE_OK);
    CHECK_TEXT(bipe_gguf_path(g), "test_gguf_reader.tmp");
    bipe_gguf_close(g);
    bipe_gguf_close(NULL);
    remove("test_gguf_reader.tmp");
    free_bytes(&b);
}

static void test_truncations(void)
{
    test_bytes b = whole_file();
    for (size_t size = 0; size < b.size; size++) {
        bipe_gguf *g;
        bipe_error err;
        uint8_t *copy;
        int status = open_copy(&g, &copy, b.data, size, &err);
        CHECKF(status == BIPE_ERR_FORMAT && g == NULL, "cut to %zu bytes", size);
        bipe_gguf_close(g);
        free(copy);
    }
    free_bytes(&b);
}

/* Whatever a flip does, all that is given out lies inside the file: touch it all. */
static void use_everything(const bipe_gguf *g)
{
    uint64_t sum = 0;
    const bipe_tensor_table *table = bipe_gguf_tensors(g);
    for (size_t i = 0; i < table->count; i++) {
        const uint8_t *data = table->tensor[i].data;
        for (uint64_t k = 0; data != NULL && k < table->tensor[i].size; k++)
            sum += data[k];
        CHECK(bipe_tensor_find(table, table->tensor[i].name) == &table->tensor[i]);
    }
    for (size_t i = 0; i < bipe_gguf_key_count(g); i++) {
        bipe_gguf_string key = bipe_gguf_key(g, i, NULL);
        for (size_t k = 0; k < key.size; k++)
            sum += (unsigned char)key.text[k];
    }
    CHECK(sum != 1);
}

static void test_flips(void)
{
    test_bytes b = whole_file();
    for (size_t bit = 0; bit < 8 * b.size; bit++) {
        bipe_gguf *g;
        bipe_error err;
        uint8_t *copy;
        b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (open_copy(&g, &copy, b.data, b.size, &err) == BIPE_OK)
            use_everything(g);
        else
            CHECK(g == NULL && strncmp(err.text, "x.gguf: ", 8) == 0);
        bipe_gguf_close(g);
        free(copy);
        b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free_bytes(&b);
}

static void test_allocations(void)
{
    test_bytes b = whole_file();
    bipe_gguf *g = NULL;
    bipe_error err;
    long n;
    for (n = 0; n < 1000; n++) {
        bipe_alloc_fail_at(n);
        int status = bipe_gguf_open_bytes(&g, b.data, b.size, "x.gguf", &err);
        bipe_alloc_fail_at(-1);
        if (status == BIPE_OK)
            break;
        CHECK(status == BIPE_ERR_MEMORY && g == NULL);
    }
    CHECK(n > 5 && n < 1000);
    bipe_gguf_close(g);
    free_bytes(&b);
}

/* Opens *b, expects this status and text, frees *b. */
static void check_bad(test_bytes *b, int want, const char *text)
{
    bipe_gguf *g;
    bipe_error err = {0};
    uint8_t *copy;
    int status = open_copy(&g, &copy, b->data, b->size, &err);
    CHECKF(status == want && g == NULL, "status %d for: %s", status, text);
    CHECK_TEXT(err.text, text);
    bipe_gguf_close(g);
    free(copy);
    free_bytes(b);
}

static void test_bad_heads(void)
{
    test_bytes b = {0};
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: byte 0: the file ends within its first bytes");
    put_text(&b, "GGML"), put_zeros(&b, 20);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: not a GGUF file: it does not begin with \"GGUF\"");
    put_head(&b, 1, 0, 0);
    check_bad(&b, BIPE_ERR_UNSUPPORTED, "x.gguf: GGUF version 1, expected 2 or 3");
    put_head(&b, 4, 0, 0);
    check_bad(&b, BIPE_ERR_UNSUPPORTED, "x.gguf: GGUF version 4, expected 2 or 3");
    put_head(&b, 3u << 24, 0, 0);
    check_bad(&b, BIPE_ERR_UNSUPPORTED, "x.gguf: a big-endian GGUF file, expected a little-endian one");
    put_head(&b, 3, 0, UINT64_MAX);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: 18446744073709551615 keys claimed in 0 bytes");
    put_head(&b, 3, 3, 0), put_zeros(&b, 95);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: 3 tensors claimed in 95 bytes");
    put_head(&b, 3, 0, 65537), put_zeros(&b, 65537 * 13);
    check_bad(&b, BIPE_ERR_LIMIT, "x.gguf: 65537 keys, expected at most 65536");
}

static void test_bad_keys(void)
{
    test_bytes b = {0};
    put_head(&b, 3, 0, 1), put_number(&b, UINT64_MAX, 8), put_zeros(&b, 20);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: key 0: byte 32: the file ends within a key");
    put_head(&b, 3, 0, 1), put_key(&b, "a", 13), put_zeros(&b, 20);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: key 'a': a value of type 13, expected 0 to 12");
    put_head(&b, 3, 0, 1), put_key(&b, "a\n", BIPE_GGUF_BOOL), put_number(&b, 2, 1);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: key 'a?': a bool is 2, expected 0 or 1");
    put_head(&b, 3, 0, 1), put_array(&b, "a", BIPE_GGUF_ARRAY, 1), put_zeros(&b, 20);
    check_bad(&b, BIPE_ERR_UNSUPPORTED, "x.gguf: key 'a': an array of arrays, which bipe does not read");
    put_head(&b, 3, 0, 1), put_array(&b, "a", 99, 1), put_zeros(&b, 20);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: key 'a': an array of values of type 99, expected 0 to 12");
    put_head(&b, 3, 0, 1), put_array(&b, "a", BIPE_GGUF_U32, (UINT64_MAX >> 2) + 2), put_zeros(&b, 20);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: key 'a': byte 49: the file ends within an array");
    put_head(&b, 3, 0, 1), put_array(&b, "a", BIPE_GGUF_U32, 6), put_zeros(&b, 20);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: key 'a': byte 49: the file ends within an array");
    put_head(&b, 3, 0, 1), put_array(&b, "a", BIPE_GGUF_STRING, 3), put_zeros(&b, 23);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: key 'a': byte 49: the file ends within an array of strings");
    put_head(&b, 3, 0, 1), put_array(&b, "a", BIPE_GGUF_BOOL, 2), put_number(&b, 0x0301, 2);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: key 'a': a bool is 3, expected 0 or 1");
    put_head(&b, 3, 0, 3);
    put_key(&b, "a", BIPE_GGUF_U8), put_number(&b, 1, 1);
    put_key(&b, "b", BIPE_GGUF_U8), put_number(&b, 1, 1);
    put_key(&b, "a", BIPE_GGUF_U8), put_number(&b, 1, 1);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: key 'a' occurs twice");
    for (unsigned alignment = 0; alignment < 25; alignment += 24) {
        char text[100];
        put_head(&b, 3, 0, 1), put_key(&b, "general.alignment", BIPE_GGUF_U32), put_number(&b, alignment, 4);
        snprintf(text, sizeof text, "x.gguf: general.alignment is %u, expected a power of two", alignment);
        check_bad(&b, BIPE_ERR_FORMAT, text);
    }
    put_head(&b, 3, 0, 1), put_key(&b, "general.alignment", BIPE_GGUF_STRING), put_string(&b, "32");
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: key general.alignment is not an integer, expected a power of two");
}

static void test_bad_tensors(void)
{
    test_bytes b = {0};
    put_head(&b, 3, 1, 0), put_string(&b, "t"), put_number(&b, 5, 4), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: tensor 't': 5 dimensions, expected 1 to 4");
    put_head(&b, 3, 1, 0), put_string(&b, "t"), put_number(&b, 0, 4), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: tensor 't': 0 dimensions, expected 1 to 4");
    put_head(&b, 3, 1, 0), put_tensor(&b, "t", 0, 1, 0, 0), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: tensor 't': a dimension of 0, expected at least 1");
    put_head(&b, 3, 1, 0), put_tensor(&b, "t", UINT64_MAX / 2, 3, 0, 0), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_LIMIT, "x.gguf: tensor 't': its shape has more values than memory can hold");
    put_head(&b, 3, 1, 0), put_tensor(&b, "t", UINT64_MAX / 2, 1, 0, 0), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_LIMIT, "x.gguf: tensor 't': its rows are larger than memory");
    put_head(&b, 3, 1, 0), put_tensor(&b, "t", UINT64_C(1) << 32, UINT64_C(1) << 31, 0, 0), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_LIMIT, "x.gguf: tensor 't': its shape has more bytes than memory can hold");
    put_head(&b, 3, 1, 0), put_tensor(&b, "t", 33, 1, 8, 0), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: tensor 't': rows of 33 values in type Q8_0, expected a multiple of 32");
    put_head(&b, 3, 1, 0), put_tensor(&b, "t", 1, 1, 0, 4), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: tensor 't': offset 4, expected a multiple of 32");
    put_head(&b, 3, 1, 0), put_tensor(&b, "t", 9, 1, 0, 0), pad(&b, 32), put_zeros(&b, 32);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: tensor 't': 36 bytes at offset 0, but only 32 bytes of data are there");
    put_head(&b, 3, 1, 0), put_tensor(&b, "t", 1, 1, 0, 64), pad(&b, 32), put_zeros(&b, 32);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: tensor 't': 4 bytes at offset 64, but only 32 bytes of data are there");
    put_head(&b, 3, 1, 0), put_tensor(&b, "t", 1, 1, 0, UINT64_MAX - 31), pad(&b, 32), put_zeros(&b, 32);
    check_bad(&b, BIPE_ERR_FORMAT,
              "x.gguf: tensor 't': 4 bytes at offset 18446744073709551584, but only 32 bytes of data are there");
    put_head(&b, 3, 2, 0), put_tensor(&b, "t", 1, 1, 0, 0), put_tensor(&b, "t", 1, 1, 0, 0), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: tensor 't' occurs twice");
    put_head(&b, 3, 1, 0), put_tensor(&b, "", 1, 1, 0, 0), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: tensor 0: its name '' is empty or holds control characters");
    put_head(&b, 3, 1, 0), put_tensor(&b, "a\033[2J", 1, 1, 0, 0), put_zeros(&b, 64);
    check_bad(&b, BIPE_ERR_FORMAT, "x.gguf: tensor 0: its name 'a?[2J' is empty or holds control characters");
}

static void test_bad_files(void)
{
    bipe_gguf *g;
    bipe_error err;
    CHECK(bipe_gguf_open(&g, "/nowhere/x.gguf", &err) == BIPE_ERR_IO && g == NULL);
    CHECK_TEXT(err.text, "/nowhere/x.gguf: No such file or directory");
    CHECK(bipe_gguf_open(&g, "/", &err) == BIPE_ERR_IO && g == NULL);
    CHECK_TEXT(err.text, "/: is a directory, expected a file");
    CHECK(bipe_gguf_open(&g, "/dev/null", &err) == BIPE_ERR_UNSUPPORTED && g == NULL);
    CHECK_TEXT(err.text, "/dev/null: is not a regular file, which a model must be");
    write_file("test_gguf_empty.tmp", NULL, 0);
    CHECK(bipe_gguf_open(&g, "test_gguf_empty.tmp", &err) == BIPE_ERR_FORMAT && g == NULL);
    CHECK_TEXT(err.text, "test_gguf_empty.tmp: is empty");
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    write_file("test_gguf_empty.tmp", (const uint8_t *)pointer, sizeof pointer - 1);
    CHECK(bipe_gguf_open(&g, "test_gguf_empty.tmp", &err) == BIPE_ERR_FORMAT && g == NULL);
    CHECK_TEXT(err.text,
               "test_gguf_empty.tmp: a pointer of Git LFS, expected the file itself, which \"git lfs pull\" fetches");
    remove("test_gguf_empty.tmp");
}

int main(void)
{
    test_whole();
    test_truncations();
    test_flips();
    test_allocations();
    test_bad_heads();
    test_bad_keys();
    test_bad_tensors();
    test_bad_files();
    return test_result();
}
