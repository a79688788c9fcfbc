/* block_products_avx512.c - products straight from weights in blocks, for AVX-512 with dot products of bytes (VNNI).
 * What the blocks look like is said by the plain readers in src/format. Lanes are rows of weights: words of 16 rows are
 * turned into columns, so that sums need not be gathered from lanes, and one word of x meets 16 rows. */
#include "nn/block_products.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#include <math.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vnni,fma")))
#define INLINE TARGET static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

enum { LANES = 16, GROUPS = NN_CODED_COLUMNS / LANES };

/* ---- words of 16 rows ---- */

INLINE __m512i same(uint32_t word)
{
    return _mm512_set1_epi32((int)word);
}

INLINE __m512i both(__m512i a, uint32_t mask)
{
    return _mm512_and_si512(a, same(mask));
}

INLINE __m512i either(__m512i a, __m512i b)
{
    return _mm512_or_si512(a, b);
}

#define RIGHT(a, bits) _mm512_srli_epi32(a, bits)
#define LEFT(a, bits) _mm512_slli_epi32(a, bits)

/* 16 bytes of rows 0, 4, 8 and 12. */
INLINE __m512i four_rows(const uint8_t *from, size_t stride)
{
    __m512i rows = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)from));
    rows = _mm512_inserti32x4(rows, _mm_loadu_si128((const __m128i *)(const void *)(from + 4 * stride)), 1);
    rows = _mm512_inserti32x4(rows, _mm_loadu_si128((const __m128i *)(const void *)(from + 8 * stride)), 2);
    return _mm512_inserti32x4(rows, _mm_loadu_si128((const __m128i *)(const void *)(from + 12 * stride)), 3);
}

/* Four words of each of 16 rows: word i of all of them is to[i]. As many bytes are prefetched. */
INLINE void turn(const uint8_t *from, size_t stride, uintptr_t *next, __m512i to[4])
{
    UNROLL for (int i = 0; i < 4; i++)
        __builtin_prefetch((const void *)(*next + 64 * (uintptr_t)i), 0, 2);
    *next += 256;
    __m512i a = four_rows(from, stride), b = four_rows(from + stride, stride);
    __m512i c = four_rows(from + 2 * stride, stride), d = four_rows(from + 3 * stride, stride);
    __m512i ab = _mm512_unpacklo_epi32(a, b), cd = _mm512_unpacklo_epi32(c, d);
    to[0] = _mm512_unpacklo_epi64(ab, cd);
    to[1] = _mm512_unpackhi_epi64(ab, cd);
    ab = _mm512_unpackhi_epi32(a, b), cd = _mm512_unpackhi_epi32(c, d);
    to[2] = _mm512_unpacklo_epi64(ab, cd);
    to[3] = _mm512_unpackhi_epi64(ab, cd);
}

/* The halves in the lower parts of words. */
INLINE __m512 halves(__m512i word)
{
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(word));
}

/* The half that is there in each row. */
INLINE __m512 halves_at(const uint8_t *from, size_t stride)
{
    uint16_t half[LANES];
    for (size_t i = 0; i < LANES; i++)
        memcpy(&half[i], from + i * stride, sizeof half[i]);
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)half));
}

/* Signed byte i of words, as a number. */
INLINE __m512 byte_of(__m512i word, int i)
{
    return _mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_sllv_epi32(word, same(24 - 8 * (uint32_t)i)), 24));
}

INLINE void put(float to[][NN_CODED_COLUMNS], size_t part, size_t column, __m512 scale)
{
    _mm512_store_ps(&to[part][column], scale);
}

/* Words first .. first + 3 of codes. */
INLINE void put_codes(nn_codes *to, size_t first, size_t column, const __m512i words[4])
{
    UNROLL for (size_t i = 0; i < 4; i++)
        _mm512_store_si512((void *)&to->code[first + i][column], words[i]);
}

/* unpack() of a type, made of the function NAME, which does it for a block of 16 rows. */
#define UNPACK(name, values_, bytes)                                                                              \
    TARGET static void unpack_##name(const uint8_t *blocks, size_t stride, size_t values, uintptr_t next,         \
                                     nn_codes *to)                                                                \
    {                                                                                                             \
        for (size_t column = 0; column < NN_CODED_COLUMNS; column += LANES, blocks += LANES * stride)             \
            for (size_t i = 0; i < values / (values_); i++)                                                       \
                name(blocks + i * (bytes), stride, i * ((values_) / 32), column, &next, to);                      \
    }

/* ---- a scale for 32 values ---- */

TARGET static inline void q8_0(const uint8_t *block, size_t stride, size_t part, size_t column, uintptr_t *next,
                               nn_codes *to)
{
    put(to->scale, part, column, halves_at(block, stride));
    UNROLL for (size_t i = 0; i < 2; i++) {
        __m512i word[4];
        turn(block + 2 + 16 * i, stride, next, word);
        UNROLL for (int k = 0; k < 4; k++)
            word[k] = _mm512_xor_si512(word[k], same(0x80808080)); /* code + 128 */
        put_codes(to, 8 * part + 4 * i, column, word);
    }
}
UNPACK(q8_0, 32, 34)

/* 16 bytes with two codes each: the first 16 of 32 values in the lower bits, the others in the upper ones. */
INLINE void put_nibbles(const uint8_t *from, size_t stride, size_t part, size_t column, uintptr_t *next, bool levels,
                        nn_codes *to)
{
    /* IQ4's levels, plus 127 */
    const __m512i level = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 23, 44, 62, 78, 92, 105, 117, (char)128, (char)140, (char)152, (char)165, (char)180,
                      (char)196, (char)216, (char)240));
    __m512i word[4], high[4];
    turn(from, stride, next, word);
    UNROLL for (int k = 0; k < 4; k++) {
        high[k] = both(RIGHT(word[k], 4), 0x0F0F0F0F);
        word[k] = both(word[k], 0x0F0F0F0F);
        if (levels) {
            high[k] = _mm512_shuffle_epi8(level, high[k]);
            word[k] = _mm512_shuffle_epi8(level, word[k]);
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
    __m512i head[4];
    uintptr_t here = (uintptr_t)block;
    turn(block, stride, &here, head);
    __m512 d = halves(head[0]);
    for (unsigned i = 0; i < 8; i++) {
        __m512i low = both(_mm512_srlv_epi32(head[1], same(4 * i)), 15);
        __m512i high = both(LEFT(_mm512_srlv_epi32(head[0], same(16 + 2 * i)), 4), 0x30);
        __m512i scale = _mm512_sub_epi32(either(low, high), same(32));
        put(to->scale, part + i, column, _mm512_mul_ps(d, _mm512_cvtepi32_ps(scale)));
        put_nibbles(block + 8 + 16 * i, stride, part + i, column, next, true, to);
    }
}
UNPACK(iq4_xs, 256, 136)

/* Scales and minima of Q4_K and Q5_K; factor: of the odd parts' scales. */
INLINE void put_scales(const uint8_t *block, size_t stride, size_t part, size_t column, float factor, uintptr_t *next,
                       nn_codes *to)
{
    __m512i word[4], six[4];
    turn(block, stride, next, word);
    __m512 d = halves(word[0]), m = halves(RIGHT(word[0], 16)), odd = _mm512_mul_ps(d, _mm512_set1_ps(factor));
    six[0] = both(word[1], 0x3F3F3F3F);
    six[1] = either(both(word[3], 0x0F0F0F0F), both(RIGHT(word[1], 2), 0x30303030));
    six[2] = both(word[2], 0x3F3F3F3F);
    six[3] = either(both(RIGHT(word[3], 4), 0x0F0F0F0F), both(RIGHT(word[2], 2), 0x30303030));
    UNROLL for (int i = 0; i < 8; i++) {
        put(to->scale, part + (size_t)i, column, _mm512_mul_ps(i % 2 == 0 ? d : odd, byte_of(six[i / 4], i % 4)));
        put(to->less, part + (size_t)i, column, _mm512_mul_ps(m, byte_of(six[2 + i / 4], i % 4)));
    }
}

TARGET static inline void q4_k(const uint8_t *block, size_t stride, size_t part, size_t column, uintptr_t *next,
                               nn_codes *to)
{
    put_scales(block, stride, part, column, 1 / 16.0f, next, to); /* of codes that stay in the upper bits */
    UNROLL for (size_t i = 0; i < 8; i++) {
        __m512i word[4], high[4];
        turn(block + 16 + 16 * i, stride, next, word);
        UNROLL for (int k = 0; k < 4; k++) {
            high[k] = both(word[k], 0xF0F0F0F0);
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
        __m512i fifth[4], word[4], high[4];
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
    __m512i scale[4];
    turn(block + 192, stride, next, scale);
    __m512 d = halves_at(block + 208, stride);
    UNROLL for (size_t i = 0; i < 16; i++)
        put(to->scale, 2 * part + i, column, _mm512_mul_ps(d, byte_of(scale[i / 4], (int)(i % 4))));
    for (size_t i = 0; i < 4; i++) { /* 16 of the values of each run of 32 */
        const uint8_t *low = block + i / 2 * 64 + i % 2 * 16;
        __m512i a[4], b[4], high[4], run[4];
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

/* ---- x ---- */

/* The lowest byte of integers, signed; what is left is divided by 256. */
INLINE __m512i take_byte(__m512i *x)
{
    __m512i byte = _mm512_srai_epi32(LEFT(*x, 24), 24);
    *x = _mm512_srai_epi32(_mm512_sub_epi32(*x, byte), 8);
    return byte;
}

TARGET static void fix(const float *x, size_t count, nn_fixed *to)
{
    const uint32_t exponents = 0x7F800000;
    for (; count >= NN_FIXED_VALUES; count -= NN_FIXED_VALUES, x += NN_FIXED_VALUES, to++) {
        __m512i bits[2] = {_mm512_loadu_si512(x), _mm512_loadu_si512(x + LANES)};
        /* As integers, so that NaN is the largest. 2^22 steps are at most the largest, which is less than 2^23 of them,
         * and by so much that it has three bytes. */
        int largest = _mm512_reduce_max_epi32(_mm512_max_epi32(both(bits[0], 0x7FFFFFFF), both(bits[1], 0x7FFFFFFF)));
        float most, power;
        memcpy(&most, &largest, sizeof most);
        most = most * 1.0078125f;
        uint32_t exponent;
        memcpy(&exponent, &most, sizeof exponent);
        exponent &= exponents;
        const bool finite = exponent != exponents;
        memcpy(&power, &exponent, sizeof power);
        power = power < 0x1p-100f ? 0x1p-100f : power;
        to->step = finite ? power * 0x1p-22f : NAN;
        const __m512 steps = _mm512_set1_ps(finite ? 0x1p22f / power : 0);
        __m256i sums[3];
        __m512i first = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_castsi512_ps(bits[0]), steps));
        __m512i second = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_castsi512_ps(bits[1]), steps));
        UNROLL for (int byte = 2; byte >= 0; byte--) {
            __m128i low = _mm512_cvtepi32_epi8(take_byte(&first)), high = _mm512_cvtepi32_epi8(take_byte(&second));
            __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
            _mm256_storeu_si256((__m256i *)(void *)to->part[byte], bytes);
            sums[byte] = _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes), _mm256_set1_epi16(1));
        }
        __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[2]));
        int32_t sum[2][4]; /* of a, b and c in each half */
        _mm256_storeu_si256((__m256i *)(void *)sum, all);
        for (int half = 0; half < 2; half++)
            memcpy(to->half[half], sum[half], sizeof to->half[half]);
        to->sum = (float)(65536 * (sum[0][0] + sum[1][0]) + 256 * (sum[0][1] + sum[1][1]) + sum[0][2] + sum[1][2]);
    }
}

/* ---- products ---- */

/* Four values of x in all lanes. */
INLINE __m512i word_of(const int8_t *bytes)
{
    int word;
    memcpy(&word, bytes, sizeof word);
    return _mm512_set1_epi32(word);
}

/* total += the values of half an x or a whole one, which share a scale; constants where this is inlined. */
INLINE void add_part(const nn_codes *codes, size_t part, const size_t values, const size_t half, const int offset,
                     const bool less, const nn_fixed *x, __m512 total[GROUPS])
{
    __m512i sum[GROUPS][3];
    UNROLL for (size_t byte = 0; byte < 3; byte++) {
        int begun = x->half[half][byte] + (values == 32 ? x->half[1][byte] : 0);
        UNROLL for (size_t g = 0; g < GROUPS; g++)
            sum[g][byte] = _mm512_set1_epi32(-offset * begun);
    }
    UNROLL for (size_t i = 0; i < values / 4; i++) {
        const __m512i a = word_of(&x->part[0][16 * half + 4 * i]), b = word_of(&x->part[1][16 * half + 4 * i]),
                      c = word_of(&x->part[2][16 * half + 4 * i]);
        UNROLL for (size_t g = 0; g < GROUPS; g++) {
            const __m512i code = _mm512_load_si512((const void *)&codes->code[values / 4 * part + i][LANES * g]);
            sum[g][0] = _mm512_dpbusd_epi32(sum[g][0], code, a);
            sum[g][1] = _mm512_dpbusd_epi32(sum[g][1], code, b);
            sum[g][2] = _mm512_dpbusd_epi32(sum[g][2], code, c);
        }
    }
    UNROLL for (size_t g = 0; g < GROUPS; g++) {
        __m512 all = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[g][1]), _mm512_set1_ps(256), _mm512_cvtepi32_ps(sum[g][2]));
        all = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[g][0]), _mm512_set1_ps(65536), all);
        all = _mm512_mul_ps(all, _mm512_load_ps(&codes->scale[part][LANES * g]));
        if (less)
            all = _mm512_fnmadd_ps(_mm512_load_ps(&codes->less[part][LANES * g]), _mm512_set1_ps(x->sum), all);
        total[g] = _mm512_fmadd_ps(all, _mm512_set1_ps(x->step), total[g]);
    }
}

TARGET static void run(const nn_codes *codes, const nn_coded_type *type, size_t values, const nn_fixed *x, float factor,
                       bool add, float *y, size_t columns)
{
    __m512 total[GROUPS];
    UNROLL for (size_t g = 0; g < GROUPS; g++)
        total[g] = _mm512_setzero_ps();
    for (size_t i = 0; i < values / NN_FIXED_VALUES; i++)
        if (type->part == 16) {
            add_part(codes, 2 * i, 16, 0, type->offset, false, x + i, total);
            add_part(codes, 2 * i + 1, 16, 1, type->offset, false, x + i, total);
        } else if (type->less) {
            add_part(codes, i, 32, 0, 0, true, x + i, total);
        } else {
            add_part(codes, i, 32, 0, type->offset, false, x + i, total);
        }
    UNROLL for (size_t g = 0; g < GROUPS; g++) {
        size_t left = columns > LANES * g ? columns - LANES * g : 0;
        __mmask16 mask = left < LANES ? (__mmask16)((1u << left) - 1) : 0xFFFF;
        __m512 before = _mm512_maskz_loadu_ps(add ? mask : 0, y + LANES * g);
        _mm512_mask_storeu_ps(y + LANES * g, mask, _mm512_fmadd_ps(total[g], _mm512_set1_ps(factor), before));
    }
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
const nn_block_products nn_block_products_avx512 = {.types = types, .fix = fix, .run = run};
#endif
