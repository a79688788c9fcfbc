/* test_sentence_break.c - the segmenter `sentence` on every line of Unicode's SentenceBreakTest.txt, cut anywhere, and
 * its table of characters: how many each class has and, where there is such a file of the same version
 * (unicode_files.h), each character against SentenceBreakProperty.txt. */
#include "tests/segment_run.h"
#include "tests/unicode_files.h"
#include "text/break_class.h"
#include "text/utf8.h"

/* "÷ 0001 × 0308 ÷": the text and the places of ÷ in it, without the first and the last. */
static size_t parse_line(const char *line, uint8_t *text, offsets *want)
{
    static const char breaks[] = "\xC3\xB7", joins[] = "\xC3\x97";
    size_t size = 0;
    for (const char *at = line; *at != '#' && *at != '\n' && *at != '\0';) {
        char *rest;
        if (*at == ' ' || *at == '\t') {
            at++;
        } else if (strncmp(at, breaks, 2) == 0 || strncmp(at, joins, 2) == 0) {
            if (strncmp(at, breaks, 2) == 0 && size > 0)
                offsets_add(want, size);
            at += 2;
        } else {
            size += bipe_utf8_encode((int32_t)strtol(at, &rest, 16), text + size);
            CHECKF(rest > at, "%s", line);
            at = rest > at ? rest : at + 1;
        }
    }
    return size;
}

/* The end of the text is a boundary, reported or not. */
static void add_end(offsets *o, size_t size)
{
    if (size > 0 && (o->count == 0 || o->at[o->count - 1] < size))
        offsets_add(o, size);
}

static void test_lines(void)
{
    FILE *in = open_break_cases("sentence-breaks");
    char line[4096];
    bipe_segmentation *s;
    bipe_error err;
    uint64_t random = 3;
    unsigned lines = 0;
    CHECK(bipe_segmentation_open(&s, "sentence", &err) == BIPE_OK);
    while (fgets(line, sizeof line, in) != NULL) {
        uint8_t text[4096];
        offsets want = {0}, got = {0};
        size_t size = parse_line(line, text, &want);
        lines += size != 0;
        for (size_t longest = 0; longest <= size && size > 0; longest++) {
            CHECK(run_bytes(s, text, size, longest, &random, &got, &err) == BIPE_OK);
            add_end(&got, size);
            CHECKF(offsets_equal(&want, &got), "pieces of up to %zu: %s", longest, line);
        }
        offsets_free(&want);
        offsets_free(&got);
    }
    CHECK_UINT(lines, 512);
    bipe_segmentation_close(s);
    fclose(in);
}

static void test_table(void)
{
    static const struct {
        const char *name;
        bipe_sentence_class class;
        size_t count; /* of characters, as SentenceBreakProperty.txt says */
    } classes[] = {
        {"CR", BIPE_SB_CR, 1}, {"LF", BIPE_SB_LF, 1}, {"Sep", BIPE_SB_SEP, 3}, {"Extend", BIPE_SB_EXTEND, 2643},
        {"Format", BIPE_SB_FORMAT, 60}, {"Sp", BIPE_SB_SP, 20}, {"Lower", BIPE_SB_LOWER, 2548},
        {"Upper", BIPE_SB_UPPER, 1991}, {"OLetter", BIPE_SB_OLETTER, 141501}, {"Numeric", BIPE_SB_NUMERIC, 785},
        {"ATerm", BIPE_SB_ATERM, 4}, {"SContinue", BIPE_SB_SCONTINUE, 31}, {"STerm", BIPE_SB_STERM, 166},
        {"Close", BIPE_SB_CLOSE, 195},
    };
    enum { CLASSES = sizeof classes / sizeof *classes };
    static size_t count[128];
    static char want[0x110000];
    for (int32_t code = 0; code < 0x110000; code++)
        count[bipe_sentence_class_of(code)]++;
    for (size_t k = 0; k < CLASSES; k++)
        CHECKF(count[classes[k].class] == classes[k].count, "%zu of %s", count[classes[k].class], classes[k].name);
    CHECK(bipe_sentence_class_of(-1) == BIPE_SB_OTHER);
    /* Since 15.0: a semicolon continues, U+FE12 stops, U+0600 is a number, and there are letters of 17.0. */
    CHECK(bipe_sentence_class_of(';') == BIPE_SB_SCONTINUE && bipe_sentence_class_of(0xFE12) == BIPE_SB_STERM &&
          bipe_sentence_class_of(0x600) == BIPE_SB_NUMERIC && bipe_sentence_class_of(0x323B0) == BIPE_SB_OLETTER);
    FILE *in = open_unicode_file("auxiliary/SentenceBreakProperty.txt");
    if (in == NULL)
        return;
    char name[32];
    memset(want, BIPE_SB_OTHER, sizeof want);
    for (unsigned first, last; next_unicode_range(in, &first, &last, name);) {
        size_t k = 0;
        while (k < CLASSES && strcmp(classes[k].name, name) != 0)
            k++;
        CHECKF(k < CLASSES, "U+%04X: %s", first, name);
        for (unsigned code = first; code <= last && code < 0x110000 && k < CLASSES; code++)
            want[code] = (char)classes[k].class;
    }
    for (int32_t code = 0; code < 0x110000; code++)
        CHECKF(bipe_sentence_class_of(code) == (bipe_sentence_class)want[code], "U+%04X", (unsigned)code);
    fclose(in);
}

int main(void)
{
    test_lines();
    test_table();
    return test_result();
}
