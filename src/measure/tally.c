/* tally.c - rows of counts, sorted by the length of the window. */
#include "measure/tally.h"

#include <string.h>

#include "base/alloc.h"

bipe_tally_row *bipe_tally_row_at(bipe_tally *tally, uint64_t length)
{
    size_t i = 0;
    while (i < tally->count && tally->row[i].length < length)
        i++;
    if (i < tally->count && tally->row[i].length == length)
        return &tally->row[i];
    if (bipe_grow(&tally->row, &tally->capacity, tally->count + 1, sizeof *tally->row) != 0)
        return NULL;
    memmove(&tally->row[i + 1], &tally->row[i], (tally->count - i) * sizeof *tally->row);
    tally->count++;
    tally->row[i] = (bipe_tally_row){.length = length};
    return &tally->row[i];
}

int bipe_tally_add(bipe_tally *into, const bipe_tally *from, bipe_error *err)
{
    int status = BIPE_OK;
    for (size_t i = 0; i < from->count && status == BIPE_OK; i++) {
        const bipe_tally_row *more = &from->row[i];
        bipe_tally_row *row = bipe_tally_row_at(into, more->length);
        if (row == NULL)
            return bipe_fail_memory(err);
        status = bipe_histogram_merge(&row->tokens, &more->tokens, err);
        if (status == BIPE_OK)
            status = bipe_histogram_merge(&row->segments, &more->segments, err);
        if (status == BIPE_OK)
            status = bipe_histogram_merge(&row->finer, &more->finer, err);
    }
    return status;
}

size_t bipe_tally_memory(const bipe_tally *tally)
{
    size_t memory = 0;
    for (size_t i = 0; i < tally->count; i++)
        memory += bipe_histogram_memory(&tally->row[i].tokens) + bipe_histogram_memory(&tally->row[i].segments) +
                  bipe_histogram_memory(&tally->row[i].finer);
    return memory;
}

void bipe_tally_free(bipe_tally *tally)
{
    for (size_t i = 0; i < tally->count; i++) {
        bipe_histogram_free(&tally->row[i].tokens);
        bipe_histogram_free(&tally->row[i].segments);
        bipe_histogram_free(&tally->row[i].finer);
    }
    bipe_free(tally->row);
    *tally = (bipe_tally){0};
}
