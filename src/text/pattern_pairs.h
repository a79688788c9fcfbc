/* pattern_pairs.h - reads simple patterns, to know where a text may be cut: between which characters no match can stand. */
#ifndef BIPE_TEXT_PATTERN_PAIRS_H
#define BIPE_TEXT_PATTERN_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What holds for a place between two characters of ASCII. keeps: no match crosses it, and a text that is cut there has the same matches.
 * splits: a match or the text between two matches always ends there. */
typedef struct bipe_pattern_pair {
    bool keeps, splits;
} bipe_pattern_pair;

/* Fills pair[x][y] for x before y. For alternatives of characters and classes with quantifiers, like \s?[A-Z]+|[0-9]; all false for any
 * other pattern (groups, look-arounds, ...). Properties are those of Unicode 16.0. */
void bipe_pattern_pairs(const char *pattern, size_t size, bipe_pattern_pair pair[128][128]);

/* Whether a pattern matches each character of a set of ASCII characters by itself and nothing else: \n, [.!?], a|b. Sets member[b] to 1
 * for these, to 0 for all others. */
bool bipe_pattern_set(const char *pattern, size_t size, uint8_t member[256]);

#endif
