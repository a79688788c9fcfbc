/* byte_scan_x86.c - finders of bytes for x86-64: AVX-512 (with VBMI2 and without), AVX2, SSSE3.
 *
 * All work alike. Whether byte b is in the set is a bit of a table of 16 x 8 bits, for each half of the byte values: a
 * shuffle looks up the row b % 16 and another one the bit of column b / 16; they have a bit in common for members. The
 * first shuffle gives 0 for bytes from 128 on by itself; for the upper half it looks at b ^ 128. 64 answers make a
 * word. */
#include "segment/byte_scan.h"

#ifdef BIPE_BYTE_SCAN_X86
#include <immintrin.h>
#include <string.h>

#define TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx2,bmi,popcnt")))
#define TARGET_VBMI2 __attribute__((target("avx512vbmi2,avx512f,avx512bw,avx2,bmi,popcnt")))
#define TARGET_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define TARGET_SSSE3 __attribute__((target("ssse3")))

/* The bit of a column, twice. */
static const uint8_t columns[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

bool bipe_byte_vbmi2_usable(void)
{
    return __builtin_cpu_supports("avx512vbmi2") && bipe_byte_avx512_usable();
}

bool bipe_byte_avx512_usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && bipe_byte_avx2_usable();
}

bool bipe_byte_avx2_usable(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}

bool bipe_byte_ssse3_usable(void)
{
    return __builtin_cpu_supports("ssse3");
}

/* Writes the offsets of a word's bits: four at once, needed or not (natural text has one or two), then the others. */
TARGET_AVX2 static inline size_t write_offsets(uint64_t word, uint64_t first, uint64_t *offset)
{
    size_t n = (size_t)_mm_popcnt_u64(word);
    for (size_t i = 0; i < 4; i++, word = _blsr_u64(word))
        offset[i] = first + _tzcnt_u64(word);
    for (size_t i = 4; word != 0; i++, word = _blsr_u64(word))
        offset[i] = first + _tzcnt_u64(word);
    return n;
}

/* The bits of the first `size` < 64 bytes. */
static inline uint64_t first_bits(size_t size)
{
    return ((uint64_t)1 << size) - 1;
}

TARGET_AVX512 static inline uint64_t look_avx512(__m512i bytes, __m512i low, __m512i high, bool only_ascii)
{
    __m512i column = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), _mm512_set1_epi8(15));
    __m512i bit =
        _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)columns)), column);
    __m512i row = _mm512_shuffle_epi8(low, bytes);
    if (!only_ascii)
        row = _mm512_or_si512(row, _mm512_shuffle_epi8(high, _mm512_xor_si512(bytes, _mm512_set1_epi8(-128))));
    return _mm512_test_epi8_mask(row, bit);
}

TARGET_AVX512 size_t bipe_byte_find_avx512(const bipe_byte_scan *scan, const uint8_t *bytes, size_t size,
                                           uint64_t first, uint64_t *offset)
{
    __m512i low = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)scan->low));
    __m512i high = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)scan->high));
    bool only_ascii = scan->only_ascii;
    size_t n = 0, i = 0;
    for (; size - i >= 64; i += 64)
        n += write_offsets(look_avx512(_mm512_loadu_si512(bytes + i), low, high, only_ascii), first + i, offset + n);
    if (i < size) {
        uint64_t bits = first_bits(size - i);
        n += write_offsets(look_avx512(_mm512_maskz_loadu_epi8(bits, bytes + i), low, high, only_ascii) & bits,
                           first + i, offset + n);
    }
    return n;
}

/* The same for the bits of a word, eight at once: the numbers 0 to 63 of those bits move together. */
TARGET_VBMI2 static inline size_t write_offsets_vbmi2(uint64_t word, __m512i numbers, uint64_t first, uint64_t *offset)
{
    size_t n = (size_t)_mm_popcnt_u64(word);
    __m512i from = _mm512_set1_epi64((long long)first), found = _mm512_maskz_compress_epi8(word, numbers);
    _mm512_storeu_si512(offset, _mm512_add_epi64(from, _mm512_cvtepu8_epi64(_mm512_castsi512_si128(found))));
    if (n > 8) {
        uint8_t number[64];
        _mm512_storeu_si512(number, found);
        for (size_t i = 8; i < n; i += 8) {
            __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(number + i));
            _mm512_storeu_si512(offset + i, _mm512_add_epi64(from, _mm512_cvtepu8_epi64(eight)));
        }
    }
    return n;
}

TARGET_VBMI2 size_t bipe_byte_find_vbmi2(const bipe_byte_scan *scan, const uint8_t *bytes, size_t size, uint64_t first,
                                         uint64_t *offset)
{
    __m512i low = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)scan->low));
    __m512i high = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)scan->high));
    bool only_ascii = scan->only_ascii;
    uint8_t number[64];
    for (size_t i = 0; i < sizeof number; i++)
        number[i] = (uint8_t)i;
    __m512i numbers = _mm512_loadu_si512(number);
    size_t n = 0, i = 0;
    for (; size - i >= 64; i += 64)
        n += write_offsets_vbmi2(look_avx512(_mm512_loadu_si512(bytes + i), low, high, only_ascii), numbers, first + i,
                                 offset + n);
    if (i < size) {
        uint64_t bits = first_bits(size - i);
        n += write_offsets_vbmi2(look_avx512(_mm512_maskz_loadu_epi8(bits, bytes + i), low, high, only_ascii) & bits,
                                 numbers, first + i, offset + n);
    }
    return n;
}

TARGET_AVX2 static inline uint64_t look_avx2(const uint8_t *bytes, __m256i low, __m256i high, bool only_ascii)
{
    uint64_t word = 0;
    for (int i = 0; i < 2; i++) {
        __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32 * i));
        __m256i column = _mm256_and_si256(_mm256_srli_epi16(b, 4), _mm256_set1_epi8(15));
        __m256i bit =
            _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)columns)),
                                column);
        __m256i row = _mm256_shuffle_epi8(low, b);
        if (!only_ascii)
            row = _mm256_or_si256(row, _mm256_shuffle_epi8(high, _mm256_xor_si256(b, _mm256_set1_epi8(-128))));
        __m256i member = _mm256_cmpeq_epi8(_mm256_and_si256(row, bit), bit);
        word |= (uint64_t)(uint32_t)_mm256_movemask_epi8(member) << 32 * i;
    }
    return word;
}

TARGET_AVX2 size_t bipe_byte_find_avx2(const bipe_byte_scan *scan, const uint8_t *bytes, size_t size, uint64_t first,
                                       uint64_t *offset)
{
    __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)scan->low));
    __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)scan->high));
    bool only_ascii = scan->only_ascii;
    size_t n = 0, i = 0;
    for (; size - i >= 64; i += 64)
        n += write_offsets(look_avx2(bytes + i, low, high, only_ascii), first + i, offset + n);
    if (i < size) {
        uint8_t rest[64] = {0};
        memcpy(rest, bytes + i, size - i);
        n += write_offsets(look_avx2(rest, low, high, only_ascii) & first_bits(size - i), first + i, offset + n);
    }
    return n;
}

TARGET_SSSE3 static inline uint64_t look_ssse3(const uint8_t *bytes, __m128i low, __m128i high)
{
    uint64_t word = 0;
    for (int i = 0; i < 4; i++) {
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i));
        __m128i column = _mm_and_si128(_mm_srli_epi16(b, 4), _mm_set1_epi8(15));
        __m128i bit = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)columns), column);
        __m128i row =
            _mm_or_si128(_mm_shuffle_epi8(low, b), _mm_shuffle_epi8(high, _mm_xor_si128(b, _mm_set1_epi8(-128))));
        __m128i member = _mm_cmpeq_epi8(_mm_and_si128(row, bit), bit);
        word |= (uint64_t)(uint32_t)_mm_movemask_epi8(member) << 16 * i;
    }
    return word;
}

TARGET_SSSE3 size_t bipe_byte_find_ssse3(const bipe_byte_scan *scan, const uint8_t *bytes, size_t size, uint64_t first,
                                         uint64_t *offset)
{
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)scan->low);
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)scan->high);
    size_t n = 0;
    for (size_t i = 0; i < size; i += 64) {
        uint64_t word;
        if (size - i >= 64) {
            word = look_ssse3(bytes + i, low, high);
        } else {
            uint8_t rest[64] = {0};
            memcpy(rest, bytes + i, size - i);
            word = look_ssse3(rest, low, high) & first_bits(size - i);
        }
        for (; word != 0; word &= word - 1)
            offset[n++] = first + i + (uint64_t)__builtin_ctzll(word);
    }
    return n;
}
#else
/* Another machine: an empty file is no C. */
typedef int bipe_byte_scan_x86_is_empty;
#endif
