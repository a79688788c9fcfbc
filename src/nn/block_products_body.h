/* block_products_body.h - products straight from weights in blocks, included once for each kind of x86 vector unit.
 * Without include guard. What the blocks look like is said by the plain readers in src/format.
 *
 * Lanes are rows of weights: words of LANES rows are turned into columns, so that sums need not be gathered from lanes,
 * and one word of x meets all of them.
 * Defined before: PRODUCTS, the name of the table; TARGET, the attributes of functions; LANES; COLUMNS, rows of weights
 * at a time; HIGH, whether codes may be more than 127; ints, floats, vectors of LANES words; OP(name), intrinsics of
 * that width; OP_ALL(name), those of whole vectors; and
 *   four_rows(from, stride)       16 bytes of rows 0, 4, ..
 *   halves(word), halves_at(from, stride)   half floats in the lower parts of words; those that are in each row
 *   store_columns(y, columns, add, x)       y = (add ? y : 0) + x, of the first columns alone
 *   dot(sum, code, x, wide)       sum + four products of bytes, unsigned and signed; wide: codes may be more than 127
 *   level_of(code)                IQ4's levels plus 127 */

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

enum { GROUPS = COLUMNS / LANES };

/* ---- words of LANES rows ---- */

INLINE ints same(uint32_t word)
{
    return OP(set1_epi32)((int)word);
}

INLINE ints both(ints a, uint32_t mask)
{
    return OP_ALL(and)(a, same(mask));
}

INLINE ints either(ints a, ints b)
{
    return OP_ALL(or)(a, b);
}

#define RIGHT(a, bits) OP(srli_epi32)(a, bits)
#define LEFT(a, bits) OP(slli_epi32)(a, bits)

/* Four words of each of LANES rows: word i of all of them is to[i]. As many bytes are prefetched. */
INLINE void turn(const uint8_t *from, size_t stride, uintptr_t *next, ints to[4])
{
    UNROLL for (int i = 0; i < LANES / 4; i++)
        __builtin_prefetch((const void *)(*next + 64 * (uintptr_t)i), 0, 2);
    *next += 16 * LANES;
    ints a = four_rows(from, stride), b = four_rows(from + stride, stride);
    ints c = four_rows(from + 2 * stride, stride), d = four_rows(from + 3 * stride, stride);
    ints ab = OP(unpacklo_epi32)(a, b), cd = OP(unpacklo_epi32)(c, d);
    to[0] = OP(unpacklo_epi64)(ab, cd);
    to[1] = OP(unpackhi_epi64)(ab, cd);
    ab = OP(unpackhi_epi32)(a, b), cd = OP(unpackhi_epi32)(c, d);
    to[2] = OP(unpacklo_epi64)(ab, cd);
    to[3] = OP(unpackhi_epi64)(ab, cd);
}

/* Signed byte i of words, as a number. */
INLINE floats byte_of(ints word, int i)
{
    return OP(cvtepi32_ps)(OP(srai_epi32)(OP(sllv_epi32)(word, same(24 - 8 * (uint32_t)i)), 24));
}

INLINE void put(float to[][NN_CODED_COLUMNS], size_t part, size_t column, floats scale)
{
    OP(store_ps)(&to[part][column], scale);
}

/* Words first .. first + 3 of codes. */
INLINE void put_codes(nn_codes *to, size_t first, size_t column, const ints words[4])
{
    UNROLL for (size_t i = 0; i < 4; i++)
        store(&to->code[first + i][column], words[i]);
}

/* unpack() of a type, made of the function NAME, which does it for a block of LANES rows. */
#define UNPACK(name, values_, bytes)                                                                              \
    TARGET static void unpack_##name(const uint8_t *const blocks[], size_t stride, size_t values, uintptr_t next, \
                                     nn_codes *to)                                                                \
    {                                                                                                             \
        for (size_t column = 0; column < COLUMNS; column += LANES)                                                \
            for (size_t i = 0; i < values / (values_); i++)                                                       \
                name(blocks[column / NN_CODED_TOGETHER] + i * (bytes), stride, i * ((values_) / 32), column,      \
                     &next, to);                                                                                  \
    }

/* ---- a scale for 32 values ---- */

TARGET static inline void q8_0(const uint8_t *block, size_t stride, size_t part, size_t column, uintptr_t *next,
                               nn_codes *to)
{
    put(to->scale, part, column, halves_at(block, stride));
    UNROLL for (size_t i = 0; i < 2; i++) {
        ints word[4];
        turn(block + 2 + 16 * i, stride, next, word);
        UNROLL for (int k = 0; k < 4; k++)
            word[k] = OP_ALL(xor)(word[k], same(0x80808080)); /* code + 128 */
        put_codes(to, 8 * part + 4 * i, column, word);
    }
}
UNPACK(q8_0, 32, 34)

/* 16 bytes with two codes each: the first 16 of 32 values in the lower bits, the others in the upper ones. */
INLINE void put_nibbles(const uint8_t *from, size_t stride, size_t part, size_t column, uintptr_t *next, bool levels,
                        nn_codes *to)
{
    ints word[4], high[4];
    turn(from, stride, next, word);
    UNROLL for (int k = 0; k < 4; k++) {
        high[k] = both(RIGHT(word[k], 4), 0x0F0F0F0F);
        word[k] = both(word[k], 0x0F0F0F0F);
        if (levels) {
            high[k] = level_of(high[k]);
            word[k] = level_of(word[k]);
        }
    }
    put_codes(to, 8 * part, column, word);
    put_codes(to, 8 * part + 4, column, high);
}

TARGET static inline void q4_0(const uint8_t *block, size_t stride, size_t part, size_t column, uintptr_t *next,
                               nn_codes *to)
{
    put(to->scale, part, column, halves_at(block, stride));
    put_nibbles(block + 2, stride, part, column, next, false, to);
}
UNPACK(q4_0, 32, 18)

TARGET static inline void iq4_nl(const uint8_t *block, size_t stride, size_t part, size_t column, uintptr_t *next,
                                 nn_codes *to)
{
    put(to->scale, part, column, halves_at(block, stride));
    put_nibbles(block + 2, stride, part, column, next, true, to);
}
UNPACK(iq4_nl, 32, 18)

/* ---- 256 values ---- */

TARGET static inline void iq4_xs(const uint8_t *block, size_t stride, size_t part, size_t column, uintptr_t *next,
                                 nn_codes *to)
{
    ints head[4];
    uintptr_t here = (uintptr_t)block;
    turn(block, stride, &here, head);
    floats d = halves(head[0]);
    for (unsigned i = 0; i < 8; i++) {
        ints low = both(OP(srlv_epi32)(head[1], same(4 * i)), 15);
        ints high = both(LEFT(OP(srlv_epi32)(head[0], same(16 + 2 * i)), 4), 0x30);
        ints scale = OP(sub_epi32)(either(low, high), same(32));
        put(to->scale, part + i, column, OP(mul_ps)(d, OP(cvtepi32_ps)(scale)));
        put_nibbles(block + 8 + 16 * i, stride, part + i, column, next, true, to);
    }
}
UNPACK(iq4_xs, 256, 136)

/* Scales and minima of Q4_K and Q5_K; factor: of the odd parts' scales. */
INLINE void put_scales(const uint8_t *block, size_t stride, size_t part, size_t column, float factor, uintptr_t *next,
                       nn_codes *to)
{
    ints word[4], six[4];
    turn(block, stride, next, word);
    floats d = halves(word[0]), m = halves(RIGHT(word[0], 16)), odd = OP(mul_ps)(d, OP(set1_ps)(factor));
    six[0] = both(word[1], 0x3F3F3F3F);
    six[1] = either(both(word[3], 0x0F0F0F0F), both(RIGHT(word[1], 2), 0x30303030));
    six[2] = both(word[2], 0x3F3F3F3F);
    six[3] = either(both(RIGHT(word[3], 4), 0x0F0F0F0F), both(RIGHT(word[2], 2), 0x30303030));
    UNROLL for (int i = 0; i < 8; i++) {
        put(to->scale, part + (size_t)i, column, OP(mul_ps)(i % 2 == 0 ? d : odd, byte_of(six[i / 4], i % 4)));
        put(to->less, part + (size_t)i, column, OP(mul_ps)(m, byte_of(six[2 + i / 4], i % 4)));
    }
}

TARGET static inline void q4_k(const uint8_t *block, size_t stride, size_t part, size_t column, uintptr_t *next,
                               nn_codes *to)
{
    put_scales(block, stride, part, column, HIGH ? 1 / 16.0f : 1, next, to); /* of codes that stay in the upper bits */
    UNROLL for (size_t i = 0; i < 8; i++) {
        ints word[4], high[4];
        turn(block + 16 + 16 * i, stride, next, word);
        UNROLL for (int k = 0; k < 4; k++) {
            high[k] = HIGH ? both(word[k], 0xF0F0F0F0) : both(RIGHT(word[k], 4), 0x0F0F0F0F);
            word[k] = both(word[k], 0x0F0F0F0F);
        }
        put_codes(to, 8 * part + i / 2 * 16 + i % 2 * 4, column, word);
        put_codes(to, 8 * part + i / 2 * 16 + i % 2 * 4 + 8, column, high);
    }
}
UNPACK(q4_k, 256, 144)

TARGET static inline void q5_k(const uint8_t *block, size_t stride, size_t part, size_t column, uintptr_t *next,
                               nn_codes *to)
{
    put_scales(block, stride, part, column, 1, next, to);
    for (size_t half = 0; half < 2; half++) {
        ints fifth[4], word[4], high[4];
        turn(block + 16 + 16 * half, stride, next, fifth);
        UNROLL for (size_t i = 0; i < 4; i++) {
            turn(block + 48 + 32 * i + 16 * half, stride, next, word);
            UNROLL for (int k = 0; k < 4; k++) {
                high[k] = either(both(RIGHT(word[k], 4), 0x0F0F0F0F), both(LEFT(fifth[k], 3), 0x10101010));
                word[k] = either(both(word[k], 0x0F0F0F0F), both(LEFT(fifth[k], 4), 0x10101010));
                fifth[k] = RIGHT(fifth[k], 2);
            }
            put_codes(to, 8 * part + 16 * i + 4 * half, column, word);
            put_codes(to, 8 * part + 16 * i + 4 * half + 8, column, high);
        }
    }
}
UNPACK(q5_k, 256, 176)

TARGET static inline void q6_k(const uint8_t *block, size_t stride, size_t part, size_t column, uintptr_t *next,
                               nn_codes *to)
{
    ints scale[4];
    turn(block + 192, stride, next, scale);
    floats d = halves_at(block + 208, stride);
    UNROLL for (size_t i = 0; i < 16; i++)
        put(to->scale, 2 * part + i, column, OP(mul_ps)(d, byte_of(scale[i / 4], (int)(i % 4))));
    for (size_t i = 0; i < 4; i++) { /* 16 of the values of each run of 32 */
        const uint8_t *low = block + i / 2 * 64 + i % 2 * 16;
        ints a[4], b[4], high[4], run[4];
        turn(low, stride, next, a);
        turn(low + 32, stride, next, b);
        turn(block + 128 + 16 * i, stride, next, high);
        size_t first = 8 * part + i / 2 * 32 + i % 2 * 4;
        UNROLL for (int k = 0; k < 4; k++)
            run[k] = either(both(a[k], 0x0F0F0F0F), both(LEFT(high[k], 4), 0x30303030));
        put_codes(to, first, column, run);
        UNROLL for (int k = 0; k < 4; k++)
            run[k] = either(both(b[k], 0x0F0F0F0F), both(LEFT(high[k], 2), 0x30303030));
        put_codes(to, first + 8, column, run);
        UNROLL for (int k = 0; k < 4; k++)
            run[k] = either(both(RIGHT(a[k], 4), 0x0F0F0F0F), both(high[k], 0x30303030));
        put_codes(to, first + 16, column, run);
        UNROLL for (int k = 0; k < 4; k++)
            run[k] = either(both(RIGHT(b[k], 4), 0x0F0F0F0F), both(RIGHT(high[k], 2), 0x30303030));
        put_codes(to, first + 24, column, run);
    }
}
UNPACK(q6_k, 256, 210)

/* ---- products ---- */

/* Four values of x in all lanes. */
INLINE ints word_of(const int8_t *bytes)
{
    int word;
    memcpy(&word, bytes, sizeof word);
    return OP(set1_epi32)(word);
}

/* total += the values of half an x or a whole one, which share a scale; constants where this is inlined. */
INLINE void add_part(const nn_codes *codes, size_t part, const size_t values, const size_t half, const int offset,
                     const bool less, const bool wide, const nn_fixed *x, floats total[GROUPS])
{
    ints sum[GROUPS][3];
    UNROLL for (size_t byte = 0; byte < 3; byte++) {
        int begun = x->half[half][byte] + (values == 32 ? x->half[1][byte] : 0);
        UNROLL for (size_t g = 0; g < GROUPS; g++)
            sum[g][byte] = OP(set1_epi32)(-offset * begun);
    }
    UNROLL for (size_t i = 0; i < values / 4; i++) {
        const ints a = word_of(&x->part[0][16 * half + 4 * i]), b = word_of(&x->part[1][16 * half + 4 * i]),
                      c = word_of(&x->part[2][16 * half + 4 * i]);
        UNROLL for (size_t g = 0; g < GROUPS; g++) {
            const ints code = load(&codes->code[values / 4 * part + i][LANES * g]);
            sum[g][0] = dot(sum[g][0], code, a, wide);
            sum[g][1] = dot(sum[g][1], code, b, wide);
            sum[g][2] = dot(sum[g][2], code, c, wide);
        }
    }
    UNROLL for (size_t g = 0; g < GROUPS; g++) {
        floats all = OP(fmadd_ps)(OP(cvtepi32_ps)(sum[g][1]), OP(set1_ps)(256), OP(cvtepi32_ps)(sum[g][2]));
        all = OP(fmadd_ps)(OP(cvtepi32_ps)(sum[g][0]), OP(set1_ps)(65536), all);
        all = OP(mul_ps)(all, OP(load_ps)(&codes->scale[part][LANES * g]));
        if (less)
            all = OP(fnmadd_ps)(OP(load_ps)(&codes->less[part][LANES * g]), OP(set1_ps)(x->sum), all);
        total[g] = OP(fmadd_ps)(all, OP(set1_ps)(x->step), total[g]);
    }
}

TARGET static void run(const nn_codes *codes, const nn_coded_type *type, size_t values, const nn_fixed *x, float factor,
                       bool add, float *y, size_t columns)
{
    floats total[GROUPS];
    UNROLL for (size_t g = 0; g < GROUPS; g++)
        total[g] = OP(setzero_ps)();
    for (size_t i = 0; i < values / NN_FIXED_VALUES; i++)
        if (type->part == 16) {
            add_part(codes, 2 * i, 16, 0, type->offset, false, false, x + i, total);
            add_part(codes, 2 * i + 1, 16, 1, type->offset, false, false, x + i, total);
        } else if (type->less) {
            add_part(codes, i, 32, 0, 0, true, false, x + i, total);
        } else if (type->offset == 8) { /* Q4_0 */
            add_part(codes, i, 32, 0, 8, false, false, x + i, total);
        } else {
            add_part(codes, i, 32, 0, type->offset, false, true, x + i, total);
        }
    UNROLL for (size_t g = 0; g < GROUPS; g++)
        store_columns(y + LANES * g, columns > LANES * g ? columns - LANES * g : 0, add,
                      OP(mul_ps)(total[g], OP(set1_ps)(factor)));
}

static const nn_coded_type types[] = {
    {.type = 2, .part = 32, .offset = 8, .unpack = unpack_q4_0},
    {.type = 8, .part = 32, .offset = 128, .unpack = unpack_q8_0},
    {.type = 12, .part = 32, .less = true, .unpack = unpack_q4_k},
    {.type = 13, .part = 32, .less = true, .unpack = unpack_q5_k},
    {.type = 14, .part = 16, .offset = 32, .unpack = unpack_q6_k},
    {.type = 20, .part = 32, .offset = 127, .unpack = unpack_iq4_nl},
    {.type = 23, .part = 32, .offset = 127, .unpack = unpack_iq4_xs},
    {.unpack = NULL}};
const nn_block_products PRODUCTS = {.columns = COLUMNS, .types = types, .fix = nn_fix_avx2, .run = run};
