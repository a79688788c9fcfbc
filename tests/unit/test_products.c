/* test_products.c - the products of each kind of processor that this machine can be, against a naive twin in double. */
#include "format/tensor.h"
#include "nn/block_products.h"
#include "nn/micro.h"
#include "nn/plain.h"
#include "nn/product.h"
#include "tests/check.h"

static uint64_t state = 88172645463325252u;

static float uniform(void)
{
    return (float)((double)(test_random(&state) >> 11) * 0x1p-52 - 1);
}

static float *values(size_t count)
{
    float *v = aligned_alloc(64, (count * sizeof *v + 64) / 64 * 64);
    if (v == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        v[i] = uniform();
    return v;
}

/* Value i of a packed operand of `wide` rows or columns: step k of K. */
static double packed(const nn_micro *micro, const void *data, size_t wide, size_t i, size_t k)
{
    const uint8_t *word = (const uint8_t *)data + 4 * (k / micro->step * wide + i);
    uint32_t bits = 0;
    memcpy(&bits, micro->step == 1 ? word : word + 2 * (k % 2), 4 / micro->step);
    bits <<= micro->step == 1 ? 0 : 16;
    float value;
    memcpy(&value, &bits, 4);
    return (double)value;
}

enum { STEPS = 67 };

/* A whole tile in double, (MR, NR), and the sum of what was added up without signs. */
static void tile_twin(const nn_micro *micro, size_t steps, const float *left, const float *panel, const float *before,
                      size_t ldc, bool add, double *want, double *size)
{
    size_t mr = micro->rows, nr = micro->columns, depth = steps * micro->step;
    double column[2 * STEPS];
    for (size_t j = 0; j < nr; j++) {
        for (size_t k = 0; k < depth; k++)
            column[k] = packed(micro, panel, nr, j, k);
        for (size_t i = 0; i < mr; i++) {
            double sum = add ? (double)before[i * ldc + j] : 0, sizes = fabs(sum);
            for (size_t k = 0; k < depth; k++) {
                double term = packed(micro, left, mr, i, k) * column[k];
                sum += term;
                sizes += fabs(term);
            }
            want[i * nr + j] = sum;
            size[i * nr + j] = sizes;
        }
    }
}

static void test_micro(const nn_micro *micro, const char *name)
{
    size_t mr = micro->rows, nr = micro->columns, ldc = nr + 5;
    float *left = values(STEPS * mr), *rows = values(mr * (STEPS + 1)), *panel = values(STEPS * nr),
          *apart = values(STEPS * ldc), *c = values(mr * ldc), *before = values(mr * ldc), *whole = values(mr * ldc);
    double *want = malloc(2 * mr * nr * sizeof *want), *size = want + mr * nr;
    if (micro->step == 2) { /* two values of bfloat16 a word */
        nn_round_bf16(left, STEPS * mr), nn_round_bf16(panel, STEPS * nr);
        for (size_t i = 0; i < STEPS * nr; i++)
            memcpy((uint8_t *)(panel + i), (const uint8_t *)(panel + (i * 7 + 1) % (STEPS * nr)) + 2, 2);
        for (size_t i = 0; i < STEPS * mr; i++)
            memcpy((uint8_t *)(left + i), (const uint8_t *)(left + (i * 7 + 1) % (STEPS * mr)) + 2, 2);
    }
    for (size_t s = 0; s < STEPS; s++) { /* the same as they lie in other matrices */
        for (size_t r = 0; r < mr; r++)
            rows[r * (STEPS + 1) + s] = left[s * mr + r];
        memcpy(apart + s * ldc, panel + s * nr, nr * sizeof *panel);
    }
    for (size_t steps = 1; steps <= STEPS; steps = steps * 2 + 1)
        for (int add = 0; add < 2; add++) {
            tile_twin(micro, steps, left, panel, before, ldc, add != 0, want, size);
            for (size_t m = 1; m <= mr; m += mr > 8 ? 9 : 1)
                for (size_t n = 1; n <= nr; n += nr > 48 ? 7 : test_all_rounds() ? 1 : 5) {
                    memcpy(c, before, mr * ldc * sizeof *c);
                    memcpy(whole, before, mr * ldc * sizeof *c);
                    micro->run(steps, &(nn_left){left, 1, mr, 0}, &(nn_right){.at = panel, .ld = nr}, c, ldc, m, n,
                               add != 0);
                    micro->run(steps, &(nn_left){left, 1, mr, 0}, &(nn_right){.at = panel, .ld = nr}, whole, ldc, mr,
                               nr, add != 0);
                    double worst = 0, bound = 0x1p-23 * (double)(steps * micro->step + 2);
                    bool moved = false;
                    for (size_t i = 0; i < mr; i++)
                        for (size_t j = 0; j < ldc; j++) {
                            float got = c[i * ldc + j];
                            if (i >= m || j >= n) {
                                moved = moved || got != before[i * ldc + j];
                                continue;
                            }
                            double error = fabs((double)got - want[i * nr + j]) / size[i * nr + j];
                            worst = test_worse(worst, error);
                            moved = moved || (mr <= 8 && memcmp(&got, &whole[i * ldc + j], 4) != 0);
                            if (isnan(error))
                                CHECKF(false, "%s: %zu x %zu x %zu is not a number", name, m, n, steps);
                        }
                    memcpy(whole, before, mr * ldc * sizeof *c);
                    micro->run(steps, &(nn_left){rows, STEPS + 1, 1, 0}, &(nn_right){.at = apart, .ld = ldc}, whole,
                               ldc, m, n, add != 0);
                    CHECKF(mr > 8 || memcmp(c, whole, mr * ldc * sizeof *c) == 0,
                           "%s: %zu x %zu x %zu: digits as they lie", name, m, n, steps);
                    CHECKF(worst <= bound, "%s: %zu x %zu x %zu: error %g", name, m, n, steps, worst);
                    CHECKF(!moved, "%s: %zu x %zu x %zu: what is beside the tile, or digits that depend on it", name, m,
                           n, steps);
                }
        }
    /* NaN and infinity in any place reach the whole of their row or column */
    memset(left, 0, STEPS * mr * 4);
    left[3 * mr] = NAN;
    micro->run(STEPS, &(nn_left){left, 1, mr, 0}, &(nn_right){.at = panel, .ld = nr}, c, ldc, mr, nr, false);
    for (size_t j = 0; j < nr; j++)
        CHECK(isnan(c[j]) && c[ldc + j] == 0);
    free(left), free(rows), free(panel), free(apart), free(c), free(before), free(whole), free(want);
}

static void *bytes(size_t size)
{
    void *p = aligned_alloc(64, (size / 64 + 1) * 64);
    if (p == NULL)
        abort();
    return p;
}

typedef struct shape { size_t m, n, k; } shape;

/* The widest that the sums of the twin may be away, for what is added up and for what is stored. */
static void compare(const char *name, const shape *s, const char *what, const float *got, size_t ld, const double *want,
                    const double *size)
{
    double bound = 0x1p-23 * (double)(s->k + 4), worst = 0;
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->n; j++)
            worst =
                test_worse(worst, fabs((double)got[i * ld + j] - want[i * s->n + j]) / (size[i * s->n + j] + 1e-30));
    CHECKF(worst <= bound, "%s, %s, %zu x %zu x %zu: error %g", name, what, s->m, s->n, s->k, worst);
}

/* x as the kernels of this precision see it. */
static float seen(const nn_cpu *cpu, nn_precision precision, float x)
{
    return precision == NN_PRECISION_BF16 && cpu->bf16 != NULL ? nn_plain_bf16(x) : x;
}

/* want = x w^T in double, and the sum of what was added up without signs. */
static void twin(const nn_cpu *cpu, nn_precision precision, const shape *s, const float *x, size_t ldx, const float *w,
                 double *want, double *size)
{
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->n; j++) {
            want[i * s->n + j] = size[i * s->n + j] = 0;
            for (size_t c = 0; c < s->k; c++) {
                float weight = w[j * s->k + c];
                double term = (double)seen(cpu, precision, x[i * ldx + c]) *
                              (double)(precision == NN_PRECISION_BF16 ? nn_plain_bf16(weight) : weight);
                want[i * s->n + j] += term;
                size[i * s->n + j] += fabs(term);
            }
        }
}

/* Finished tiles, put together again. */
typedef struct gathered { float *y; size_t ld, first, values; } gathered;

static void gather(void *context, size_t row, size_t rows, size_t column, size_t columns, float *values, size_t ld)
{
    gathered *g = context;
    for (size_t i = 0; i < rows; i++)
        memcpy(g->y + (row + i) * g->ld + column - g->first, values + i * ld, columns * sizeof *values);
    g->values += rows * columns;
}

/* z has the digits of y; those of OpenBLAS depend on shapes and places on some processors, and are near enough. */
static void same(const char *name, const shape *s, const char *what, const float *y, const float *z, size_t ld,
                 const double *want, const double *size)
{
    if (strcmp(name, "blas") == 0) {
        compare(name, s, what, z, ld, want, size);
        return;
    }
    unsigned long other = 0;
    for (size_t i = 0; i < s->m; i++)
        other += memcmp(y + i * ld, z + i * ld, s->n * sizeof *y) != 0;
    CHECKF(other == 0, "%s: %zu x %zu x %zu, %s: %lu rows have other digits", name, s->m, s->n, s->k, what, other);
}

static void test_product(const nn_cpu *cpu, nn_precision precision, shape s)
{
    const char *name = nn_cpu_name(cpu);
    size_t ldx = s.k + 3, ldy = s.n + 2, nr = nn_panel_columns(cpu, precision),
           panels = nn_panel_count(cpu, precision, s.n);
    float *x = values(s.m * ldx), *turned = values(s.k * (s.m + 1)), *w = values(s.n * s.k),
          *across = values(s.n * s.k);
    float *y = values(s.m * ldy), *z = values(s.m * ldy), *bias = values(s.n), *before = values(s.m * ldy);
    double *want = bytes(s.m * s.n * sizeof *want), *size = bytes(s.m * s.n * sizeof *size);
    for (size_t i = 0; i < s.m; i++)
        for (size_t c = 0; c < s.k; c++)
            turned[c * (s.m + 1) + i] = x[i * ldx + c];
    for (size_t j = 0; j < s.n; j++)
        for (size_t c = 0; c < s.k; c++)
            across[c * s.n + j] = w[j * s.k + c];
    size_t held = nn_panels_size(cpu, precision, s.n, s.k);
    nn_panels a = {bytes(held), s.n, s.k, precision, 0, NULL}, b = {bytes(held), s.n, s.k, precision, 0, NULL};
    void *scratch = bytes(nn_product_scratch(cpu, precision, s.m, s.k, true));
    twin(cpu, precision, &s, x, ldx, w, want, size);

    /* packed from either side, as weights, in pieces: the same bytes */
    memset(a.data, 0, held), memset(b.data, 0, held);
    nn_pack_floats(cpu, &a, w, s.k, true, 0, panels);
    for (size_t p = 0; p < panels; p++)
        nn_pack_floats(cpu, &b, across, s.n, false, p, 1);
    CHECK(memcmp(a.data, b.data, held) == 0);
    nn_matrix matrix = {w, bipe_dtype_of(BIPE_F32)->read, s.n, s.k, s.k * sizeof *w, 1, sizeof *w, 0, 0, 0, 0};
    memset(b.data, 255, held);
    nn_pack_weights(cpu, &b, &matrix, 0, panels / 2);
    nn_pack_weights(cpu, &b, &matrix, panels / 2, panels);
    CHECK(memcmp(a.data, b.data,
                 panels * nr * 4 *
                     ((s.k + (precision == NN_PRECISION_BF16)) / (precision == NN_PRECISION_BF16 ? 2 : 1))) == 0);

    nn_product p = {.x = x, .ldx = ldx, .m = s.m, .w = &a, .count = s.n, .y = y, .ldy = ldy};
    nn_product_run(cpu, &p, scratch);
    compare(name, &s, "whole", y, ldy, want, size);
    /* x on its side, w as it lies, tiles that are not stored, columns in two calls, rows one by one: the same digits */
    nn_product q = p;
    q.y = z;
    if (nn_panels_as_they_lie(cpu, precision, s.n)) {
        nn_panels lying = {across, s.n, s.k, precision, s.n, NULL};
        q.w = &lying;
        nn_product_run(cpu, &q, scratch);
        same(name, &s, "w as it lies", y, z, ldy, want, size);
        q.w = p.w;
    }
    q.x = turned, q.ldx = s.m + 1, q.x_transposed = true;
    nn_product_run(cpu, &q, scratch);
    same(name, &s, "x on its side", y, z, ldy, want, size);
    gathered g = {z, ldy, 0, 0};
    memset(z, 0, s.m * ldy * 4);
    q = p;
    q.y = NULL, q.finish = gather, q.context = &g;
    q.count = nr < s.n ? nr : s.n;
    nn_product_run(cpu, &q, scratch);
    q.first = q.count, q.count = s.n - q.count;
    nn_product_run(cpu, &q, scratch);
    CHECK_UINT(g.values, s.m * s.n);
    same(name, &s, "tiles", y, z, ldy, want, size);
    for (size_t i = 0; i < s.m; i++) {
        q = p;
        q.x = x + i * ldx, q.m = 1, q.y = z + i * ldy;
        nn_product_run(cpu, &q, scratch);
    }
    same(name, &s, "rows one by one", y, z, ldy, want, size);

    /* added, with a bias; nothing beside y is written */
    q = p;
    q.add = true, q.bias = bias;
    memcpy(y, before, s.m * ldy * 4);
    nn_product_run(cpu, &q, scratch);
    for (size_t i = 0; i < s.m; i++)
        for (size_t j = 0; j < s.n; j++) {
            want[i * s.n + j] += (double)before[i * ldy + j] + (double)bias[j];
            size[i * s.n + j] += fabs((double)before[i * ldy + j]) + fabs((double)bias[j]);
        }
    compare(name, &s, "added, with bias", y, ldy, want, size);
    for (size_t i = 0; i < s.m; i++)
        CHECK(memcmp(y + i * ldy + s.n, before + i * ldy + s.n, 8) == 0);
    q.add = false;
    nn_product_run(cpu, &q, scratch);
    for (size_t i = 0; i < s.m * s.n; i++)
        want[i] -= (double)before[i / s.n * ldy + i % s.n];
    compare(name, &s, "with bias", y, ldy, want, size);

    /* silu(x w) * (x up) */
    q = p;
    q.up = &b;
    for (size_t i = 0; i < s.n * s.k; i++)
        across[i] = w[i] - 0.5f;
    nn_pack_floats(cpu, &b, across, s.k, true, 0, panels);
    double *gate = bytes(s.m * s.n * sizeof *gate);
    twin(cpu, precision, &s, x, ldx, w, gate, size);
    twin(cpu, precision, &s, x, ldx, across, want, size);
    for (int biased = 0; biased < 2; biased++) {
        double *made = bytes(s.m * s.n * sizeof *made), *most = bytes(s.m * s.n * sizeof *most);
        q.bias = biased ? bias : NULL;
        q.up_bias = biased ? before : NULL;
        nn_product_run(cpu, &q, scratch);
        for (size_t i = 0; i < s.m * s.n; i++) {
            double left = gate[i] + (biased ? (double)bias[i % s.n] : 0),
                   right = want[i] + (biased ? (double)before[i % s.n] : 0);
            made[i] = right * left / (1 + exp(-left));
            most[i] = (2 + size[i]) * (2 + size[i]);
        }
        compare(name, &s, biased ? "silu, with biases" : "silu", y, ldy, made, most);
        free(made), free(most);
    }

    /* NaN and infinity go through */
    x[(s.m - 1) * ldx + s.k - 1] = NAN;
    nn_product_run(cpu, &p, scratch);
    for (size_t j = 0; j < s.n; j++)
        CHECK(isnan(y[(s.m - 1) * ldy + j]) && (s.m == 1 || !isnan(y[j])));
    x[(s.m - 1) * ldx + s.k - 1] = INFINITY;
    nn_product_run(cpu, &p, scratch);
    CHECK(isinf(y[(s.m - 1) * ldy]) || isnan(y[(s.m - 1) * ldy]));
    free(x), free(turned), free(w), free(across), free(y), free(z), free(bias), free(before), free(want), free(size),
        free(gate);
    free(a.data), free(b.data), free(scratch);
}

/* Weights of each type of file, at an odd address, packed as their widened values are. */
static void test_weights(const nn_cpu *cpu, nn_precision precision)
{
    enum { ROWS = 101, MOST = 512, VALUES = ROWS * MOST }; /* more than are packed at a time */
    uint8_t *data = bytes(VALUES * 4 + 1);
    float *plain = values(VALUES);
    size_t panels = nn_panel_count(cpu, precision, ROWS), most = nn_panels_size(cpu, precision, ROWS, MOST);
    const bipe_dtype_row *t;
    nn_panels a = {.data = bytes(most), .n = ROWS, .precision = precision}, b = a;
    b.data = bytes(most);
    for (size_t type = 0; (t = bipe_dtype_of(type)) != NULL; type++) {
        size_t columns = t->values > 32 ? MOST : 288, held = nn_panels_size(cpu, precision, ROWS, columns);
        if (t->read == NULL)
            continue;
        for (size_t i = 0; i < VALUES * 4 + 1; i++)
            data[i] = (uint8_t)(test_random(&state) & 0xBB); /* no exponent of NaN */
        size_t stride = bipe_dtype_row_size((bipe_dtype)type, columns);
        nn_matrix w = {data + 1, t->read, ROWS, columns, stride, t->values, t->bytes, 0, t->gguf, 0, 0};
        w.read(data + 1, plain, ROWS * columns);
        a.k = b.k = columns;
        memset(a.data, 0, held), memset(b.data, 0, held);
        nn_pack_weights(cpu, &a, &w, 0, panels);
        nn_pack_floats(cpu, &b, plain, columns, true, 0, panels);
        CHECKF(memcmp(a.data, b.data, held) == 0, "%s", t->name);
    }
    free(data), free(plain), free(a.data), free(b.data);
    CHECK(nn_panels_size(cpu, precision, SIZE_MAX / 2, SIZE_MAX / 2) == SIZE_MAX);
}

/* Weights that are widened as they are used give the digits of the same weights packed: alone, beside a packed operand,
 * added to in a part, as one of two, and as tiles that are not stored. */
static void compare_widened(const nn_cpu *cpu, nn_precision precision, const nn_matrix *w, shape s)
{
    size_t nr = nn_panel_columns(cpu, precision), all = s.m * s.n, held = nn_panels_size(cpu, precision, s.n, s.k);
    const nn_panels stays = {NULL, s.n, s.k, precision, 0, w}, packed = {bytes(held), s.n, s.k, precision, 0, NULL};
    float *x = values(s.m * s.k), *y = values(8 * all), *z = y + 4 * all, *bias = values(s.n);
    void *scratch = bytes(nn_product_scratch(cpu, precision, s.m, s.k, true));
    nn_pack_weights(cpu, &packed, w, 0, nn_panel_count(cpu, precision, s.n));
    for (int widened = 0; widened < 2; widened++) {
        const nn_panels *own = widened ? &stays : &packed;
        float *to = widened ? z : y;
        gathered g = {to + 3 * all, s.n, 0, 0};
        nn_product p[] = {{.x = x, .ldx = s.k, .m = s.m, .w = own, .count = s.n, .bias = bias, .y = to, .ldy = s.n},
                          {.x = x, .ldx = s.k, .m = s.m, .w = &packed, .count = s.n, .y = to + all, .ldy = s.n}};
        nn_products_run(cpu, p, 2, scratch);
        p[1].w = own, p[1].first = nr, p[1].count = s.n - nr, p[1].add = true;
        if (nr < s.n)
            nn_product_run(cpu, &p[1], scratch);
        p[0].up = &packed, p[0].y = to + 2 * all;
        nn_product_run(cpu, &p[0], scratch);
        nn_product_run(cpu, &(nn_product){.x = x, .ldx = s.k, .m = s.m, .w = own, .count = s.n, .finish = gather,
                                          .context = &g}, scratch);
        CHECK_UINT(g.values, all);
    }
    CHECKF(memcmp(y, z, 4 * all * sizeof *y) == 0, "%s, precision %d: other digits of %zu x %zu x %zu, blocks of %zu",
           nn_cpu_name(cpu), (int)precision, s.m, s.n, s.k, w->block);
    free(packed.data), free(x), free(y), free(bias), free(scratch);
}

static bool is_coded(const nn_cpu *cpu, int type)
{
    const nn_coded_type *t = cpu->products != NULL ? cpu->products->types : NULL;
    while (t != NULL && t->unpack != NULL && t->type != type)
        t++;
    return t != NULL && t->unpack != NULL;
}

/* Products straight from blocks against a twin in double, whose x is not rounded: within what is said of the rounding
 * of 32 values of x and of their sum. One row gives the digits that many give, in a part of the columns as well. */
static void compare_coded(const nn_cpu *cpu, const nn_matrix *w, shape s, const char *name)
{
    size_t nr = nn_panel_columns(cpu, NN_PRECISION_F32), all = s.m * s.n;
    const nn_panels panels = {NULL, s.n, s.k, NN_PRECISION_F32, 0, w};
    nn_panels other = {bytes(nn_panels_size(cpu, NN_PRECISION_F32, s.n, s.k)), s.n, s.k, NN_PRECISION_F32, 0, NULL};
    float *x = values(s.m * s.k), *y = values(3 * all), *alone = values(s.n), *row = values(s.k), *bias = values(s.n);
    void *scratch = bytes(nn_product_scratch(cpu, NN_PRECISION_F32, s.m, s.k, true));
    for (size_t i = 0; i < s.m * s.k; i++)
        x[i] *= ldexpf(1, (int)(i * 7 % 40) - 20);
    nn_pack_weights(cpu, &other, w, 0, nn_panel_count(cpu, NN_PRECISION_F32, s.n));
    nn_product p[] = {{.x = x, .ldx = s.k, .m = s.m,
                       .w = &panels, .count = s.n, .bias = bias, .y = y, .ldy = s.n, .coded = true},
                      {.x = x, .ldx = s.k, .m = s.m, .w = &other, .count = s.n, .y = y + all, .ldy = s.n}};
    nn_products_run(cpu, p, 2, scratch);
    double worst = 0;
    for (size_t j = 0; j < s.n; j++) {
        nn_read(w, j, 0, row, s.k);
        for (size_t i = 0; i < s.m; i += s.m / 3 + 1) {
            double want = (double)bias[j], bound = fabs(want);
            for (size_t k = 0; k < s.k; k += 32) {
                double sizes[2] = {0, 0}, most[2] = {0, 0};
                for (size_t n = k; n < k + 32; n++) {
                    double factor[2] = {(double)x[i * s.k + n], (double)row[n]};
                    want += factor[0] * factor[1];
                    for (int a = 0; a < 2; a++) {
                        sizes[a] += fabs(factor[a]);
                        most[a] = fmax(most[a], fabs(factor[a]));
                    }
                }
                bound += most[0] * sizes[1] + most[1] * sizes[0];
            }
            worst = test_worse(worst, fabs((double)y[i * s.n + j] - want) / bound);
        }
    }
    CHECKF(worst < 0x1p-23, "%s of %s, %zu x %zu x %zu: error %g", name, nn_cpu_name(cpu), s.m, s.n, s.k, worst);
    p[0].m = 1, p[0].y = alone;
    for (size_t i = 0; i < s.m; i += s.m / 5 + 1) {
        p[0].x = x + i * s.k, p[0].first = 0, p[0].count = s.n;
        nn_product_run(cpu, p, scratch);
        CHECKF(memcmp(alone, y + i * s.n, s.n * sizeof *alone) == 0, "%s of %s: row %zu alone", name, nn_cpu_name(cpu),
               i);
        memset(alone, 0, s.n * sizeof *alone);
        p[0].first = nr, p[0].count = s.n - nr;
        nn_product_run(cpu, p, scratch);
        CHECK(memcmp(alone, y + i * s.n + nr, (s.n - nr) * sizeof *alone) == 0);
    }
    /* A gate and what it opens, each as it is alone. */
    p[0] = (nn_product){.x = x, .ldx = s.k, .m = s.m, .w = &panels, .up = &panels, .count = s.n, .y = y + 2 * all,
                        .ldy = s.n, .coded = true};
    nn_product_run(cpu, p, scratch);
    p[0].up = NULL, p[0].y = y;
    nn_product_run(cpu, p, scratch);
    for (size_t i = 0; i < s.m; i++) {
        nn_silu_mul(y + i * s.n, y + i * s.n, alone, s.n);
        CHECK(memcmp(alone, y + 2 * all + i * s.n, s.n * sizeof *alone) == 0);
    }
    const nn_cpu *avx2 = nn_cpu_named("avx2");
    if (cpu->products != NULL && avx2 != NULL) { /* the same digits with all vector units */
        void *own = bytes(nn_product_scratch(avx2, NN_PRECISION_F32, s.m, s.k, true));
        p[0].y = y + all;
        nn_product_run(cpu, p, scratch);
        p[0].y = y;
        nn_product_run(avx2, p, own);
        CHECKF(memcmp(y, y + all, all * sizeof *y) == 0, "%s of %s and avx2", name, nn_cpu_name(cpu));
        free(own);
    }
    x[s.k - 1] = NAN;
    nn_product_run(cpu, p, scratch);
    for (size_t j = 0; j < s.n; j++)
        CHECK(isnan(y[j]) && (s.m == 1 || !isnan(y[s.n + j])));
    free(other.data), free(x), free(y), free(alone), free(row), free(bias), free(scratch);
}

static void test_coded(const nn_cpu *cpu)
{
    static const shape shapes[] = {{1, 101, 512},   {3, 96, 1280}, {130, 60, 2304}, {1030, 49, 256},
                                   {2, 60, 288},    {2, 96, 512},  {2, 128, 512},   {2, 256, 256},
                                   {3, 128, 256},   {1, 100, 256}};
    static const size_t heads[sizeof shapes / sizeof shapes[0]][2] = {
        [5] = {32, 32}, [6] = {64, 64}, [7] = {128, 128}, [8] = {64, 32}, [9] = {20, 20}}; /* rows and interleaved */
    size_t most = 101 * 2304 * 2 + 1;
    uint8_t *data = bytes(most);
    for (size_t i = 0; i < most; i++)
        data[i] = (uint8_t)(test_random(&state) & 0xBB); /* no exponent of NaN */
    for (size_t type = 0; bipe_dtype_of(type) != NULL; type++)
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            const bipe_dtype_row *t = bipe_dtype_of(type);
            if (!is_coded(cpu, t->gguf) || shapes[i].k % t->values != 0)
                continue;
            const nn_matrix w = {data + 1, t->read, shapes[i].n, shapes[i].k,
                                 bipe_dtype_row_size((bipe_dtype)type, shapes[i].k), t->values, t->bytes,
                                 i == 1 ? 0.5f : 0, t->gguf, heads[i][0], heads[i][1]};
            compare_coded(cpu, &w, shapes[i], t->name);
        }
    free(data);
}

static void test_widened(const nn_cpu *cpu, nn_precision precision)
{
    static const shape shapes[] = {{1, 101, 512},   {3, 101, 512}, {20, 101, 512}, {128, 101, 512},
                                   {130, 101, 512}, {2, 60, 1280}, {140, 60, 1280}, {1030, 60, 512},
                                   {1, 700, 768},   {129, 700, 768}};
    size_t most = 700 * 768 * 4 + 1;
    uint8_t *data = bytes(most);
    for (size_t i = 0; i < most; i++)
        data[i] = (uint8_t)(test_random(&state) & 0xBB); /* no exponent of NaN */
    size_t longest = 0; /* products know no more of a type than the length of its blocks */
    for (size_t type = 0; bipe_dtype_of(type)->read != NULL; type++) {
        const bipe_dtype_row *t = bipe_dtype_of(type);
        if (t->values <= longest)
            continue;
        longest = t->values;
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            const nn_matrix w = {data + 1, t->read, shapes[i].n, shapes[i].k,
                                 bipe_dtype_row_size((bipe_dtype)type, shapes[i].k), t->values, t->bytes, 0, t->gguf,
                                 0, 0};
            compare_widened(cpu, precision, &w, shapes[i]);
        }
    }
    free(data);
}

enum { M = 300, N = 500, K = 2000 };

static void multiply_large(const nn_cpu *cpu, const float *x, const float *w, float *y)
{
    nn_panels panels = {bytes(nn_panels_size(cpu, NN_PRECISION_F32, N, K)), N, K, NN_PRECISION_F32, 0, NULL};
    void *scratch = bytes(nn_product_scratch(cpu, NN_PRECISION_F32, M, K, false));
    nn_pack_floats(cpu, &panels, w, K, true, 0, nn_panel_count(cpu, NN_PRECISION_F32, N));
    nn_product_run(cpu, &(nn_product){.x = x, .ldx = K, .m = M, .w = &panels, .count = N, .y = y, .ldy = N}, scratch);
    free(panels.data), free(scratch);
}

/* Several products of one x give the digits that each has alone. */
static void test_together(const nn_cpu *cpu, nn_precision precision)
{
    enum { ROWS = 131, INNER = 1030, FIRST = 100, SECOND = 37 };
    float *x = values(ROWS * INNER), *w = values(FIRST * INNER), *v = values(SECOND * INNER), *bias = values(SECOND);
    float *y = values(2 * ROWS * FIRST), *z = values(2 * ROWS * SECOND);
    memcpy(y + ROWS * FIRST, y, ROWS * FIRST * sizeof *y); /* the first is added to */
    nn_panels a = {bytes(nn_panels_size(cpu, precision, FIRST, INNER)), FIRST, INNER, precision, 0, NULL};
    nn_panels b = {bytes(nn_panels_size(cpu, precision, SECOND, INNER)), SECOND, INNER, precision, 0, NULL};
    nn_pack_floats(cpu, &a, w, INNER, true, 0, nn_panel_count(cpu, precision, FIRST));
    nn_pack_floats(cpu, &b, v, INNER, true, 0, nn_panel_count(cpu, precision, SECOND));
    void *scratch = bytes(nn_product_scratch(cpu, precision, ROWS, INNER, false));
    nn_product products[] = {
        {.x = x, .ldx = INNER, .m = ROWS, .w = &a, .count = FIRST, .add = true, .y = y, .ldy = FIRST},
        {.x = x, .ldx = INNER, .m = ROWS, .w = &b, .count = SECOND, .bias = bias, .y = z, .ldy = SECOND}};
    nn_products_run(cpu, products, 2, scratch);
    products[0].y += ROWS * FIRST, products[1].y += ROWS * SECOND;
    nn_product_run(cpu, &products[0], scratch);
    nn_product_run(cpu, &products[1], scratch);
    CHECK(memcmp(y, y + ROWS * FIRST, ROWS * FIRST * sizeof *y) == 0);
    CHECK(memcmp(z, z + ROWS * SECOND, ROWS * SECOND * sizeof *z) == 0);
    free(x), free(w), free(v), free(bias), free(y), free(z), free(a.data), free(b.data), free(scratch);
}

/* A large product against OpenBLAS; AVX2 and AVX-512 give the same digits. */
static void test_large(const nn_cpu *cpu)
{
    float *x = values(M * K), *w = values(N * K), *y = values(M * N), *z = values(M * N);
    multiply_large(cpu, x, w, y);
    if (strncmp(nn_cpu_name(cpu), "avx512", 6) == 0 && nn_cpu_named("avx2") != NULL) {
        multiply_large(nn_cpu_named("avx2"), x, w, z);
        CHECK(memcmp(y, z, M * N * sizeof *y) == 0);
    }
    const nn_cpu *blas = nn_cpu_named("blas"); /* NULL where no CBLAS is installed */
    double worst = 0;
    if (blas != NULL)
        multiply_large(blas, x, w, z);
    for (size_t i = 0; blas != NULL && i < M * N; i++)
        worst = test_worse(worst, fabs((double)y[i] - (double)z[i]));
    CHECKF(worst < 2e-4, "%s: away from OpenBLAS by %g", nn_cpu_name(cpu), worst);
    free(x), free(w), free(y), free(z);
}

static void test_names(void)
{
    size_t found = 0;
    for (size_t i = 0; i < nn_cpu_count(); i++) {
        const nn_cpu *cpu = nn_cpu_at(i);
        if (cpu != NULL)
            CHECK(nn_cpu_named(nn_cpu_name(cpu)) == cpu);
        found += cpu == nn_cpu_best();
    }
    CHECK_UINT(found, 1);
    CHECK(nn_cpu_named("none") == NULL && nn_cpu_at(nn_cpu_count()) == NULL);
    CHECK(nn_cpu_named("plain") != NULL);
}

/* Operations of the loops that measure what a processor can do: of all kernels but those for any processor. */
static void test_ceiling(const nn_cpu *cpu)
{
    bool known = strcmp(nn_cpu_name(cpu), "plain") != 0 && strcmp(nn_cpu_name(cpu), "blas") != 0;
    for (int precision = NN_PRECISION_F32; precision <= NN_PRECISION_BF16; precision++) {
        const nn_micro *micro = nn_micro_of(cpu, (nn_precision)precision);
        double once = nn_cpu_ceiling(cpu, (nn_precision)precision, 1);
        CHECK(once == (known ? (double)(2 * micro->step * micro->rows * micro->columns) : 0)); /* as a tile in a step */
        CHECK(nn_cpu_ceiling(cpu, (nn_precision)precision, 1000) == 1000 * once);
    }
}

int main(void)
{
    test_names();
    for (size_t i = 0; i < nn_cpu_count(); i++) {
        const nn_cpu *cpu = nn_cpu_at(i);
        if (cpu == NULL)
            continue;
        test_micro(cpu->f32, nn_cpu_name(cpu));
        if (cpu->bf16 != NULL)
            test_micro(cpu->bf16, nn_cpu_name(cpu));
        static const shape shapes[] = {{1, 1, 1},     {2, 3, 2},      {7, 48, 31},   {8, 49, 64},  {9, 24, 256},
                                       {33, 95, 257}, {4, 144, 255},  {129, 50, 65}, {260, 33, 7}, {20, 96, 70},
                                       {9, 608, 40},  {5, 131, 1100}, {131, 97, 513}};
        for (size_t i_shape = 0; i_shape < sizeof shapes / sizeof shapes[0]; i_shape++)
            for (int precision = NN_PRECISION_F32; precision <= NN_PRECISION_BF16; precision++)
                test_product(cpu, (nn_precision)precision, shapes[i_shape]);
        test_ceiling(cpu);
        test_large(cpu);
        test_together(cpu, NN_PRECISION_F32);
        test_together(cpu, NN_PRECISION_BF16);
        test_weights(cpu, NN_PRECISION_F32);
        test_weights(cpu, NN_PRECISION_BF16);
        test_coded(cpu);
        test_widened(cpu, NN_PRECISION_F32);
        test_widened(cpu, NN_PRECISION_BF16);
    }
    return test_result();
}
