/* window_counter.c - windows of many lengths in one pass.
 *
 * Until a document has as many tokens as a window, its first window is the document itself: such a length costs nothing. It
 * becomes active at the token that fills its first window, which is then copied from the document's own counts.
 *
 * Segments that end before any window does are the same for every length, but for the first, part of which may lie in front of a window:
 * they wait in a list, which is added to one length after the other when it is full or a window ends. */
#include "measure/window_counter.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { FIRST_DEFAULT = 1024, WAITING = 512 };
static const uint64_t last_default = UINT64_C(1) << 53;

/* A stretch of tokens that is being counted: a window, or a whole document. */
typedef struct stretch {
    uint64_t tokens;     /* so far */
    uint64_t run;        /* of the segment that has not ended */
    uint64_t segments;   /* that have ended */
    bipe_histogram ended;/* tokens of those */
} stretch;

typedef struct window {
    uint64_t length;
    stretch present;
    /* The complete windows of the present document. */
    bipe_histogram tokens, segments;
} window;

struct bipe_window_counter {
    window *windows; /* (count) by rising length; the first `active` have been filled by this document */
    size_t count, active;
    stretch document;
    bipe_tally *tally;
    uint64_t room;             /* tokens that may be added to the list before a window ends; the last of them may not end one */
    uint64_t waiting[WAITING]; /* (waiting_count) tokens of segments that have ended and are in no stretch yet */
    size_t waiting_count;
    uint64_t waiting_open;     /* tokens behind them */
};

static int rising(const void *a, const void *b)
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
    size_t most = count != 0 ? count : usual;
    uint64_t *sorted = bipe_alloc(most, sizeof *sorted);
    c->windows = bipe_alloc(most, sizeof *c->windows);
    if (sorted == NULL || c->windows == NULL) {
        bipe_free(sorted);
        return bipe_fail_memory(err);
    }
    for (size_t i = 0; i < most; i++)
        sorted[i] = count != 0 ? lengths[i] : (uint64_t)FIRST_DEFAULT << i;
    qsort(sorted, most, sizeof *sorted, rising);
    bool made = bipe_tally_row_at(c->tally, BIPE_TALLY_DOCUMENT) != NULL;
    for (size_t i = 0; i < most; i++) {
        if (i != 0 && sorted[i] == sorted[i - 1])
            continue;
        c->windows[c->count++].length = sorted[i];
        if (count != 0)
            made = made && bipe_tally_row_at(c->tally, sorted[i]) != NULL;
    }
    bipe_free(sorted);
    return made ? BIPE_OK : bipe_fail_memory(err);
}

/* How many tokens fit before a window ends; the list is empty. */
static void find_room(bipe_window_counter *c)
{
    c->room = UINT64_MAX;
    if (c->active < c->count)
        c->room = c->windows[c->active].length - c->document.tokens;
    for (size_t i = 0; i < c->active; i++)
        if (c->windows[i].length - c->windows[i].present.tokens < c->room)
            c->room = c->windows[i].length - c->windows[i].present.tokens;
}

int bipe_window_counter_open(bipe_window_counter **counter, const uint64_t *lengths, size_t count, bipe_tally *tally,
                             bipe_error *err)
{
    *counter = NULL;
    bipe_window_counter *c = bipe_alloc(1, sizeof *c);
    if (c == NULL)
        return bipe_fail_memory(err);
    c->tally = tally;
    int status = set_lengths(c, lengths, count, err);
    if (status != BIPE_OK) {
        bipe_window_counter_close(c);
        return status;
    }
    find_room(c);
    *counter = c;
    return BIPE_OK;
}

static void clear_stretch(stretch *s)
{
    s->tokens = s->run = s->segments = 0;
    bipe_histogram_clear(&s->ended);
}

/* Adds `tokens` tokens of one segment, which ends with them or not. */
static int extend(stretch *s, uint64_t tokens, bool closes, bipe_error *err)
{
    s->tokens += tokens;
    s->run += tokens;
    if (!closes)
        return BIPE_OK;
    s->segments++;
    uint64_t run = s->run;
    s->run = 0;
    return bipe_histogram_add(&s->ended, run, 1, err);
}

/* Counts a complete stretch, its open segment included. */
static int count_stretch(const stretch *s, bipe_histogram *tokens, bipe_histogram *segments, bipe_error *err)
{
    bool open = s->run != 0;
    int status = bipe_histogram_merge(tokens, &s->ended, err);
    if (status == BIPE_OK && open)
        status = bipe_histogram_add(tokens, s->run, 1, err);
    if (status == BIPE_OK)
        status = bipe_histogram_add(segments, s->segments + open, 1, err);
    return status;
}

static int extend_window(window *w, uint64_t tokens, bool closes, bipe_error *err)
{
    int status = BIPE_OK;
    while (tokens != 0 && status == BIPE_OK) {
        uint64_t room = w->length - w->present.tokens, now = tokens < room ? tokens : room;
        tokens -= now;
        status = extend(&w->present, now, closes && tokens == 0, err);
        if (status == BIPE_OK && w->present.tokens == w->length) {
            status = count_stretch(&w->present, &w->tokens, &w->segments, err);
            clear_stretch(&w->present);
        }
    }
    return status;
}

/* Adds what waits in the list to a stretch, in which there is room for it. */
static int extend_by_list(const bipe_window_counter *c, uint64_t tokens, stretch *s, bipe_error *err)
{
    s->tokens += tokens;
    if (c->waiting_count == 0) {
        s->run += c->waiting_open;
        return BIPE_OK;
    }
    int status = bipe_histogram_add(&s->ended, s->run + c->waiting[0], 1, err);
    if (status == BIPE_OK)
        status = bipe_histogram_add_all(&s->ended, c->waiting + 1, c->waiting_count - 1, err);
    s->run = c->waiting_open;
    s->segments += c->waiting_count;
    return status;
}

static int empty_list(bipe_window_counter *c, bipe_error *err)
{
    uint64_t tokens = c->waiting_open;
    for (size_t i = 0; i < c->waiting_count; i++)
        tokens += c->waiting[i];
    int status = tokens != 0 ? extend_by_list(c, tokens, &c->document, err) : BIPE_OK;
    for (size_t i = 0; i < c->active && tokens != 0 && status == BIPE_OK; i++)
        status = extend_by_list(c, tokens, &c->windows[i].present, err);
    c->waiting_count = 0;
    c->waiting_open = 0;
    return status;
}

/* `tokens` tokens of one segment, with which windows end; it ends with the last of them or not. */
static int take_long_run(bipe_window_counter *c, uint64_t tokens, bool closes, bipe_error *err)
{
    int status = empty_list(c, err);
    while (tokens != 0 && status == BIPE_OK) {
        window *next = c->active < c->count ? &c->windows[c->active] : NULL;
        uint64_t now = tokens;
        if (next != NULL && next->length - c->document.tokens < now)
            now = next->length - c->document.tokens;
        tokens -= now;
        bool ends = closes && tokens == 0;
        for (size_t i = 0; i < c->active && status == BIPE_OK; i++)
            status = extend_window(&c->windows[i], now, ends, err);
        if (status == BIPE_OK)
            status = extend(&c->document, now, ends, err);
        if (status == BIPE_OK && next != NULL && c->document.tokens == next->length) {
            status = count_stretch(&c->document, &next->tokens, &next->segments, err);
            c->active++;
        }
    }
    find_room(c);
    return status;
}

/* `tokens` tokens of one segment, which ends with the last of them or not. */
static int take_run(bipe_window_counter *c, uint64_t tokens, bool closes, bipe_error *err)
{
    if (tokens >= c->room)
        return take_long_run(c, tokens, closes, err);
    if (c->waiting_count == WAITING) {
        int status = empty_list(c, err);
        if (status != BIPE_OK)
            return status;
    }
    c->room -= tokens;
    c->waiting_open += tokens;
    if (closes) {
        c->waiting[c->waiting_count++] = c->waiting_open;
        c->waiting_open = 0;
    }
    return BIPE_OK;
}

void bipe_window_counter_begin(bipe_window_counter *c)
{
    for (size_t i = 0; i < c->active; i++) {
        clear_stretch(&c->windows[i].present);
        bipe_histogram_clear(&c->windows[i].tokens);
        bipe_histogram_clear(&c->windows[i].segments);
    }
    /* A window whose first count failed for want of memory is not active and may hold something. */
    if (c->active < c->count) {
        bipe_histogram_clear(&c->windows[c->active].tokens);
        bipe_histogram_clear(&c->windows[c->active].segments);
    }
    c->active = c->waiting_count = 0;
    c->waiting_open = 0;
    clear_stretch(&c->document);
    find_room(c);
}

int bipe_window_counter_feed(bipe_window_counter *c, const uint8_t *closes, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t at = 0; at < count && status == BIPE_OK;) {
        const uint8_t *close = memchr(closes + at, 1, count - at);
        size_t end = close != NULL ? (size_t)(close - closes) + 1 : count;
        status = take_run(c, end - at, close != NULL, err);
        at = end;
    }
    return status;
}

int bipe_window_counter_end(bipe_window_counter *c, bipe_error *err)
{
    int status = empty_list(c, err);
    for (size_t i = 0; i < c->active && status == BIPE_OK; i++) {
        window *w = &c->windows[i];
        bipe_tally_row *row = bipe_tally_row_at(c->tally, w->length);
        if (row == NULL)
            return bipe_fail_memory(err);
        status = bipe_histogram_merge(&row->tokens, &w->tokens, err);
        if (status == BIPE_OK)
            status = bipe_histogram_merge(&row->segments, &w->segments, err);
    }
    bipe_tally_row *row = bipe_tally_row_at(c->tally, BIPE_TALLY_DOCUMENT);
    if (row == NULL)
        return bipe_fail_memory(err);
    if (status == BIPE_OK)
        status = count_stretch(&c->document, &row->tokens, &row->segments, err);
    bipe_window_counter_begin(c);
    return status;
}

void bipe_window_counter_close(bipe_window_counter *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->count; i++) {
        bipe_histogram_free(&c->windows[i].present.ended);
        bipe_histogram_free(&c->windows[i].tokens);
        bipe_histogram_free(&c->windows[i].segments);
    }
    bipe_histogram_free(&c->document.ended);
    bipe_free(c->windows);
    bipe_free(c);
}
