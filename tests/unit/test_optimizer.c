/* test_optimizer.c - AdamW and Muon against the formulas in double precision, the norm, and the rates of schedules. */
#include "config.h"

#include "base/alloc.h"
#include "base/random.h"
#include "tests/check.h"
#include "train/optimizer.h"
#include "train/schedule.h"

enum { COUNT = 100003, STEPS = 5 };

/* One value, as the paper of AdamW writes it. */
typedef struct twin {
    double value, m, v;
} twin;

static void twin_step(twin *t, const bipe_optimizer_options *o, int step, double rate, double scale, double gradient,
                      bool decay)
{
    double g = gradient * scale;
    t->m = o->beta1 * t->m + (1 - o->beta1) * g;
    t->v = o->beta2 * t->v + (1 - o->beta2) * g * g;
    double m = t->m / (1 - pow(o->beta1, step)), v = t->v / (1 - pow(o->beta2, step));
    t->value -= rate * (decay ? o->weight_decay : 0) * t->value;
    t->value -= rate * m / (sqrt(v) + o->epsilon);
}

static void test_steps(size_t threads, float *result)
{
    static float values[COUNT], gradient[COUNT];
    static twin want[COUNT];
    bipe_optimizer_options options = {.beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-6, .weight_decay = 0.1, .clip = 2};
    bipe_optimizer_run runs[] = {{1, true, 0}, {70000, false, 0}, {0, true, 0}, {COUNT - 70001, true, 0}};
    bipe_error err = {BIPE_OK, ""};
    bipe_pool *pool;
    bipe_optimizer *optimizer;
    uint64_t random = 5;
    CHECK(bipe_pool_open(&pool, threads, &err) == BIPE_OK);
    CHECK(bipe_optimizer_open(&optimizer, &options, runs, 4, pool, &err) == BIPE_OK);
    for (size_t i = 0; i < COUNT; i++)
        want[i] = (twin){.value = values[i] = (float)bipe_random_normal(&random)};
    for (int step = 1; step <= STEPS; step++) {
        double squares = 0, size = step == 2 ? 1e-6 : 0.01; /* the second is not clipped */
        for (size_t i = 0; i < COUNT; i++) {
            gradient[i] = (float)(size * bipe_random_normal(&random));
            squares += (double)gradient[i] * gradient[i];
        }
        double norm = bipe_optimizer_norm(optimizer, gradient), scale = norm > 2 ? 2 / norm : 1;
        CHECK_NEAR(norm, sqrt(squares), 1e-9 * sqrt(squares));
        CHECK((step == 2) == (scale == 1));
        bipe_optimizer_step(optimizer, (uint64_t)step, 0.01 / step, norm, gradient, values);
        for (size_t i = 0; i < COUNT; i++)
            twin_step(&want[i], &options, step, 0.01 / step, scale, gradient[i], i < 1 || i >= 70001);
    }
    double worst = 0;
    for (size_t i = 0; i < COUNT; i++)
        worst = test_worse(worst, fabs(values[i] - want[i].value));
    CHECK_NEAR(worst, 0, 2e-6);
    memcpy(result, values, sizeof values);
    bipe_optimizer_close(optimizer);
    bipe_pool_close(pool);
}

static void test_not_finite(void)
{
    bipe_optimizer_options options = {.beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-6};
    bipe_optimizer_run run = {3, true, 0};
    bipe_error err = {BIPE_OK, ""};
    bipe_pool *pool;
    bipe_optimizer *optimizer;
    const float bad[3] = {0, NAN, 0};
    CHECK(bipe_pool_open(&pool, 1, &err) == BIPE_OK);
    CHECK(bipe_optimizer_open(&optimizer, &options, &run, 1, pool, &err) == BIPE_OK);
    CHECK(isnan(bipe_optimizer_norm(optimizer, bad)));
    bipe_optimizer_close(optimizer);
    bipe_pool_close(pool);
}

/* ---- Muon ---- */

/* c (m, n) = a (m, k) b (k, n), or with b (n, k) transposed. */
static void times(const double *a, const double *b, bool transposed, size_t m, size_t k, size_t n, double *c)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += a[i * k + l] * (transposed ? b[j * k + l] : b[l * n + j]);
            c[i * n + j] = sum;
        }
}

/* x (rows, columns): all singular values nearly 1, as Jordan et al. write it, but never transposed. */
static void orthogonalize(double *x, size_t rows, size_t columns)
{
    size_t count = rows * columns;
    double *a = malloc(rows * rows * sizeof *a), *ax = malloc(count * sizeof *ax), *aax = malloc(count * sizeof *aax),
           squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += x[i] * x[i];
    for (size_t i = 0; i < count; i++)
        x[i] /= sqrt(squares) > 1e-7 ? sqrt(squares) : 1e-7;
    for (int round = 0; round < 5; round++) {
        times(x, x, true, rows, columns, rows, a);
        times(a, x, false, rows, rows, columns, ax);
        times(a, ax, false, rows, rows, columns, aax);
        for (size_t i = 0; i < count; i++)
            x[i] = 3.4445 * x[i] - 4.7750 * ax[i] + 2.0315 * aax[i];
    }
    free(a);
    free(ax);
    free(aax);
}

enum { SHAPES = 6, MUON_STEPS = 4, MUON_MOST = 64 * 1100 };
static const size_t shapes[SHAPES][2] = {{48, 48}, {100, 31}, {31, 130}, {1, 17}, {17, 1}, {40, 1100}};

/* Matrices between parameters of AdamW; *result gets (count) values, which are allocated. */
static size_t test_muon(size_t threads, float **result)
{
    const bipe_optimizer_options o = {.beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-6, .weight_decay = 0.1, .clip = 2,
                                      .momentum = 0.95, .matrix_rate = 2};
    bipe_optimizer_run runs[2 * SHAPES];
    bipe_error err = {BIPE_OK, ""};
    bipe_pool *pool;
    bipe_optimizer *optimizer;
    uint64_t random = 7;
    size_t count = 0, moments[2];
    for (size_t i = 0; i < SHAPES; i++) {
        runs[2 * i] = (bipe_optimizer_run){shapes[i][0] * shapes[i][1], i != 2, shapes[i][0]};
        runs[2 * i + 1] = (bipe_optimizer_run){10 + i, true, 0};
        count += runs[2 * i].count + runs[2 * i + 1].count;
    }
    float *values = malloc(count * sizeof *values), *gradient = malloc(count * sizeof *gradient);
    twin *want = calloc(count, sizeof *want);
    static double update[MUON_MOST];
    CHECK(bipe_pool_open(&pool, threads, &err) == BIPE_OK);
    CHECK(bipe_optimizer_open(&optimizer, &o, runs, 2 * SHAPES, pool, &err) == BIPE_OK);
    bipe_optimizer_moments(optimizer, 0, &moments[0]);
    bipe_optimizer_moments(optimizer, 1, &moments[1]);
    CHECK_UINT(moments[0], count);
    CHECK_UINT(moments[1], 10 + 11 + 12 + 13 + 14 + 15);
    for (size_t i = 0; i < count; i++)
        want[i].value = values[i] = (float)(0.02 * bipe_random_normal(&random));
    double worst = 0, size = 0;
    for (int step = 1; step <= MUON_STEPS; step++) {
        double rate = 0.01 / step, r = rate * o.matrix_rate;
        for (size_t i = 0; i < count; i++)
            gradient[i] = (float)((step == 2 ? 1e-6 : 0.1) * bipe_random_normal(&random));
        double norm = bipe_optimizer_norm(optimizer, gradient), scale = norm > 2 ? 2 / norm : 1;
        twin *at = want;
        const float *g = gradient;
        for (size_t i = 0; i < 2 * SHAPES; i++) {
            size_t rows = runs[i].rows, columns = rows != 0 ? runs[i].count / rows : 0;
            for (size_t j = 0; j < runs[i].count && rows == 0; j++)
                twin_step(&at[j], &o, step, rate, scale, g[j], runs[i].decay);
            for (size_t j = 0; j < runs[i].count && rows != 0; j++) {
                at[j].m += (1 - o.momentum) * (scale * g[j] - at[j].m);
                update[j] = scale * g[j] + o.momentum * (at[j].m - scale * g[j]);
            }
            if (rows != 0)
                orthogonalize(update, rows, columns);
            for (size_t j = 0; j < runs[i].count && rows != 0; j++)
                at[j].value -= r * ((runs[i].decay ? o.weight_decay : 0) * at[j].value +
                                    0.2 * sqrt((double)(rows > columns ? rows : columns)) * update[j]);
            at += runs[i].count;
            g += runs[i].count;
        }
        bipe_optimizer_step(optimizer, (uint64_t)step, rate, norm, gradient, values);
    }
    for (size_t i = 0; i < count; i++) {
        worst = test_worse(worst, fabs(values[i] - want[i].value));
        size = fabs(want[i].value) > size ? fabs(want[i].value) : size;
    }
    CHECKF(worst <= 1e-6 * size, "%g of %g", worst, size);
    free(gradient);
    free(want);
    bipe_optimizer_close(optimizer);
    bipe_pool_close(pool);
    *result = values;
    return count;
}

static double rate(const char *name, uint64_t warmup, uint64_t step)
{
    bipe_schedule s = {.peak = 2, .minimum = 0.5, .warmup = warmup, .steps = 100};
    bipe_error err = {BIPE_OK, ""};
    CHECK(bipe_schedule_parse(&s, name, &err) == BIPE_OK);
    return bipe_schedule_rate(&s, step);
}

static void test_schedules(void)
{
    static const char *const names[] = {"constant", "linear", "cosine", "polynomial", "polynomial:0.5"};
    static const double middle[] = {2, 1.25, 1.25, 0.5 + 1.5 * 0.25, 0.5 + 1.5 * 0.70710678118654752};
    static const char *const bad[] = {
        "", "Cosine", "polynomial:", "polynomial:0", "polynomial:x", "polynomial:1x", "cosine:2"};
    bipe_error err = {BIPE_OK, ""};
    bipe_schedule s;
    for (size_t i = 0; i < 5; i++) {
        CHECK_NEAR(rate(names[i], 20, 1), 0.1, 1e-15);
        CHECK_NEAR(rate(names[i], 20, 20), 2, 1e-15);
        CHECK_NEAR(rate(names[i], 20, 60), middle[i], 1e-12);
        CHECK_NEAR(rate(names[i], 20, 100), i == 0 ? 2 : 0.5, 1e-12);
        CHECK_NEAR(rate(names[i], 0, 50), middle[i], 1e-12);
        CHECK_NEAR(rate(names[i], 100, 100), 2, 1e-15);
    }
    CHECK_NEAR(rate("cosine", 0, 25), 0.5 + 0.75 * (1 + 0.70710678118654752), 1e-12);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECKF(bipe_schedule_parse(&s, bad[i], &err) == BIPE_ERR_ARGUMENT, "%s", bad[i]);
}

int main(void)
{
    static float one[COUNT], three[COUNT];
    test_steps(1, one);
    test_steps(3, three);
    CHECK(memcmp(one, three, sizeof one) == 0); /* whatever the number of threads */
    float *of_one, *of_three;
    size_t count = test_muon(1, &of_one);
    CHECK_UINT(test_muon(3, &of_three), count);
    CHECK(memcmp(of_one, of_three, count * sizeof *of_one) == 0);
    free(of_one);
    free(of_three);
    test_not_finite();
    test_schedules();
    return test_result();
}
