/* regex.c - a segment ends after each leftmost non-empty match of a PCRE2 pattern, found in a stream.
 *
 * The answer is the one that a search of the whole document would give, wherever the input is cut. Most patterns are searched by an
 * automaton (text/regex_search.h), all others by PCRE2 (text/pcre2_search.h). */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bipe/segmenter.h>
#include "text/pcre2_search.h"
#include "text/regex_search.h"

typedef struct regex {
    bipe_regex_program *program;  /* NULL: not a pattern for an automaton */
    bipe_regex_search *automaton; /* one of these two */
    bipe_pcre2_search *pcre2;
    bipe_boundaries *boundaries;  /* where they put what they find */
    bool is_set;                  /* the pattern means a set of bytes: */
    bipe_byte_set separators;
} regex;

static int take_ends(void *context, const uint64_t *ends, size_t count)
{
    regex *r = context;
    for (size_t i = 0; i < count; i++)
        if (bipe_boundaries_add(r->boundaries, ends[i]) != BIPE_SEGMENTER_OK)
            return BIPE_ERR_MEMORY;
    return BIPE_OK;
}

/* A pattern that ends a segment behind each of a set of ASCII characters means the same wherever they stand, also beside bytes
 * that are no UTF-8. */
static void find_separators(regex *r)
{
    uint8_t member[256];
    r->is_set = bipe_regex_program_is_set(r->program, member);
    for (unsigned b = 0; b < 256 && r->is_set; b++)
        if (member[b] != 0)
            bipe_byte_set_add(&r->separators, (uint8_t)b);
}

/* What the interface returns for a status of the searches, with its text. */
static int told(int status, const bipe_error *err, char *error, size_t error_size)
{
    if (status == BIPE_OK || status == BIPE_ERR_MEMORY)
        return status == BIPE_OK ? BIPE_SEGMENTER_OK : BIPE_SEGMENTER_MEMORY;
    snprintf(error, error_size, "%s", err->text);
    return status == BIPE_ERR_ARGUMENT ? BIPE_SEGMENTER_ARGUMENT : status == BIPE_ERR_LIMIT ? BIPE_SEGMENTER_LIMIT : BIPE_SEGMENTER_FAILURE;
}

static void regex_close(void *state)
{
    regex *r = state;
    bipe_regex_search_close(r->automaton);
    bipe_pcre2_search_close(r->pcre2);
    bipe_regex_program_free(r->program);
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
    int status = bipe_pcre2_check(argument, &err);
    if (status == BIPE_OK)
        status = bipe_regex_program_build(&r->program, argument, strlen(argument), &(bipe_regex_options){0}, &err);
    if (status == BIPE_OK && r->program != NULL) {
        find_separators(r);
        status = bipe_regex_search_open(&r->automaton, r->program, take_ends, r, &err);
    } else if (status == BIPE_OK) {
        status = bipe_pcre2_search_open(&r->pcre2, argument, take_ends, r, &err);
    }
    if (status != BIPE_OK) {
        regex_close(r);
        return told(status, &err, error, error_size);
    }
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
    if (r->automaton != NULL)
        bipe_regex_search_begin(r->automaton);
    else
        bipe_pcre2_search_begin(r->pcre2);
    return BIPE_SEGMENTER_OK;
}

static int search(regex *r, const uint8_t *bytes, size_t size, bool last, bipe_boundaries *boundaries)
{
    bipe_error err;
    r->boundaries = boundaries;
    int status = r->automaton != NULL ? bipe_regex_search_feed(r->automaton, bytes, size, last, &err)
                                      : bipe_pcre2_search_feed(r->pcre2, bytes, size, last, &err);
    uint64_t settled = r->automaton != NULL ? bipe_regex_search_settled(r->automaton) : bipe_pcre2_search_settled(r->pcre2);
    if (status == BIPE_OK && !last && settled < boundaries->settled)
        boundaries->settled = settled;
    return told(status, &err, boundaries->error, boundaries->error_size);
}

static int regex_bytes(void *state, uint64_t offset, const uint8_t *bytes, size_t size, bipe_boundaries *boundaries)
{
    (void)offset;
    return search(state, bytes, size, false, boundaries);
}

static int regex_end(void *state, uint64_t size, bipe_boundaries *boundaries)
{
    (void)size;
    return search(state, NULL, 0, true, boundaries);
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
