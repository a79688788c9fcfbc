/* regex_filter.h - finds the places of a text where a match of a pattern can start, as fast as the machine can: by the sets of bytes
 * that stand before such a place, at it, and one and two behind it. */
#ifndef BIPE_TEXT_REGEX_FILTER_H
#define BIPE_TEXT_REGEX_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BIPE_REGEX_REACH = 4, BIPE_REGEX_BEFORE = 1 }; /* sets, of which so many stand before the place */

typedef struct bipe_regex_filter bipe_regex_filter;

/* Writes a bit for each place at[0 .. 64 * words), set: may be one. Looks at bytes from at[-1] to at[64 * words + 1]. */
typedef void bipe_regex_scan(const bipe_regex_filter *filter, const uint8_t *at, size_t words, uint64_t *bits);

typedef enum bipe_regex_kind {
    BIPE_REGEX_ALL,   /* every byte: need not be looked at */
    BIPE_REGEX_PAIR,  /* the bytes pair[0] and pair[1], which may be the same */
    BIPE_REGEX_LOWER, /* none from 128 on */
    BIPE_REGEX_ANY
} bipe_regex_kind;

struct bipe_regex_filter {
    bipe_regex_scan *scan;                 /* the best that this machine can run */
    uint8_t member[256];                   /* bit k: in set k */
    bipe_regex_kind kind[BIPE_REGEX_REACH]; /* of set k, the first that fits */
    uint8_t pair[BIPE_REGEX_REACH][2];
    uint8_t low[BIPE_REGEX_REACH][16];     /* byte b < 128 of set k: bit b / 16 of low[k][b % 16] */
    uint8_t high[BIPE_REGEX_REACH][16];    /* byte b >= 128: bit b / 16 - 8 of high[k][b % 16] */
};

/* Completes a filter of which `member` is set. */
void bipe_regex_filter_prepare(bipe_regex_filter *filter);
/* How often a byte of set k stands in natural text, about. */
double bipe_regex_filter_share(const bipe_regex_filter *filter, unsigned k);

typedef struct bipe_regex_scanner {
    const char *name;
    bool (*usable)(void); /* on this machine */
    bipe_regex_scan *scan;
} bipe_regex_scanner;

/* All that were built in, the fastest first, the plain one last; a NULL name ends the list. */
extern const bipe_regex_scanner bipe_regex_scanners[];

/* One for each file: use the list. */
bipe_regex_scan bipe_regex_scan_plain;
#if defined(__x86_64__) && defined(__GNUC__)
#define BIPE_REGEX_FILTER_X86 1
bool bipe_regex_avx512_usable(void), bipe_regex_avx2_usable(void);
bipe_regex_scan bipe_regex_scan_avx512, bipe_regex_scan_avx2;
#endif
#if defined(__aarch64__) && defined(__ARM_NEON)
#define BIPE_REGEX_FILTER_NEON 1
bipe_regex_scan bipe_regex_scan_neon;
#endif

#endif
