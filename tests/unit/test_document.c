/* test_document.c - documents of plain text and of JSON Lines. Random records, whole and damaged, are read through
 * buffers of many sizes, which must not matter, and are judged line by line by jansson. */
#include "config.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "tests/check.h"
#include "tests/packed.h"
#include "tests/scratch.h"
#include "text/document.h"

/* Texts in memory, with and without sizes, read in pieces. */
static void test_texts(void)
{
    static const char *const text[] = {"one", "", "two and\0three"};
    static const size_t size[] = {3, 0, 13};
    for (size_t capacity = 1; capacity < 20; capacity++)
        for (int sized = 0; sized < 2; sized++) {
            const bipe_memory_texts texts = {text, sized ? size : NULL, 3};
            uint8_t bytes[64];
            size_t got, all;
            bipe_documents *documents;
            bipe_error err;
            CHECK(bipe_documents_open_texts(&documents, &texts, &err) == BIPE_OK);
            CHECK(bipe_documents_are_records(documents) && bipe_documents_input(documents) == NULL);
            for (size_t i = 0; i < 3; i++) {
                CHECK(bipe_documents_next(documents, &err) == BIPE_OK && bipe_documents_index(documents) == i);
                for (all = 0; bipe_documents_read(documents, bytes + all, capacity, &got, &err) == BIPE_OK && got > 0;)
                    all += got;
                CHECK(all == (sized ? size[i] : strlen(text[i])) && memcmp(bytes, text[i], all) == 0);
            }
            CHECK(bipe_documents_next(documents, &err) == BIPE_END && bipe_documents_next(documents, &err) == BIPE_END);
            bipe_documents_close(documents);
        }
}

/* ---- all documents of a file as one printed text ---- */

static void show(bipe_buffer *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bipe_buffer_printf(out, NULL, bytes[i] >= 0x20 && bytes[i] < 0x7F && bytes[i] != '<' ? "%c" : "<%02X>",
                           bytes[i]);
}

static const char *field = "text";
static bool trim; /* leave out a newline at the end */

static bipe_buffer *whole; /* gets the bytes of all records; NULL: they are not kept */

static void keep_whole(const bipe_documents *documents)
{
    const bipe_buffer *record = bipe_documents_record(documents);
    CHECK((record == NULL) == (whole == NULL));
    if (record != NULL && whole != NULL)
        bipe_buffer_append(whole, record->data, record->size, NULL);
}

/* "0[text]\n" a document; an error is "!message\n". The status of the last next(). */
static int read_all(const char *path, bipe_document_kind kind, size_t capacity, bipe_buffer *out)
{
    static uint8_t bytes[8192];
    bipe_documents *documents;
    bipe_error err;
    out->size = 0;
    int status = bipe_documents_open(&documents, path, kind, field, &err);
    if (status != BIPE_OK) {
        bipe_buffer_printf(out, NULL, "!%s\n", err.text);
        return status;
    }
    if (trim)
        bipe_documents_trim(documents);
    if (whole != NULL)
        bipe_documents_keep_records(documents);
    for (int calls = 0; (status = bipe_documents_next(documents, &err)) != BIPE_END && calls < 100000; calls++) {
        if (status != BIPE_OK) {
            bipe_buffer_printf(out, NULL, "!%s\n", err.text);
            if (status != BIPE_ERR_FORMAT)
                break;
            keep_whole(documents);
            continue;
        }
        bipe_buffer_printf(out, NULL, "%d[", (int)bipe_documents_index(documents));
        size_t size;
        while ((status = bipe_documents_read(documents, bytes, capacity, &size, &err)) == BIPE_OK && size > 0) {
            CHECK(size <= capacity);
            show(out, bytes, size);
        }
        CHECK(size == 0);
        keep_whole(documents);
        bipe_buffer_printf(out, NULL, status == BIPE_OK ? "]\n" : "!%s\n", err.text);
        CHECK(bipe_documents_read(documents, bytes, capacity, &size, &err) == BIPE_OK && size == 0);
    }
    if (status == BIPE_END)
        CHECK(bipe_documents_next(documents, &err) == BIPE_END);
    bipe_documents_close(documents);
    return status;
}

static const char *const sizes[] = {"1", "2", "3", "7", "64", "4096", NULL};

/* Reads with every buffer size; they must agree. Returns the text (free it). */
static char *read_every_way(const char *path, bipe_document_kind kind)
{
    static const size_t capacities[] = {4096, 1, 2, 3, 7, 64};
    bipe_buffer first = {0}, other = {0};
    for (size_t i = 0; sizes[i] != NULL; i++) {
        setenv("BIPE_BUFFER_SIZE", sizes[i], 1);
        bipe_buffer *out = i == 0 ? &first : &other;
        read_all(path, kind, capacities[i], out);
        bipe_buffer_append(out, "", 1, NULL);
        if (i > 0)
            CHECK_TEXT((char *)other.data, (char *)first.data);
    }
    unsetenv("BIPE_BUFFER_SIZE");
    bipe_buffer_free(&other);
    char *copy = strdup((char *)first.data);
    bipe_buffer_free(&first);
    return copy;
}

static void check_file(const char *name, const char *bytes, size_t size, const char *want)
{
    const char *path = scratch_write(name, bytes, size);
    char *got = read_every_way(path, BIPE_DOCUMENTS_AUTO);
    /* Messages start with the path; here they are compared after it. */
    bipe_buffer plain = {0};
    for (const char *p = got; *p != '\0';) {
        size_t n = strlen(path);
        if (strncmp(p, path, n) == 0)
            p += n;
        else
            bipe_buffer_append(&plain, p++, 1, NULL);
    }
    bipe_buffer_append(&plain, "", 1, NULL);
    CHECK_TEXT((char *)plain.data, want);
    bipe_buffer_free(&plain);
    free(got);
}

#define CHECK_FILE(name, bytes, want) check_file(name, bytes, sizeof(bytes) - 1, want)
#define UNTERMINATED(line, byte) ": record at line " #line ", byte " #byte ": unterminated string"
#define AT(line, byte) ": record at line " #line ", byte " #byte ": found "

static void test_plain(void)
{
    CHECK_FILE("plain", "\xEF\xBB\xBF" "a\0\n{\"text\":\"x\"}\n", "0[<EF><BB><BF>a<00><0A>{\"text\":\"x\"}<0A>]\n");
    CHECK_FILE("empty", "", "0[]\n");
}

/* A path to the text, also where an object on the way has a long name. */
static void test_trim(void)
{
    trim = true;
    check_file("plain.txt", "", 0, "0[]\n");
    check_file("plain.txt", "\n", 1, "0[]\n");
    check_file("plain.txt", "\n\n", 2, "0[<0A>]\n");
    check_file("plain.txt", "a", 1, "0[a]\n");
    check_file("plain.txt", "a\nb\n", 4, "0[a<0A>b]\n");
    check_file("plain.txt", "a\nbc", 4, "0[a<0A>bc]\n");
    trim = false;
}

static void test_paths(void)
{
    static char deep[400];
    field = "a.b";
    CHECK_FILE("path.jsonl",
               "{\"a\":{\"x\":[{\"b\":1}],\"b\":\"one\",\"y\":{}},\"z\":0}\n{\"a.b\":\"two\",\"a\":1}\n{\"a\":{\"\":{}}"
               ",\"b\":2}\n{\"ab\":1,\"a\":3}\n",
               "0[one]\n1[two]\n!" AT(
                   3, 19) "the members \"a.\", \"b\", expected \"a.b\" (--field names another)\n"
                          "!" AT(4, 14) "the members \"ab\", \"a\", expected \"a.b\" (--field names another)\n");
    for (size_t n = 60; n <= 70; n++) {
        char line[400], want[40] = "0[deep]\n";
        memset(deep, 'k', n);
        memcpy(deep + n, ".t.u", 5);
        int size = snprintf(line, sizeof line, "{\"%.*s\":{\"t\":{\"u\":\"deep\"}}}\n", (int)n, deep);
        field = deep;
        check_file("deep.jsonl", line, (size_t)size, want);
    }
    field = "text";
}

static void test_names(void)
{
    static const char *const json[] = {"a.jsonl",     "a.ndjson",   "a.jsonl.zst", "a.jsonl.zstd",
                                       "a.ndjson.gz", "a.jsonl.xz", "A.JSONL"};
    static const char *const plain[] = {"a.json", "jsonl", "a.jsonl.txt", "a.jsonl.gz.zst", "a.txt.zst"};
    for (size_t i = 0; i < sizeof json / sizeof json[0]; i++)
        CHECK_FILE(json[i], "{\"text\":\"x\"}", "0[x]\n");
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        CHECK_FILE(plain[i], "{\"text\":\"x\"}", "0[{\"text\":\"x\"}]\n");
    bipe_buffer out = {0};
    CHECK(read_all(scratch_write("a.txt", "{\"text\":\"x\"}", 12), BIPE_DOCUMENTS_JSONL, 10, &out) == BIPE_END);
    CHECK(out.size == 5 && memcmp(out.data, "0[x]\n", 5) == 0);
    CHECK(read_all(scratch_write("a.jsonl", "x", 1), BIPE_DOCUMENTS_PLAIN, 10, &out) == BIPE_END);
    CHECK(out.size == 5 && memcmp(out.data, "0[x]\n", 5) == 0);
    const size_t rooms[] = {1, 2, 3, 4096};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) { /* by the line; what is not read of a line is passed
                                                                     over */
        const char *lines = "0[ab<0A>]\n1[<0A>]\n2[c]\n";
        CHECK(read_all(scratch_write("a.txt", "ab\n\nc", 5), BIPE_DOCUMENTS_LINES, rooms[i], &out) == BIPE_END);
        CHECK(out.size == strlen(lines) && memcmp(out.data, lines, out.size) == 0);
    }
    CHECK(read_all(scratch_write("a.txt", "", 0), BIPE_DOCUMENTS_LINES, 10, &out) == BIPE_END && out.size == 0);
    CHECK(read_all(scratch_write("a.jsonl", "{\"text\":\"x\"}", 12), BIPE_DOCUMENTS_LINES, 10, &out) == BIPE_END);
    CHECK(out.size == 5 && memcmp(out.data, "0[x]\n", 5) == 0);
    bipe_documents *lines;
    bipe_error err = {0};
    uint8_t byte;
    size_t size;
    CHECK(bipe_documents_open(&lines, scratch_write("a.txt", "abc\nd", 5), BIPE_DOCUMENTS_LINES, NULL, &err) ==
          BIPE_OK);
    CHECK(bipe_documents_next(lines, &err) == BIPE_OK && bipe_documents_read(lines, &byte, 1, &size, &err) == BIPE_OK &&
          byte == 'a');
    CHECK(bipe_documents_next(lines, &err) == BIPE_OK && bipe_documents_read(lines, &byte, 1, &size, &err) == BIPE_OK &&
          byte == 'd');
    CHECK(bipe_documents_next(lines, &err) == BIPE_END);
    bipe_documents_close(lines);

    /* By the block: whole lines, as many as it takes; read or passed over. */
    enum { LINE = 1000, LINES = 600, OF_BLOCK = (BIPE_DOCUMENT_BLOCK + LINE - 1) / LINE };
    static char text[LINE * LINES];
    memset(text, 'x', sizeof text);
    for (size_t i = 1; i <= LINES; i++)
        text[i * LINE - 1] = '\n';
    const char *path = scratch_write("a.txt", text, sizeof text);
    for (int reads = 0; reads < 2; reads++) {
        bipe_documents *blocks;
        static uint8_t some[999];
        uint64_t read[3] = {0};
        CHECK(bipe_documents_open(&blocks, path, BIPE_DOCUMENTS_BLOCKS, NULL, &err) == BIPE_OK);
        for (uint64_t b = 0; b < 3; b++) {
            CHECK(bipe_documents_next(blocks, &err) == BIPE_OK && bipe_documents_index(blocks) == b);
            do {
                CHECK(bipe_documents_read(blocks, some, sizeof some, &size, &err) == BIPE_OK);
                read[b] += size;
            } while (size > 0 && reads == 1);
        }
        CHECK(bipe_documents_next(blocks, &err) == BIPE_END);
        if (reads == 1)
            CHECK(read[0] == OF_BLOCK * LINE && read[1] == read[0] && read[2] == (LINES - 2 * OF_BLOCK) * LINE);
        bipe_documents_close(blocks);
    }
    bipe_buffer_free(&out);
}

static void test_records(void)
{
    CHECK_FILE("r.jsonl", "", "");
    CHECK_FILE("r.jsonl", "\n \t\r\n", "");
    CHECK_FILE("r.jsonl", "\xEF\xBB\xBF\n{\"text\":\"a\"}\r\n\n{ \"text\" : \"b\" }", "0[a]\n1[b]\n");
    CHECK_FILE("r.jsonl", "{\"a\":{\"text\":\"no\"},\"te\\u0078t\":\"yes\",\"z\":[1,-0.5e+9,true,null,\"\\\"\"]}",
               "0[yes]\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u00e9\\u20AC\\ud83d\\ude00\"}",
               "0[\"\\/<08><0C><0A><0D><09><00><C3><A9><E2><82><AC><F0><9F><98><80>]\n");
    /* Halves of surrogate pairs; bytes that are no UTF-8. */
    CHECK_FILE("r.jsonl", "{\"text\":\"\\ud83d|\\ude00|\\ud83d\\n|\\ud83d\\ud83d\\ude00|\\ud83d\"}",
               "0[<EF><BF><BD>|<EF><BF><BD>|<EF><BF><BD><0A>|<EF><BF><BD><F0><9F><98><80>|<EF><BF><BD>]\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"\xFF\xC3\xED\xA0\x80\"}", "0[<FF><C3><ED><A0><80>]\n");
    /* Names that begin alike. */
    CHECK_FILE("r.jsonl", "{\"tex\":1,\"texts\":2,\"\":3,\"text\":\"a\",\"texu\":4}", "0[a]\n");
}

static void test_broken_records(void)
{
    CHECK_FILE("r.jsonl", "{\"text\":1}\n{\"text\":\"a\"}\n",
               "!" AT(1, 9) "'1', expected a string in \"text\"\n1[a]\n");
    CHECK_FILE("r.jsonl", "{\"text\":null}", "!" AT(1, 9) "'n', expected a string in \"text\"\n");
    CHECK_FILE("r.jsonl", "{}\n\n{\"b\":1}\n",
               "!" AT(1, 2) "no member, expected \"text\" (--field names another)\n!" AT(
                   3, 7) "the member \"b\", expected \"text\" (--field names another)\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"a\"}\n[]\n{\"text\":\"b\"}",
               "0[a]\n!" AT(2, 1) "'[', expected an object\n2[b]\n");
    CHECK_FILE("r.jsonl", "\n [\n{\"text\":\"a\"}]",
               "!: a JSON array, expected JSON Lines, one record a line; jq -c '.[]' FILE prints such lines\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"a\",\"text\":\"b\"}\n{\"text\":\"c\"}",
               "0[a!" AT(1, 20) "a second text, expected one member of that name\n1[c]\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"a\"} x\n{\"text\":\"c\"}",
               "0[a!" AT(1, 14) "'x', expected the end of the line\n1[c]\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"a\n{\"text\":\"c\"}",
               "0[a!" UNTERMINATED(1, 11) " (a newline inside a string must be written \\n)\n1[c]\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"a\0\"}",
               "0[a!" AT(1, 11) "byte 0x00, expected the rest of a string, in which control characters are escaped\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"a\"",
               "0[a!" AT(1, 12) "the end of the file, expected a comma or a closing brace\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"a\\x\"}",
               "0[a!" AT(1, 12) "'x', expected one of \"\\/bfnrtu after a backslash\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"a\\u12g4\"}", "0[a!" AT(1, 15) "'g', expected a hexadecimal digit\n");
    CHECK_FILE("r.jsonl", "{\"a\":01}", "!" AT(1, 7) "'1', expected a comma or a closing brace\n");
    CHECK_FILE("r.jsonl", "{\"a\":tru}", "!" AT(1, 9) "'}', expected true, false or null\n");
    CHECK_FILE("r.jsonl", "{\"a\":[1,]}", "!" AT(1, 9) "']', expected a value\n");
    CHECK_FILE("r.jsonl", "{\"a\":[1}}", "!" AT(1, 8) "'}', expected a comma or a closing bracket\n");
    CHECK_FILE("r.jsonl", "{\"a\" 1}", "!" AT(1, 6) "'1', expected a colon\n");
    CHECK_FILE("r.jsonl", "{\"text\":\"a\",}", "0[a!" AT(1, 13) "'}', expected the name of a member\n");
    CHECK_FILE("r.jsonl", "\xEF\xBBx\n{\"text\":\"a\"}",
               "!" AT(1, 3) "'x', expected the rest of a byte order mark\n1[a]\n");
}

static void test_depth(void)
{
    for (size_t depth = 510; depth <= 513; depth++) { /* with the record's own braces one more */
        bipe_buffer line = {0};
        bipe_buffer_printf(&line, NULL, "{\"a\":");
        for (size_t i = 0; i < depth; i++)
            bipe_buffer_append(&line, i % 3 == 0 ? "[" : "{\"k\":", i % 3 == 0 ? 1 : 5, NULL);
        bipe_buffer_append(&line, "1", 1, NULL);
        for (size_t i = depth; i-- > 0;)
            bipe_buffer_append(&line, i % 3 == 0 ? "]" : "}", 1, NULL);
        bipe_buffer_printf(&line, NULL, ",\"text\":\"deep\"}");
        bipe_buffer out = {0};
        read_all(scratch_write("deep.jsonl", line.data, line.size), BIPE_DOCUMENTS_AUTO, 100, &out);
        bipe_buffer_append(&out, "", 1, NULL);
        if (depth + 1 <= 512)
            CHECK_TEXT((char *)out.data, "0[deep]\n");
        else
            CHECK(strstr((char *)out.data, "found another level, expected at most 512 of them") != NULL);
        bipe_buffer_free(&out);
        bipe_buffer_free(&line);
    }
}

/* The values of members before and after the text, whatever the buffers: "[text] value value value" a document. */
static void test_values(void)
{
    static const char *const members[] = {"id", "meta.a.b", "meta.register"};
    enum { MEMBERS = 3, LONG = BIPE_MEMBER_MOST + 1 };
    bipe_buffer file = {0}, want = {0}, out = {0};
    bipe_buffer_printf(
        &file, NULL,
        "{\"id\":\"a\\u0062\\n\",\"text\":\"one\",\"meta\":{\"register\":\"x\",\"a\":{\"c\":[{\"b\":1}],\"b\":-1.50e+3}"
        "}}\n"
        "{\"meta\":{\"a\":{\"b\":true},\"z\":{}},\"text\":\"two\",\"id\":false}\n"
        "{\"text\":\"three\",\"id\":null,\"meta\":[1]}\n"
        "{\"text\":\"four\",\"id\":{\"id\":1},\"meta.a.b\":\"dots\",\"meta\":{\"a.b\":2,\"register\":[\"x\"]}}\n"
        "{\"id\":1,\"id\":\"last\",\"text\":\"five\",\"x\":{\"id\":2}}\n"
        "{\"text\":\"six\",\"id\":\"a\\u0000b\"}\n{\"text\":\"seven\"}\n{\"text\":\"eight\",\"id\":\"");
    bipe_buffer_printf(&want, NULL,
                       "[one] ab\n -1.50e+3 x\n[two] false true -\n[three] - - -\n[four] - 2 -\n[five] last - -\n"
                       "[six] a\xEF\xBF\xBD"
                       "b - -\n[seven] - - -\n[eight] ");
    for (size_t i = 0; i < LONG; i++) {
        bipe_buffer_append(&file, "y", 1, NULL);
        bipe_buffer_append(&want, i < BIPE_MEMBER_MOST ? "y" : "...", i < BIPE_MEMBER_MOST ? 1 : 3, NULL);
    }
    bipe_buffer_printf(&file, NULL, "\",\"meta\":{\"a\":{\"b\":1");
    bipe_buffer_printf(&want, NULL, " 1");
    for (size_t i = 0; i < LONG; i++) {
        bipe_buffer_append(&file, "0", 1, NULL);
        bipe_buffer_append(&want,
                           i + 1 < BIPE_MEMBER_MOST ? "0"
                           : i < BIPE_MEMBER_MOST   ? "..."
                                                    : "",
                           i + 1 < BIPE_MEMBER_MOST ? 1
                           : i < BIPE_MEMBER_MOST   ? 3
                                                    : 0,
                           NULL);
    }
    bipe_buffer_printf(&file, NULL, "}}}\n");
    bipe_buffer_append(&want, " -\n", 4, NULL);
    for (size_t i = 0; sizes[i] != NULL; i++) {
        bipe_documents *documents;
        bipe_error err;
        uint8_t bytes[7];
        size_t size;
        setenv("BIPE_BUFFER_SIZE", sizes[i], 1);
        out.size = 0;
        CHECK(bipe_documents_open_members(&documents, scratch_write("v.jsonl", file.data, file.size),
                                          BIPE_DOCUMENTS_AUTO, "text", members, MEMBERS, &err) == BIPE_OK);
        while (bipe_documents_next(documents, &err) == BIPE_OK) {
            bipe_buffer_append(&out, "[", 1, NULL);
            while (bipe_documents_read(documents, bytes, sizeof bytes, &size, &err) == BIPE_OK && size > 0)
                bipe_buffer_append(&out, bytes, size, NULL);
            bipe_buffer_append(&out, "]", 1, NULL);
            for (size_t m = 0; m < MEMBERS; m++)
                bipe_buffer_printf(&out, NULL, " %s",
                                   bipe_documents_value(documents, m) != NULL ? bipe_documents_value(documents, m)
                                                                              : "-");
            bipe_buffer_append(&out, "\n", 1, NULL);
        }
        bipe_documents_close(documents);
        bipe_buffer_append(&out, "", 1, NULL);
        CHECK_TEXT((char *)out.data, (char *)want.data);
    }
    bipe_buffer_free(&file);
    bipe_buffer_free(&want);
    bipe_buffer_free(&out);
}

/* Texts that nobody reads are passed over, and errors in them are still found. */
static void test_skipping(void)
{
    static const char lines[] =
        "{\"text\":\"one\"}\n{\"text\":\"two\\q\"}\n{\"text\":\"three\"} x\n{\"text\":\"four\"}\n";
    bipe_documents *documents;
    bipe_error err;
    uint8_t byte;
    size_t size;
    for (size_t i = 0; sizes[i] != NULL; i++) {
        setenv("BIPE_BUFFER_SIZE", sizes[i], 1);
        CHECK(bipe_documents_open(&documents, scratch_write("s.jsonl", lines, sizeof lines - 1), BIPE_DOCUMENTS_AUTO,
                                  "text", &err) == BIPE_OK);
        CHECK(bipe_documents_input(documents) != NULL);
        CHECK(bipe_documents_read(documents, &byte, 1, &size, &err) == BIPE_OK && size == 0);
        CHECK(bipe_documents_next(documents, &err) == BIPE_OK);
        CHECK(bipe_documents_read(documents, &byte, 1, &size, &err) == BIPE_OK && size == 1 && byte == 'o');
        CHECK(bipe_documents_next(documents, &err) == BIPE_OK && bipe_documents_index(documents) == 1);
        CHECK(bipe_documents_next(documents, &err) == BIPE_ERR_FORMAT && strstr(err.text, "line 2, byte 14") != NULL);
        CHECK(bipe_documents_next(documents, &err) == BIPE_OK && bipe_documents_index(documents) == 2);
        CHECK(bipe_documents_next(documents, &err) == BIPE_ERR_FORMAT && strstr(err.text, "line 3, byte 18") != NULL);
        CHECK(bipe_documents_next(documents, &err) == BIPE_OK && bipe_documents_index(documents) == 3);
        CHECK(bipe_documents_next(documents, &err) == BIPE_END);
        bipe_documents_close(documents);
        bipe_documents_close(NULL);
    }
    unsetenv("BIPE_BUFFER_SIZE");
}

static void test_torn_input(void)
{
    static packed file;
    bipe_buffer out = {0};
    static const char line[] = "{\"text\":\"abcdefghijklmnopqrstuvwxyz\"}\n";
    for (int i = 0; i < 50; i++)
        packed_add(&file, PACKED_ZSTD, line, sizeof line - 1);
    const char *path = scratch_write("t.jsonl.zst", file.data, file.size - 3);
    CHECK(read_all(path, BIPE_DOCUMENTS_AUTO, 100, &out) == BIPE_END);
    bipe_buffer_append(&out, "", 1, NULL);
    const char *error = strchr((char *)out.data, '!');
    CHECK(error != NULL && strstr(error, "the file ends inside the zstd frame") != NULL &&
          strchr(error + 1, '!') == NULL);
    CHECK(strstr((char *)out.data, "48[abcdefghijklmnopqrstuvwxyz]") != NULL);
    bipe_buffer_free(&out);
}

/* ---- random records, judged by jansson ---- */

static uint64_t seed = 2026;

static size_t roll(size_t n)
{
    return (size_t)(test_random(&seed) % n);
}

static void add(bipe_buffer *out, const char *text)
{
    bipe_buffer_append(out, text, strlen(text), NULL);
}

static void add_blanks(bipe_buffer *out)
{
    static const char *const blanks[] = {"", "", "", " ", "\t", "  \r"};
    add(out, blanks[roll(6)]);
}

static void add_string(bipe_buffer *out)
{
    static const char *const pieces[] = {"a",
                                         "text",
                                         " ",
                                         "\\n",
                                         "\\\"",
                                         "\\\\",
                                         "\\u0041",
                                         "\\u00e9",
                                         "\\ud83d\\ude00",
                                         "\xC3\xA9",
                                         "\xE2\x82\xAC",
                                         "\xF0\x9F\x98\x80",
                                         "{",
                                         "]",
                                         ",",
                                         ":",
                                         "\\/",
                                         "\\u2028",
                                         "\x7F",
                                         "0123456789abcdef"};
    add(out, "\"");
    for (size_t n = roll(8); n > 0; n--)
        add(out, pieces[roll(sizeof pieces / sizeof pieces[0])]);
    add(out, "\"");
}

static void add_value(bipe_buffer *out, int depth)
{
    static const char *const words[] = {"true", "false",    "null", "0",  "-1",  "12.5",
                                        "1e3",  "-0.25E-2", "{}",   "[]", "[ ]", "{ }"};
    size_t kind = roll(depth < 4 ? 5 : 3);
    add_blanks(out);
    if (kind < 2) {
        add(out, words[roll(sizeof words / sizeof words[0])]);
    } else if (kind == 2) {
        add_string(out);
    } else {
        add(out, kind == 3 ? "[" : "{");
        for (size_t i = 0, n = 1 + roll(3); i < n; i++) {
            add(out, i > 0 ? "," : "");
            add_blanks(out);
            if (kind == 4) {
                add_string(out);
                add_blanks(out);
                add(out, ":");
            }
            add_value(out, depth + 1);
        }
        add(out, kind == 3 ? "]" : "}");
    }
    add_blanks(out);
}

static void add_record(bipe_buffer *out)
{
    size_t members = roll(5), at = roll(members + 1);
    add_blanks(out);
    add(out, "{");
    for (size_t i = 0; i <= members; i++) {
        add(out, i > 0 ? "," : "");
        add_blanks(out);
        if (i == at) {
            add(out, roll(4) == 0 ? "\"t\\u0065xt\"" : "\"text\"");
            add_blanks(out);
            add(out, ":");
            add_blanks(out);
            add_string(out);
        } else {
            add(out, "\"k");
            add(out, (char[2]){(char)('a' + i), '\0'});
            add(out, "\"");
            add_blanks(out);
            add(out, ":");
            add_value(out, 1);
        }
        add_blanks(out);
    }
    add(out, "}");
    add_blanks(out);
}

/* Swaps, drops or adds a byte or two, never a newline. */
static void damage(bipe_buffer *line)
{
    static const char bytes[] = "{}[]\":,\\ut0e-+.nulltruefalse1 \t\r\x01\x80\xFF";
    for (size_t n = 1 + roll(2); n > 0; n--) {
        size_t at = roll(line->size);
        uint8_t byte = (uint8_t)bytes[roll(sizeof bytes)]; /* the NUL too */
        switch (roll(3)) {
        case 0:
            line->data[at] = byte;
            break;
        case 1:
            memmove(line->data + at, line->data + at + 1, line->size - at - 1);
            line->size--;
            break;
        default:
            bipe_buffer_append(line, &byte, 1, NULL);
            memmove(line->data + at + 1, line->data + at, line->size - at - 1);
            line->data[at] = byte;
        }
        if (line->size == 0)
            break;
    }
}

typedef enum verdict { GOOD, BAD, NO_JUDGE } verdict;

/* What jansson says of a line; its text when good. Where jansson is stricter than JSON or laxer than us it is no
 * judge. */
static verdict judge(const bipe_buffer *line, bipe_buffer *text)
{
    json_error_t error;
    json_t *tree = json_loadb((char *)line->data, line->size, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
    if (tree == NULL) {
        static const char *const stricter[] = {"UTF-8",    "unable to decode byte", "invalid Unicode", "too big",
                                               "overflow", "NUL byte in object key"};
        for (size_t i = 0; i < sizeof stricter / sizeof stricter[0]; i++)
            if (strstr(error.text, stricter[i]) != NULL)
                return NO_JUDGE;
        return BAD;
    }
    const json_t *string = json_object_get(tree, "text");
    verdict answer = json_is_string(string) ? GOOD : BAD;
    if (answer == GOOD)
        show(text, (const uint8_t *)json_string_value(string), json_string_length(string));
    json_decref(tree);
    /* Two members of one name: of "text" that is our error, for jansson the last one counts. */
    tree =
        json_loadb((char *)line->data, line->size, JSON_ALLOW_NUL | JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
    if (tree == NULL)
        return NO_JUDGE;
    json_decref(tree);
    return answer;
}

/* Of records that are kept, all but blank lines comes back, broken ones included. */
static void check_whole(const char *path, const bipe_buffer *lines, const char *want)
{
    bipe_buffer got = {0}, out = {0};
    whole = &got;
    for (size_t i = 0; sizes[i] != NULL; i++) {
        setenv("BIPE_BUFFER_SIZE", sizes[i], 1);
        got.size = 0;
        CHECK(read_all(path, BIPE_DOCUMENTS_AUTO, 1 + 7 * i, &out) == BIPE_END);
        CHECK(got.size == lines->size && memcmp(got.data, lines->data, got.size) == 0);
    }
    whole = NULL;
    unsetenv("BIPE_BUFFER_SIZE");
    bipe_buffer_append(&out, "", 1, NULL);
    CHECK_TEXT((char *)out.data, want);
    bipe_buffer_free(&got);
    bipe_buffer_free(&out);
}

static void test_random_records(void)
{
    size_t verdicts[3] = {0};
    for (int round = 0; round < test_rounds(60); round++) {
        bipe_buffer file = {0}, line = {0}, want = {0}, lines = {0};
        verdict expected[20];
        char *texts[20];
        int count = 0;
        add(&lines, "{\"text\":\"\"}\n");
        add(&file, "{\"text\":\"\"}\n"); /* a file that begins with [ is an error as a whole */
        for (int i = 0; i < 20; i++) {
            line.size = want.size = 0;
            add_record(&line);
            if (roll(2) == 0)
                damage(&line);
            bool blank = true;
            for (size_t j = 0; j < line.size; j++)
                blank = blank && strchr(" \t\r", line.data[j] != 0 ? line.data[j] : 'x') != NULL;
            bipe_buffer_append(&file, line.data, line.size, NULL);
            bipe_buffer_append(&file, "\n", 1, NULL);
            if (blank)
                continue;
            bipe_buffer_append(&lines, line.data, line.size, NULL);
            bipe_buffer_append(&lines, "\n", 1, NULL);
            expected[count] = judge(&line, &want);
            verdicts[expected[count]]++;
            bipe_buffer_append(&want, "", 1, NULL);
            texts[count++] = strdup((char *)want.data);
        }
        const char *path = scratch_write("random.jsonl", file.data, file.size);
        char *got = read_every_way(path, BIPE_DOCUMENTS_AUTO);
        check_whole(path, &lines, got);
        char *at = got + strlen("0[]\n");
        for (int i = 0; i < count; i++) {
            /* One printed line a record: "i[text]", "i[begin!error" or "!error". */
            size_t n = strcspn(at, "\n");
            char wanted[8192];
            int m = snprintf(wanted, sizeof wanted, "%d[%s]", i + 1, texts[i]);
            bool good = (size_t)m == n && strncmp(at, wanted, n) == 0;
            bool error = n > 0 && at[n - 1] != ']' && memchr(at, '!', n) != NULL; /* no message ends so */
            if (expected[i] == GOOD)
                CHECKF(good, "record %d: got %.*s, want %s", i, (int)n, at, wanted);
            else if (expected[i] == BAD)
                CHECKF(error, "record %d: got %.*s, want an error", i, (int)n, at);
            at += n + (at[n] == '\n');
            free(texts[i]);
        }
        CHECK(*at == '\0');
        free(got);
        bipe_buffer_free(&file);
        bipe_buffer_free(&line);
        bipe_buffer_free(&want);
        bipe_buffer_free(&lines);
    }
    CHECK((verdicts[GOOD] > 300 && verdicts[BAD] > 100) || !test_all_rounds());
}

static void add_many(bipe_buffer *out, char byte, size_t count)
{
    CHECK(bipe_buffer_reserve(out, count, NULL) == BIPE_OK);
    memset(out->data + out->size, byte, count);
    out->size += count;
}

/* Once reading has begun nothing is allocated, however long a text, a name, a number or a nested value is. */
static void test_bounded_memory(void)
{
    const size_t length = test_all_rounds() ? 3000000 : 300000;
    bipe_buffer file = {0};
    bipe_error err;
    add(&file, "{\"text\":\"a\"}\n{\"");
    add_many(&file, 'n', length);
    add(&file, "\":[");
    for (size_t i = 0; i < length / 4; i++)
        add(&file, "[1],");
    add_many(&file, '7', length);
    add(&file, "],\"text\":\"");
    add_many(&file, 't', length);
    add(&file, "\",\"z\":\"");
    add_many(&file, 'z', length);
    add(&file, "\"}\n");
    bipe_documents *documents;
    uint8_t bytes[1000];
    size_t size, total = 0;
    const char *path = scratch_write("long.jsonl", file.data, file.size);
    bipe_buffer_free(&file);
    CHECK(bipe_documents_open(&documents, path, BIPE_DOCUMENTS_AUTO, "text", &err) == BIPE_OK);
    CHECK(bipe_documents_next(documents, &err) == BIPE_OK);
    bipe_alloc_fail_at(0);
    CHECK(bipe_documents_next(documents, &err) == BIPE_OK);
    int status;
    while ((status = bipe_documents_read(documents, bytes, sizeof bytes, &size, &err)) == BIPE_OK && size > 0)
        total += size;
    CHECK(status == BIPE_OK && total == length);
    CHECK(bipe_documents_next(documents, &err) == BIPE_END);
    bipe_alloc_fail_at(-1);
    bipe_documents_close(documents);
}

static void test_no_memory(void)
{
    const char *path = scratch_write("m.jsonl", "{\"text\":\"x\"}", 12);
    int status = BIPE_ERR_MEMORY;
    long n;
    for (n = 0; n < 30 && status != BIPE_OK; n++) {
        bipe_documents *documents;
        bipe_error err;
        bipe_alloc_fail_at(n);
        status = bipe_documents_open(&documents, path, BIPE_DOCUMENTS_AUTO, "text", &err);
        if (status == BIPE_OK)
            status = bipe_documents_next(documents, &err);
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || status == BIPE_ERR_MEMORY);
        bipe_documents_close(documents);
    }
    CHECK(n > 4 && n < 30);
}

int main(void)
{
    test_texts();
    test_plain();
    test_trim();
    test_names();
    test_paths();
    test_records();
    test_broken_records();
    test_depth();
    test_values();
    test_skipping();
    test_torn_input();
    test_random_records();
    test_bounded_memory();
    test_no_memory();
    return test_result();
}
