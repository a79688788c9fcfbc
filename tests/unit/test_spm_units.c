/* test_spm_units.c - texts of Unigram models unit by unit, with a cache (unit_encoder.h), against the same model
 * without borders, which searches the whole text at once (and which test_spm_tokenizer.c compares with a reference of
 * its own). */
#include <config.h>

#include <math.h>

#include "tests/scratch.h"
#include "tests/spm_reference.h"
#include "tests/tokenizers.h"
#include "token/spm/bpe.h"

#define BLOCK "\xE2\x96\x81" /* ▁ */

/* Scores as trained ones, as made by hand (many ties), and of other sizes. */
static double random_score(uint64_t *random, int kind)
{
    double r = -(double)(test_random(random) % 1000003) / 90000;
    switch (kind % 6) {
    case 0: return (double)(float)r;
    case 1: return -(double)(test_random(random) % 5);
    case 2: return -(double)(test_random(random) % 9) / 2 - 0.25;
    case 3: return (double)(float)(r * 300);
    case 4: return r - 0.1; /* as that of a user-defined symbol: of double precision */
    default: return (double)(float)(test_random(random) % 3 == 0 ? -r : r / 1000);
    }
}

/* ---- whole texts ---- */

static const char *const alphabet[] = {"a", "b", "c", "A", " ", "  ", "\n", "\r\n", "\t", ",", "-", "1", BLOCK,
                                       "\xC3\xA9", "\xCC\x81", "\xE4\xB8\xAD",
                                       "z", "ab", "\x01", "the", " the", "<s>"};
enum { LETTERS = sizeof alphabet / sizeof *alphabet };

/* Letters of two and three bytes, some of which make one with the mark after them, marks, blanks, what is broken. */
static const char *const foreign[] = {"\xD0\xB8", "\xD1\x8F", "\xD0\xB9", "\xE3\x81\x8B", "\xE4\xB8\xAD",
                                      "\xE6\x96\x87", " ", "a", "\xCC\x86", "\xE3\x82\x99",
                                      "\xE3\x81\x8C", "\xE3\x80\x82", ",", "\n", "\xE3\x80\x80", BLOCK,
                                      "\xF0\x9F\x98\x80", "\xD0", "\xE4\xB8", "b", "\xEF\xBF\xBD",
                                      "  ", "\xED\xA0\x80", "\xC0\xB8"};
enum { FOREIGN = sizeof foreign / sizeof *foreign };

static void add_rules(uint64_t *random, test_map *map)
{
    /* As the rules of SentencePiece: blanks become spaces, controls go, letters are folded, marks are composed. */
    static const char *const usual[][2] = {{"\n", " "},
                                           {"\t", " "},
                                           {"\r", " "},
                                           {"\x01", ""},
                                           {"A", "a"},
                                           {"a\xCC\x81", "\xC3\xA9"},
                                           {"b\xCC\x81", "b"},
                                           {",", ", "},
                                           {"\xE4\xB8\xAD", "a b"},
                                           {"the", "a"},
                                           {"c", ""},
                                           {"1", " "},
                                           {"\xE3\x80\x80", " "},
                                           {"a\xE3\x82\x99", "b"}};
    static const char *const strange[][2] = {{"\xD0\xB8\xCC\x86", "\xD0\xB9"},
                                             {"\xE3\x81\x8B\xE3\x82\x99", "\xE3\x81\x8C"},
                                             {"\xE4\xB8\xAD\xE6\x96\x87" "a", "a"},
                                             {"\xE3\x80\x82", "."}, {"\xD1\x8F" "a", "\xD1\x8F"}};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (test_random(random) % 12 < (i < 7 ? 9 : 1))
            map_add(map, usual[i][0], usual[i][1]);
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        if (test_random(random) % 2)
            map_add(map, strange[i][0], strange[i][1]);
}

static void random_model(uint64_t *random, spm_model *m, bool abroad)
{
    spm_begin(m, test_random(random) % 2);
    m->type = 1;
    m->dummy_prefix = test_random(random) % 4 != 0;
    m->squeeze = test_random(random) % 2;
    m->escape = test_random(random) % 6 != 0;
    m->suffix = test_random(random) % 8 == 0;
    if (test_random(random) % 3 != 0)
        add_rules(random, &m->map);
    int kind = (int)(test_random(random) % 12);
    const char *space = m->escape ? BLOCK : " ";
    size_t wanted = m->count + 5 + test_random(random) % 80;
    for (int tries = 0; m->count < wanted && tries < 500; tries++) {
        char text[40] = "";
        bool across = test_random(random) % 30 == 0; /* few pieces go across spaces and beyond ASCII: units are short
                                                        otherwise, or none */
        if (test_random(random) % 2)
            strcat(text, space);
        for (size_t n = 1 + test_random(random) % 4; n != 0; n--) {
            const char *part = across   ? alphabet[test_random(random) % 17]
                               : abroad ? foreign[test_random(random) % (test_random(random) % 8 != 0 ? 6 : 17)]
                                        : alphabet[test_random(random) % 3];
            if (part[0] > ' ' || part[0] < 0)
                strcat(text, part);
        }
        if (test_random(random) % 10 == 0)
            strcpy(text, test_random(random) % 2 ? "," : space);
        int type = test_random(random) % 60 == 0 ? USER : NORMAL;
        if (text[0] != '\0' && !spm_has(m, text))
            spm_add(m, text, (float)random_score(random, kind), type);
    }
}

/* Words come again and again. */
static size_t make_text(uint64_t *random, bool abroad, uint8_t *text, size_t size)
{
    static uint8_t word[60][40];
    static size_t length[60];
    for (size_t i = 0; i < 60; i++)
        length[i] = abroad ? random_text(random, foreign, i % 3 == 0 ? FOREIGN : 7, i % 16 == 0, word[i],
                                         1 + test_random(random) % (i % 8 == 0 ? 40 : 14))
                           : random_text(random, alphabet, i % 4 == 0 ? LETTERS : 6, i % 16 == 0, word[i],
                                         1 + test_random(random) % (i % 8 == 0 ? 40 : 10));
    size_t n = 0;
    for (;;) {
        size_t r = test_random(random) % 60;
        if (n + length[r] + 1 > size)
            return n;
        memcpy(text + n, word[r], length[r]);
        n += length[r];
        if (r % 3 != 0)
            text[n++] = ' ';
    }
}

static void test_texts(void)
{
    static spm_model m;
    static uint8_t text[300000];
    uint64_t random = 32;
    bipe_tokens want = {0}, got = {0};
    bipe_error err = {0};
    for (int round = 0; round < test_rounds(180); round++) {
        bool abroad = round % 3 == 1;
        random_model(&random, &m, abroad);
        bipe_tokenizer *t = must_open_model(&m, false), *plain = must_open_model(&m, false);
        bipe_bpe *bpe = plain->model;
        bipe_free(bpe->borders);
        bipe_free(bpe->safe_borders);
        bpe->borders = bpe->safe_borders = NULL;
        size_t size = make_text(&random, abroad, text, round % 10 == 0 ? sizeof text : 20000);
        CHECKF(tokens_of(plain, text, size, 0, NULL, &want, &err) == BIPE_OK, "%s", err.text);
        CHECKF(tokens_of(t, text, size, 0, NULL, &got, &err) == BIPE_OK, "%s", err.text);
        CHECKF(same_tokens(&want, &got), "round %d", round);
        CHECKF(tokens_of(t, text, size, 1000, &random, &got, &err) == BIPE_OK, "%s", err.text);
        CHECKF(same_tokens(&want, &got), "round %d, cut", round);
        for (size_t at = 0, n; at < size && at < 4000; at += n) {
            n = test_random(&random) % 90;
            n = n > size - at ? size - at : n;
            CHECK(tokens_of(plain, text + at, n, 0, NULL, &want, &err) == BIPE_OK);
            CHECK(tokens_of(t, text + at, n, 7, &random, &got, &err) == BIPE_OK);
            CHECKF(same_tokens(&want, &got), "round %d, at %zu", round, at);
            n++;
        }
        bipe_tokenizer_close(t);
        bipe_tokenizer_close(plain);
    }
    bipe_tokens_free(&want);
    bipe_tokens_free(&got);
}

/* Characters that stand for very many bytes: spaces that are squeezed, characters that go, before and after the way of
 * units. */
static void test_wide(void)
{
    static spm_model m;
    static uint8_t text[300000];
    spm_begin(&m, false);
    m.type = 1;
    m.squeeze = true;
    map_add(&m.map, "\x01", "");
    spm_add(&m, BLOCK, -4, NORMAL);
    spm_add(&m, BLOCK "ab", -4, NORMAL);
    spm_add(&m, "a", -5, NORMAL);
    spm_add(&m, "b", -5, NORMAL);
    bipe_tokenizer *t = must_open_model(&m, false);
    /* a, ab after many spaces, ab with much after the a, the last b with much after it */
    memset(text, ' ', sizeof text);
    memcpy(text, "a", 1);
    memcpy(text + 100000, "ab a", 4);
    memset(text + 100004, 1, 99996);
    memcpy(text + 200000, "b b", 3);
    memset(text + 200003, 1, 90000);
    static const struct {
        uint32_t id, start, end;
    } want[] = {{3, 0, 0}, {5, 0, 1}, {4, 1, 100002}, {4, 100002, 200001}, {3, 200001, 200002}, {6, 200002, 290003}};
    uint64_t random = 34;
    bipe_tokens tokens = {0};
    bipe_error err = {0};
    for (int k = 0; k < 3; k++) {
        CHECK(tokens_of(t, text, sizeof text, k == 0 ? 0 : k == 1 ? 70000 : 11, &random, &tokens, &err) == BIPE_OK);
        CHECK_UINT(tokens.count, 6);
        for (size_t i = 0; i < 6 && i < tokens.count; i++)
            CHECKF(tokens.token[i].id == want[i].id && tokens.token[i].start == want[i].start &&
                       tokens.token[i].end == want[i].end,
                   "token %zu: %u [%u, %u)", i, (unsigned)tokens.token[i].id, (unsigned)tokens.token[i].start,
                   (unsigned)tokens.token[i].end);
    }
    bipe_tokens_free(&tokens);
    bipe_tokenizer_close(t);
}

static void test_memory(void)
{
    static spm_model m;
    uint64_t random = 33;
    static uint8_t text[2000];
    random_model(&random, &m, false);
    bipe_tokenizer *t = must_open_model(&m, false);
    size_t size = make_text(&random, false, text, sizeof text);
    bipe_tokens tokens = {0};
    int status = BIPE_ERR_MEMORY;
    long failures = 0;
    while (status == BIPE_ERR_MEMORY && failures < 1000) {
        bipe_error err = {0};
        bipe_alloc_fail_at(failures++);
        status = tokens_of(t, text, size, 0, NULL, &tokens, &err);
        bipe_alloc_fail_at(-1);
    }
    CHECKF(status == BIPE_OK && failures > 5, "%d after %ld", status, failures);
    bipe_tokens_free(&tokens);
    bipe_tokenizer_close(t);
}

int main(void)
{
    test_texts();
    test_wide();
    test_memory();
    return test_result();
}
