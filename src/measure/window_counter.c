/* window_counter.c - counts windows of many lengths in one pass.
 *
 * A window whose length is a multiple of another length is composed of windows of that length, and so is a document:
 * only lengths that are multiples of no other one visit single segments. Stretches of tokens join exactly, since each
 * knows its tokens before the first end of a segment and after the last. */
#include "measure/window_counter.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { FIRST_DEFAULT = 1024 };
static const uint64_t last_default = UINT64_C(1) << 53;

/* A stretch of tokens that is being counted: (a part of) a window or of a document. */
typedef struct stretch {
    uint64_t tokens; /* so far */
    uint64_t ends;   /* segments that end in it */
    uint64_t first;  /* tokens up to the end of the first of them, when there is one */
    uint64_t open;   /* tokens after the end of the last; without one: all */
    bipe_histogram inner; /* tokens of the segments between */
} stretch;

/* Windows of one length; the last is the document. */
typedef struct window {
    uint64_t length;
    size_t part;     /* the window that it is composed of; NONE: none */
    size_t whole[2]; /* the first window composed of it, and the next one composed of the same part; NONE: none */
    stretch present; /* the current window, without the current window of its part */
    bipe_histogram tokens, segments; /* of the complete windows of the current document */
} window;

enum { CHILD, SIBLING };
#define NONE SIZE_MAX

struct bipe_window_counter {
    window *windows; /* (count + 1) by rising length */
    size_t count;
    size_t touched;  /* windows from this one on are as at the beginning, but for the document */
    bool usual;      /* lengths are the usual ones, which have rows where documents reach them */
    bipe_tally *tally;
};

static int compare_lengths(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Fills in the lengths: those asked for, sorted and without doubles, or the usual ones. */
static int set_lengths(bipe_window_counter *c, const uint64_t *lengths, size_t count, bipe_error *err)
{
    size_t usual = 0;
    for (uint64_t l = FIRST_DEFAULT; l <= last_default; l *= 2)
        usual++;
    c->usual = lengths == NULL;
    size_t most = c->usual ? usual : count;
    uint64_t *sorted = bipe_alloc(most, sizeof *sorted);
    c->windows = bipe_alloc(most + 1, sizeof *c->windows);
    if (sorted == NULL || c->windows == NULL) {
        bipe_free(sorted);
        return bipe_fail_memory(err);
    }
    for (size_t i = 0; i < most; i++)
        sorted[i] = c->usual ? (uint64_t)FIRST_DEFAULT << i : lengths[i];
    if (most != 0)
        qsort(sorted, most, sizeof *sorted, compare_lengths);
    for (size_t i = 0; i < most; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            c->windows[c->count++].length = sorted[i];
    c->windows[c->count].length = BIPE_TALLY_DOCUMENT;
    bipe_free(sorted);
    return BIPE_OK;
}

int bipe_window_counter_tally(bipe_window_counter *c, bipe_tally *tally, bipe_error *err)
{
    bool made = true;
    c->tally = tally;
    for (size_t i = c->usual ? c->count : 0; i <= c->count; i++)
        made = made && bipe_tally_row_at(tally, c->windows[i].length) != NULL;
    return made ? BIPE_OK : bipe_fail_memory(err);
}

/* Chooses the parts: the longest that goes into a window without a rest; of the document, the longest. */
static void set_parts(bipe_window_counter *c)
{
    for (size_t i = 0; i <= c->count; i++) {
        window *w = &c->windows[i];
        w->part = w->whole[CHILD] = w->whole[SIBLING] = NONE;
        for (size_t k = i; w->part == NONE && k-- > 0;)
            if (i == c->count || w->length % c->windows[k].length == 0)
                w->part = k;
        if (w->part == NONE)
            continue;
        w->whole[SIBLING] = c->windows[w->part].whole[CHILD];
        c->windows[w->part].whole[CHILD] = i;
    }
}

int bipe_window_counter_open(bipe_window_counter **counter, const uint64_t *lengths, size_t count, bipe_tally *tally,
                             bipe_error *err)
{
    *counter = NULL;
    bipe_window_counter *c = bipe_alloc(1, sizeof *c);
    if (c == NULL)
        return bipe_fail_memory(err);
    int status = set_lengths(c, lengths, count, err);
    if (status == BIPE_OK)
        status = bipe_window_counter_tally(c, tally, err);
    if (status != BIPE_OK) {
        bipe_window_counter_close(c);
        return status;
    }
    set_parts(c);
    *counter = c;
    return BIPE_OK;
}

/* ---- stretches ---- */

static void clear_stretch(stretch *s)
{
    s->tokens = s->ends = s->first = s->open = 0;
    bipe_histogram_clear(&s->inner);
}

/* The segment that is open ends with `tokens` more tokens, which are counted already. */
static int end_segment(stretch *s, uint64_t tokens, bipe_error *err)
{
    uint64_t all = s->open + tokens;
    s->open = 0;
    if (s->ends++ != 0)
        return bipe_histogram_add(&s->inner, all, 1, err);
    s->first = all;
    return BIPE_OK;
}

/* Appends `more`. */
static int join_stretch(stretch *s, const stretch *more, bipe_error *err)
{
    s->tokens += more->tokens;
    if (more->ends == 0) {
        s->open += more->open;
        return BIPE_OK;
    }
    int status = end_segment(s, more->first, err);
    s->ends += more->ends - 1;
    s->open = more->open;
    return status == BIPE_OK ? bipe_histogram_merge(&s->inner, &more->inner, err) : status;
}

/* Counts a complete stretch: its first and its last segment as they are. */
static int count_stretch(const stretch *s, bipe_histogram *tokens, bipe_histogram *segments, bipe_error *err)
{
    bool open = s->open != 0;
    int status = bipe_histogram_merge(tokens, &s->inner, err);
    if (status == BIPE_OK && s->ends != 0)
        status = bipe_histogram_add(tokens, s->first, 1, err);
    if (status == BIPE_OK && open)
        status = bipe_histogram_add(tokens, s->open, 1, err);
    if (status == BIPE_OK)
        status = bipe_histogram_add(segments, s->ends + open, 1, err);
    return status;
}

/* ---- windows ---- */

/* The present window is complete: it counts, and goes to those that are put together from it. */
static int complete_window(bipe_window_counter *c, window *w, bipe_error *err)
{
    int status = count_stretch(&w->present, &w->tokens, &w->segments, err);
    for (size_t i = w->whole[CHILD]; i != NONE && status == BIPE_OK; i = c->windows[i].whole[SIBLING]) {
        window *whole = &c->windows[i];
        if (c->touched <= i)
            c->touched = i + 1;
        status = join_stretch(&whole->present, &w->present, err);
        if (status == BIPE_OK && whole->present.tokens == whole->length)
            status = complete_window(c, whole, err); /* as deep as there are lengths that are multiples of one another:
                                                        at most 64 */
    }
    clear_stretch(&w->present);
    return status;
}

/* Adds segments that end with each of closes (count), numbers of tokens, to a stretch that continues from `from`. */
static int add_ends(stretch *s, uint64_t from, const uint32_t *closes, size_t count, bipe_error *err)
{
    int status = end_segment(s, closes[0] + 1 - from, err);
    for (size_t i = 1; i < count && status == BIPE_OK; i++)
        status = bipe_histogram_add(&s->inner, closes[i] - closes[i - 1], 1, err);
    s->ends += count - 1;
    return status;
}

/* The next `count` tokens, for windows that are put together from no others. */
static int count_tokens(bipe_window_counter *c, window *w, uint64_t count, const uint32_t *closes, size_t close_count,
                        bipe_error *err)
{
    int status = BIPE_OK;
    size_t next = 0;
    for (uint64_t at = 0; at < count && status == BIPE_OK;) {
        uint64_t left = w->length - w->present.tokens, to = count - at < left ? count : at + left;
        size_t first = next;
        while (next < close_count && closes[next] < to)
            next++;
        if (next != first)
            status = add_ends(&w->present, at, closes + first, next - first, err);
        w->present.tokens += to - at;
        w->present.open += next != first ? to - 1 - closes[next - 1] : to - at;
        at = to;
        if (status == BIPE_OK && w->present.tokens == w->length)
            status = complete_window(c, w, err);
    }
    return status;
}

/* ---- documents ---- */

static void clear_window(window *w)
{
    clear_stretch(&w->present);
    bipe_histogram_clear(&w->tokens);
    bipe_histogram_clear(&w->segments);
}

void bipe_window_counter_begin(bipe_window_counter *c)
{
    for (size_t i = 0; i < c->touched && i < c->count; i++)
        clear_window(&c->windows[i]);
    clear_window(&c->windows[c->count]);
    c->touched = 0;
}

int bipe_window_counter_feed(bipe_window_counter *c, size_t count, const uint32_t *closes, size_t close_count,
                             bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i <= c->count && status == BIPE_OK; i++)
        if (c->windows[i].part == NONE) {
            if (c->touched <= i)
                c->touched = i + 1;
            status = count_tokens(c, &c->windows[i], count, closes, close_count, err);
        }
    return status;
}

/* Adds what the document had of a length to all documents. */
static int count_window(bipe_window_counter *c, window *w, bipe_error *err)
{
    if (w->segments.total == 0)
        return BIPE_OK;
    bipe_tally_row *row = bipe_tally_row_at(c->tally, w->length);
    if (row == NULL)
        return bipe_fail_memory(err);
    int status = bipe_histogram_merge(&row->tokens, &w->tokens, err);
    return status == BIPE_OK ? bipe_histogram_merge(&row->segments, &w->segments, err) : status;
}

int bipe_window_counter_end(bipe_window_counter *c, uint64_t *tokens, uint64_t *segments, bipe_error *err)
{
    /* Tokens left at the end of a window, and of its part, and so on, belong to the document alone. */
    window *document = &c->windows[c->count];
    int status = BIPE_OK;
    for (size_t i = document->part; i != NONE && status == BIPE_OK; i = c->windows[i].part)
        if (i < c->touched)
            status = join_stretch(&document->present, &c->windows[i].present, err);
    *tokens = document->present.tokens;
    *segments = document->present.ends + (document->present.open != 0);
    if (status == BIPE_OK)
        status = count_stretch(&document->present, &document->tokens, &document->segments, err);
    for (size_t i = 0; i < c->touched && i < c->count && status == BIPE_OK; i++)
        status = count_window(c, &c->windows[i], err);
    if (status == BIPE_OK)
        status = count_window(c, document, err);
    bipe_window_counter_begin(c);
    return status;
}

size_t bipe_window_counter_memory(const bipe_window_counter *c)
{
    size_t memory = bipe_tally_memory(c->tally);
    for (size_t i = 0; i <= c->count; i++) {
        const window *w = &c->windows[i];
        memory += bipe_histogram_memory(&w->present.inner) + bipe_histogram_memory(&w->tokens) +
                  bipe_histogram_memory(&w->segments);
    }
    return memory;
}

void bipe_window_counter_close(bipe_window_counter *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; c->windows != NULL && i <= c->count; i++) {
        bipe_histogram_free(&c->windows[i].present.inner);
        bipe_histogram_free(&c->windows[i].tokens);
        bipe_histogram_free(&c->windows[i].segments);
    }
    bipe_free(c->windows);
    bipe_free(c);
}
