/* product.c - products with a packed right operand: which tile is worked on when. */
#include "nn/product.h"

#include "nn/micro.h"

#include <string.h>

enum {
    ROWS = 128, /* rows of x that are packed and multiplied with a panel before the next one is fetched */
    STEPS = 256 /* words of K at a time: so much of a panel stays close while all those rows pass it. The same for all
                   kinds of vector units, since it is seen in the digits. */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t up_to(size_t a, size_t unit)
{
    return (a + unit - 1) / unit * unit;
}

/* Scratch: x packed (groups of MR, K) | a strip of y (ROWS, NR) | a block of a panel, widened (STEPS, NR). */
static size_t left_size(const nn_micro *micro, size_t m, size_t k)
{
    return up_to(up_to(smaller(m, ROWS), micro->rows) * ((k + micro->step - 1) / micro->step), 16);
}

size_t nn_product_scratch(const nn_cpu *cpu, nn_precision precision, size_t m, size_t k)
{
    const nn_micro *micro = nn_micro_of(cpu, precision);
    return (left_size(micro, m, k) + (ROWS + STEPS) * micro->columns) * sizeof(float);
}

typedef struct work {
    const nn_micro *micro;
    float *left, *strip, *wide;
} work;

/* c (rows, columns) = (add ? c : 0) + the packed rows times one panel. */
static void strip_times(const work *w, const nn_panels *panels, size_t column, size_t rows, size_t columns, bool add, float *c,
                        size_t ldc)
{
    const nn_micro *micro = w->micro;
    size_t mr = micro->rows, nr = micro->columns, steps = (panels->k + micro->step - 1) / micro->step;
    bool widen = panels->precision == NN_PRECISION_BF16 && micro->step == 1;
    size_t packed = widen ? (panels->k + 1) / 2 : steps;
    const float *panel = (const float *)panels->data + column * packed;
    size_t groups = (rows + mr - 1) / mr;
    for (size_t at = 0; at == 0 || at < steps; at += STEPS) {
        size_t some = smaller(steps - at, STEPS);
        const float *block = panel + at * nr, *next = block + some * nr;
        if (widen) {
            block = panel + at / 2 * nr;
            nn_widen_words(block, (some + 1) / 2, nr, w->wide);
            next = block + (some + 1) / 2 * nr;
            block = w->wide;
        }
        /* What comes next is asked for piece by piece: it follows in memory, be it of this panel or of the next one. */
        size_t ahead = up_to((widen ? some / 2 : some) * nr / groups, 16);
        for (size_t g = 0; g < groups; g++) {
            for (size_t i = 0; i < ahead; i += 16)
                __builtin_prefetch(next + g * ahead + i, 0, 2);
            micro->run(some, w->left + (g * steps + at) * mr, block, c + g * mr * ldc, ldc, smaller(mr, rows - g * mr), columns,
                       add || at > 0);
        }
    }
}

void nn_product_run(const nn_cpu *cpu, const nn_product *p, void *scratch)
{
    const nn_panels *panels = p->w;
    const nn_micro *micro = nn_micro_of(cpu, panels->precision);
    size_t nr = micro->columns;
    work w = {.micro = micro, .left = scratch};
    w.strip = w.left + left_size(micro, p->m, panels->k);
    w.wide = w.strip + ROWS * nr;
    for (size_t row = 0; row < p->m; row += ROWS) {
        size_t rows = smaller(p->m - row, ROWS);
        nn_pack(micro->narrow, micro->rows, p->x + row * (p->x_transposed ? 1 : p->ldx), p->ldx, p->x_transposed, rows, panels->k,
                w.left);
        for (size_t j = 0; j < p->count; j += nr) {
            size_t column = p->first + j, columns = smaller(p->count - j, nr), ld = p->y != NULL ? p->ldy : nr;
            float *values = p->y != NULL ? p->y + row * p->ldy + j : w.strip;
            if (p->bias != NULL)
                for (size_t i = 0; i < rows; i++)
                    for (size_t n = 0; n < columns; n++)
                        values[i * ld + n] = p->add ? values[i * ld + n] + p->bias[column + n] : p->bias[column + n];
            strip_times(&w, panels, column, rows, columns, p->add || p->bias != NULL, values, ld);
            if (p->up != NULL) {
                strip_times(&w, p->up, column, rows, columns, false, w.strip, nr);
                for (size_t i = 0; i < rows; i++)
                    nn_silu_mul(values + i * ld, w.strip + i * nr, columns);
            }
            if (p->finish != NULL)
                p->finish(p->context, row, rows, column, columns, values, ld);
        }
    }
}
