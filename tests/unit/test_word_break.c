/* test_word_break.c - the tokenizer `words` on every line of WordBreakTest.txt of Unicode, cut anywhere, and its table
 * of characters: how many each class has and, where there is such a file of the same version (unicode_files.h), each
 * character against WordBreakProperty.txt. */
#include "tests/tokens.h"
#include "tests/unicode_files.h"
#include "text/break_class.h"
#include "text/unicode.h"
#include "text/utf8.h"

enum { MOST = 256 };

/* A text and the pieces between the boundaries that hold a letter or a digit. */
typedef struct sample {
    uint8_t text[4 * MOST];
    size_t size, count;
    struct {
        size_t start, end;
    } word[MOST];
} sample;

/* Not by the table: general categories, and the classes that Other_Alphabetic and the like add to them in these
 * samples. */
static bool is_word_character(int32_t code)
{
    bipe_category category = bipe_unicode_category(code);
    return (category >= BIPE_LU && category <= BIPE_LO) || category == BIPE_ND || category == BIPE_NL || code == 0x24C2;
}

/* "÷ 0001 × 0308 ÷". */
static void parse_line(const char *line, sample *s)
{
    static const char breaks[] = "\xC3\xB7", joins[] = "\xC3\x97";
    size_t start = 0;
    bool word = false;
    s->size = s->count = 0;
    for (const char *at = line; *at != '#' && *at != '\n' && *at != '\0';) {
        char *rest;
        if (*at == ' ' || *at == '\t') {
            at++;
        } else if (strncmp(at, breaks, 2) == 0) {
            if (word) {
                s->word[s->count].start = start;
                s->word[s->count++].end = s->size;
            }
            word = false;
            start = s->size;
            at += 2;
        } else if (strncmp(at, joins, 2) == 0) {
            at += 2;
        } else {
            int32_t code = (int32_t)strtol(at, &rest, 16);
            s->size += bipe_utf8_encode(code, s->text + s->size);
            word = word || is_word_character(code);
            CHECKF(rest > at, "%s", line);
            at = rest > at ? rest : at + 1;
        }
    }
}

static void check_line(const bipe_tokenizer *t, const char *line, sample *s, uint64_t *random)
{
    bipe_tokens tokens = {0};
    parse_line(line, s);
    check_cuts(t, s->text, s->size, random, true, &tokens);
    CHECKF(tokens.count == s->count, "%zu words, want %zu: %s", tokens.count, s->count, line);
    for (size_t i = 0; i < s->count && i < tokens.count; i++)
        CHECKF(tokens.token[i].start == s->word[i].start && tokens.token[i].end == s->word[i].end &&
                   tokens.token[i].id == 0,
               "word %zu: %s", i, line);
    bipe_tokens_free(&tokens);
}

static void test_lines(void)
{
    /* A letter that is a pictograph, joined to what begins no word; the file has one such line. */
    static const char *const more[] = {
        "\xC3\xB7 0021 \xC3\x97 200D \xC3\x97 24C2 \xC3\xB7",
        "\xC3\xB7 0041 \xC3\xB7 000A \xC3\xB7 200D \xC3\x97 24C2 \xC3\xB7",
        "\xC3\xB7 0061 \xC3\xB7 1F6D1 \xC3\x97 0308 \xC3\x97 200D \xC3\x97 24C2 \xC3\x97 0062 \xC3\xB7 0021 \xC3\xB7",
        "\xC3\xB7 0061 \xC3\xB7 1F6D1 \xC3\x97 200D \xC3\x97 1F6D1 \xC3\x97 200D \xC3\xB7 0062 \xC3\xB7",
    };
    FILE *in = open_break_cases("word-breaks");
    static sample s;
    char line[4096];
    bipe_tokenizer *t;
    bipe_error err;
    uint64_t random = 3;
    unsigned lines = 0, words = 0;
    CHECK(bipe_tokenizer_open(&t, "words", false, &err) == BIPE_OK);
    while (fgets(line, sizeof line, in) != NULL) {
        check_line(t, line, &s, &random);
        lines += s.size != 0;
        words += (unsigned)s.count;
    }
    CHECK_UINT(lines, 1944);
    CHECKF(words > 1000, "%u words", words);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        check_line(t, more[i], &s, &random);
    bipe_tokenizer_close(t);
    fclose(in);
}

static void test_table(void)
{
    static const struct {
        const char *name, *classes; /* the letters that characters of that class may have */
        size_t count;               /* of characters, as WordBreakProperty.txt says */
    } known[] = {
        {"CR", "x", 0}, {"LF", "x", 0}, {"Newline", "x", 0}, {"WSegSpace", "x", 0}, {"Regional_Indicator", "x", 0},
        {"Extend", "e", 2647 + 58}, {"Format", "e", 2647 + 58}, {"ZWJ", "z", 1}, {"ALetter", "lP", 33973},
        {"Hebrew_Letter", "h", 75}, {"Numeric", "d", 784}, {"Katakana", "k", 331}, {"ExtendNumLet", "u", 11},
        {"Single_Quote", "q", 1}, {"Double_Quote", "Q", 1}, {"MidNumLet", "m", 7}, {"MidLetter", "M", 9},
        {"MidNum", "n", 13},
    };
    enum { CLASSES = sizeof known / sizeof *known };
    static size_t count[128];
    static const char *want[0x110000];
    for (int32_t code = 0; code < 0x110000; code++)
        count[bipe_word_class_of(code)]++;
    for (size_t k = 0; k < CLASSES; k++) {
        size_t found = 0;
        for (const char *c = known[k].classes; *c != '\0'; c++)
            found += count[(uint8_t)*c];
        CHECKF(known[k].count == 0 || found == known[k].count, "%zu of %s", found, known[k].name);
    }
    /* emoji-data.txt has 2848 Extended_Pictographic characters. */
    CHECK_UINT(count[BIPE_WB_PICTOGRAPH] + count[BIPE_WB_LETTER_PICTOGRAPH], 2848);
    CHECK(bipe_word_class_of(-1) == BIPE_WB_OTHER);
    CHECK(bipe_word_class_of(0x4E2D) == BIPE_WB_OTHER_LETTER); /* 中 */
    CHECK(bipe_word_class_of(0x323B0) == BIPE_WB_OTHER_LETTER); /* of 17.0 */
    CHECK(bipe_word_class_of(0x1F6D1) == BIPE_WB_PICTOGRAPH);
    FILE *in = open_unicode_file("auxiliary/WordBreakProperty.txt");
    if (in == NULL)
        return;
    char name[32];
    for (int32_t code = 0; code < 0x110000; code++)
        want[code] = "xwp";
    for (unsigned first, last; next_unicode_range(in, &first, &last, name);) {
        size_t k = 0;
        while (k < CLASSES && strcmp(known[k].name, name) != 0)
            k++;
        CHECKF(k < CLASSES, "U+%04X: %s", first, name);
        for (unsigned code = first; code <= last && code < 0x110000 && k < CLASSES; code++)
            want[code] = known[k].classes;
    }
    for (int32_t code = 0; code < 0x110000; code++)
        CHECKF(strchr(want[code], (char)bipe_word_class_of(code)) != NULL, "U+%04X", (unsigned)code);
    fclose(in);
}

int main(void)
{
    test_lines();
    test_table();
    return test_result();
}
