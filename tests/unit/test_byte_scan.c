/* test_byte_scan.c - the finders of bytes against a loop over all bytes, and segmenters that declare their separators
 * against what they answer when they are asked about the text. */
#include "segment/byte_scan.h"
#include "tests/segment_run.h"

enum { MOST = 300, WILD = 0xABCD };

/* Sets: none, all, one byte, a few from one half or both, many. */
static bipe_byte_set random_set(uint64_t *random)
{
    static const size_t sizes[] = {0, 1, 1, 2, 3, 8, 40, 200};
    bipe_byte_set set = {{0}};
    size_t size = sizes[test_random(random) % 8], half = (size_t)(test_random(random) % 3);
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)test_random(random);
        bipe_byte_set_add(&set, half == 0 ? byte & 0x7F : half == 1 ? byte | 0x80 : byte);
    }
    if (test_random(random) % 16 == 0)
        memset(&set, 0xFF, sizeof set);
    return set;
}

static void check_finder(const bipe_byte_finder *finder, const bipe_byte_scan *scan, const bipe_byte_set *set,
                         const uint8_t *bytes, size_t size)
{
    uint64_t want[MOST], first = UINT64_C(1) << 40;
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        if ((set->word[bytes[i] >> 6] >> (bytes[i] & 63) & 1) != 0)
            want[count++] = first + i;
    /* Exactly the room that was asked for, so that a sanitizer sees what goes beyond. */
    size_t room = size + BIPE_BYTE_SCAN_SLACK;
    uint64_t *got = bipe_alloc(room + 1, sizeof *got);
    uint8_t *copy = bipe_alloc(size, 1);
    if (got == NULL || copy == NULL)
        abort();
    memcpy(copy, bytes, size);
    got[room] = WILD;
    size_t found = finder->find(scan, copy, size, first, got);
    CHECKF(found == count && memcmp(got, want, count * sizeof *want) == 0, "%s: %zu of %zu bytes, expected %zu",
           finder->name, found, size, count);
    CHECK(got[room] == WILD);
    bipe_free(got);
    bipe_free(copy);
}

static void test_finders(void)
{
    uint64_t random = 7;
    size_t plain = 0;
    for (const bipe_byte_finder *finder = bipe_byte_finders; finder->name != NULL; finder++) {
        plain += finder->find == bipe_byte_find_plain;
        if (!finder->usable())
            continue;
        for (int n = 0; n < 3000; n++) {
            bipe_byte_set set = random_set(&random);
            bipe_byte_scan scan;
            bipe_byte_scan_prepare(&scan, &set);
            uint8_t bytes[MOST];
            size_t size = (size_t)(test_random(&random) % (n % 2 == 0 ? 70 : MOST));
            for (size_t i = 0; i < size; i++)
                bytes[i] = (uint8_t)(n % 3 == 0 ? 'a' + test_random(&random) % 4 : test_random(&random));
            check_finder(finder, &scan, &set, bytes, size);
        }
        for (unsigned b = 0; b < 256; b++) { /* each byte alone, among all others */
            bipe_byte_set set = {{0}};
            bipe_byte_set_add(&set, (uint8_t)b);
            bipe_byte_scan scan;
            bipe_byte_scan_prepare(&scan, &set);
            uint8_t bytes[256];
            for (unsigned i = 0; i < 256; i++)
                bytes[i] = (uint8_t)(i + b / 2);
            check_finder(finder, &scan, &set, bytes, sizeof bytes);
        }
    }
    CHECK(plain == 1);
}

static int grow(bipe_boundaries *b)
{
    return bipe_grow(&b->offset, &b->capacity, b->count + 1, sizeof *b->offset) == 0 ? BIPE_SEGMENTER_OK
                                                                                     : BIPE_SEGMENTER_MEMORY;
}

/* What the segmenter answers when it is asked, in one piece. */
static void ask(const bipe_segmenter *g, void *state, const uint8_t *text, size_t size, bipe_boundaries *b)
{
    b->count = 0;
    b->settled = size;
    CHECK(g->begin == NULL || g->begin(state) == BIPE_SEGMENTER_OK);
    CHECK(g->bytes(state, 0, text, size, b) == BIPE_SEGMENTER_OK);
    CHECK(g->end == NULL || g->end(state, size, b) == BIPE_SEGMENTER_OK);
}

static const piece pieces[] = {
    PIECE("\n"),
    PIECE("."),
    PIECE("="),
    PIECE("a"),
    PIECE("b"),
    PIECE("z"),
    PIECE("|"),
    PIECE("]"),
    PIECE("-"),
    PIECE("^"),
    PIECE("\\"),
    PIECE("\t"),
    PIECE("\r\n"),
    PIECE("\f"),
    PIECE("!"),
    PIECE("?"),
    PIECE(","),
    PIECE(" "),
    PIECE("n"),
    PIECE("5"),
    PIECE("\xC3\xA9"),
    PIECE("\xE2\x80\xA9"),
    PIECE("\xFF"),
    PIECE("\xE2\x80"),
    PIECE("\x80"),
    PIECE("\0"),
    PIECE("word and word and word and word "),
};

/* `separators`: the bytes that the segmenter must declare; NULL: it must not declare any. */
static void check_segmenter(const char *name, const char *argument, const char *separators, uint64_t *random)
{
    const bipe_segmenter *g = NULL;
    for (const bipe_segmenter *const *b = bipe_builtin_segmenters; *b != NULL; b++)
        if (strcmp((*b)->name, name) == 0)
            g = *b;
    CHECKF(g != NULL, "%s", name);
    if (g == NULL)
        return;
    char error[256] = "", spec[128];
    void *state = NULL;
    CHECKF(g->open == NULL || g->open(&state, argument, error, sizeof error) == BIPE_SEGMENTER_OK, "%s", error);
    bipe_byte_set declared = {{0}}, want = {{0}};
    bool declares = g->separators != NULL && g->separators(state, &declared) != 0;
    for (const char *c = separators; c != NULL && *c != '\0'; c++)
        bipe_byte_set_add(&want, (uint8_t)*c);
    CHECKF(declares == (separators != NULL), "%s:%s", name, argument != NULL ? argument : "");
    CHECKF(!declares || memcmp(&declared, &want, sizeof declared) == 0, "%s:%s", name,
           argument != NULL ? argument : "");

    bipe_segmentation *s;
    bipe_error err;
    snprintf(spec, sizeof spec, argument != NULL ? "%s:%s" : "%s", name, argument);
    CHECK(bipe_segmentation_open(&s, spec, &err) == BIPE_OK);
    bipe_boundaries asked = {.grow = grow, .error = error, .error_size = sizeof error};
    offsets got = {0};
    static const size_t longest[] = {0, 1, 100};
    for (int n = 0; n < 60; n++) {
        uint8_t text[6000]; /* more than is scanned at once */
        size_t size = (size_t)(test_random(random) % (n < 50 ? 200 : sizeof text));
        random_text(random, pieces, sizeof pieces / sizeof *pieces, text, size);
        ask(g, state, text, size, &asked);
        for (size_t k = 0; k < sizeof longest / sizeof *longest; k++) {
            CHECK(run_bytes(s, text, size, longest[k], random, &got, &err) == BIPE_OK);
            bool same = got.count == asked.count &&
                        (got.count == 0 || memcmp(got.at, asked.offset, got.count * sizeof *got.at) == 0);
            CHECKF(same, "%s, pieces of up to %zu", spec, longest[k]);
        }
    }
    offsets_free(&got);
    bipe_free(asked.offset);
    bipe_segmentation_close(s);
    if (g->close != NULL)
        g->close(state);
}

static void test_segmenters(void)
{
    static const struct {
        const char *name, *argument, *separators;
    } cases[] = {
        {"stop", NULL, ".\n"}, {"line", NULL, "\n"}, {"equals", NULL, "="}, {"paragraph", NULL, NULL},
        {"code", NULL, NULL}, {"none", NULL, NULL}, {"regex", "[.\\n]", ".\n"}, {"regex", "[.\n]", ".\n"},
        {"regex", "[.!?]", ".!?"}, {"regex", "\\.", "."}, {"regex", "=", "="}, {"regex", "\\n", "\n"},
        {"regex", "\\||\\\\", "|\\"}, {"regex", "[a-c5]|\\t|[\\]\\-\\^]", "abc5\t]-^"}, {"regex", "a|a", "a"},
        {"regex", "[,|.(){}*+?$]", ",|.(){}*+?$"}, {"regex", "[\\r\\f]", "\r\f"}, {"regex", "!|-|,", "!-,"},
        {"regex", " ", " "},
        {"regex", "[^.]", NULL}, {"regex", "a.", NULL}, {"regex", ".", NULL}, {"regex", "ab", NULL},
        {"regex", "a+", NULL}, {"regex", "(?i)a", "aA"}, {"regex", "[.\xC3\xA9]", NULL}, {"regex", "\\w", NULL},
        {"regex", "[\\w]", NULL}, {"regex", "[[:punct:]]", NULL}, {"regex", "[]a]", "]a"}, {"regex", "[.-]", ".-"},
        {"regex", "[a-]", "a-"}, {"regex", "[!-.]", "!\"#$%&'()*+,-."}, {"regex", "\\x2E", "."}, {"regex", "a|", NULL},
        {"regex", "^", NULL}, {"regex", "[.]$", NULL},
        {"regex", "[.]{2}", NULL}, {"regex", "\\R", NULL}, {"regex", "\\Qa\\E", NULL}, {"regex", "(*CRLF)a", NULL},
    };
    uint64_t random = 11;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_segmenter(cases[i].name, cases[i].argument, cases[i].separators, &random);
}

int main(void)
{
    test_finders();
    test_segmenters();
    return test_result();
}
