/* history.c - grows arithmetic expressions backwards from their value (see history.h). */
#include "corpora/history.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"

/* A token is a number below the modulus or one of these. */
enum { PLUS = -1, MINUS = -2, TIMES = -3, OVER = -4, OPEN = -5, CLOSE = -6 };

struct bipe_history {
    unsigned modulus, capacity, operators;
    int32_t *token;   /* the expressions of 0, 1 ... operators operators, one after the other */
    size_t *start;    /* start[j] is the first token of that of j operators; start[operators + 1] the end */
};

static bool is_prime(unsigned n)
{
    if (n < 2)
        return false;
    for (unsigned d = 2; d <= n / d; d++)
        if (n % d == 0)
            return false;
    return true;
}

int bipe_history_open(bipe_history **history, unsigned operators, unsigned modulus, bipe_error *err)
{
    if (operators > BIPE_HISTORY_OPERATORS_MAX)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "operators: %u, expected at most %d", operators,
                         BIPE_HISTORY_OPERATORS_MAX);
    if (modulus > BIPE_HISTORY_MODULUS_MAX || !is_prime(modulus))
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "modulus: %u, expected a prime of at most %d", modulus,
                         BIPE_HISTORY_MODULUS_MAX);
    bipe_history *h = bipe_alloc(1, sizeof *h);
    if (h == NULL)
        return bipe_fail_memory(err);
    h->modulus = modulus;
    h->capacity = operators;
    /* An expression of j operators has j + 1 numbers and at most j - 1 pairs of brackets: each step but the first may
     * add one. */
    size_t tokens = 0;
    for (size_t j = 0; j <= operators; j++)
        tokens += 4 * j + 1;
    h->token = bipe_alloc(tokens, sizeof *h->token);
    h->start = bipe_alloc((size_t)operators + 2, sizeof *h->start);
    if (h->token == NULL || h->start == NULL) {
        bipe_history_close(h);
        return bipe_fail_memory(err);
    }
    h->start[1] = 1;
    *history = h;
    return BIPE_OK;
}

void bipe_history_close(bipe_history *history)
{
    if (history == NULL)
        return;
    bipe_free(history->token);
    bipe_free(history->start);
    bipe_free(history);
}

/* a^(p - 2), the inverse of a modulo the prime p (Fermat). */
static uint64_t inverse(uint64_t a, uint64_t p)
{
    uint64_t result = 1;
    for (uint64_t exponent = p - 2; exponent != 0; exponent >>= 1) {
        if (exponent & 1)
            result = result * a % p;
        a = a * a % p;
    }
    return result;
}

/* Draws a and b with a op b = value: a is uniform over what leaves a solution, b over its solutions. */
static void draw_operands(int op, uint64_t value, uint64_t p, uint64_t *random, uint64_t *a, uint64_t *b)
{
    switch (op) {
    case PLUS:
        *a = bipe_random_below(random, p);
        *b = (value + p - *a) % p;
        break;
    case MINUS:
        *a = bipe_random_below(random, p);
        *b = (*a + p - value) % p;
        break;
    case TIMES:
        *a = value == 0 ? bipe_random_below(random, p) : 1 + bipe_random_below(random, p - 1);
        if (*a == 0)
            *b = bipe_random_below(random, p);
        else
            *b = value * inverse(*a, p) % p;
        break;
    default: /* OVER: b is never 0 */
        *a = value == 0 ? 0 : 1 + bipe_random_below(random, p - 1);
        *b = value == 0 ? 1 + bipe_random_below(random, p - 1) : *a * inverse(value, p) % p;
        break;
    }
}

/* Must `a op b` stand in brackets between these neighbours (OPEN and CLOSE at the ends)? */
static bool needs_brackets(int left, int op, int right)
{
    if (left == OVER)
        return true;
    if (op == TIMES || op == OVER)
        return false;
    return left == TIMES || left == MINUS || right == TIMES || right == OVER;
}

/* Copies the expression from[0 .. size), its which-th number replaced by `a op b`; returns the size of the copy. */
static size_t grow(const int32_t *from, size_t size, size_t which, uint64_t p, uint64_t *random, int32_t *to)
{
    size_t at = 0;
    for (;; at++) /* there are more than `which` numbers */
        if (from[at] >= 0 && which-- == 0)
            break;
    int op = -1 - (int)bipe_random_below(random, 4);
    uint64_t a, b;
    draw_operands(op, (uint64_t)from[at], p, random, &a, &b);
    bool brackets = needs_brackets(at == 0 ? OPEN : from[at - 1], op, at + 1 == size ? CLOSE : from[at + 1]);
    int32_t *out = to;
    memcpy(out, from, at * sizeof *from);
    out += at;
    if (brackets)
        *out++ = OPEN;
    *out++ = (int32_t)a;
    *out++ = op;
    *out++ = (int32_t)b;
    if (brackets)
        *out++ = CLOSE;
    memcpy(out, from + at + 1, (size - at - 1) * sizeof *from);
    return size + (brackets ? 4 : 2);
}

void bipe_history_draw(bipe_history *history, unsigned operators, uint64_t *random)
{
    if (operators > history->capacity)
        operators = history->capacity;
    history->operators = operators;
    history->token[0] = (int32_t)bipe_random_below(random, history->modulus);
    size_t *start = history->start;
    for (unsigned j = 0; j < operators; j++) {
        size_t which = bipe_random_below(random, (uint64_t)j + 1);
        start[j + 2] = start[j + 1] + grow(history->token + start[j], start[j + 1] - start[j], which,
                                           history->modulus, random, history->token + start[j + 1]);
    }
}

int bipe_history_print(const bipe_history *history, bipe_buffer *text, bipe_error *err)
{
    static const char signs[] = "+-*/()";
    for (size_t j = (size_t)history->operators + 1; j-- > 0;) {
        for (size_t i = history->start[j]; i < history->start[j + 1]; i++) {
            const char *blank = i == history->start[j] ? "" : " ";
            int32_t token = history->token[i];
            int status = token >= 0 ? bipe_buffer_printf(text, err, "%s%d", blank, (int)token)
                                    : bipe_buffer_printf(text, err, "%s%c", blank, signs[-1 - token]);
            if (status != BIPE_OK)
                return status;
        }
        if (j > 0 && bipe_buffer_append(text, " = ", 3, err) != BIPE_OK)
            return BIPE_ERR_MEMORY;
    }
    return BIPE_OK;
}

size_t bipe_history_tokens(const bipe_history *history)
{
    return history->start[history->operators + 1] + history->operators;
}

unsigned bipe_history_value(const bipe_history *history)
{
    return (unsigned)history->token[0];
}
