/* pattern.h - searches a text in memory for a pattern: every match, from left to right, as PCRE2 finds them.
 * pcre2_search.h searches streams. */
#ifndef BIPE_TEXT_PATTERN_H
#define BIPE_TEXT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "text/pattern_pairs.h"

/* A compiled pattern; constant, shared by threads. */
typedef struct bipe_pattern bipe_pattern;
/* A search for its matches, for one thread. */
typedef struct bipe_matches bipe_matches;

/* PCRE2's syntax; character properties follow Unicode 16.0 (unicode_sets.h), \w, \d, \s and \b follow PCRE2. '^' and
 * '$' match at the ends of the text. The text may contain bytes that are not UTF-8; no match contains one.
 * BIPE_ERR_FORMAT: not a pattern. BIPE_ERR_LIMIT: too large. */
int bipe_pattern_compile(bipe_pattern **pattern, const char *text, size_t size, bipe_error *err);
void bipe_pattern_free(bipe_pattern *pattern);

/* Translates a pattern from Oniguruma's Ruby syntax, which Hugging Face's library uses, to PCRE2's; appends a NUL that
 * is not counted. BIPE_ERR_UNSUPPORTED: the translation of some part is not known to be exact. */
int bipe_pattern_translate(const char *text, size_t size, bipe_buffer *out, bipe_error *err);

/* bipe_pattern_pairs() of the pattern. */
void bipe_pattern_find_pairs(const bipe_pattern *pattern, bipe_pattern_pair pair[BIPE_PATTERN_BEFORE][128]);

/* A search may take 5 s of processor time plus 20 us per byte, over all its texts. */
int bipe_matches_open(bipe_matches **matches, const bipe_pattern *pattern, bipe_error *err);
/* Restarts the clock: time since the last match is not counted. For callers that do other work between texts. */
void bipe_matches_resume(bipe_matches *matches);
/* The text to search; the caller's. utf8: it is known to be UTF-8. */
void bipe_matches_begin(bipe_matches *matches, const uint8_t *text, size_t size, bool utf8);
/* The next match [*start, *end): BIPE_OK, or BIPE_END when there is none. An empty match at the end of the previous
 * match is skipped. BIPE_ERR_LIMIT: the pattern backtracks too much. */
int bipe_matches_next(bipe_matches *matches, size_t *start, size_t *end, bipe_error *err);
void bipe_matches_close(bipe_matches *matches);

#endif
