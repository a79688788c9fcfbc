/* lanes_body.h - the functions of lanes.h, included once for each kind of vector unit. Without include guard.
 *
 * Defined before: TARGET, the attributes of functions; LANES; vec, a vector of LANES floats, and ints, one of as many
 * int32_t; LOAD, STORE (aligned), LOAD_UNALIGNED (a load from anywhere), SPREAD; PLUS, MINUS, TIMES, FMA (a * b + c),
 * FNMA (c - a * b), DIVIDE; MAXIMUM, MINIMUM (the second operand if there is a NaN); POWER(x): the float whose bits are
 * those of x, shifted left by 23; ILOAD, ISPREAD, IMINUS, IMAXIMUM, IMINIMUM, IABS, TO_FLOAT; BETWEEN(d, w, v): v where
 * 0 <= d < w, else -infinity; GATHER(table, i); DIFFERS(v): whether any is not 1; PAIRS(a, b, to): the nearest bfloat16
 * of a and b, interleaved (a NaN may get lost), to an aligned address. */

/* 2^x for x <= 126, within 2 ulp; 0 up to -126.5; NaN stays NaN. Polynomial: minimax on [-1/2, 1/2], error 9.2e-8,
 * exact at 0. Adding 1.5 * 2^23 + 127 leaves the nearest integer in the low bits, with the bias of an exponent. */
TARGET static inline vec exp2_of(vec x)
{
    const vec round_off = SPREAD(12583039.0f);
    x = MAXIMUM(SPREAD(-127.0f), x);
    vec shifted = PLUS(x, round_off), f = MINUS(x, MINUS(shifted, round_off));
    vec p = FMA(SPREAD(1.3264700979e-03f), f, SPREAD(9.6715353309e-03f));
    p = FMA(p, f, SPREAD(5.5507340112e-02f));
    p = FMA(p, f, SPREAD(2.4022241739e-01f));
    p = FMA(p, f, SPREAD(6.9314697734e-01f));
    p = FMA(p, f, SPREAD(1.0f));
    return TIMES(p, POWER(shifted));
}

TARGET static void slope_lanes(float *s, size_t keys, size_t lanes, const uint32_t *index, const uint32_t *here,
                               float slope)
{
    for (size_t j = 0; j < lanes; j += LANES) {
        ints at = ILOAD(here + j);
        for (size_t i = 0; i < keys; i++) {
            float *p = s + i * lanes + j;
            STORE(p, FNMA(SPREAD(slope), TO_FLOAT(IABS(IMINUS(at, ISPREAD(index[i])))), LOAD(p)));
        }
    }
}

TARGET static void table_lanes(float *s, size_t keys, size_t lanes, const uint32_t *index, const uint32_t *here,
                               const float *table, size_t size, float factor)
{
    ints none = ISPREAD(0), last = ISPREAD(size - 1);
    for (size_t j = 0; j < lanes; j += LANES) {
        ints at = ILOAD(here + j);
        for (size_t i = 0; i < keys; i++) {
            float *p = s + i * lanes + j;
            ints d = IMINIMUM(IMAXIMUM(IMINUS(at, ISPREAD(index[i])), none), last);
            STORE(p, FMA(GATHER(table, d), SPREAD(factor), LOAD(p)));
        }
    }
}

/* tanh y = 1 - 2 / (e^2y + 1) */
TARGET static void cap_lanes(float *s, size_t keys, size_t lanes, float cap, float *slope)
{
    vec one = SPREAD(1.0f), two = SPREAD(2.0f), inward = SPREAD(2 * NN_LOG2E / cap), outward = SPREAD(cap);
    for (size_t i = 0; i < keys * lanes; i += LANES) {
        vec x = MINIMUM(SPREAD(126.0f), TIMES(LOAD(s + i), inward));
        vec t = MINUS(one, DIVIDE(two, PLUS(exp2_of(x), one)));
        STORE(s + i, TIMES(t, outward));
        if (slope != NULL)
            STORE(slope + i, FNMA(t, t, one));
    }
}

TARGET static void mask_lanes(float *s, size_t keys, size_t lanes, int32_t distance, int32_t window, const float *hide)
{
    static const int32_t count[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (size_t j = 0; j < lanes; j += LANES) {
        ints here = IMINUS(ILOAD(count), ISPREAD(-(distance + (int32_t)j))), width = ISPREAD(window);
        vec away = LOAD_UNALIGNED(hide + j);
        for (size_t i = 0; i < keys; i++) {
            float *p = s + i * lanes + j;
            STORE(p, BETWEEN(IMINUS(here, ISPREAD(i)), width, PLUS(LOAD(p), away)));
        }
    }
}

TARGET static bool weigh_lanes(float *s, size_t keys, size_t lanes, float *maximum, float *sum, float *correction,
                               bool pairs)
{
    bool changed = false;
    for (size_t j = 0; j < lanes; j += LANES) {
        vec before = LOAD(maximum + j), now = before, other = before;
        size_t i = 0;
        for (; i + 2 <= keys; i += 2) { /* two chains of maxima, to hide latency */
            now = MAXIMUM(now, LOAD(s + i * lanes + j));
            other = MAXIMUM(other, LOAD(s + (i + 1) * lanes + j));
        }
        for (; i < keys; i++)
            now = MAXIMUM(now, LOAD(s + i * lanes + j));
        now = MAXIMUM(now, other);
        vec factor = exp2_of(MINUS(before, now)), total = SPREAD(0.0f);
        STORE(maximum + j, now);
        STORE(correction + j, factor);
        changed |= DIFFERS(factor);
        if (!pairs) {
            for (i = 0; i < keys; i++) {
                vec w = exp2_of(MINUS(LOAD(s + i * lanes + j), now));
                total = PLUS(total, w);
                STORE(s + i * lanes + j, w);
            }
        } else {
            /* Lane j of a pair of rows is one word; columns are processed in order, and a word is written after its
             * rows are read. */
            for (i = 0; i + 2 <= keys; i += 2) {
                vec a = exp2_of(MINUS(LOAD(s + i * lanes + j), now)),
                    b = exp2_of(MINUS(LOAD(s + (i + 1) * lanes + j), now));
                total = PLUS(total, PLUS(a, b));
                PAIRS(a, b, s + i * lanes + j);
            }
            if (i < keys) {
                vec a = exp2_of(MINUS(LOAD(s + i * lanes + j), now));
                total = PLUS(total, a);
                PAIRS(a, SPREAD(0.0f), s + i * lanes + j);
            }
        }
        STORE(sum + j, FMA(LOAD(sum + j), factor, total));
    }
    if (pairs)
        for (size_t i = 1; i < (keys + 1) / 2; i++)
            for (size_t j = 0; j < lanes; j += LANES)
                STORE(s + i * lanes + j, LOAD(s + 2 * i * lanes + j));
    return changed;
}

TARGET static void rescale_lanes(float *s, size_t keys, size_t lanes, const float *factor)
{
    for (size_t j = 0; j < lanes; j += LANES) {
        vec f = LOAD(factor + j);
        for (size_t i = 0; i < keys; i++)
            STORE(s + i * lanes + j, TIMES(LOAD(s + i * lanes + j), f));
    }
}

TARGET static void differentiate_lanes(float *s, float *g, size_t keys, size_t lanes, const float *lse,
                                       const float *delta)
{
    for (size_t j = 0; j < lanes; j += LANES) {
        vec from = LOAD(lse + j), mean = LOAD(delta + j);
        for (size_t i = 0; i < keys; i++) {
            size_t at = i * lanes + j;
            vec w = exp2_of(MINUS(LOAD(s + at), from));
            STORE(s + at, w);
            STORE(g + at, TIMES(w, MINUS(LOAD(g + at), mean)));
        }
    }
}

const nn_lanes TABLE = {
    .width = LANES,
    .slope = slope_lanes,
    .table = table_lanes,
    .cap = cap_lanes,
    .mask = mask_lanes,
    .weigh = weigh_lanes,
    .rescale = rescale_lanes,
    .differentiate = differentiate_lanes,
};
