/* test_segmenters.c - the built-in segmenters, regex apart, against dumb second implementations that see the whole
 * text. */
#include <stdbool.h>

#include "tests/segment_run.h"

typedef void naive(const uint8_t *text, size_t size, offsets *out);

static bool is_blank(uint8_t c)
{
    return strchr(" \t\r\f\v", c) != NULL && c != '\0';
}

static void naive_stop(const uint8_t *text, size_t size, offsets *out)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '.' || text[i] == '\n')
            offsets_add(out, i + 1);
}

static void naive_line(const uint8_t *text, size_t size, offsets *out)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n')
            offsets_add(out, i + 1);
}

static void naive_equals(const uint8_t *text, size_t size, offsets *out)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '=')
            offsets_add(out, i + 1);
}

static void naive_none(const uint8_t *text, size_t size, offsets *out)
{
    (void)text, (void)size, (void)out;
}

/* Looks at every maximal stretch of newlines and blanks. */
static void naive_paragraph(const uint8_t *text, size_t size, offsets *out)
{
    for (size_t i = 0; i < size;) {
        size_t j = i, newlines = 0, after = 0;
        while (j < size && (text[j] == '\n' || is_blank(text[j]))) {
            if (text[j++] == '\n') {
                newlines++;
                after = j;
            }
        }
        if (newlines >= 2)
            offsets_add(out, after);
        i = j > i ? j : i + 1;
    }
}

/* Cuts into logical lines, then joins blank ones to what stands before. */
static void naive_code(const uint8_t *text, size_t size, offsets *out)
{
    bool any = false;
    for (size_t start = 0; start < size;) {
        size_t end = start;
        for (; end < size; end++) {
            if (text[end] != '\n')
                continue;
            size_t k = end;
            if (k > start && text[k - 1] == '\r')
                k--;
            if (!(k > start && text[k - 1] == '\\'))
                break;
        }
        bool blank = true;
        for (size_t i = start; i < end; i++)
            blank = blank && is_blank(text[i]);
        if (!blank) {
            if (any)
                offsets_add(out, start);
            any = true;
        }
        start = end + 1;
    }
}

static const struct {
    const char *spec;
    naive *second;
} cases[] = {
    {"stop", naive_stop},     {"line", naive_line}, {"equals", naive_equals},
    {"none", naive_none},     {"document", naive_none},     {"code", naive_code}, {"paragraph", naive_paragraph},
};

static const piece pieces[] = {
    PIECE("\n"), PIECE("\n"), PIECE("\r\n"), PIECE("\\\n"), PIECE("\\\r\n"), PIECE("\\"), PIECE("\r"), PIECE(" "),
    PIECE("\t"), PIECE("\v"), PIECE("\f"), PIECE("."), PIECE("="), PIECE("a"), PIECE("\xC3\xA9"), PIECE("\xE3\x80\x82"),
    PIECE("\xF0\x9F\x98\x80"), PIECE("\0"), PIECE("\xFF"), PIECE("\xE2\x80"), PIECE("word "), PIECE("  \n"),
};

static void check_text(bipe_segmentation *s, const char *spec, naive *second, const uint8_t *text, size_t size,
                       uint64_t *random)
{
    static const size_t longest[] = {0, 1, 2, 3, 7, 64};
    offsets want = {0}, got = {0};
    bipe_error err;
    second(text, size, &want);
    for (size_t k = 0; k < sizeof longest / sizeof *longest; k++) {
        CHECK(run_bytes(s, text, size, longest[k], random, &got, &err) == BIPE_OK);
        bool same = offsets_equal(&want, &got);
        CHECKF(same, "%s, pieces of up to %zu", spec, longest[k]);
        if (!same) {
            describe(text, size);
            describe_offsets("want", &want);
            describe_offsets("got", &got);
        }
    }
    offsets_free(&want);
    offsets_free(&got);
}

static void test_random_texts(void)
{
    uint64_t random = 1;
    uint8_t text[512];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bipe_segmentation *s;
        bipe_error err;
        CHECK(bipe_segmentation_open(&s, cases[c].spec, &err) == BIPE_OK);
        for (int n = 0; n < test_rounds(500); n++) {
            size_t size = (size_t)(test_random(&random) % (n < 250 ? 24 : sizeof text));
            random_text(&random, pieces, sizeof pieces / sizeof *pieces, text, size);
            check_text(s, cases[c].spec, cases[c].second, text, size, &random);
        }
        bipe_segmentation_close(s);
    }
}

/* What the words of the manual say, by hand. */
static void check_offsets(const char *spec, const char *text, size_t size, const char *want)
{
    bipe_segmentation *s;
    bipe_error err;
    offsets got = {0};
    uint64_t random = 1;
    CHECK(bipe_segmentation_open(&s, spec, &err) == BIPE_OK);
    CHECK(run_bytes(s, (const uint8_t *)text, size, 1, &random, &got, &err) == BIPE_OK);
    char line[256] = "";
    for (size_t i = 0, used = 0; i < got.count && used < sizeof line - 30; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%" PRIu64, i == 0 ? "" : " ", got.at[i]);
    CHECK_TEXT(line, want);
    offsets_free(&got);
    bipe_segmentation_close(s);
}
#define CHECK_OFFSETS(spec, text, want) check_offsets(spec, text, sizeof text - 1, want)

static void test_by_hand(void)
{
    CHECK_OFFSETS("stop", "One. Two\nThree", "4 9");
    CHECK_OFFSETS("line", "a\r\nb\n", "3 5");
    CHECK_OFFSETS("equals", "1+1=2", "4");
    CHECK_OFFSETS("none", "a.b\n", "");
    CHECK_OFFSETS("paragraph", "a\nb\n\nc", "5");
    CHECK_OFFSETS("paragraph", "a\n \t\n\n  b", "6");
    CHECK_OFFSETS("paragraph", "a\r\n\r\nb\n\n", "5 8");
    CHECK_OFFSETS("paragraph", "\n\na\n", "2");
    CHECK_OFFSETS("code", "a;\nb;\n", "3");
    CHECK_OFFSETS("code", "\n a\n\n\t\nb\n\n", "7");
    CHECK_OFFSETS("code", "#define x \\\n  1\ny\n", "16");
    CHECK_OFFSETS("code", "a \\\r\n b\r\nc", "9");
    CHECK_OFFSETS("code", "a \\\n\nb", "5");
}

static const uint32_t wanted_ids[] = {13, 869, 4294967295u, 7};

/* Tokens with empty ones among them. */
static size_t random_tokens(uint64_t *random, bipe_token *tokens, size_t count)
{
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        at += test_random(random) % 8 == 0; /* a byte that no token stands for */
        uint64_t size = test_random(random) % 3 == 0 ? 0 : test_random(random) % 4;
        uint32_t id = (uint32_t)(test_random(random) % 12);
        if (id < 4)
            id = wanted_ids[id];
        tokens[i] = (bipe_token){.start = at, .end = at + size, .id = id};
        at += size;
    }
    return (size_t)at + 2;
}

static void test_tokens(void)
{
    uint64_t random = 2;
    static const uint64_t every[] = {1, 2, 3, 7, 1024};
    bipe_token tokens[200];
    for (int n = 0; n < test_rounds(600); n++) {
        size_t count = (size_t)(test_random(&random) % 200), k = (size_t)n % 6;
        size_t size = random_tokens(&random, tokens, count);
        offsets want = {0}, got = {0};
        char spec[64];
        if (k < 5) {
            snprintf(spec, sizeof spec, every[k] == 1024 ? "fixed:1k" : "fixed:%" PRIu64, every[k]);
            uint64_t last = 0;
            for (size_t i = 0; i < count; i++)
                if ((i + 1) % every[k] == 0 && tokens[i].end > last)
                    offsets_add(&want, last = tokens[i].end);
        } else {
            snprintf(spec, sizeof spec, "tokens:869,13,4294967295,7,13");
            for (size_t i = 0; i < count; i++)
                for (size_t w = 0; w < 4; w++)
                    if (tokens[i].id == wanted_ids[w] && tokens[i].end > tokens[i].start)
                        offsets_add(&want, tokens[i].end);
        }
        bipe_segmentation *s;
        bipe_error err;
        CHECK(bipe_segmentation_open(&s, spec, &err) == BIPE_OK);
        CHECK(bipe_segmentation_wants_tokens(s));
        for (size_t longest = 0; longest < 4; longest++) {
            int status = run_tokens(s, tokens, count, size, longest, &random, &got, &err);
            CHECKF(status == BIPE_OK, "%s", err.text);
            CHECKF(offsets_equal(&want, &got), "%s", spec);
        }
        offsets_free(&want);
        offsets_free(&got);
        bipe_segmentation_close(s);
    }
}

static void test_arguments(void)
{
    static const char *const bad[] = {
        "fixed", "fixed:", "fixed:0", "fixed:-1", "fixed: 1", "fixed:1x", "fixed:1kk", "fixed:4294967296", "fixed:4m0",
        "fixed:4096m", "fixed:18446744073709551617", "tokens", "tokens:", "tokens:,", "tokens:1,", "tokens:,1",
        "tokens:1,,2", "tokens:4294967296", "tokens:a", "tokens:-1", "tokens:1 ", "line:1", "paragraph:", "code:c",
        "none:0", "equals:==",
    };
    static const char *const good[] = {"fixed:1",  "fixed:4294967295", "fixed:4095m",
                                       "fixed:2K", "tokens:0",         "tokens:4294967295,0"};
    bipe_segmentation *s;
    bipe_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECKF(bipe_segmentation_open(&s, bad[i], &err) == BIPE_ERR_ARGUMENT, "%s", bad[i]);
        CHECKF(strstr(err.text, bad[i]) != NULL, "%s: %s", bad[i], err.text);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECKF(bipe_segmentation_open(&s, good[i], &err) == BIPE_OK, "%s", good[i]);
        bipe_segmentation_close(s);
    }
}

/* Blanks that no end comes to: a limit error at the same place for every cut, and the next document is fine. */
static void test_blanks_limit(void)
{
    enum { LIMIT = 2 << 20, CHECKED = 1 << 16, SIZE = LIMIT + CHECKED + 8 };
    static const char *const specs[] = {"paragraph", "code"};
    static const size_t longest[] = {0, 1 << 20, 10000};
    uint8_t *text = bipe_alloc(SIZE, 1);
    if (text == NULL)
        abort();
    memset(text, ' ', SIZE);
    memcpy(text, "ab\n\n", 4);
    for (size_t k = 0; k < 2; k++) {
        bipe_segmentation *s;
        bipe_error err;
        offsets got = {0};
        uint64_t random = 5;
        CHECK(bipe_segmentation_open(&s, specs[k], &err) == BIPE_OK);
        for (size_t c = 0; c < 3; c++) {
            text[3 + LIMIT] = 'x';
            CHECK(run_bytes(s, text, SIZE, longest[c], &random, &got, &err) == BIPE_OK);
            CHECK(got.count == 1 && got.at[0] == 4);
            text[3 + LIMIT] = ' ';
            CHECK(run_bytes(s, text, SIZE, longest[c], &random, &got, &err) == BIPE_ERR_LIMIT);
            char want[100];
            snprintf(want, sizeof want, "byte 3: segmenter '%s': undecided for more than 2 MiB, expected less",
                     specs[k]);
            CHECK_TEXT(err.text, want);
        }
        CHECK(run_bytes(s, text, 4, 0, &random, &got, &err) == BIPE_OK);
        offsets_free(&got);
        bipe_segmentation_close(s);
    }
    bipe_free(text);
}

/* What a pattern must see before its next match is decided: 2 MiB, wherever the text is cut, and the next document is
 * fine. */
static void test_unit_limit(void)
{
    enum { LIMIT = 2 << 20 };
    static const size_t longest[] = {0, 100000, 1000};
    uint8_t *text = bipe_alloc(LIMIT + 1000, 1);
    bipe_segmentation *s;
    bipe_error err;
    offsets got = {0};
    uint64_t random = 5;
    if (text == NULL || bipe_segmentation_open(&s, "regex:[^\\n]*\\n(?!x)", &err) != BIPE_OK)
        abort();
    memset(text, 'a', LIMIT + 1000);
    text[4] = '\n';
    for (size_t c = 0; c < 3; c++) {
        text[4 + LIMIT] = '\n'; /* LIMIT bytes, and the one that decides */
        CHECKF(run_bytes(s, text, 4 + LIMIT + 2, longest[c], &random, &got, &err) == BIPE_OK, "%s", err.text);
        CHECK(got.count == 2 && got.at[0] == 5 && got.at[1] == 5 + LIMIT);
        text[4 + LIMIT] = 'a';
        CHECK(run_bytes(s, text, LIMIT + 1000, longest[c], &random, &got, &err) == BIPE_ERR_LIMIT);
        CHECKF(strstr(err.text, "byte 5: segmenter 'regex:[^\\n]*\\n(?!x)': undecided for more than 2 MiB") != NULL,
               "%s", err.text);
        CHECK(run_bytes(s, text, 5, longest[c], &random, &got, &err) == BIPE_OK && got.count == 1);
    }
    offsets_free(&got);
    bipe_segmentation_close(s);
    bipe_free(text);
}

int main(void)
{
    test_by_hand();
    test_random_texts();
    test_tokens();
    test_arguments();
    test_blanks_limit();
    test_unit_limit();
    return test_result();
}
