/* test_regex.c - the regex segmenter against one loop of whole-document searches with PCRE2's interpreter, all
 * optimizations off and without partial matching; on random texts, random patterns and random cuts. Patterns that an automaton can do are
 * searched with it and, with a verb in front that it refuses, with PCRE2. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "tests/segment_run.h"
#include "text/regex_spans.h"
#include "text/utf8.h"

/* In front of a pattern: says what is so anyway, and that it is PCRE2's. */
#define BY_PCRE2 "(*UTF)"

static bool is_automatic(const char *pattern)
{
    bipe_regex_program *program;
    bipe_error err;
    CHECK(bipe_regex_program_build(&program, pattern, strlen(pattern), &(bipe_regex_options){0}, &err) == BIPE_OK);
    bool is = program != NULL;
    bipe_regex_program_free(program);
    return is;
}

/* The second implementation. false: PCRE2 gave up. Over bytes that are no UTF-8 the interpreter and JIT do not agree at
 * the end of what is valid (\z matches there for the interpreter alone), so there the whole is searched as well,
 * but with the engine that the segmenter uses. */
static bool search_whole(const char *pattern, const uint8_t *text, size_t size, bool any_bytes, offsets *starts, offsets *out)
{
    int number;
    PCRE2_SIZE at;
    bool jit = any_bytes && strstr(pattern, "(*COMMIT") == NULL && strstr(pattern, "(?>") == NULL;
    uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NO_AUTO_POSSESS | PCRE2_NO_DOTSTAR_ANCHOR;
    if (any_bytes) /* not in general: it bounds look-behinds and \X */
        options |= PCRE2_MATCH_INVALID_UTF;
    if (strstr(pattern, "(*COMMIT") == NULL) /* pcre2pattern(3): they change what it means */
        options |= PCRE2_NO_START_OPTIMIZE;
    out->count = 0;
    if (starts != NULL)
        starts->count = 0;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &number, &at, NULL);
    CHECKF(code != NULL, "%s", pattern);
    if (code == NULL)
        return false;
    if (jit)
        pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL);
    int result = 0;
    for (size_t pos = 0; pos <= size;) {
        result = pcre2_match(code, text, size, pos, PCRE2_NOTEMPTY | (jit ? 0 : PCRE2_NO_JIT) | (any_bytes ? 0 : PCRE2_NO_UTF_CHECK), match, NULL);
        if (result < 0)
            break;
        pos = pcre2_get_ovector_pointer(match)[1];
        offsets_add(out, pos);
        if (starts != NULL)
            offsets_add(starts, pcre2_get_ovector_pointer(match)[0]);
    }
    pcre2_match_data_free(match);
    pcre2_code_free(code);
    return result == PCRE2_ERROR_NOMATCH || result >= 0;
}

static const piece pieces[] = {
    PIECE("a"), PIECE("a"), PIECE("b"), PIECE("b"), PIECE("ab"), PIECE("\n"), PIECE("\n"), PIECE("\r\n"), PIECE("\r"), PIECE(" "),
    PIECE("."), PIECE("\xC3\xA9"), PIECE("e\xCC\x81"), PIECE("\xE3\x80\x82"), PIECE("\xF0\x9F\x98\x80"),
    PIECE("\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA"), PIECE("\xF0\x9F\x87\xA9"), PIECE("\xE2\x80\xA8"), PIECE("\xC2\x85"), PIECE("\v"),
    PIECE("\0"), PIECE("7"), PIECE("aaaaaaa"),
    /* no UTF-8 from here on */
    PIECE("\xFF"), PIECE("\xC3"), PIECE("\xE2\x80"), PIECE("\x80"), PIECE("\xF0\x9F\x98"), PIECE("\xED\xA0\x80"), PIECE("\xC0\xAF"),
    PIECE("\xF4\x90\x80\x80"),
};
enum { VALID_PIECES = 23, PIECES = sizeof pieces / sizeof *pieces };

/* Leaves out a character that was cut off. */
static size_t bytes_complete(const uint8_t *text, size_t size)
{
    size_t i = size;
    while (i > 0 && (text[i - 1] & 0xC0) == 0x80)
        i--;
    size_t lead = i > 0 ? text[i - 1] : 0, have = size - i + 1;
    size_t want = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    return have < want ? i - 1 : size;
}

/* Random pieces; in one of three long texts with stretches of one letter in between, of which an automaton passes many at a time. */
static void any_text(uint64_t *random, size_t kinds, uint8_t *text, size_t size)
{
    bool stretches = size > 200 && test_random(random) % 3 == 0;
    for (size_t done = 0, n; done < size; done += n) {
        n = stretches ? (size_t)(test_random(random) % 20) : size;
        random_text(random, pieces, kinds, text + done, n = n < size - done ? n : size - done);
        if (kinds == VALID_PIECES && done + n < size)
            n = bytes_complete(text + done, n);
        done += n;
        n = stretches ? (size_t)(test_random(random) % 400) : 0;
        memset(text + done, "abx."[test_random(random) % 4], n = n < size - done ? n : size - done);
    }
}

static void check_pattern(const char *pattern, uint64_t *random, int rounds, size_t most)
{
    static const size_t longest[] = {0, 1, 2, 3, 5, 17};
    char spec[600];
    uint8_t text[1024] = {0};
    bipe_segmentation *s;
    bipe_error err;
    snprintf(spec, sizeof spec, "regex:%s", pattern);
    int status = bipe_segmentation_open(&s, spec, &err);
    CHECKF(status == BIPE_OK, "%s", err.text);
    if (status != BIPE_OK)
        return;
    offsets want = {0}, got = {0};
    bool bad = false;
    for (int n = 0; n < test_rounds(rounds) && !bad; n++) {
        size_t size = (size_t)(test_random(random) % most);
        /* The interpreter looks back only so far when there are such bytes: too little for nested look-behinds and \X. */
        bool any_bytes = n % 3 == 0 && !(strstr(pattern, "(*NO_JIT)") != NULL && strstr(pattern, "(?<=") != NULL) &&
                         strstr(pattern, "\\X") == NULL;
        any_text(random, any_bytes ? PIECES : VALID_PIECES, text, size);
        if (!any_bytes)
            size = bytes_complete(text, size);
        bool whole = search_whole(pattern, text, size, any_bytes, NULL, &want);
        for (size_t k = 0; k < sizeof longest / sizeof *longest && !bad; k++) {
            status = run_bytes(s, text, size, longest[k], random, &got, &err);
            if (!whole || status != BIPE_OK) { /* limits are reached at different places */
                CHECKF(status == BIPE_OK || status == BIPE_ERR_LIMIT, "%s", err.text);
                continue;
            }
            bad = !offsets_equal(&want, &got);
            CHECKF(!bad, "regex:%s, pieces of up to %zu", pattern, longest[k]);
            if (bad) {
                describe(text, size);
                describe_offsets("want", &want);
                describe_offsets("got", &got);
            }
        }
    }
    offsets_free(&want);
    offsets_free(&got);
    bipe_segmentation_close(s);
}

static const char *const patterns[] = {
    "a", "ab", "a+", "a+b", "(?:ab)+", "a|ab|abb", "ab|a", "a*?b", "\\.", "[.\\n]", "\\n+", "\\R", "\\R+", "\\r\\n|\\n",
    "(?<=a)b", "(?<!a)b", "(?<=aaa)b", "(?<=\\n)a", "(?<=^)a", "(?<=^a)b", "(?m)(?<=^a)b", "(?<=\\ba)b", "(?<=(?<=a)b)a",
    "a(?=b)", "a(?!b)", "a(?=\\n)", "a(?=a*b)", "\\ba", "a\\b", "\\b\\w+\\b", "\\B\\w", "a\\B", "\\w+", "\\W+", "\\w+\\s*",
    "^a", "^a+", "^.", "(?m)^a", "(?m)^.", "(?m)^\\n", "(?m)\\n^", "(?m)\\n(?=^a)", "(?m)\\n(?!^)", "(?m)a[^\\n]*\\n^",
    "a$", "$\\n", "a$\\n", "(?!$)\\n", "\\n(?!$)", "(?m)a$", "(?m)$\\n", "(?m)^.*$", "(?m)^$\\n", "\\Z\\n", "a\\Z", "(?!\\Z)\\n", "a\\z",
    "\\n\\z", "\\A.", "\\Aa+", "\\Aa|b", "(?<!\\A)b", "\\Ga", "\\G.", "a|\\Gb", "(?:\\G|b)a", "b\\Ka|\\Gb", ".", "(?s).", "(?s)..", ".*",
    ".+", "(?s).+", "(?s).*b", "(?s).*?b", ".*b", ".*?b", "(?s)a.*b", "(?s)a.*?b", "a[^\\n]*b", "\\X", "\\X\\X", "a\\X", "(?<=a)\\X",
    "(?<=\\x{1F1E9})\\X", "\\p{L}+", "\\P{L}", "\\p{Lu}", "(?i)A+", "(?i)\\xC9", "\\x{3002}", "[^\\x00-\\x7F]", "\\x{1F600}", "\\x00", "\\s+",
    "\\h+", "\\v", "\\N", "\\d", "(a)(b)?\\1", "(a+)\\1", "(?<x>a|b)\\k<x>", "(?>a+)b", "a++b", "a(?1)?(b)", "(a(?1)?b)", "a\\Kb",
    "a\\K", "a*", "(?:a|b)*?\\n", "(*ANYCRLF)(?m)^a", "(*ANYCRLF)(?m)\\s^", "(*ANYCRLF)(?m)a$", "(*CRLF)(?m)^a", "(*CRLF)(?m)a$",
    "(*CRLF)$\\s", "(*CRLF).+", "(*CR)(?m)^.", "(*ANY)(?m)^.", "(*ANY)(?m)\\s(?!^)", "(*NUL)(?m)^.", "(*ANYCRLF)[^b]b", "(*CRLF)[^ab]",
    "(*BSR_ANYCRLF)\\R", "a(*SKIP)b", "a+(*SKIP)b", "a(*PRUNE)b|.", "a+(*COMMIT)b", "(*COMMIT)ab", "a(*THEN)b|ab", "a(*F)|b", "a(*ACCEPT)b",
    "(?(?=a)ab|b)", "(a)?(?(1)b|\\n)", "(?x) a # comment\n b", "(?|(a)|(b))\\1", "(?:(?=(a+))\\1)+b", "(?<=a\\n)^b", "(?m)(?<=\\n)^", "[[:punct:]]",
    "a{2,3}", "a{3}", "(?U)a+b", "(?s)(?<=\\A.)a", "(?s)(?<=\\G..)a", "(?<=\\x{3002})", "(?<=a|bb|\\n)\\w", "(*sr:\\w+)", "(?=a)\\w+(?<=b)",
    "(?m)^(?!a).*\\n", "(?:^|\\n)a", "(?m)(?:^a|b$)", "\\n{2,}", "(?<=[.!?])\\s+(?=\\w)", "[.!?]+[\\s]+", "(?s)\\n(?=.?a)", "a(?=$)|b(?=\\n$)",
};

static void test_patterns(void)
{
    uint64_t random = 3;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char plain[600];
        snprintf(plain, sizeof plain, BY_PCRE2 "%s", patterns[i]);
        CHECK(!is_automatic(plain));
        check_pattern(plain, &random, 40, 16);
        check_pattern(plain, &random, 12, 400);
        snprintf(plain, sizeof plain, "(*NO_JIT)%s", patterns[i]);
        check_pattern(plain, &random, 20, 60);
        if (is_automatic(patterns[i])) {
            check_pattern(patterns[i], &random, 60, 16);
            check_pattern(patterns[i], &random, 15, 500);
        }
    }
}

/* The matches of a program in memory, with their starts. */
static void check_program_spans(const char *pattern, const bipe_regex_options *options, uint64_t *random, int rounds, size_t most)
{
    bipe_regex_program *program;
    bipe_regex_spans *spans = NULL;
    bipe_error err;
    uint8_t text[1024] = {0};
    CHECK(bipe_regex_program_build(&program, pattern, strlen(pattern), options, &err) == BIPE_OK);
    if (program == NULL || bipe_regex_program_is_nullable(program)) {
        bipe_regex_program_free(program);
        return;
    }
    CHECK(bipe_regex_spans_open(&spans, program, &err) == BIPE_OK);
    offsets starts = {0}, ends = {0};
    for (int n = 0; n < rounds; n++) {
        size_t size = (size_t)(test_random(random) % most), start, end, found = 0;
        bool any_bytes = n % 2 == 0, bad = false;
        any_text(random, any_bytes ? PIECES : VALID_PIECES, text, size);
        if (!any_bytes)
            size = bytes_complete(text, size);
        if (!search_whole(pattern, text, size, any_bytes, &starts, &ends))
            continue;
        int status = bipe_regex_spans_begin(spans, text, size, &err);
        while (status == BIPE_OK && (status = bipe_regex_spans_next(spans, &start, &end, &err)) == BIPE_OK && !bad) {
            bad = found >= ends.count || starts.at[found] != start || ends.at[found] != end;
            found++;
        }
        bad = bad || status != BIPE_END || found != ends.count;
        CHECKF(!bad, "%s: match %zu of %zu", pattern, found, ends.count);
        if (bad) {
            describe(text, size);
            describe_offsets("starts", &starts);
            describe_offsets("ends", &ends);
            break;
        }
    }
    offsets_free(&starts);
    offsets_free(&ends);
    bipe_regex_spans_close(spans);
    bipe_regex_program_free(program);
}

static void check_spans(const char *pattern, uint64_t *random, int rounds, size_t most)
{
    check_program_spans(pattern, &(bipe_regex_options){0}, random, rounds, most);
    check_program_spans(pattern, &(bipe_regex_options){.whole = true}, random, (rounds + 3) / 4, most);
}

/* Each character is in the sets in which PCRE2 has it, whether all are asked for at once or when a text holds them. */
static void test_all_characters(void)
{
    static const char *const some[] = {"\\s", "\\w+", "(?i)k|s", "(?i)[k-s\\x{E0}-\\x{FF}]+", "\\b\\p{Lu}(?!\\w)",
                                       "(?i)a\\W|\\x{3B1}.|.(?=\\d)", "(?<=\\p{P}|\\s)[^\\x{E9}\\p{Greek}]"};
    static const int32_t planes[] = {0, 1, 2, 14};
    enum { CODES = 0x10000 };
    uint8_t *text = bipe_alloc(CODES, 4);
    offsets want = {0}, got = {0};
    uint64_t random = 17;
    bipe_error err;
    if (text == NULL)
        abort();
    for (size_t i = 0; i < sizeof some / sizeof *some * 4; i += test_all_rounds() ? 1 : 5) {
        const char *pattern = some[i / 4];
        char spec[100];
        size_t size = 0;
        for (int32_t code = planes[i % 4] * CODES; code < (planes[i % 4] + 1) * CODES; code++)
            if (code < 0xD800 || code >= 0xE000)
                size += bipe_utf8_encode(code, text + size);
        bipe_segmentation *s;
        snprintf(spec, sizeof spec, "regex:%s", pattern);
        CHECK(is_automatic(pattern) && search_whole(pattern, text, size, false, NULL, &want));
        CHECK(bipe_segmentation_open(&s, spec, &err) == BIPE_OK);
        CHECK(run_bytes(s, text, size, 40000, &random, &got, &err) == BIPE_OK);
        CHECKF(offsets_equal(&want, &got), "%s, plane %d: %zu, not %zu", pattern, (int)planes[i % 4], got.count, want.count);
        bipe_segmentation_close(s);
    }
    offsets_free(&want);
    offsets_free(&got);
    bipe_free(text);
}

/* Classes as people write them and worse: what is read without asking is what PCRE2 reads. */
static void test_classes(void)
{
    static const char *const parts[] = {"a", "c", "b", "-", "-", "-", "^", "]", "[", "\\]", "\\-", "\\\\", "\\n", "\\x41", "\\x{7A}", "\\x{E9}", "\\s", "\n", "!", ".", "0",
                                        "z", "\xC3\xA9", "[:alpha:]", "\\^", "&&", "\x7F"};
    uint8_t text[128];
    offsets want = {0}, got = {0};
    uint64_t random = 23;
    int automatic = 0, rounds = test_rounds(1000);
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)i;
    for (int round = 0; round < rounds; round++) {
        char spec[200] = "regex:[";
        size_t items = 1 + (size_t)(test_random(&random) % 6);
        while (items-- > 0)
            strcat(spec, parts[test_random(&random) % (sizeof parts / sizeof *parts)]);
        strcat(spec, "]");
        bipe_segmentation *s;
        bipe_error err;
        if (bipe_segmentation_open(&s, spec, &err) != BIPE_OK)
            continue;
        automatic += is_automatic(spec + 6);
        CHECK(search_whole(spec + 6, text, sizeof text, false, NULL, &want));
        CHECK(run_bytes(s, text, sizeof text, 0, &random, &got, &err) == BIPE_OK);
        CHECKF(offsets_equal(&want, &got), "%s", spec);
        bipe_segmentation_close(s);
    }
    CHECKF(automatic > rounds / 4, "%d of %d", automatic, rounds);
    offsets_free(&want);
    offsets_free(&got);
}

/* What the automaton is for, and what is not for it. */
static void test_kinds(void)
{
    static const char *const automatic[] = {
        "[.!?]+\\s", "\\.\\s|\\n", "(?<=[.!?])\\s+(?=\\p{Lu})", "\\n{2,}", "(?m)^\\s*\\n", "the", "\\bthe\\b", "[A-Z]\\w+", "\\w+",
        "(?i)the", "(?<=^|\\s)a", "a(?=\\s|\\z)", "(?<!\\w)a+?b{2,5}", "(?m)^a.*$", "[^\\r\\n\\p{L}]?+\\p{L}+", "a++b", "a{3}",
        "[^\\n]*\\n", "\\R", "\\R{2,}", "(?i)k\\R?", "\\s+(?!\\S)|\\s+", "a(?i)b|c", "(?-i:a)", "\\x41\\x{e9}", "(?s:.)", "[\\w.-]+",
    };
    static const char *const others[] = {
        "(a)\\1", "(?>a|ab)c", "a++ab", "a\\Kb", "\\Ga", "\\X", "a$", "(?:a*)*b", "(?=ab)a", "(?<=ab)a", "(?x)a b", "(*COMMIT)a", "a(?R)?b",
        "(?|a|b)", "(?(?=a)b)", "a{2}{2}", "(?<x>a)", "\\Qa\\E", "a{,2}", "a{5000}", "(?U)a+", "\\b+a", "(?#x)a", "a(?C)b", "\\1(a)",
    };
    for (size_t i = 0; i < sizeof automatic / sizeof *automatic; i++)
        CHECKF(is_automatic(automatic[i]), "%s", automatic[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECKF(!is_automatic(others[i]), "%s", others[i]);
    char deep[1000] = "";
    for (size_t i = 0; i < 300; i++)
        strcat(deep, "(");
    CHECK(!is_automatic(deep));
    uint64_t random = 11;
    for (size_t i = 0; i < sizeof automatic / sizeof *automatic; i++) {
        check_pattern(automatic[i], &random, 30, 700);
        check_spans(automatic[i], &random, 30, 700);
    }
}

/* Patterns that are mostly for the automaton. */
static void grow_automatic(uint64_t *random, int depth, char *out, size_t size)
{
    static const char *const atoms[] = {
        "a", "a", "b", "b", "a", "b", ".", "\\n", "\\s", "\\w", "\\W", "[^a]", "[ab]", "\\d", "\\p{L}", "[^\\s\\w]", "(?i:A)", "\\x{E9}", "\\r",
        "\\P{L}", "\\h", "\\R", "[\\x{80}-\\x{FFFF}]", "\\x{1F600}", "(?i)", "(?s)", "(?m)", "(?-i)", "7", " ",
    };
    static const char *const conditions[] = {
        "\\b", "\\B", "^", "(?m:^)", "(?m:$)", "\\A", "\\z", "(?<=a)", "(?<!b)", "(?<=\\n|b)", "(?=a)", "(?!\\n)", "(?=\\s|\\z)",
        "(?<=^|\\s)", "(?!\\S)", "(?<![^a])", "(?<=\\x{E9})", "(?=\\W)", "(?!\\z)", "(?<!\\A)",
    };
    static const char *const groups[] = {"(?:", "(?:", "(", "(?i:", "(?s:", "(?m:"};
    static const char *const tails[] = {"", "", "", "", "", "?", "??", "*", "+", "+", "*?", "+?", "{2}", "{1,3}", "{0,2}?", "{2,}", "++", "{1,2}+"};
    size_t used = 0;
    int items = 1 + (int)(test_random(random) % 4);
    out[0] = '\0';
    for (int i = 0; i < items && used + 60 < size; i++) {
        if (test_random(random) % 6 == 0)
            used += (size_t)snprintf(out + used, size - used, "%s", conditions[test_random(random) % (sizeof conditions / sizeof *conditions)]);
        if (depth > 0 && test_random(random) % 4 == 0) {
            used += (size_t)snprintf(out + used, size - used, "%s", groups[test_random(random) % 6]);
            grow_automatic(random, depth - 1, out + used, (size - used) / 2);
            used += strlen(out + used);
            used += (size_t)snprintf(out + used, size - used, ")%s", tails[test_random(random) % 16]);
        } else {
            const char *atom = atoms[test_random(random) % (sizeof atoms / sizeof *atoms)];
            bool flag = strncmp(atom, "(?", 2) == 0 && strchr(atom, ':') == NULL;
            used += (size_t)snprintf(out + used, size - used, "%s%s", atom, flag ? "" : tails[test_random(random) % 18]);
        }
        if (i + 1 < items && test_random(random) % 5 == 0)
            used += (size_t)snprintf(out + used, size - used, "|");
    }
}

/* The matches of a text, starts and ends in turn. */
static void find_spans(bipe_regex_spans *spans, const uint8_t *text, size_t size, size_t shift, offsets *found)
{
    size_t start, end;
    bipe_error err;
    CHECK(bipe_regex_spans_begin(spans, text, size, &err) == BIPE_OK);
    while (bipe_regex_spans_next(spans, &start, &end, &err) == BIPE_OK) {
        offsets_add(found, shift + start);
        offsets_add(found, shift + end);
    }
}

/* What is said about places, against texts that are cut there. Returns 1 for each of *keeps and *splits. */
static int check_place(const char *pattern, const bipe_regex_place *place, uint64_t *random)
{
    bipe_regex_program *program;
    bipe_regex_spans *spans = NULL;
    bipe_error err;
    bool keeps = false, splits = false;
    uint8_t text[40];
    CHECK(bipe_regex_program_build(&program, pattern, strlen(pattern), &(bipe_regex_options){0}, &err) == BIPE_OK);
    if (program == NULL)
        return 0;
    CHECK(bipe_regex_program_part(program, place, &keeps, &splits, &err) == BIPE_OK);
    CHECK(keeps || !splits);
    CHECK(!keeps || bipe_regex_spans_open(&spans, program, &err) == BIPE_OK);
    for (int round = 0; round < 60 && keeps; round++) {
        offsets whole = {0}, halves = {0};
        size_t size = (size_t)(test_random(random) % sizeof text);
        for (size_t i = 0; i < size; i++)
            text[i] = (uint8_t)"aab 7\n.A\xC3\xA9 "[test_random(random) % 11];
        find_spans(spans, text, size, 0, &whole);
        for (size_t q = 1; q + 1 < size; q++) {
            if (strchr(place->before, text[q - 1]) == NULL || strchr(place->at, text[q]) == NULL ||
                (place->behind != NULL && strchr(place->behind, text[q + 1]) == NULL))
                continue;
            halves.count = 0;
            find_spans(spans, text, q, 0, &halves);
            find_spans(spans, text + q, size - q, q, &halves);
            bool parts = !splits;
            for (size_t i = 0; i < whole.count; i++)
                parts = parts || whole.at[i] == q;
            CHECKF(offsets_equal(&whole, &halves) && parts, "%s, cut at %zu", pattern, q);
            if (!offsets_equal(&whole, &halves) || !parts) {
                describe(text, size);
                describe_offsets("whole", &whole);
                describe_offsets("halves", &halves);
            }
        }
        offsets_free(&whole);
        offsets_free(&halves);
    }
    bipe_regex_spans_close(spans);
    bipe_regex_program_free(program);
    return keeps + splits;
}

static void test_places(int count, uint64_t random)
{
    static const bipe_regex_place places[] = {{"ab", " ", "ab"}, {"ab", "\n", "ab"}, {" ", "ab", NULL}, {"ab7.", " ", "ab7."}};
    static const struct {
        const char *pattern;
        int said[4]; /* for each place: 0: nothing, 1: keeps, 2: splits as well */
    } known[] = {
        {"\\w+|[^\\w\\s]+|\\s+", {2, 2, 2, 2}}, {" ?\\p{L}+|\\s+(?!\\S)|\\s+", {2, 2, 0, 2}}, {"\\p{N}{1,3}", {1, 1, 1, 1}}, {"a b", {0, 1, 0, 0}},
        {"\\w+", {2, 2, 2, 1}}, {"a\\b|x", {0, 0, 0, 0}}, {"(?m)^a+", {0, 0, 0, 0}}, {".+", {0, 2, 0, 0}}, {"a*", {0, 0, 0, 0}}, {"(a) \\1", {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t k = 0; k < 4; k++) {
            int said = check_place(known[i].pattern, &places[k], &random);
            CHECKF(said == known[i].said[k], "%s, place %zu: %d", known[i].pattern, k, said);
        }
    int keeps = 0;
    char pattern[400];
    for (int i = 0; i < count; i++) {
        grow_automatic(&random, 1, pattern, sizeof pattern);
        keeps += check_place(pattern, &places[i % 4], &random);
    }
    CHECKF(keeps >= count / 5, "%d of %d", keeps, count);
}

static void test_automatic_patterns(int count, uint64_t random)
{
    char pattern[400];
    int automatic = 0;
    for (int i = 0; i < count; i++) {
        grow_automatic(&random, 2, pattern, sizeof pattern);
        if (!is_automatic(pattern))
            continue;
        automatic++;
        check_pattern(pattern, &random, 12, i % 4 == 0 ? 900 : i % 2 == 0 ? 16 : 100);
        check_spans(pattern, &random, 12, i % 4 == 0 ? 900 : i % 2 == 0 ? 16 : 100);
    }
    CHECKF(automatic >= count / 2, "%d of %d", automatic, count);
}

/* Random patterns, all of which compile; bounded: those that tell how far ahead they look. */
static void grow_pattern(uint64_t *random, int depth, bool bounded, char *out, size_t size)
{
    static const char *const atoms[] = {
        "a", "b", ".", "\\n", "\\s", "\\w", "\\W", "[^a]", "[ab]", "\\R", "\\b", "\\B", "^", "$", "(?<=a)", "(?<!b)", "(?<=\\n)",
        "(?=a)", "(?!\\n)", "\\A", "\\z", "\\Z", "(?m:^)", "(?m:$)", "(?s:.)", "\\h", "(?<=ab)", "[*a+]", "\\.", "\\p{L}", "(?i:A)",
        "\\x{E9}", "\\X", "\\x{1F1E9}", "\\N", "a+", "\\w*",
    };
    static const char *const groups[] = {"(?:", "(?:", "(?=", "(?!", "(?m:", "(?s:", "(", "(?>"};
    static const char *const tails[] = {"", "", "", "", "?", "?", "??", "*", "+", "*?", "+?", "++", "{2}", "{1,3}"};
    size_t some_atoms = sizeof atoms / sizeof *atoms - (bounded ? 6 : 0), some_groups = bounded ? 7 : 8, some_tails = bounded ? 7 : 14;
    if (size < 100) {
        snprintf(out, size, "a");
        return;
    }
    size_t used = 0;
    int items = 1 + (int)(test_random(random) % 4);
    out[0] = '\0';
    for (int i = 0; i < items && used + 100 < size; i++) {
        if (depth > 0 && test_random(random) % 4 == 0) {
            used += (size_t)snprintf(out + used, size - used, "%s", groups[test_random(random) % some_groups]);
            grow_pattern(random, depth - 1, bounded, out + used, (size - used) / 2);
            used += strlen(out + used);
            used += (size_t)snprintf(out + used, size - used, ")%s", tails[test_random(random) % some_tails]);
        } else {
            used += (size_t)snprintf(out + used, size - used, "%s", atoms[test_random(random) % some_atoms]);
        }
        if (i + 1 < items && test_random(random) % 4 == 0)
            used += (size_t)snprintf(out + used, size - used, "|");
    }
}

static void test_random_patterns(int count, uint64_t random)
{
    char pattern[400];
    for (int i = 0; i < count; i++) {
        bool bounded = i % 3 == 0;
        grow_pattern(&random, bounded ? 1 : 2, bounded, pattern, sizeof pattern);
        check_pattern(pattern, &random, 8, bounded ? 900 : i % 2 == 0 ? 16 : 100);
    }
}

/* Texts much longer than a window, in large pieces. */
static void test_long(void)
{
    static const char *const some[] = {"\\.", "(?<=a)b+\\b", "(?m)^a.*$", "\\X", "(?s)a.{0,5000}?\\.", "[^\\n]*\\n", "(?<=(?<=a)b)a", "\\R",
                                       "\\w+(?=\\W)", "\\.\\s|\\n", "(?<=a)\\n(?=b)|b$", "(?s)7.*?7", ".+", "\\n[^\\r]*\\v|\\n"};
    static const size_t longest[] = {0, 1, 100, 5000, 40000};
    const size_t size = 150000;
    uint8_t *text = bipe_alloc(size, 1);
    uint64_t random = 9;
    offsets want = {0}, got = {0};
    if (text == NULL)
        abort();
    for (size_t i = 0; i < 4 * sizeof some / sizeof *some; i++) {
        char pattern[100];
        bool any_bytes = i % 2 != 0, by_pcre2 = i % 4 > 1;
        snprintf(pattern, sizeof pattern, "%s%s", by_pcre2 ? BY_PCRE2 : "", some[i / 4]);
        if (by_pcre2 && !is_automatic(some[i / 4])) /* the same again */
            continue;
        if (any_bytes && strstr(pattern, "\\X") != NULL)
            continue;
        any_text(&random, any_bytes ? PIECES : VALID_PIECES, text, size);
        if (strcmp(some[i / 4], "\\X") == 0) { /* an odd number of regional indicators, cut again and again */
            memset(text, 'a', 60015); /* whole characters around them, and behind: */
            for (size_t k = 60015; (text[k] & 0xC0) == 0x80; k++)
                text[k] = 'a';
            for (size_t k = 0; k + 4 <= 60005; k += 4)
                memcpy(text + 5 + k, "\xF0\x9F\x87\xA9", 4);
        }
        size_t n = any_bytes ? size : bytes_complete(text, size);
        CHECK(search_whole(pattern, text, n, any_bytes, NULL, &want));
        char spec[120];
        snprintf(spec, sizeof spec, "regex:%s", pattern);
        bipe_segmentation *s;
        bipe_error err;
        CHECK(bipe_segmentation_open(&s, spec, &err) == BIPE_OK);
        for (size_t k = 0; k < sizeof longest / sizeof *longest; k++) {
            CHECKF(run_bytes(s, text, n, longest[k], &random, &got, &err) == BIPE_OK, "%s", err.text);
            CHECKF(offsets_equal(&want, &got), "%s, pieces of up to %zu, %zu of %zu", spec, longest[k], got.count, want.count);
        }
        bipe_segmentation_close(s);
    }
    offsets_free(&want);
    offsets_free(&got);
    bipe_free(text);
}

/* A run of `size` letters a, then `tail`. The status; whatever comes is one of the two that are right. */
static int run_letters(const char *pattern, size_t size, const char *tail, offsets *got, bipe_error *err)
{
    char spec[100];
    snprintf(spec, sizeof spec, "regex:%s", pattern);
    bipe_segmentation *s;
    uint64_t random = 1;
    int status = bipe_segmentation_open(&s, spec, err);
    CHECKF(status == BIPE_OK, "%s", err->text);
    if (status != BIPE_OK)
        return status;
    size_t n = strlen(tail);
    uint8_t *text = bipe_alloc(size + n + 1, 1);
    if (text == NULL)
        abort();
    memset(text, 'a', size);
    memcpy(text + size, tail, n);
    status = run_bytes(s, text, size + n, 65536, &random, got, err);
    if (status == BIPE_ERR_LIMIT) {
        CHECKF(strncmp(err->text, "segmenter 'regex:", 17) == 0 && strstr(err->text, "offset ") != NULL, "%s", err->text);
        offsets again = {0};
        bipe_error none; /* the next document is not affected */
        CHECK(run_bytes(s, (const uint8_t *)"", 0, 0, &random, &again, &none) == BIPE_OK && again.count == 0);
        offsets_free(&again);
    }
    bipe_free(text);
    bipe_segmentation_close(s);
    return status;
}

/* Patterns that go back from the end of the text again and again. */
static void test_going_back(void)
{
    static const char *const some[] = {"(?s)a.*7|a", "(?s)b.*7v|\\w+", "(?s)(?:a|ab).*[7v]|.", "(?s)a(?:..)*7|b[^\\v]*\\z|a"};
    static const size_t longest[] = {0, 1000, 3};
    static const piece few[] = {PIECE("a"), PIECE("b"), PIECE("ab"), PIECE("\n"), PIECE("\xC3\xA9"), PIECE(" ")};
    uint8_t text[6000];
    offsets want = {0}, got = {0};
    uint64_t random = 31;
    bipe_error err;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char spec[100];
        bipe_segmentation *s;
        snprintf(spec, sizeof spec, "regex:%s", some[i]);
        random_text(&random, few, sizeof few / sizeof *few, text, sizeof text);
        size_t size = bytes_complete(text, sizeof text);
        CHECK(is_automatic(some[i]) && search_whole(some[i], text, size, false, NULL, &want));
        CHECK(bipe_segmentation_open(&s, spec, &err) == BIPE_OK);
        for (size_t k = 0; k < sizeof longest / sizeof *longest; k++) {
            CHECKF(run_bytes(s, text, size, longest[k], &random, &got, &err) == BIPE_OK, "%s", err.text);
            CHECKF(offsets_equal(&want, &got), "%s: %zu, not %zu", spec, got.count, want.count);
        }
        bipe_segmentation_close(s);
    }
    offsets_free(&want);
    offsets_free(&got);
}

/* Patterns that run away: the right answer, or a limit error that names the offset; never nothing. */
static void test_limits(void)
{
    static const struct {
        const char *pattern, *tail;
        uint64_t count, last; /* of the right answer */
    } runs[] = {
        {"(a+)+$", "", 1, 1000000},   {"(a+)+$", "b", 0, 0},        {"(*NO_JIT)(a+)+$", "b", 0, 0}, {"(a|a)*b", "c", 0, 0},
        {"(a|aa)+$", "b", 0, 0},      {"(?:a*)*b", "c", 0, 0},      {"(a|b)*c", "c", 1, 1000001},   {"(?s)(.|x)*\\z", "", 1, 1000000},
        {"(*NO_JIT)(a|b)*c", "c", 1, 1000001}, {BY_PCRE2 "(a|b)*c", "c", 1, 1000001}, {BY_PCRE2 "a*b", "b", 1, 1000001}, {"(?s).*", "", 1, 1000000}, {"a*b", "b", 1, 1000001},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        offsets got = {0};
        bipe_error err;
        int status = run_letters(runs[i].pattern, 1000000, runs[i].tail, &got, &err);
        if (status == BIPE_OK)
            CHECKF(got.count == runs[i].count && (got.count == 0 || got.at[0] == runs[i].last), "%s", runs[i].pattern);
        else
            CHECKF(status == BIPE_ERR_LIMIT, "%s: %d %s", runs[i].pattern, status, err.text);
        offsets_free(&got);
    }
    offsets got = {0};
    bipe_error err;
    CHECK(run_letters("(a+)+$", 1000000, "b", &got, &err) == BIPE_ERR_LIMIT);
    CHECKF(strstr(err.text, "offset 0: ") != NULL, "%s", err.text);
    /* more text than is kept, and text that is gone through too often */
    CHECK(run_letters("(?s)a.*b|a", 100000, "", &got, &err) == BIPE_OK && got.count == 100000);
    CHECK(run_letters("(?s)a.*b|a", 100000, "xb", &got, &err) == BIPE_OK && got.count == 1 && got.at[0] == 100002);
    CHECK(run_letters("(?s)a(?:..)*b|a", 100000, "", &got, &err) == BIPE_ERR_LIMIT);
    CHECKF(strstr(err.text, ": the text is gone through") != NULL, "%s", err.text);
    CHECK(run_letters(BY_PCRE2 "(?s)a.*b", (size_t)BIPE_SEGMENT_HOLD_LIMIT + 100000, "", &got, &err) == BIPE_ERR_LIMIT);
    CHECKF(strstr(err.text, "offset 0: undecided") != NULL, "%s", err.text);
    CHECK(run_letters("(?s)a.*b", (size_t)BIPE_SEGMENT_HOLD_LIMIT + 100000, "", &got, &err) == BIPE_ERR_LIMIT);
    CHECKF(strstr(err.text, "offset 0: undecided") != NULL, "%s", err.text);
    offsets_free(&got);
}

static void test_arguments(void)
{
    static const char *const bad[][2] = {
        {"regex", "no pattern"}, {"regex:", "no pattern"}, {"regex:a(b", "offset 3 of the pattern: missing closing parenthesis"},
        {"regex:[a", "offset 2 of the pattern"}, {"regex:*", "offset 0 of the pattern"}, {"regex:a\\C", "of the pattern"},
        {"regex:\xFF", "of the pattern"}, {"regex:(?<=a+)b", "lookbehind assertion is not fixed length"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bipe_segmentation *s;
        bipe_error err;
        CHECKF(bipe_segmentation_open(&s, bad[i][0], &err) == BIPE_ERR_ARGUMENT, "%s", bad[i][0]);
        CHECKF(strstr(err.text, bad[i][1]) != NULL, "%s: %s", bad[i][0], err.text);
    }
}

/* test_regex [NUMBER [SEED]]: so many random patterns of each kind. */
int main(int argc, char **argv)
{
    test_arguments();
    test_limits();
    test_going_back();
    test_long();
    test_patterns();
    test_kinds();
    test_classes();
    test_all_characters();
    test_places(argc > 1 ? atoi(argv[1]) : 80, argc > 2 ? strtoull(argv[2], NULL, 10) : 7);
    test_automatic_patterns(argc > 1 ? atoi(argv[1]) : 150, argc > 2 ? strtoull(argv[2], NULL, 10) : 5);
    test_random_patterns(argc > 1 ? atoi(argv[1]) : 400, argc > 2 ? strtoull(argv[2], NULL, 10) : 4);
    return test_result();
}
