/* test_pytorch.c - files as torch.save() writes them, made here: what is read, what is refused and named, every
 * truncation, bit flips, failing allocations. */
#include "format/pickle.h"
#include "format/zip.h"
#include "tests/archive.h"
#include "tests/tensor_file.h"

static uint8_t storage_bytes[48];

/* An archive around this pickle, which is freed, with two storages "0" and "1" of 24 and 48 bytes. */
static test_bytes archive_of(test_bytes *pickle, int zip64)
{
    test_archive a = { .zip64 = zip64 };
    archive_add(&a, "model/data.pkl", pickle->data, pickle->size);
    archive_add(&a, "model/byteorder", "little", 6);
    archive_add(&a, "model/data/0", storage_bytes, 24);
    archive_add(&a, "model/data/1", storage_bytes, 48);
    archive_add(&a, "model/version", "3\n", 2);
    free_bytes(pickle);
    return archive_end(&a);
}

static void begin_dict(test_bytes *b)
{
    put_bytes(b, "\x80\x02", 2);
    put_text(b, "ccollections\nOrderedDict\n)R(");
}

static void put_simple(test_bytes *b, const char *name)
{
    static const int shape[2] = { 2, 3 }, stride[2] = { 3, 1 };
    put_entry(b, name, "FloatStorage", "0", 6, 0, 2, shape, stride);
}

/* A state dict with what PyTorch and others put into one. */
static test_bytes whole_pickle(void)
{
    test_bytes b = {0};
    static const int cube[3] = { 1, 4, 1 }, free_strides[3] = { 77, 1, 99 }, none[1] = {0};
    begin_dict(&b);
    put_simple(&b, "a");
    put_entry(&b, "b", "HalfStorage", "1", 24, 3, 3, cube, free_strides);
    put_entry(&b, "c", "BFloat16Storage", "1", 24, 20, 3, cube, free_strides);
    put_entry(&b, "scalar", "LongStorage", "1", 6, 5, 0, NULL, NULL);
    put_entry(&b, "double", "DoubleStorage", "1", 6, 2, 1, cube + 1, free_strides + 1);
    put_entry(&b, "empty", "FloatStorage", "0", 6, 6, 1, none, none);
    /* A parameter; a nested dict, a list, a float, a bool, None, a big and a negative integer: passed over. */
    put_unicode(&b, "p");
    put_text(&b, "ctorch._utils\n_rebuild_parameter\n");
    put_text(&b, "(");
    {
        test_bytes entry = {0};
        put_simple(&entry, "");
        put_bytes(&b, entry.data + 5, entry.size - 5); /* without its key */
        free_bytes(&entry);
    }
    put_text(&b, "\x88N" "tR");
    put_unicode(&b, "epoch"), put_bytes(&b, "K\x07", 2);
    put_unicode(&b, "nested"), put_text(&b, "}(");
    put_simple(&b, "inner");
    put_text(&b, "u");
    put_unicode(&b, "list"), put_text(&b, "]("), put_text(&b, "NN"), put_text(&b, "eNa");
    put_unicode(&b, "float"), put_bytes(&b, "G\x3F\xF0\0\0\0\0\0\0", 9);
    put_unicode(&b, "long"), put_bytes(&b, "\x8A\x03\x01\x02\xFF", 5);
    put_bytes(&b, "\x8C\x02ok", 4), put_bytes(&b, "M\x01\x01", 3);
    put_text(&b, "u");
    put_unicode(&b, "d"), put_text(&b, "ctorch._utils\n_rebuild_parameter\n0N0"); /* pushed and popped */
    put_bytes(&b, "K\x01", 2), put_text(&b, "s");
    put_text(&b, "}"), put_unicode(&b, "_metadata"), put_text(&b, "}sb."); /* attributes of the dict */
    return b;
}

static void check_whole(int zip64)
{
    test_bytes pickle = whole_pickle(), b = archive_of(&pickle, zip64);
    opened o;
    bipe_error err = {0};
    CHECK(open_copy(&o, bipe_pytorch_read, &b, b.size, &err) == BIPE_OK);
    CHECK_TEXT(err.text, "");
    CHECK_UINT(o.table.count, 7);
    const bipe_tensor *a = bipe_tensor_find(&o.table, "a"), *t;
    CHECK(a != NULL && a->dtype == BIPE_F32 && a->dims == 2 && a->shape[0] == 2 && a->shape[1] == 3 && a->size == 24);
    CHECK(a != NULL && memcmp(a->data, storage_bytes, 24) == 0);
    CHECK_TEXT(a != NULL ? a->dtype_name : "", "F32");
    t = bipe_tensor_find(&o.table, "p");
    CHECK(t != NULL && a != NULL && t->data == a->data && t->dims == 2);
    t = bipe_tensor_find(&o.table, "b");
    CHECK(t != NULL && t->dtype == BIPE_F16 && t->dims == 3 && t->size == 8 &&
          memcmp(t->data, storage_bytes + 6, 8) == 0);
    t = bipe_tensor_find(&o.table, "c");
    CHECK(t != NULL && t->dtype == BIPE_BF16 && memcmp(t->data, storage_bytes + 40, 8) == 0);
    t = bipe_tensor_find(&o.table, "scalar");
    CHECK(t != NULL && t->dims == 0 && t->size == 8 && memcmp(t->data, storage_bytes + 40, 8) == 0);
    CHECK_TEXT(t != NULL ? bipe_dtype_name(t->dtype) : "", "I64");
    t = bipe_tensor_find(&o.table, "double");
    CHECK(t != NULL && t->size == 32 && memcmp(t->data, storage_bytes + 16, 32) == 0);
    CHECK_TEXT(t != NULL ? t->dtype_name : "", "DoubleStorage");
    t = bipe_tensor_find(&o.table, "empty");
    CHECK(t != NULL && t->size == 0);
    CHECK(bipe_tensor_find(&o.table, "inner") == NULL && bipe_tensor_find(&o.table, "epoch") == NULL);
    close_copy(&o);
    free_bytes(&b);
}

/* The dict that a program for training puts around the model's. */
static void test_state_dict(void)
{
    static const struct { const char *outer, *other; size_t count; } cases[] = {
        {"state_dict", "epoch", 2}, {"model_state_dict", "optimizer", 2}, {"model", "state_dict_ema", 2},
        {"module", "x", 2}, {"model", "state_dict", 1},
        {"weights", "x", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_bytes pickle = {0};
        begin_dict(&pickle);
        put_unicode(&pickle, cases[i].other), put_text(&pickle, "}(");
        put_simple(&pickle, "other"), put_text(&pickle, "u");
        put_unicode(&pickle, cases[i].outer), put_text(&pickle, "}(");
        put_simple(&pickle, "one"), put_simple(&pickle, "two"), put_text(&pickle, "uu.");
        test_bytes b = archive_of(&pickle, 0);
        opened o;
        bipe_error err = {0};
        int status = open_copy(&o, bipe_pytorch_read, &b, b.size, &err);
        CHECKF(status == (cases[i].count > 0 ? BIPE_OK : BIPE_ERR_FORMAT), "%s: %s", cases[i].outer, err.text);
        CHECK_UINT(o.table.count, cases[i].count);
        close_copy(&o);
        free_bytes(&b);
    }
}

/* Protocol 4: frames, memoize, names on the stack. */
static void test_protocol_4(void)
{
    test_bytes b = {0};
    put_bytes(&b, "\x80\x04\x95", 3), put_zeros(&b, 8);
    put_text(&b, "}\x94");
    put_bytes(&b, "\x8C\x01w\x94", 4);
    put_bytes(&b, "\x8C\x0Ctorch._utils\x94\x8C\x12_rebuild_tensor_v2\x94\x93\x94", 2 + 12 + 1 + 2 + 18 + 1 + 2);
    put_text(&b, "(("), put_bytes(&b, "\x8D\7\0\0\0\0\0\0\0storage\x94", 17);
    put_bytes(&b, "\x8C\5torch\x94\x8C\x0C" "FloatStorage\x94\x93\x94", 8 + 15 + 2);
    put_bytes(&b, "\x8C\x01" "0\x94\x8C\x03" "cpu\x94K\x06t\x94Q", 4 + 6 + 2 + 3);
    put_bytes(&b, "K\x02K\x02K\x02\x86\x94K\x02K\x01\x86\x94\x89}\x94tR\x94s.", 2 + 6 + 6 + 1 + 2 + 2 + 3);
    test_bytes file = archive_of(&b, 0);
    opened o;
    bipe_error err = {0};
    CHECK(open_copy(&o, bipe_pytorch_read, &file, file.size, &err) == BIPE_OK);
    CHECK_TEXT(err.text, "");
    const bipe_tensor *t = bipe_tensor_find(&o.table, "w");
    CHECK(t != NULL && t->dims == 2 && t->shape[0] == 2 && t->size == 16 &&
          memcmp(t->data, storage_bytes + 8, 16) == 0);
    close_copy(&o);
    free_bytes(&file);
}

/* Frees *pickle. */
static void check_bad(test_bytes *pickle, int want, const char *text)
{
    test_bytes b = archive_of(pickle, 0);
    opened o;
    bipe_error err = {0};
    int status = open_copy(&o, bipe_pytorch_read, &b, b.size, &err);
    CHECKF(status == want, "status %d for: %s", status, text);
    CHECK_TEXT(err.text, text);
    close_copy(&o);
    free_bytes(&b);
}

static void check_bad_text(const char *pickle, int want, const char *text)
{
    test_bytes b = {0};
    put_bytes(&b, "\x80\x02", 2);
    put_text(&b, pickle);
    check_bad(&b, want, text);
}

static void test_bad_programs(void)
{
    const int bad = BIPE_ERR_FORMAT, no = BIPE_ERR_UNSUPPORTED;
    check_bad_text(
        "cposix\nsystem\n", no,
        "pickle, byte 16: the global 'posix.system' is not one that a state dict of tensors needs (nothing was "
        "run)");
    check_bad_text(
        "c__builtin__\neval\n", no,
        "pickle, byte 20: the global '__builtin__.eval' is not one that a state dict of tensors needs (nothing "
        "was run)");
    check_bad_text("X\2\0", bad, "pickle, byte 3: it ends within an instruction");
    check_bad_text(
        "i__builtin__\neval\n", no,
        "pickle, byte 2: the instruction 0x69 (INST) is not one that a state dict of tensors needs (nothing was "
        "run)");
    check_bad_text(
        "\xFF", no,
        "pickle, byte 2: the instruction 0xFF is not one that a state dict of tensors needs (nothing was run)");
    check_bad_text(
        "N\x81", no,
        "pickle, byte 3: the instruction 0x81 (NEWOBJ) is not one that a state dict of tensors needs (nothing was "
        "run)");
    check_bad_text("\x80\x06.", no, "pickle, byte 4: a protocol other than 2 to 5");
    check_bad_text("N)R", no, "pickle, byte 5: something else than a known global is called");
    check_bad_text("ctorch\nFloatStorage\n)R", no, "pickle, byte 24: a storage type is called");
    check_bad_text("ccollections\nOrderedDict\n]\x85R", no, "pickle, byte 30: an OrderedDict made with arguments");
    check_bad_text("]Nb", no, "pickle, byte 5: attributes are set on what is not a dict");
    check_bad_text("NQ", no, "pickle, byte 4: a persistent id that is not a storage of five parts");
    check_bad_text("(NNNNNtQ", no,
                   "pickle, byte 10: a persistent id that is not ('storage', type, key, device, count)");
    check_bad_text("NN\x93", bad, "pickle, byte 5: a global whose name is not two strings");
    check_bad_text("R", bad, "pickle, byte 3: an instruction finds too few values on the stack");
    check_bad_text("N(\x86", bad, "pickle, byte 5: an instruction finds too few values on the stack");
    check_bad_text("t", bad, "pickle, byte 3: an instruction finds no mark on the stack");
    check_bad_text("(u", bad, "pickle, byte 4: an instruction finds too few values on the stack");
    check_bad_text("}(Nu", bad, "pickle, byte 6: items are set in what is not a dict, or a key has no value");
    check_bad_text("]NNs", bad, "pickle, byte 6: items are set in what is not a dict, or a key has no value");
    check_bad_text("}Na", bad, "pickle, byte 5: items are appended to what is not a list");
    check_bad_text("hA", bad, "pickle, byte 4: a memo that was never written is read");
    check_bad_text("qA", bad, "pickle, byte 4: an instruction finds too few values on the stack");
    check_bad_text("NrAAAA", BIPE_ERR_LIMIT, "pickle, byte 8: more objects than any state dict has");
    check_bad_text("\x8A\x09", no, "pickle, byte 4: an integer of more than 64 bits");
    check_bad_text("cabc", bad, "pickle, byte 3: it ends within an instruction");
    check_bad_text("NN.", bad, "pickle, byte 5: it stops with other than one value on the stack");
    check_bad_text("(N.", bad, "pickle, byte 5: it stops with other than one value on the stack");
    check_bad_text("N.", no, "pickle: holds None, expected a dict of tensors");
    check_bad_text("}.", bad, "there is no tensor in its dict, expected a state dict");
    check_bad_text("ctorch._utils\n_rebuild_parameter\n)R.", bad,
                   "pickle, byte 37: _rebuild_parameter with arguments that are not (tensor, bool, hooks)");
    check_bad_text(
        "ctorch._utils\n_rebuild_tensor_v2\n)R.", bad,
        "pickle, byte 37: _rebuild_tensor_v2 with arguments that are not (storage, offset, shape, stride, bool, "
        "hooks)");
}

static void check_bad_entry(const char *key, int items, int offset, int dims, const int *shape, const int *stride,
                            int want, const char *text)
{
    test_bytes b = {0};
    begin_dict(&b);
    put_entry(&b, "t", "FloatStorage", key, items, offset, dims, shape, stride);
    put_text(&b, "u.");
    bipe_error err = {0};
    test_bytes file = archive_of(&b, 0);
    opened o;
    int status = open_copy(&o, bipe_pytorch_read, &file, file.size, &err);
    CHECKF(status == want, "status %d for: %s", status, text);
    CHECKF(strstr(err.text, text) != NULL, "\"%s\" in \"%s\"", text, err.text);
    close_copy(&o);
    free_bytes(&file);
}

static void test_bad_entries(void)
{
    static const int shape[5] = { 2, 3, 1, 1, 1 }, stride[5] = { 3, 1, 1, 1, 1 }, turned[2] = { 1, 2 };
    static const int huge[4] = { 2147483647, 2147483647, 2147483647, 2147483647 }, negative[2] = { 2, -3 };
    const int bad = BIPE_ERR_FORMAT;
    check_bad_entry("0", 6, 0, 2, shape, turned, BIPE_ERR_UNSUPPORTED, "tensor 't': its values are not in the order");
    check_bad_entry("7", 6, 0, 2, shape, stride, bad, "tensor 't': its storage 'data/7' is not in the archive");
    check_bad_entry("../../../etc/passwd", 6, 0, 2, shape, stride, bad,
                    "tensor 't': its storage 'data/../../../etc/passwd' is not in the archive");
    check_bad_entry("0", 7, 0, 2, shape, stride, bad, "tensor 't': its storage '0' of 7 values has only 24 bytes");
    check_bad_entry("0", 6, 1, 2, shape, stride, bad,
                    "tensor 't': 6 values from number 1, but its storage '0' has only 6");
    check_bad_entry("0", 5, 0, 2, shape, stride, bad,
                    "tensor 't': 6 values from number 0, but its storage '0' has only 5");
    check_bad_entry("0", 6, 2147483647, 2, shape, stride, bad, "values from number 2147483647");
    check_bad_entry("0", 6, -1, 2, shape, stride, bad, "_rebuild_tensor_v2 with arguments that are not");
    check_bad_entry("0", 6, 0, 2, negative, stride, bad,
                    "a tensor whose shape or strides are not whole numbers from 0");
    check_bad_entry("0", 6, 0, 5, shape, stride, BIPE_ERR_UNSUPPORTED, "a tensor of more than 4 dimensions");
    check_bad_entry("0", 6, 0, 4, huge, stride, BIPE_ERR_LIMIT,
                    "tensor 't': its shape has more values than memory can hold");

    test_bytes b = {0};
    begin_dict(&b);
    put_simple(&b, "a"), put_simple(&b, "a"), put_text(&b, "u.");
    check_bad(&b, bad, "tensor 'a' occurs twice");
    begin_dict(&b);
    put_simple(&b, "a\r"), put_text(&b, "u.");
    check_bad(&b, bad, "tensor 'a?': its name is empty or holds control characters");
}

static void check_bad_archive(test_bytes *b, int want, const char *text)
{
    opened o;
    bipe_error err = {0};
    int status = open_copy(&o, bipe_pytorch_read, b, b->size, &err);
    CHECKF(status == want, "status %d for: %s", status, text);
    CHECK_TEXT(err.text, text);
    close_copy(&o);
    free_bytes(b);
}

static test_bytes small_archive(void)
{
    test_archive a = {0};
    archive_add(&a, "a/x", "12", 2);
    return archive_end(&a);
}

static void test_bad_archives(void)
{
    const int bad = BIPE_ERR_FORMAT, no = BIPE_ERR_UNSUPPORTED;
    test_archive a = {0};
    test_bytes b = {0};
    check_bad_archive(&b, bad, "zip: no end record: the file is cut short or not a zip archive");
    b = small_archive();
    check_bad_archive(&b, bad, "a zip archive without FOLDER/data.pkl, which PyTorch would have written");
    a.method = 8, archive_add(&a, "a/data.pkl", "12", 2), b = archive_end(&a);
    check_bad_archive(&b, no, "zip: entry 'a/data.pkl' is compressed (method 8), expected a stored one");
    a.flags = 1, archive_add(&a, "a/data.pkl", "12", 2), b = archive_end(&a);
    check_bad_archive(&b, no, "zip: entry 'a/data.pkl' is encrypted");
    archive_add(&a, "a/x", "12", 2), archive_add(&a, "a/x", "12", 2), b = archive_end(&a);
    check_bad_archive(&b, bad, "zip: entry 'a/x' occurs twice");
    archive_add(&a, "a/data.pkl", "12", 2), archive_add(&a, "a/byteorder", "big", 3), b = archive_end(&a);
    check_bad_archive(&b, no, "its byte order is not \"little\"");

    b = small_archive(), b.data[30] = 'b'; /* the name in the local header */
    check_bad_archive(&b, bad, "zip: entry 'a/x': its header names another");
    b = small_archive(), b.data[0] = 'Q';
    check_bad_archive(&b, bad, "zip: entry 'a/x': no header at byte 0");
    /* From the end: 22 bytes of end record, 49 of directory. */
    b = small_archive(), b.data[b.size - 22 - 49 + 42] = 200; /* offset */
    check_bad_archive(&b, bad, "zip: entry 'a/x': no header at byte 200");
    b = small_archive(), b.data[b.size - 22 - 49 + 24] = 3; /* size, but not packed size */
    check_bad_archive(&b, bad, "zip: entry 'a/x': two sizes, 3 and 2");
    b = small_archive(), b.data[b.size - 22 - 49 + 24] = 200, b.data[b.size - 22 - 49 + 20] = 200;
    check_bad_archive(&b, bad, "zip: entry 'a/x': 200 bytes, but only 73 are there");
    b = small_archive(), memset(b.data + b.size - 22 - 49 + 20, 0xFF, 8);
    check_bad_archive(&b, bad, "zip: entry 'a/x': its zip64 sizes are missing");
    b = small_archive(), b.data[b.size - 22 - 49] = 0;
    check_bad_archive(&b, bad, "zip: the directory is cut short or damaged");
    b = small_archive(), b.data[b.size - 22 - 49 + 30] = 9; /* extra field beyond the directory */
    check_bad_archive(&b, bad, "zip: the directory is cut short or damaged");
    b = small_archive(), b.data[b.size - 22 + 8] = 2, b.data[b.size - 22 + 10] = 2; /* number of entries */
    check_bad_archive(&b, bad, "zip: 2 entries claimed in a directory of 49 bytes");
    b = small_archive(), b.data[b.size - 22 + 4] = 1; /* disk */
    check_bad_archive(&b, no, "zip: an archive in several parts");
    b = small_archive(), b.data[b.size - 22 + 19] = 0x7F; /* offset of the directory */
    check_bad_archive(&b, bad, "zip: a directory of 49 bytes at byte 2130706472, which is not inside the file");

    static const uint8_t old[] = {0x80, 0x02, 0x8A, 0x0A, 0x6C, 0xFC, 0x9C, 0x46,
                                  0xF9, 0x20, 0x6A, 0xA8, 0x50, 0x19, '.'};
    put_bytes(&b, old, sizeof old);
    check_bad_archive(
        &b, no,
        "the format of PyTorch before 1.6, expected a zip archive: load and save it with a newer PyTorch, or "
        "convert it to safetensors");
}

static void test_bad_zip64(void)
{
    test_archive a = { .zip64 = 1 };
    archive_add(&a, "a/x", "12", 2);
    test_bytes good = archive_end(&a), b = {0};
    put_bytes(&b, good.data, good.size), b.data[b.size - 22 - 20 + 8] = 1; /* where the zip64 end record is */
    check_bad_archive(&b, BIPE_ERR_FORMAT, "zip: no zip64 end record at byte 1");
    put_bytes(&b, good.data, good.size), memset(b.data + b.size - 22 - 20 + 8, 0xFF, 8);
    check_bad_archive(&b, BIPE_ERR_FORMAT, "zip: no zip64 end record at byte 18446744073709551615");
    put_bytes(&b, good.data, good.size), memset(b.data + b.size - 22 - 20 - 56 + 24, 0xFF, 16); /* entries */
    check_bad_archive(&b, BIPE_ERR_FORMAT, "zip: 18446744073709551615 entries claimed in a directory of 81 bytes");
    put_bytes(&b, good.data, good.size), memset(b.data + b.size - 22 - 20 - 56 + 48, 0xFF, 8); /* offset */
    check_bad_archive(&b, BIPE_ERR_FORMAT,
                      "zip: a directory of 81 bytes at byte 18446744073709551615, which is not inside the file");
    put_bytes(&b, good.data, good.size), b.data[b.size - 22 - 20 - 56 + 16] = 1; /* disk */
    check_bad_archive(&b, BIPE_ERR_UNSUPPORTED, "zip: an archive in several parts");
    free_bytes(&good);
}

/* Small enough to be cut and flipped everywhere. */
static test_bytes small_file(void)
{
    test_bytes pickle = {0};
    begin_dict(&pickle);
    put_simple(&pickle, "a"), put_text(&pickle, "u.");
    return archive_of(&pickle, 1);
}

static void test_torn_and_flipped(void)
{
    test_bytes b = small_file();
    check_torn_and_flipped(bipe_pytorch_read, &b, sizeof storage_bytes);
    free_bytes(&b);
}

/* The pickle alone, so that its own ends are met and not the archive's. */
static int count_tensor(void *context, const bipe_pickle_tensor *tensor, bipe_error *err)
{
    (void)err;
    *(size_t *)context += tensor->name_size != 0;
    return BIPE_OK;
}

static void test_torn_pickle(void)
{
    test_bytes b = whole_pickle();
    bipe_error err;
    for (size_t size = 0; size <= b.size; size++) {
        uint8_t *copy = exact_copy(b.data, size);
        size_t count = 0;
        int status = bipe_pickle_read(copy, size, count_tensor, &count, &err);
        CHECKF(size < b.size ? status == BIPE_ERR_FORMAT : status == BIPE_OK && count == 7, "cut to %zu bytes", size);
        free(copy);
    }
    for (size_t bit = 0; bit < 8 * b.size; bit++) {
        b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        uint8_t *copy = exact_copy(b.data, b.size);
        size_t count = 0;
        int status = bipe_pickle_read(copy, b.size, count_tensor, &count, &err);
        CHECK(status != BIPE_OK || count <= 8);
        free(copy);
        b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free_bytes(&b);
}

static void test_allocations(void)
{
    test_bytes pickle = whole_pickle(), b = archive_of(&pickle, 0);
    check_allocations(bipe_pytorch_read, &b, 8);
    free_bytes(&b);
}

int main(void)
{
    for (size_t i = 0; i < sizeof storage_bytes; i++)
        storage_bytes[i] = (uint8_t)(3 * i + 1);
    check_whole(0);
    check_whole(1);
    test_state_dict();
    test_protocol_4();
    test_bad_programs();
    test_bad_entries();
    test_bad_archives();
    test_bad_zip64();
    test_torn_and_flipped();
    test_torn_pickle();
    test_allocations();
    return test_result();
}
