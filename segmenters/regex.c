/* regex.c - a segment ends after each leftmost non-empty match of a PCRE2 pattern, found in a stream.
 *
 * The result is that of a search of the whole document, wherever the input is cut (text/pcre2_search.h). Patterns that
 * match single ASCII characters are left to the scanner of bytes. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bipe/segmenter.h>
#include "text/pattern_pairs.h"
#include "text/pcre2_search.h"

typedef struct regex {
    bipe_pcre2_search *search;
    bipe_boundaries *boundaries; /* of the present call */
    bool is_set;                 /* the pattern matches single bytes, these: */
    bipe_byte_set separators;
} regex;

static int on_match(void *context, uint64_t start, uint64_t end)
{
    const regex *r = context;
    (void)start;
    return bipe_boundaries_add(r->boundaries, end) == BIPE_SEGMENTER_OK ? BIPE_OK : BIPE_ERR_MEMORY;
}

static void find_separators(regex *r, const char *pattern)
{
    uint8_t member[256];
    r->is_set = bipe_pattern_set(pattern, strlen(pattern), member);
    for (unsigned b = 0; b < 256 && r->is_set; b++)
        if (member[b] != 0)
            bipe_byte_set_add(&r->separators, (uint8_t)b);
}

/* Converts a status of the search, with its text, to one of the interface. */
static int segmenter_status(int status, const bipe_error *err, char *error, size_t error_size)
{
    if (status == BIPE_OK || status == BIPE_ERR_MEMORY)
        return status == BIPE_OK ? BIPE_SEGMENTER_OK : BIPE_SEGMENTER_MEMORY;
    snprintf(error, error_size, "%s", err->text);
    return status == BIPE_ERR_ARGUMENT ? BIPE_SEGMENTER_ARGUMENT
           : status == BIPE_ERR_LIMIT  ? BIPE_SEGMENTER_LIMIT
                                       : BIPE_SEGMENTER_FAILURE;
}

static void regex_close(void *state)
{
    regex *r = state;
    bipe_pcre2_search_close(r->search);
    free(r);
}

static int regex_open(void **state, const char *argument, char *error, size_t error_size)
{
    bipe_error err;
    if (argument == NULL || *argument == '\0') {
        snprintf(error, error_size, "no pattern, expected regex:PATTERN");
        return BIPE_SEGMENTER_ARGUMENT;
    }
    regex *r = calloc(1, sizeof *r);
    if (r == NULL)
        return BIPE_SEGMENTER_MEMORY;
    int status = bipe_pcre2_search_open(&r->search, argument, on_match, r, &err);
    if (status != BIPE_OK) {
        regex_close(r);
        return segmenter_status(status, &err, error, error_size);
    }
    find_separators(r, argument);
    *state = r;
    return BIPE_SEGMENTER_OK;
}

static int regex_separators(void *state, bipe_byte_set *set)
{
    const regex *r = state;
    *set = r->separators;
    return r->is_set;
}

static int regex_begin(void *state)
{
    regex *r = state;
    bipe_pcre2_search_begin(r->search);
    return BIPE_SEGMENTER_OK;
}

static int search_bytes(regex *r, const uint8_t *bytes, size_t size, bool last, bipe_boundaries *boundaries)
{
    bipe_error err;
    r->boundaries = boundaries;
    int status = bipe_pcre2_search_feed(r->search, bytes, size, last, &err);
    uint64_t settled = bipe_pcre2_search_settled(r->search);
    if (settled < boundaries->settled)
        boundaries->settled = settled;
    return segmenter_status(status, &err, boundaries->error, boundaries->error_size);
}

static int regex_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    (void)offset;
    return search_bytes(state, bytes, size, false, boundaries);
}

static int regex_end(void *state, uint64_t size, bipe_boundaries *boundaries)
{
    (void)size;
    return search_bytes(state, NULL, 0, true, boundaries);
}

const bipe_segmenter bipe_segmenter_regex = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "regex",
    .argument = "PATTERN",
    .summary = "each match of a Perl-compatible regular expression",
    .open = regex_open,
    .begin = regex_begin,
    .bytes = regex_bytes,
    .end = regex_end,
    .close = regex_close,
    .separators = regex_separators,
};
