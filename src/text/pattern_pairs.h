/* pattern_pairs.h - reads a pattern to find where a text may be cut: between which characters no match can lie. */
#ifndef BIPE_TEXT_PATTERN_PAIRS_H
#define BIPE_TEXT_PATTERN_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Properties of each boundary between two characters, the second of which is ASCII. keeps: no match crosses it, and the
 * halves of a text cut there have the matches of the whole. splits: a match or the text between two ends there. */
typedef struct bipe_pattern_pair {
    bool keeps, splits;
} bipe_pattern_pair;

/* As x: any character beyond ASCII that is bipe_is_visible() (unicode.h). */
enum { BIPE_PATTERN_VISIBLE = 128, BIPE_PATTERN_BEFORE = 129 };

/* Fills pair[x][y], x before y, for patterns of characters, classes, groups, alternatives, quantifiers and
 * look-arounds, with '^' and '$' as (?m:^) and (?m:$); all false for other patterns and for those that can match the
 * empty string. Properties follow Unicode 16.0. */
void bipe_pattern_pairs(const char *pattern, size_t size, bipe_pattern_pair pair[BIPE_PATTERN_BEFORE][128]);

/* Whether a pattern matches single ASCII characters and nothing else: \n, [.!?], a|b. Sets member[b] to 1 for these, to
 * 0 for others. */
bool bipe_pattern_set(const char *pattern, size_t size, uint8_t member[256]);

#endif
