/* fixed.c - a segment ends after every N tokens of the tokenizer in use.
 *
 * Empty tokens count as well. Where the N-th token ends no further than the boundary before (N empty tokens in a
 * row), there is nothing to report, but the count starts again. */
#include <stdio.h>
#include <stdlib.h>

#include <bipe/segmenter.h>

typedef struct fixed {
    uint64_t every;
    uint64_t count; /* tokens since the count last started */
    uint64_t last;  /* the previous boundary */
} fixed;

/* N, 1 to 2^32 - 1, with an optional k or m; 0: invalid. */
static uint64_t parse_count(const char *text)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (uint64_t)(*at - '0');
        if (value > UINT32_MAX)
            return 0;
    }
    if (at == text)
        return 0;
    if (*at == 'k' || *at == 'K')
        value <<= 10, at++;
    else if (*at == 'm' || *at == 'M')
        value <<= 20, at++;
    return *at == '\0' && value <= UINT32_MAX ? value : 0;
}

static int fixed_open(void **state, const char *argument, char *error, size_t error_size)
{
    uint64_t every = argument != NULL ? parse_count(argument) : 0;
    if (every == 0) {
        snprintf(error, error_size, "%s, expected fixed:N with N from 1 to 4294967295 (k: 1024, m: 1048576)",
                 argument == NULL ? "no number of tokens" : "not a number of tokens");
        return BIPE_SEGMENTER_ARGUMENT;
    }
    fixed *f = calloc(1, sizeof *f);
    if (f == NULL)
        return BIPE_SEGMENTER_MEMORY;
    f->every = every;
    *state = f;
    return BIPE_SEGMENTER_OK;
}

static int fixed_begin(void *state)
{
    fixed *f = state;
    f->count = f->last = 0;
    return BIPE_SEGMENTER_OK;
}

static int fixed_tokens(void *state, const bipe_token *tokens, size_t count, bipe_boundaries *boundaries)
{
    fixed *f = state;
    for (size_t i = 0; i < count; i++) {
        if (++f->count < f->every)
            continue;
        f->count = 0;
        if (tokens[i].end <= f->last)
            continue;
        f->last = tokens[i].end;
        int status = bipe_boundaries_add(boundaries, f->last);
        if (status != BIPE_SEGMENTER_OK)
            return status;
    }
    /* An empty token that comes next may still end a segment where the last token ended. */
    if (boundaries->settled > f->last)
        boundaries->settled--;
    return BIPE_SEGMENTER_OK;
}

const bipe_segmenter bipe_segmenter_fixed = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "fixed",
    .argument = "N",
    .summary = "every N tokens",
    .open = fixed_open,
    .begin = fixed_begin,
    .tokens = fixed_tokens,
    .close = free,
};
