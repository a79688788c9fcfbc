/* test_record_writer.c - records get a member of our own and keep every other byte. */
#include "config.h"

#include "base/alloc.h"
#include "cli/record_writer.h"
#include "tests/check.h"

/* Writes a record to memory; an exact copy of it, so that sanitizers see reads beyond its end. */
static int write_record(bipe_output *output, const char *record, size_t size, const char *name, const char *json,
                        bipe_error *err)
{
    uint8_t *copy = malloc(size + (size == 0));
    memcpy(copy, record, size);
    bipe_output_forget(output);
    int status = bipe_record_write(output, copy, size, name, json, strlen(json), err);
    free(copy);
    return status;
}

static void check_record(bipe_output *output, const char *record, const char *name, const char *json, const char *want)
{
    bipe_error err = {0};
    int status = write_record(output, record, strlen(record), name, json, &err);
    const bipe_buffer *kept = bipe_output_kept(output);
    CHECKF(status == BIPE_OK, "%s: %s", record, err.text);
    CHECKF(kept->size == strlen(want) && memcmp(kept->data, want, kept->size) == 0, "got %.*s, want %s",
           (int)kept->size, (const char *)kept->data, want);
}

static void check_broken(bipe_output *output, const char *record, const char *error)
{
    bipe_error err = {0};
    CHECK(write_record(output, record, strlen(record), "bipe", "1", &err) == BIPE_ERR_FORMAT);
    CHECK_TEXT(err.text, error);
    CHECK_UINT(bipe_output_kept(output)->size, 0);
}

static void test_added(bipe_output *output)
{
    check_record(output, "{\"text\":\"a\"}\n", "bipe", "{\"nll\":1}", "{\"text\":\"a\",\"bipe\":{\"nll\":1}}\n");
    check_record(output, "{}", "bipe", "1", "{\"bipe\":1}");
    check_record(output, " { } \r\n", "bipe", "1", " {\"bipe\":1 } \r\n");
    check_record(output, "\xEF\xBB\xBF{\"a\" : [ 1.0e3, {\"bipe\":2} ]\t}", "bipe", "null",
                 "\xEF\xBB\xBF{\"a\" : [ 1.0e3, {\"bipe\":2} ],\"bipe\":null\t}");
    check_record(output, "{\"a\":-0.10E+05,\"a\":\"\\ud83d\\/\xFF\"}", "b\"\n", "\"x\"",
                 "{\"a\":-0.10E+05,\"a\":\"\\ud83d\\/\xFF\",\"b\\\"\\n\":\"x\"}");
    /* a name with a dot is no path */
    check_record(output, "{\"meta\":{\"bipe\":1}}", "meta.bipe", "2", "{\"meta\":{\"bipe\":1},\"meta.bipe\":2}");
    /* what looks like a member within a string is none */
    check_record(output, "{\"a\":\"\\\",\\\"bipe\\\":3}\"}", "bipe", "1",
                 "{\"a\":\"\\\",\\\"bipe\\\":3}\",\"bipe\":1}");
    check_record(output, "{\"bipe\":1,\"bipes\":2,\"bip\":3}", "bipe2", "4",
                 "{\"bipe\":1,\"bipes\":2,\"bip\":3,\"bipe2\":4}");
}

static void test_replaced(bipe_output *output)
{
    check_record(output, "{\"bipe\": {\"nll\":[1,2]} , \"z\":1}\n", "bipe", "{}", "{\"bipe\": {} , \"z\":1}\n");
    check_record(output, "{\"a\":1,\"\\u0062ipe\" :\t\"}\"}", "bipe", "7", "{\"a\":1,\"\\u0062ipe\" :\t7}");
    check_record(output, "{\"bipe\":1,\"bipe\":2,\"c\":3}", "bipe", "7", "{\"bipe\":1,\"bipe\":7,\"c\":3}");
    check_record(output, "{\"\":true}", "", "false", "{\"\":false}");
    /* a second run writes what the first one did */
    check_record(output, "{\"text\":\"a\",\"bipe\":{\"nll\":1}}", "bipe", "{\"nll\":1}",
                 "{\"text\":\"a\",\"bipe\":{\"nll\":1}}");
}

static void test_broken(bipe_output *output)
{
    check_broken(output, "", "byte 1: found the end of the file, expected an object");
    check_broken(output, "[1]", "byte 1: found '[', expected an object");
    check_broken(output, "{\"a\":1", "byte 7: found the end of the file, expected a comma or a closing brace");
    check_broken(output, "{\"a\":1,}", "byte 8: found '}', expected the name of a member");
    check_broken(output, "{,\"a\":1}", "byte 2: found ',', expected the name of a member");
    check_broken(output, "{\"a\" 1}", "byte 6: found '1', expected a colon");
    check_broken(output, "{\"a\":01}", "byte 7: found '1', expected a comma or a closing brace");
    check_broken(output, "{\"a\":nul}", "byte 9: found '}', expected true, false or null");
    check_broken(output, "{\"a\":\"\t\"}",
                 "byte 7: found byte 0x09, expected the rest of a string, in which control characters are escaped");
    check_broken(output, "{\"a\":\"b\n", "byte 8: unterminated string (a newline inside a string must be written \\n)");
    check_broken(output, "{\"a\":1}{}", "byte 8: found '{', expected the end of the line");
    check_broken(output, "{\"a\":1}\n{}", "byte 8: found the end of the line, expected the end of the line");
}

/* Random records: cut anywhere they are broken, and adding a member twice is adding it once. */
static void test_random_records(bipe_output *output)
{
    static const char *const value[] = {"1.50e-03", "\"\\\"}\"", "[[],{\"bipe\":[1]}]", "null", "{ }", "\"\xC3\xA4\""};
    static const char *const key[] = {"a", "bip", "bipe", "bipe ", "\\u0062ipe"};
    static const char *const blank[] = {"", " ", "\t", "\r "};
    uint64_t state = 42;
    for (int round = 0; round < test_rounds(300); round++) {
        char record[1024] = "{";
        size_t members = test_random(&state) % 5;
        for (size_t i = 0; i < members; i++) {
            size_t n = strlen(record);
            snprintf(record + n, sizeof record - n, "%s%s\"%s\"%s:%s%s%s", i == 0 ? "" : ",",
                     blank[test_random(&state) % 4], key[test_random(&state) % 5], blank[test_random(&state) % 4],
                     blank[test_random(&state) % 4], value[test_random(&state) % 6], blank[test_random(&state) % 4]);
        }
        size_t size = strlen(record);
        record[size++] = '}';
        bipe_error err = {0};
        for (size_t cut = 0; cut < size; cut++)
            CHECK(write_record(output, record, cut, "bipe", "[0]", &err) == BIPE_ERR_FORMAT);
        CHECK(write_record(output, record, size, "bipe", "[0]", &err) == BIPE_OK);
        char once[2048];
        size_t got = bipe_output_kept(output)->size;
        memcpy(once, bipe_output_kept(output)->data, got);
        once[got] = '\0';
        check_record(output, once, "bipe", "[0]", once);
    }
}

int main(void)
{
    bipe_output *output;
    bipe_error err;
    if (bipe_output_open_memory(&output, &err) != BIPE_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 99;
    }
    test_added(output);
    test_replaced(output);
    test_broken(output);
    test_random_records(output);
    bipe_output_abandon(output);
    return test_result();
}
