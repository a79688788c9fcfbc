/* test_sentence_break.c - the segmenter `sentence` on every line of Unicode's SentenceBreakTest.txt, cut anywhere, and
 * its table of characters against SentenceBreakProperty.txt. Both come from Debian's unicode-data; BIPE_UNICODE names
 * another folder. */
#include "tests/segment_run.h"
#include "text/break_class.h"
#include "text/utf8.h"

static FILE *open_file(const char *name)
{
    char path[4096];
    const char *folder = getenv("BIPE_UNICODE");
    snprintf(path, sizeof path, "%s/auxiliary/%s", folder != NULL ? folder : "/usr/share/unicode", name);
    FILE *in = fopen(path, "r");
    if (in == NULL)
        test_skip(
            "no SentenceBreakTest.txt in /usr/share/unicode/auxiliary (install unicode-data, or set BIPE_UNICODE)");
    return in;
}

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
    FILE *in = open_file("SentenceBreakTest.txt");
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
    CHECKF(lines > 400, "%u lines", lines);
    bipe_segmentation_close(s);
    fclose(in);
}

static void test_table(void)
{
    static const struct {
        const char *name;
        bipe_sentence_class class;
    } classes[] = {
        {"CR", BIPE_SB_CR}, {"LF", BIPE_SB_LF}, {"Sep", BIPE_SB_SEP}, {"Extend", BIPE_SB_EXTEND},
        {"Format", BIPE_SB_FORMAT}, {"Sp", BIPE_SB_SP}, {"Lower", BIPE_SB_LOWER}, {"Upper", BIPE_SB_UPPER},
        {"OLetter", BIPE_SB_OLETTER}, {"Numeric", BIPE_SB_NUMERIC}, {"ATerm", BIPE_SB_ATERM},
        {"SContinue", BIPE_SB_SCONTINUE}, {"STerm", BIPE_SB_STERM}, {"Close", BIPE_SB_CLOSE},
    };
    static char want[0x110000];
    FILE *in = open_file("SentenceBreakProperty.txt");
    char line[1024], name[32];
    memset(want, BIPE_SB_OTHER, sizeof want);
    while (fgets(line, sizeof line, in) != NULL) {
        unsigned first, last;
        if (sscanf(line, "%x..%x ; %31s", &first, &last, name) != 3) {
            if (sscanf(line, "%x ; %31s", &first, name) != 2)
                continue;
            last = first;
        }
        size_t k = 0;
        while (k < sizeof classes / sizeof *classes && strcmp(classes[k].name, name) != 0)
            k++;
        CHECKF(k < sizeof classes / sizeof *classes, "%s", line);
        for (unsigned code = first; code <= last && code < 0x110000 && k < sizeof classes / sizeof *classes; code++)
            want[code] = (char)classes[k].class;
    }
    for (int32_t code = 0; code < 0x110000; code++)
        CHECKF(bipe_sentence_class_of(code) == (bipe_sentence_class)want[code], "U+%04X", (unsigned)code);
    CHECK(bipe_sentence_class_of(-1) == BIPE_SB_OTHER);
    fclose(in);
}

int main(void)
{
    test_lines();
    test_table();
    return test_result();
}
