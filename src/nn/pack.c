/* pack.c - operands of products, interleaved the way micro-kernels read them. */
#include "nn/micro.h"
#include "nn/product.h"

#include <string.h>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

/* So many words are interleaved at a time that they stay in the first cache. */
enum { WORDS = 4096 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* to (steps, wide), columns at .. at + 4, from four rows. */
static void interleave_four(const float *from, size_t ld, size_t steps, float *to, size_t wide)
{
    size_t s = 0;
#ifdef __SSE__
    for (; s + 4 <= steps; s += 4) {
        __m128 a = _mm_loadu_ps(from + s), b = _mm_loadu_ps(from + ld + s), c = _mm_loadu_ps(from + 2 * ld + s),
               d = _mm_loadu_ps(from + 3 * ld + s);
        _MM_TRANSPOSE4_PS(a, b, c, d);
        _mm_store_ps(to + s * wide, a);
        _mm_store_ps(to + (s + 1) * wide, b);
        _mm_store_ps(to + (s + 2) * wide, c);
        _mm_store_ps(to + (s + 3) * wide, d);
    }
#endif
    for (; s < steps; s++)
        for (size_t r = 0; r < 4; r++)
            to[s * wide + r] = from[r * ld + s];
}

/* Columns 0 .. columns - 1 of to (steps, wide) from `count` <= columns rows of words, then 0; moving words as floats
 * changes no bit of them. */
static void interleave_rows(const float *from, size_t ld, size_t count, size_t steps, float *to, size_t columns,
                            size_t wide)
{
    void (*const eight)(const float *, size_t, size_t, float *, size_t) = nn_cpu_best()->rows->interleave;
    size_t r = 0, whole = steps / 4 * 4;
    for (; eight != NULL && r + 8 <= count; r += 8) {
        eight(from + r * ld, ld, whole, to + r, wide);
        for (size_t s = whole; s < steps; s++)
            for (size_t i = r; i < r + 8; i++)
                to[s * wide + i] = from[i * ld + s];
    }
    for (; r + 4 <= count; r += 4)
        interleave_four(from + r * ld, ld, steps, to + r, wide);
    if (r == columns)
        return;
    for (size_t s = 0; s < steps; s++)
        for (size_t i = r; i < columns; i++)
            to[s * wide + i] = i < count ? from[i * ld + s] : 0;
}

typedef void narrower(const float *from, size_t words, float *to);

/* So many values are so many words. */
typedef struct unit {
    size_t values, words;
} unit;

static unit unit_of(narrower *narrow)
{
    return narrow == NULL              ? (unit){1, 1}
           : narrow == nn_narrow_int16 ? (unit){NN_INT16_BLOCK, NN_INT16_WORDS}
                                       : (unit){2, 1};
}

/* Words of one row from its values at k.. ; the last unit is filled up with 0. */
static void narrow_row(narrower *narrow, unit u, const float *from, size_t values, float *to)
{
    float last[NN_INT16_BLOCK] = {0};
    size_t whole = values / u.values, rest = values % u.values;
    narrow(from, whole * u.words, to);
    if (rest != 0) {
        memcpy(last, from + whole * u.values, rest * sizeof *last);
        narrow(last, u.words, to + whole * u.words);
    }
}

/* Rows of x to columns of to (steps, wide), as interleave_rows() has them. */
static void pack_rows(narrower *narrow, const float *x, size_t ldx, size_t count,
                      size_t k, float *to, size_t columns, size_t wide)
{
    float words[WORDS];
    const unit u = unit_of(narrow);
    size_t steps = WORDS / columns / (4 * u.words) * 4 * u.words, most = steps / u.words * u.values;
    for (size_t at = 0; at < k; at += most) {
        size_t values = smaller(k - at, most);
        if (narrow == NULL) {
            interleave_rows(x + at, ldx, count, values, to + at * wide, columns, wide);
            continue;
        }
        for (size_t r = 0; r < count; r++)
            narrow_row(narrow, u, x + r * ldx + at, values, words + r * steps);
        interleave_rows(words, steps, count, (values + u.values - 1) / u.values * u.words,
                        to + at / u.values * u.words * wide, columns, wide);
    }
}

/* Few words, for which a call of memcpy would take longer than they do. */
static inline void copy_words(const float *from, size_t count, float *to)
{
    size_t i = 0;
#ifdef __SSE__
    for (; i + 4 <= count; i += 4)
        _mm_storeu_ps(to + i, _mm_loadu_ps(from + i));
#endif
    for (; i < count; i++)
        to[i] = from[i];
}

/* to (2 count) = the values of two rows in turn. */
static void pair_rows(const float *first, const float *second, size_t count, float *to)
{
    size_t i = 0;
#ifdef __SSE__
    for (; i + 4 <= count; i += 4) {
        __m128 a = _mm_loadu_ps(first + i), b = _mm_loadu_ps(second + i);
        _mm_storeu_ps(to + 2 * i, _mm_unpacklo_ps(a, b));
        _mm_storeu_ps(to + 2 * i + 4, _mm_unpackhi_ps(a, b));
    }
#endif
    for (; i < count; i++) {
        to[2 * i] = first[i];
        to[2 * i + 1] = second[i];
    }
}

/* From (K, count): the words of a step lie beside each other. Few groups at a time: they are far apart in `to`, and too
 * many would push each other out of the first cache. Rows are prefetched, since they are too far apart for the
 * processor to foresee them. */
static void pack_columns(narrower *narrow, size_t wide, const float *x, size_t ldx,
                         size_t count, size_t k, float *to)
{
    enum { TOGETHER = 64, AHEAD = 16 };
    static const float zeros[NN_MICRO_COLUMNS];
    float pairs[2 * NN_MICRO_COLUMNS], words[NN_MICRO_COLUMNS];
    size_t step = narrow == NULL ? 1 : 2, steps = (k + step - 1) / step,
           most = wide < TOGETHER ? TOGETHER / wide * wide : wide;
    for (size_t first = 0; first < count; first += most)
        for (size_t at = 0; at < k; at += step) {
            const float *row = x + at * ldx + first;
            size_t some = smaller(count - first, most);
            for (size_t s = 0; s < step; s++)
                for (size_t i = 0; i < some; i += 16)
                    __builtin_prefetch((const void *)((uintptr_t)row + ((AHEAD + s) * ldx + i) * sizeof *row));
            if (narrow != NULL) {
                pair_rows(row, at + 1 < k ? row + ldx : zeros, some, pairs);
                narrow(pairs, some, words);
                row = words;
            }
            for (size_t r = 0; r < some; r += wide) {
                float *group = to + (first + r) * steps + at / step * wide;
                size_t n = smaller(some - r, wide);
                copy_words(row + r, n, group);
                if (n < wide)
                    memset(group + n, 0, (wide - n) * sizeof *group);
            }
        }
}

void nn_pack(narrower *narrow, size_t wide, const float *x, size_t ldx, bool transposed,
             size_t count, size_t k, void *to)
{
    if (transposed) {
        pack_columns(narrow, wide, x, ldx, count, k, to);
        return;
    }
    const unit u = unit_of(narrow);
    size_t steps = (k + u.values - 1) / u.values * u.words;
    for (size_t first = 0; first < count; first += wide)
        pack_rows(narrow, x + first * ldx, ldx, smaller(count - first, wide), k, (float *)to + first * steps, wide,
                  wide);
}

static size_t steps_of(const nn_panels *panels)
{
    const unit u = panels->precision == NN_PRECISION_INT16  ? unit_of(nn_narrow_int16)
                   : panels->precision == NN_PRECISION_BF16 ? unit_of(nn_narrow)
                                                            : unit_of(NULL);
    return (panels->k / u.values + (panels->k % u.values != 0)) * u.words;
}

size_t nn_panel_columns(const nn_cpu *cpu, nn_precision precision)
{
    return nn_product_micro(cpu, precision)->columns;
}

size_t nn_panel_count(const nn_cpu *cpu, nn_precision precision, size_t n)
{
    size_t nr = nn_panel_columns(cpu, precision);
    return n / nr + (n % nr != 0);
}

size_t nn_panels_size(const nn_cpu *cpu, nn_precision precision, size_t n, size_t k)
{
    size_t bytes = nn_panel_columns(cpu, precision) * sizeof(float), panels = nn_panel_count(cpu, precision, n);
    size_t steps = steps_of(&(nn_panels){.k = k, .precision = precision});
    if (panels != 0 && steps > (SIZE_MAX - 63) / bytes / panels)
        return SIZE_MAX;
    return (panels * steps * bytes + 63) / 64 * 64;
}

/* Where dot products take subnormal numbers for 0, so may what narrows. */
static void (*narrow_of(const nn_cpu *cpu, nn_precision precision))(const float *, size_t, float *)
{
    const nn_micro *micro = nn_product_micro(cpu, precision);
    return precision == NN_PRECISION_F32 ? NULL : micro->narrow != NULL ? micro->narrow : nn_narrow;
}

bool nn_panels_as_they_lie(const nn_cpu *cpu, nn_precision precision, size_t n)
{
    return precision == NN_PRECISION_F32 && n <= NN_PRODUCT_NARROW && n % cpu->f32->lanes == 0;
}

void nn_pack_floats(const nn_cpu *cpu, const nn_panels *to, const float *from, size_t ld, bool transposed, size_t first,
                    size_t count)
{
    size_t nr = nn_panel_columns(cpu, to->precision), column = first * nr;
    if (count == 0 || column >= to->n)
        return;
    nn_pack(narrow_of(cpu, to->precision), nr, from + column * (transposed ? ld : 1), ld, !transposed,
            smaller(count * nr, to->n - column), to->k, (float *)to->data + column * steps_of(to));
}

static const uint8_t *values_at(const nn_matrix *w, size_t row, size_t first)
{
    return (const uint8_t *)nn_row(w, row) + first / w->block * w->block_size;
}

void nn_read(const nn_matrix *w, size_t row, size_t first, float *to, size_t count)
{
    w->read(values_at(w, row, first), to, count);
    for (size_t i = 0; w->scale != 0 && i < count; i++)
        to[i] *= w->scale;
}

/* Values k .. k + count - 1 of the panel that begins at a row, to words (steps, NR). round: to bfloat16 that is kept as
 * f32. */
static void pack_panel(narrower *narrow, bool round, size_t nr, const nn_matrix *w,
                       size_t row, size_t k, size_t count, float *to)
{
    enum { LONGEST = 256, ROWS = 16 }; /* block of all types; few rows stay in the first cache until they are turned */
    float rows[ROWS * LONGEST];
    const unit u = unit_of(narrow);
    size_t some = smaller(nr, w->rows - row);
    for (size_t at = 0; at < count; at += LONGEST)
        for (size_t r = 0; r < nr; r += ROWS) {
            size_t columns = smaller(LONGEST, count - at), here = r < some ? smaller(ROWS, some - r) : 0;
            for (size_t i = 0; i < here; i++)
                nn_read(w, row + r + i, k + at, rows + i * LONGEST, columns);
            if (round)
                nn_round_bf16(rows, here * LONGEST);
            pack_rows(narrow, rows, LONGEST, here, columns, to + at / u.values * u.words * nr + r,
                      smaller(ROWS, nr - r), nr);
        }
}

void nn_pack_weights(const nn_cpu *cpu, const nn_panels *to, const nn_matrix *w, size_t first, size_t count)
{
    size_t nr = nn_panel_columns(cpu, to->precision);
    for (size_t panel = first; panel < first + count && panel * nr < to->n; panel++)
        pack_panel(narrow_of(cpu, to->precision), false, nr, w, panel * nr, 0, to->k,
                   (float *)to->data + panel * nr * steps_of(to));
}

void nn_widen_weights(const nn_cpu *cpu, const nn_panels *from, size_t column, size_t panels, size_t k, size_t count,
                      float *to)
{
    const nn_micro *micro = nn_product_micro(cpu, from->precision);
    const bool round = from->precision == NN_PRECISION_BF16 && micro->step == 1;
    size_t nr = micro->columns, values = smaller(count, from->k - k);
    for (size_t i = 0; i < panels; i++, to += nn_words(micro, count) * nr)
        pack_panel(micro->narrow, round, nr, from->weights, column + i * nr, k, values, to);
}
