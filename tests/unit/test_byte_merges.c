/* test_byte_merges.c - words merged side by side against each of them merged by itself, for vocabularies of all kinds. */
#include <config.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "token/byte_merges.h"
#include "token/merge_loop.h"

enum { LETTERS = 6, WORDS = 300 };

/* How ids and ranks go together. */
enum kind { ORDERED, SHUFFLED, TWO_RANKS, EQUAL_RANKS, LAST };

typedef struct vocabulary {
    uint32_t symbol[256];
    bipe_pair_table pairs;
    size_t count;
} vocabulary;

/* Merges of random symbols that are there already; each makes a new one. */
static void make(vocabulary *v, enum kind kind, size_t merges, uint64_t *random)
{
    uint32_t *id = bipe_alloc(256 + merges, sizeof *id);
    v->count = 256 + merges;
    for (uint32_t k = 0; k < v->count; k++)
        id[k] = k;
    for (size_t k = v->count - 1; kind == SHUFFLED && k > 0; k--) {
        size_t other = test_random(random) % (k + 1);
        uint32_t swap = id[k];
        id[k] = id[other];
        id[other] = swap;
    }
    for (uint32_t b = 0; b < 256; b++)
        v->symbol[b] = id[b];
    for (uint32_t k = 0; k < merges; k++) {
        uint32_t known = 256 + k, left, right;
        do {
            left = (uint32_t)(test_random(random) % (known - 256 + LETTERS));
            right = (uint32_t)(test_random(random) % (known - 256 + LETTERS));
            left = id[left < LETTERS ? 'a' + left : left - LETTERS + 256];
            right = id[right < LETTERS ? 'a' + right : right - LETTERS + 256];
        } while (bipe_pair_table_find(&v->pairs, left, right) != NULL);
        uint32_t rank = kind == EQUAL_RANKS ? k / 2 : k;
        CHECK(bipe_pair_table_set(&v->pairs, left, right, rank, kind == TWO_RANKS && k == merges - 1 ? id[256] : id[known]) == 0);
    }
    bipe_free(id);
}

static void check_words(const vocabulary *v, const bipe_byte_merges *m, uint64_t *random)
{
    static uint8_t text[WORDS][BIPE_BYTE_MERGES_MOST];
    static bipe_piece_token token[WORDS][BIPE_BYTE_MERGES_MOST];
    bipe_byte_word word[WORDS];
    bipe_merge_room room = {0};
    size_t count = 1 + test_random(random) % WORDS;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = 1 + (uint32_t)(test_random(random) % (i % 7 == 0 ? BIPE_BYTE_MERGES_MOST : 12));
        for (size_t k = 0; k < size; k++)
            text[i][k] = (uint8_t)(test_random(random) % 50 == 0 ? test_random(random) % 256 : 'a' + test_random(random) % LETTERS);
        word[i] = (bipe_byte_word){.text = text[i], .size = size, .token = token[i]};
    }
    bipe_byte_merges_run(m, word, count);
    for (size_t i = 0; i < count; i++) {
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
            equal = token[i][k].id == symbol[k] && token[i][k].end == end[k];
        CHECKF(equal, "word %zu of %zu, %u bytes: %u tokens and %zu", i, count, word[i].size, word[i].count, left);
    }
    bipe_merge_room_free(&room);
}

static void test_kind(enum kind kind, size_t merges, uint64_t *random)
{
    vocabulary v = {0};
    bipe_byte_merges m = {0};
    make(&v, kind, merges, random);
    CHECK(bipe_byte_merges_open(&m, &v.pairs, v.symbol, v.count) == 0);
    CHECK((m.byte != NULL) == (kind == ORDERED || kind == SHUFFLED));
    for (int round = 0; m.byte != NULL && round < 20; round++)
        check_words(&v, &m, random);
    bipe_byte_merges_free(&m);
    /* Two bytes of one symbol. */
    v.symbol['b'] = v.symbol['a'];
    CHECK(bipe_byte_merges_open(&m, &v.pairs, v.symbol, v.count) == 0 && m.byte == NULL);
    bipe_pair_table_free(&v.pairs);
}

static void test_memory(uint64_t *random)
{
    vocabulary v = {0};
    make(&v, SHUFFLED, 100, random);
    int status = -1;
    for (long n = 0; status != 0 && n < 20; n++) {
        bipe_byte_merges m = {0};
        bipe_alloc_fail_at(n);
        status = bipe_byte_merges_open(&m, &v.pairs, v.symbol, v.count);
        bipe_alloc_fail_at(-1);
        CHECK(status == 0 || n < 10);
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
    test_memory(&random);
    return test_result();
}
