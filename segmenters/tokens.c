/* tokens.c - a segment ends after each token with one of the given ids, unless the token is empty. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <bipe/segmenter.h>

typedef struct id_set {
    size_t count;
    uint32_t id[]; /* (count), sorted */
} id_set;

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Reads "ID[,ID...]" into id[] (NULL: only counts). Returns the number of ids, 0: invalid text. */
static size_t parse_ids(const char *text, uint32_t *id)
{
    size_t count = 0;
    for (;; text++) {
        uint64_t value = 0;
        if (*text < '0' || *text > '9')
            return 0;
        for (; *text >= '0' && *text <= '9'; text++) {
            value = value * 10 + (uint64_t)(*text - '0');
            if (value > UINT32_MAX)
                return 0;
        }
        if (id != NULL)
            id[count] = (uint32_t)value;
        count++;
        if (*text == '\0')
            return count;
        if (*text != ',')
            return 0;
    }
}

static int tokens_open(void **state, const char *argument, char *error, size_t error_size)
{
    size_t count = argument != NULL ? parse_ids(argument, NULL) : 0;
    if (count == 0) {
        snprintf(error, error_size, "%s, expected tokens:ID[,ID...] with each ID from 0 to 4294967295",
                 argument == NULL ? "no token ids" : "not a list of token ids");
        return BIPE_SEGMENTER_ARGUMENT;
    }
    id_set *set = malloc(sizeof *set + count * sizeof *set->id);
    if (set == NULL)
        return BIPE_SEGMENTER_MEMORY;
    set->count = parse_ids(argument, set->id);
    qsort(set->id, set->count, sizeof *set->id, compare_ids);
    *state = set;
    return BIPE_SEGMENTER_OK;
}

static bool holds_id(const id_set *set, uint32_t id)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && set->id[low] == id;
}

static int tokens_tokens(void *state, const bipe_token *tokens, size_t count, bipe_boundaries *boundaries)
{
    const id_set *set = state;
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].end == tokens[i].start || !holds_id(set, tokens[i].id))
            continue;
        int status = bipe_boundaries_add(boundaries, tokens[i].end);
        if (status != BIPE_SEGMENTER_OK)
            return status;
    }
    return BIPE_SEGMENTER_OK;
}

const bipe_segmenter bipe_segmenter_tokens = {
    .abi = BIPE_SEGMENTER_ABI,
    .name = "tokens",
    .argument = "ID[,ID...]",
    .summary = "each token with one of these ids",
    .open = tokens_open,
    .tokens = tokens_tokens,
    .close = free,
};
