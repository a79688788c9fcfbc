/* added_search.c - see added_search.h. The plain twin of the search in pieces is bipe_added_next(), in the whole of a text. */
#include "token/added_search.h"

#include <string.h>

#include "text/utf8.h"

bool bipe_added_next(const bipe_added_set *set, const uint8_t *text, size_t size, size_t from, size_t *search, size_t *start, size_t *end,
                     size_t *resume, const bipe_added **added)
{
    while (bipe_added_find(set, text, size, *search, start, end, added)) {
        *resume = *search = *end;
        if (*start < from)
            *start = from;
        if ((*added)->left)
            *start = bipe_added_strip_left(text, *start, from);
        if ((*added)->right)
            *resume = *end = bipe_added_strip_right(text, *end, size);
        if ((*added)->left && *end <= *start)
            continue;
        if (*end < *start)
            *end = *start;
        return true;
    }
    return false;
}

/* ---- in pieces ---- */

bool bipe_added_in_pieces(const bipe_added_set *set)
{
    return bipe_added_is_plain(set) || !bipe_added_begins_white(set);
}

void bipe_added_search_begin(bipe_added_search_state *s, const bipe_added_set *set)
{
    *s = (bipe_added_search_state){.left = set->left, .words = set->words};
}

/* Whether a word ends at text[at). */
static bool word_before(const bipe_added_search_state *s, const uint8_t *text, size_t at)
{
    uint8_t room[sizeof s->last + sizeof s->last];
    if (at >= sizeof s->last)
        return bipe_added_word_beside(text, at, at, true);
    memcpy(room, s->last, s->lasts);
    memcpy(room + s->lasts, text, at);
    return bipe_added_word_beside(room, s->lasts + at, s->lasts + at, true);
}

void bipe_added_search_drop(bipe_added_search_state *s, const uint8_t *text, size_t size)
{
    s->searched -= s->searched < size ? s->searched : size;
    s->white -= s->white < size ? s->white : size;
    s->white_end -= s->white_end < size ? s->white_end : size;
    if (!s->words || size == 0)
        return;
    size_t kept = size >= sizeof s->last ? 0 : s->lasts + size <= sizeof s->last ? s->lasts : sizeof s->last - size;
    size_t n = size < sizeof s->last ? size : sizeof s->last;
    memmove(s->last, s->last + s->lasts - kept, kept);
    memcpy(s->last + kept, text + size - n, n);
    s->lasts = kept + n;
}

/* Whether the text goes on behind `at` in a way that is not known. */
static bool is_open(const uint8_t *text, size_t size, size_t at, bool final)
{
    int32_t code;
    return !final && (at == size || bipe_utf8_decode(text + at, size - at, &code) == 0);
}

/* As bipe_added_strip_left(), where megabytes of white space come in pieces: it is looked at once. */
static size_t strip_left(bipe_added_search_state *s, const uint8_t *text, size_t at, size_t limit)
{
    size_t known = s->white_end > limit && s->white_end <= at ? s->white_end : limit;
    size_t white = bipe_added_strip_left(text, at, known);
    if (white == known && known != limit)
        white = s->white > limit ? s->white : limit;
    s->white = white;
    s->white_end = at;
    return white;
}

/* The same of what is behind `at`. */
static size_t strip_right(bipe_added_search_state *s, const uint8_t *text, size_t at, size_t size)
{
    bool known = s->white <= at && at <= s->white_end;
    size_t end = bipe_added_strip_right(text, known ? s->white_end : at, size);
    s->white = at;
    s->white_end = end;
    return end;
}

int bipe_added_search_next(bipe_added_search_state *s, const bipe_added_set *set, const uint8_t *text, size_t size, size_t from,
                           bool final, size_t *start, size_t *end, const bipe_added **added)
{
    int found;
    bool left = s->left; /* what may stand at *start */
    size_t at = from > s->searched ? from : s->searched;
    s->white = s->white < size ? s->white : size;
    s->white_end = s->white_end < size ? s->white_end : size;
    for (; (found = bipe_added_search(set, text, size, at, final, start, end, added)) > 0; at = *end) {
        if ((*added)->word && is_open(text, size, *end, final)) {
            found = -1;
            left = (*added)->left;
            break;
        }
        if ((*added)->word && (word_before(s, text, *start) || bipe_added_word_beside(text, size, *end, false)))
            continue;
        if ((*added)->right)
            *end = strip_right(s, text, *end, size);
        if ((*added)->right && is_open(text, size, *end, final)) {
            found = -1;
            left = (*added)->left;
            break;
        }
        if ((*added)->left)
            *start = bipe_added_strip_left(text, *start, from);
        return 1;
    }
    if (found == 0)
        *start = size;
    s->searched = *start;
    if (final || s->plain || !left)
        return -1;
    if (found < 0)
        *start = bipe_added_strip_left(text, *start, from);
    else if (from < size) /* white space at the end may be taken */
        *start = strip_left(s, text, from + bipe_utf8_complete(text + from, size - from), from);
    return -1;
}
