/* test_checkpoint.c - weight folders made here: one file, shards with their index, and what must be refused of them. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "format/checkpoint.h"
#include "tests/archive.h"
#include "tests/check.h"

#define FOLDER "test_checkpoint.tmp"

static const char *const file_names[] = {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                         "pytorch_model.bin.index.json", "one.safetensors", "two.safetensors",
                                         "one.bin"};

static void empty_folder(void)
{
    char path[200];
    for (size_t i = 0; i < sizeof file_names / sizeof file_names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", FOLDER, file_names[i]);
        unlink(path);
    }
    rmdir(FOLDER);
}

static void write_text(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    write_file(path, (const uint8_t *)text, strlen(text));
}

/* A safetensors file with one tensor of two values. */
static void write_tensor(const char *name, const char *tensor, const char *data)
{
    char header[200], path[200];
    int size =
        snprintf(header, sizeof header, "{\"%s\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", tensor);
    test_bytes b = {0};
    put_number(&b, (uint64_t)size, 8), put_text(&b, header), put_text(&b, data);
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    write_file(path, b.data, b.size);
    free_bytes(&b);
}

/* A file of torch.save() with one tensor of two values. */
static void write_archive(const char *name, const char *tensor, const char *data)
{
    static const int shape[1] = { 2 }, stride[1] = { 1 };
    char path[200];
    test_bytes b = {0};
    put_bytes(&b, "\x80\x02}(", 4);
    put_entry(&b, tensor, "FloatStorage", "0", 2, 0, 1, shape, stride);
    put_text(&b, "u.");
    test_archive a = {0};
    archive_add(&a, "archive/data.pkl", b.data, b.size);
    archive_add(&a, "archive/data/0", data, strlen(data));
    free_bytes(&b);
    b = archive_end(&a);
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    write_file(path, b.data, b.size);
    free_bytes(&b);
}

static void check_tensor(const bipe_checkpoint *c, const char *name, const char *data)
{
    const bipe_tensor *t = bipe_tensor_find(bipe_checkpoint_tensors(c), name);
    CHECKF(t != NULL && t->size == 8 && memcmp(t->data, data, 8) == 0, "tensor %s", name);
}

static void check_good(const char *one, const char *two)
{
    bipe_checkpoint *c;
    bipe_error err = {0};
    CHECK(bipe_checkpoint_open(&c, FOLDER, &err) == BIPE_OK);
    CHECK_TEXT(err.text, "");
    if (c != NULL) {
        CHECK_UINT(bipe_checkpoint_tensors(c)->count, two != NULL ? 2 : 1);
        check_tensor(c, "one", one);
        if (two != NULL)
            check_tensor(c, "two", two);
    }
    bipe_checkpoint_close(c);
}

static void check_bad(int want, const char *text)
{
    bipe_checkpoint *c;
    bipe_error err = {0};
    int status = bipe_checkpoint_open(&c, FOLDER, &err);
    CHECKF(status == want && c == NULL, "status %d for %s", status, text);
    CHECK_TEXT(err.text, text);
    bipe_checkpoint_close(c);
}

/* In this order of preference: model.safetensors, its index, pytorch_model.bin, its index. */
static void test_kinds(void)
{
    check_bad(BIPE_ERR_IO, FOLDER ": no weights: expected model.safetensors, pytorch_model.bin or their index");
    write_archive("one.bin", "one", "oneone-4");
    write_text("pytorch_model.bin.index.json", "{\"weight_map\":{\"one\":\"one.bin\"}}");
    check_good("oneone-4", NULL);
    write_archive("pytorch_model.bin", "one", "oneone-3");
    check_good("oneone-3", NULL);
    write_tensor("one.safetensors", "one", "oneone-2");
    write_tensor("two.safetensors", "two", "twotwo-2");
    write_text(
        "model.safetensors.index.json",
        "{\"metadata\":{\"total_size\":16},\"weight_map\":{\"two\":\"two.safetensors\",\"one\":\"one.safetensors\"}}");
    check_good("oneone-2", "twotwo-2");
    write_tensor("model.safetensors", "one", "oneone-1");
    check_good("oneone-1", NULL);
    write_text("model.safetensors", "{");
    check_bad(BIPE_ERR_FORMAT, FOLDER "/model.safetensors: 1 bytes, expected a safetensors header");
    unlink(FOLDER "/model.safetensors");
    check_good("oneone-2", "twotwo-2");
}

static void test_bad_index(void)
{
#define INDEX FOLDER "/model.safetensors.index.json: "
    static const char *const elsewhere[] = { "../one.safetensors", "a/one.safetensors", "/etc/passwd", "..", ".", "" };
    write_text("model.safetensors.index.json", "{}");
    check_bad(BIPE_ERR_FORMAT, INDEX "no object \"weight_map\"");
    write_text("model.safetensors.index.json", "{\"weight_map\":{}}");
    check_bad(BIPE_ERR_FORMAT, INDEX "weight_map: names no file");
    write_text("model.safetensors.index.json", "{\"weight_map\"");
    check_bad(BIPE_ERR_FORMAT, INDEX "JSON, byte 13: ':' expected near end of file");
    write_text("model.safetensors.index.json", "{\"weight_map\":{\"one\":1}}");
    check_bad(BIPE_ERR_FORMAT, INDEX "weight_map: tensor 'one' is not in a file of this folder");
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "{\"weight_map\":{\"one\":\"%s\"}}", elsewhere[i]);
        write_text("model.safetensors.index.json", text);
        check_bad(BIPE_ERR_FORMAT, INDEX "weight_map: tensor 'one' is not in a file of this folder");
    }
    write_text("model.safetensors.index.json", "{\"weight_map\":{\"one\":\"three.safetensors\"}}");
    check_bad(BIPE_ERR_IO, FOLDER "/three.safetensors: No such file or directory");
    write_text("model.safetensors.index.json",
               "{\"weight_map\":{\"one\":\"two.safetensors\",\"two\":\"one.safetensors\"}}");
    check_bad(BIPE_ERR_FORMAT, INDEX "weight_map: tensor 'one' is not in 'two.safetensors'");
    write_text("model.safetensors.index.json", "{\"weight_map\":{\"three\":\"two.safetensors\"}}");
    check_bad(BIPE_ERR_FORMAT, INDEX "weight_map: tensor 'three' is not in 'two.safetensors'");
    write_tensor("two.safetensors", "one", "twotwo-2");
    write_text("model.safetensors.index.json",
               "{\"weight_map\":{\"one\":\"one.safetensors\",\"two\":\"two.safetensors\"}}");
    check_bad(BIPE_ERR_FORMAT, INDEX "its shards: tensor 'one' occurs twice");
}

static void test_allocations(void)
{
    write_tensor("two.safetensors", "two", "twotwo-2");
    long n;
    for (n = 0; n < 1000; n++) {
        bipe_checkpoint *c;
        bipe_error err;
        bipe_alloc_fail_at(n);
        int status = bipe_checkpoint_open(&c, FOLDER, &err);
        bipe_alloc_fail_at(-1);
        bipe_checkpoint_close(c);
        if (status == BIPE_OK)
            break;
        CHECKF(status == BIPE_ERR_MEMORY && c == NULL, "allocation %ld", n);
    }
    CHECK(n > 5 && n < 1000);
}

int main(void)
{
    empty_folder();
    if (mkdir(FOLDER, 0777) != 0) {
        perror(FOLDER);
        return 99;
    }
    test_kinds();
    test_bad_index();
    test_allocations();
    empty_folder();
    bipe_checkpoint *c;
    bipe_error err;
    CHECK(bipe_checkpoint_open(&c, "/nowhere", &err) == BIPE_ERR_IO && c == NULL);
    return test_result();
}
