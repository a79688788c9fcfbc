/* test_segmentation.c - SPECs, and the driver against segmenters that break the rules. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/installed.h"
#include "segment/segment_levels.h"
#include "segment/segmenter_spec.h"
#include "tests/check.h"

static void check_spec(const char *spec, bool is_path, const char *name, const char *argument)
{
    bipe_segmenter_spec parsed;
    bipe_error err;
    CHECKF(bipe_segmenter_spec_parse(&parsed, spec, &err) == BIPE_OK, "%s", spec);
    CHECKF(parsed.is_path == is_path, "%s", spec);
    CHECKF(strlen(name) == parsed.name_size && memcmp(name, parsed.name, parsed.name_size) == 0, "%s", spec);
    CHECKF((parsed.argument == NULL) == (argument == NULL), "%s", spec);
    if (parsed.argument != NULL && argument != NULL)
        CHECK_TEXT(parsed.argument, argument);
}

static void test_specs(void)
{
    bipe_segmenter_spec parsed;
    bipe_error err;
    check_spec("stop", false, "stop", NULL);
    check_spec("fixed:3", false, "fixed", "3");
    check_spec("fixed:", false, "fixed", "");
    check_spec("regex:a:b/c.so:d", false, "regex", "a:b/c.so:d");
    check_spec("x.so", true, "x.so", NULL);
    check_spec("./x.so:", true, "./x.so", "");
    check_spec("/a b/x.so:1:2.so", true, "/a b/x.so", "1:2.so");
    check_spec("./a:b/x.so:1", true, "./a:b/x.so", "1");
    check_spec("./a.sod/x.so:1", true, "./a.sod/x.so", "1");
    static const char *const bad[] = {"", ":", ":x", "./x", "a b", "x.son", ".so", "./.so", "st\xC3\xB6p", "-s.s"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECKF(bipe_segmenter_spec_parse(&parsed, bad[i], &err) == BIPE_ERR_ARGUMENT, "%s", bad[i]);
}

/* expected: the SPECs of the levels, with a tab between two; or a part of the error. */
static void check_levels(const char *spec, const char *expected)
{
    bipe_levels levels;
    bipe_error err = {0};
    char found[512] = "";
    int status = bipe_levels_open(&levels, spec, &err);
    for (size_t i = 0; i < levels.count; i++) {
        strcat(found, i > 0 ? "\t" : "");
        strcat(found, bipe_segmentation_spec(levels.segmentation[i]));
        CHECK(levels.rest[i] >= spec && levels.rest[i] < spec + strlen(spec));
    }
    if (status == BIPE_OK)
        CHECK_TEXT(found, expected);
    else
        CHECKF(strstr(err.text, expected) != NULL, "%s: \"%s\" is not in: %s", spec, expected, err.text);
    bipe_levels_close(&levels);
}

static void test_levels(void)
{
    check_levels("stop", "stop");
    check_levels("stop/paragraph/none", "stop\tparagraph\tnone");
    check_levels("fixed:3/stop", "fixed:3\tstop");
    check_levels("regex:a/b/stop", "regex:a/b/stop");
    check_levels("line/regex:a/b", "line\tregex:a/b");
    check_levels("line/regex:a/b/stop/none", "line\tregex:a/b\tstop\tnone");
    check_levels("line/(regex:a/stop)/none", "line\tregex:a/stop\tnone");
    check_levels("line/regex:a(/stop", "segmenter 'regex:a(/stop': offset 7");
    check_levels("(regex:a/b)/stop", "regex:a/b\tstop");
    check_levels("(regex:(a)/b)/(stop)", "segmenter 'regex:(a': offset 2");
    check_levels("((regex:a(/)b))/stop", "neither a name");
    check_levels("(stop)", "stop");
    check_levels("stop/", "empty, expected NAME");
    check_levels("/stop", "neither a name");
    check_levels("", "empty, expected NAME");
    check_levels("()", "empty, expected NAME");
    check_levels("(", "neither a name");
    check_levels("stop/stopp", "segmenter 'stopp': unknown");
    check_levels("stopp/stop", "segmenter 'stopp/stop': neither a name");
    check_levels("fixed:0/stop", "fixed:0/stop");
    check_levels("stop/line/paragraph/none", "stop\tline\tparagraph\tnone");
    check_levels("stop/line/paragraph/none/none", "more than 4 levels");
}

static void check_open_fails(const char *spec, int status, const char *part)
{
    bipe_segmentation *s = NULL;
    bipe_error err = {0};
    int got = bipe_segmentation_open(&s, spec, &err);
    CHECKF(got == status, "%s: %d: %s", spec, got, err.text);
    CHECK(s == NULL);
    CHECKF(strstr(err.text, part) != NULL, "%s: \"%s\" is not in: %s", spec, part, err.text);
    CHECKF(strchr(err.text, '\n') == NULL, "%s", err.text);
    CHECK(bipe_segmentation_open(&s, spec, NULL) == status);
}

static void test_open_errors(void)
{
    char folder[BIPE_INSTALLED_SIZE], looked[BIPE_INSTALLED_SIZE + 64];
    bipe_installed_folder(BIPE_INSTALLED_SEGMENTERS, folder);
    unsetenv("BIPE_SEGMENTER_PATH");
    check_open_fails("stop:x", BIPE_ERR_ARGUMENT, "segmenter 'stop:x': stop takes no argument");
    check_open_fails("stop:", BIPE_ERR_ARGUMENT, "no argument");
    check_open_fails("stopp", BIPE_ERR_ARGUMENT, "segmenter 'stopp': unknown, expected one of stop, line, ");
    snprintf(looked, sizeof looked, "stopp.so in %s", folder);
    check_open_fails("stopp", BIPE_ERR_ARGUMENT, looked);
    setenv("BIPE_SEGMENTER_PATH", "/nowhere/a::/nowhere/b", 1);
    snprintf(looked, sizeof looked, "stopp.so in /nowhere/a, /nowhere/b, %s", folder);
    check_open_fails("stopp", BIPE_ERR_ARGUMENT, looked);
    unsetenv("BIPE_SEGMENTER_PATH");
    check_open_fails("", BIPE_ERR_ARGUMENT, "segmenter '': empty");
    check_open_fails("a\nb", BIPE_ERR_ARGUMENT, "segmenter 'a?b': ");
    check_open_fails("/nowhere/x.so:1", BIPE_ERR_IO, "/nowhere/x.so: No such file");
    check_open_fails("/x/.so", BIPE_ERR_ARGUMENT, "neither a name");
}

/* Every allocation of opening and running fails once. */
static void test_memory(void)
{
    static const char *const specs[] = {"stop", "nothing-of-that-name"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        int status = BIPE_ERR_MEMORY;
        for (long n = 0; status == BIPE_ERR_MEMORY && n < 1000; n++) {
            bipe_segmentation *s = NULL;
            bipe_error err;
            bipe_alloc_fail_at(n);
            status = bipe_segmentation_open(&s, specs[k], &err);
            if (status == BIPE_OK)
                status = bipe_segmentation_begin(s, &err);
            if (status == BIPE_OK)
                status = bipe_segmentation_feed_bytes(s, (const uint8_t *)"a.b.c.d.e.f.g.h.i.j.k.l.", 24, &err);
            if (status == BIPE_OK) {
                status = bipe_segmentation_end(s, 24, &err);
                CHECK_UINT(bipe_segmentation_boundaries(s)->count, 12);
            }
            bipe_alloc_fail_at(-1);
            bipe_segmentation_close(s);
            CHECK(n > 0 || status == BIPE_ERR_MEMORY);
        }
        CHECK(status == (k == 0 ? BIPE_OK : BIPE_ERR_ARGUMENT));
    }
}

static void test_driver(void)
{
    bipe_segmentation *s;
    bipe_error err;
    const uint8_t *text = (const uint8_t *)"a.b\nc";
    bipe_token token = {.start = 0, .end = 1, .id = 1};
    CHECK(bipe_segmentation_open(&s, BIPE_SEGMENTER_DEFAULT, &err) == BIPE_OK);
    CHECK(!bipe_segmentation_wants_tokens(s));
    CHECK(bipe_segmentation_feed_bytes(s, text, 5, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_segmentation_end(s, 0, &err) == BIPE_ERR_ARGUMENT);
    for (int document = 0; document < 2; document++) {
        CHECK(bipe_segmentation_begin(s, &err) == BIPE_OK);
        const bipe_boundaries *b = bipe_segmentation_boundaries(s);
        CHECK(b->count == 0 && b->settled == 0);
        CHECK(bipe_segmentation_feed_tokens(s, &token, 1, &err) == BIPE_ERR_ARGUMENT);
        CHECK(bipe_segmentation_feed_bytes(s, text, 3, &err) == BIPE_OK);
        CHECK(b->count == 1 && b->offset[0] == 2 && b->settled == 3);
        CHECK(bipe_segmentation_feed_bytes(s, NULL, 0, &err) == BIPE_OK);
        CHECK(bipe_segmentation_feed_bytes(s, text + 3, 2, &err) == BIPE_OK);
        CHECK(b->count == 2 && b->offset[0] == 2 && b->offset[1] == 4);
        bipe_segmentation_take(s, 0);
        bipe_segmentation_take(s, 1);
        CHECK(b->count == 1 && b->offset[0] == 4);
        CHECK(bipe_segmentation_end(s, 4, &err) == BIPE_ERR_ARGUMENT);
        CHECK(bipe_segmentation_end(s, 5, &err) == BIPE_OK);
        CHECK(b->count == 1 && b->settled == 5);
        bipe_segmentation_take(s, 9);
        CHECK(b->count == 0);
        CHECK(bipe_segmentation_end(s, 5, &err) == BIPE_ERR_ARGUMENT);
    }
    bipe_segmentation_close(s);
    bipe_segmentation_close(NULL);
}

/* A whole text: "stop", which is scanned for, and "paragraph", which holds decisions back, where pieces of text end. */
static void test_text(void)
{
    enum { SIZE = (1 << 16) + 6 };
    static char text[SIZE];
    uint64_t end[4];
    size_t count;
    bipe_segmentation *s;
    bipe_error err = {0};
    memset(text, 'a', SIZE);
    text[1] = '.';
    text[(1 << 16) - 1] = '.';
    memcpy(text + (1 << 16), "\n\nb.c", 5);
    CHECK(bipe_segmentation_open(&s, "stop", &err) == BIPE_OK);
    CHECK(bipe_segment_text(s, text, SIZE, end, 2, &count, &err) == BIPE_OK && count == 6); /* both newlines end one */
    CHECK(end[0] == 2 && end[1] == 1 << 16);
    CHECK(bipe_segment_text(s, "a.b", 3, end, 4, &count, &err) == BIPE_OK && count == 2 && end[0] == 2 && end[1] == 3);
    CHECK(bipe_segment_text(s, "a.b.", 4, end, 4, &count, &err) == BIPE_OK && count == 2 && end[1] == 4);
    CHECK(bipe_segment_text(s, "", 0, NULL, 0, &count, &err) == BIPE_OK && count == 0);
    bipe_segmentation_close(s);
    CHECK(bipe_segmentation_open(&s, "paragraph", &err) == BIPE_OK);
    CHECK(bipe_segment_text(s, text, SIZE, end, 4, &count, &err) == BIPE_OK && count == 2);
    CHECK(end[0] == (1 << 16) + 2 && end[1] == SIZE);
    bipe_segmentation_close(s);
    CHECK(bipe_segmentation_open(&s, "fixed:2", &err) == BIPE_OK);
    CHECK(bipe_segment_text(s, text, SIZE, end, 4, &count, &err) == BIPE_ERR_ARGUMENT && count == 0);
    bipe_segmentation_close(s);
}

int main(void)
{
    test_specs();
    test_levels();
    test_text();
    test_open_errors();
    test_driver();
    test_memory();
    return test_result();
}
