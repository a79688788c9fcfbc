/* test_spm_units.c - the quick way of Unigram models through plain text: what is said about other sums (unit_search.h) against a naive
 * search with these sums, and whole texts against the plain way (spm_text.c and lattice.c, which test_spm_tokenizer.c compares with a
 * reference of its own). */
#include <config.h>

#include <math.h>

#include "tests/scratch.h"
#include "tests/spm_reference.h"
#include "tests/tokenizers.h"
#include "token/spm/bpe.h"

#define BLOCK "\xE2\x96\x81" /* ▁ */

/* ---- a unit ---- */

enum { WORDS = 40 };

typedef struct words {
    char text[WORDS][8];
    double score[WORDS];
    size_t count;
    double unknown;
} words;

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

static void random_words(uint64_t *random, words *w)
{
    int kind = (int)(test_random(random) % 12);
    w->count = 0;
    w->unknown = -30;
    size_t wanted = 3 + test_random(random) % (WORDS - 3);
    for (int tries = 0; tries < 400 && w->count < wanted; tries++) {
        char text[8] = "";
        size_t size = 1 + test_random(random) % 5;
        for (size_t i = 0; i < size; i++)
            text[i] = "abc "[test_random(random) % 4];
        bool known = false;
        for (size_t i = 0; i < w->count; i++)
            known = known || strcmp(w->text[i], text) == 0;
        if (known)
            continue;
        w->score[w->count] = random_score(random, kind);
        strcpy(w->text[w->count++], text);
    }
}

/* As spm_reference.h does it, from a sum on. */
static double search_naively(const words *w, const char *text, size_t size, double before, long *piece, size_t *end, size_t *count)
{
    static float sum[BIPE_UNIT_BYTES + 1];
    static size_t from[BIPE_UNIT_BYTES + 1];
    static long best[BIPE_UNIT_BYTES + 1];
    for (size_t i = 0; i <= size; i++)
        best[i] = -2;
    sum[0] = (float)before;
    for (size_t i = 0; i < size; i++) {
        bool whole = false;
        for (size_t to = i + 1; to <= size; to++)
            for (size_t p = 0; p < w->count; p++) {
                if (strlen(w->text[p]) != to - i || memcmp(w->text[p], text + i, to - i) != 0)
                    continue;
                if (best[to] == -2 || w->score[p] + (double)sum[i] > (double)sum[to]) {
                    sum[to] = (float)(w->score[p] + (double)sum[i]);
                    from[to] = i;
                    best[to] = (long)p;
                }
                whole = whole || to == i + 1;
            }
        float unknown = (float)w->unknown + sum[i];
        if (!whole && (best[i + 1] == -2 || unknown > sum[i + 1])) {
            sum[i + 1] = unknown;
            from[i + 1] = i;
            best[i + 1] = -1;
        }
    }
    *count = 0;
    for (size_t i = size; i != 0; i = from[i])
        ++*count;
    size_t k = *count;
    for (size_t i = size; i != 0; i = from[i]) {
        piece[--k] = best[i];
        end[k] = i;
    }
    return (double)sum[size];
}

/* A sum of the size of 2^exponent; a float. */
static double random_sum(uint64_t *random, int exponent)
{
    double sum = ldexp(1 + (double)(test_random(random) % (1 << 23)) / (1 << 23), exponent);
    return test_random(random) % 4 == 0 ? sum : -sum;
}

static bool same_pieces(const bipe_unit_pieces *p, const long *piece, const size_t *end, size_t count)
{
    bool same = p->count == count;
    for (size_t i = 0; same && i < count; i++)
        same = p->end[i] == end[i] && (p->id[i] == BIPE_UNIGRAM_UNKNOWN ? -1L : (long)p->id[i]) == piece[i];
    return same;
}

static void test_search(void)
{
    uint64_t random = 31;
    static words w;
    size_t near = 0, exact = 0, none = 0;
    for (int round = 0; round < test_rounds(1200); round++) {
        random_words(&random, &w);
        bipe_trie_string pieces[WORDS];
        double *score = bipe_alloc(WORDS, sizeof *score), most = 30;
        for (uint32_t i = 0; i < w.count; i++) {
            pieces[i] = (bipe_trie_string){(const uint8_t *)w.text[i], strlen(w.text[i]), i};
            score[i] = w.score[i];
            most = fmax(most, fabs(score[i]));
        }
        bipe_unigram u = {0};
        bipe_error err = {0};
        CHECK(bipe_unigram_build(&u, pieces, w.count, score, w.unknown, true, &err) == BIPE_OK);
        double reach = (most + 1) * (BIPE_UNIT_BYTES + 2);
        for (int k = 0; k < 20; k++) {
            char text[BIPE_UNIT_BYTES];
            size_t size = 1 + test_random(&random) % (k % 4 == 0 ? BIPE_UNIT_BYTES : 12), end[BIPE_UNIT_BYTES], count;
            long piece[BIPE_UNIT_BYTES];
            for (size_t i = 0; i < size; i++)
                text[i] = "abcz "[test_random(&random) % 5];
            double sum = k % 5 == 0 ? 0 : random_sum(&random, (int)(test_random(&random) % 32));
            bipe_unit_pieces found;
            bipe_unit_search(&u, (const uint8_t *)text, size, ' ', sum, reach, &found);
            double behind = search_naively(&w, text, size, sum, piece, end, &count);
            CHECK(same_pieces(&found, piece, end, count) && found.sum == behind);
            none += found.near == 0 && found.exact == 0;
            for (int i = 0; i < 30; i++) {
                bool same_binade = found.exact != 0 && i % 2;
                int exponent = same_binade ? found.exact : found.near != 0 ? (int)(test_random(&random) % (found.near < 34U ? found.near + 1U : 34)) : -1;
                double other = exponent >= 0 ? random_sum(&random, exponent) : 0;
                bipe_unit_scale scale = bipe_unit_scale_of(other, reach);
                bool by_near = found.near >= scale.high, by_exact = found.exact == scale.high && scale.low == scale.high;
                if (exponent < 0 || !(by_near || by_exact))
                    continue;
                near += by_near;
                exact += !by_near;
                search_naively(&w, text, size, other, piece, end, &count);
                CHECKF(same_pieces(&found, piece, end, count), "round %d, text %d: from %a, not as from %a (near %d, exact %d)", round, k, other,
                       sum, found.near, found.exact);
            }
        }
        bipe_unigram_free(&u);
    }
    CHECKF(!test_all_rounds() || (near > 40000 && exact > 20000 && none > 400), "%zu %zu %zu", near, exact, none);
}

/* ---- whole texts ---- */

static const char *const alphabet[] = {"a", "b", "c", "A", " ", "  ", "\n", "\r\n", "\t", ",", "-", "1", BLOCK, "\xC3\xA9", "\xCC\x81", "\xE4\xB8\xAD",
                                       "z", "ab", "\x01", "the", " the", "<s>"};
enum { LETTERS = sizeof alphabet / sizeof *alphabet };

/* Letters of two and three bytes, some of which make one with the mark behind them, marks, blanks, what is broken. */
static const char *const foreign[] = {"\xD0\xB8", "\xD1\x8F", "\xD0\xB9", "\xE3\x81\x8B", "\xE4\xB8\xAD", "\xE6\x96\x87", " ", "a", "\xCC\x86", "\xE3\x82\x99",
                                      "\xE3\x81\x8C", "\xE3\x80\x82", ",", "\n", "\xE3\x80\x80", BLOCK, "\xF0\x9F\x98\x80", "\xD0", "\xE4\xB8", "b", "\xEF\xBF\xBD",
                                      "  ", "\xED\xA0\x80", "\xC0\xB8"};
enum { FOREIGN = sizeof foreign / sizeof *foreign };

static void add_rules(uint64_t *random, test_map *map)
{
    /* As the rules of SentencePiece: blanks become spaces, controls go, letters are folded, marks are composed. */
    static const char *const usual[][2] = {{"\n", " "}, {"\t", " "}, {"\r", " "}, {"\x01", ""}, {"A", "a"}, {"a\xCC\x81", "\xC3\xA9"},
                                           {"b\xCC\x81", "b"}, {",", ", "}, {"\xE4\xB8\xAD", "a b"}, {"the", "a"}, {"c", ""}, {"1", " "}, {"\xE3\x80\x80", " "}, {"a\xE3\x82\x99", "b"}};
    static const char *const strange[][2] = {{"\xD0\xB8\xCC\x86", "\xD0\xB9"}, {"\xE3\x81\x8B\xE3\x82\x99", "\xE3\x81\x8C"}, {"\xE4\xB8\xAD\xE6\x96\x87" "a", "a"},
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
        bool across = test_random(random) % 30 == 0; /* few pieces go across spaces and beyond ASCII: units are short otherwise, or none */
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
        length[i] = abroad ? random_text(random, foreign, i % 3 == 0 ? FOREIGN : 7, i % 16 == 0, word[i], 1 + test_random(random) % (i % 8 == 0 ? 40 : 14))
                           : random_text(random, alphabet, i % 4 == 0 ? LETTERS : 6, i % 16 == 0, word[i], 1 + test_random(random) % (i % 8 == 0 ? 40 : 10));
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
        ((bipe_bpe *)plain->model)->units->reach = 0; /* no unit is taken */
        CHECK(((bipe_bpe *)t->model)->units->reach > 0);
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

/* Units are taken at all, and most of a text goes by them. */
static void test_taken(void)
{
    static spm_model m;
    spm_begin(&m, false);
    m.type = 1;
    m.squeeze = true;
    map_add(&m.map, "\n", " ");
    map_add(&m.map, "e\xCC\x81", "\xC3\xA9");
    spm_add(&m, BLOCK "the", -3, NORMAL);
    spm_add(&m, BLOCK, -4, NORMAL);
    spm_add(&m, ",", -4, NORMAL);
    for (const char *c = "abcdehit"; *c != '\0'; c++)
        spm_add(&m, (char[2]){*c, '\0'}, -5, NORMAL);
    bipe_tokenizer *t = must_open_model(&m, false);
    bipe_bpe *bpe = t->model;
    static const char text[] = "the  \nthe bad the, the e\xCC\x81 the the ";
    bipe_tokens tokens = {0};
    double sum = -100;
    uint64_t position = 0;
    bool unknown = false;
    bipe_unit_cache cache = {0};
    size_t taken;
    bipe_error err = {0};
    const bipe_unit_run run = {.cache = &cache, .sum = &sum, .position = &position, .tokens = &tokens, .unknown = &unknown};
    CHECK_UINT(bipe_spm_units_next(bpe->units, (const uint8_t *)text, sizeof text - 1, 0), 3);
    CHECK(bipe_spm_units_run(bpe->units, &run, (const uint8_t *)text + 3, sizeof text - 4, &taken, &err) == BIPE_OK);
    CHECK_UINT(taken, 19); /* to the space before the letter with a mark */
    CHECK_UINT(position, 19);
    CHECK_UINT(tokens.count, 8); /* ▁the ▁ b a d ▁the , ▁the */
    CHECK(sum == -100 - 3 - 4 - 5 * 3 - 3 - 4 - 3);
    bipe_unit_cache_free(&cache);
    bipe_tokens_free(&tokens);
    bipe_tokenizer_close(t);
}

/* Characters that stand for very many bytes: spaces that are squeezed, characters that go, before and behind the way of units. */
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
    /* a, ab behind many spaces, ab with much behind the a, the last b with much behind it */
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
            CHECKF(tokens.token[i].id == want[i].id && tokens.token[i].start == want[i].start && tokens.token[i].end == want[i].end,
                   "token %zu: %u [%u, %u)", i, (unsigned)tokens.token[i].id, (unsigned)tokens.token[i].start, (unsigned)tokens.token[i].end);
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
    test_search();
    test_texts();
    test_taken();
    test_wide();
    test_memory();
    return test_result();
}
