/* product.c - products with a packed right operand: which tile is worked on when. */
#include "nn/product.h"

#include "nn/micro.h"

#include <string.h>

enum {
    ROWS = 128, /* rows of x that are packed and multiplied with a panel before the next one is fetched */
    STEPS = 128, /* words of K at a time: so much of a panel stays close while all those rows pass it. The same for all
                    kinds of vector units, since it is seen in the digits. */
    SMALL = 1 << 19,  /* a right operand of so many values or fewer */
    SMALL_STEPS = 256, /* has so many words of K at a time instead */
    FEW = 4 /* rows that are multiplied where they lie: packing them for each chunk of columns would take a while */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t up_to(size_t a, size_t unit)
{
    return (a + unit - 1) / unit * unit;
}

static size_t words_of(const nn_micro *micro, size_t k)
{
    return (k + micro->step - 1) / micro->step;
}

/* Scratch: x packed (groups of MR, K) | a strip of y (ROWS, NR) | a block of a panel, widened (SMALL_STEPS, NR). */
static size_t left_size(const nn_micro *micro, size_t m, size_t k)
{
    return up_to(up_to(smaller(m, ROWS), micro->rows) * words_of(micro, k), 16);
}

size_t nn_product_scratch(const nn_cpu *cpu, nn_precision precision, size_t m, size_t k)
{
    const nn_micro *micro = nn_micro_of(cpu, precision);
    return (left_size(micro, m, k) + (ROWS + SMALL_STEPS) * micro->columns) * sizeof(float);
}

/* A piece of a product: some rows, some of K. */
typedef struct work {
    const nn_micro *micro;
    nn_left left;
    size_t rows, from, steps; /* from: the first word of K */
    float *packed, *strip, *wide;
} work;

/* c (rows, columns) = (add ? c : 0) + the piece times one panel. */
static void strip_times(const work *w, const nn_panels *panels, size_t column, size_t columns, bool add, float *c,
                        size_t ldc)
{
    const nn_micro *micro = w->micro;
    size_t nr = micro->columns, groups = (w->rows + micro->rows - 1) / micro->rows;
    bool widen = panels->precision == NN_PRECISION_BF16 && micro->step == 1, small = panels->n <= SMALL / panels->k;
    size_t most = small ? SMALL_STEPS : STEPS, ld = panels->ld != 0 ? panels->ld : nr, per_word = widen ? 2 : 1;
    size_t words = (words_of(micro, panels->k) + per_word - 1) / per_word;
    const float *panel = (const float *)panels->data + column * (panels->ld != 0 ? 1 : words);
    for (size_t at = 0; at < w->steps; at += most) {
        size_t some = smaller(w->steps - at, most), size = (some + per_word - 1) / per_word * ld;
        const float *block = panel + (w->from + at) / per_word * ld;
        /* The next block is of this panel, or of the one after it. */
        uintptr_t next = at + some < w->steps ? (uintptr_t)(block + size)
                                              : (uintptr_t)panel + (words + w->from / per_word) * nr * sizeof *panel;
        nn_right right = {block, ld, next, (nr / per_word + groups - 1) / groups};
        if (widen) {
            nn_widen_words(block, (some + 1) / 2, nr, w->wide);
            right.at = w->wide;
        }
        nn_left left = {w->left.at + at * w->left.step, w->left.row, w->left.step, w->left.group};
        micro->run(some, &left, &right, c, ldc, w->rows, columns, add || at > 0);
    }
}

/* Rows `row` and on, values k .. k + count - 1 of K. */
static void prepare_rows(work *w, const nn_product *p, size_t row, size_t k, size_t count)
{
    const nn_micro *micro = w->micro;
    const float *x = p->x + (p->x_transposed ? row + k * p->ldx : row * p->ldx + k);
    w->rows = smaller(p->m - row, ROWS);
    w->from = k / micro->step;
    w->steps = words_of(micro, count);
    if (micro->narrow == NULL && ((p->count <= NN_PRODUCT_NARROW && p->up == NULL) || p->m <= FEW)) {
        w->left = p->x_transposed ? (nn_left){x, 1, p->ldx, micro->rows}
                                  : (nn_left){x, p->ldx, 1, micro->rows * p->ldx};
    } else if (p->m <= FEW && !p->x_transposed) { /* words of a row beside each other */
        nn_pack(micro->narrow, 1, x, p->ldx, false, w->rows, count, w->packed);
        w->left = (nn_left){w->packed, w->steps, 1, micro->rows * w->steps};
    } else {
        w->left = (nn_left){w->packed, 1, micro->rows, w->steps * micro->rows};
        nn_pack(micro->narrow, micro->rows, x, p->ldx, p->x_transposed, w->rows, count, w->packed);
    }
}

/* Rows that a product is added to: the bias, after what is there already with `add`. */
static void start_rows(const float *bias, bool add, size_t rows, size_t columns, float *y, size_t ld)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t n = 0; n < columns; n++)
            y[i * ld + n] = add ? y[i * ld + n] + bias[n] : bias[n];
}

/* All columns of the rows that were prepared. */
static void run_columns(const work *w, const nn_product *p, size_t row, bool first, bool last)
{
    size_t nr = w->micro->columns, ld = p->y != NULL ? p->ldy : nr;
    for (size_t j = 0; j < p->count; j += nr) {
        size_t column = p->first + j, columns = smaller(p->count - j, nr);
        float *values = p->y != NULL ? p->y + row * p->ldy + j : w->strip;
        if (p->bias != NULL && first)
            start_rows(p->bias + column, p->add, w->rows, columns, values, ld);
        strip_times(w, p->w, column, columns, p->add || p->bias != NULL || !first, values, ld);
        if (p->up != NULL) {
            if (p->up_bias != NULL)
                start_rows(p->up_bias + column, false, w->rows, columns, w->strip, nr);
            strip_times(w, p->up, column, columns, p->up_bias != NULL, w->strip, nr);
            for (size_t i = 0; i < w->rows; i++)
                nn_silu_mul(values + i * ld, w->strip + i * nr, values + i * ld, columns);
        }
        if (p->finish != NULL && last)
            p->finish(p->context, row, w->rows, column, columns, values, ld);
    }
}

void nn_products_run(const nn_cpu *cpu, const nn_product *p, size_t count, void *scratch)
{
    const nn_micro *micro = nn_micro_of(cpu, p->w->precision);
    /* Sums that are not complete wait in y. */
    size_t k = p->w->k, most = p->y != NULL && p->up == NULL ? smaller(k, NN_PRODUCT_STEP) : k;
    work w = {.micro = micro, .packed = scratch};
    w.strip = w.packed + left_size(micro, p->m, most);
    w.wide = w.strip + ROWS * micro->columns;
    for (size_t row = 0; row < p->m; row += ROWS)
        for (size_t at = 0; at < k; at += most) {
            prepare_rows(&w, p, row, at, smaller(most, k - at));
            for (size_t i = 0; i < count; i++)
                run_columns(&w, &p[i], row, at == 0, at + most >= k);
        }
}

void nn_product_run(const nn_cpu *cpu, const nn_product *product, void *scratch)
{
    nn_products_run(cpu, product, 1, scratch);
}
