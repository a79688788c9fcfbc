/* pcre2_engine.h - PCRE2 for all searches: options, allocation, errors, and matching with bounds on memory and time. */
#ifndef BIPE_TEXT_PCRE2_ENGINE_H
#define BIPE_TEXT_PCRE2_ENGINE_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Compiles with UTF, UCP, LF as the newline, any \R, without \C, and with `options`. pattern[size] is NUL.
 * BIPE_ERR_ARGUMENT: not a pattern. */
int bipe_pcre2_compile(pcre2_code **code, const char *pattern, size_t size, uint32_t options, bipe_error *err);
/* A pattern for both kinds of text, compiled to machine code, also for partial matches, where PCRE2's JIT is known to
 * be right. */
typedef struct bipe_pcre2_codes {
    pcre2_code *valid;   /* for text that is UTF-8 */
    pcre2_code *invalid; /* for any text: no match crosses bytes that are not UTF-8 */
    bool slices;         /* see bipe_pcre2_match() */
    const uint8_t *starts; /* of `valid`: a bit for each byte, set where a match may start with it; NULL: not known, or
                              without `slices` */
} bipe_pcre2_codes;

/* Compiles `pattern` as bipe_pcre2_compile() does; source: what it was made of. Zero-initialise; closed in either
 * case. */
int bipe_pcre2_codes_open(bipe_pcre2_codes *codes, const char *pattern, size_t size, const char *source,
                          uint32_t options, bipe_error *err);
void bipe_pcre2_codes_close(bipe_pcre2_codes *codes);
/* How many characters before its start a match may depend on. */
size_t bipe_pcre2_looks_behind(const pcre2_code *code, const char *pattern);

/* The matching state of one thread; members are private. Patterns are compiled with PCRE2_USE_OFFSET_LIMIT. */
typedef struct bipe_pcre2_matcher {
    pcre2_general_context *general;
    pcre2_match_context *context;
    pcre2_match_data *data;         /* the range of the last match, partial or not */
    pcre2_jit_stack *stack;         /* created when JIT's own 32 KiB are not enough */
    size_t steps, limit;            /* as set in `context` */
    size_t attempts, sight;         /* starts tried in one call; bytes in sight for which that was fast */
    size_t work;                    /* bytes in sight of all calls since the clock was read */
    uint64_t clock, spent, allowed; /* nanoseconds of processor time; clock 0: not running */
} bipe_pcre2_matcher;

int bipe_pcre2_matcher_open(bipe_pcre2_matcher *matcher, bipe_error *err);
void bipe_pcre2_matcher_close(bipe_pcre2_matcher *matcher);
/* Begins another text: releases large memory, and allows 5 s of processor time. Opening does so, too. */
void bipe_pcre2_matcher_begin(bipe_pcre2_matcher *matcher);
/* Allows 20 us more per byte. */
void bipe_pcre2_matcher_allow(bipe_pcre2_matcher *matcher, size_t bytes);
/* Restarts the clock: time since the last match is not counted. */
void bipe_pcre2_matcher_resume(bipe_pcre2_matcher *matcher);

enum { BIPE_PCRE2_SLOW = -10000 };
/* The first match in text[0 .. size) that starts at `at` or after it, before `end` where that is not `size`. Returns
 * what pcre2_match() does, or BIPE_PCRE2_SLOW: the time is spent. slices: attempts at different starts are independent,
 * so PCRE2 may be called several times, each for some of the starts, which keeps calls short. */
int bipe_pcre2_match(bipe_pcre2_matcher *matcher, const pcre2_code *code, const uint8_t *text, size_t size, size_t at,
                     size_t end, uint32_t options, bool slices);

/* Reports why a match failed: BIPE_ERR_MEMORY, BIPE_ERR_LIMIT, or BIPE_ERR_UNSUPPORTED for anything else. */
int bipe_pcre2_fail(int number, bipe_error *err);

#endif
