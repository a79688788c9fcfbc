/* lanes_plain.c - tiles of scores for any processor: vectors of four, which compilers map to what there is. */
#include "nn/lanes.h"

#define TABLE nn_lanes_plain
#define TARGET
#define LANES 4
typedef float vec __attribute__((vector_size(16), may_alias));
typedef float unaligned_vec __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t ints __attribute__((vector_size(16), may_alias));
typedef uint32_t uints __attribute__((vector_size(16), may_alias));
typedef int32_t unaligned_ints __attribute__((vector_size(16), aligned(4), may_alias));
#define LOAD(p) (*(const vec *)(const void *)(p))
#define LOAD_UNALIGNED(p) (*(const unaligned_vec *)(const void *)(p))
#define STORE(p, v) (*(vec *)(void *)(p) = (v))
#define SPREAD(x) ((vec){x, x, x, x})
#define CHOOSE(mask, a, b) ((vec)(((mask) & (ints)(a)) | (~(mask) & (ints)(b))))
#define ICHOOSE(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))
#define PLUS(a, b) ((a) + (b))
#define MINUS(a, b) ((a) - (b))
#define TIMES(a, b) ((a) * (b))
#define DIVIDE(a, b) ((a) / (b))
#define FMA(a, b, c) ((a) * (b) + (c))
#define FNMA(a, b, c) ((c) - (a) * (b))
#define POWER(x) ((vec)((uints)(x) << 23))
#define ILOAD(p) (*(const unaligned_ints *)(const void *)(p))
#define ISPREAD(i) ((ints){(int32_t)(i), (int32_t)(i), (int32_t)(i), (int32_t)(i)})
#define IMINUS(a, b) ((a) - (b))
#define TO_FLOAT(a) __builtin_convertvector(a, vec)
#define GATHER(table, i) ((vec){table[(i)[0]], table[(i)[1]], table[(i)[2]], table[(i)[3]]})
#define PAIRS(a, b, to) ((void)(a), (void)(b), (void)(to)) /* no kernel of this unit takes pairs */

static inline vec maximum_of(vec a, vec b)
{
    return CHOOSE(a > b, a, b);
}

static inline vec minimum_of(vec a, vec b)
{
    return CHOOSE(a < b, a, b);
}

static inline ints imaximum_of(ints a, ints b)
{
    return ICHOOSE(a > b, a, b);
}

static inline ints iminimum_of(ints a, ints b)
{
    return ICHOOSE(a < b, a, b);
}

static inline vec keep_between(ints d, ints w, vec v)
{
    return CHOOSE((d >= 0) & (d < w), v, SPREAD(-__builtin_inff()));
}

static inline bool any_differs(vec v)
{
    ints same = v == SPREAD(1.0f);
    return (same[0] & same[1] & same[2] & same[3]) == 0;
}

#define MAXIMUM(a, b) maximum_of(a, b)
#define MINIMUM(a, b) minimum_of(a, b)
#define IMAXIMUM(a, b) imaximum_of(a, b)
#define IMINIMUM(a, b) iminimum_of(a, b)
#define IABS(a) imaximum_of(a, -(a))
#define BETWEEN(d, w, v) keep_between(d, w, v)
#define DIFFERS(v) any_differs(v)

#include "nn/lanes_body.h"
