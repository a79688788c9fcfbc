/* added_white.c - see added_white.h. */
#include "token/added_white.h"

#include <string.h>

#include "base/spool.h"
#include "text/utf8.h"

enum { SLICE = 32 << 10, MANY = 32 << 10 };

void bipe_added_white_begin(bipe_added_white *w, const bipe_added_set *set)
{
    w->set = set;
    bipe_added_search_begin(&w->search, set);
    w->state = BIPE_WHITE_HELD;
    w->taken = 0;
}

void bipe_added_white_free(bipe_added_white *w)
{
    bipe_spool_close(w->aside);
    bipe_buffer_free(&w->later);
    *w = (bipe_added_white){0};
}

static bool is_long(const bipe_added_white *w, size_t size)
{
    return size > (w->set->white_held != 0 ? w->set->white_held : BIPE_ADDED_WHITE);
}

/* The place behind the white space that the text ends with (but for a character that is not whole), if it is long up to `looked`; or 0. */
static size_t find_place(const bipe_added_white *w, const bipe_buffer *held, size_t looked)
{
    size_t end = bipe_utf8_complete(held->data, held->size), start = bipe_added_strip_left(held->data, end, 0);
    looked = looked < end ? looked : end;
    return looked > start && is_long(w, looked - start) ? end : 0;
}

/* From now on white space behind this place is left out. */
static void leave_out(bipe_added_white *w, size_t at)
{
    w->state = BIPE_WHITE_GOES_ON;
    w->at = at;
    w->size = w->given = 0;
    w->search.searched = w->search.searched < at ? w->search.searched : at;
    if (w->aside != NULL)
        bipe_spool_reset(w->aside);
}

void bipe_added_white_rest(bipe_added_white *w, const bipe_buffer *held, size_t looked)
{
    size_t at = w->state == BIPE_WHITE_HELD && is_long(w, looked) ? find_place(w, held, looked) : 0;
    if (at != 0)
        leave_out(w, at);
}

/* The white space at the place where it is left out goes aside. */
static int put_aside(bipe_added_white *w, bipe_buffer *held, bool final, bipe_error *err)
{
    int32_t code;
    size_t n = bipe_added_strip_right(held->data, w->at, held->size) - w->at;
    int status = w->aside == NULL ? bipe_spool_open(&w->aside, BIPE_ADDED_WHITE, err) : BIPE_OK;
    if (status == BIPE_OK && n != 0)
        status = bipe_spool_append(w->aside, held->data + w->at, n, err);
    if (status != BIPE_OK)
        return status;
    w->size += n;
    held->size -= n;
    memmove(held->data + w->at, held->data + w->at + n, held->size - w->at);
    if (final || (held->size != w->at && bipe_utf8_decode(held->data + w->at, held->size - w->at, &code) != 0))
        w->state = BIPE_WHITE_ENDS;
    return BIPE_OK;
}

/* What comes behind what is left out has to wait, too. */
static int give_back(bipe_added_white *w, bipe_buffer *held, bipe_error *err)
{
    w->state = BIPE_WHITE_TEXT;
    w->later.size = 0;
    int status = bipe_buffer_append(&w->later, held->data + w->at, held->size - w->at, err);
    held->size = w->at;
    w->search.plain = true;
    return status;
}

/* The white space has ended: whose is it? */
static int decide(bipe_added_white *w, bipe_buffer *held, bool final, bool *ready, bipe_error *err)
{
    bipe_added_search_state copy = w->search;
    const bipe_added *added;
    size_t start, end;
    int found = bipe_added_search_next(&copy, w->set, held->data, held->size, 0, final, &start, &end, &added);
    if (start >= w->at) {
        *ready = true;
        return give_back(w, held, err);
    }
    size_t at = found > 0 ? 0 : find_place(w, held, held->size);
    *ready = found > 0;
    if (found > 0)
        w->state = BIPE_WHITE_TAKEN;
    if (found > 0 || at > w->at) /* or white space goes on behind a token that takes both */
        w->taken += w->size;
    if (at > w->at)
        leave_out(w, at);
    return BIPE_OK;
}

/* Some of what is text. */
static int give_some(bipe_added_white *w, bipe_buffer *held, bipe_error *err)
{
    uint8_t slice[SLICE];
    size_t n = w->size - w->given < sizeof slice ? (size_t)(w->size - w->given) : sizeof slice;
    if (n == 0) {
        w->state = BIPE_WHITE_HELD;
        w->search.plain = false;
        return bipe_buffer_append(held, w->later.data, w->later.size, err);
    }
    int status = bipe_spool_read(w->aside, w->given, slice, n, err);
    w->given += n;
    return status == BIPE_OK ? bipe_buffer_append(held, slice, n, err) : status;
}

int bipe_added_white_step(bipe_added_white *w, bipe_buffer *held, bool final, bool *ready, bipe_error *err)
{
    *ready = w->state == BIPE_WHITE_HELD || w->state == BIPE_WHITE_TAKEN || w->state == BIPE_WHITE_TEXT;
    if (w->state == BIPE_WHITE_TEXT)
        return give_some(w, held, err);
    int status = w->state == BIPE_WHITE_GOES_ON ? put_aside(w, held, final, err) : BIPE_OK;
    return status == BIPE_OK && w->state == BIPE_WHITE_ENDS ? decide(w, held, final, ready, err) : status;
}

int bipe_added_white_feed(bipe_added_white *w, bipe_buffer *held, const uint8_t *bytes, size_t size, bool final, bipe_added_look *look,
                          void *context, const bipe_tokens *tokens, bipe_error *err)
{
    size_t taken, enough = tokens->count + MANY;
    bool whole = held->size == 0 && w->state == BIPE_WHITE_HELD, ready = true;
    if (whole && size == 0)
        return BIPE_OK;
    int status = whole ? look(context, bytes, size, final, &taken, err) : bipe_buffer_append(held, bytes, size, err);
    if (whole && status == BIPE_OK)
        status = bipe_buffer_append(held, bytes + taken, size - taken, err);
    do {
        if (!whole && status == BIPE_OK)
            status = bipe_added_white_step(w, held, final, &ready, err);
        if (!whole && status == BIPE_OK && ready) {
            status = look(context, held->data, held->size, final && !bipe_added_white_owes(w), &taken, err);
            bipe_buffer_consume(held, status == BIPE_OK ? taken : 0);
        }
    } while (status == BIPE_OK && bipe_added_white_owes(w) && tokens->count < enough);
    if (status == BIPE_OK && !final)
        bipe_added_white_rest(w, held, held->size);
    return status;
}
