/* test_optimizer.c - AdamW against the formulas in double precision, the norm, and the rates of schedules. */
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
    bipe_optimizer_run runs[] = {{1, true}, {70000, false}, {0, true}, {COUNT - 70001, true}};
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
    bipe_optimizer_run run = {3, true};
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
    test_not_finite();
    test_schedules();
    return test_result();
}
