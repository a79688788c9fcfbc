/* product.c - products with a packed right operand: which tile is worked on when. */
#include "nn/product.h"

#include "nn/block_products.h"
#include "nn/micro.h"

#include <string.h>

enum {
    ROWS = 128, /* rows of x that are packed and multiplied with a panel before the next one is fetched */
    STEPS = 128, /* words of K at a time: so much of a panel stays close while all those rows pass it. The same for all
                    kinds of vector units, since it is seen in the digits. */
    SMALL = 1 << 19,  /* a right operand of so many values or fewer */
    SMALL_STEPS = 256, /* has so many words of K at a time instead */
    LONGEST = 256, /* values of a block of weights, of all types */
    FEW = 4, /* rows that are multiplied where they lie: packing them for each chunk of columns would take a while */
    MANY = 1024, /* rows of x that pass weights that were widened for them: a multiple of ROWS */
    WIDENED = 1 << 17 /* words of panels that are widened at a time, if one has no more: half of what the second cache
                         holds, lest a thousand rows that pass them push them out */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t up_to(size_t a, size_t unit)
{
    return (a + unit - 1) / unit * unit;
}

/* Scratch: a strip of y (ROWS, NR) | a block of a panel, widened (SMALL_STEPS, NR) | x packed (groups of MR, K) |
 * panels that are widened for many rows, twice. */
static size_t left_size(const nn_micro *micro, size_t m, size_t k)
{
    return up_to(up_to(m, micro->rows) * nn_words(micro, k), 16);
}

size_t nn_product_scratch(const nn_cpu *cpu, nn_precision precision, size_t m, size_t k, bool widened)
{
    const nn_micro *micro = nn_product_micro(cpu, precision);
    size_t size = (ROWS + SMALL_STEPS) * micro->columns + left_size(micro, smaller(m, widened ? MANY : ROWS), k);
    if (widened && m > ROWS)
        size += 2 * up_to(micro->columns * nn_words(micro, k) + WIDENED, 16);
    return size * sizeof(float);
}

/* A piece of a product: some rows, some of K. */
typedef struct work {
    const nn_cpu *cpu;
    const nn_micro *micro;
    bool coded;               /* left are integers, for products straight from blocks */
    nn_left left;
    size_t rows, from, steps; /* from: the first word of K */
    size_t k, values;         /* the first value of K, and how many */
    float *packed, *strip, *wide;
    float *widened[2];        /* panels of the first and the second operand */
} work;

/* Columns of an operand, some of K. */
typedef struct strip {
    const nn_panels *panels;
    const float *widened; /* not NULL: this panel, of the piece's words of K alone */
    size_t column, columns;
    size_t next;          /* the column that is multiplied after this panel */
} strip;

/* The type of weights whose codes are multiplied as they are; NULL: they are widened, or packed already. */
static const nn_coded_type *coded_type(const nn_cpu *cpu, const nn_panels *panels)
{
    if (cpu->products == NULL || panels->precision != NN_PRECISION_F32 || panels->weights == NULL)
        return NULL;
    const nn_coded_type *type = cpu->products->types;
    while (type->unpack != NULL && type->type != panels->weights->type)
        type++;
    return type->unpack != NULL ? type : NULL;
}

static bool is_coded(const nn_cpu *cpu, const nn_product *p)
{
    return p->coded && !p->x_transposed && coded_type(cpu, p->w) != NULL &&
           (p->up == NULL || coded_type(cpu, p->up) != NULL);
}

/* Where 8 rows of weights at a time lie, and how far rows are apart; 0: it is not the same everywhere. */
static size_t find_rows(const nn_matrix *m, size_t row, size_t columns, const uint8_t *blocks[])
{
    enum { TOGETHER = 2 * NN_CODED_TOGETHER };
    for (size_t i = 0; i < columns; i += NN_CODED_TOGETHER)
        blocks[i / NN_CODED_TOGETHER] = nn_row(m, row + i);
    if (m->head == 0)
        return m->stride;
    return m->rotary == m->head && m->head % (2 * TOGETHER) == 0 ? 2 * m->stride : 0;
}

/* strip_times() straight from blocks, of up to nn_block_products.columns. Sums of 256 values are added up in the order
 * of K. */
static void coded_times(const work *w, const strip *s, bool add, float *c, size_t ldc)
{
    enum { MOST = NN_CODED_COLUMNS, GROUPS = MOST / NN_CODED_TOGETHER };
    const nn_matrix *m = s->panels->weights;
    const nn_coded_type *type = coded_type(w->cpu, s->panels);
    const size_t columns = w->cpu->products->columns;
    const uint8_t *rows[GROUPS], *blocks[GROUPS];
    uint8_t copies[MOST][NN_CODED_BYTES];
    const size_t stride = s->columns == columns ? find_rows(m, s->column, columns, rows) : 0;
    nn_codes *codes = (void *)w->wide;
    for (size_t at = 0; at < w->steps; at += NN_CODED_VALUES) {
        const size_t values = smaller(w->steps - at, NN_CODED_VALUES), bytes = values / m->block * m->block_size,
                     from = (w->from + at) / m->block * m->block_size;
        /* Memory is read from beginning to end, while what was read a panel before is worked on. */
        const uintptr_t next = (uintptr_t)m->data + s->next * m->stride + from * columns;
        for (size_t i = 0; i < columns && stride == 0; i++)
            memcpy(copies[i], (const uint8_t *)nn_row(m, s->column + (i < s->columns ? i : 0)) + from, bytes);
        for (size_t i = 0; i < columns / NN_CODED_TOGETHER; i++)
            blocks[i] = stride == 0 ? copies[NN_CODED_TOGETHER * i] : rows[i] + from;
        type->unpack(blocks, stride == 0 ? NN_CODED_BYTES : stride, values, next, codes);
        for (size_t i = 0; i < w->rows; i++)
            w->cpu->products->run(codes, type, values, (const void *)(w->left.at + i * w->left.row + at),
                                  m->scale != 0 ? m->scale : 1, add || at > 0, c + i * ldc, s->columns);
    }
}

/* c (rows, columns) = (add ? c : 0) + the piece times one panel. */
static void strip_times(const work *w, const strip *s, bool add, float *c, size_t ldc)
{
    for (size_t j = 0, most = w->coded ? w->cpu->products->columns : 1; j < s->columns && w->coded; j += most) {
        const size_t next = j + most < s->columns ? s->column + j + most : s->next;
        const strip part = {s->panels, NULL, s->column + j, smaller(s->columns - j, most), next};
        coded_times(w, &part, add, c + j, ldc);
    }
    if (w->coded)
        return;
    const nn_micro *micro = w->micro;
    const nn_panels *panels = s->panels;
    size_t nr = micro->columns, groups = (w->rows + micro->rows - 1) / micro->rows;
    const bool pairs = panels->precision == NN_PRECISION_BF16 && micro->step == 1 && panels->weights == NULL,
               piecewise = panels->weights != NULL && s->widened == NULL;
    /* Integers add their blocks one by one, and their digits show no steps. */
    const bool integers = micro->words != 1;
    const size_t piece = integers ? LONGEST / micro->step * micro->words : SMALL_STEPS,
                 most = integers || panels->n <= SMALL / panels->k ? piece : STEPS;
    size_t ld = panels->ld != 0 ? panels->ld : nr,
           per_word = pairs ? 2 : 1, words = (nn_words(micro, panels->k) + per_word - 1) / per_word;
    const float *panel = s->widened;
    if (panels->weights == NULL)
        panel = (const float *)panels->data + s->column * (panels->ld != 0 ? 1 : words) + w->from / per_word * ld;
    for (size_t at = 0; at < w->steps; at += most) {
        size_t some = smaller(w->steps - at, most), size = (some + per_word - 1) / per_word * ld;
        nn_right right = {panel, ld, 0, (nr / per_word + groups - 1) / groups};
        if (piecewise) {
            const size_t k = at / micro->words * micro->step, values = piece / micro->words * micro->step;
            if (at % piece == 0)
                nn_widen_weights(w->cpu, panels, s->column, 1, w->k + k, smaller(w->values - k, values), w->wide);
            right.at = w->wide + at % piece * nr;
        } else {
            right.at = panel + at / per_word * ld;
            /* The next block is of this panel, or of the one after it. */
            right.next = at + some < w->steps || s->widened != NULL ? (uintptr_t)right.at + size * sizeof *panel
                                                                    : (uintptr_t)panel + words * nr * sizeof *panel;
        }
        if (pairs) {
            nn_widen_words(right.at, (some + 1) / 2, nr, w->wide);
            right.at = w->wide;
        }
        nn_left left = {w->left.at + at * w->left.step, w->left.row, w->left.step, w->left.group};
        micro->run(some, &left, &right, c, ldc, w->rows, s->columns, add || at > 0);
    }
}

/* Rows `row` and on, values k .. k + count - 1 of K. */
static void prepare_rows(work *w, const nn_product *p, size_t row, size_t rows, size_t k, size_t count)
{
    const nn_micro *micro = w->micro;
    const float *x = p->x + (p->x_transposed ? row + k * p->ldx : row * p->ldx + k);
    w->rows = rows;
    w->k = k;
    w->values = count;
    w->from = nn_words(micro, k);
    w->steps = nn_words(micro, count);
    if (w->coded) {
        w->left = (nn_left){w->packed, count, 1, micro->rows * count};
        for (size_t i = 0; i < rows; i++)
            w->cpu->products->fix(x + i * p->ldx, count, (void *)(w->packed + i * count));
    } else if (micro->narrow == NULL && ((p->count <= NN_PRODUCT_NARROW && p->up == NULL) || p->m <= FEW)) {
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

/* Columns first .. of some rows, up to ROWS of those that were prepared. */
static void run_columns(const work *w, const nn_product *p, size_t row, size_t from, size_t end, bool first, bool last)
{
    size_t nr = w->micro->columns, ld = p->y != NULL ? p->ldy : nr;
    for (size_t j = from; j < end; j += nr) {
        const size_t at = (j - from) * w->steps, columns = smaller(p->count - j, nr), column = p->first + j;
        const size_t next = j + nr < end ? column + nr : column;
        const strip own = {p->w, w->widened[0] != NULL ? w->widened[0] + at : NULL, column, columns, next},
                    up = {p->up, w->widened[1] != NULL ? w->widened[1] + at : NULL, column, columns, next};
        float *values = p->y != NULL ? p->y + row * p->ldy + j : w->strip;
        if (p->bias != NULL && first)
            start_rows(p->bias + column, p->add, w->rows, columns, values, ld);
        strip_times(w, &own, p->add || p->bias != NULL || !first, values, ld);
        if (p->up != NULL) {
            if (p->up_bias != NULL)
                start_rows(p->up_bias + column, false, w->rows, columns, w->strip, nr);
            strip_times(w, &up, p->up_bias != NULL, w->strip, nr);
            for (size_t i = 0; i < w->rows; i++)
                nn_activate_mul(p->activation, values + i * ld, w->strip + i * nr, values + i * ld, columns);
        }
        if (p->finish != NULL && last)
            p->finish(p->context, row, w->rows, column, columns, values, ld);
    }
}

/* All columns of the rows that were prepared. Panels that ROWS rows pass or fewer are widened in front of them, a block
 * at a time; for more rows, some panels, which these rows pass ROWS at a time. */
static void run_rows(const work *w, const nn_product *p, size_t row, bool first, bool last)
{
    const nn_panels *operand[] = {p->w, p->up};
    const size_t nr = w->micro->columns, panels = 1 + WIDENED / (p->up != NULL ? 2 : 1) / nr / w->steps;
    for (size_t j = 0, end; j < p->count; j = end) {
        work part = *w;
        end = smaller(p->count, j + panels * nr);
        for (size_t i = 0; i < 2; i++) {
            part.widened[i] = NULL;
            if (operand[i] != NULL && operand[i]->weights != NULL && w->rows > ROWS && !w->coded) {
                part.widened[i] = w->widened[i];
                nn_widen_weights(w->cpu, operand[i], p->first + j, (end - j + nr - 1) / nr, w->k, w->values,
                                 part.widened[i]);
            }
        }
        for (size_t r = 0; r < w->rows; r += ROWS) {
            part.rows = smaller(w->rows - r, ROWS);
            part.left.at = w->left.at + r / w->micro->rows * w->left.group;
            run_columns(&part, p, row + r, j, end, first, last);
        }
    }
}

void nn_products_run(const nn_cpu *cpu, const nn_product *p, size_t count, void *scratch)
{
    const nn_micro *micro = nn_product_micro(cpu, p->w->precision);
    /* Sums that are not complete wait in y. */
    size_t k = p->w->k, most = p->y != NULL && p->up == NULL ? smaller(k, NN_PRODUCT_STEP) : k, together = ROWS;
    work w = {.cpu = cpu, .micro = micro, .strip = scratch};
    w.wide = w.strip + ROWS * micro->columns;
    w.packed = w.wide + SMALL_STEPS * micro->columns;
    for (size_t i = 0; i < count; i++)
        if (p[i].w->weights != NULL || (p[i].up != NULL && p[i].up->weights != NULL))
            together = MANY;
    w.widened[0] = w.packed + left_size(micro, smaller(p->m, together), most);
    w.widened[1] = w.widened[0] + up_to(micro->columns * nn_words(micro, most) + WIDENED, 16);
    for (size_t row = 0; row < p->m; row += together)
        for (size_t at = 0; at < k; at += most)
            for (int coded = 0; coded < 2; coded++) { /* kinds of x */
                bool prepared = false;
                w.coded = coded != 0;
                for (size_t i = 0; i < count; i++) {
                    if (is_coded(cpu, &p[i]) != w.coded)
                        continue;
                    if (!prepared)
                        prepare_rows(&w, &p[i], row, smaller(p->m - row, together), at, smaller(most, k - at));
                    prepared = true;
                    run_rows(&w, &p[i], row, at == 0, at + most >= k);
                }
            }
}

void nn_product_run(const nn_cpu *cpu, const nn_product *product, void *scratch)
{
    nn_products_run(cpu, product, 1, scratch);
}
