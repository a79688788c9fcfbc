/* pretoken_ends.h - where pre-tokens end, by PCRE2: what the scanners of well-known patterns are compared with. */
#ifndef BIPE_TESTS_PRETOKEN_ENDS_H
#define BIPE_TESTS_PRETOKEN_ENDS_H

#include <stdlib.h>

#include "text/pattern.h"

/* Matches of the first pattern, and what stands between them, are split by the next, and so on. Ends of pieces of
 * text[base .. base + size) are written to end[], which has room for `size`; returns how many. */
static inline size_t pretoken_ends(bipe_pattern *const *pattern, size_t patterns, const uint8_t *text, size_t size,
                                   size_t base, size_t *end)
{
    bipe_matches *matches;
    size_t n = 0, at = 0, from, to;
    if (bipe_matches_open(&matches, pattern[0], NULL) != BIPE_OK)
        abort();
    bipe_matches_begin(matches, text + base, size, false);
    for (bool more = true; more; at = to) {
        more = bipe_matches_next(matches, &from, &to, NULL) == BIPE_OK;
        from = more ? from : size;
        to = more ? to : size;
        for (int match = 0; match < 2; match++) {
            size_t start = match != 0 ? from : at, stop = match != 0 ? to : from;
            if (start == stop)
                continue;
            if (patterns > 1)
                n += pretoken_ends(pattern + 1, patterns - 1, text, stop - start, base + start, end + n);
            else
                end[n++] = base + stop;
        }
    }
    bipe_matches_close(matches);
    return n;
}

#endif
