/* micro_kernel.h - the body of a micro-kernel, included once for each kind of vector unit. Without include guard.
 *
 * Defined before: KERNEL, the name of the function; TARGET, its attributes; vec, a vector of LANES words; MR and NV,
 * the tile in rows and vectors, NR = NV * LANES; ZERO, LOAD_UNALIGNED(p), SPREAD(p): a vector from any address, from
 * one word; STORE(p, v) to any address; PLUS(a, b); MULTIPLY(acc, left, panel): acc + left * panel. Where
 * nn_micro.column is wanted: COLUMN, its name; TOGETHER, groups at a time; side, a vector of MR words, and what can be
 * done with it, SIDE_...; loads are aligned. KERNEL, MULTIPLY, COLUMN, SIDE_MULTIPLY and CEILING are undefined at the
 * end. */

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#define UNCHECKED __attribute__((no_sanitize("undefined"))) /* each address of what is unrolled would be checked: half a
                                                               minute of compiling */
#else
#define UNROLL _Pragma("GCC unroll 24")
#define UNCHECKED
#endif

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

/* m, nv and `packed` are constants where this is inlined, so that the sums stay in registers. */
TARGET UNCHECKED static inline __attribute__((always_inline)) void NAME(KERNEL, _tile)(const size_t m, const size_t nv,
                                                                                       const bool packed, size_t steps,
                                                                                       const nn_left *left,
                                                                                       nn_right *right, float *c,
                                                                                       size_t ldc, bool add)
{
    /* A third of the pointers reaches all rows, by what addresses can add to them. */
    enum { EACH = 3, POINTERS = (MR + EACH - 1) / EACH, AHEAD = 32 /* steps */ };
    const size_t row = packed ? 1 : left->row, step = packed ? MR : left->step, next = packed ? NV * LANES : right->ld;
    const float *from[POINTERS], *panel = right->at;
    UNROLL for (size_t i = 0; i < POINTERS; i++)
        from[i] = left->at + i * EACH * row;
    /* Few prefetches in each step: many at once would wait for each other. Where `left` has the words of a step beside
     * each other, its steps are too far apart for the processor to foresee them. Integers, since an address past the
     * end is no pointer. */
    const bool apart = !packed && row == 1;
    uintptr_t ahead = apart ? (uintptr_t)left->at + AHEAD * step * sizeof(float) : right->next;
    const size_t share = (apart ? step : right->share) * sizeof(float);
    vec sum[MR][NV];
    UNROLL for (size_t r = 0; r < m; r++)
        UNROLL for (size_t v = 0; v < nv; v++)
            sum[r][v] = ZERO;
    for (size_t s = 0; s < steps; s++, panel += next) {
        vec p[NV];
        UNROLL for (size_t v = 0; v < nv; v++)
            p[v] = LOAD_UNALIGNED(panel + v * LANES);
        UNROLL for (size_t r = 0; r < m; r++) {
            vec l = SPREAD(from[r / EACH] + r % EACH * row);
            UNROLL for (size_t v = 0; v < nv; v++)
                sum[r][v] = MULTIPLY(sum[r][v], l, p[v]);
        }
        if (s < m) /* the tile of c, which may have left the cache */
            UNROLL for (size_t v = 0; v < nv; v++)
                __builtin_prefetch(c + s * ldc + v * LANES);
        __builtin_prefetch((const void *)ahead);
        ahead += share;
        UNROLL for (size_t i = 0; i < POINTERS; i++)
            from[i] += step;
    }
    UNROLL for (size_t r = 0; r < m; r++)
        UNROLL for (size_t v = 0; v < nv; v++) {
            float *at = c + r * ldc + v * LANES;
            if (add)
                sum[r][v] = PLUS(LOAD_UNALIGNED(at), sum[r][v]);
            STORE(at, sum[r][v]);
        }
    if (!apart)
        right->next = ahead;
}

#define ROWS(m) \
    case m: NAME(KERNEL, _tile)(m, nv, packed, steps, &left, &right, c, ldc, add); break;
#if MR == 8
#define PART_OF_ROWS ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7)
#else
#define PART_OF_ROWS ROWS(1) ROWS(2) ROWS(3)
#endif

/* Rows that are missing in the last tile are no work: a loop of its own for each number of rows. */
#define WIDTH(name, nv_, packed_) \
    TARGET static void NAME(KERNEL, name)(size_t m, size_t steps, nn_left left, nn_right right, float *c, size_t ldc, \
                                          bool add) \
    { \
        const size_t nv = nv_; \
        const bool packed = packed_; \
        if (right.next == 0) /* an address that is mapped, lest each prefetch look for it in vain */ \
            right.next = (uintptr_t)right.at; \
        for (; m >= MR; m -= MR, left.at += left.group, c += MR * ldc) \
            NAME(KERNEL, _tile)(MR, nv, packed, steps, &left, &right, c, ldc, add); \
        switch (m) { \
            PART_OF_ROWS \
        } \
    }
WIDTH(1, 1, false)
WIDTH(2, 2, false)
#if NV == 3
WIDTH(3, 3, false)
#endif
WIDTH(_packed, NV, true)

/* n: whole vectors */
static inline void NAME(KERNEL, _vectors)(size_t steps, const nn_left *left, const nn_right *right, float *c,
                                          size_t ldc, size_t m, size_t n, bool add)
{
    if (n == NV * LANES && left->row == 1 && left->step == MR && right->ld == NV * LANES)
        NAME(KERNEL, _packed)(m, steps, *left, *right, c, ldc, add);
#if NV == 3
    else if (n == 3 * LANES)
        NAME(KERNEL, 3)(m, steps, *left, *right, c, ldc, add);
#endif
    else if (n == 2 * LANES)
        NAME(KERNEL, 2)(m, steps, *left, *right, c, ldc, add);
    else
        NAME(KERNEL, 1)(m, steps, *left, *right, c, ldc, add);
}

static void KERNEL(size_t steps, const nn_left *left, const nn_right *right, float *c, size_t ldc, size_t m, size_t n,
                   bool add)
{
    if (n % LANES == 0) {
        NAME(KERNEL, _vectors)(steps, left, right, c, ldc, m, n, add);
        return;
    }
    /* A last vector that is not whole goes by way of a buffer. */
    for (size_t row = 0; row < m; row += MR) {
        float part[MR * NV * LANES];
        size_t some = m - row < MR ? m - row : MR, whole = (n + LANES - 1) / LANES * LANES;
        nn_left here = {left->at + row / MR * left->group, left->row, left->step, 0};
        NAME(KERNEL, _vectors)(steps, &here, right, part, whole, some, whole, false);
        for (size_t r = 0; r < some; r++)
            for (size_t j = 0; j < n; j++)
                c[(row + r) * ldc + j] = add ? c[(row + r) * ldc + j] + part[r * whole + j] : part[r * whole + j];
    }
}

#ifdef COLUMN
/* See nn_micro.column. `n` is a constant where this is inlined: groups whose sums do not wait for each other. */
TARGET UNCHECKED static inline __attribute__((always_inline)) void NAME(COLUMN, _groups)(
    const size_t n, size_t steps, const float *left, size_t group, const float *x, size_t ld, uintptr_t next, float *y)
{
    enum { LINE = 16 };
    const float *from[TOGETHER];
    side sum[TOGETHER];
    UNROLL for (size_t i = 0; i < n; i++) {
        from[i] = left + i * group;
        sum[i] = SIDE_ZERO;
    }
    for (size_t s = 0; s < steps; s++, x += ld) {
        side word = SIDE_SPREAD(x);
        UNROLL for (size_t i = 0; i < n * MR; i += LINE, next += LINE * sizeof(float)) /* into the second cache */
            __builtin_prefetch((const void *)next, 0, 2);
        UNROLL for (size_t i = 0; i < n; i++)
            sum[i] = SIDE_MULTIPLY(sum[i], SIDE_LOAD(from[i] + s * MR), word);
    }
    UNROLL for (size_t i = 0; i < n; i++)
        SIDE_STORE(y + i * MR, sum[i]);
}

TARGET static void COLUMN(size_t steps, const float *left, size_t group, size_t groups, const float *x, size_t ld,
                          const float *next, float *y)
{
    for (; groups >= TOGETHER;
         groups -= TOGETHER, left += TOGETHER * group, next += TOGETHER * group, y += TOGETHER * MR)
        NAME(COLUMN, _groups)(TOGETHER, steps, left, group, x, ld, (uintptr_t)next, y);
    for (; groups > 0; groups--, left += group, next += group, y += MR)
        NAME(COLUMN, _groups)(1, steps, left, group, x, ld, (uintptr_t)next, y);
}
#undef COLUMN
#undef SIDE_MULTIPLY
#endif

#ifdef CEILING
/* See nn_micro.ceiling. Each chain waits for itself alone: as many as a tile has sums hide a multiply-add's latency. */
TARGET static double CEILING(size_t rounds, float *result)
{
    enum { CHAINS = MR * NV };
    vec sum[CHAINS];
    UNROLL for (size_t i = 0; i < CHAINS; i++)
        sum[i] = SPREAD(&(float){(float)i});
    vec x = sum[1];
    for (size_t n = 0; n < rounds; n++)
        UNROLL for (size_t i = 0; i < CHAINS; i++)
            sum[i] = MULTIPLY(sum[i], x, x);
    UNROLL for (size_t i = 1; i < CHAINS; i++)
        sum[0] = PLUS(sum[0], sum[i]);
    STORE(result, sum[0]);
    return (double)rounds * CHAINS * LANES * 2;
}
#undef CEILING
#endif

#undef PART_OF_ROWS
#undef WIDTH
#undef ROWS
#undef NAME
#undef PASTE
#undef UNCHECKED
#undef UNROLL
#undef KERNEL
#undef MULTIPLY
