/* merge_loop.h - byte-pair encoding: merges neighbours in a row of symbols, best pair first and the leftmost of equals,
 * until no pair is left. */
#ifndef BIPE_TOKEN_MERGE_LOOP_H
#define BIPE_TOKEN_MERGE_LOOP_H

#include "base/status.h"
#include "token/pair_table.h"

enum {
    BIPE_NO_SYMBOL = 0x7FFFFFFF,
    BIPE_MERGE_SHORT = 48 /* rows up to this length are merged without a heap */
};

/* Scratch memory, used for one row after the other. Zero-initialise. */
typedef struct bipe_merge_memory {
    struct bipe_merge_node *node;
    uint64_t *heap;
    size_t node_capacity, heap_capacity;
} bipe_merge_memory;

/* symbol: (count), below BIPE_NO_SYMBOL; end: (count). On return *count tokens remain: token k is symbol[k] and covers
 * input symbols end[k - 1] .. end[k] - 1 (from 0 for k = 0). merges: (left, right) -> (rank, symbol); ranks are below
 * UINT32_MAX. *count is below 2^31 - 1. BIPE_ERR_MEMORY. */
int bipe_merge_row(bipe_merge_memory *memory, const bipe_pair_table *merges, uint32_t *symbol, uint32_t *end,
                   size_t *count, bipe_error *err);

/* A row of symbols, each with its number of bytes. Zero-initialise; count = 0 empties it. */
typedef struct bipe_symbol_row {
    uint32_t *symbol, *size, *end; /* (count); end: as above, once they are merged */
    size_t count, symbol_capacity, size_capacity, end_capacity;
    bipe_merge_memory memory;
} bipe_symbol_row;

int bipe_symbol_row_grow(bipe_symbol_row *row, bipe_error *err);
static inline int bipe_symbol_row_add(bipe_symbol_row *row, uint32_t symbol, uint32_t size, bipe_error *err)
{
    if (row->count >= row->end_capacity) {
        int status = bipe_symbol_row_grow(row, err);
        if (status != BIPE_OK)
            return status;
    }
    row->symbol[row->count] = symbol;
    row->size[row->count++] = size;
    return BIPE_OK;
}
void bipe_symbol_row_free(bipe_symbol_row *row);

#endif
