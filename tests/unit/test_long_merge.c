/* test_long_merge.c - merges of rows in memory (merge_loop.h) and of rows of any length in windows (long_merge.h) against the
 * definition: the best pair of all, the leftmost of equals, again and again. Random vocabularies and those that make decisions depend on
 * symbols far away. */
#include <config.h>

#include "base/alloc.h"
#include "tests/check.h"
#include "token/merges/long_merge.h"

enum { RULES = 400, ROW = 3000 };

typedef struct rule {
    uint32_t left, right, rank, into;
} rule;

typedef struct vocabulary {
    rule rule[RULES];
    size_t rules;
    uint32_t letters, symbols; /* a row is made of symbols below `letters`; all are below `symbols` */
    bipe_pair_table table;
} vocabulary;

typedef struct tokens {
    uint32_t symbol[ROW], end[ROW];
    size_t count;
} tokens;

static const rule *rule_of(const vocabulary *v, uint32_t left, uint32_t right)
{
    for (size_t i = 0; i < v->rules; i++)
        if (v->rule[i].left == left && v->rule[i].right == right)
            return &v->rule[i];
    return NULL;
}

static void add_rule(vocabulary *v, uint32_t left, uint32_t right, uint32_t rank, uint32_t into)
{
    if (v->rules == RULES || rule_of(v, left, right) != NULL)
        return;
    v->rule[v->rules++] = (rule){left, right, rank, into};
    v->symbols = into >= v->symbols ? into + 1 : v->symbols;
    CHECK(bipe_pair_table_set(&v->table, left, right, rank, into) == 0);
}

/* The definition. */
static void merge_plainly(const vocabulary *v, const uint32_t *row, size_t count, tokens *t)
{
    static const rule *pair[ROW];
    for (size_t i = 0; i < count; i++) {
        t->symbol[i] = row[i];
        t->end[i] = (uint32_t)i + 1;
        pair[i] = i + 1 < count ? rule_of(v, row[i], row[i + 1]) : NULL;
    }
    for (;;) {
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (pair[i] != NULL && (best == count || pair[i]->rank < pair[best]->rank))
                best = i;
        if (best == count)
            break;
        t->symbol[best] = pair[best]->into;
        t->end[best] = t->end[best + 1];
        count--;
        memmove(t->symbol + best + 1, t->symbol + best + 2, (count - best - 1) * sizeof *t->symbol);
        memmove(t->end + best + 1, t->end + best + 2, (count - best - 1) * sizeof *t->end);
        memmove(pair + best + 1, pair + best + 2, (count - best - 1) * sizeof *pair);
        pair[best] = best + 1 < count ? rule_of(v, t->symbol[best], t->symbol[best + 1]) : NULL;
        if (best != 0)
            pair[best - 1] = rule_of(v, t->symbol[best - 1], t->symbol[best]);
    }
    t->count = count;
}

/* ---- vocabularies ---- */

static void begin(vocabulary *v, uint32_t letters)
{
    bipe_pair_table_free(&v->table);
    *v = (vocabulary){.letters = letters, .symbols = letters};
}

/* Any pair may make any symbol; ranks in any order, many of them equal. */
static void make_random(vocabulary *v, uint64_t *random)
{
    begin(v, 1 + (uint32_t)(test_random(random) % 4));
    size_t wanted = 1 + test_random(random) % 30;
    uint32_t ranks = 1 + (uint32_t)(test_random(random) % 12);
    bool again = test_random(random) % 4 == 0; /* a symbol may come from several pairs */
    for (size_t i = 0; i < wanted; i++) {
        uint32_t left = (uint32_t)(test_random(random) % v->symbols), right = (uint32_t)(test_random(random) % v->symbols);
        uint32_t into = again && test_random(random) % 2 ? (uint32_t)(test_random(random) % v->symbols) : v->symbols;
        add_rule(v, left, right, (uint32_t)(test_random(random) % ranks), into);
    }
}

/* As training gives them: ranks rise, each pair is of symbols that are there. */
static void make_trained(vocabulary *v, uint64_t *random)
{
    begin(v, 1 + (uint32_t)(test_random(random) % 3));
    for (uint32_t rank = 0; rank < 40; rank++)
        add_rule(v, (uint32_t)(test_random(random) % v->symbols), (uint32_t)(test_random(random) % v->symbols), rank, v->symbols);
}

/* Letters in a circle, of which each pairs with the next: ranks fall (or rise) along it, so that what becomes of a letter depends on
 * what stands many letters further right (or left). */
static void make_circle(vocabulary *v, uint64_t *random)
{
    uint32_t letters = 2 + (uint32_t)(test_random(random) % 150), kind = (uint32_t)(test_random(random) % 3);
    begin(v, letters);
    for (uint32_t i = 0; i < letters; i++)
        add_rule(v, i, (i + 1) % letters, kind == 0 ? letters - i : kind == 1 ? i : 7, letters + i);
    for (uint32_t i = 0; i + 2 < letters && kind == 2; i += 2)
        add_rule(v, letters + i, letters + i + 2, 3 + i % 5, 2 * letters + i);
}

/* One letter: runs of 2, 4, 8, ... and some odd ones. */
static void make_runs(vocabulary *v, uint64_t *random)
{
    begin(v, 1);
    uint32_t last = 0;
    for (uint32_t i = 0; i < 6; i++) {
        add_rule(v, last, last, test_random(random) % 2 ? i : 20 - i, v->symbols);
        last = v->symbols - 1;
        if (test_random(random) % 3 == 0)
            add_rule(v, last, 0, (uint32_t)(test_random(random) % 25), v->symbols);
        if (test_random(random) % 3 == 0)
            add_rule(v, 0, last, (uint32_t)(test_random(random) % 25), v->symbols);
    }
}

static size_t make_row(const vocabulary *v, uint64_t *random, uint32_t *row)
{
    size_t count = test_random(random) % 8 == 0 ? test_random(random) % ROW : test_random(random) % 300;
    unsigned kind = (unsigned)(test_random(random) % 4);
    size_t period = 1 + test_random(random) % 20;
    for (size_t i = 0; i < count; i++) {
        row[i] = (uint32_t)(test_random(random) % v->letters);
        if (kind == 0 && i >= period)
            row[i] = row[i - period];
        if (kind == 1 || (kind == 2 && test_random(random) % 64 != 0))
            row[i] = i != 0 ? (row[i - 1] + 1) % v->letters : 0;
    }
    return count;
}

/* ---- in windows ---- */

typedef struct collected {
    tokens t;
    uint64_t at;      /* sum of the sizes */
    uint64_t ends[ROW];
} collected;

static int collect(void *context, uint32_t symbol, const uint32_t *size, size_t count, bipe_error *err)
{
    (void)err;
    collected *c = context;
    for (size_t i = 0; i < count; i++)
        c->at += size[i];
    c->t.end[c->t.count] = (uint32_t)count + (c->t.count != 0 ? c->t.end[c->t.count - 1] : 0);
    c->ends[c->t.count] = c->at;
    c->t.symbol[c->t.count++] = symbol;
    return BIPE_OK;
}

/* BIPE_OK: just the tokens of the definition. */
static int run_windows(bipe_long_merge *m, const uint32_t *row, size_t count, const tokens *want)
{
    static collected c;
    c.t.count = 0;
    c.at = 0;
    m->sink = collect;
    m->context = &c;
    bipe_error err = {0};
    int status = BIPE_OK;
    bipe_long_merge_begin(m);
    for (size_t i = 0; status == BIPE_OK && i < count; i++)
        status = bipe_long_merge_push(m, row[i], (uint32_t)(i % 5), &err);
    if (status == BIPE_OK)
        status = bipe_long_merge_end(m, &err);
    if (status != BIPE_OK)
        return status;
    CHECK(c.t.count == want->count && memcmp(c.t.symbol, want->symbol, c.t.count * sizeof *c.t.symbol) == 0 &&
          memcmp(c.t.end, want->end, c.t.count * sizeof *c.t.end) == 0);
    uint64_t at = 0;
    size_t wrong = 0;
    for (size_t k = 0, i = 0; k < c.t.count; k++) {
        for (; i < c.t.end[k]; i++)
            at += i % 5;
        wrong += at != c.ends[k];
    }
    CHECK_UINT(wrong, 0);
    return BIPE_OK;
}

static void check_row(const vocabulary *v, const uint32_t *row, size_t count, uint64_t *random, size_t *limits)
{
    static tokens want;
    static uint32_t symbol[ROW], end[ROW];
    merge_plainly(v, row, count, &want);

    bipe_merge_room room = {0};
    bipe_error err = {0};
    size_t n = count;
    memcpy(symbol, row, count * sizeof *row);
    CHECK(bipe_merge_row(&room, &v->table, symbol, end, &n, &err) == BIPE_OK);
    CHECK(n == want.count && memcmp(symbol, want.symbol, n * sizeof *symbol) == 0 && memcmp(end, want.end, n * sizeof *end) == 0);
    bipe_merge_room_free(&room);

    bipe_long_merge m = {.merges = &v->table};
    for (int i = 0; i < 6; i++) {
        m.window = 1 + test_random(random) % (i < 3 ? 8 : 300);
        m.overlap = 1 + test_random(random) % (i < 3 ? 4 : 100);
        m.kept = i % 2 == 0 ? ROW : 1 + test_random(random) % (i < 3 ? 30 : 300);
        int status = run_windows(&m, row, count, &want);
        CHECK(status == BIPE_OK || (status == BIPE_ERR_LIMIT && m.kept < ROW));
        *limits += status == BIPE_ERR_LIMIT;
    }
    bipe_long_merge_free(&m);
}

static void test_random_rows(void)
{
    static void (*const make[])(vocabulary *v, uint64_t *random) = {make_random, make_random, make_trained, make_circle, make_runs};
    static vocabulary v;
    static uint32_t row[ROW];
    uint64_t random = 5;
    size_t limits = 0, rounds = (size_t)test_rounds(3000);
    for (size_t round = 0; round < rounds; round++) {
        make[round % (sizeof make / sizeof *make)](&v, &random);
        size_t count = make_row(&v, &random, row);
        check_row(&v, row, count, &random, &limits);
    }
    bipe_pair_table_free(&v.table);
    CHECKF(limits > 0 && limits < rounds, "%zu", limits);
}

/* Known answers: a a -> A, A A -> B over runs, from the left. */
static void test_answers(void)
{
    static vocabulary v;
    static tokens want = {.symbol = {2, 1, 0}, .end = {4, 6, 7}, .count = 3};
    static const uint32_t row[7] = {0};
    begin(&v, 1);
    add_rule(&v, 0, 0, 0, 1);
    add_rule(&v, 1, 1, 1, 2);
    bipe_long_merge m = {.merges = &v.table, .window = 2, .overlap = 1};
    CHECK(run_windows(&m, row, 7, &want) == BIPE_OK);
    m.window = 0;
    CHECK(run_windows(&m, row, 7, &want) == BIPE_OK);
    /* The end decides what the beginning becomes: 0 1 and 1 2 and 2 3 overlap, the last is the best. */
    begin(&v, 4);
    add_rule(&v, 0, 1, 3, 4);
    add_rule(&v, 1, 2, 2, 5);
    add_rule(&v, 2, 3, 1, 6);
    static const uint32_t four[] = {0, 1, 2, 3, 0, 1, 2};
    static tokens parity = {.symbol = {4, 6, 0, 5}, .end = {2, 4, 5, 7}, .count = 4};
    m.window = m.overlap = 1;
    CHECK(run_windows(&m, four, 7, &parity) == BIPE_OK);
    m.kept = 1;
    CHECK(run_windows(&m, four, 7, &parity) == BIPE_ERR_LIMIT);
    bipe_long_merge_free(&m);
    bipe_pair_table_free(&v.table);
}

/* What a long row needs does not grow with it. */
static int count_out(void *context, uint32_t symbol, const uint32_t *size, size_t count, bipe_error *err)
{
    (void)symbol;
    (void)err;
    for (size_t i = 0; i < count; i++)
        *(uint64_t *)context += size[i];
    return BIPE_OK;
}

static void test_bounds(void)
{
    static vocabulary v;
    uint64_t random = 6, out = 0, in = 0;
    make_trained(&v, &random);
    bipe_long_merge m = {.merges = &v.table, .sink = count_out, .context = &out, .kept = 10000};
    bipe_error err = {0};
    bipe_long_merge_begin(&m);
    for (; in < 2000000; in++)
        if (bipe_long_merge_push(&m, (uint32_t)(test_random(&random) % v.letters), 1, &err) != BIPE_OK)
            break;
    CHECKF(in == 2000000, "%s", err.text);
    CHECKF(out > in - 2 * 10000 - 2 * BIPE_MERGE_WINDOW && m.symbol_capacity < 65536, "%" PRIu64 " out, room for %zu", out, m.symbol_capacity);
    CHECK(bipe_long_merge_end(&m, &err) == BIPE_OK);
    CHECK_UINT(out, in);
    bipe_long_merge_free(&m);
    bipe_pair_table_free(&v.table);
}

static int refuse(void *context, uint32_t symbol, const uint32_t *size, size_t count, bipe_error *err)
{
    (void)symbol;
    (void)size;
    (void)count;
    return --*(int *)context < 0 ? bipe_fail(err, BIPE_ERR_ARGUMENT, "enough") : BIPE_OK;
}

/* Errors of the sink and of memory come through, and the object is of use afterwards. */
static void test_errors(void)
{
    static vocabulary v;
    static tokens want;
    static uint32_t row[1000];
    uint64_t random = 7;
    make_trained(&v, &random);
    for (size_t i = 0; i < 1000; i++)
        row[i] = (uint32_t)(test_random(&random) % v.letters);
    merge_plainly(&v, row, 1000, &want);
    bipe_error err = {0};
    for (int left = 0; left < 60; left += 7) {
        int status = BIPE_OK, calls = left;
        bipe_long_merge m = {.merges = &v.table, .sink = refuse, .context = &calls, .window = 50, .kept = 100};
        bipe_long_merge_begin(&m);
        for (size_t i = 0; status == BIPE_OK && i < 1000; i++)
            status = bipe_long_merge_push(&m, row[i], 1, &err);
        CHECK(status == BIPE_ERR_ARGUMENT);
        CHECK_TEXT(err.text, "enough");
        CHECK(run_windows(&m, row, 1000, &want) == BIPE_OK);
        bipe_long_merge_free(&m);
    }
    int status = BIPE_ERR_MEMORY;
    bipe_long_merge m = {.merges = &v.table, .window = 50, .kept = 100};
    for (long n = 0; status == BIPE_ERR_MEMORY; n++) {
        bipe_long_merge_free(&m);
        bipe_alloc_fail_at(n);
        status = run_windows(&m, row, 1000, &want);
        CHECK(status == BIPE_OK || status == BIPE_ERR_MEMORY);
        bipe_alloc_fail_at(-1);
    }
    CHECK(status == BIPE_OK);
    bipe_long_merge_free(&m);
    bipe_pair_table_free(&v.table);
}

int main(void)
{
    test_answers();
    test_random_rows();
    test_bounds();
    test_errors();
    return test_result();
}
