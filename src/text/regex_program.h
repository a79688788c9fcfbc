/* regex_program.h - patterns that a finite automaton answers exactly as PCRE2 would: with its leftmost match, of which alternatives
 * are tried from left to right, as often or as seldom as their quantifiers want.
 *
 * What such a pattern may hold: characters, classes, groups, alternatives, greedy and lazy quantifiers (possessive ones where giving
 * back would not help), ^ $ \A \z \b \B \R, look-arounds over one character, (?i) (?m) (?s). All else is PCRE2's. */
#ifndef BIPE_TEXT_REGEX_PROGRAM_H
#define BIPE_TEXT_REGEX_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "text/pattern.h" /* bipe_pattern_pair */

/* Does not change once it is built; threads share it. */
typedef struct bipe_regex_program bipe_regex_program;

typedef struct bipe_regex_options {
    bool dollar_endonly; /* as PCRE2_DOLLAR_ENDONLY; else a '$' that is no (?m) one is not for an automaton */
    bool unicode16;      /* properties are those of Unicode 16.0 instead of PCRE2's, and known at once */
    bool whole; /* asks PCRE2 for all characters at once, which takes milliseconds, so that more can be told about the pattern;
                 * else for those that a text holds */
} bipe_regex_options;

/* Builds the program of a pattern that PCRE2 takes, with UTF, UCP and a newline of LF and any \R. BIPE_OK, and *program is NULL when the
 * pattern is not one for an automaton. Or BIPE_ERR_MEMORY. */
int bipe_regex_program_build(bipe_regex_program **program, const char *pattern, size_t size, const bipe_regex_options *options,
                             bipe_error *err);
void bipe_regex_program_free(bipe_regex_program *program);

/* Whether the pattern can match nothing at all. */
bool bipe_regex_program_is_nullable(const bipe_regex_program *program);

/* Whether what stands before a place matters to it, the start of the text included. */
bool bipe_regex_program_looks_back(const bipe_regex_program *program);

/* Whether a match can only start at few places of natural text. */
bool bipe_regex_program_is_rare(const bipe_regex_program *program);

/* Whether the pattern matches each one of a set of ASCII characters, whatever stands around it, and nothing else. Then member[b] is 1 for
 * the bytes of the set, 0 for others. */
bool bipe_regex_program_is_set(const bipe_regex_program *program, uint8_t member[256]);

/* Places of a text: in front of one of the ASCII characters `at` that stands between one of `before` and one of `behind` (NULL: anything,
 * or nothing). */
typedef struct bipe_regex_place {
    const char *before, *at, *behind;
} bipe_regex_place;

/* *keeps: no match goes across such a place, and the matches on either side are the same when the text is cut there. *splits: each match
 * and each stretch between matches that is not empty ends there, too, whatever the text is cut into elsewhere. False where that is not
 * sure. */
int bipe_regex_program_part(const bipe_regex_program *program, const bipe_regex_place *place, bool *keeps, bool *splits, bipe_error *err);
/* The same for all places between two characters of ASCII; pair: all false before. */
int bipe_regex_program_part_pairs(const bipe_regex_program *program, bipe_pattern_pair pair[128][128], bipe_error *err);

#endif
