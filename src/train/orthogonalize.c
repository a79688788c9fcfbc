/* orthogonalize.c - Newton-Schulz iterations on one matrix; see orthogonalize.h. */
#include "train/orthogonalize.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/minmax.h"
#include "nn/product.h"

enum { TILE = 16 /* rows of a symmetric product, of which no columns beyond the diagonal's are made */ };

static const float linear = 3.4445F, cubic = -4.7750F, quintic = 2.0315F;
static const double least_norm = 1e-7;

/* The shorter side of the matrix is m, the longer one n. */
enum { GRAM, FACTOR, FACTORS, SPARE, SQUARES };
typedef struct work {
    const nn_cpu *cpu;
    float *other;           /* (rows, columns) */
    float *square[SQUARES]; /* (m, m) each, all symmetric */
    size_t m;
    void *panels, *product;
} work;

/* Floats (rows, columns) or, transposed, (columns, rows). */
typedef struct operand {
    float *at;
    size_t ld;
    bool transposed;
} operand;

/* ---- scratch ---- */

static size_t up_to(size_t a, size_t unit)
{
    return (a + unit - 1) / unit * unit;
}

enum { OTHER, SQUARE, PANELS = SQUARE + SQUARES, PRODUCT, PARTS };

/* Where its parts begin, and how long it is, in bytes. */
static size_t layout(const nn_cpu *cpu, size_t rows, size_t columns, size_t at[PARTS])
{
    size_t m = bipe_smaller(rows, columns), n = bipe_larger(rows, columns), size = 0;
    size_t panels[] = {nn_panels_size(cpu, NN_PRECISION_F32, m, n), nn_panels_size(cpu, NN_PRECISION_F32, n, m)};
    for (int part = 0; part < PARTS; part++) {
        at[part] = size;
        if (part == PRODUCT)
            size += nn_product_scratch(cpu, NN_PRECISION_F32, n, NN_PRODUCT_STEP, false);
        else if (part == PANELS)
            size += bipe_larger(panels[0], panels[1]);
        else
            size += up_to((part == OTHER ? rows * columns : m * m) * sizeof(float), 64);
    }
    return up_to(size, 64);
}

size_t bipe_orthogonalize_scratch(const nn_cpu *cpu, size_t rows, size_t columns)
{
    size_t at[PARTS];
    return layout(cpu, rows, columns, at);
}

/* ---- products ---- */

/* y (m, n) = left (m, k) right (k, n). symmetric: y is, and only what is on and below its diagonal is needed. */
static void multiply(const work *w, operand left, operand right, size_t m, size_t k, size_t n, bool symmetric, float *y)
{
    nn_panels panels = {.data = w->panels, .n = n, .k = k, .precision = NN_PRECISION_F32};
    if (!right.transposed && nn_panels_as_they_lie(w->cpu, NN_PRECISION_F32, n)) {
        panels.data = right.at;
        panels.ld = right.ld;
    } else {
        nn_pack_floats(w->cpu, &panels, right.at, right.ld, right.transposed, 0,
                       nn_panel_count(w->cpu, NN_PRECISION_F32, n));
    }
    for (size_t row = 0, rows; row < m; row += rows) {
        rows = symmetric ? bipe_smaller(TILE, m - row) : m;
        size_t columns = symmetric ? bipe_smaller(n, row + rows) : n;
        nn_product product = {.x = left.at + (left.transposed ? row : row * left.ld), .ldx = left.ld,
                              .x_transposed = left.transposed, .m = rows, .w = &panels, .count = columns,
                              .y = y + row * n, .ldy = n};
        nn_product_run(w->cpu, &product, w->product);
    }
}

/* What is above the diagonal, from what is below it: a square at a time, which stays close. */
static void mirror(float *y, size_t m)
{
    enum { SIDE = 16 };
    for (size_t row = 0; row < m; row += SIDE)
        for (size_t column = 0; column <= row; column += SIDE)
            for (size_t i = row; i < bipe_smaller(row + SIDE, m); i++)
                for (size_t j = column; j < bipe_smaller(column + SIDE, i); j++)
                    y[j * m + i] = y[i * m + j];
}

/* square[to] = square[a] square[b], which commute. */
static void multiply_squares(const work *w, int a, int b, int to)
{
    multiply(w, (operand){w->square[a], w->m, false}, (operand){w->square[b], w->m, false}, w->m, w->m, w->m, true,
             w->square[to]);
    mirror(w->square[to], w->m);
}

/* square[to] = a + b G + c G^2 */
static void make_factor(const work *w, int to)
{
    multiply_squares(w, GRAM, GRAM, to);
    for (size_t i = 0; i < w->m * w->m; i++)
        w->square[to][i] = cubic * w->square[GRAM][i] + quintic * w->square[to][i];
    for (size_t i = 0; i < w->m; i++)
        w->square[to][i * w->m + i] += linear;
}

/* Some rounds: x becomes F_r ... F_1 x with F = a + b G + c G^2, where G = x x^T at first and F G F after each round,
 * so that the long side of x is gone through twice, not twice a round. Rounding errors of small singular values grow in
 * G twice as fast as in x: to 1e-3 of the result after five rounds, but to no more than in x itself after three. */
static void iterate(work *w, float *x, size_t rows, size_t columns, int rounds, float *to)
{
    bool tall = rows > columns;
    operand as_is = {x, columns, false}, turned = {x, columns, true};
    multiply(w, tall ? turned : as_is, tall ? as_is : turned, w->m, tall ? rows : columns, w->m, true, w->square[GRAM]);
    mirror(w->square[GRAM], w->m);
    for (int round = 0; round < rounds; round++) {
        int factor = round == 0 ? FACTORS : FACTOR;
        make_factor(w, factor);
        if (round > 0) {
            multiply_squares(w, FACTOR, FACTORS, SPARE);
            float *made = w->square[SPARE];
            w->square[SPARE] = w->square[FACTORS];
            w->square[FACTORS] = made;
        }
        if (round < rounds - 1) {
            multiply_squares(w, GRAM, factor, SPARE);
            multiply_squares(w, SPARE, factor, GRAM);
        }
    }
    operand factors = {w->square[FACTORS], w->m, false};
    multiply(w, tall ? as_is : factors, tall ? factors : as_is, rows, w->m, columns, false, to);
}

void bipe_orthogonalize(const nn_cpu *cpu, float *x, double norm, size_t rows, size_t columns, void *scratch)
{
    size_t at[PARTS];
    char *start = scratch;
    layout(cpu, rows, columns, at);
    work w = {.cpu = cpu, .m = bipe_smaller(rows, columns), .other = (float *)(void *)(start + at[OTHER]),
              .panels = start + at[PANELS], .product = start + at[PRODUCT]};
    for (int i = 0; i < SQUARES; i++)
        w.square[i] = (float *)(void *)(start + at[SQUARE + i]);
    float scale = (float)(1 / (norm > least_norm ? norm : least_norm));
    for (size_t i = 0; i < rows * columns; i++)
        x[i] *= scale;
    iterate(&w, x, rows, columns, 3, w.other);
    iterate(&w, w.other, rows, columns, 2, x);
}
