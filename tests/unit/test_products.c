/* test_products.c - the products of each kind of processor that this machine can be, against a naive twin in double. */
#include "nn/micro.h"
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

/* Value i of a packed operand of `wide` rows or columns: step s of K. */
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

static void test_micro(const nn_micro *micro, const char *name)
{
    enum { STEPS = 67 };
    size_t mr = micro->rows, nr = micro->columns, ldc = nr + 5;
    float *left = values(STEPS * mr), *panel = values(STEPS * nr), *c = values(mr * ldc), *before = values(mr * ldc), *whole = values(mr * ldc);
    if (micro->step == 2) { /* two values of bfloat16 a word */
        nn_round_bf16(left, STEPS * mr), nn_round_bf16(panel, STEPS * nr);
        for (size_t i = 0; i < STEPS * nr; i++)
            memcpy((uint8_t *)(panel + i), (const uint8_t *)(panel + (i * 7 + 1) % (STEPS * nr)) + 2, 2);
        for (size_t i = 0; i < STEPS * mr; i++)
            memcpy((uint8_t *)(left + i), (const uint8_t *)(left + (i * 7 + 1) % (STEPS * mr)) + 2, 2);
    }
    for (size_t steps = 1; steps <= STEPS; steps = steps * 2 + 1)
        for (size_t m = 1; m <= mr; m += mr > 8 ? 9 : 1)
            for (size_t n = 1; n <= nr; n += nr > 48 ? 7 : 1)
                for (int add = 0; add < 2; add++) {
                    memcpy(c, before, mr * ldc * sizeof *c);
                    memcpy(whole, before, mr * ldc * sizeof *c);
                    micro->run(steps, left, panel, c, ldc, m, n, add != 0);
                    micro->run(steps, left, panel, whole, ldc, mr, nr, add != 0);
                    double worst = 0, bound = 0x1p-23 * (double)(steps * micro->step + 2);
                    bool moved = false;
                    for (size_t i = 0; i < mr; i++)
                        for (size_t j = 0; j < ldc; j++) {
                            float got = c[i * ldc + j];
                            if (i >= m || j >= n) {
                                moved = moved || got != before[i * ldc + j];
                                continue;
                            }
                            double sum = add ? (double)before[i * ldc + j] : 0, size = fabs(sum);
                            for (size_t k = 0; k < steps * micro->step; k++) {
                                double term = packed(micro, left, mr, i, k) * packed(micro, panel, nr, j, k);
                                sum += term;
                                size += fabs(term);
                            }
                            double error = fabs((double)got - sum) / size;
                            worst = error <= worst ? worst : error;
                            moved = moved || (mr <= 8 && memcmp(&got, &whole[i * ldc + j], 4) != 0);
                            if (isnan(error))
                                CHECKF(false, "%s: %zu x %zu x %zu is not a number", name, m, n, steps);
                        }
                    CHECKF(worst <= bound, "%s: %zu x %zu x %zu: error %g", name, m, n, steps, worst);
                    CHECKF(!moved, "%s: %zu x %zu x %zu: what is beside the tile, or digits that depend on it", name, m, n, steps);
                }
    /* NaN and infinity in any place reach the whole of their row or column */
    memset(left, 0, STEPS * mr * 4);
    left[3 * mr] = NAN;
    micro->run(STEPS, left, panel, c, ldc, mr, nr, false);
    for (size_t j = 0; j < nr; j++)
        CHECK(isnan(c[j]) && c[ldc + j] == 0);
    free(left), free(panel), free(c), free(before), free(whole);
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
    CHECK(nn_cpu_named("plain") != NULL && nn_cpu_named("blas") != NULL);
}

int main(void)
{
    nn_one_thread_per_product();
    test_names();
    for (size_t i = 0; i < nn_cpu_count(); i++) {
        const nn_cpu *cpu = nn_cpu_at(i);
        if (cpu == NULL)
            continue;
        test_micro(cpu->f32, nn_cpu_name(cpu));
        if (cpu->bf16 != NULL)
            test_micro(cpu->bf16, nn_cpu_name(cpu));
    }
    return test_result();
}
