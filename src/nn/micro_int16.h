/* micro_int16.h - the body of the micro-kernel for products of 16-bit integers, included once for each kind of x86
 * vector unit. Without include guard.
 *
 * The sum of a block is an integer and exact; it is converted, multiplied by both scales, and added.
 * Defined before: KERNEL, the name of the function; TARGET, its attributes; vec and ints, vectors of LANES floats and
 * of 32-bit integers; MR and NV, the tile in rows and vectors; ZERO, LOAD_UNALIGNED(p), SPREAD(p), STORE(p, v);
 * TIMES(a, b) and MULTIPLY(acc, a, b): acc + a * b, of floats; DOT(acc, a, b): acc + the products of both halves of
 * each word; FLOATS(ints). KERNEL, MULTIPLY and DOT are undefined at the end. */

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#define UNCHECKED __attribute__((no_sanitize("undefined"))) /* as in micro_kernel.h */
#else
#define UNROLL _Pragma("GCC unroll 24")
#define UNCHECKED
#endif
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

/* One tile of all NV vectors, whatever n is: m is a constant where this is inlined. */
TARGET UNCHECKED static inline __attribute__((always_inline)) void NAME(KERNEL, _tile)(
    const size_t m, const bool packed, size_t steps, const nn_left *left, nn_right *right, float *c, size_t ldc,
    bool add)
{
    enum { NR = NV * LANES };
    const size_t row = packed ? 1 : left->row, step = packed ? MR : left->step;
    const float *from = left->at, *panel = right->at;
    uintptr_t ahead = right->next;
    const size_t share = right->share * sizeof(float);
    for (size_t s = 0; s < steps; s += NN_INT16_WORDS) {
        const float *x = from, *w = panel; /* the scales */
        ints sum[MR][NV];
        UNROLL for (size_t r = 0; r < m; r++)
            UNROLL for (size_t v = 0; v < NV; v++)
                sum[r][v] = (ints){0};
        for (size_t i = 1; i < NN_INT16_WORDS; i++) {
            vec p[NV];
            from += step;
            panel += NR;
            UNROLL for (size_t v = 0; v < NV; v++)
                p[v] = LOAD_UNALIGNED(panel + v * LANES);
            UNROLL for (size_t r = 0; r < m; r++) {
                vec word = SPREAD(from + r * row);
                UNROLL for (size_t v = 0; v < NV; v++)
                    sum[r][v] = DOT(sum[r][v], word, p[v]);
            }
            __builtin_prefetch((const void *)ahead);
            ahead += share;
        }
        from += step;
        panel += NR;
        UNROLL for (size_t r = 0; r < m; r++) {
            vec own = SPREAD(x + r * row);
            UNROLL for (size_t v = 0; v < NV; v++) {
                float *at = c + r * ldc + v * LANES;
                vec before = add ? LOAD_UNALIGNED(at) : ZERO;
                STORE(at, MULTIPLY(before, FLOATS(sum[r][v]), TIMES(own, LOAD_UNALIGNED(w + v * LANES))));
            }
        }
        add = true;
    }
    right->next = ahead;
}

#define ROWS(m) \
    case m: NAME(KERNEL, _tile)(m, false, steps, left, right, c, ldc, add); break;
TARGET static void NAME(KERNEL, _rows)(size_t m, size_t steps, const nn_left *left, nn_right *right, float *c,
                                       size_t ldc, bool add)
{
    if (m == MR && left->row == 1 && left->step == MR) {
        NAME(KERNEL, _tile)(MR, true, steps, left, right, c, ldc, add);
        return;
    }
    switch (m) {
        ROWS(1) ROWS(2) ROWS(3) ROWS(4)
#if MR == 8
        ROWS(5) ROWS(6) ROWS(7) ROWS(8)
#endif
    }
}

static void KERNEL(size_t steps, const nn_left *left, const nn_right *right, float *c, size_t ldc, size_t m, size_t n,
                   bool add)
{
    enum { NR = NV * LANES };
    nn_left group = *left;
    nn_right panel = *right;
    if (panel.next == 0)
        panel.next = (uintptr_t)panel.at;
    for (; m > 0; group.at += group.group) {
        float part[MR * NR];
        const size_t rows = m < MR ? m : MR;
        if (n == NR) {
            NAME(KERNEL, _rows)(rows, steps, &group, &panel, c, ldc, add);
        } else {
            for (size_t r = 0; r < rows; r++)
                for (size_t j = 0; j < NR; j++)
                    part[r * NR + j] = add && j < n ? c[r * ldc + j] : 0;
            NAME(KERNEL, _rows)(rows, steps, &group, &panel, part, NR, true);
            for (size_t r = 0; r < rows; r++)
                memcpy(c + r * ldc, part + r * NR, n * sizeof *c);
        }
        c += rows * ldc;
        m -= rows;
    }
}

#undef ROWS
#undef NAME
#undef PASTE
#undef UNCHECKED
#undef UNROLL
#undef KERNEL
#undef MULTIPLY
#undef DOT
