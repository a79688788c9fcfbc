/* test_unicode.c - properties of characters are those of Unicode 16.0, whatever version PCRE2 has: sizes and members of
 * categories and scripts that Unicode publishes, and patterns by PCRE2, with and without JIT, and the tables, which
 * must agree about each character. */
#include "config.h"

#include "tests/check.h"
#include "text/pattern.h"
#include "text/unicode.h"
#include "text/unicode_sets.h"
#include "text/utf8.h"

enum { CODES = 0x110000, SURROGATES = 0xD800, PAST_SURROGATES = 0xE000 };

/* Every character but most of those that nothing is written with. */
static uint8_t text[4 * CODES];
static size_t text_size;
static uint8_t want[CODES], got[CODES];

static bool is_used(int32_t code)
{
    return (code < SURROGATES || code >= PAST_SURROGATES) &&
           (code < 0x24000 || (code & 0xFFFF) < 0x300 || (code & 0xFFFF) > 0xFF00);
}

static void write_text(void)
{
    for (int32_t code = 0; code < CODES; code++)
        if (is_used(code))
            text_size += bipe_utf8_encode(code, text + text_size);
}

static size_t by_tables(const char *property)
{
    bipe_code_set set = {0};
    bipe_error err;
    size_t count = 0;
    memset(want, 0, sizeof want);
    CHECKF(bipe_unicode_class(&set, property, &err) == BIPE_OK, "%s", property);
    for (size_t i = 0; i < set.count; i++) {
        CHECK(i == 0 || set.range[i].first > set.range[i - 1].last + 1);
        for (int32_t code = set.range[i].first; code <= set.range[i].last; code++)
            if (code < SURROGATES || code >= PAST_SURROGATES) {
                want[code] = 1;
                count++;
            }
    }
    bipe_code_set_free(&set);
    return count;
}

/* Characters in the matches of a pattern. */
static void by_pattern(const char *pattern)
{
    bipe_pattern *p;
    bipe_matches *m;
    bipe_error err;
    size_t start, end;
    memset(got, 0, sizeof got);
    if (bipe_pattern_compile(&p, pattern, strlen(pattern), &err) != BIPE_OK) {
        CHECKF(false, "%s", err.text);
        return;
    }
    CHECK(bipe_matches_open(&m, p, &err) == BIPE_OK);
    bipe_matches_begin(m, text, text_size, false);
    while (bipe_matches_next(m, &start, &end, &err) == BIPE_OK)
        for (int32_t code; start < end;) {
            start += bipe_utf8_decode(text + start, end - start, &code);
            got[code] = 1;
        }
    bipe_matches_close(m);
    bipe_pattern_free(p);
}

static void same(const char *pattern)
{
    size_t wrong = 0;
    int32_t first = -1;
    for (int32_t code = 0; code < CODES; code++)
        if (is_used(code) && want[code] != got[code] && wrong++ == 0)
            first = code;
    CHECKF(wrong == 0, "%s: %zu characters, the first U+%04X", pattern, wrong, (unsigned)first);
}

/* A class or property by all three: an atomic group is not for JIT. */
static void check_class(const char *class)
{
    char pattern[200];
    by_tables(class);
    snprintf(pattern, sizeof pattern, "%s++", class);
    by_pattern(pattern);
    same(pattern);
    snprintf(pattern, sizeof pattern, "(?>%s)++(?<!\n\n)", class);
    by_pattern(pattern);
    same(pattern);
}

/* How many characters (DerivedGeneralCategory.txt and Scripts.txt of 16.0 say so; without the surrogates). */
static void test_sizes(void)
{
    static const struct {
        const char *property;
        size_t size;
    } cases[] = {
        {"\\p{L}", 141028}, {"\\p{Lu}", 1858}, {"\\p{Ll}", 2258}, {"\\p{Lt}", 31}, {"\\p{Lm}", 404},
        {"\\p{Lo}", 136477}, {"\\p{M}", 2501},
        {"\\p{N}", 1911}, {"\\p{Nd}", 760}, {"\\p{Nl}", 236}, {"\\p{No}", 915}, {"\\p{P}", 855}, {"\\p{S}", 8514},
        {"\\p{So}", 7376}, {"\\p{Z}", 19},
        {"\\p{Cc}", 65}, {"\\p{Cf}", 170}, {"\\p{Co}", 137468}, {"\\p{Cn}", 819533}, {"\\p{sc:Han}", 99030},
        {"\\p{sc:Latin}", 1487},
        {"\\p{sc:Garay}", 69}, {"\\p{White_Space}", 25}, {"\\p{Alphabetic}", 142759}, {"\\p{Any}", 0x110000 - 2048},
        {"\\P{Any}", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = by_tables(cases[i].property);
        CHECKF(size == cases[i].size, "%s: %zu", cases[i].property, size);
    }
}

/* Characters of Unicode 15.0, 15.1 and 16.0 are there, those of 17.0 are not. */
static void test_versions(void)
{
    CHECK(bipe_unicode_category(0x11F04) == BIPE_LO && bipe_unicode_category(0x1E4D0) == BIPE_LO);
    CHECK(bipe_unicode_category(0x2EBF0) == BIPE_LO && bipe_unicode_category(0x2FFC) == BIPE_SO);
    CHECK(bipe_unicode_category(0x1C89) == BIPE_LU && bipe_unicode_category(0x10D40) == BIPE_ND &&
          bipe_unicode_category(0x1CCF9) == BIPE_ND);
    CHECK(bipe_unicode_category(0x16EA0) == BIPE_CN && bipe_unicode_category(0xA7CE) == BIPE_CN &&
          bipe_unicode_category(0x323B0) == BIPE_CN);
    CHECK(bipe_unicode_category(-1) == BIPE_CN && bipe_unicode_category(CODES) == BIPE_CN &&
          bipe_unicode_category(CODES - 1) == BIPE_CN);
    for (int32_t code = 0, end; code < CODES; code = end) {
        bipe_category run = bipe_unicode_category_run(code, &end);
        CHECK(end > code && end <= CODES);
        for (int32_t of = code; of < end; of++)
            CHECK(bipe_unicode_category(of) == run);
    }
}

static void test_classes(void)
{
    static const char *const classes[] = {
        "\\p{L}", "\\P{L}", "\\p{N}", "\\p{M}", "\\p{P}", "\\p{S}", "\\p{Z}", "\\p{C}", "\\p{Lu}", "\\P{Lu}", "\\p{Ll}",
        "\\p{Lo}", "\\p{Cn}", "\\P{Cn}", "\\p{Alphabetic}", "\\p{Uppercase}", "\\p{Emoji}",
        "\\p{Extended_Pictographic}", "\\p{sc:Han}", "\\P{sc:Han}", "\\p{sc:Arabic}", "\\p{sc:Kawi}", "\\p{sc:Sunuwar}",
        "[^\\r\\n\\p{L}\\p{N}]", "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]", "[\\P{L}q]", "[^\\P{N}]", "[^\\P{L}\\p{Lu}]",
        "[\\p{sc:Garay}\\p{sc:Greek}\\x{3B1}-\\x{3C9}]", "[a-z\\p{^Lu}]", "[]\\p{P}\\]]",
        "[\\x{1F600}-\\x{10FFFF}\\p{Nd}]", "[\\p{Cs}\\p{Zl}]",
    };
    size_t count = sizeof classes / sizeof *classes, step = test_all_rounds() ? 1 : 4; /* each takes a while */
    for (size_t i = 0; i < count; i += step)
        check_class(classes[i]);
}

static void test_rewriting(void)
{
    static const char *const same_text[] = {"[\\p]a", "\\\\p{L}", "[\\]\\[]\\\\", "a\\", "\\p", "[", "[^]\\x{41}]"};
    static const char *const unknown[] = {"\\p{sc:Nowhere}", "[\\p{}]", "\\p{Lx}"};
    bipe_error err;
    for (size_t i = 0; i < sizeof same_text / sizeof *same_text; i++) {
        bipe_buffer out = {0};
        CHECK(bipe_unicode_rewrite(same_text[i], strlen(same_text[i]), &out, &err) == BIPE_OK);
        CHECK_TEXT((const char *)out.data, same_text[i]);
        bipe_buffer_free(&out);
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        bipe_buffer out = {0};
        CHECK(bipe_unicode_rewrite(unknown[i], strlen(unknown[i]), &out, &err) == BIPE_ERR_UNSUPPORTED);
        CHECK(strstr(err.text, "is not known") != NULL);
        bipe_buffer_free(&out);
    }
}

/* A pattern that says little and means much is refused before it takes memory or time. */
static void test_limits(void)
{
    static const char *const first[] = {"L",  "M",  "N",  "P",  "S",  "Z",  "Lu", "Ll", "Lt",
                                        "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No"};
    bipe_buffer many = {0}, different = {0}, out = {0};
    bipe_error err;
    for (int i = 0; i < 5000; i++)
        bipe_buffer_printf(&many, NULL, "[\\P{L}]");
    CHECK(bipe_unicode_rewrite((const char *)many.data, many.size, &out, &err) == BIPE_ERR_LIMIT);
    CHECK(out.size < 2 << 20);
    out.size = 0;
    for (size_t i = 0; i < 68; i++) /* each with its other names */
        bipe_buffer_printf(&different, NULL, "\\%c{%s%s}", i % 2 != 0 ? 'P' : 'p', i % 4 < 2 ? "" : "_", first[i / 4]);
    CHECK(bipe_unicode_rewrite((const char *)different.data, different.size, &out, &err) == BIPE_ERR_LIMIT);
    CHECK_TEXT(err.text, "more than 64 different properties in a pattern");
    bipe_buffer_free(&many);
    bipe_buffer_free(&different);
    bipe_buffer_free(&out);
}

/* What is no class, or a mistake in one, is left to others. */
static void test_refused(void)
{
    static const char *const refused[] = {"",
                                          "a",
                                          "[",
                                          "[]",
                                          "[a",
                                          "[a]b",
                                          "[b-a]",
                                          "\\p",
                                          "\\p{",
                                          "\\p{L",
                                          "\\p{L}x",
                                          "\\p{Q}",
                                          "[\\p{L}-z]",
                                          "[[:alpha:]]",
                                          "[\\w]",
                                          "(?i)[\\p{L}]",
                                          "[\\x{110000}]",
                                          "[\\x{}]",
                                          "[a-\\p{L}]",
                                          "[\\",
                                          "[\\p{sc:}]"};
    bipe_error err;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        bipe_code_set set = {0};
        CHECKF(bipe_unicode_class(&set, refused[i], &err) == BIPE_END, "%s", refused[i]);
        bipe_code_set_free(&set);
    }
}

int main(void)
{
    write_text();
    test_sizes();
    test_versions();
    test_classes();
    test_rewriting();
    test_limits();
    test_refused();
    return test_result();
}
