/* test_json_writer.c - what is written is JSON, which jansson judges; broken UTF-8 is replaced as Unicode
 * recommends. */
#include "config.h"

#include <jansson.h>

#include "base/digits.h"
#include "base/json_writer.h"
#include "tests/check.h"
#include "tests/scratch.h"

static bipe_output *open_output(void)
{
    bipe_output *output;
    bipe_error err;
    if (bipe_output_open(&output, scratch_path("json"), &err) != BIPE_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(99);
    }
    return output;
}

static char *finish(bipe_json *json, bipe_output *output, size_t *size)
{
    bipe_error err;
    CHECK(bipe_json_close(json, &err) == BIPE_OK);
    CHECK(bipe_output_commit(output, &err) == BIPE_OK);
    return scratch_read(scratch_path("json"), size);
}

static void write_sample(bipe_json *json)
{
    bipe_json_begin_object(json);
    bipe_json_key_uint(json, "a\"b", UINT64_MAX);
    bipe_json_key(json, "list");
    bipe_json_begin_array(json);
    bipe_json_begin_object(json);
    bipe_json_end_object(json);
    bipe_json_begin_array(json);
    bipe_json_end_array(json);
    bipe_json_bool(json, true);
    bipe_json_bool(json, false);
    bipe_json_null(json);
    bipe_json_text(json, NULL);
    bipe_json_text(json, "t");
    bipe_json_end_array(json);
    bipe_json_key(json, "histogram");
    bipe_json_begin_flat_array(json);
    for (uint64_t i = 1; i <= 2; i++) {
        bipe_json_begin_array(json);
        bipe_json_uint(json, i);
        bipe_json_uint(json, 10 * i);
        bipe_json_end_array(json);
    }
    bipe_json_end_array(json);
    bipe_json_key(json, "numbers");
    bipe_json_begin_array(json);
    bipe_json_number(json, 0.1);
    bipe_json_number(json, 1.0 / 0.0);
    bipe_json_number(json, -2.5e300);
    bipe_json_end_array(json);
    bipe_json_end_object(json);
}

static void test_layout(void)
{
    bipe_json json;
    size_t size;
    bipe_output *output = open_output();
    bipe_json_open(&json, output, false);
    write_sample(&json);
    char *text = finish(&json, output, &size);
    CHECK_TEXT(text, "{\"a\\\"b\":18446744073709551615,\"list\":[{},[],true,false,null,null,\"t\"],"
                     "\"histogram\":[[1,10],[2,20]],\"numbers\":[0.1,null,-2.5e+300]}\n");
    free(text);

    output = open_output();
    bipe_json_open(&json, output, true);
    write_sample(&json);
    text = finish(&json, output, &size);
    CHECK_TEXT(text, "{\n"
                     "  \"a\\\"b\": 18446744073709551615,\n"
                     "  \"list\": [\n"
                     "    {},\n"
                     "    [],\n"
                     "    true,\n"
                     "    false,\n"
                     "    null,\n"
                     "    null,\n"
                     "    \"t\"\n"
                     "  ],\n"
                     "  \"histogram\": [[1, 10], [2, 20]],\n"
                     "  \"numbers\": [\n"
                     "    0.1,\n"
                     "    null,\n"
                     "    -2.5e+300\n"
                     "  ]\n"
                     "}\n");
    free(text);
}

/* Keys and texts that are no C strings. */
static void test_bytes(void)
{
    bipe_json json;
    size_t size;
    bipe_output *output = open_output();
    bipe_json_open(&json, output, false);
    bipe_json_begin_object(&json);
    bipe_json_key_bytes(&json, "a\0b\xFF", 4);
    bipe_json_bytes(&json, NULL, 0);
    bipe_json_key_array(&json, "c");
    bipe_json_bytes(&json, "\0", 1);
    bipe_json_end_array(&json);
    bipe_json_end_object(&json);
    char *text = finish(&json, output, &size);
    CHECK_TEXT(text, "{\"a\\u0000b\xEF\xBF\xBD\":\"\",\"c\":[\"\\u0000\"]}\n");
    free(text);
}

static void test_numbers(void)
{
    char buffer[32];
    CHECK_TEXT(bipe_format_number(buffer, 1.0 / 3), "0.333333333");
    CHECK_TEXT(bipe_format_number(buffer, 1024), "1024");
    CHECK_TEXT(bipe_format_number(buffer, -1.0 / 0.0), "");
    CHECK_TEXT(bipe_format_number(buffer, 0.0 / 0.0), "");
}

/* Writes one string in the given pieces; returns its text as jansson reads it. */
static char *round_trip(const uint8_t *bytes, size_t size, uint64_t *seed, size_t *got)
{
    bipe_json json;
    bipe_output *output = open_output();
    bipe_json_open(&json, output, false);
    bipe_json_begin_array(&json);
    bipe_json_begin_string(&json);
    for (size_t at = 0; at < size;) {
        size_t n = *seed == 0 ? size : 1 + test_random(seed) % 4;
        n = n < size - at ? n : size - at;
        bipe_json_string_part(&json, bytes + at, n);
        at += n;
    }
    bipe_json_end_string(&json);
    bipe_json_end_array(&json);
    size_t written;
    char *text = finish(&json, output, &written);
    json_error_t error;
    json_t *tree = json_loadb(text, written, JSON_ALLOW_NUL, &error);
    CHECKF(tree != NULL, "%s in %s", error.text, text);
    free(text);
    const json_t *string = json_array_get(tree, 0);
    *got = string != NULL ? json_string_length(string) : 0;
    char *copy = calloc(1, *got + 1);
    if (string != NULL)
        memcpy(copy, json_string_value(string), *got);
    json_decref(tree);
    return copy;
}

static void check_string(const char *bytes, size_t size, const char *want, size_t want_size)
{
    uint64_t seed = 0;
    for (int i = 0; i < 20; i++, seed = (uint64_t)i * 77) {
        size_t got_size;
        char *got = round_trip((const uint8_t *)bytes, size, &seed, &got_size);
        CHECKF(got_size == want_size && memcmp(got, want, want_size) == 0, "cut %d: got \"%s\", want \"%s\"", i, got,
               want);
        free(got);
    }
}

#define R "\xEF\xBF\xBD"
#define STRING(bytes, want) check_string(bytes, sizeof(bytes) - 1, want, sizeof(want) - 1)

static void test_strings(void)
{
    STRING("", "");
    STRING("plain \"quoted\" \\ / \b\f\n\r\t\x01\x1F\x7F", "plain \"quoted\" \\ / \b\f\n\r\t\x01\x1F\x7F");
    STRING("a\0b", "a\0b");
    STRING("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
    /* The examples of Unicode 15, tables 3-8 to 3-11. */
    STRING("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82" "A", R R R R R R R R "A");
    STRING("\xED\xA0\x80\xED\xBF\xBF\xED\xAF" "A", R R R R R R R R "A");
    STRING("\xF4\x91\x92\x93\xFF" "A\x80\xBF" "B", R R R R R "A" R R "B");
    STRING("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF" "A", R R R R "A");
    STRING("\xC3", R);
    STRING("\xC3\"", R "\"");
    STRING("\xF0\x9F\x98\xC3\xA9", R "\xC3\xA9");
}

/* Digits beside those of the C library. */
static void test_digits(void)
{
    uint64_t seed = 8;
    for (int i = 0; i < 3000; i++) {
        uint64_t ten = 1;
        for (int k = i % 20; k > 0; k--)
            ten *= 10;
        uint64_t value = i < 60    ? ten - (uint64_t)(i / 20)
                         : i == 60 ? UINT64_MAX
                                   : test_random(&seed) >> test_random(&seed) % 64;
        uint8_t text[BIPE_DIGITS_SIZE + 1];
        uint8_t *end = bipe_write_uint(text, value);
        *end = '\0';
        char want[32];
        snprintf(want, sizeof want, "%" PRIu64, value);
        CHECK_TEXT((const char *)text, want);
    }
    for (uint32_t value = 0; value < 20000; value++) { /* all that is done side by side */
        char want[32];
        uint8_t text[BIPE_DIGITS_SIZE];
        bipe_write_digits(text, bipe_eight_digits(value % 10000 * 10000 + (value < 10000 ? 0 : 9999 - value % 10000)),
                          0);
        snprintf(want, sizeof want, "%04u%04u", value % 10000, value < 10000 ? 0 : 9999 - value % 10000);
        CHECK(memcmp(text, want, 8) == 0);
    }
}

/* A string put at once, in just the room that it may need, is the one that is written in pieces. */
static void test_strings_at_once(void)
{
    uint64_t seed = 6;
    for (int i = 0; i < 300; i++) {
        size_t size = test_random(&seed) % (i % 30 == 0 ? 9000 : 70), written;
        uint8_t *bytes = malloc(size + 1), *room = malloc(BIPE_JSON_WIDEST * size + 1);
        uint64_t kind = test_random(&seed) % 3;
        for (size_t k = 0; k < size; k++) {
            uint64_t r = test_random(&seed);
            bytes[k] = (uint8_t)(r % 16 == 0 || kind == 0 ? r >> 8
                                 : kind == 1              ? 'a' + (r >> 8) % 26
                                                          : 0x80 + (r >> 8) % 0x78);
        }
        bipe_json json;
        bipe_output *output = open_output();
        bipe_json_open(&json, output, false);
        bipe_json_begin_string(&json);
        for (size_t at = 0, n; at < size; at += n) {
            n = 1 + test_random(&seed) % (i % 2 == 0 ? 3 : 6000);
            n = n < size - at ? n : size - at;
            bipe_json_string_part(&json, bytes + at, n);
        }
        bipe_json_end_string(&json);
        char *want = finish(&json, output, &written);
        size_t got = (size_t)(bipe_json_encode_string(room, bytes, size) - room);
        CHECK(written == got + 3 && memcmp(want + 1, room, got) == 0);
        free(want);
        free(bytes);
        free(room);
    }
}

/* Any bytes give JSON; bytes that are UTF-8 come back. */
static void test_random_strings(void)
{
    uint64_t seed = 5;
    for (int i = 0; i < 300; i++) {
        uint8_t bytes[64];
        size_t size = test_random(&seed) % sizeof bytes, got;
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)(test_random(&seed) % 3 == 0 ? test_random(&seed) : 0x7E + test_random(&seed) % 100);
        free(round_trip(bytes, size, &seed, &got));
    }
}

static void test_failure(void)
{
    bipe_output *output;
    bipe_error err;
    bipe_json json;
    if (bipe_output_open(&output, "/dev/full", &err) != BIPE_OK)
        return;
    bipe_json_open(&json, output, false);
    bipe_json_begin_array(&json);
    for (int i = 0; i < 100000; i++)
        bipe_json_uint(&json, 12345);
    bipe_json_end_array(&json);
    CHECK(bipe_json_close(&json, &err) == BIPE_ERR_IO && strstr(err.text, "/dev/full") == err.text);
    bipe_output_abandon(output);
}

int main(void)
{
    test_layout();
    test_bytes();
    test_numbers();
    test_strings();
    test_random_strings();
    test_digits();
    test_strings_at_once();
    test_failure();
    return test_result();
}
