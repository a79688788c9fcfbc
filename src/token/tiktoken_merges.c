/* tiktoken_merges.c - merges each string's bytes, shorter strings first: those that it needs are there then. */
#include "token/tiktoken_merges.h"

#include <string.h>

#include "base/alloc.h"
#include "token/merge_loop.h"

static size_t size_of(const bipe_vocabulary *v, uint32_t id)
{
    return v->end[id] - (id != 0 ? v->end[id - 1] : 0);
}

/* The ids of the strings of two bytes and more, by size: *ids (*count), the caller's to free; *longest. */
static int sort_by_size(const bipe_vocabulary *v, uint32_t **ids, size_t *count, size_t *longest)
{
    *longest = 1;
    for (size_t id = 0; id < v->count; id++)
        *longest = size_of(v, (uint32_t)id) > *longest ? size_of(v, (uint32_t)id) : *longest;
    size_t *place = bipe_alloc(*longest + 2, sizeof *place);
    *ids = bipe_alloc(v->count, sizeof **ids);
    *count = 0;
    for (size_t id = 0; place != NULL && *ids != NULL && id < v->count; id++)
        place[size_of(v, (uint32_t)id) + 1] += size_of(v, (uint32_t)id) > 1;
    for (size_t size = 1; place != NULL && size <= *longest; size++)
        place[size + 1] += place[size];
    for (size_t id = 0; place != NULL && *ids != NULL && id < v->count; id++)
        if (size_of(v, (uint32_t)id) > 1) {
            (*ids)[place[size_of(v, (uint32_t)id)]++] = (uint32_t)id;
            ++*count;
        }
    int status = place != NULL && *ids != NULL ? 0 : -1;
    bipe_free(place);
    return status;
}

int bipe_tiktoken_merges(bipe_pair_table *merges, const bipe_vocabulary *v, const uint32_t byte[256], bool *all, bipe_error *err)
{
    uint32_t *ids, *symbol, *end;
    size_t count, longest;
    bipe_merge_room room = {0};
    int status = sort_by_size(v, &ids, &count, &longest) == 0 ? BIPE_OK : bipe_fail_memory(err);
    symbol = bipe_alloc(longest, sizeof *symbol);
    end = bipe_alloc(longest, sizeof *end);
    *all = true;
    if (status == BIPE_OK && (symbol == NULL || end == NULL || bipe_pair_table_reserve(merges, count) != 0))
        status = bipe_fail_memory(err);
    for (size_t i = 0; status == BIPE_OK && i < count; i++) {
        size_t size, left;
        const uint8_t *text = bipe_vocabulary_text(v, ids[i], &size);
        for (size_t k = 0; k < size; k++) {
            symbol[k] = byte[text[k]];
            end[k] = (uint32_t)k + 1;
        }
        left = size;
        status = bipe_merge_row(&room, merges, symbol, end, &left, err);
        *all &= left == 2;
        if (status == BIPE_OK && left == 2 && bipe_pair_table_set(merges, symbol[0], symbol[1], ids[i], ids[i]) != 0)
            status = bipe_fail_memory(err);
    }
    bipe_free(ids);
    bipe_free(symbol);
    bipe_free(end);
    bipe_merge_room_free(&room);
    return status;
}
