/* long_merge.c - windows of a long row of symbols, and the tokens at which they are joined. */
#include "token/merges/long_merge.h"

#include <string.h>

#include "base/alloc.h"

static size_t window_of(const bipe_long_merge *m)
{
    return m->window != 0 ? m->window : BIPE_MERGE_WINDOW;
}

static size_t overlap_of(const bipe_long_merge *m)
{
    return m->overlap != 0 ? m->overlap : BIPE_MERGE_OVERLAP;
}

static size_t kept_of(const bipe_long_merge *m)
{
    return m->kept != 0 ? m->kept : BIPE_MERGE_KEPT;
}

void bipe_long_merge_begin(bipe_long_merge *m)
{
    m->count = m->done = m->tokens = 0;
    m->dropped = false;
    m->back = 0;
    m->step = window_of(m);
}

static uint32_t start_of(const bipe_long_merge *m, size_t token)
{
    return token != 0 ? m->end[token - 1] : 0;
}

/* Gives out the first `tokens` tokens. */
static int give(const bipe_long_merge *m, size_t tokens, bipe_error *err)
{
    int status = BIPE_OK;
    uint32_t at = 0;
    for (size_t k = 0; status == BIPE_OK && k < tokens; k++) {
        status = m->sink(m->context, m->token[k], m->size + at, m->end[k] - at, err);
        at = m->end[k];
    }
    return status;
}

/* Gives out the tokens that lie more than `kept` symbols back. */
static int give_old(bipe_long_merge *m, bipe_error *err)
{
    size_t first = m->done - kept_of(m), old = 0;
    while (m->end[old] <= first)
        old++;
    int status = give(m, old, err);
    uint32_t gone = start_of(m, old);
    if (status != BIPE_OK || gone == 0)
        return status;
    m->count -= gone;
    m->done -= gone;
    m->tokens -= old;
    memmove(m->symbol, m->symbol + gone, m->count * sizeof *m->symbol);
    memmove(m->size, m->size + gone, m->count * sizeof *m->size);
    memmove(m->token, m->token + old, m->tokens * sizeof *m->token);
    for (size_t k = 0; k < m->tokens; k++)
        m->end[k] = m->end[k + old] - gone;
    m->dropped = true;
    return BIPE_OK;
}

/* The first token from *a on that the window (its `n` tokens end at row_end, its first symbol is `start`) has as well: true, and *b is
 * its place among those of the window. */
static bool find_shared(const bipe_long_merge *m, size_t *a, size_t *b, size_t n, uint32_t start)
{
    uint32_t start_a = start_of(m, *a), start_b = start;
    while (*a < m->tokens && *b < n) {
        uint32_t end_a = m->end[*a], end_b = start + m->row_end[*b];
        if (start_a == start_b && end_a == end_b)
            return true;
        if (end_a <= end_b) {
            start_a = end_a;
            ++*a;
        }
        if (end_b <= end_a) {
            start_b = end_b;
            ++*b;
        }
    }
    return false;
}

/* The tokens from `a` on are replaced by those of the window from `b` on. */
static int join(bipe_long_merge *m, size_t a, size_t b, size_t n, uint32_t start, bipe_error *err)
{
    size_t tokens = a + n - b;
    if (bipe_grow(&m->token, &m->token_capacity, tokens, sizeof *m->token) != 0 ||
        bipe_grow(&m->end, &m->end_capacity, tokens, sizeof *m->end) != 0)
        return bipe_fail_memory(err);
    memcpy(m->token + a, m->row + b, (n - b) * sizeof *m->row);
    for (size_t k = b; k < n; k++)
        m->end[a + k - b] = start + m->row_end[k];
    m->tokens = tokens;
    m->done = m->count;
    return BIPE_OK;
}

/* Encodes all that was pushed, from a token on that begins at least `back` symbols before what is new. *joined: it is done. */
static int encode_from(bipe_long_merge *m, size_t back, bool *joined, bipe_error *err)
{
    size_t a = m->tokens, b = 0, from = m->done > back ? m->done - back : 0;
    while (start_of(m, a) > from)
        a--;
    uint32_t start = start_of(m, a);
    size_t n = m->count - start;
    if (bipe_grow(&m->row, &m->row_capacity, n, sizeof *m->row) != 0 ||
        bipe_grow(&m->row_end, &m->row_end_capacity, n, sizeof *m->row_end) != 0)
        return bipe_fail_memory(err);
    memcpy(m->row, m->symbol + start, n * sizeof *m->row);
    int status = bipe_merge_row(&m->room, m->merges, m->row, m->row_end, &n, err);
    if (status != BIPE_OK)
        return status;
    if (start == 0 && !m->dropped)
        a = 0;
    else if (!find_shared(m, &a, &b, n, start))
        return start != 0 ? BIPE_OK
                          : bipe_fail(err, BIPE_ERR_LIMIT, "its tokens depend on more than the %zu symbols before", kept_of(m));
    *joined = true;
    return join(m, a, b, n, start, err);
}

static int encode(bipe_long_merge *m, bipe_error *err)
{
    size_t back = m->back / 2 > overlap_of(m) ? m->back / 2 : overlap_of(m);
    bool joined = false;
    for (;; back *= 2) {
        int status = encode_from(m, back, &joined, err);
        if (status != BIPE_OK)
            return status;
        if (joined)
            break;
    }
    m->back = back;
    m->step = back < kept_of(m) ? back : kept_of(m);
    m->step = m->step > window_of(m) ? m->step : window_of(m);
    return m->done > 2 * kept_of(m) ? give_old(m, err) : BIPE_OK;
}

int bipe_long_merge_push(bipe_long_merge *m, uint32_t symbol, uint32_t size, bipe_error *err)
{
    size_t n = m->count;
    if (n - m->done >= m->step && n != 0) {
        int status = encode(m, err);
        if (status != BIPE_OK)
            return status;
        n = m->count;
    }
    if (bipe_grow(&m->symbol, &m->symbol_capacity, n + 1, sizeof *m->symbol) != 0 ||
        bipe_grow(&m->size, &m->size_capacity, n + 1, sizeof *m->size) != 0)
        return bipe_fail_memory(err);
    m->symbol[n] = symbol;
    m->size[n] = size;
    m->count = n + 1;
    return BIPE_OK;
}

/* A row that fits one window is merged where it stands. */
static int encode_whole(bipe_long_merge *m, bipe_error *err)
{
    size_t n = m->count;
    if (n == 1) {
        int status = m->sink(m->context, m->symbol[0], m->size, 1, err);
        m->count = 0;
        return status;
    }
    if (bipe_grow(&m->end, &m->end_capacity, n, sizeof *m->end) != 0)
        return bipe_fail_memory(err);
    int status = bipe_merge_row(&m->room, m->merges, m->symbol, m->end, &n, err);
    uint32_t at = 0;
    for (size_t k = 0; status == BIPE_OK && k < n; k++) {
        status = m->sink(m->context, m->symbol[k], m->size + at, m->end[k] - at, err);
        at = m->end[k];
    }
    m->count = 0;
    return status;
}

int bipe_long_merge_end(bipe_long_merge *m, bipe_error *err)
{
    if (m->done == 0)
        return m->count != 0 ? encode_whole(m, err) : BIPE_OK;
    int status = m->count != m->done ? encode(m, err) : BIPE_OK;
    if (status == BIPE_OK)
        status = give(m, m->tokens, err);
    bipe_long_merge_begin(m);
    return status;
}

void bipe_long_merge_free(bipe_long_merge *m)
{
    bipe_free(m->symbol);
    bipe_free(m->size);
    bipe_free(m->token);
    bipe_free(m->end);
    bipe_free(m->row);
    bipe_free(m->row_end);
    bipe_merge_room_free(&m->room);
    *m = (bipe_long_merge){.merges = m->merges, .sink = m->sink, .context = m->context, .window = m->window, .overlap = m->overlap,
                           .kept = m->kept};
    bipe_long_merge_begin(m);
}
