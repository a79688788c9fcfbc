/* interleave_avx2.c - rows of words turned into columns, eight by eight; pack.c has the twin for any processor. */
#include "nn/row_table.h"

#ifdef BIPE_NN_ROWS_X86
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

/* Words j of rows i and i + 4, four each. */
TARGET static inline __m256 two_rows(const float *from, size_t ld, size_t i)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + i * ld)), _mm_loadu_ps(from + (i + 4) * ld),
                                1);
}

TARGET static inline void interleave_steps(const float *from, size_t ld, float *to, size_t wide)
{
    __m256 a = two_rows(from, ld, 0), b = two_rows(from, ld, 1), c = two_rows(from, ld, 2), d = two_rows(from, ld, 3);
    __m256d ab = _mm256_castps_pd(_mm256_unpacklo_ps(a, b)), cd = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
    _mm256_storeu_ps(to, _mm256_castpd_ps(_mm256_unpacklo_pd(ab, cd)));
    _mm256_storeu_ps(to + wide, _mm256_castpd_ps(_mm256_unpackhi_pd(ab, cd)));
    ab = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
    cd = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
    _mm256_storeu_ps(to + 2 * wide, _mm256_castpd_ps(_mm256_unpacklo_pd(ab, cd)));
    _mm256_storeu_ps(to + 3 * wide, _mm256_castpd_ps(_mm256_unpackhi_pd(ab, cd)));
}

TARGET void nn_interleave_avx2(const float *from, size_t ld, size_t steps, float *to, size_t wide)
{
    for (size_t s = 0; s < steps; s += 4)
        interleave_steps(from + s, ld, to + s * wide, wide);
}
#endif
