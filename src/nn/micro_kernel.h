/* micro_kernel.h - the body of a micro-kernel, included once for each kind of vector unit. Without include guard.
 *
 * Defined before: KERNEL, the name of the function; TARGET, its attributes; vec, a vector of LANES words; MR and NV, the tile in rows and
 * vectors, NR = NV * LANES; LOOSE(p), SPREAD(p): a vector from any address, from one word;
 * STORE(p, v) to any address; PLUS(a, b); MULTIPLY(acc, left, panel): acc + left * panel. All but vec, TARGET and those of
 * both kinds are undefined at the end. */

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

/* m, nv and `packed` are constants where this is inlined, so that the sums stay in registers. */
TARGET static inline __attribute__((always_inline)) void NAME(KERNEL, _tile)(const size_t m, const size_t nv, const bool packed,
                                                                          size_t steps, const nn_left *left, const float *panel,
                                                                          size_t ldp, float *c, size_t ldc, bool add)
{
    /* A third of the pointers reaches all rows, by what addresses can add to them. */
    enum { EACH = 3, POINTERS = (MR + EACH - 1) / EACH };
    const size_t row = packed ? 1 : left->row, step = packed ? MR : left->step, next = packed ? NV * LANES : ldp;
    const float *from[POINTERS];
    UNROLL for (size_t i = 0; i < POINTERS; i++)
        from[i] = left->at + i * EACH * row;
    vec sum[MR][NV];
    UNROLL for (size_t r = 0; r < m; r++)
        UNROLL for (size_t v = 0; v < nv; v++)
            sum[r][v] = ZERO;
    for (size_t s = 0; s < steps; s++, panel += next) {
        vec p[NV];
        UNROLL for (size_t v = 0; v < nv; v++)
            p[v] = LOOSE(panel + v * LANES);
        UNROLL for (size_t r = 0; r < m; r++) {
            vec l = SPREAD(from[r / EACH] + r % EACH * row);
            UNROLL for (size_t v = 0; v < nv; v++)
                sum[r][v] = MULTIPLY(sum[r][v], l, p[v]);
        }
        UNROLL for (size_t i = 0; i < POINTERS; i++)
            from[i] += step;
    }
    UNROLL for (size_t r = 0; r < m; r++)
        UNROLL for (size_t v = 0; v < nv; v++) {
            float *at = c + r * ldc + v * LANES;
            if (add)
                sum[r][v] = PLUS(LOOSE(at), sum[r][v]);
            STORE(at, sum[r][v]);
        }
}

#define ROWS(m) \
    case m: NAME(KERNEL, _tile)(m, nv, packed, steps, left, panel, ldp, c, ldc, add); break;

/* Rows that are missing in the tile are no work: a loop of its own for each m. */
#define WIDTH(name, nv_, packed_) \
    TARGET static void NAME(KERNEL, name)(size_t m, size_t steps, const nn_left *left, const float *panel, size_t ldp, float *c, \
                                          size_t ldc, bool add) \
    { \
        const size_t nv = nv_; \
        const bool packed = packed_; \
        switch (m) { \
            ALL_ROWS \
        } \
    }
#if MR == 8
#define ALL_ROWS ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8)
#else
#define ALL_ROWS ROWS(1) ROWS(2) ROWS(3) ROWS(4)
#endif
WIDTH(1, 1, false)
WIDTH(2, 2, false)
#if NV == 3
WIDTH(3, 3, false)
#endif
WIDTH(_packed, NV, true)

static void KERNEL(size_t steps, const nn_left *left, const float *panel, size_t ldp, float *c, size_t ldc, size_t m, size_t n, bool add)
{
    /* A last vector that is not whole goes by way of a buffer. */
    float part[MR * NV * LANES];
    float *to = n % LANES == 0 ? c : part;
    size_t ld = n % LANES == 0 ? ldc : NV * LANES;
    bool sum = add && to == c;
    size_t vectors = (n + LANES - 1) / LANES;
    if (vectors == NV && left->row == 1 && left->step == MR && ldp == NV * LANES)
        NAME(KERNEL, _packed)(m, steps, left, panel, ldp, to, ld, sum);
    else switch (vectors) {
    case 1: NAME(KERNEL, 1)(m, steps, left, panel, ldp, to, ld, sum); break;
    case 2: NAME(KERNEL, 2)(m, steps, left, panel, ldp, to, ld, sum); break;
#if NV == 3
    case 3: NAME(KERNEL, 3)(m, steps, left, panel, ldp, to, ld, sum); break;
#endif
    }
    if (to == part)
        for (size_t r = 0; r < m; r++)
            for (size_t j = 0; j < n; j++)
                c[r * ldc + j] = add ? c[r * ldc + j] + part[r * ld + j] : part[r * ld + j];
}

#ifdef CEILING
/* See nn_micro.ceiling. Each chain waits for itself alone: there are enough of them to hide a multiply-add's latency. */
TARGET static double CEILING(size_t rounds, float *result)
{
    enum { CHAINS = 12 };
    vec sum[CHAINS];
    for (size_t i = 0; i < CHAINS; i++)
        sum[i] = SPREAD(&(float){(float)i});
    vec x = sum[1];
    for (size_t n = 0; n < rounds; n++)
        UNROLL for (size_t i = 0; i < CHAINS; i++)
            sum[i] = MULTIPLY(sum[i], x, x);
    for (size_t i = 1; i < CHAINS; i++)
        sum[0] = PLUS(sum[0], sum[i]);
    STORE(result, sum[0]);
    return (double)rounds * CHAINS * LANES * 2;
}
#undef CEILING
#endif

#undef ALL_ROWS
#undef WIDTH
#undef ROWS
#undef NAME
#undef PASTE
#undef UNROLL
#undef KERNEL
#undef MULTIPLY
