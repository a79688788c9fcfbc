/* test_distribution.c - histograms and what is computed from them, against plain lists of numbers. */
#include "base/alloc.h"
#include "measure/distribution.h"
#include "tests/check.h"

static int rising(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A value of a size that differs widely: small, a few thousand, or anything. */
static uint64_t random_value(uint64_t *state)
{
    uint64_t r = test_random(state);
    switch (r % 8) {
    case 0: return test_random(state) % 100000;
    case 1: return 1020 + test_random(state) % 8;
    default: return test_random(state) % 60;
    }
}

static void test_against_lists(void)
{
    uint64_t state = 7;
    for (int round = 0; round < 60; round++) {
        size_t n = 1 + test_random(&state) % 900, cut = test_random(&state) % (n + 1);
        uint64_t *list = calloc(n, sizeof *list);
        bipe_histogram h = {0}, rest = {0};
        bipe_error err;
        for (size_t i = 0; i < n; i++) {
            list[i] = random_value(&state);
            CHECK(bipe_histogram_add(i < cut ? &h : &rest, list[i], 1, &err) == BIPE_OK);
        }
        CHECK(bipe_histogram_merge(&h, &rest, &err) == BIPE_OK);
        CHECK_UINT(h.total, n);
        bipe_distribution d;
        CHECK(bipe_distribution_open(&d, &h, &err) == BIPE_OK);
        qsort(list, n, sizeof *list, rising);
        long double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++)
            sum += (long double)list[i];
        for (size_t i = 0; i < n; i++)
            squares += ((long double)list[i] - sum / n) * ((long double)list[i] - sum / n);
        CHECK_NEAR(bipe_distribution_mean(&d), (double)(sum / n), 1e-9 * (1 + (double)(sum / n)));
        CHECK_NEAR(bipe_distribution_sd(&d), (double)sqrtl(squares / n), 1e-9 * (1 + (double)sqrtl(squares / n)));
        for (unsigned p = 0; p <= 100; p++) {
            /* The smallest value with at least p per cent of the list at or below it. */
            size_t k = 0;
            while ((k + 1) * 100 < (size_t)p * n)
                k++;
            CHECK_UINT(bipe_distribution_quantile(&d, p), list[k]);
        }
        size_t below = 0;
        while (below < n && list[below] < 50)
            below++;
        CHECK_UINT(bipe_distribution_below(&d, 50), below);
        uint64_t total = 0;
        for (size_t i = 0; i < d.size; i++) {
            CHECK(i == 0 || d.counts[i].value > d.counts[i - 1].value);
            total += d.counts[i].count;
        }
        CHECK_UINT(total, n);
        bipe_distribution_close(&d);
        bipe_histogram_clear(&h);
        CHECK(bipe_histogram_add(&h, 5000, 2, &err) == BIPE_OK);
        CHECK(bipe_distribution_open(&d, &h, &err) == BIPE_OK);
        CHECK(d.size == 1 && d.counts[0].value == 5000 && d.counts[0].count == 2);
        bipe_distribution_close(&d);
        bipe_histogram_free(&h);
        bipe_histogram_free(&rest);
        free(list);
    }
}

static bipe_distribution of(const uint64_t *values, size_t n)
{
    bipe_histogram h = {0};
    bipe_distribution d;
    bipe_error err;
    for (size_t i = 0; i < n; i++)
        CHECK(bipe_histogram_add(&h, values[i], 1, &err) == BIPE_OK);
    CHECK(bipe_distribution_open(&d, &h, &err) == BIPE_OK);
    bipe_histogram_free(&h);
    return d;
}

#define OF(...) of((const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void test_distances(void)
{
    bipe_distribution a = OF(1, 1, 2, 3), b = OF(1, 2, 2, 5), far = OF(7, 9), none = of(NULL, 0);
    /* F_a - F_b is 1/4, 0, 1/4 on [1,2), [2,3), [3,5). */
    CHECK_NEAR(bipe_distance_ks(&a, &b), 0.25, 1e-12);
    CHECK_NEAR(bipe_distance_wasserstein(&a, &b), 0.25 + 0.5, 1e-12);
    /* By hand: p = (1/2, 1/4, 1/4, 0), q = (1/4, 1/2, 0, 1/4), m = (3/8, 3/8, 1/8, 1/8). */
    double js = 0.5 * (0.5 * log2(4.0 / 3) + 0.25 * log2(2.0 / 3) + 0.25) * 2;
    CHECK_NEAR(bipe_distance_js(&a, &b), js, 1e-12);
    CHECK_NEAR(bipe_distance_ks(&a, &far), 1, 1e-12);
    CHECK_NEAR(bipe_distance_js(&a, &far), 1, 1e-12);
    CHECK_NEAR(bipe_distance_wasserstein(&a, &far), 8 - 7.0 / 4, 1e-12);
    CHECK(bipe_distance_ks(&a, &a) == 0 && bipe_distance_js(&a, &a) == 0 && bipe_distance_wasserstein(&a, &a) == 0);
    CHECK(isnan(bipe_distance_ks(&a, &none)) && isnan(bipe_distance_js(&none, &a)));
    CHECK(isnan(bipe_distance_wasserstein(&none, &none)));
    CHECK(isnan(bipe_distribution_mean(&none)) && isnan(bipe_distribution_sd(&none)));
    bipe_distribution_close(&a);
    bipe_distribution_close(&b);
    bipe_distribution_close(&far);
    bipe_distribution_close(&none);
}

static void test_line(void)
{
    /* Points (1,2) (1,4) (2,5) (4,9) (4,10): slope and intercept from the textbook sums. */
    bipe_distribution y1 = OF(2, 4), y2 = OF(5), y4 = OF(9, 10), flat = OF(3, 3, 3), none = of(NULL, 0);
    bipe_fit_group group[] = {{1, &y1}, {2, &y2}, {3, &none}, {4, &y4}};
    bipe_fit fit = bipe_fit_line(group, 4);
    double n = 5, sx = 12, sy = 30, sxx = 38, sxy = 6 + 10 + 76, syy = 4 + 16 + 25 + 81 + 100;
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    double r = (n * sxy - sx * sy) / sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
    CHECK_NEAR(fit.slope, slope, 1e-12);
    CHECK_NEAR(fit.intercept, (sy - slope * sx) / n, 1e-12);
    CHECK_NEAR(fit.r2, r * r, 1e-12);
    bipe_fit_group one[] = {{5, &y1}, {6, &none}}, same[] = {{5, &flat}, {10, &flat}};
    fit = bipe_fit_line(one, 2);
    CHECK(isnan(fit.slope) && isnan(fit.intercept) && isnan(fit.r2));
    fit = bipe_fit_line(same, 2);
    CHECK(fit.slope == 0 && fit.intercept == 3 && isnan(fit.r2));
    fit = bipe_fit_line(NULL, 0);
    CHECK(isnan(fit.slope));
    bipe_distribution_close(&y1);
    bipe_distribution_close(&y2);
    bipe_distribution_close(&y4);
    bipe_distribution_close(&flat);
    bipe_distribution_close(&none);
}

static void test_extremes(void)
{
    bipe_histogram h = {0};
    bipe_error err;
    CHECK(bipe_histogram_add(&h, UINT64_MAX, UINT64_MAX - 1, &err) == BIPE_OK);
    CHECK(bipe_histogram_add(&h, 0, 1, &err) == BIPE_OK);
    CHECK(bipe_histogram_add(&h, 3, 1, &err) == BIPE_ERR_LIMIT);
    bipe_histogram one = {0};
    CHECK(bipe_histogram_add(&one, 3, 1, &err) == BIPE_OK);
    CHECK(bipe_histogram_merge(&h, &one, &err) == BIPE_ERR_LIMIT);
    CHECK_UINT(h.total, UINT64_MAX);
    bipe_distribution d;
    CHECK(bipe_distribution_open(&d, &h, &err) == BIPE_OK);
    CHECK(d.sum == (bipe_uint128)UINT64_MAX * (UINT64_MAX - 1));
    CHECK_UINT(bipe_distribution_quantile(&d, 0), 0);
    CHECK_UINT(bipe_distribution_quantile(&d, 50), UINT64_MAX);
    CHECK_NEAR(bipe_distribution_mean(&d) / 18446744073709551615.0, 1, 1e-12);
    bipe_distribution_close(&d);
    bipe_histogram_free(&h);
    bipe_histogram_free(&one);
}

/* Every allocation fails once: nothing leaks, and what was counted stays so. */
static void test_no_memory(void)
{
    for (long n = 0;; n++) {
        bipe_histogram h = {0};
        bipe_distribution d;
        bipe_error err;
        int status = BIPE_OK;
        bipe_alloc_fail_at(n);
        for (uint64_t v = 1000; v < 1200 && status == BIPE_OK; v++)
            status = bipe_histogram_add(&h, v, 1, &err);
        if (status == BIPE_OK && (status = bipe_distribution_open(&d, &h, &err)) == BIPE_OK)
            bipe_distribution_close(&d);
        bipe_alloc_fail_at(-1);
        bipe_histogram_free(&h);
        if (status == BIPE_OK) {
            CHECK(n > 2);
            return;
        }
        CHECK(status == BIPE_ERR_MEMORY);
    }
}

int main(void)
{
    test_against_lists();
    test_distances();
    test_line();
    test_extremes();
    test_no_memory();
    return test_result();
}
