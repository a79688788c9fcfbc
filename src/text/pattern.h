/* pattern.h - patterns that split a text held in memory: every match, from left to right, as PCRE2 finds them.
 *
 * For whole buffers only; segmenters have a search of their own that works on streams. */
#ifndef BIPE_TEXT_PATTERN_H
#define BIPE_TEXT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

/* A compiled pattern; does not change, threads share it. */
typedef struct bipe_pattern bipe_pattern;
/* What one search needs. */
typedef struct bipe_matches bipe_matches;

/* PCRE2's syntax; properties of characters are those of Unicode 16.0 (unicode_sets.h), \w, \d, \s, \b PCRE2's. '^' and '$' are the ends
 * of the text. Text may hold bytes that are not UTF-8: no match crosses or holds one. BIPE_ERR_FORMAT: not a pattern. BIPE_ERR_LIMIT:
 * too large. */
int bipe_pattern_compile(bipe_pattern **pattern, const char *text, size_t size, bipe_error *err);
void bipe_pattern_free(bipe_pattern *pattern);

/* Appends what Oniguruma (in its Ruby syntax, as Hugging Face's library uses it) means by a pattern, in PCRE2's
 * syntax, and a NUL that is not counted. BIPE_ERR_UNSUPPORTED for what is not known to mean the same. */
int bipe_pattern_translate(const char *text, size_t size, bipe_buffer *out, bipe_error *err);

/* About places of a text in front of one of the ASCII characters `at`, between one of `before` and one of `behind` (NULL: anything, or
 * nothing). *keeps: no match goes across such a place, and matches are the same when the text is cut there. *splits: what stands between
 * matches does not go across either. False where that is not sure. */
int bipe_pattern_part(const bipe_pattern *pattern, const char *before, const char *at, const char *behind, bool *keeps, bool *splits,
                      bipe_error *err);

/* The same for all places between two characters of ASCII, pair[x][y], with anything behind y. */
typedef struct bipe_pattern_pair {
    bool keeps, splits;
} bipe_pattern_pair;
int bipe_pattern_part_pairs(const bipe_pattern *pattern, bipe_pattern_pair pair[128][128], bipe_error *err);

/* An automaton that finds the matches in a text that comes in pieces (regex_spans.h), which the caller closes. *spans is NULL where
 * the pattern is not for one. */
struct bipe_regex_spans;
int bipe_pattern_open_spans(const bipe_pattern *pattern, struct bipe_regex_spans **spans, bipe_error *err);

/* Whether bipe_pattern_part_at() can tell. */
bool bipe_pattern_parts(const bipe_pattern *pattern);
/* Of a text that goes on behind text[0 .. size): a place, as far behind as may be, up to which matches are sure whatever follows, and
 * from which on a search that begins there finds those of the whole. Behind it stands a character that no match has, or the last match
 * that is sure; or it is 0. BIPE_ERR_LIMIT: the pattern backtracks too much. */
int bipe_pattern_part_at(const bipe_pattern *pattern, const uint8_t *text, size_t size, size_t *place, bipe_error *err);

int bipe_matches_open(bipe_matches **matches, const bipe_pattern *pattern, bipe_error *err);
/* A text to search in, which stays the caller's. */
void bipe_matches_begin(bipe_matches *matches, const uint8_t *text, size_t size);
/* The next match: BIPE_OK with its place, BIPE_END when there is none. An empty match that stands at the end of the
 * one before is passed over. BIPE_ERR_LIMIT: the pattern backtracks too much. */
int bipe_matches_next(bipe_matches *matches, size_t *start, size_t *end, bipe_error *err);
void bipe_matches_close(bipe_matches *matches);

#endif
