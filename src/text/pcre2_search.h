/* pcre2_search.h - finds all leftmost non-empty matches in a text that arrives in pieces. The result is that of a
 * search of the whole text, wherever it is cut. */
#ifndef BIPE_TEXT_PCRE2_SEARCH_H
#define BIPE_TEXT_PCRE2_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct bipe_pcre2_search bipe_pcre2_search;

/* Receives matches, in order. Returns 0, or a status with which the search fails. */
typedef int bipe_pcre2_on_match(void *context, uint64_t start, uint64_t end);

/* Whether a pattern is known to match only the empty string, as (?=a) and ^ do. */
bool bipe_pcre2_is_empty(const char *pattern);

/* BIPE_ERR_ARGUMENT: not a pattern, or one that looks back too far. */
int bipe_pcre2_search_open(bipe_pcre2_search **search, const char *pattern, bipe_pcre2_on_match *on_match,
                           void *context, bipe_error *err);
void bipe_pcre2_search_close(bipe_pcre2_search *search);

/* Begins another text. */
void bipe_pcre2_search_begin(bipe_pcre2_search *search);
/* Searches the next bytes; last: the text ends with them. BIPE_ERR_LIMIT: BIPE_UNIT_LIMIT bytes do not decide a match,
 * or the search takes too long. Also the status of `on_match`. An error is at the settled offset. */
int bipe_pcre2_search_feed(bipe_pcre2_search *search, const uint8_t *bytes, size_t size, bool last, bipe_error *err);
/* All matches that end at or before this offset have been reported; UINT64_MAX: all matches. */
uint64_t bipe_pcre2_search_settled(const bipe_pcre2_search *search);

#endif
