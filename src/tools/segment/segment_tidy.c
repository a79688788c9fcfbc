/* segment_tidy.c - white space of a segment that is not shown: at its ends with --trim, and all but one space within it
 * with --squeeze. A run waits in the spool until it is known whether the segment ends with it. */
#include <string.h>

#include "text/utf8.h"
#include "tools/segment/bipe_segment.h"

/* How many bytes of the text, from the first on, are white space, or are not. */
static size_t find_run(const uint8_t *bytes, size_t size, bool *white)
{
    size_t at = 0;
    while (at < size) {
        int32_t code;
        if (bytes[at] > ' ' && bytes[at] < 0x80) { /* the usual */
            if (at > 0 && *white)
                break;
            *white = false;
            at++;
            continue;
        }
        size_t n = bipe_utf8_decode(bytes + at, size - at, &code);
        bool here = n > 0 && bipe_is_white_space(code);
        if (at > 0 && here != *white)
            break;
        *white = here;
        at = n > 0 ? at + n : size;
    }
    return at;
}

/* The piece begins: what the spool ends with may have been a run within the segment. */
static void join_run(segment_writer *w, size_t white_size)
{
    segment_tidy *tidy = &w->tidy;
    if (white_size == 0 && tidy->white && tidy->filled && w->fold && !tidy->plain) {
        bipe_spool_truncate(w->spool, tidy->at);
        bipe_spool_append(w->spool, " ", 1, &w->error);
    }
}

/* Appends whole characters, or bytes that are none. */
static void append_characters(segment_writer *w, const uint8_t *bytes, size_t size)
{
    segment_tidy *tidy = &w->tidy;
    size_t from = 0; /* of what has not been appended yet */
    for (size_t at = 0, n; at < size && w->error.status == BIPE_OK; at += n) {
        bool white = false;
        n = find_run(bytes + at, size - at, &white);
        if (at == 0)
            join_run(w, white ? n : 0);
        if (!white) {
            tidy->white = false;
            tidy->filled = true;
            continue;
        }
        bool plain = n == 1 && bytes[at] == ' ' && !tidy->white, last = at + n == size;
        if (!last && (tidy->filled ? plain || !w->fold : !w->trim))
            continue;
        bipe_spool_append(w->spool, bytes + from, at - from, &w->error);
        from = at;
        if (!tidy->white)
            tidy->at = bipe_spool_size(w->spool);
        else if (!last)
            bipe_spool_truncate(w->spool, tidy->at);
        if (w->trim && !tidy->filled) {
            from = at + n;
        } else if (!last) {
            bipe_spool_append(w->spool, " ", 1, &w->error);
            from = at + n;
        }
        tidy->plain = plain;
        tidy->white = last;
    }
    bipe_spool_append(w->spool, bytes + from, size - from, &w->error);
}

void segment_tidy_append(segment_writer *w, const uint8_t *bytes, size_t size)
{
    segment_tidy *tidy = &w->tidy;
    if (!w->fold && !w->trim) {
        bipe_spool_append(w->spool, bytes, size, &w->error);
        return;
    }
    while (tidy->partial_size > 0 && size > 0) {
        tidy->partial[tidy->partial_size++] = *bytes++;
        size--;
        size_t whole = bipe_utf8_complete(tidy->partial, tidy->partial_size);
        append_characters(w, tidy->partial, whole);
        tidy->partial_size -= whole;
        memmove(tidy->partial, tidy->partial + whole, tidy->partial_size);
    }
    size_t whole = bipe_utf8_complete(bytes, size);
    append_characters(w, bytes, whole);
    if (size > whole) {
        tidy->partial_size = size - whole;
        memcpy(tidy->partial, bytes + whole, tidy->partial_size);
    }
}

void segment_tidy_end(segment_writer *w)
{
    append_characters(w, w->tidy.partial, w->tidy.partial_size);
    w->tidy.partial_size = 0;
    if (w->trim && w->tidy.white && w->tidy.filled)
        bipe_spool_truncate(w->spool, w->tidy.at);
}

void segment_trim(const uint8_t **bytes, size_t *size)
{
    bool white = false;
    size_t n = find_run(*bytes, *size, &white), end = 0, at;
    if (white) {
        *bytes += n;
        *size -= n;
    }
    for (at = 0; at < *size; at += n) {
        n = find_run(*bytes + at, *size - at, &white);
        end = white ? end : at + n;
    }
    *size = end;
}
