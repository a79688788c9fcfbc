/* test_answers.c - em, f1, ROUGE and stems on the examples that their authors publish, and on what is empty, broken or
 * large; and each allocation made to fail. tests/peers/answers compares with other programs. */
#include "base/alloc.h"
#include "task/answers.h"
#include "tests/check.h"
#include "text/porter_stemmer.h"

static bipe_answer answer_of(const char *text)
{
    return (bipe_answer){text, strlen(text)};
}

static bipe_answer_scores score_of(const char *prediction, const char *const *references, bool stem)
{
    bipe_answer reference[4];
    bipe_answer_scores scores;
    bipe_error err;
    size_t count = 0;
    for (; references[count] != NULL; count++)
        reference[count] = answer_of(references[count]);
    CHECK(bipe_answer_score(&scores, answer_of(prediction), reference, count, stem, &err) == BIPE_OK);
    return scores;
}

#define REFERENCES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The example in the metric of SCROLLS, three records: exact match 33.3333, F1 and ROUGE-1 and -L 72.2222,
 * ROUGE-2 33.3333, mean 55.8136. */
static void test_scrolls_example(void)
{
    bipe_answer_scores s[3] = {score_of("exact match example", REFERENCES("exact match example"), false),
                               score_of("hello there", REFERENCES("hello", "hi there"), false),
                               score_of("general kenobi", REFERENCES("commander kenobi"), false)};
    double mean[5] = {0};
    for (int i = 0; i < 3; i++) {
        mean[0] += s[i].em / 3;
        mean[1] += s[i].f1 / 3;
        mean[2] += s[i].rouge1 / 3;
        mean[3] += s[i].rouge2 / 3;
        mean[4] += s[i].rouge_l / 3;
    }
    CHECK_NEAR(100 * mean[0], 33.3333, 5e-5);
    CHECK_NEAR(100 * mean[1], 72.2222, 5e-5);
    CHECK_NEAR(100 * mean[2], 72.2222, 5e-5);
    CHECK_NEAR(100 * mean[3], 33.3333, 5e-5);
    CHECK_NEAR(100 * mean[4], 72.2222, 5e-5);
    CHECK_NEAR(100 * bipe_rouge_mean(mean[2], mean[3], mean[4]), 55.8136, 5e-5);
}

/* Words of SQuAD: case, punctuation, articles, blanks; an article may be a part of a word. */
static void test_squad_words(void)
{
    static const struct {
        const char *prediction, *reference;
        double em, f1;
    } row[] = {
        {"The  quick, brown fox.", "a Quick brown FOX", 1, 1},
        {"U.S.A", "usa", 1, 1},
        {"the", "an", 1, 0},
        {"", "", 1, 0},
        {"", "word", 0, 0},
        {"the-man", "man", 0, 0},
        {"a\u20ACa", "\u20AC", 1, 1},
        {"a\u0301b", "\u0301b", 1, 1},
        {"\u00C9T\u00C9", "\u00E9t\u00E9", 1, 1},
        {"one\u00A0two\u3000three", "one two three", 1, 1},
        {"\u0130", "i\u0307", 1, 1},
        {"x x x y", "x x z", 0, 4.0 / 7},
        {"\xFF\xFE x", "\uFFFD\uFFFD x", 1, 1},
        {"caf\xC3", "caf\uFFFD", 1, 1},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bipe_answer_scores s = score_of(row[i].prediction, REFERENCES(row[i].reference), false);
        CHECKF(s.em == row[i].em && fabs(s.f1 - row[i].f1) < 1e-15, "\"%s\" and \"%s\": em %g, f1 %g",
               row[i].prediction, row[i].reference, s.em, s.f1);
    }
}

/* From the tests of rouge_score, and by hand. */
static void test_rouge(void)
{
    bipe_answer_scores s = score_of("testing", REFERENCES("testing one two"), false);
    CHECK_NEAR(s.rouge1, 0.5, 1e-15);
    CHECK_NEAR(s.rouge2, 0, 0);
    CHECK_NEAR(s.rouge_l, 0.5, 1e-15);
    s = score_of("testing two", REFERENCES("testing one two"), false);
    CHECK_NEAR(s.rouge1, 0.8, 1e-15);
    CHECK_NEAR(s.rouge_l, 0.8, 1e-15);
    s = score_of("the Cats were running", REFERENCES("the cat was running"), false);
    CHECK_NEAR(s.rouge1, 0.5, 1e-15);
    CHECK_NEAR(s.rouge2, 0, 0);
    CHECK_NEAR(score_of("the Cats were running", REFERENCES("the cat was running"), true).rouge1, 0.75, 1e-15);
    s = score_of("police killed the gunman", REFERENCES("the gunman police killed"), false);
    CHECK_NEAR(s.rouge1, 1, 0);
    CHECK_NEAR(s.rouge2, 2.0 / 3, 1e-15);
    CHECK_NEAR(s.rouge_l, 0.5, 1e-15);
    s = score_of("b c", REFERENCES("a b", "c d", "c b"), false); /* each the best of its kind */
    CHECK(s.rouge1 == 1 && s.rouge2 == 0 && s.rouge_l == 0.5);
    s = score_of("\xE4\xB8\xAD\xE6\x96\x87", REFERENCES("\xE4\xB8\xAD\xE6\x96\x87"), false); /* no a-z */
    CHECK(s.em == 1 && s.f1 == 1 && s.rouge1 == 0 && s.rouge2 == 0 && s.rouge_l == 0);
    s = score_of("anything", (const char *const[]){NULL}, false);
    CHECK(s.em == 0 && s.f1 == 0 && s.rouge1 == 0);
}

/* Longest common subsequences across the words of 64 bits, against the table that everyone writes. */
static void test_subsequence(void)
{
    uint64_t state = 5;
    for (int round = 0; round < test_rounds(200); round++) {
        char text[2][2000];
        size_t count[2], row[600] = {0};
        for (int t = 0; t < 2; t++) {
            count[t] = test_random(&state) % 500;
            for (size_t i = 0; i < count[t]; i++)
                memcpy(text[t] + 2 * i, (char[]){(char)('a' + test_random(&state) % (2 + (unsigned)round % 20)), ' '},
                       2);
            text[t][2 * count[t]] = '\0';
        }
        for (size_t i = 0; i < count[0]; i++)
            for (size_t j = 0, last = 0; j < count[1]; j++) {
                size_t above = row[j + 1];
                row[j + 1] = text[0][2 * i] == text[1][2 * j] ? last + 1 : above > row[j] ? above : row[j];
                last = above;
            }
        double f = score_of(text[0], REFERENCES(text[1]), false).rouge_l, total = (double)(count[0] + count[1]);
        CHECK_NEAR(f, row[count[1]] != 0 ? 2 * (double)row[count[1]] / total : 0, 1e-12);
    }
}

static void test_stems(void)
{
    static const char *const row[][2] = {
        {"caresses", "caress"}, {"ponies", "poni"},     {"dies", "die"},       {"cats", "cat"},       {"feed", "feed"},
        {"agreed", "agre"},
        {"died", "die"},        {"spied", "spi"},       {"plastered", "plaster"}, {"sing", "sing"},   {"sized", "size"},
        {"hopping", "hop"},
        {"falling", "fall"},    {"hissing", "hiss"},    {"filing", "file"},    {"happy", "happi"},
        {"enjoy", "enjoy"},     {"sky", "sky"},
        {"relational", "relat"}, {"rational", "ration"}, {"geology", "geolog"}, {"hopefully", "hope"},
        {"electricity", "electr"}, {"goodness", "good"},
        {"adoption", "adopt"},  {"opinion", "opinion"}, {"rate", "rate"},      {"cease", "ceas"},
        {"controlling", "control"}, {"roll", "roll"},
        {"they", "they"},       {"used", "use"},        {"proceed", "proceed"}, {"a", "a"},           {"1990s", "1990"},
        {"yyyed", "yy"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char word[32];
        snprintf(word, sizeof word, "%s", row[i][0]);
        word[bipe_porter_stem(word, strlen(word))] = '\0';
        CHECK_TEXT(word, row[i][1]);
    }
}

/* A large pair takes no longer than its size asks for, and each allocation may fail. */
static void test_limits(void)
{
    size_t size = test_all_rounds() ? 1 << 18 : 1 << 14;
    char *large = bipe_alloc(size + 1, 1);
    bipe_answer_scores s;
    bipe_error err;
    for (size_t i = 0; i < size; i++)
        large[i] = "ab cde\0fg"[i % 9];
    bipe_answer both = {large, size};
    CHECK(bipe_answer_score(&s, both, &both, 1, true, &err) == BIPE_OK);
    CHECK(s.em == 1 && s.f1 == 1 && s.rouge1 == 1 && s.rouge2 == 1 && s.rouge_l == 1);
    bipe_free(large);
    /* words beyond what ROUGE-L can compare in time */
    enum { MANY = 2 * ((1 << 20) + 1) };
    large = bipe_alloc(MANY, 1);
    for (size_t i = 0; i < MANY; i++)
        large[i] = "a "[i % 2];
    both = (bipe_answer){large, MANY};
    CHECK(bipe_answer_score(&s, answer_of("a"), &both, 1, false, &err) == BIPE_ERR_LIMIT);
    CHECK_TEXT(err.text, "an answer of 1048577 words, expected at most 1048576");
    bipe_free(large);
    int status;
    long n = 0;
    bipe_answer words = answer_of("some words of an answer");
    do {
        bipe_alloc_fail_at(n++);
        status = bipe_answer_score(&s, words, &words, 1, true, &err);
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || status == BIPE_ERR_MEMORY);
    } while (status != BIPE_OK && n < 100);
    CHECK(n > 10 && n < 100);
}

int main(void)
{
    test_scrolls_example();
    test_squad_words();
    test_rouge();
    test_subsequence();
    test_stems();
    test_limits();
    return test_result();
}
