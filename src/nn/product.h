/* product.h - matrix products with a packed right operand.
 *
 * Letters: M rows, N columns, K reduction. A right operand (K, N) is packed once into panels of NR columns (NR belongs
 * to the nn_cpu), and multiplied from the left by rows of floats as often as wanted. Digits of a row depend neither on
 * M nor on the rows beside it, nor on how columns are divided among calls (OpenBLAS does not promise that). With
 * NN_PRECISION_BF16 the packed values are bfloat16 (rounded to nearest, ties to even); so is the left operand where the
 * processor has dot products of bfloat16, else it stays as it is. With NN_PRECISION_INT16 both are rounded to integers
 * within NN_INT16_MOST with a scale for each NN_INT16_BLOCK values of K: the sum of such a block is exact, an integer,
 * and twice as many of their products fit in an instruction as of f32. Sums are f32.
 *
 * After Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008. */
#ifndef BIPE_NN_PRODUCT_H
#define BIPE_NN_PRODUCT_H

#include "nn/cpu.h"
#include "nn/nn.h"

/* A right operand, packed for one nn_cpu, or weights that are packed again and again, a piece at a time, right before
 * they are multiplied: digits are the same, and so is memory, whatever their size. */
typedef struct nn_panels {
    void *data; /* nn_panels_size() bytes, aligned to 64; NULL with `weights` */
    size_t n, k;
    nn_precision precision;
    size_t ld;  /* 0, or data are floats (K, N) as they lie, so far apart, where nn_panels_as_they_lie() allows it */
    const nn_matrix *weights; /* (N, K), or NULL */
} nn_panels;

/* NR: columns of a panel, a multiple of 4. */
size_t nn_panel_columns(const nn_cpu *cpu, nn_precision precision);
/* Panels of n columns. */
size_t nn_panel_count(const nn_cpu *cpu, nn_precision precision, size_t n);
/* Bytes of all panels, a multiple of 64; SIZE_MAX if they cannot be counted. */
size_t nn_panels_size(const nn_cpu *cpu, nn_precision precision, size_t n, size_t k);

/* Whether floats (K, n) can, and should, be the right operand of products as they lie: n is a multiple of a vector's,
 * and small. */
bool nn_panels_as_they_lie(const nn_cpu *cpu, nn_precision precision, size_t n);

/* Pack panels first .. first + count - 1 of `to`, whose n and k are set; several threads can each do some.
 * From weights w (N, K), so that y = x w^T: */
void nn_pack_weights(const nn_cpu *cpu, const nn_panels *to, const nn_matrix *w, size_t first, size_t count);
/* Values k .. k + count - 1 of K of `panels` panels from `column`, which begins one, of operands that are `weights`:
 * as micro-kernels take them, panel after panel. k is a multiple of a block and even; the words of K that end beyond it
 * are 0. */
void nn_widen_weights(const nn_cpu *cpu, const nn_panels *from, size_t column, size_t panels, size_t k, size_t count,
                      float *to);
/* From floats: (N, K) with `transposed`, so that y = x from^T, else (K, N), so that y = x from. */
void nn_pack_floats(const nn_cpu *cpu, const nn_panels *to, const float *from, size_t ld, bool transposed, size_t first,
                    size_t count);

/* Finished columns of a product, while they are in cache: values (rows, columns), which may be changed. `row` and
 * `column` are those of the whole product. */
typedef void nn_finish(void *context, size_t row, size_t rows, size_t column, size_t columns, float *values, size_t ld);

typedef struct nn_product {
    const float *x; /* (M, K) */
    size_t ldx, m;
    bool x_transposed;       /* x is (K, M) */
    const nn_panels *w;
    size_t first, count;     /* columns of w; first is that of a panel */
    const nn_panels *up;     /* not NULL: y = f(x w) * (x up), columns as in w; needs y, not with add */
    nn_activation activation; /* f */
    bool add;                /* y += */
    bool coded;              /* weights in blocks are multiplied as they are where the processor can do that for their
                                type, in f32: fast with few rows, with digits of its own (block_products.h) */
    const float *bias;       /* (N), or NULL: is added to x w; indexed as w's columns */
    const float *up_bias;    /* the same for x up */
    float *y;                /* (M, count), column `first` of w comes first; NULL: values exist for `finish` alone */
    size_t ldy;
    nn_finish *finish;       /* or NULL */
    void *context;           /* of finish */
} nn_product;

/* Values of a reduction that are done at a time, for all columns: so much of x stays close. Multiple of 2. */
enum { NN_PRODUCT_STEP = 1024 };
/* So few columns do not repay the packing of operands. */
enum { NN_PRODUCT_NARROW = 512 };

/* Bytes of scratch for products up to m rows and reductions up to k; with y and without `up`, k need not exceed
 * NN_PRODUCT_STEP. widened: some operands are `weights`. */
size_t nn_product_scratch(const nn_cpu *cpu, nn_precision precision, size_t m, size_t k, bool widened);
/* Runs in the caller's thread; scratch is aligned to 64. Nothing overlaps. */
void nn_product_run(const nn_cpu *cpu, const nn_product *product, void *scratch);
/* Products of the same x, which is packed once: x, ldx, m, K and precision are equal; each has a y, and none has
 * `up`. */
void nn_products_run(const nn_cpu *cpu, const nn_product *products, size_t count, void *scratch);

#endif
