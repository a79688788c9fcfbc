/* test_pretoken_starts.c - starts of pre-tokens of well-known patterns against PCRE2, on random texts; the classifiers
 * against one another. */
#include <config.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "tests/pretoken_ends.h"
#include "text/pattern.h"
#include "text/utf8.h"
#include "token/pretoken/pretoken_patterns.h"
#include "token/pretoken/pretoken_starts.h"

enum { MOST = 3000 };

static bipe_char_classes classes, with_marks, with_kana;
static const bipe_split_rule *rules[20];
static bipe_pattern *patterns[20], *steps[3]; /* a rule with kana is that of three steps */
static size_t rule_count;

static bipe_pattern *compile(const char *pattern)
{
    bipe_buffer text = {0};
    bipe_error err = {0};
    bipe_pattern *compiled = NULL;
    CHECKF(bipe_pattern_translate(pattern, strlen(pattern), &text, &err) == BIPE_OK &&
               bipe_pattern_compile(&compiled, (const char *)text.data, text.size, &err) == BIPE_OK,
           "%s", err.text);
    bipe_buffer_free(&text);
    return compiled;
}

static void add_rule(const char *pattern)
{
    const bipe_split_rule *rule = bipe_pretoken_pattern_rule(pattern);
    CHECKF(rule != NULL, "%s", pattern);
    rules[rule_count] = rule;
    patterns[rule_count++] = compile(pattern);
}

static const bipe_char_classes *classes_of(const bipe_split_rule *rule)
{
    return rule->kana ? &with_kana : rule->marks ? &with_marks : &classes;
}

/* ---- both ways: where pre-tokens end ---- */

/* Nothing but broken bytes is left between matches. */
static void check_gap(const uint8_t *text, size_t from, size_t to)
{
    for (int32_t code; from < to; from++)
        CHECK(bipe_utf8_decode(text + from, to - from, &code) == 0 || code < 0);
}

/* What stands between matches is a pre-token, too. */
static size_t by_pcre2(const bipe_pattern *pattern, const uint8_t *text, size_t size, size_t *end)
{
    bipe_matches *matches;
    bipe_error err = {0};
    CHECK(bipe_matches_open(&matches, pattern, &err) == BIPE_OK);
    bipe_matches_begin(matches, text, size, false);
    size_t n = 0, at = 0, from, to;
    int status;
    while ((status = bipe_matches_next(matches, &from, &to, &err)) == BIPE_OK) {
        check_gap(text, at, from);
        if (from > at)
            end[n++] = from;
        end[n++] = at = to;
    }
    CHECKF(status == BIPE_END, "%s", err.text);
    check_gap(text, at, size);
    if (at < size)
        end[n++] = size;
    bipe_matches_close(matches);
    return n;
}

/* As many as possible at once; those that it leaves are taken from want[]. */
static size_t by_starts(const bipe_split_rule *rule, const bipe_text_masker *masker, const uint8_t *text, size_t size,
                        const size_t *want, size_t wants, size_t *end)
{
    static uint32_t start[BIPE_STARTS_CAPACITY];
    size_t n = 0, from = 0, next = 0; /* want[next] is the first one after from */
    uint8_t *padded = malloc(size + BIPE_STARTS_SLACK);
    memset(padded + size, 'x', BIPE_STARTS_SLACK);
    memcpy(padded, text, size);
    while (from < size) {
        size_t count = bipe_pretoken_starts(rule, classes_of(rule), masker, NULL, padded + from, 0, size - from, start);
        CHECK(count == 0 || start[0] == 0);
        for (size_t k = 1; k <= count; k++)
            end[n++] = from + start[k];
        from += count != 0 ? start[count] : 0;
        while (next < wants && want[next] <= from)
            next++;
        if (next == wants)
            break;
        from = want[next];
        end[n++] = from;
    }
    free(padded);
    return n;
}

static void show(const char *what, const uint8_t *text, const size_t *end, size_t n, size_t wrong)
{
    fprintf(stderr, "%s:", what);
    for (size_t k = wrong > 2 ? wrong - 2 : 0; k < n && k < wrong + 3; k++) {
        fprintf(stderr, " [");
        for (size_t i = k != 0 ? end[k - 1] : 0; i < end[k]; i++)
            fprintf(stderr, text[i] < 0x80 && text[i] >= ' ' ? "%c" : "\\x%02X", text[i]);
        fprintf(stderr, "]");
    }
    fprintf(stderr, "\n");
}

static void same(const char *what, const bipe_split_rule *rule, const uint8_t *text, const size_t *want, size_t wants,
                 const size_t *got, size_t gots)
{
    size_t wrong = 0;
    while (wrong < wants && wrong < gots && want[wrong] == got[wrong])
        wrong++;
    CHECKF(wrong == wants && wrong == gots, "%s, %s: pre-token %zu", what, rule->pattern, wrong);
    if ((wrong != wants || wrong != gots) && test_failures < 10) {
        show("want", text, want, wants, wrong);
        show("got", text, got, gots, wrong);
    }
}

static void check_text(const uint8_t *text, size_t size)
{
    size_t *want = malloc((size + 1) * sizeof *want), *got = malloc((size + 1) * sizeof *got);
    for (size_t k = 0; k < rule_count; k++) {
        size_t wants = rules[k]->kana ? pretoken_ends(steps, 3, text, size, 0, want)
                                      : by_pcre2(patterns[k], text, size, want);
        for (const bipe_text_masker *c = bipe_text_maskers; c->name != NULL; c++)
            if (c->usable())
                same(c->name, rules[k], text, want, wants, got, by_starts(rules[k], c, text, size, want, wants, got));
    }
    free(want);
    free(got);
}

/* ---- texts ---- */

/* Random sequences of a few parts, some of them repeated. */
static void test_parts(const char *const *parts, size_t count, unsigned repeat, int rounds, uint64_t *random)
{
    uint8_t text[MOST];
    for (int round = 0; round < rounds; round++) {
        size_t size = 0, most = 1 + test_random(random) % (round % 8 == 0 ? MOST : 150);
        while (size < most) {
            const char *part = parts[test_random(random) % count];
            size_t times = test_random(random) % repeat == 0 ? 1 + test_random(random) % 9 : 1, n = strlen(part);
            n = n != 0 ? n : 1; /* "" is a NUL */
            for (; times != 0 && size + n <= most; times--, size += n)
                memcpy(text + size, part, n);
            if (size + n > most)
                break;
        }
        check_text(text, size);
    }
}

static bool matches(bipe_matches *m, int32_t code)
{
    uint8_t text[4];
    size_t from, to;
    bipe_matches_begin(m, text, bipe_utf8_encode(code, text), false);
    return bipe_matches_next(m, &from, &to, NULL) == BIPE_OK;
}

enum { CODES = 0x20000 };

/* The classes of characters. */
static void compare_characters(void)
{
    static const char *const names[] = {
        "\\p{L}", "\\p{N}", "\\s", "\\p{M}", "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]", "[\\p{P}\\p{S}]"};
    bipe_error err = {0};
    for (size_t k = 0; k < 6; k++) {
        bipe_pattern *pattern = compile(names[k]);
        bipe_matches *m;
        CHECK(bipe_matches_open(&m, pattern, &err) == BIPE_OK);
        size_t wrong = 0;
        for (int32_t code = 0; code < CODES; code++) {
            if (code >= 0xD800 && code < 0xE000)
                continue;
            uint8_t class = bipe_char_class(&classes, code);
            bool mark = (class & (BIPE_CHAR_UPPER | BIPE_CHAR_LOWER | BIPE_CHAR_LETTER)) ==
                        (BIPE_CHAR_UPPER | BIPE_CHAR_LOWER);
            static const uint8_t bit[] = {BIPE_CHAR_LETTER, BIPE_CHAR_NUMBER, BIPE_CHAR_WHITE, 0, BIPE_CHAR_UPPER};
            uint8_t other = bipe_char_class(&with_kana, code) &
                            (BIPE_CHAR_LETTER | BIPE_CHAR_NUMBER | BIPE_CHAR_WHITE | BIPE_CHAR_NONE);
            wrong += matches(m, code) != (k == 5 ? other == 0 : k == 3 ? mark : (class & bit[k]) != 0);
        }
        CHECKF(wrong == 0, "%s: %zu characters", names[k], wrong);
        bipe_matches_close(m);
        bipe_pattern_free(pattern);
    }
}

static void test_unicode(int rounds, uint64_t *random)
{
    static const int32_t ranges[][2] = {{0x20, 0x7E},       {0x9, 0xD},       {0x80, 0x24F},    {0x2B0, 0x36F},
                                        {0x370, 0x52F},     {0x600, 0x6FF},   {0x900, 0x9FF},   {0x1C5, 0x1CB},
                                        {0x1680, 0x1680},   {0x2000, 0x206F}, {0x2150, 0x218F}, {0x3000, 0x30FF},
                                        {0x4E00, 0x9FFF},   {0xAC00, 0xD7A3}, {0xFF00, 0xFFEF}, {0x10300, 0x1D7FF},
                                        {0x1F300, 0x1F6FF}, {0, CODES - 1}};
    uint8_t text[MOST + 4];
    for (int round = 0; round < rounds; round++) {
        size_t size = 0, most = 1 + test_random(random) % (round % 8 == 0 ? MOST : 200), few = round % 3;
        while (size < most) {
            const int32_t *range =
                ranges[test_random(random) % (few == 0 ? sizeof ranges / sizeof *ranges : 3 + 4 * few)];
            int32_t code = range[0] + (int32_t)(test_random(random) % (uint64_t)(range[1] - range[0] + 1));
            if (code >= 0xD800 && code < 0xE000)
                continue;
            size += bipe_utf8_encode(code, text + size);
        }
        check_text(text, size);
    }
}

/* Bytes of all kinds: broken characters, NULs. */
static void test_bytes(int rounds, uint64_t *random)
{
    static const uint8_t some[] = {0,    ' ',  '\n', 'a',  'B',  '1',  '\'', 's',  '.',  '/',  0x80,
                                   0xBF, 0xC0, 0xC3, 0xA9, 0xC5, 0xBF, 0xE0, 0xE4, 0xB8, 0xAD, 0xED,
                                   0xA0, 0xF0, 0x9F, 0x98, 0x80, 0xF4, 0x90, 0xF8, 0xFF};
    uint8_t text[MOST];
    for (int round = 0; round < rounds; round++) {
        size_t size = 1 + test_random(random) % (round % 8 == 0 ? MOST : 150);
        for (size_t i = 0; i < size; i++)
            text[i] = round % 2 == 0 ? (uint8_t)(test_random(random) >> 40) : some[test_random(random) % sizeof some];
        for (size_t i = 0; round % 4 == 3 && i < size; i++)
            text[i] = text[i] >= 0x80 && test_random(random) % 4 != 0 ? 'x' : text[i];
        check_text(text, size);
    }
}

static void test_classifiers(uint64_t *random)
{
    static uint8_t text[BIPE_STARTS_MOST];
    static bipe_text_masks want, got;
    for (int round = 0; round < test_rounds(50); round++) {
        size_t words = 1 + test_random(random) % BIPE_MASK_WORDS;
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (uint8_t)(test_random(random) >> 40) & (round % 2 != 0 ? 0x7F : 0xFF);
        memset(&want, 0, sizeof want); /* inner too, which classifiers leave alone */
        bipe_text_classify_plain(text, words, &want);
        for (const bipe_text_masker *c = bipe_text_maskers; c->name != NULL; c++) {
            if (!c->usable())
                continue;
            memset(&got, 0, sizeof got);
            c->classify(text, words, &got);
            CHECKF(memcmp(&got, &want, sizeof got) == 0, "%s", c->name);
        }
    }
}

static void test_lists(uint64_t *random)
{
    uint64_t mask[BIPE_MASK_WORDS];
    static uint32_t want[BIPE_STARTS_MOST], got[BIPE_STARTS_CAPACITY];
    for (int round = 0; round < test_rounds(200); round++) {
        size_t words = test_random(random) % (BIPE_MASK_WORDS + 1), n = 0;
        uint32_t first = (uint32_t)test_random(random) >> 4;
        for (size_t w = 0; w < words; w++) {
            mask[w] = round % 4 == 0 ? UINT64_MAX
                                     : test_random(random) &
                                           (round % 4 == 1 ? test_random(random) & test_random(random) : UINT64_MAX);
            for (uint32_t i = 0; i < 64; i++)
                if ((mask[w] >> i & 1) != 0)
                    want[n++] = first + (uint32_t)(64 * w) + i;
        }
        for (const bipe_text_masker *c = bipe_text_maskers; c->name != NULL; c++)
            if (c->usable())
                CHECKF(c->list(mask, words, first, got) == n && memcmp(got, want, n * sizeof *got) == 0,
                       "%s: %zu of %zu", c->name, n, words);
    }
}

static void test_books(void)
{
    static const char *const names[] = {"angler.txt", "excerpt.txt", "travel.txt"};
    if (test_shared() == NULL)
        return;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/texts/%s", test_shared(), names[k]);
        FILE *in = fopen(path, "rb");
        if (in == NULL)
            continue;
        uint8_t *text = malloc(1 << 20);
        size_t size = fread(text, 1, 1 << 20, in);
        fclose(in);
        check_text(text, size);
        free(text);
    }
}

static void test_memory(void)
{
    long n = 0;
    for (;; n++) {
        bipe_char_classes c = {0};
        bipe_alloc_fail_at(n);
        int status = bipe_char_classes_open(&c, NULL, false, false);
        bipe_alloc_fail_at(-1);
        bipe_char_classes_free(&c);
        if (status == 0)
            break;
    }
    CHECK(n > 0);
}

int main(void)
{
    static const char *const ascii[] = {"a",         "b",  "S",  "T",   "word", "The", "1",  "23", "456",
                                        "'",         "'s", "'S", "'re", "'LL",  "'l",  "'v", "'d", "\xC5\xBF",
                                        "'\xC5\xBF", " ",  " ",  " ",   "  ",   "\t",  "\n", "\n", "\r",
                                        "\r\n",      "\v", "\f", ".",   "!",    "(",   "/",  "//", ""};
    static const char *const blanks[] = {" ", "\n", "\r", "\t", "\xC2\xA0", "\xE3\x80\x80", "\xC2\x85",
                                         "a", "A",  "1",  ".",  "/",        "\xFF",         "\xC3\xA9"};
    static const char *const cased[] = {"a", "B", "\xC3\xA9", "\xC3\x89", "\xE4\xB8\xAD", "\xCC\x81", "\xC7\x85",
                                        "\xCA\xB0", "'", "s", "'t", "'LL", " ", ".",
                                        "\n", "1", "\xC2\xBD", "\xD9\xA3"};
    static const char *const kana[] = {"\xE3\x82\xAB", "\xE3\x83\xBB", "\xE3\x82\x9C", "\xE3\x82\x99", "\xE3\x81\x80",
                                       "\xE4\xB8\x80", "\xE9\xBE\xA6",
                                       "\xE2\x80\x8B", "\xEF\xBF\xBE", "\x01", "\x7F", " ", ".", "!?", "a", "Bc",
                                       "\xC3\xA9", "\xCC\x81", "\n", "\t", "1", "\xFF", "\xE3\x80\x82", "\xED\x9D\xA1"};
    static const char *const digits[] = {"1", "22", "333", "4444", "\xD9\xA3", "\xC2\xBD", " ", "a", "x", "."};
    uint64_t random = 11;
    CHECK(bipe_char_classes_open(&classes, NULL, false, false) == 0 &&
          bipe_char_classes_open(&with_marks, NULL, true, false) == 0 &&
          bipe_char_classes_open(&with_kana, NULL, true, true) == 0);
    compare_characters();
    add_rule(BIPE_PATTERN_GPT2);
    add_rule(BIPE_PATTERN_CL100K);
    add_rule(BIPE_PATTERN_QWEN2);
    add_rule(bipe_pretoken_rule_after_numbers(bipe_pretoken_pattern_rule(BIPE_PATTERN_GPT2), true)->pattern);
    add_rule(bipe_pretoken_rule_after_numbers(bipe_pretoken_pattern_rule(BIPE_PATTERN_GPT2), false)->pattern);
    CHECK(bipe_pretoken_rule_after_numbers(bipe_pretoken_pattern_rule(BIPE_PATTERN_QWEN2), true) == NULL);
    add_rule(BIPE_PATTERN_O200K);
    static const char *const named[] = {"tekken", "qwen35", "ufakzeka", "bailingmoe"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        add_rule(bipe_pretoken_patterns_find(named[i], strlen(named[i]))->pattern[0]);
    add_rule("(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
             "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
             "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+");
    add_rule("'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| "
             "?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+");
    CHECK(bipe_pretoken_pattern_rule("\\p{L}+") == NULL);
    const bipe_pretoken_patterns *deepseek = bipe_pretoken_patterns_find("deepseek-v3", 11);
    const bipe_split_rule *together = bipe_pretoken_steps_rule(deepseek->pattern, 3);
    CHECK(together != NULL && bipe_pretoken_steps_rule(deepseek->pattern, 2) == NULL &&
          bipe_pretoken_pattern_rule(deepseek->pattern[2]) == NULL);
    rules[rule_count++] = together;
    for (size_t k = 0; k < 3; k++)
        steps[k] = compile(deepseek->pattern[k]);
    test_classifiers(&random);
    test_lists(&random);
    test_parts(ascii, sizeof ascii / sizeof *ascii, 4, test_rounds(200), &random);
    test_parts(ascii, sizeof ascii / sizeof *ascii, 40, test_rounds(200), &random);
    test_parts(ascii, 25, 400, test_rounds(150), &random);
    test_parts(blanks, sizeof blanks / sizeof *blanks, 3, test_rounds(150), &random);
    test_parts(cased, sizeof cased / sizeof *cased, 4, test_rounds(150), &random);
    test_parts(kana, sizeof kana / sizeof *kana, 4, test_rounds(200), &random);
    test_parts(kana, sizeof kana / sizeof *kana, 40, test_rounds(100), &random);
    test_parts(digits, sizeof digits / sizeof *digits, 4, test_rounds(150), &random);
    test_parts(digits, 4, 4, test_rounds(50), &random);
    test_unicode(test_rounds(100), &random);
    test_bytes(test_rounds(200), &random);
    test_books();
    test_memory();
    for (size_t k = 0; k < rule_count; k++)
        bipe_pattern_free(patterns[k]);
    bipe_char_classes_free(&classes);
    for (size_t k = 0; k < 3; k++)
        bipe_pattern_free(steps[k]);
    bipe_char_classes_free(&with_marks);
    bipe_char_classes_free(&with_kana);
    return test_result();
}
