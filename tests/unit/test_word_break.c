/* test_word_break.c - the tokenizer `words` on every line of Unicode's WordBreakTest.txt, cut anywhere, and its table
 * of characters against WordBreakProperty.txt. Both come from Debian's unicode-data; BIPE_UNICODE names another
 * folder. */
#include "tests/tokens.h"
#include "text/unicode.h"
#include "text/utf8.h"
#include "text/break_class.h"

static FILE *open_file(const char *name)
{
    char path[4096];
    const char *folder = getenv("BIPE_UNICODE");
    snprintf(path, sizeof path, "%s/auxiliary/%s", folder != NULL ? folder : "/usr/share/unicode", name);
    FILE *in = fopen(path, "r");
    if (in == NULL)
        test_skip("no WordBreakTest.txt in /usr/share/unicode/auxiliary (install unicode-data, or set BIPE_UNICODE)");
    return in;
}

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

static void test_lines(void)
{
    FILE *in = open_file("WordBreakTest.txt");
    static sample s;
    char line[4096];
    bipe_tokenizer *t;
    bipe_tokens tokens = {0};
    bipe_error err;
    uint64_t random = 3;
    unsigned lines = 0, words = 0;
    CHECK(bipe_tokenizer_open(&t, "words", false, &err) == BIPE_OK);
    while (fgets(line, sizeof line, in) != NULL) {
        parse_line(line, &s);
        lines += s.size != 0;
        words += (unsigned)s.count;
        check_cuts(t, s.text, s.size, &random, true, &tokens);
        CHECKF(tokens.count == s.count, "%zu words, want %zu: %s", tokens.count, s.count, line);
        for (size_t i = 0; i < s.count && i < tokens.count; i++)
            CHECKF(tokens.token[i].start == s.word[i].start && tokens.token[i].end == s.word[i].end &&
                       tokens.token[i].id == 0,
                   "word %zu: %s", i, line);
    }
    CHECKF(lines > 1800 && words > 1000, "%u lines, %u words", lines, words);
    bipe_tokens_free(&tokens);
    bipe_tokenizer_close(t);
    fclose(in);
}

static void test_table(void)
{
    static const struct {
        const char *name, *classes; /* the letters that characters of that class may have */
    } known[] = {
        {"CR", "x"}, {"LF", "x"}, {"Newline", "x"}, {"WSegSpace", "x"}, {"Regional_Indicator", "x"}, {"Extend", "e"},
        {"Format", "e"}, {"ZWJ", "z"}, {"ALetter", "lP"}, {"Hebrew_Letter", "h"}, {"Numeric", "d"}, {"Katakana", "k"},
        {"ExtendNumLet", "u"}, {"Single_Quote", "q"}, {"Double_Quote", "Q"}, {"MidNumLet", "m"}, {"MidLetter", "M"},
        {"MidNum", "n"},
    };
    static const char *want[0x110000];
    FILE *in = open_file("WordBreakProperty.txt");
    char line[1024], name[32];
    for (int32_t code = 0; code < 0x110000; code++)
        want[code] = "xwp";
    while (fgets(line, sizeof line, in) != NULL) {
        unsigned first, last;
        if (sscanf(line, "%x..%x ; %31s", &first, &last, name) != 3) {
            if (sscanf(line, "%x ; %31s", &first, name) != 2)
                continue;
            last = first;
        }
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strcmp(known[k].name, name) != 0)
            k++;
        CHECKF(k < sizeof known / sizeof *known, "%s", line);
        for (unsigned code = first; code <= last && code < 0x110000 && k < sizeof known / sizeof *known; code++)
            want[code] = known[k].classes;
    }
    for (int32_t code = 0; code < 0x110000; code++)
        CHECKF(strchr(want[code], (char)bipe_word_class_of(code)) != NULL, "U+%04X", (unsigned)code);
    CHECK(bipe_word_class_of(-1) == BIPE_WB_OTHER);
    CHECK(bipe_word_class_of(0x4E2D) == BIPE_WB_OTHER_LETTER); /* 中 */
    CHECK(bipe_word_class_of(0x1F6D1) == BIPE_WB_PICTOGRAPH);
    fclose(in);
}

int main(void)
{
    test_lines();
    test_table();
    return test_result();
}
