/* test_safetensors.c - safetensors files made here: every type, one bad file for each check, every truncation, bit
 * flips, failing allocations. A file that is written must have the bytes that stand here. */
#include "config.h"

#include "format/tensor_list.h"
#include "tests/scratch.h"
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
    CHECK(t != NULL && strcmp(t->dtype_name, "I64") == 0 && t->dims == 0 && t->size == 8 && t->data == data + 36);
    t = bipe_tensor_find(&o.table, "e");
    CHECK(t != NULL && strcmp(t->dtype_name, "F64") == 0 && t->data == data + 44 && t->size == 16);
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

/* ---- writing ---- */

static int give_row(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    (void)context;
    (void)err;
    memset(buffer, 'a' + (int)row, 6);
    return BIPE_OK;
}

static int give_no_row(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    (void)context;
    (void)row;
    (void)buffer;
    return bipe_fail(err, BIPE_ERR_FORMAT, "no such row");
}

static int fill_list(bipe_tensor_list *list, bipe_error *err)
{
    static const uint64_t matrix[] = {2, 3}, vector[] = {3};
    int status = bipe_tensor_list_add(list, "a", BIPE_BF16, 2, matrix, give_row, NULL, err);
    return status == BIPE_OK ? bipe_tensor_list_add(list, "b.c", BIPE_F16, 1, vector, give_row, NULL, err) : status;
}

static void test_written(void)
{
    static const char want[] = "\x98\0\0\0\0\0\0\0"
        "{\"__metadata__\":{\"format\":\"pt\"},\"a\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[0,12]},"
        "\"b.c\":{\"dtype\":\"F16\",\"shape\":[3],\"data_offsets\":[12,18]}}\n     aaaaaabbbbbbaaaaaa";
    bipe_tensor_list list = {0};
    bipe_error err = {0};
    CHECK(fill_list(&list, &err) == BIPE_OK);
    CHECK(bipe_safetensors_write(&list, scratch_path("a.safetensors"), &err) == BIPE_OK);
    CHECK_TEXT(err.text, "");
    char got[400];
    FILE *file = fopen(scratch_path("a.safetensors"), "rb");
    size_t size = file != NULL ? fread(got, 1, sizeof got, file) : 0;
    if (file != NULL)
        fclose(file);
    CHECK_UINT(size, sizeof want - 1);
    CHECK(size == sizeof want - 1 && memcmp(got, want, size) == 0);
    test_bytes b = {0};
    for (size_t i = 0; i < size; i++)
        put_number(&b, (uint8_t)got[i], 1);
    opened o;
    CHECK(open_copy(&o, bipe_safetensors_read, &b, b.size, &err) == BIPE_OK);
    const bipe_tensor *t = bipe_tensor_find(&o.table, "a");
    CHECK(t != NULL && t->dtype == BIPE_BF16 && t->shape[0] == 2 && t->shape[1] == 3 &&
          memcmp(t->data, "aaaaaabbbbbb", 12) == 0);
    close_copy(&o);
    free_bytes(&b);

    static const uint64_t row[] = {32};
    CHECK(bipe_tensor_list_add(&list, "q", BIPE_Q8_0, 1, row, give_row, NULL, &err) == BIPE_OK);
    CHECK(bipe_safetensors_write(&list, scratch_path("b.safetensors"), &err) == BIPE_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "tensor q: safetensors files have no type Q8_0");
    list.count--;
    union { const char *text; void *memory; } name = {list.entry[list.count].tensor.name};
    bipe_free(name.memory);
    CHECK(bipe_tensor_list_add(&list, "z", BIPE_F16, 1, row, give_no_row, NULL, &err) == BIPE_OK);
    CHECK(bipe_safetensors_write(&list, scratch_path("b.safetensors"), &err) == BIPE_ERR_FORMAT);
    CHECK(access(scratch_path("b.safetensors"), F_OK) != 0);
    bipe_tensor_list_free(&list);
}

static void test_written_without_memory(void)
{
    long n;
    for (n = 0; n < 1000; n++) {
        bipe_tensor_list list = {0};
        bipe_error err = {0};
        bipe_alloc_fail_at(n);
        int status = fill_list(&list, &err);
        if (status == BIPE_OK)
            status = bipe_safetensors_write(&list, scratch_path("a.safetensors"), &err);
        bipe_alloc_fail_at(-1);
        bipe_tensor_list_free(&list);
        if (status == BIPE_OK)
            break;
        CHECKF(status == BIPE_ERR_MEMORY, "allocation %ld", n);
    }
    CHECK(n > 5 && n < 1000);
}

int main(void)
{
    test_written();
    test_written_without_memory();
    test_whole();
    test_bad();
    test_limits();
    test_torn_and_flipped();
    test_allocations();
    return test_result();
}
