/* minmax.h - the smaller and the larger of two sizes. */
#ifndef BIPE_BASE_MINMAX_H
#define BIPE_BASE_MINMAX_H

#include <stddef.h>

static inline size_t bipe_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t bipe_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

#endif
