/* test_pattern.c - patterns over texts in memory: their matches, their errors, and many threads that search with one. */
#include <pthread.h>
#include <stdbool.h>

#include "tests/check.h"
#include "text/pattern.h"

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
    bipe_matches_begin(matches, (const uint8_t *)text, size);
    while (out->count < MOST && (out->status = bipe_matches_next(matches, &out->start[out->count], &out->end[out->count], &err)) == BIPE_OK)
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

/* Digits that are counted, where PCRE2 would look ahead from each: the same as with a space behind them. */
static void test_threes(void)
{
    static const char *const patterns[] = {"(?=(\\d{3})+(?!\\d))", "\\d{1,3}(?=(?:\\d{3})*\\b)"};
    char digits[] = "1234567890123456789012345678901234567890 ";
    for (size_t k = 0; k < 2; k++) {
        bipe_buffer text = {0};
        CHECK(bipe_pattern_translate(patterns[k], strlen(patterns[k]), &text, NULL) == BIPE_OK);
        bipe_pattern *pattern = compile((const char *)text.data);
        for (size_t n = 0; n < sizeof digits - 1; n++) {
            places counted, searched;
            char one[sizeof digits];
            memcpy(one, digits, n);
            one[n] = ' ';
            find(pattern, one, n, &counted);
            find(pattern, one, n + 1, &searched);
            CHECKF(counted.status == BIPE_END && searched.status == BIPE_END && counted.count == searched.count, "%zu digits", n);
            for (size_t i = 0; i < counted.count; i++)
                CHECK(counted.start[i] == searched.start[i] && counted.end[i] == searched.end[i]);
        }
        bipe_pattern_free(pattern);
        bipe_buffer_free(&text);
    }
}

/* What Oniguruma knows by a name, as PCRE2 names it. */
static void test_properties(void)
{
    static const char *const cases[][2] = {
        {"\\p{Han}\\P{Greek}\\p{^Cyrillic}", "\\p{sc:Han}\\P{sc:Greek}\\P{sc:Cyrillic}"}, {"\\p{Lu}\\P{Nd}\\p{^L}", "\\p{Lu}\\P{Nd}\\P{L}"},
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
        {"a*", "baac", 3, {0, 1, 4}, {0, 3, 4}}, /* none behind "aa" */
        {"\\w+|\\s", "ab \xC3\xA9", 3, {0, 2, 3}, {2, 3, 5}},
        {"(a)\\1", "aaa", 1, {0}, {2}},
        {"a$", "a\na\n", 0, {0}, {0}}, /* the end of the text, and no other */
        {"^.", "a\nb", 1, {0}, {1}},
        {".+", "a\xFF\xC3\xA9", 2, {0, 2}, {1, 4}},
        {"\\R", "\r\n\r\n", 2, {0, 2}, {2, 4}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bipe_pattern *pattern = compile(cases[i].pattern);
        places got;
        find(pattern, cases[i].text, strlen(cases[i].text), &got);
        CHECKF(got.status == BIPE_END && got.count == cases[i].count, "%s: %zu", cases[i].pattern, got.count);
        for (size_t k = 0; k < got.count && k < cases[i].count; k++)
            CHECKF(got.start[k] == cases[i].start[k] && got.end[k] == cases[i].end[k], "%s: %zu to %zu", cases[i].pattern, got.start[k],
                   got.end[k]);
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

/* One pattern, of which each thread needs automata or what PCRE2 needs, while others do. */
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

int main(void)
{
    test_threes();
    test_properties();
    test_matches();
    test_errors();
    test_threads();
    return test_result();
}
