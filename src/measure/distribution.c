/* distribution.c - mean, deviation, quantiles, distances and a fitted line, from sorted counts. */
#include "measure/distribution.h"

#include <math.h>

#include "base/alloc.h"

/* A sum in double precision that carries its rounding errors along (Neumaier 1974). */
typedef struct careful_sum {
    double sum, rest;
} careful_sum;

static void careful_add(careful_sum *s, double x)
{
    double t = s->sum + x;
    s->rest += fabs(s->sum) >= fabs(x) ? (s->sum - t) + x : (x - t) + s->sum;
    s->sum = t;
}

static double careful_value(const careful_sum *s)
{
    return s->sum + s->rest;
}

int bipe_distribution_open(bipe_distribution *d, const bipe_histogram *histogram, bipe_error *err)
{
    *d = (bipe_distribution){.total = histogram->total};
    int status = bipe_histogram_sorted(histogram, &d->counts, &d->size, err);
    for (size_t i = 0; i < d->size; i++)
        d->sum += (bipe_uint128)d->counts[i].value * d->counts[i].count;
    return status;
}

void bipe_distribution_close(bipe_distribution *d)
{
    bipe_free(d->counts);
    *d = (bipe_distribution){0};
}

double bipe_distribution_mean(const bipe_distribution *d)
{
    if (d->total == 0)
        return NAN;
    return (double)(d->sum / d->total) + (double)(d->sum % d->total) / (double)d->total;
}

double bipe_distribution_sd(const bipe_distribution *d)
{
    if (d->total == 0)
        return NAN;
    double mean = bipe_distribution_mean(d);
    careful_sum squares = {0};
    for (size_t i = 0; i < d->size; i++) {
        double away = (double)d->counts[i].value - mean;
        careful_add(&squares, away * away * (double)d->counts[i].count);
    }
    return sqrt(careful_value(&squares) / (double)d->total);
}

uint64_t bipe_distribution_quantile(const bipe_distribution *d, unsigned percent)
{
    bipe_uint128 rank = ((bipe_uint128)d->total * percent + 99) / 100;
    if (rank == 0)
        rank = 1;
    bipe_uint128 seen = 0;
    for (size_t i = 0; i < d->size; i++) {
        seen += d->counts[i].count;
        if (seen >= rank)
            return d->counts[i].value;
    }
    return d->size != 0 ? d->counts[d->size - 1].value : 0;
}

uint64_t bipe_distribution_below(const bipe_distribution *d, uint64_t value)
{
    uint64_t n = 0;
    for (size_t i = 0; i < d->size && d->counts[i].value < value; i++)
        n += d->counts[i].count;
    return n;
}

/* A walk over the values of two distributions in rising order. */
typedef struct walk {
    const bipe_distribution *a, *b;
    size_t i, j;
    uint64_t value;            /* of this step */
    uint64_t count_a, count_b; /* observations of that value */
    uint64_t below_a, below_b; /* observations up to and with that value */
} walk;

static int step_walk(walk *w)
{
    int more_a = w->i < w->a->size, more_b = w->j < w->b->size;
    if (!more_a && !more_b)
        return 0;
    uint64_t va = more_a ? w->a->counts[w->i].value : UINT64_MAX, vb = more_b ? w->b->counts[w->j].value : UINT64_MAX;
    w->value = va < vb ? va : vb;
    w->count_a = more_a && va == w->value ? w->a->counts[w->i++].count : 0;
    w->count_b = more_b && vb == w->value ? w->b->counts[w->j++].count : 0;
    w->below_a += w->count_a;
    w->below_b += w->count_b;
    return 1;
}

/* The distance of the two distribution functions at the present value. */
static double distribution_gap(const walk *w)
{
    return fabs((double)w->below_a / (double)w->a->total - (double)w->below_b / (double)w->b->total);
}

double bipe_distance_ks(const bipe_distribution *a, const bipe_distribution *b)
{
    if (a->total == 0 || b->total == 0)
        return NAN;
    double most = 0;
    for (walk w = {.a = a, .b = b}; step_walk(&w);)
        most = fmax(most, distribution_gap(&w));
    return most;
}

double bipe_distance_js(const bipe_distribution *a, const bipe_distribution *b)
{
    if (a->total == 0 || b->total == 0)
        return NAN;
    careful_sum sum = {0};
    for (walk w = {.a = a, .b = b}; step_walk(&w);) {
        double p = (double)w.count_a / (double)a->total, q = (double)w.count_b / (double)b->total, m = (p + q) / 2;
        if (p > 0)
            careful_add(&sum, p / 2 * log2(p / m));
        if (q > 0)
            careful_add(&sum, q / 2 * log2(q / m));
    }
    return fmin(1, fmax(0, careful_value(&sum)));
}

double bipe_distance_wasserstein(const bipe_distribution *a, const bipe_distribution *b)
{
    if (a->total == 0 || b->total == 0)
        return NAN;
    careful_sum area = {0};
    uint64_t from = 0;
    double height = 0;
    for (walk w = {.a = a, .b = b}; step_walk(&w);) {
        careful_add(&area, height * (double)(w.value - from));
        from = w.value;
        height = distribution_gap(&w);
    }
    return careful_value(&area);
}

bipe_fit bipe_fit_line(const bipe_fit_group *group, size_t count)
{
    bipe_fit none = {NAN, NAN, NAN};
    bipe_uint128 n = 0;
    careful_sum sum_x = {0}, sum_y = {0};
    for (size_t g = 0; g < count; g++) {
        n += group[g].y->total;
        careful_add(&sum_x, (double)group[g].x * (double)group[g].y->total);
        careful_add(&sum_y, (double)group[g].y->sum);
    }
    if (n == 0)
        return none;
    double mean_x = careful_value(&sum_x) / (double)n, mean_y = careful_value(&sum_y) / (double)n;
    careful_sum xx = {0}, xy = {0}, yy = {0};
    uint64_t first_x = 0;
    int two = 0, any = 0; /* whether two different x were seen, whether one was */
    for (size_t g = 0; g < count; g++) {
        const bipe_distribution *y = group[g].y;
        if (y->total == 0)
            continue;
        two = two || (any && group[g].x != first_x);
        if (!any)
            first_x = group[g].x;
        any = 1;
        double dx = (double)group[g].x - mean_x;
        careful_add(&xx, dx * dx * (double)y->total);
        careful_add(&xy, dx * (bipe_distribution_mean(y) - mean_y) * (double)y->total);
        for (size_t i = 0; i < y->size; i++) {
            double dy = (double)y->counts[i].value - mean_y;
            careful_add(&yy, dy * dy * (double)y->counts[i].count);
        }
    }
    if (!two)
        return none;
    bipe_fit fit = {.slope = careful_value(&xy) / careful_value(&xx), .r2 = NAN};
    fit.intercept = mean_y - fit.slope * mean_x;
    if (careful_value(&yy) > 0)
        fit.r2 = fmin(1, careful_value(&xy) / careful_value(&xx) * (careful_value(&xy) / careful_value(&yy)));
    return fit;
}
