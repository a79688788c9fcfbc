/* code_set.h - sets of characters, as ranges of code points. */
#ifndef BIPE_TEXT_CODE_SET_H
#define BIPE_TEXT_CODE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { BIPE_CODES = 0x110000 };

typedef struct bipe_code_range {
    int32_t first, last;
} bipe_code_range;

/* Sorted ranges that neither overlap nor touch. */
typedef struct bipe_code_set {
    bipe_code_range *range;
    size_t count, capacity;
} bipe_code_set;

/* Appends a range that starts after all others start, or joins it with the last one. */
int bipe_code_set_add(bipe_code_set *set, int32_t first, int32_t last, bipe_error *err);
/* Appends ranges in any order; bipe_code_set_sort() must follow. */
int bipe_code_set_gather(bipe_code_set *set, const bipe_code_range *range, size_t count, bipe_error *err);
void bipe_code_set_sort(bipe_code_set *set);
/* Fills an empty set with `listed`, or, negated, with all other characters. */
int bipe_code_set_fill(bipe_code_set *set, const bipe_code_set *listed, bool negated, bipe_error *err);
void bipe_code_set_free(bipe_code_set *set);

#endif
