/* indices.h - the indices of tokens that schemes have terms on: an array for each, by bipe_position_index. */
#ifndef BIPE_MODEL_INDICES_H
#define BIPE_MODEL_INDICES_H

#include <string.h>

#include <bipe/score.h>

#include "base/status.h"

extern const char *const bipe_index_names[BIPE_INDICES];

/* The level of segments that an index is about, from 1 on; 0: the token index. */
static inline size_t bipe_index_level(bipe_position_index index)
{
    return ((size_t)index + 1) / 2;
}

/* Whether an index never falls in a window: it counts tokens or segments of the window. */
static inline bool bipe_index_ascends(bipe_position_index index)
{
    return index == BIPE_INDEX_TOKEN || index % 2 == 1;
}

/* rows: (2 * levels, stride) as bipe_positions() fills them; from column `at` on. */
static inline bipe_indices bipe_indices_of(const uint32_t *rows, size_t levels, size_t stride, size_t at)
{
    bipe_indices made = {{NULL}};
    for (size_t i = 0; i < 2 * levels; i++)
        made.of[BIPE_INDEX_SEGMENT + i] = rows + i * stride + at;
    return made;
}

/* The same from token `first` on. */
static inline bipe_indices bipe_indices_from(const bipe_indices *indices, size_t first)
{
    bipe_indices made = {{NULL}};
    for (size_t i = 0; i < BIPE_INDICES; i++)
        made.of[i] = indices->of[i] != NULL ? indices->of[i] + first : NULL;
    return made;
}

/* Whether tokens first .. first + count - 1 have the same, of those that both know. */
static inline bool bipe_indices_equal(const bipe_indices *a, const bipe_indices *b, size_t first, size_t count)
{
    for (size_t i = 0; i < BIPE_INDICES; i++)
        if (a->of[i] != NULL && b->of[i] != NULL &&
            memcmp(a->of[i] + first, b->of[i] + first, count * sizeof *a->of[i]) != 0)
            return false;
    return true;
}

/* Checks those of `count` tokens that come after `before` others: BIPE_ERR_ARGUMENT where one is missing that the
 * scheme has a term on, or is larger than the number of the token. what, number: what they are of, for the error. */
int bipe_indices_check(const bipe_indices *indices, const bipe_scheme *scheme, size_t before, size_t count,
                       const char *what, size_t number, bipe_error *err);

#endif
