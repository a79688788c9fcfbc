/* resample.c - the bootstrap, the length of blocks and permutation tests; see resample.h.
 *
 * Based on influences: unit i of a ratio S / W adds (s - (S / W) w) / W to the error of the ratio, so the variance of
 * the ratio is n / (n - 1) times the sum of their squares. */
#include "measure/resample.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"

/* Two samples, of which the first may be empty: the number in question is mean(b) - mean(a). */
typedef struct sample {
    const bipe_unit *unit;
    size_t count;
} sample;

typedef struct samples {
    sample a, b;
    bool paired;       /* unit i of both is drawn together */
    uint32_t *drawn_a; /* (a.count) the units of a resample */
    uint32_t *drawn_b; /* (b.count); paired: the same */
} samples;

static double sample_mean(const sample *s, const uint32_t *drawn, double *weight)
{
    double sum = 0;
    *weight = 0;
    for (size_t i = 0; i < s->count; i++) {
        const bipe_unit *unit = &s->unit[drawn == NULL ? i : drawn[i]];
        sum += unit->sum;
        *weight += unit->weight;
    }
    return s->count == 0 ? 0 : sum / *weight;
}

static double unit_influence(const bipe_unit *unit, double mean, double weight)
{
    return (unit->sum - mean * unit->weight) / weight;
}

static double variance_of(double squares, size_t count)
{
    return count < 2 ? 0 : squares * (double)count / (double)(count - 1);
}

/* The difference of the means, and its standard error by linearization; of all units, or of a resample. */
static double linearize_difference(const samples *s, bool resampled, double *error)
{
    const uint32_t *drawn_a = resampled ? s->drawn_a : NULL, *drawn_b = resampled ? s->drawn_b : NULL;
    double weight_a, weight_b, squares_a = 0, squares_b = 0;
    double mean_a = sample_mean(&s->a, drawn_a, &weight_a), mean_b = sample_mean(&s->b, drawn_b, &weight_b);
    for (size_t i = 0; i < s->b.count; i++) {
        double r = unit_influence(&s->b.unit[drawn_b == NULL ? i : drawn_b[i]], mean_b, weight_b);
        if (s->paired)
            r -= unit_influence(&s->a.unit[drawn_a == NULL ? i : drawn_a[i]], mean_a, weight_a);
        squares_b += r * r;
    }
    for (size_t i = 0; i < s->a.count && !s->paired; i++) {
        double r = unit_influence(&s->a.unit[drawn_a == NULL ? i : drawn_a[i]], mean_a, weight_a);
        squares_a += r * r;
    }
    *error = sqrt(variance_of(squares_a, s->a.count) + variance_of(squares_b, s->b.count));
    return mean_b - mean_a;
}

static void draw_units(uint32_t *drawn, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++)
        drawn[i] = (uint32_t)bipe_random_below(state, count);
}

static int compare_numbers(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Divides by an error that is 0, but for rounding, where all units of a resample are alike. */
static double studentize_difference(double difference, double error)
{
    if (error > 1e-9 * fabs(difference))
        return difference / error;
    return difference == 0 ? 0 : copysign((double)INFINITY, difference);
}

/* t: for 2 * BIPE_BOOTSTRAP_ROUNDS numbers. */
static void bootstrap_difference(bipe_estimate *e, samples *s, double *t, uint64_t seed)
{
    double error, sum = 0, squares = 0, *t_percentile = t + BIPE_BOOTSTRAP_ROUNDS;
    uint64_t state = seed;
    double value = linearize_difference(s, false, &error);
    for (int round = 0; round < BIPE_BOOTSTRAP_ROUNDS; round++) {
        draw_units(s->drawn_b, s->b.count, &state);
        if (!s->paired)
            draw_units(s->drawn_a, s->a.count, &state);
        double error_here, off = linearize_difference(s, true, &error_here) - value;
        t[round] = studentize_difference(off, error_here);
        t_percentile[round] = -off / error;
        sum += off;
        squares += off * off;
    }
    double mean = sum / BIPE_BOOTSTRAP_ROUNDS;
    e->error = sqrt(fmax(0, squares / BIPE_BOOTSTRAP_ROUNDS - mean * mean));
    if (s->b.count < BIPE_UNITS_FEWEST || (s->a.count > 0 && s->a.count < BIPE_UNITS_FEWEST))
        return;
    qsort(t, BIPE_BOOTSTRAP_ROUNDS, sizeof *t, compare_numbers);
    enum { TAIL = (BIPE_BOOTSTRAP_ROUNDS + 1) / 40 - 1 }; /* 2.5 % */
    if (error > 0 && (isinf(t[TAIL]) || isinf(t[BIPE_BOOTSTRAP_ROUNDS - 1 - TAIL]))) {
        t = t_percentile; /* gives the percentiles of resampled differences as interval, and p that goes with it */
        qsort(t, BIPE_BOOTSTRAP_ROUNDS, sizeof *t, compare_numbers);
    }
    e->low = error == 0 ? value : value - t[BIPE_BOOTSTRAP_ROUNDS - 1 - TAIL] * error;
    e->high = error == 0 ? value : value - t[TAIL] * error;
    double observed = studentize_difference(value, error);
    int above = 0, below = 0;
    for (int round = 0; round < BIPE_BOOTSTRAP_ROUNDS; round++) {
        above += t[round] >= observed;
        below += t[round] <= observed;
    }
    double p = 2.0 * (1 + (above < below ? above : below)) / (1 + BIPE_BOOTSTRAP_ROUNDS);
    e->p = value == 0 || p > 1 ? 1 : p;
}

/* Copies the units that have a weight (of a pair: in either) and joins neighbours where they are many. */
static size_t copy_units(bipe_unit *to, const bipe_unit *from, const bipe_unit *other, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (from[i].weight > 0 || (other != NULL && other[i].weight > 0))
            to[kept++] = from[i];
    return kept;
}

static size_t limit_units(bipe_unit *unit, size_t count)
{
    return bipe_join_units(unit, count, (count + BIPE_UNITS_MOST - 1) / BIPE_UNITS_MOST);
}

static int estimate_difference(bipe_estimate *e, const sample *a, const sample *b, bool paired, uint64_t seed,
                               bipe_error *err)
{
    samples s = { .paired = paired };
    double *t = bipe_alloc(2 * BIPE_BOOTSTRAP_ROUNDS, sizeof *t), error;
    bipe_unit *unit_a = bipe_alloc(a->count, sizeof *unit_a), *unit_b = bipe_alloc(b->count, sizeof *unit_b);
    uint32_t *drawn_a = bipe_alloc(a->count, sizeof *drawn_a), *drawn_b = bipe_alloc(b->count, sizeof *drawn_b);
    *e = (bipe_estimate){ (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0 };
    int status = BIPE_OK;
    if (t == NULL || unit_a == NULL || unit_b == NULL || drawn_a == NULL || drawn_b == NULL) {
        status = bipe_fail_memory(err);
    } else {
        size_t count_a = copy_units(unit_a, a->unit, paired ? b->unit : NULL, a->count);
        size_t count_b = copy_units(unit_b, b->unit, paired ? a->unit : NULL, b->count);
        e->units = paired ? count_b : count_a + count_b;
        s.a = (sample){ unit_a, limit_units(unit_a, count_a) };
        s.b = (sample){ unit_b, limit_units(unit_b, count_b) };
        s.drawn_b = drawn_b;
        s.drawn_a = paired ? drawn_b : drawn_a;
        bool some = s.b.count > 0 && (a->count == 0 || s.a.count > 0);
        if (some)
            e->value = linearize_difference(&s, false, &error);
        if (some && isfinite(e->value) && s.b.count > 1 && s.a.count != 1)
            bootstrap_difference(e, &s, t, seed);
    }
    bipe_free(t);
    bipe_free(unit_a);
    bipe_free(unit_b);
    bipe_free(drawn_a);
    bipe_free(drawn_b);
    return status;
}

int bipe_estimate_mean(bipe_estimate *e, const bipe_unit *unit, size_t count, uint64_t seed, bipe_error *err)
{
    return estimate_difference(e, &(sample){ NULL, 0 }, &(sample){ unit, count }, false, seed, err);
}

int bipe_estimate_difference(bipe_estimate *e, const bipe_unit *a, const bipe_unit *b, size_t count, uint64_t seed,
                             bipe_error *err)
{
    return estimate_difference(e, &(sample){ a, count }, &(sample){ b, count }, true, seed, err);
}

int bipe_estimate_unpaired(bipe_estimate *e, const bipe_unit *a, size_t a_count, const bipe_unit *b, size_t b_count,
                           uint64_t seed, bipe_error *err)
{
    return estimate_difference(e, &(sample){ a, a_count }, &(sample){ b, b_count }, false, seed, err);
}

/* ---- blocks ---- */

static void add_units(bipe_unit *sum, const bipe_unit *unit, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sum->sum += unit[i].sum;
        sum->weight += unit[i].weight;
    }
}

void bipe_level_units(bipe_unit *unit, const size_t *end, size_t texts, size_t least)
{
    bipe_unit all = { 0, 0 }, few = { 0, 0 };
    for (size_t t = 0, from = 0; t < texts; from = end[t++]) {
        add_units(&all, unit + from, end[t] - from);
        if (end[t] - from < least)
            add_units(&few, unit + from, end[t] - from);
    }
    for (size_t t = 0, from = 0; t < texts; from = end[t++]) {
        bipe_unit one = { 0, 0 };
        add_units(&one, unit + from, end[t] - from);
        one = end[t] - from < least ? few : one;
        double off = one.weight > 0 ? one.sum / one.weight - all.sum / all.weight : 0;
        for (size_t i = from; i < end[t]; i++)
            unit[i].sum -= off * unit[i].weight;
    }
}

static double autocovariance(const double *r, size_t count, size_t lag)
{
    double sum = 0;
    for (size_t i = lag; i < count; i++)
        sum += r[i] * r[i - lag];
    return sum / (double)count;
}

/* The rule of Politis and White, for a series whose mean is 0. */
static size_t choose_length(const double *r, size_t count)
{
    double n = (double)count, variance = autocovariance(r, count, 0), spectrum, slope = 0;
    size_t quiet = 5, most = count / 10, last = 0;
    if (most < 2 || !(variance > 0))
        return 1;
    /* The last lag before `quiet` ones in a row that do not differ from 0. */
    size_t farthest = (size_t)ceil(sqrt(n)) + quiet, run = 0;
    double bound = 2 * sqrt(log10(n) / n) * variance;
    for (size_t lag = 1; lag <= farthest && lag < count && run < quiet; lag++) {
        bool differs = fabs(autocovariance(r, count, lag)) > bound;
        run = differs ? 0 : run + 1;
        last = differs ? lag : last;
    }
    spectrum = variance;
    for (size_t lag = 1; lag <= 2 * last && lag < count; lag++) { /* a flat-top window */
        double share = (double)lag / (2.0 * (double)last), taper = share <= 0.5 ? 1 : 2 * (1 - share);
        double covariance = taper * autocovariance(r, count, lag);
        spectrum += 2 * covariance;
        slope += 2 * (double)lag * covariance;
    }
    if (!(spectrum > 0))
        return 1;
    double length = ceil(cbrt(1.5 * slope * slope / (spectrum * spectrum) * n));
    return length > (double)most ? most : length < 1 ? 1 : (size_t)length;
}

int bipe_block_length(size_t *length, const bipe_unit *a, const bipe_unit *b, size_t count, bipe_error *err)
{
    const sample first = { a, a == NULL ? 0 : count }, second = { b, count };
    double weight_a, weight_b, mean_a = sample_mean(&first, NULL, &weight_a),
                               mean_b = sample_mean(&second, NULL, &weight_b);
    double *r = bipe_alloc(count, sizeof *r);
    *length = 1;
    if (r == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        r[i] = unit_influence(&b[i], mean_b, weight_b) - (a == NULL ? 0 : unit_influence(&a[i], mean_a, weight_a));
    *length = choose_length(r, count);
    bipe_free(r);
    return BIPE_OK;
}

size_t bipe_join_units(bipe_unit *unit, size_t count, size_t length)
{
    size_t blocks = length <= 1 ? count : count / length;
    if (length <= 1 || count == 0)
        return count;
    blocks = blocks == 0 ? 1 : blocks;
    for (size_t i = 0; i < count; i++) {
        size_t block = i / length < blocks ? i / length : blocks - 1;
        bipe_unit one = unit[i];
        if (i == block * length)
            unit[block] = (bipe_unit){ 0, 0 };
        unit[block].sum += one.sum;
        unit[block].weight += one.weight;
    }
    return blocks;
}

/* ---- clusters ---- */

typedef struct clustered {
    uint64_t cluster;
    size_t index;
    bipe_unit unit;
} clustered;

static int compare_clustered(const void *x, const void *y)
{
    const clustered *a = x, *b = y;
    if (a->cluster != b->cluster)
        return a->cluster < b->cluster ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index); /* sums have the same digits everywhere */
}

int bipe_join_clusters(bipe_unit *unit, const uint64_t *cluster, size_t *count, bipe_error *err)
{
    size_t clusters = 0;
    clustered *all = bipe_alloc(*count, sizeof *all);
    if (all == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < *count; i++)
        all[i] = (clustered){ cluster[i], i, unit[i] };
    if (*count > 0)
        qsort(all, *count, sizeof *all, compare_clustered);
    for (size_t i = 0; i < *count; i++) {
        if (i == 0 || all[i].cluster != all[i - 1].cluster)
            unit[clusters++] = (bipe_unit){ 0, 0 };
        add_units(&unit[clusters - 1], &all[i].unit, 1);
    }
    *count = clusters;
    bipe_free(all);
    return BIPE_OK;
}

void bipe_estimate_of_clusters(bipe_estimate *e)
{
    e->error *= sqrt((double)e->units / ((double)e->units - 1));
}

/* ---- permutation ---- */

static double means_distance(const bipe_unit *unit, const uint8_t *second, size_t count)
{
    bipe_unit group[2] = { { 0, 0 }, { 0, 0 } };
    for (size_t i = 0; i < count; i++) {
        group[second[i]].sum += unit[i].sum;
        group[second[i]].weight += unit[i].weight;
    }
    return fabs(group[1].sum / group[1].weight - group[0].sum / group[0].weight);
}

static size_t count_reached(const bipe_unit *unit, uint8_t *second, size_t count, size_t rounds, uint64_t seed)
{
    double observed = means_distance(unit, second, count);
    size_t reached = 0;
    uint64_t state = seed;
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = count; i > 1; i--) {
            size_t other = (size_t)bipe_random_below(&state, i);
            uint8_t moved = second[i - 1];
            second[i - 1] = second[other];
            second[other] = moved;
        }
        /* The same groups in another order of adding are as large. */
        reached += means_distance(unit, second, count) >= observed - 1e-12 * fabs(observed);
    }
    return reached;
}

/* Whether more than one unit says something. */
static bool has_several(const bipe_unit *unit, size_t count)
{
    size_t some = 0;
    for (size_t i = 0; i < count; i++)
        some += unit[i].weight > 0;
    return some > 1;
}

int bipe_permutation_means(double *p, const bipe_unit *a, size_t a_count, const bipe_unit *b, size_t b_count,
                           size_t rounds, uint64_t seed, bipe_error *err)
{
    size_t count = a_count + b_count;
    bipe_unit *unit = bipe_alloc(count, sizeof *unit);
    uint8_t *second = bipe_alloc(count, 1); /* 1: of the second sample */
    int status = unit == NULL || second == NULL ? bipe_fail_memory(err) : BIPE_OK;
    *p = (double)NAN;
    if (status == BIPE_OK && has_several(a, a_count) && has_several(b, b_count)) {
        memcpy(unit, a, a_count * sizeof *unit);
        memcpy(unit + a_count, b, b_count * sizeof *unit);
        memset(second, 0, a_count);
        memset(second + a_count, 1, b_count);
        *p = (double)(1 + count_reached(unit, second, count, rounds, seed)) / (double)(1 + rounds);
    }
    bipe_free(unit);
    bipe_free(second);
    return status;
}

void bipe_share_interval(double right, double n, double *low, double *high)
{
    const double z = 1.959963984540054; /* of the normal distribution, 2.5 % are above */
    double share = right / n, middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    *low = right == 0 && n > 0 ? 0 : middle - half; /* not a rounding error below */
    *high = right == n && n > 0 ? 1 : middle + half;
}

void bipe_estimate_share(bipe_estimate *e, const bipe_unit *unit, size_t count)
{
    double trials, error;
    const samples s = { .b = { unit, count } };
    *e = (bipe_estimate){ (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, count };
    if (count == 0)
        return;
    e->value = sample_mean(&s.b, NULL, &trials);
    linearize_difference(&s, false, &error);
    bool single = trials == (double)count;
    double spread = e->value * (1 - e->value), independent = spread / (error * error);
    if (count > 1)
        e->error = error;
    if (single || spread == 0)
        independent = (double)count;
    if (single || count >= BIPE_UNITS_FEWEST)
        bipe_share_interval(e->value * fmin(independent, trials), fmin(independent, trials), &e->low, &e->high);
}

static int compare_tests(const void *x, const void *y)
{
    return compare_numbers(*(const double *const *)x, *(const double *const *)y);
}

int bipe_correct_holm(double *p, size_t count, bipe_error *err)
{
    double **test = bipe_alloc(count, sizeof *test), least = 0;
    size_t tests = 0;
    if (test == NULL)
        return bipe_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]))
            test[tests++] = &p[i];
    if (tests > 1)
        qsort(test, tests, sizeof *test, compare_tests);
    for (size_t i = 0; i < tests; i++)
        *test[i] = least = fmax(least, fmin(1, (double)(tests - i) * *test[i]));
    bipe_free(test);
    return BIPE_OK;
}

/* The quantile of the normal distribution, by bisection. */
static double normal_quantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (erfc(-middle / sqrt(2)) / 2 < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t bipe_units_needed(const bipe_estimate *e, double difference, double power)
{
    double z = normal_quantile(0.975) + normal_quantile(power), each = e->error * e->error * (double)e->units;
    double units = ceil(each * z * z / (difference * difference));
    bool known = each > 0 && e->error > 1e-9 * fabs(e->value); /* more than rounding */
    return known && units < 1e18 ? (uint64_t)fmax(units, 2) : BIPE_UNITS_UNKNOWN;
}

double bipe_mcnemar(uint64_t first, uint64_t second)
{
    uint64_t few = first < second ? first : second, all = first + second;
    double tail = 0;
    for (uint64_t i = 0; i <= few; i++)
        tail +=
            exp(lgamma((double)all + 1) - lgamma((double)i + 1) - lgamma((double)(all - i) + 1) - (double)all * log(2));
    return fmin(1, 2 * tail);
}
