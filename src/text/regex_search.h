/* regex_search.h - runs the automaton of a program over a text that comes in pieces: where does each leftmost match end that is not empty?
 *
 * The text is gone through once, but for what stands between the end of a match and the place where that was certain. So
 * much is kept, and nothing else. */
#ifndef BIPE_TEXT_REGEX_SEARCH_H
#define BIPE_TEXT_REGEX_SEARCH_H

#include "text/regex_program.h"

typedef struct bipe_regex_search bipe_regex_search;

/* Takes ends that were found, in order. 0, or what the search is to fail with. */
typedef int bipe_regex_take(void *context, const uint64_t *ends, size_t count);

int bipe_regex_search_open(bipe_regex_search **search, const bipe_regex_program *program, bipe_regex_take *take, void *context,
                           bipe_error *err);
void bipe_regex_search_close(bipe_regex_search *search);

/* Another text. */
void bipe_regex_search_begin(bipe_regex_search *search);
/* Its next bytes; `last`: there are no more. BIPE_ERR_LIMIT: too much text is undecided (more than 64 MiB), or has to be gone through too
 * often. Or what `take` said. */
int bipe_regex_search_feed(bipe_regex_search *search, const uint8_t *bytes, size_t size, bool last, bipe_error *err);
/* No match ends at or before this offset that was not told. */
uint64_t bipe_regex_search_settled(const bipe_regex_search *search);

#endif
