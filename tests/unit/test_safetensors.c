/* test_safetensors.c - safetensors files made here: every type, one bad file for each check, every truncation, bit flips,
 * failing allocations. */
#include "tests/tensor_file.h"

static test_bytes file_of(const char *header, size_t data)
{
    test_bytes b = {0};
    put_number(&b, strlen(header), 8);
    put_text(&b, header);
    for (size_t i = 0; i < data; i++)
        put_number(&b, i, 1);
    return b;
}

static const char whole_header[] =
    "{\"__metadata__\":{\"format\":\"pt\"},"
    "\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
    "\"b\":{\"shape\":[4],\"data_offsets\":[24,32],\"dtype\":\"BF16\"},"
    "\"c\":{\"dtype\":\"F16\",\"shape\":[1,1,2,1],\"data_offsets\":[32,36]},"
    "\"d\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[36,44]},"
    "\"e\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[44,60]},"
    "\"f\":{\"dtype\":\"F32\",\"shape\":[0,5],\"data_offsets\":[60,60]}}  ";

static void test_whole(void)
{
    test_bytes b = file_of(whole_header, 60);
    opened o;
    bipe_error err = {0};
    CHECK(open_copy(&o, bipe_safetensors_read, &b, b.size, &err) == BIPE_OK);
    CHECK_TEXT(err.text, "");
    CHECK_UINT(o.table.count, 6);
    const uint8_t *data = o.copy + 8 + strlen(whole_header);
    const bipe_tensor *t = bipe_tensor_find(&o.table, "a");
    CHECK(t != NULL && t->dtype == BIPE_F32 && t->dims == 2 && t->shape[0] == 2 && t->shape[1] == 3);
    CHECK(t != NULL && t->data == data && t->size == 24);
    t = bipe_tensor_find(&o.table, "b");
    CHECK(t != NULL && t->dtype == BIPE_BF16 && t->dims == 1 && t->shape[0] == 4 && t->data == data + 24);
    t = bipe_tensor_find(&o.table, "c");
    CHECK(t != NULL && t->dtype == BIPE_F16 && t->dims == 4 && t->shape[2] == 2 && t->size == 4);
    t = bipe_tensor_find(&o.table, "d");
    CHECK(t != NULL && t->dtype == BIPE_I64 && t->dims == 0 && t->size == 8 && t->data == data + 36);
    t = bipe_tensor_find(&o.table, "e");
    CHECK(t != NULL && t->dtype == BIPE_OTHER && t->data == NULL);
    CHECK_TEXT(t->dtype_name, "F64");
    t = bipe_tensor_find(&o.table, "f");
    CHECK(t != NULL && t->size == 0 && t->shape[0] == 0);
    CHECK(bipe_tensor_find(&o.table, "__metadata__") == NULL);
    close_copy(&o);
    free_bytes(&b);
}

static void check_bad(const char *header, size_t data, int want, const char *text)
{
    test_bytes b = file_of(header, data);
    opened o;
    bipe_error err = {0};
    int status = open_copy(&o, bipe_safetensors_read, &b, b.size, &err);
    CHECKF(status == want, "status %d for: %s", status, text);
    CHECK_TEXT(err.text, text);
    close_copy(&o);
    free_bytes(&b);
}

static void test_bad(void)
{
    const int bad = BIPE_ERR_FORMAT;
    check_bad("[]", 0, bad, "header: JSON that is not an object, expected {...}");
    check_bad("{", 0, bad, "header: JSON, byte 1: string or '}' expected near end of file");
    check_bad("{\"a\":1}", 0, bad, "tensor 'a': its entry is not an object");
    check_bad("{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, bad, "tensor 'a': no string \"dtype\"");
    check_bad("{\"a\":{\"dtype\":4,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, bad, "tensor 'a': no string \"dtype\"");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, bad, "tensor 'a': no array \"shape\"");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1],\"data_offsets\":[0,4]}}", 4, BIPE_ERR_UNSUPPORTED,
              "tensor 'a': 5 dimensions, expected at most 4");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, bad,
              "tensor 'a': \"shape\" holds something else than whole numbers from 0");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}", 4, bad,
              "tensor 'a': \"shape\" holds something else than whole numbers from 0");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 4, bad,
              "tensor 'a': no pair of numbers \"data_offsets\"");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,\"4\"]}}", 4, bad,
              "tensor 'a': \"data_offsets\" holds something else than whole numbers from 0");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 3, bad,
              "tensor 'a': bytes 0 to 4, but only 3 bytes of data are there");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 8, bad,
              "tensor 'a': bytes 4 to 0, but only 8 bytes of data are there");
    check_bad("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[4,9]}}", 8, bad,
              "tensor 'a': bytes 4 to 9, but only 8 bytes of data are there");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, bad,
              "tensor 'a': 4 bytes, expected 8 for its type and shape");
    check_bad("{\"a\":{\"dtype\":\"F16\",\"shape\":[9223372036854775807,3],\"data_offsets\":[0,4]}}", 4, BIPE_ERR_LIMIT,
              "tensor 'a': its shape has more values than memory can hold");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[9223372036854775808],\"data_offsets\":[0,4]}}", 4, bad,
              "header: JSON, byte 48: too big integer near '9223372036854775808'");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
              "\"b\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[2,4]}}", 4, bad,
              "the data of tensors 'a' and 'b' overlap");
    check_bad("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
              "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, bad,
              "header: JSON, byte 57: duplicate object key near '\"a\"'");
    check_bad("{\"\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, bad,
              "tensor '': its name is empty or holds control characters");
    check_bad("{\"x\\n\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, bad,
              "tensor 'x?': its name is empty or holds control characters");

    opened o;
    bipe_error err;
    test_bytes b = {0};
    put_number(&b, 3, 8), put_text(&b, "{}");
    CHECK(open_copy(&o, bipe_safetensors_read, &b, b.size, &err) == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, "a header of 3 bytes, but only 2 are there");
    close_copy(&o);
    CHECK(open_copy(&o, bipe_safetensors_read, &b, 7, &err) == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, "7 bytes, expected a safetensors header");
    close_copy(&o);
    free_bytes(&b);
    put_number(&b, UINT64_MAX, 8), put_text(&b, "{}");
    CHECK(open_copy(&o, bipe_safetensors_read, &b, b.size, &err) == BIPE_ERR_FORMAT);
    close_copy(&o);
    free_bytes(&b);
}

/* JSON that would cost far more memory than its bytes is refused before it is read; so is endless nesting. */
static void test_limits(void)
{
    size_t size = 9 << 20;
    char *text = malloc(size + 1);
    bipe_error err;
    json_t *object;
    if (text == NULL)
        abort();
    memset(text, '[', size);
    CHECK(bipe_json_object_read(&object, (const uint8_t *)text, size, &err) == BIPE_ERR_LIMIT && object == NULL);
    CHECK(bipe_json_object_read(&object, (const uint8_t *)text, 100000, &err) == BIPE_ERR_FORMAT && object == NULL);
    free(text);
}

static void test_torn_and_flipped(void)
{
    test_bytes b = file_of(whole_header, 60);
    check_torn_and_flipped(bipe_safetensors_read, &b, 60);
    free_bytes(&b);
}

static void test_allocations(void)
{
    test_bytes b = file_of(whole_header, 60);
    check_allocations(bipe_safetensors_read, &b, 2);
    free_bytes(&b);
}

int main(void)
{
    test_whole();
    test_bad();
    test_limits();
    test_torn_and_flipped();
    test_allocations();
    return test_result();
}
