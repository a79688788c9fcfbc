/* tiktoken_merges.c - merges each string's bytes, shorter strings first: the merges that it needs are known then. */
#include "token/merges/tiktoken_merges.h"

#include <string.h>

#include "base/alloc.h"
#include "token/merges/merge_loop.h"

enum { AT_ONCE = 1024, AHEAD = 8 }; /* strings */

static size_t size_of(const bipe_vocabulary *v, uint32_t id)
{
    return v->end[id] - (id != 0 ? v->end[id - 1] : 0);
}

/* The ids of the strings of two bytes and more, by size: *ids (*count), the caller's to free; *longest. */
static int sort_by_size(const bipe_vocabulary *v, size_t first, uint32_t **ids, size_t *count, size_t *longest)
{
    *longest = 1;
    for (size_t id = first; id < v->count; id++)
        *longest = size_of(v, (uint32_t)id) > *longest ? size_of(v, (uint32_t)id) : *longest;
    size_t *place = bipe_alloc(*longest + 2, sizeof *place);
    *ids = bipe_alloc(v->count, sizeof **ids);
    *count = 0;
    for (size_t id = first; place != NULL && *ids != NULL && id < v->count; id++)
        place[size_of(v, (uint32_t)id) + 1] += size_of(v, (uint32_t)id) > 1;
    for (size_t size = 1; place != NULL && size <= *longest; size++)
        place[size + 1] += place[size];
    for (size_t id = first; place != NULL && *ids != NULL && id < v->count; id++)
        if (size_of(v, (uint32_t)id) > 1) {
            (*ids)[place[size_of(v, (uint32_t)id)]++] = (uint32_t)id;
            ++*count;
        }
    int status = place != NULL && *ids != NULL ? 0 : -1;
    bipe_free(place);
    return status;
}

typedef struct search {
    const bipe_vocabulary *vocabulary;
    const uint32_t *byte;
    bipe_pair_table *merges;  /* that have been found */
    bipe_byte_merges *quick;  /* and those of short strings */
    uint32_t *name;           /* of each id, there */
    bool all;
    bipe_merge_room room;
    bipe_piece_tokens tokens;
    bipe_new_word word[AT_ONCE];
    uint32_t *symbol, *end;   /* of the longest string */
} search;

/* The symbols of the string of `id` that are left, if these are two. */
static int found(search *s, uint32_t id, size_t left, uint32_t first, uint32_t second, bipe_error *err)
{
    s->all &= left == 2;
    if (left != 2)
        return BIPE_OK;
    if (s->quick->byte != NULL)
        bipe_byte_merges_put(s->quick, s->name[first], s->name[second], s->name[id]);
    return bipe_pair_table_set(s->merges, first, second, id, id) == 0 ? BIPE_OK : bipe_fail_memory(err);
}

_Static_assert((int)BIPE_VOCABULARY_SLACK >= (int)BIPE_WORD_READ, "strings of a vocabulary are words");

/* Strings of one size, which do not need each other: side by side, */
static int merge_quickly(search *s, const uint32_t *ids, size_t count, bipe_error *err)
{
    for (size_t i = 0; i < count; i++) {
        s->word[i] = (bipe_new_word){0};
        s->word[i].text = bipe_vocabulary_text(s->vocabulary, ids[i], &s->word[i].size);
    }
    s->tokens.count = 0;
    int status = bipe_byte_merges_run(s->quick, s->word, count, &s->tokens) == 0 ? BIPE_OK : bipe_fail_memory(err);
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        if (i + AHEAD < count) {
            const bipe_piece_token *later = s->tokens.token + s->word[i + AHEAD].at; /* room for two in any case */
            __builtin_prefetch(bipe_pair_table_first(s->merges, later[0].id, later[1].id), 1);
        }
        const bipe_piece_token *token = s->tokens.token + s->word[i].at;
        status = found(s, ids[i], s->word[i].count, token[0].id, token[1].id, err);
    }
    return status;
}

/* or one by one. */
static int merge_slowly(search *s, const uint32_t *ids, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        size_t size, left;
        const uint8_t *text = bipe_vocabulary_text(s->vocabulary, ids[i], &size);
        for (size_t k = 0; k < size; k++) {
            s->symbol[k] = s->byte[text[k]];
            s->end[k] = (uint32_t)k + 1;
        }
        left = size;
        status = bipe_merge_row(&s->room, s->merges, s->symbol, s->end, &left, err);
        if (status == BIPE_OK)
            status = found(s, ids[i], left, s->symbol[0], s->symbol[1], err);
    }
    return status;
}

static int merge_all(search *s, const uint32_t *ids, size_t count, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0, n; status == BIPE_OK && i < count; i += n) {
        size_t size = size_of(s->vocabulary, ids[i]);
        for (n = 1; n < AT_ONCE && i + n < count && size_of(s->vocabulary, ids[i + n]) == size;)
            n++;
        status = s->quick->byte != NULL && size <= BIPE_BYTE_MERGES_MOST ? merge_quickly(s, ids + i, n, err)
                                                                        : merge_slowly(s, ids + i, n, err);
    }
    return status;
}

int bipe_tiktoken_merges(bipe_pair_table *merges, bipe_byte_merges *quick, const bipe_vocabulary *v, size_t first, const uint32_t byte[256],
                         bool *all, bipe_error *err)
{
    uint32_t *ids = NULL;
    size_t count = 0, longest = 1;
    search *s = bipe_alloc(1, sizeof *s);
    if (s == NULL || sort_by_size(v, first, &ids, &count, &longest) != 0) {
        bipe_free(ids);
        bipe_free(s);
        return bipe_fail_memory(err);
    }
    s->vocabulary = v;
    s->byte = byte;
    s->merges = merges;
    s->quick = quick;
    s->all = true;
    s->symbol = bipe_alloc(longest + 1, sizeof *s->symbol);
    s->end = bipe_alloc(longest + 1, sizeof *s->end);
    s->name = bipe_realloc(NULL, v->count, sizeof *s->name);
    int status = s->symbol == NULL || s->end == NULL || s->name == NULL || bipe_pair_table_reserve(merges, count) != 0 ||
                         bipe_byte_merges_begin(quick, byte, s->name, v->count) != 0
                     ? bipe_fail_memory(err)
                     : BIPE_OK;
    if (status == BIPE_OK)
        status = merge_all(s, ids, count, err);
    *all = s->all;
    bipe_free(ids);
    bipe_free(s->symbol);
    bipe_free(s->end);
    bipe_free(s->name);
    bipe_free(s->tokens.token);
    bipe_merge_room_free(&s->room);
    bipe_free(s);
    return status;
}
