/* pattern.h - patterns that are searched for in a text held in memory: every match, from left to right, as PCRE2 finds them.
 *
 * Segmenters search streams, with pcre2_search.h. */
#ifndef BIPE_TEXT_PATTERN_H
#define BIPE_TEXT_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "text/pattern_pairs.h"

/* A compiled pattern; does not change, threads share it. */
typedef struct bipe_pattern bipe_pattern;
/* A search for its matches, of one thread. */
typedef struct bipe_matches bipe_matches;

/* PCRE2's syntax; properties of characters are those of Unicode 16.0 (unicode_sets.h), \w, \d, \s, \b PCRE2's. '^' and '$' are the ends
 * of the text. Text may hold bytes that are not UTF-8: no match crosses or holds one. BIPE_ERR_FORMAT: not a pattern. BIPE_ERR_LIMIT:
 * too large. */
int bipe_pattern_compile(bipe_pattern **pattern, const char *text, size_t size, bipe_error *err);
void bipe_pattern_free(bipe_pattern *pattern);

/* Appends a pattern of Oniguruma's Ruby syntax, which Hugging Face's library uses, in PCRE2's syntax, and a NUL that is not counted.
 * BIPE_ERR_UNSUPPORTED: it has something that is not known to mean the same. */
int bipe_pattern_translate(const char *text, size_t size, bipe_buffer *out, bipe_error *err);

/* Between which characters a text may be cut: bipe_pattern_pairs() of the pattern. */
void bipe_pattern_find_pairs(const bipe_pattern *pattern, bipe_pattern_pair pair[BIPE_PATTERN_BEFORE][128]);

/* Searching may take 5 s of processor time and 20 us for each byte of text, for all texts together. */
int bipe_matches_open(bipe_matches **matches, const bipe_pattern *pattern, bipe_error *err);
/* Starts the clock again: what the thread did since the last search is not counted. For texts between which there is other work. */
void bipe_matches_resume(bipe_matches *matches);
/* A text to search in, which stays the caller's. */
void bipe_matches_begin(bipe_matches *matches, const uint8_t *text, size_t size);
/* The next match: BIPE_OK with its place, BIPE_END when there is none. An empty match at the end of the previous match is skipped.
 * BIPE_ERR_LIMIT: the pattern backtracks too much. */
int bipe_matches_next(bipe_matches *matches, size_t *start, size_t *end, bipe_error *err);
void bipe_matches_close(bipe_matches *matches);

#endif
