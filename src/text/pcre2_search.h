/* pcre2_search.h - runs PCRE2 over a text that comes in pieces: where does each leftmost match end that is not empty? The answer is
 * the one that a search of the whole text would give, wherever it is cut. */
#ifndef BIPE_TEXT_PCRE2_SEARCH_H
#define BIPE_TEXT_PCRE2_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct bipe_pcre2_search bipe_pcre2_search;

/* Takes ends of matches, in order. 0, or the status that the search is to fail with. */
typedef int bipe_pcre2_take(void *context, const uint64_t *ends, size_t count);

/* Whether a pattern is known to match nothing but the empty string, as (?=a) and ^ do. */
bool bipe_pcre2_is_empty(const char *pattern);

/* BIPE_ERR_ARGUMENT: not a pattern, or one that looks back too far. */
int bipe_pcre2_search_open(bipe_pcre2_search **search, const char *pattern, bipe_pcre2_take *take, void *context, bipe_error *err);
void bipe_pcre2_search_close(bipe_pcre2_search *search);

/* Another text. */
void bipe_pcre2_search_begin(bipe_pcre2_search *search);
/* Its next bytes; `last`: there are no more. BIPE_ERR_LIMIT: BIPE_UNIT_LIMIT bytes do not decide a match, or the search takes too long.
 * Or the status of `take`. */
int bipe_pcre2_search_feed(bipe_pcre2_search *search, const uint8_t *bytes, size_t size, bool last, bipe_error *err);
/* All matches that end at or before this offset were reported; UINT64_MAX: all were. */
uint64_t bipe_pcre2_search_settled(const bipe_pcre2_search *search);

#endif
