/* test_pattern.c - patterns over texts in memory: their matches, their errors, and many threads that search with
 * one. */
#include <pthread.h>
#include <stdbool.h>

#include "tests/check.h"
#include "text/pattern.h"
#include "text/pcre2_engine.h"
#include "text/unicode.h"
#include "text/utf8.h"

enum { THREADS = 4, ROUNDS = 40, MOST = 200 };

typedef struct places {
    size_t start[MOST], end[MOST], count;
    int status; /* of the last call */
} places;

static void find(const bipe_pattern *pattern, const char *text, size_t size, places *out)
{
    bipe_matches *matches;
    bipe_error err;
    out->count = 0;
    out->status = bipe_matches_open(&matches, pattern, &err);
    if (out->status != BIPE_OK)
        return;
    bipe_matches_begin(matches, (const uint8_t *)text, size, false);
    while (out->count < MOST &&
           (out->status = bipe_matches_next(matches, &out->start[out->count], &out->end[out->count], &err)) == BIPE_OK)
        out->count++;
    bipe_matches_close(matches);
}

static bipe_pattern *compile(const char *text)
{
    bipe_pattern *pattern;
    bipe_error err;
    if (bipe_pattern_compile(&pattern, text, strlen(text), &err) != BIPE_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return pattern;
}

/* What Oniguruma knows by a name, as PCRE2 names it. */
static void test_properties(void)
{
    static const char *const cases[][2] = {
        {"\\p{Han}\\P{Greek}\\p{^Cyrillic}", "\\p{sc:Han}\\P{sc:Greek}\\P{sc:Cyrillic}"},
        {"\\p{Lu}\\P{Nd}\\p{^L}", "\\p{Lu}\\P{Nd}\\P{L}"},
        {"\\p{Letter}\\p{Uppercase_Letter}[\\p{Other_Symbol}]", "\\p{L}\\p{Lu}[\\p{So}]"},
        {"(\\p{Extended_Pictographic}(?:\\u200D\\P{Emoji})*)", "(\\p{Extended_Pictographic}(?:\\x{200D}\\P{Emoji})*)"},
        {"\\p{^Math}\\p{White_Space}\\P{^Alphabetic}", "\\P{Math}\\p{White_Space}\\p{Alphabetic}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_buffer text = {0};
        bipe_error err;
        CHECK(bipe_pattern_translate(cases[i][0], strlen(cases[i][0]), &text, &err) == BIPE_OK);
        CHECK_TEXT((const char *)text.data, cases[i][1]);
        bipe_pattern_free(compile((const char *)text.data));
        bipe_buffer_free(&text);
    }
}

static void test_matches(void)
{
    static const struct {
        const char *pattern, *text;
        size_t count, start[4], end[4];
    } cases[] = {
        {"a+", "baac a", 2, {1, 5}, {3, 6}},
        {"a*", "baac", 3, {0, 1, 4}, {0, 3, 4}}, /* none after "aa" */
        {"\\w+|\\s", "ab \xC3\xA9", 3, {0, 2, 3}, {2, 3, 5}},
        {"(a)\\1", "aaa", 1, {0}, {2}},
        {"a$", "a\na\n", 0, {0}, {0}}, /* the end of the text, and no other */
        {"^.", "a\nb", 1, {0}, {1}},
        {".+", "a\xFF\xC3\xA9", 2, {0, 2}, {1, 4}},
        {"\\R", "\r\n\r\n", 2, {0, 2}, {2, 4}},
        {"\\G[ab]", "abcab", 2, {0, 1}, {1, 2}},
        {"[ab](*COMMIT)c", "cabac", 0, {0}, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_pattern *pattern = compile(cases[i].pattern);
        places got;
        find(pattern, cases[i].text, strlen(cases[i].text), &got);
        CHECKF(got.status == BIPE_END && got.count == cases[i].count, "%s: %zu", cases[i].pattern, got.count);
        for (size_t k = 0; k < got.count && k < cases[i].count; k++)
            CHECKF(got.start[k] == cases[i].start[k] && got.end[k] == cases[i].end[k], "%s: %zu to %zu",
                   cases[i].pattern, got.start[k], got.end[k]);
        bipe_pattern_free(pattern);
    }
}

static void test_errors(void)
{
    static char large[(1 << 16) + 1];
    bipe_pattern *pattern;
    bipe_error err;
    memset(large, 'a', sizeof large);
    CHECK(bipe_pattern_compile(&pattern, large, sizeof large, &err) == BIPE_ERR_LIMIT && pattern == NULL);
    CHECK(bipe_pattern_compile(&pattern, "a(b", 3, &err) == BIPE_ERR_FORMAT && pattern == NULL);
    CHECK_TEXT(err.text, "pattern \"a(b\": offset 3 of the pattern: missing closing parenthesis");
    places got;
    pattern = compile("(a|aa)+$");
    memset(large + 60, 'b', 1);
    find(pattern, large, 61, &got);
    CHECK(got.status == BIPE_ERR_LIMIT && got.count == 0);
    bipe_pattern_free(pattern);
}

/* One pattern, whose codes each thread needs at once. */
typedef struct work {
    const bipe_pattern *pattern;
    const places *want; /* of text */
    const char *text;
    bool same;
} work;

static void *search_often(void *context)
{
    work *w = context;
    places got;
    w->same = true;
    for (int i = 0; i < ROUNDS; i++) {
        find(w->pattern, w->text, strlen(w->text), &got);
        w->same = w->same && got.status == BIPE_END && got.count == w->want->count &&
                  memcmp(got.start, w->want->start, got.count * sizeof *got.start) == 0 &&
                  memcmp(got.end, w->want->end, got.count * sizeof *got.end) == 0;
    }
    return NULL;
}

static void test_threads(void)
{
    static const char *const patterns[] = {"\\w+|[^\\w\\s]+|\\s+", "(?>a|b)+\\s?", "\\bq"};
    static const char *const texts[THREADS] = {"ab  abba. \xC3\xA9t\xC3\xA9!", "a, b; \xE4\xBD\xA0\xE5\xA5\xBD q",
                                               "\xCE\xB1\xCE\xB2 aaaa\xFF bq", "   q"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        bipe_pattern *alone = compile(patterns[i]), *shared = compile(patterns[i]);
        places want[THREADS];
        work all[THREADS];
        pthread_t thread[THREADS];
        for (size_t t = 0; t < THREADS; t++) {
            find(alone, texts[t], strlen(texts[t]), &want[t]);
            CHECK(want[t].status == BIPE_END);
            all[t] = (work){.pattern = shared, .want = &want[t], .text = texts[t]};
        }
        for (size_t t = 0; t < THREADS; t++)
            if (pthread_create(&thread[t], NULL, search_often, &all[t]) != 0)
                abort();
        for (size_t t = 0; t < THREADS; t++) {
            pthread_join(thread[t], NULL);
            CHECKF(all[t].same, "%s in thread %zu", patterns[i], t);
        }
        bipe_pattern_free(alone);
        bipe_pattern_free(shared);
    }
}

/* ---- places to cut at ---- */

/* In Oniguruma's syntax. */
static const char *const cut_patterns[] = {
    "\\s?[a-z]+", "[\\n\\r]", "[0-9]{1,3}|[a-c]", "[0-9][0-9][0-9]", "\\x{20}?\\p{L}+|[^\\p{L}\\x{20}]", "a+b?",
    "[ab]+?", "b?a++", "a?b", "ab|bc", "\\n+|[. ]",
    "'(?:s|t)| ?\\p{L}+| ?\\p{N}{1,2}| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", "(?<=a)b|\\s+", "(?<!a b)c+", "\\s+$",
    "a.*?b", "a[^c]*?b", "\\bb\\w*", "(?=(\\d{3})+(?!\\d))", "\\d{1,3}(?=(?:\\d{3})*\\b)", "(?i:'s|ab)|\\w+?\\b",
    "(?:a|bc)*b(?=c|\\n)", "\\w+(?=\\s)|.", "", "a*", "^a+", "a+(?!b|\\n)|b(?<!ab)", "(?:a(?=b))+b|c", "\\B.",
    "(?>a|b)c", "[^b]*b", "a?+a", "a{2}|c",
};

static void make_text(uint64_t *seed, char *text, size_t size)
{
    static const char *const parts[] = {"a", "b", "c", " ", "\n", "1", "23", ".", "ab", "\xC3\xA9", "'s", "\r\n", "  ",
                                        "\xE4\xBD\xA0", "\xFF", "abc b",
                                        "\xE3\x80\x82", "\xE3\x80\x80", "\xEF\xBC\x92"};
    size_t n = 0;
    bool broken = test_random(seed) % 4 == 0;
    while (n < size) {
        const char *part = parts[test_random(seed) % (sizeof parts / sizeof *parts)];
        if (!broken && part[0] == '\xFF')
            continue;
        size_t k = strlen(part) < size - n ? strlen(part) : size - n;
        memcpy(text + n, part, k);
        n += k;
    }
}

/* Whether the matches of text[0 .. size) are those of its two parts, but for empty ones at the place. */
static bool splits_at(const bipe_pattern *pattern, const char *text, size_t size, size_t place)
{
    static places whole, part[2];
    size_t n = 0;
    find(pattern, text, size, &whole);
    find(pattern, text, place, &part[0]);
    find(pattern, text + place, size - place, &part[1]);
    bool same = whole.status == BIPE_END && part[0].status == BIPE_END && part[1].status == BIPE_END;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < part[k].count && same; i++) {
            size_t start = part[k].start[i] + (k != 0 ? place : 0), end = part[k].end[i] + (k != 0 ? place : 0);
            if (start == end && start == place)
                continue;
            while (n < whole.count && whole.start[n] == place && whole.end[n] == place)
                n++;
            same = n < whole.count && whole.start[n] == start && whole.end[n] == end;
            n++;
        }
    while (n < whole.count && whole.start[n] == place && whole.end[n] == place)
        n++;
    return same && n == whole.count;
}

/* Whether a match or the text between two matches ends at a place. */
static bool ends_at(const bipe_pattern *pattern, const char *text, size_t size, size_t place)
{
    static places whole;
    size_t before = 0;
    find(pattern, text, size, &whole);
    for (size_t i = 0; i < whole.count; i++) {
        if (whole.start[i] == place || whole.end[i] == place)
            return true;
        before += whole.end[i] < place;
    }
    return before == 0 && place == 0;
}

/* The row of bipe_pattern_pairs() for the character before a place of the text, or BIPE_PATTERN_BEFORE: nothing is said
 * of it. */
static unsigned row_before(const char *text, size_t place)
{
    const uint8_t *end = (const uint8_t *)text + place;
    int32_t code;
    if (end[-1] < 128)
        return end[-1];
    for (size_t n = 2; n <= 4 && n <= place; n++)
        if (bipe_utf8_decode(end - n, n, &code) == n && code >= 0 && bipe_is_visible(bipe_unicode_category(code)))
            return BIPE_PATTERN_VISIBLE;
    return BIPE_PATTERN_BEFORE;
}

/* What is said of pairs of characters holds in every text. */
static void test_pairs(void)
{
    static bipe_pattern_pair pair[BIPE_PATTERN_BEFORE][128];
    static char text[MOST];
    uint64_t seed = 8;
    size_t keeps = 0, splits = 0, visible = 0;
    for (size_t k = 0; k < sizeof cut_patterns / sizeof *cut_patterns; k++) {
        bipe_buffer translated = {0};
        CHECKF(bipe_pattern_translate(cut_patterns[k], strlen(cut_patterns[k]), &translated, NULL) == BIPE_OK, "%s",
               cut_patterns[k]);
        bipe_pattern *pattern = compile((const char *)translated.data);
        bipe_buffer_free(&translated);
        bipe_pattern_find_pairs(pattern, pair);
        for (int round = 0; round < test_rounds(200); round++) {
            size_t size = 2 + (size_t)(test_random(&seed) % 60), at = 1 + (size_t)(test_random(&seed) % (size - 1));
            make_text(&seed, text, size);
            unsigned x = row_before(text, at), y = (uint8_t)text[at];
            if (x == BIPE_PATTERN_BEFORE || y >= 128 || !pair[x][y].keeps)
                continue;
            visible += x == BIPE_PATTERN_VISIBLE;
            keeps++;
            splits += pair[x][y].splits;
            CHECKF(splits_at(pattern, text, size, at), "%s: %.*s at %zu", cut_patterns[k], (int)size, text, at);
            CHECKF(!pair[x][y].splits || ends_at(pattern, text, size, at), "%s: %.*s at %zu", cut_patterns[k],
                   (int)size, text, at);
        }
        bipe_pattern_free(pattern);
    }
    CHECK(keeps > (size_t)test_rounds(200) * 4 && splits > (size_t)test_rounds(200) &&
          visible > (size_t)test_rounds(200) / 2);
}

/* The same by PCRE2's interpreter, which tries every place. */
static void find_plainly(const pcre2_code *code, const char *text, size_t size, places *out)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    size_t last = SIZE_MAX;
    out->count = 0;
    for (size_t at = 0; at <= size && pcre2_match(code, (PCRE2_SPTR)text, size, at, 0, data, NULL) >= 0;) {
        size_t start = pcre2_get_ovector_pointer(data)[0], end = pcre2_get_ovector_pointer(data)[1];
        if (start != end || end != last) {
            out->start[out->count] = start;
            last = out->end[out->count++] = end;
        }
        at = end + (start == end);
        while (start == end && at < size && (text[at] & 0xC0) == 0x80)
            at++;
    }
    pcre2_match_data_free(data);
}

static void test_against_pcre2(void)
{
    static char text[MOST / 2];
    static places want, got;
    uint64_t seed = 9;
    size_t skips = 0;
    for (size_t k = 0; k < sizeof cut_patterns / sizeof *cut_patterns; k++) {
        bipe_buffer translated = {0};
        CHECK(bipe_pattern_translate(cut_patterns[k], strlen(cut_patterns[k]), &translated, NULL) == BIPE_OK);
        bipe_pattern *pattern = compile((const char *)translated.data);
        pcre2_code *code;
        uint32_t plain = PCRE2_DOLLAR_ENDONLY | PCRE2_NO_START_OPTIMIZE | PCRE2_MATCH_INVALID_UTF |
                         PCRE2_NO_DOTSTAR_ANCHOR;
        CHECK(bipe_pcre2_compile(&code, (const char *)translated.data, translated.size, plain, NULL) == BIPE_OK);
        for (int round = 0; round < test_rounds(200); round++) {
            size_t size = (size_t)(test_random(&seed) % (sizeof text + 1));
            make_text(&seed, text, size);
            find(pattern, text, size, &got);
            find_plainly(code, text, size, &want);
            bool same = got.status == BIPE_END && got.count == want.count;
            for (size_t i = 0; same && i < want.count; i++)
                same = got.start[i] == want.start[i] && got.end[i] == want.end[i];
            CHECKF(same, "%s in '%.*s': %zu matches, expected %zu", cut_patterns[k], (int)size, text, got.count,
                   want.count);
            skips += want.count != 0 && want.start[0] != 0;
        }
        pcre2_code_free(code);
        bipe_pattern_free(pattern);
        bipe_buffer_free(&translated);
    }
    CHECK(skips > (size_t)test_rounds(200));
}

static void test_sets(void)
{
    static const struct {
        const char *pattern, *members; /* NULL: not a set */
    } cases[] = {
        {"\\n", "\n"}, {"[.!?]", ".!?"}, {"a|b|[c-e]", "abcde"}, {"(a)|(?:b|c)", "abc"}, {"(?i)[a-c]", "abcABC"},
        {"(?i)k", NULL}, {"\\.|\\x{21}", ".!"}, {"[\\]^-]", "]^-"}, {"[]a]", "]a"}, {"a", "a"},
        {"a+", NULL}, {"ab", NULL}, {"[^a]", NULL}, {"\\s", NULL}, {"\xC3\xA9", NULL}, {"a|", NULL}, {"", NULL},
        {".", NULL},
        {"a?", NULL}, {"a{1}", "a"}, {"a{2}", NULL}, {"\\b", NULL}, {"[\\b]", NULL}, {"^a", NULL}, {"a(?!b)", NULL},
        {"[[:alpha:]]", NULL}, {"\\Qa\\E", NULL}, {"a{0,1}", NULL}, {"a}", NULL}, {"[a", NULL}, {"\\", NULL},
        {"[\\p{L}]", NULL}, {"a{,2}", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t member[256];
        bool is_set = bipe_pattern_set(cases[i].pattern, strlen(cases[i].pattern), member);
        CHECKF(is_set == (cases[i].members != NULL), "%s", cases[i].pattern);
        for (unsigned b = 0; is_set && b < 256; b++)
            CHECKF(member[b] == (b != 0 && strchr(cases[i].members, (int)b) != NULL), "%s: %u", cases[i].pattern, b);
    }
}

int main(void)
{
    test_properties();
    test_matches();
    test_errors();
    test_threads();
    test_pairs();
    test_against_pcre2();
    test_sets();
    return test_result();
}
