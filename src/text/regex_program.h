/* regex_program.h - patterns that a finite automaton answers exactly as PCRE2 would: with its leftmost match, of which alternatives
 * are tried from left to right, as often or as seldom as their quantifiers want.
 *
 * What such a pattern may hold: characters, classes, groups, alternatives, greedy and lazy quantifiers (possessive ones where giving
 * back would not help), ^ $ \A \z \b \B, look-arounds over one character, (?i) (?m) (?s). All else is PCRE2's. */
#ifndef BIPE_TEXT_REGEX_PROGRAM_H
#define BIPE_TEXT_REGEX_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Does not change once it is built; threads share it. */
typedef struct bipe_regex_program bipe_regex_program;

typedef struct bipe_regex_options {
    bool dollar_endonly; /* as PCRE2_DOLLAR_ENDONLY; else a '$' that is no (?m) one is not for an automaton */
} bipe_regex_options;

/* Builds the program of a pattern that PCRE2 takes, with UTF, UCP and a newline of LF. BIPE_OK, and *program is NULL when the
 * pattern is not one for an automaton. Or BIPE_ERR_MEMORY. */
int bipe_regex_program_build(bipe_regex_program **program, const char *pattern, size_t size, const bipe_regex_options *options,
                             bipe_error *err);
void bipe_regex_program_free(bipe_regex_program *program);

/* Whether the pattern can match nothing at all. */
bool bipe_regex_program_is_nullable(const bipe_regex_program *program);

/* Whether the pattern matches each one of a set of ASCII characters, whatever stands around it, and nothing else. Then member[b] is 1 for
 * the bytes of the set, 0 for others. */
bool bipe_regex_program_is_set(const bipe_regex_program *program, uint8_t member[256]);

#endif
