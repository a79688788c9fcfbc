/* test_plugin.c - the worked example of a plug-in, found by name and by path, on texts cut anywhere. */
#include <stdlib.h>

#include "tests/segment_run.h"

static char plugin_folder[4096];

static int run_text(bipe_segmentation *s, const char *text, size_t longest, offsets *got)
{
    bipe_error err;
    uint64_t random = 7;
    int status = run_bytes(s, (const uint8_t *)text, strlen(text), longest, &random, got, &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    return status;
}

/* The text with a | where a segment ends, against the same with the marks put by hand. */
static void check_stops(bipe_segmentation *s, const char *marked)
{
    char text[512], shown[512];
    size_t n = 0, m = 0;
    for (const char *c = marked; *c != '\0'; c++)
        if (*c != '|')
            text[n++] = *c;
    text[n] = '\0';
    for (size_t longest = 0; longest < 5; longest++) {
        offsets got = {0};
        m = 0;
        run_text(s, text, longest, &got);
        for (size_t i = 0, k = 0; i <= n; i++) {
            if (k < got.count && got.at[k] == i) {
                shown[m++] = '|';
                k++;
            }
            shown[m++] = text[i];
        }
        CHECK_TEXT(shown, marked);
        offsets_free(&got);
    }
}

static void test_stops(void)
{
    bipe_segmentation *s, *by_path;
    bipe_error err;
    char spec[4200];
    setenv("BIPE_SEGMENTER_PATH", "/nowhere", 1);
    CHECK(bipe_segmentation_open(&s, "stops-of-nowhere", &err) == BIPE_ERR_ARGUMENT);
    snprintf(spec, sizeof spec, "/nowhere::%s", plugin_folder);
    setenv("BIPE_SEGMENTER_PATH", spec, 1);
    int status = bipe_segmentation_open(&s, "stops", &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    if (status != BIPE_OK)
        return;
    CHECK(bipe_segmentation_open(&by_path, "stops:x", &err) == BIPE_ERR_ARGUMENT);
    CHECKF(strstr(err.text, "takes no argument") != NULL, "%s", err.text);
    snprintf(spec, sizeof spec, "%s/stops.so", plugin_folder);
    CHECK(bipe_segmentation_open(&by_path, spec, &err) == BIPE_OK); /* both at once */
    for (int i = 0; i < 2; i++) {
        bipe_segmentation *which = i == 0 ? s : by_path;
        check_stops(which, "One.| Two!| Three");
        check_stops(which, "He said \"Stop!\"| And (so on.)| Then?!| End.|");
        check_stops(which, "It is 3.5 e.g. this.| No");
        check_stops(which, "\xE4\xBD\xA0\xE5\xA5\xBD\xE3\x80\x82|\xE5\x86\x8D\xE8\xA7\x81\xEF\xBC\x81\xE3\x80\x8D| a");
        check_stops(which, "Wait\xE2\x80\xA6|\n\n\tNext.\xFF Broken.| \xE2\x80 Cut.|  ");
    }
    bipe_segmentation_close(by_path);
    bipe_segmentation_close(s);
    bipe_segmentation_close(NULL);
}

int main(void)
{
    const char *build = getenv("BIPE_BUILDDIR");
    snprintf(plugin_folder, sizeof plugin_folder, "%s/segmenters/plugin/.libs", build != NULL ? build : ".");
    char path[4200];
    snprintf(path, sizeof path, "%s/stops.so", plugin_folder);
    FILE *there = fopen(path, "rb");
    if (there == NULL)
        test_skip("no plug-in was built (--disable-shared?)");
    else
        fclose(there);
    test_stops();
    return test_result();
}
