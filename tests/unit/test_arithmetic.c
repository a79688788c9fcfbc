/* test_arithmetic.c - histories of the arithmetic task against an independent evaluator: a parser of bracketed
 * expressions modulo a prime that reads the printed text. It checks that each step keeps the value, that each step does
 * away with one operator, that a pair of brackets stands only where leaving it out would change the meaning, and that
 * the draws look uniform. */
#include <stdbool.h>

#include "base/alloc.h"
#include "base/random.h"
#include "corpora/history.h"
#include "tests/check.h"

enum { SLOTS = 600 };

/* One expression as read back from the text; numbers may be replaced by others before it is evaluated. */
typedef struct expression {
    char kind[SLOTS]; /* 'n' or the sign */
    uint64_t number[SLOTS];
    size_t size;
} expression;

typedef struct evaluation {
    const expression *e;
    size_t at;
    uint64_t p;
    size_t left_out_open, left_out_close; /* tokens to pass over; size: none */
    bool defined;
} evaluation;

static uint64_t power(uint64_t a, uint64_t n, uint64_t p)
{
    uint64_t r = 1;
    for (; n > 0; n--)
        r = r * a % p;
    return r;
}

static uint64_t naive_inverse(uint64_t a, uint64_t p)
{
    if (p > 70000) { /* too many products: extended Euclid, another way than the generator's */
        int64_t t = 0, next_t = 1;
        int64_t r = (int64_t)p, next_r = (int64_t)a;
        while (next_r != 0) {
            int64_t q = r / next_r, s = t - q * next_t;
            t = next_t;
            next_t = s;
            s = r - q * next_r;
            r = next_r;
            next_r = s;
        }
        return (uint64_t)(t < 0 ? t + (int64_t)p : t);
    }
    return power(a, p - 2, p);
}

static char peek(evaluation *v)
{
    while (v->at < v->e->size && (v->at == v->left_out_open || v->at == v->left_out_close))
        v->at++;
    return v->at < v->e->size ? v->e->kind[v->at] : '\0';
}

static uint64_t sum(evaluation *v, int depth);

static uint64_t factor(evaluation *v, int depth)
{
    if (depth > 100) {
        v->defined = false;
        return 0;
    }
    if (peek(v) == '(') {
        v->at++;
        uint64_t value = sum(v, depth + 1);
        if (peek(v) == ')')
            v->at++;
        else
            v->defined = false;
        return value;
    }
    if (peek(v) != 'n') {
        v->defined = false;
        return 0;
    }
    return v->e->number[v->at++] % v->p;
}

static uint64_t product(evaluation *v, int depth)
{
    uint64_t value = factor(v, depth);
    while (v->defined && (peek(v) == '*' || peek(v) == '/')) {
        char sign = peek(v);
        v->at++;
        uint64_t by = factor(v, depth);
        if (sign == '/') {
            if (by == 0)
                v->defined = false;
            else
                by = naive_inverse(by, v->p);
        }
        value = value * by % v->p;
    }
    return value;
}

static uint64_t sum(evaluation *v, int depth)
{
    uint64_t value = product(v, depth);
    while (v->defined && (peek(v) == '+' || peek(v) == '-')) {
        char sign = peek(v);
        v->at++;
        uint64_t other = product(v, depth);
        value = (sign == '+' ? value + other : value + v->p - other) % v->p;
    }
    return value;
}

/* The value; *defined: whether it is one expression, well formed, that divides by nothing that is 0. */
static uint64_t evaluate(const expression *e, uint64_t p, size_t open, size_t close, bool *defined)
{
    evaluation v = { .e = e, .p = p, .left_out_open = open, .left_out_close = close, .defined = true };
    uint64_t value = sum(&v, 0);
    *defined = v.defined && peek(&v) == '\0';
    return value;
}

/* Reads one expression of the text; returns where it ends (after " = ", or at the final NUL). */
static const char *read_expression(const char *text, expression *e)
{
    e->size = 0;
    while (*text != '\0' && *text != '=') {
        CHECK(e->size < SLOTS);
        if (*text >= '0' && *text <= '9') {
            char *end;
            e->kind[e->size] = 'n';
            e->number[e->size++] = strtoull(text, &end, 10);
            text = end;
        } else {
            CHECK(strchr("+-*/()", *text) != NULL);
            e->kind[e->size++] = *text++;
        }
        if (*text == ' ') /* exactly one blank between tokens */
            text++;
        CHECK(*text != ' ');
    }
    return *text == '=' ? text + 2 : text;
}

static size_t count_kind(const expression *e, const char *kinds)
{
    size_t count = 0;
    for (size_t i = 0; i < e->size; i++)
        count += strchr(kinds, e->kind[i]) != NULL;
    return count;
}

/* Does leaving out this pair change the meaning, for some numbers in place of those that stand there? */
static bool pair_is_needed(const expression *e, size_t open, size_t close, uint64_t *random)
{
    const uint64_t p = 2147483647;
    expression other = *e;
    for (int attempt = 0; attempt < 20; attempt++) {
        for (size_t i = 0; i < e->size; i++)
            other.number[i] = 1 + test_random(random) % (p - 1);
        bool with_defined, without_defined;
        uint64_t with = evaluate(&other, p, SIZE_MAX, SIZE_MAX, &with_defined);
        uint64_t without = evaluate(&other, p, open, close, &without_defined);
        if (with_defined && without_defined && with != without)
            return true;
    }
    return false;
}

static void check_brackets(const expression *e, uint64_t *random)
{
    size_t stack[SLOTS], depth = 0;
    for (size_t i = 0; i < e->size; i++) {
        if (e->kind[i] == '(') {
            stack[depth++] = i;
        } else if (e->kind[i] == ')') {
            CHECK(depth > 0);
            if (depth > 0)
                CHECK(pair_is_needed(e, stack[--depth], i, random));
        }
    }
    CHECK_UINT(depth, 0);
}

static void check_history(const bipe_history *history, const char *text, unsigned operators, unsigned modulus,
                          bool brackets, uint64_t *random)
{
    size_t tokens = 0, steps = 0;
    expression e;
    for (const char *at = text; *at != '\0'; steps++) {
        at = read_expression(at, &e);
        tokens += e.size;
        bool defined;
        uint64_t value = evaluate(&e, modulus, SIZE_MAX, SIZE_MAX, &defined);
        CHECKF(defined && value == bipe_history_value(history), "step %zu of %s", steps, text);
        CHECK_UINT(count_kind(&e, "+-*/"), operators - steps);
        CHECK_UINT(count_kind(&e, "n"), operators - steps + 1);
        for (size_t i = 0; i < e.size; i++)
            CHECK(e.kind[i] != 'n' || e.number[i] < modulus);
        if (brackets)
            check_brackets(&e, random);
    }
    CHECK_UINT(steps, operators + 1);
    CHECK_UINT(bipe_history_tokens(history), tokens + operators);
}

static void test_histories(unsigned operators, unsigned modulus, int draws, size_t *longest)
{
    bipe_error err;
    bipe_history *history;
    CHECK(bipe_history_open(&history, operators, modulus, &err) == BIPE_OK);
    uint64_t random = 7 + operators, judge = 99;
    bipe_buffer text = {0};
    for (int i = 0; i < draws; i++) {
        bipe_history_draw(history, operators, &random);
        text.size = 0;
        CHECK(bipe_history_print(history, &text, &err) == BIPE_OK && bipe_buffer_append(&text, "", 1, &err) == BIPE_OK);
        check_history(history, (const char *)text.data, operators, modulus, i < 300, &judge);
        if (bipe_history_tokens(history) > *longest)
            *longest = bipe_history_tokens(history);
    }
    bipe_buffer_free(&text);
    bipe_history_close(history);
}

/* Sum of (seen - expected)^2 / expected over `cells` equally likely cells. */
static double chi_square(const unsigned *seen, size_t cells, double draws)
{
    double expected = draws / (double)cells, total = 0;
    for (size_t i = 0; i < cells; i++)
        total += (seen[i] - expected) * (seen[i] - expected) / expected;
    return total;
}

/* The value, the sign that comes first and its left operand, with one operator. The bounds are the 99.99 % points of
 * chi-square. */
static void test_uniformity(void)
{
    bipe_error err;
    bipe_history *history;
    CHECK(bipe_history_open(&history, 1, 11, &err) == BIPE_OK);
    unsigned values[11] = {0}, signs[4] = {0}, left_of_plus[11] = {0};
    uint64_t random = 12345;
    const int draws = 44000;
    bipe_buffer text = {0};
    for (int i = 0; i < draws; i++) {
        bipe_history_draw(history, 1, &random);
        text.size = 0;
        CHECK(bipe_history_print(history, &text, &err) == BIPE_OK && bipe_buffer_append(&text, "", 1, &err) == BIPE_OK);
        expression e;
        read_expression((const char *)text.data, &e);
        CHECK(e.size == 3);
        values[bipe_history_value(history)]++;
        signs[strchr("+-*/", e.kind[1]) - "+-*/"]++;
        if (e.kind[1] == '+')
            left_of_plus[e.number[0]]++;
    }
    CHECKF(chi_square(values, 11, draws) < 35.6, "%g", chi_square(values, 11, draws));
    CHECKF(chi_square(signs, 4, draws) < 21.1, "%g", chi_square(signs, 4, draws));
    CHECKF(chi_square(left_of_plus, 11, signs[0]) < 35.6, "%g", chi_square(left_of_plus, 11, signs[0]));
    bipe_buffer_free(&text);
    bipe_history_close(history);
}

static void test_random_bounds(void)
{
    uint64_t random = 0;
    unsigned seen[3] = {0};
    for (int i = 0; i < 3000; i++) {
        CHECK_UINT(bipe_random_below(&random, 1), 0);
        uint64_t three = bipe_random_below(&random, 3);
        CHECK(three < 3);
        seen[three % 3]++;
        CHECK(bipe_random_below(&random, UINT64_MAX) < UINT64_MAX);
    }
    CHECK(seen[0] > 800 && seen[1] > 800 && seen[2] > 800);
}

static void test_refusals(void)
{
    bipe_error err;
    bipe_history *history;
    CHECK(bipe_history_open(&history, 6, 12, &err) == BIPE_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "modulus: 12, expected a prime of at most 65521");
    CHECK(bipe_history_open(&history, 6, 1, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_history_open(&history, 6, 0, &err) == BIPE_ERR_ARGUMENT);
    CHECK(bipe_history_open(&history, BIPE_HISTORY_OPERATORS_MAX + 1, 11, &err) == BIPE_ERR_ARGUMENT);
    for (long n = 0;; n++) {
        bipe_alloc_fail_at(n);
        int status = bipe_history_open(&history, 6, 11, &err);
        bipe_alloc_fail_at(-1);
        CHECK(status == BIPE_OK || status == BIPE_ERR_MEMORY);
        if (status == BIPE_OK)
            break;
        CHECK(n < 10);
    }
    bipe_history_close(history);
    bipe_history_close(NULL);
}

int main(void)
{
    size_t longest = 0, any = 0;
    test_histories(6, 11, 60000, &longest);
    /* 4j - 1 tokens at most with j operators, 6 equals signs and the value: 85, and with start and end 87. */
    CHECK_UINT(longest + 2, 87);
    test_histories(0, 11, 20, &any);
    test_histories(1, 2, 300, &any);
    test_histories(6, 2, 300, &any);
    test_histories(6, 3, 1000, &any);
    test_histories(12, 65521, 30, &any);
    test_histories(60, 11, 10, &any);
    test_uniformity();
    test_random_bounds();
    test_refusals();
    return test_result();
}
