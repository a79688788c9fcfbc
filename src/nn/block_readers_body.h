/* block_readers_body.h - readers of weights in blocks, included once for each kind of x86 vector unit. Without include
 * guard.
 *
 * Everything is brought into 16 codes, signed bytes, which put() converts and multiplies by their scale.
 * Defined before: TABLE, the name of the table; TARGET, the attributes of functions; vec, a vector of floats, with
 *   half_at(from)                     the half float that is there, in all of them
 *   every(x)                          x in all of them; and for 16 values
 *   put_f16(to, from)                 to = the half floats that are there
 *   put(to, codes, scale)             to = scale * codes
 *   put_less(to, codes, scale, less)  to = scale * codes - less
 *   put_more(to, codes, scale, more)  to = scale * codes + more */
#include <string.h>

typedef __m128i bytes16;

#define READER(name, values, bytes)                                                              \
    TARGET static void read_##name(const void *restrict from, float *restrict to, size_t count)  \
    {                                                                                            \
        const uint8_t *restrict block = from;                                                    \
        for (; count >= (values); count -= (values), block += (bytes), to += (values))           \
            name(block, to);                                                                     \
    }

TARGET static inline bytes16 load16(const uint8_t *from)
{
    return _mm_loadu_si128((const bytes16 *)(const void *)from);
}

TARGET static inline bytes16 load8(const uint8_t *from)
{
    return _mm_loadl_epi64((const bytes16 *)(const void *)from);
}

static inline unsigned number16(const uint8_t *from)
{
    uint16_t x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline uint32_t number32(const uint8_t *from)
{
    uint32_t x;
    memcpy(&x, from, sizeof x);
    return x;
}

TARGET static inline vec float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return every(x);
}

/* ---- codes ---- */

TARGET static inline bytes16 same(int x)
{
    return _mm_set1_epi8((char)x);
}

TARGET static inline bytes16 low4(bytes16 x)
{
    return _mm_and_si128(x, same(15));
}

TARGET static inline bytes16 high4(bytes16 x)
{
    return _mm_and_si128(_mm_srli_epi16(x, 4), same(15));
}

TARGET static inline bytes16 minus(bytes16 x, int less)
{
    return _mm_sub_epi8(x, same(less));
}

/* `yes` where bit i of 16 is 1, else 0. */
TARGET static inline bytes16 where16(unsigned bits, int yes)
{
    const bytes16 byte = _mm_set_epi64x(0x0101010101010101, 0), bit = _mm_set1_epi64x((long long)0x8040201008040201u);
    bytes16 spread = _mm_shuffle_epi8(_mm_set1_epi16((short)bits), byte);
    return _mm_and_si128(_mm_cmpeq_epi8(_mm_and_si128(spread, bit), bit), same(yes));
}

/* Half blocks of 16: the low bits of as many bytes, then the high ones. */
TARGET static inline void put_halves(float *to, bytes16 codes, int less, vec scale)
{
    put(to, minus(low4(codes), less), scale);
    put(to + 16, minus(high4(codes), less), scale);
}

TARGET static inline void put_levels(float *to, bytes16 codes, bytes16 level, vec scale)
{
    put(to, _mm_shuffle_epi8(level, low4(codes)), scale);
    put(to + 16, _mm_shuffle_epi8(level, high4(codes)), scale);
}

/* ---- numbers by themselves ---- */

TARGET static void read_f16(const void *restrict from, float *restrict to, size_t count)
{
    const uint8_t *restrict at = from;
    for (; count >= 16; count -= 16, at += 32, to += 16)
        put_f16(to, at);
    uint8_t rest[32] = {0};
    float value[16];
    memcpy(rest, at, 2 * count);
    put_f16(value, rest);
    memcpy(to, value, count * sizeof *to);
}

/* ---- one scale ---- */

TARGET static inline void q1_0(const uint8_t *restrict block, float *restrict to)
{
    vec d = half_at(block);
    for (int i = 0; i < 8; i++)
        put(to + 16 * i, minus(where16(number16(block + 2 + 2 * i), 2), 1), d);
}
READER(q1_0, 128, 18)

TARGET static inline void q2_0(const uint8_t *restrict block, float *restrict to)
{
    const bytes16 byte = _mm_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const bytes16 one = _mm_set1_epi32(0x40100401), two = _mm_set1_epi32((int)0x80200802u);
    vec d = half_at(block);
    for (int i = 0; i < 4; i++) {
        bytes16 codes = _mm_shuffle_epi8(_mm_cvtsi32_si128((int)number32(block + 2 + 4 * i)), byte);
        bytes16 low = _mm_cmpeq_epi8(_mm_and_si128(codes, one), one);
        bytes16 high = _mm_cmpeq_epi8(_mm_and_si128(codes, two), two);
        codes = _mm_or_si128(_mm_and_si128(low, same(1)), _mm_and_si128(high, same(2)));
        put(to + 16 * i, minus(codes, 1), d);
    }
}
READER(q2_0, 64, 18)

TARGET static inline void q4_0(const uint8_t *restrict block, float *restrict to)
{
    put_halves(to, load16(block + 2), 8, half_at(block));
}
READER(q4_0, 32, 18)

TARGET static inline void q4_1(const uint8_t *restrict block, float *restrict to)
{
    vec d = half_at(block), m = half_at(block + 2);
    bytes16 codes = load16(block + 4);
    put_more(to, low4(codes), d, m);
    put_more(to + 16, high4(codes), d, m);
}
READER(q4_1, 32, 20)

TARGET static inline void q5_0(const uint8_t *restrict block, float *restrict to)
{
    vec d = half_at(block);
    bytes16 codes = load16(block + 6);
    put(to, minus(_mm_or_si128(low4(codes), where16(number16(block + 2), 16)), 16), d);
    put(to + 16, minus(_mm_or_si128(high4(codes), where16(number16(block + 4), 16)), 16), d);
}
READER(q5_0, 32, 22)

TARGET static inline void q5_1(const uint8_t *restrict block, float *restrict to)
{
    vec d = half_at(block), m = half_at(block + 2);
    bytes16 codes = load16(block + 8);
    put_more(to, _mm_or_si128(low4(codes), where16(number16(block + 4), 16)), d, m);
    put_more(to + 16, _mm_or_si128(high4(codes), where16(number16(block + 6), 16)), d, m);
}
READER(q5_1, 32, 24)

TARGET static inline void q8_0(const uint8_t *restrict block, float *restrict to)
{
    vec d = half_at(block);
    put(to, load16(block + 2), d);
    put(to + 16, load16(block + 18), d);
}
READER(q8_0, 32, 34)

TARGET static inline void tq2_0(const uint8_t *restrict block, float *restrict to)
{
    vec d = half_at(block + 64);
    for (int i = 0; i < 4; i++) {
        bytes16 codes = load16(block + 16 * i);
        for (int run = 0; run < 4; run++, codes = _mm_srli_epi16(codes, 2))
            put(to + i / 2 * 128 + 32 * run + i % 2 * 16, minus(_mm_and_si128(codes, same(3)), 1), d);
    }
}
READER(tq2_0, 256, 66)

/* ---- levels ---- */

#define FITTED _mm_setr_epi8(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)
#define FLOATS _mm_setr_epi8(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12)

TARGET static inline void iq4_nl(const uint8_t *restrict block, float *restrict to)
{
    put_levels(to, load16(block + 2), FITTED, half_at(block));
}
READER(iq4_nl, 32, 18)

TARGET static inline void iq4_xs(const uint8_t *restrict block, float *restrict to)
{
    const __m128i shift = _mm_setr_epi16(1 << 14, 1 << 12, 1 << 10, 1 << 8, 1 << 6, 1 << 4, 1 << 2, 1);
    bytes16 low = _mm_cvtsi32_si128((int)number32(block + 4));
    __m128i high = _mm_srli_epi16(_mm_mullo_epi16(_mm_set1_epi16((short)number16(block + 2)), shift), 14);
    high = _mm_slli_epi16(_mm_packus_epi16(high, high), 4);
    float scale[16];
    put(scale, minus(_mm_or_si128(_mm_unpacklo_epi8(low4(low), high4(low)), high), 32), half_at(block));
    for (int part = 0; part < 8; part++)
        put_levels(to + 32 * part, load16(block + 8 + 16 * part), FITTED, every(scale[part]));
}
READER(iq4_xs, 256, 136)

TARGET static inline void mxfp4(const uint8_t *restrict block, float *restrict to)
{
    uint32_t exponent = block[0];
    vec scale = float_of(exponent < 2 ? 0x200000u << exponent : (exponent - 1) << 23);
    put_levels(to, load16(block + 1), FLOATS, scale);
}
READER(mxfp4, 32, 17)

TARGET static inline void nvfp4(const uint8_t *restrict block, float *restrict to)
{
    bytes16 scales = _mm_cvtsi32_si128((int)number32(block));
    scales = _mm_andnot_si128(_mm_cmpeq_epi8(scales, same(0x7F)), _mm_and_si128(scales, same(0x7F)));
    scales = _mm_slli_epi32(_mm_cvtepu8_epi32(scales), 20);
    float scale[4];
    _mm_storeu_ps(scale, _mm_mul_ps(_mm_castsi128_ps(scales), _mm_set1_ps(0x1p119f)));
    for (int part = 0; part < 4; part++) {
        bytes16 both = load8(block + 4 + 8 * part), codes = _mm_unpacklo_epi64(low4(both), high4(both));
        put(to + 16 * part, _mm_shuffle_epi8(FLOATS, codes), every(scale[part]));
    }
}
READER(nvfp4, 64, 36)

/* ---- K types ---- */

TARGET static inline void q2_k(const uint8_t *restrict block, float *restrict to)
{
    float scale[16], less[16];
    put(scale, low4(load16(block)), half_at(block + 80));
    put(less, high4(load16(block)), half_at(block + 82));
    for (int i = 0; i < 4; i++) {
        bytes16 codes = load16(block + 16 + 16 * i);
        for (int run = 0; run < 4; run++, codes = _mm_srli_epi16(codes, 2)) {
            int part = i / 2 * 8 + 2 * run + i % 2;
            put_less(to + 16 * part, _mm_and_si128(codes, same(3)), every(scale[part]), every(less[part]));
        }
    }
}
READER(q2_k, 256, 84)

TARGET static inline void q3_k(const uint8_t *restrict block, float *restrict to)
{
    const uint8_t *scales = block + 96;
    bytes16 low = load8(scales), high = _mm_set1_epi32((int)number32(scales + 8));
    high = _mm_srlv_epi32(high, _mm_setr_epi32(0, 2, 4, 6));
    high = _mm_slli_epi16(_mm_and_si128(high, same(3)), 4);
    float scale[16];
    put(scale, minus(_mm_or_si128(_mm_unpacklo_epi64(low4(low), high4(low)), high), 32), half_at(block + 108));
    for (int i = 0; i < 4; i++) {
        bytes16 codes = load16(block + 32 + 16 * i), third = load16(block + i % 2 * 16);
        third = i < 2 ? third : _mm_srli_epi16(third, 4);
        for (int run = 0; run < 4; run++) {
            int part = i / 2 * 8 + 2 * run + i % 2;
            bytes16 bit = _mm_slli_epi16(_mm_and_si128(third, same(1)), 2);
            put(to + 16 * part, minus(_mm_or_si128(_mm_and_si128(codes, same(3)), bit), 4), every(scale[part]));
            codes = _mm_srli_epi16(codes, 2), third = _mm_srli_epi16(third, 1);
        }
    }
}
READER(q3_k, 256, 110)

/* Eight scales, and at number 8 eight minima. */
TARGET static inline void read_scales(const uint8_t *restrict block, float scale[16], float less[16])
{
    uint32_t a = number32(block + 4), b = number32(block + 8), c = number32(block + 12);
    uint32_t scales = (c & 0x0F0F0F0F) | (a >> 2 & 0x30303030), minima = (c >> 4 & 0x0F0F0F0F) | (b >> 2 & 0x30303030);
    bytes16 all = _mm_setr_epi32((int)(a & 0x3F3F3F3F), (int)scales, (int)(b & 0x3F3F3F3F), (int)minima);
    put(scale, all, half_at(block));
    put(less, all, half_at(block + 2));
}

TARGET static inline void q4_k(const uint8_t *restrict block, float *restrict to)
{
    float scale[16], less[16];
    read_scales(block, scale, less);
    for (int i = 0; i < 8; i++) {
        bytes16 codes = load16(block + 16 + 16 * i);
        float *at = to + i / 2 * 64 + i % 2 * 16;
        int run = i / 2 * 2;
        put_less(at, low4(codes), every(scale[run]), every(less[8 + run]));
        put_less(at + 32, high4(codes), every(scale[run + 1]), every(less[9 + run]));
    }
}
READER(q4_k, 256, 144)

TARGET static inline void q5_k(const uint8_t *restrict block, float *restrict to)
{
    float scale[16], less[16];
    read_scales(block, scale, less);
    for (int half = 0; half < 2; half++) {
        bytes16 fifth = load16(block + 16 + 16 * half);
        for (int run = 0; run < 8; run += 2, fifth = _mm_srli_epi16(fifth, 2)) {
            bytes16 codes = load16(block + 48 + 16 * run + 16 * half);
            bytes16 low = _mm_slli_epi16(_mm_and_si128(fifth, same(1)), 4);
            bytes16 high = _mm_slli_epi16(_mm_and_si128(fifth, same(2)), 3);
            float *at = to + 32 * run + 16 * half;
            put_less(at, _mm_or_si128(low4(codes), low), every(scale[run]), every(less[8 + run]));
            put_less(at + 32, _mm_or_si128(high4(codes), high), every(scale[run + 1]), every(less[9 + run]));
        }
    }
}
READER(q5_k, 256, 176)

TARGET static inline void q6_k(const uint8_t *restrict block, float *restrict to)
{
    float scale[16];
    put(scale, load16(block + 192), half_at(block + 208));
    for (int i = 0; i < 4; i++) {
        const uint8_t *low = block + i / 2 * 64 + i % 2 * 16;
        bytes16 a = load16(low), b = load16(low + 32), high = load16(block + 128 + 16 * i), mask = same(0x30);
        bytes16 first = _mm_and_si128(_mm_slli_epi16(high, 4), mask), third = _mm_and_si128(high, mask);
        bytes16 second = _mm_and_si128(_mm_slli_epi16(high, 2), mask);
        bytes16 last = _mm_and_si128(_mm_srli_epi16(high, 2), mask);
        int part = i / 2 * 8 + i % 2;
        float *at = to + 16 * part;
        put(at, minus(_mm_or_si128(low4(a), first), 32), every(scale[part]));
        put(at + 32, minus(_mm_or_si128(low4(b), second), 32), every(scale[part + 2]));
        put(at + 64, minus(_mm_or_si128(high4(a), third), 32), every(scale[part + 4]));
        put(at + 96, minus(_mm_or_si128(high4(b), last), 32), every(scale[part + 6]));
    }
}
READER(q6_k, 256, 210)

const nn_block_reader TABLE[] = {
    {1, read_f16}, {2, read_q4_0}, {3, read_q4_1}, {6, read_q5_0}, {7, read_q5_1}, {8, read_q8_0}, {10, read_q2_k},
    {11, read_q3_k}, {12, read_q4_k}, {13, read_q5_k}, {14, read_q6_k}, {20, read_iq4_nl}, {23, read_iq4_xs},
    {35, read_tq2_0}, {39, read_mxfp4}, {40, read_nvfp4}, {41, read_q1_0}, {42, read_q2_0}, {-1, NULL}};
