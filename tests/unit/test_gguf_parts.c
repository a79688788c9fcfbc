/* test_gguf_parts.c - models in several GGUF files, made here: opened by any of them, and what must be refused. */
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "format/gguf.h"
#include "tests/check.h"

/* Split keys and tensors of a file that is made. */
typedef struct part {
    const char *path;
    int no, count, tensors; /* -1: without the key */
    const char *names[3];   /* of tensors of one value: the first letter's code */
} part;

static int give_letter(void *context, uint64_t row, void *buffer, bipe_error *err)
{
    (void)row;
    (void)err;
    float value = (float)*(const char *)context;
    bipe_dtype_from_f32(BIPE_F32, &value, buffer, 1);
    return BIPE_OK;
}

static void write_part(const part *p)
{
    static const uint64_t one = 1;
    bipe_gguf_writer *writer;
    bipe_error err = {0};
    CHECK(bipe_gguf_writer_open(&writer, &err) == BIPE_OK);
    if (p->no == 0)
        bipe_gguf_set_text(writer, "general.name", "whole");
    if (p->no >= 0)
        bipe_gguf_set_u32(writer, "split.no", (uint32_t)p->no);
    if (p->count >= 0)
        bipe_gguf_set_u32(writer, "split.count", (uint32_t)p->count);
    if (p->tensors >= 0)
        bipe_gguf_set_u32(writer, "split.tensors.count", (uint32_t)p->tensors);
    for (size_t i = 0; i < 3 && p->names[i] != NULL; i++) {
        char *letter = bipe_tensor_list_own(bipe_gguf_tensor_list(writer), 1);
        *letter = p->names[i][0];
        CHECK(bipe_gguf_add_tensor(writer, p->names[i], BIPE_F32, 1, &one, give_letter, letter, &err) == BIPE_OK);
    }
    CHECK(bipe_gguf_write(writer, p->path, &err) == BIPE_OK);
    CHECK_TEXT(err.text, "");
    bipe_gguf_writer_close(writer);
}

#define FIRST "test_gguf_parts-00001-of-00003.gguf"
#define SECOND "test_gguf_parts-00002-of-00003.gguf"
#define THIRD "test_gguf_parts-00003-of-00003.gguf"
#define PLAIN "test_gguf_parts.tmp"
static const part good[3] = {
    {FIRST, 0, 3, 3, {NULL}}, {SECOND, 1, 3, 3, {"b", "a"}}, {THIRD, 2, 3, 3, {"c"}}, /* the first may be empty */
};

static void test_good(void)
{
    for (size_t i = 0; i < 3; i++) {
        bipe_gguf *g;
        bipe_error err = {0};
        bipe_gguf_string name;
        float value;
        CHECK(bipe_gguf_open(&g, good[i].path, &err) == BIPE_OK);
        CHECK_TEXT(err.text, "");
        CHECK_TEXT(bipe_gguf_path(g), FIRST);
        CHECK(bipe_gguf_get_string(g, "general.name", &name, &err) == BIPE_OK && name.size == 5);
        CHECK_UINT(bipe_gguf_tensors(g)->count, 3);
        for (const char *letter = "abc"; *letter != '\0'; letter++) {
            char wanted[2] = {*letter, '\0'};
            const bipe_tensor *tensor = bipe_tensor_find(bipe_gguf_tensors(g), wanted);
            CHECK(tensor != NULL);
            if (tensor == NULL)
                continue;
            bipe_dtype_to_f32(BIPE_F32, tensor->data, &value, 1);
            CHECK(value == (float)*letter);
        }
        bipe_gguf_close(g);
    }
}

static void check_bad(const char *path, int status, const char *message)
{
    bipe_gguf *g;
    bipe_error err = {0};
    CHECK_UINT(bipe_gguf_open(&g, path, &err), status);
    CHECK(g == NULL);
    CHECK_TEXT(err.text, message);
}

/* With one file in place of its good one, or without it where names and numbers are none. */
static void test_bad(void)
{
#define WHOLE SECOND ": a model in 3 files: "
    static const struct {
        part part;
        const char *message;
    } row[] = {
        {{THIRD, 1, 3, 3, {"c"}}, WHOLE THIRD ": key split.no is 1, expected 2"},
        {{THIRD, 2, 4, 3, {"c"}}, WHOLE THIRD ": key split.count is 4, expected 3"},
        {{THIRD, -1, 3, 3, {"c"}}, WHOLE THIRD ": has no key split.no, which every part of a model has"},
        {{THIRD, 2, -1, 3, {"c"}}, WHOLE THIRD ": has no key split.count, which every part of a model has"},
        {{THIRD, 2, 3, 3, {"a"}}, WHOLE "tensor 'a' occurs twice"},
        {{THIRD, 2, 3, 3, {"c", "d"}}, WHOLE "4 tensors, expected 3 (split.tensors.count)"},
        {{FIRST, 2, 3, 3, {NULL}}, WHOLE FIRST ": key split.no is 2, expected 0"},
        {{SECOND, 1, 4, 3, {"b", "a"}},
         SECOND ": one of 4 files of a model (split.count), expected a name that ends in -NNNNN-of-00004.gguf"},
        {{SECOND, 1, 70000, 3, {"b", "a"}}, SECOND ": split.count is 70000, expected at most 65535"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        write_part(&row[i].part);
        check_bad(SECOND, i < 8 ? BIPE_ERR_FORMAT : BIPE_ERR_LIMIT, row[i].message);
        for (size_t k = 0; k < 3; k++)
            write_part(&good[k]);
    }
    unlink(THIRD);
    check_bad(SECOND, BIPE_ERR_IO, WHOLE THIRD ": No such file or directory");
    FILE *file = fopen(THIRD, "wb");
    CHECK(file != NULL && fputs("GGUF", file) != EOF && fclose(file) == 0);
    check_bad(SECOND, BIPE_ERR_FORMAT, WHOLE THIRD ": byte 4: the file ends within its version");
    write_part(&good[2]);
}

/* A file of which no other is known is read alone. */
static void test_alone(void)
{
    static const part alone[] = {{PLAIN, 0, 1, 1, {"a"}}, {PLAIN, -1, -1, -1, {"a"}}, {PLAIN, 0, 0, 1, {"a"}}};
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++) {
        bipe_gguf *g;
        bipe_error err = {0};
        write_part(&alone[i]);
        CHECK(bipe_gguf_open(&g, PLAIN, &err) == BIPE_OK);
        CHECK_UINT(bipe_gguf_tensors(g)->count, 1);
        bipe_gguf_close(g);
    }
}

static void test_names(void)
{
    static const struct {
        const char *path;
        size_t count, number;
    } row[] = {
        {"a/x-00002-of-00003.gguf", 3, 1}, {"x-00001-of-00001.gguf", 1, 0}, {"x-65535-of-65535.gguf", 65535, 65534},
        {"-00001-of-00002.gguf", 0, 0}, {"x-00004-of-00003.gguf", 0, 0}, {"x-00000-of-00003.gguf", 0, 0},
        {"x-0001-of-00003.gguf", 0, 0}, {"x-   01-of-00003.gguf", 0, 0}, {"x-00001-of-00003.GGUF", 0, 0},
        {"x-00001-of-00003.gguf2", 0, 0}, {"x.gguf", 0, 0}, {"", 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        size_t number = 0;
        CHECKF(bipe_gguf_parts(row[i].path, &number) == row[i].count && number == row[i].number, "%s", row[i].path);
        char *other = bipe_gguf_part_path(row[i].path, 0);
        CHECKF(other != NULL && strlen(other) == strlen(row[i].path), "%s", row[i].path);
        bipe_free(other);
    }
    char *other = bipe_gguf_part_path("a/x-00002-of-00003.gguf", 2);
    CHECK_TEXT(other, "a/x-00003-of-00003.gguf");
    bipe_free(other);
}

static void test_allocations(void)
{
    long n;
    for (n = 0; n < 1000; n++) {
        bipe_gguf *g;
        bipe_error err;
        bipe_alloc_fail_at(n);
        int status = bipe_gguf_open(&g, SECOND, &err);
        bipe_alloc_fail_at(-1);
        bipe_gguf_close(g);
        if (status == BIPE_OK)
            break;
        CHECKF(status == BIPE_ERR_MEMORY && g == NULL, "allocation %ld", n);
    }
    CHECK(n > 5 && n < 1000);
}

int main(void)
{
    for (size_t i = 0; i < 3; i++)
        write_part(&good[i]);
    test_good();
    test_bad();
    test_alone();
    test_names();
    test_allocations();
    static const char *const files[] = {FIRST, SECOND, THIRD, PLAIN};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(files[i]);
    return test_result();
}
