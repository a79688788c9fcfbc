/* test_byte_merges.c - words merged side by side against each of them merged by itself, for vocabularies of all kinds and
 * each vector unit. */
#include <config.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "token/merges/byte_lanes.h"
#include "token/merges/byte_merges.h"
#include "token/merges/merge_loop.h"

enum { LETTERS = 6, WORDS = 300, DEAD = 8 };

/* How ids and ranks go together: in one order; in any; ids that several merges make, with ranks of their own that lie together, with one
 * rank, with any; a rank that many ids share; many such. */
enum kind { ORDERED, SHUFFLED, SEVERAL, SEVERAL_ALIKE, SEVERAL_MIXED, ONE_TIE, TIES, LAST };

typedef struct string {
    size_t size;
    char text[40];
} string;

typedef struct vocabulary {
    uint32_t symbol[256];
    bipe_pair_table pairs;
    size_t count;
} vocabulary;

/* Of merge k, which makes the id of this number. */
static uint32_t rank_of(enum kind kind, uint32_t k, uint32_t into, size_t merges)
{
    if (kind == SEVERAL || kind == SEVERAL_ALIKE)
        return kind == SEVERAL ? into << 16 | k : into;
    if (kind == ONE_TIE)
        return k > merges / 3 && k < merges / 2 ? (uint32_t)(merges / 3) : k;
    return kind == TIES ? k / 2 : k;
}

static size_t find(const string *known, size_t count, const char *text, size_t size)
{
    size_t i = 0;
    while (i < count && (known[i].size != size || memcmp(known[i].text, text, size) != 0))
        i++;
    return i;
}

/* Two strings that are there; now and then two that make a third. */
static void choose(const string *known, size_t count, bool again, size_t *left, size_t *right, uint64_t *random)
{
    const string *s = &known[test_random(random) % count];
    size_t cut = (size_t)(test_random(random) % s->size);
    *left = (size_t)(test_random(random) % count);
    *right = (size_t)(test_random(random) % count);
    if (!again || cut == 0)
        return;
    size_t one = find(known, count, s->text, cut), other = find(known, count, s->text + cut, s->size - cut);
    if (one < count && other < count) {
        *left = one;
        *right = other;
    }
}

/* Now and then another merge makes the same id of something that nothing makes. */
static void add_dead(vocabulary *v, uint32_t rank, uint32_t side, uint32_t into, uint64_t *random)
{
    uint32_t dead = (uint32_t)v->count + (uint32_t)(test_random(random) % DEAD);
    bool left = test_random(random) % 2 == 0;
    CHECK(bipe_pair_table_set(&v->pairs, left ? dead : side, left ? side : dead, rank, into) == 0);
}

/* Merges of random strings that are there already. */
static void make(vocabulary *v, enum kind kind, size_t merges, uint64_t *random)
{
    uint32_t *id = bipe_alloc(256 + merges, sizeof *id);
    string *known = bipe_alloc(LETTERS + merges, sizeof *known);
    size_t count = LETTERS;
    v->count = 256 + merges;
    for (uint32_t k = 0; k < 256 + merges; k++)
        id[k] = k;
    for (size_t k = 255 + merges; kind == SHUFFLED && k > 0; k--) {
        size_t other = test_random(random) % (k + 1);
        uint32_t swap = id[k];
        id[k] = id[other];
        id[other] = swap;
    }
    for (uint32_t b = 0; b < 256; b++)
        v->symbol[b] = id[b];
    for (int k = 0; k < LETTERS; k++)
        known[k] = (string){.size = 1, .text = {(char)('a' + k)}};
    for (uint32_t k = 0, tries = 0; k < merges && tries < 100 * merges; tries++) {
        bool several = kind == SEVERAL || kind == SEVERAL_ALIKE || kind == SEVERAL_MIXED;
        size_t left, right;
        choose(known, count, several, &left, &right, random);
        string joined = {.size = known[left].size + known[right].size};
        if (joined.size > sizeof joined.text)
            continue;
        memcpy(joined.text, known[left].text, known[left].size);
        memcpy(joined.text + known[left].size, known[right].text, known[right].size);
        size_t into = find(known, count, joined.text, joined.size);
        if (into < count && !several)
            continue;
        uint32_t a = id[left < LETTERS ? 'a' + left : left - LETTERS + 256], b = id[right < LETTERS ? 'a' + right : right - LETTERS + 256];
        if (bipe_pair_table_find(&v->pairs, a, b) != NULL)
            continue;
        known[into] = joined;
        count += into == count;
        uint32_t rank = rank_of(kind, k, (uint32_t)(into - LETTERS), merges);
        CHECK(bipe_pair_table_set(&v->pairs, a, b, rank, id[into - LETTERS + 256]) == 0);
        if (several && test_random(random) % 4 == 0)
            add_dead(v, rank, a, id[into - LETTERS + 256], random);
        k++;
    }
    v->count += DEAD;
    bipe_free(known);
    bipe_free(id);
}

static void check_words(const vocabulary *v, const bipe_byte_merges *m, bipe_byte_lanes *run, uint64_t *random)
{
    static uint8_t text[WORDS][BIPE_BYTE_MERGES_MOST];
    bipe_new_word word[WORDS];
    bipe_piece_tokens tokens = {0};
    bipe_merge_room room = {0};
    size_t count = 1 + test_random(random) % WORDS;
    for (size_t i = 0; i < count; i++) {
        size_t size = 1 + (size_t)(test_random(random) % (i % 7 == 0 ? BIPE_BYTE_MERGES_MOST : 12));
        for (size_t k = 0; k < size; k++)
            text[i][k] = (uint8_t)(test_random(random) % 50 == 0 ? test_random(random) % 256 : 'a' + test_random(random) % LETTERS);
        /* Some are encoded already. */
        word[i] = (bipe_new_word){.text = text[i], .size = size, .count = i % 11 == 10, .at = i};
        CHECK(bipe_byte_merges_takes(m, text[i], size));
    }
    CHECK(bipe_byte_merges_run_by(run, m, word, count, &tokens) == 0);
    for (size_t i = 0; i < count; i++) {
        if (i % 11 == 10) {
            CHECK(word[i].count == 1 && word[i].at == i);
            continue;
        }
        const bipe_piece_token *token = tokens.token + word[i].at;
        uint32_t symbol[BIPE_BYTE_MERGES_MOST], end[BIPE_BYTE_MERGES_MOST];
        size_t left = word[i].size;
        for (uint32_t k = 0; k < left; k++) {
            symbol[k] = v->symbol[text[i][k]];
            end[k] = k + 1;
        }
        bipe_error err = {0};
        CHECK(bipe_merge_row(&room, &v->pairs, symbol, end, &left, &err) == BIPE_OK);
        bool equal = word[i].count == left;
        for (size_t k = 0; equal && k < left; k++)
            equal = token[k].id == symbol[k] && token[k].end == end[k];
        CHECKF(equal, "word %zu of %zu, %zu bytes: %zu tokens and %zu", i, count, word[i].size, word[i].count, left);
    }
    bipe_merge_room_free(&room);
    bipe_free(tokens.token);
}

static void test_kind(enum kind kind, size_t merges, uint64_t *random)
{
    vocabulary v = {0};
    bipe_byte_merges m = {0};
    make(&v, kind, merges, random);
    CHECK(bipe_byte_merges_open(&m, &v.pairs, v.symbol, v.count) == 0);
    CHECKF(merges < 10 || (m.byte != NULL) == (kind != TIES), "kind %d, %zu merges", (int)kind, merges);
    for (int round = 0; m.byte != NULL && round < 20; round++)
        for (const bipe_byte_lanes_unit *unit = bipe_byte_lanes_units; unit->name != NULL; unit++)
            if (unit->usable())
                check_words(&v, &m, unit->run, random);
    bipe_byte_merges_free(&m);
    /* Bytes without a symbol. */
    for (unsigned b = 128; b < 256; b++)
        v.symbol[b] = BIPE_NO_SYMBOL;
    CHECK(bipe_byte_merges_open(&m, &v.pairs, v.symbol, v.count) == 0);
    CHECK(m.byte == NULL || (bipe_byte_merges_takes(&m, (const uint8_t *)"abc", 3) && !bipe_byte_merges_takes(&m, (const uint8_t *)"ab\xC3", 3)));
    bipe_byte_merges_free(&m);
    /* Two bytes of one symbol. */
    v.symbol['b'] = v.symbol['a'];
    CHECK(bipe_byte_merges_open(&m, &v.pairs, v.symbol, v.count) == 0 && m.byte == NULL);
    bipe_pair_table_free(&v.pairs);
}

/* An id that is made from other symbols as well. */
static void test_spelling(void)
{
    vocabulary v = {.count = 300};
    for (int other = 0; other < 2; other++) {
        bipe_byte_merges m = {0};
        for (uint32_t b = 0; b < 256; b++)
            v.symbol[b] = b;
        CHECK(bipe_pair_table_set(&v.pairs, 'a', 'b', 5, 256) == 0 && bipe_pair_table_set(&v.pairs, 'b', 'c', 4, 257) == 0);
        CHECK(bipe_pair_table_set(&v.pairs, 256, 'c', 3, 258) == 0);
        CHECK(bipe_pair_table_set(&v.pairs, 'a', other == 1 ? 256 : 257, 2, 258) == 0);
        CHECK(bipe_byte_merges_open(&m, &v.pairs, v.symbol, v.count) == 0 && (m.byte != NULL) == (other == 0));
        bipe_byte_merges_free(&m);
        bipe_pair_table_free(&v.pairs);
        v.pairs = (bipe_pair_table){0};
    }
}

static void test_memory(uint64_t *random)
{
    vocabulary v = {0};
    make(&v, SHUFFLED, 100, random);
    int status = -1;
    for (long n = 0; status != 0 && n < 40; n++) {
        bipe_byte_merges m = {0};
        bipe_alloc_fail_at(n);
        status = bipe_byte_merges_open(&m, &v.pairs, v.symbol, v.count);
        bipe_alloc_fail_at(-1);
        CHECK(status == 0 || n < 39);
        bipe_byte_merges_free(&m);
    }
    CHECK(status == 0);
    bipe_pair_table_free(&v.pairs);
}

int main(void)
{
    static const size_t sizes[] = {2, 10, 60, 400, 3000};
    uint64_t random = 11;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int kind = ORDERED; kind < LAST; kind++)
            test_kind((enum kind)kind, sizes[k], &random);
    test_spelling();
    test_memory(&random);
    return test_result();
}
