/* tiktoken_merges.c - merges each string's bytes, shorter strings first: the merges that it needs are known then. */
#include "token/merges/tiktoken_merges.h"

#include <string.h>

#include "base/alloc.h"
#include "token/merges/merge_loop.h"

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

/* Merges the bytes of each string, and enters the merge of those of which two symbols are left. */
static int merge_all(bipe_pair_table *merges, const bipe_vocabulary *v, const uint32_t byte[256], const uint32_t *ids, size_t count,
                     bipe_symbol_row *row, bool *all, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        size_t size, left;
        const uint8_t *text = bipe_vocabulary_text(v, ids[i], &size);
        row->count = 0;
        for (size_t k = 0; status == BIPE_OK && k < size; k++)
            status = bipe_symbol_row_add(row, byte[text[k]], 1, err);
        left = size;
        if (status == BIPE_OK)
            status = bipe_merge_row(&row->room, merges, row->symbol, row->end, &left, err);
        *all = *all && left == 2;
        if (status == BIPE_OK && left == 2 && bipe_pair_table_set(merges, row->symbol[0], row->symbol[1], ids[i], ids[i]) != 0)
            status = bipe_fail_memory(err);
    }
    return status;
}

int bipe_tiktoken_merges(bipe_pair_table *merges, const bipe_vocabulary *v, size_t first, const uint32_t byte[256], bool *all,
                         bipe_error *err)
{
    uint32_t *ids = NULL;
    size_t count = 0, longest;
    bipe_symbol_row row = {0};
    int status = sort_by_size(v, first, &ids, &count, &longest) == 0 && bipe_pair_table_reserve(merges, count) == 0 ? BIPE_OK
                                                                                                                   : bipe_fail_memory(err);
    *all = true;
    if (status == BIPE_OK)
        status = merge_all(merges, v, byte, ids, count, &row, all, err);
    bipe_free(ids);
    bipe_symbol_row_free(&row);
    return status;
}
