/* test_resample.c - how often intervals hold the truth for losses that depend on their neighbours or on their document;
 * estimates, pairing and permutation against plain arithmetic. */
#include "base/alloc.h"
#include "base/random.h"
#include "measure/unit_bins.h"
#include "tests/check.h"

enum { CELLS = 600, CELL_TOKENS = 8, DOCUMENTS = 40 };

/* Losses of a text: skewed, each depending on the one before, on average 3. */
static void make_series(bipe_unit *cell, size_t count, double correlation, uint64_t *state)
{
    double z = bipe_random_normal(state);
    for (size_t i = 0; i < count; i++) {
        cell[i] = (bipe_unit){ 0, CELL_TOKENS };
        for (int t = 0; t < CELL_TOKENS; t++) {
            z = correlation * z + sqrt(1 - correlation * correlation) * bipe_random_normal(state);
            cell[i].sum += 3 * exp(0.8 * z - 0.32);
        }
    }
}

/* Documents of different lengths, each with a mean of its own. */
static void make_documents(bipe_unit *document, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        double own = 3 + 0.5 * bipe_random_normal(state);
        size_t tokens = 20 + (size_t)bipe_random_below(state, 400);
        document[i] = (bipe_unit){ 0, (double)tokens };
        for (size_t t = 0; t < tokens; t++)
            document[i].sum += own + bipe_random_normal(state);
    }
}

static int blocks_estimate(bipe_estimate *e, bipe_unit *a, bipe_unit *b, size_t count, uint64_t seed)
{
    size_t length;
    bipe_error err;
    CHECK(bipe_block_length(&length, a, b, count, &err) == BIPE_OK && length >= 1 && length <= count / 10);
    if (a != NULL)
        bipe_join_units(a, count, length);
    count = bipe_join_units(b, count, length);
    return a == NULL ? bipe_estimate_mean(e, b, count, seed, &err)
                     : bipe_estimate_difference(e, a, b, count, seed, &err);
}

/* A few say nothing about coverage. */
static int coverage_rounds(void)
{
    return test_all_rounds() ? 300 : 5;
}

static void check_coverage(const char *what, int held, int small, int rounds)
{
    double share = (double)held / rounds;
    if (test_all_rounds()) {
        CHECKF(share >= 0.90 && share <= 0.98, "%s: %.3f of the intervals hold the truth", what, share);
        CHECKF((double)small / rounds <= 0.10, "%s: p is below 0.05 in %.3f of the rounds", what,
               (double)small / rounds);
    }
    fprintf(stderr, "%s: %.3f of %d intervals hold the truth\n", what, share, rounds);
}

static void test_coverage(void)
{
    static const double correlation[] = { 0, 0.5, 0.9, 0.97 };
    bipe_unit a[CELLS], b[CELLS];
    uint64_t state = 11;
    int rounds = coverage_rounds();
    for (size_t c = 0; c < sizeof correlation / sizeof correlation[0]; c++) {
        int held = 0, paired = 0, small = 0;
        for (int round = 0; round < rounds; round++) {
            bipe_estimate e;
            char name[64];
            make_series(a, CELLS, correlation[c], &state);
            /* The second model: the same losses and an independent part that is as correlated. */
            make_series(b, CELLS, correlation[c], &state);
            for (size_t i = 0; i < CELLS; i++)
                b[i].sum = a[i].sum + 0.3 * (b[i].sum - 3 * CELL_TOKENS);
            bipe_unit first[CELLS], second[CELLS];
            memcpy(first, a, sizeof a);
            memcpy(second, b, sizeof b);
            CHECK(blocks_estimate(&e, NULL, a, CELLS, (uint64_t)round) == BIPE_OK);
            held += e.low <= 3 && 3 <= e.high;
            CHECK(blocks_estimate(&e, first, second, CELLS, (uint64_t)round) == BIPE_OK);
            paired += e.low <= 0 && 0 <= e.high;
            small += e.p < 0.05;
            if (round + 1 == rounds) {
                snprintf(name, sizeof name, "mean, correlation %.2f", correlation[c]);
                check_coverage(name, held, 0, rounds);
                snprintf(name, sizeof name, "difference, correlation %.2f", correlation[c]);
                check_coverage(name, paired, small, rounds);
            }
        }
    }
    int held = 0, apart = 0, small = 0;
    for (int round = 0; round < rounds; round++) {
        bipe_estimate e;
        bipe_error err;
        make_documents(a, DOCUMENTS, &state);
        make_documents(b, DOCUMENTS, &state);
        CHECK(bipe_estimate_mean(&e, a, DOCUMENTS, (uint64_t)round, &err) == BIPE_OK);
        held += e.low <= 3 && 3 <= e.high;
        CHECK(bipe_estimate_unpaired(&e, a, DOCUMENTS, b, DOCUMENTS / 2, (uint64_t)round, &err) == BIPE_OK);
        apart += e.low <= 0 && 0 <= e.high;
        small += e.p < 0.05;
    }
    check_coverage("mean over documents", held, 0, rounds);
    check_coverage("unpaired difference", apart, small, rounds);
}

/* Groups have few documents; fewer than BIPE_UNITS_FEWEST have no interval. */
static void test_groups(void)
{
    static const size_t counts[] = { BIPE_UNITS_FEWEST - 1, BIPE_UNITS_FEWEST, 12, 20 };
    bipe_unit a[20], b[20];
    uint64_t state = 5;
    int rounds = coverage_rounds();
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        int held = 0, paired = 0, small = 0;
        char name[64];
        for (int round = 0; round < rounds; round++) {
            bipe_estimate e;
            bipe_error err;
            make_documents(a, counts[i], &state);
            for (size_t k = 0; k < counts[i]; k++) /* a second model differs by as much everywhere, but for noise of
                                                      each document */
                b[k] = (bipe_unit){ a[k].sum + a[k].weight * (0.2 + 0.3 * bipe_random_normal(&state)), a[k].weight };
            CHECK(bipe_estimate_mean(&e, a, counts[i], (uint64_t)round, &err) == BIPE_OK);
            CHECK(counts[i] >= BIPE_UNITS_FEWEST || (isnan(e.low) && isnan(e.high)));
            held += e.low <= 3 && 3 <= e.high;
            CHECK(bipe_estimate_difference(&e, a, b, counts[i], (uint64_t)round, &err) == BIPE_OK);
            paired += e.low <= 0.2 && 0.2 <= e.high;
            for (size_t k = 0; k < counts[i]; k++)
                b[k].sum -= 0.2 * a[k].weight;
            CHECK(bipe_estimate_difference(&e, a, b, counts[i], (uint64_t)round, &err) == BIPE_OK);
            small += e.p < 0.05;
        }
        if (counts[i] < BIPE_UNITS_FEWEST)
            continue;
        snprintf(name, sizeof name, "mean over %zu documents", counts[i]);
        check_coverage(name, held, 0, rounds);
        snprintf(name, sizeof name, "difference over %zu documents", counts[i]);
        check_coverage(name, paired, small, rounds);
    }
}

/* The interval takes correlation into account, which tokens taken as independent do not; the pair's error is that of
 * its differences. */
static void test_against_arithmetic(void)
{
    bipe_unit a[CELLS], b[CELLS], cell[CELLS], difference[CELLS];
    uint64_t state = 3;
    bipe_estimate e, d;
    bipe_error err;
    make_series(a, CELLS, 0.5, &state);
    double sum = 0, squares = 0, n = CELLS;
    for (size_t i = 0; i < CELLS; i++) {
        double own = bipe_random_normal(&state);
        b[i] = (bipe_unit){ a[i].sum + CELL_TOKENS * (0.1 + 0.2 * own), CELL_TOKENS };
        difference[i] = (bipe_unit){ b[i].sum - a[i].sum, CELL_TOKENS };
        double each = difference[i].sum / CELL_TOKENS;
        sum += each;
        squares += each * each;
    }
    double mean = sum / n, error = sqrt((squares - n * mean * mean) / (n - 1) / n);
    CHECK(bipe_estimate_difference(&e, a, b, CELLS, 5, &err) == BIPE_OK);
    CHECK_NEAR(e.value, mean, 1e-12);
    CHECK_NEAR(e.error, error, 0.06 * error); /* 1999 resamples */
    CHECK_NEAR(e.low, mean - 1.96 * error, 0.3 * error);
    CHECK_NEAR(e.high, mean + 1.96 * error, 0.3 * error);
    CHECK(e.p <= 0.001 && e.units == CELLS);
    CHECK(bipe_estimate_mean(&d, difference, CELLS, 5, &err) == BIPE_OK);
    CHECK_NEAR(d.error, e.error, 1e-9);
    CHECK_NEAR(d.low, e.low, 1e-9);
    memcpy(cell, a, sizeof a);
    CHECK(bipe_estimate_unpaired(&d, a, CELLS, b, CELLS, 5, &err) == BIPE_OK);
    CHECK(d.error > 3 * e.error); /* what pairing saves */
    CHECK(memcmp(cell, a, sizeof a) == 0);
}

/* Clusters of three in any order: as units that were never apart. A share has the error of its clusters, by hand. */
static void test_clusters(void)
{
    enum { CLUSTERS = 20, EACH = 3, UNITS = CLUSTERS * EACH };
    bipe_unit unit[UNITS], whole[CLUSTERS] = { { 0, 0 } };
    uint64_t cluster[UNITS], state = 9;
    bipe_estimate of_units, of_whole;
    bipe_error err;
    size_t count = UNITS;
    for (size_t i = 0; i < UNITS; i++) {
        size_t c = i * 7 % CLUSTERS;
        unit[i] = (bipe_unit){ bipe_random_normal(&state) + (double)c, 2 };
        cluster[i] = c + 5;
        whole[c].sum += unit[i].sum;
        whole[c].weight += unit[i].weight;
    }
    CHECK(bipe_join_clusters(unit, cluster, &count, &err) == BIPE_OK && count == CLUSTERS);
    for (size_t c = 0; c < CLUSTERS; c++)
        CHECK(unit[c].sum == whole[c].sum && unit[c].weight == whole[c].weight);
    CHECK(bipe_estimate_mean(&of_units, unit, count, 1, &err) == BIPE_OK);
    CHECK(bipe_estimate_mean(&of_whole, whole, CLUSTERS, 1, &err) == BIPE_OK);
    CHECK(of_units.error == of_whole.error && of_units.low == of_whole.low);
    bipe_estimate_of_clusters(&of_units);
    CHECK_NEAR(of_units.error, of_whole.error * sqrt(20.0 / 19), 1e-15);
    CHECK(of_units.low == of_whole.low && of_units.p == of_whole.p);
    /* Four of two trials each, with 2, 2, 1 and 0 right: mean 5/8, residuals 3/4, 3/4, -1/4, -5/4. */
    const bipe_unit share[] = { { 2, 2 }, { 2, 2 }, { 1, 2 }, { 0, 2 } };
    bipe_estimate_share(&of_units, share, 4);
    CHECK_NEAR(of_units.value, 0.625, 1e-15);
    CHECK_NEAR(of_units.error, sqrt(2.75 * 4 / 3) / 8, 1e-15);
    CHECK(isnan(of_units.low) && of_units.units == 4);
    bipe_unit all[BIPE_UNITS_FEWEST]; /* all right: no more is known than from one trial of each */
    double low, high;
    for (size_t i = 0; i < BIPE_UNITS_FEWEST; i++)
        all[i] = (bipe_unit){ 5, 5 };
    bipe_estimate_share(&of_units, all, BIPE_UNITS_FEWEST);
    bipe_share_interval(BIPE_UNITS_FEWEST, BIPE_UNITS_FEWEST, &low, &high);
    CHECK(of_units.error == 0 && of_units.low == low && of_units.high == 1 && high == 1);
    bipe_estimate_share(&of_units, share, 1);
    CHECK(of_units.value == 1 && isnan(of_units.error));
    bipe_estimate_share(&of_units, share, 0);
    CHECK(isnan(of_units.value) && isnan(of_units.low));
}

/* Holm (1979), by hand; and units for a power. */
static void test_several(void)
{
    double p[] = { 0.04, (double)NAN, 0.01, 0.03, 0.005, 0.9 };
    bipe_error err;
    CHECK(bipe_correct_holm(p, 6, &err) == BIPE_OK && isnan(p[1]));
    CHECK_NEAR(p[4], 0.025, 1e-15);
    CHECK_NEAR(p[2], 0.04, 1e-15);
    CHECK_NEAR(p[3], 0.09, 1e-15);
    CHECK_NEAR(p[0], 0.09, 1e-15); /* 2 * 0.04, but no less than the one before */
    CHECK_NEAR(p[5], 0.9, 1e-15);
    CHECK(bipe_correct_holm(p, 0, &err) == BIPE_OK);
    /* (1.959964 + 0.841621)^2 = 7.848879; 100 units with an error of 0.1 have a variance of 1 */
    bipe_estimate e = { .error = 0.1, .units = 100 };
    CHECK(bipe_units_needed(&e, 0.5, 0.8) == 32 && bipe_units_needed(&e, 0.01, 0.8) == 78489);
    CHECK(bipe_units_needed(&e, 0.5, 0.9) == 43);
    e.error = (double)NAN;
    CHECK(bipe_units_needed(&e, 0.5, 0.8) == BIPE_UNITS_UNKNOWN);
    e.error = 0;
    CHECK(bipe_units_needed(&e, 0.5, 0.8) == BIPE_UNITS_UNKNOWN);
    e = (bipe_estimate){ .value = 0.1, .error = 1e-17, .units = 100 };
    CHECK(bipe_units_needed(&e, 0.5, 0.8) == BIPE_UNITS_UNKNOWN);
    e.error = 0.001;
    CHECK(bipe_units_needed(&e, 0.5, 0.8) == 2);
}

static void test_small(void)
{
    bipe_unit unit[12], same[12];
    bipe_estimate e;
    bipe_error err;
    for (size_t i = 0; i < 12; i++)
        unit[i] = same[i] = (bipe_unit){ (double)(i % 3), 2 };
    CHECK(bipe_estimate_mean(&e, unit, 0, 1, &err) == BIPE_OK && isnan(e.value) && isnan(e.error) && isnan(e.low) &&
          isnan(e.p));
    CHECK(bipe_estimate_mean(&e, unit, 1, 1, &err) == BIPE_OK && e.value == 0 && isnan(e.error) && e.units == 1);
    CHECK(bipe_estimate_mean(&e, unit, 7, 1, &err) == BIPE_OK && e.error > 0 && isnan(e.low));
    CHECK(bipe_estimate_difference(&e, unit, same, 12, 1, &err) == BIPE_OK);
    CHECK(e.value == 0 && e.error == 0 && e.low == 0 && e.high == 0 && e.p == 1);
    for (size_t i = 0; i < 12; i++)
        same[i].sum += 2;
    CHECK(bipe_estimate_difference(&e, unit, same, 12, 1, &err) == BIPE_OK);
    CHECK_NEAR(e.value, 1, 1e-15);
    CHECK_NEAR(e.low, 1, 1e-12);
    CHECK(e.p < 0.01);
    /* One of twelve differs, by 1.2: a resample has it k times, binomially, and the mean difference is then k / 10. The
     * percentiles of k are 0 and 3, and it is 0 with a probability of 0.352. */
    for (size_t i = 0; i < 12; i++)
        same[i] = (bipe_unit){ unit[i].sum + (i == 5 ? 2.4 : 0), 2 };
    CHECK(bipe_estimate_difference(&e, unit, same, 12, 1, &err) == BIPE_OK);
    CHECK_NEAR(e.low, 0, 1e-12);
    CHECK_NEAR(e.high, 0.3, 1e-12);
    CHECK_NEAR(e.p, 0.704, 0.05);
    unit[3] = (bipe_unit){ 0, 0 }; /* says nothing */
    CHECK(bipe_estimate_mean(&e, unit, 12, 1, &err) == BIPE_OK && e.units == 11);
    size_t length;
    CHECK(bipe_block_length(&length, NULL, unit, 0, &err) == BIPE_OK && length == 1);
    CHECK(bipe_join_units(unit, 12, 5) == 2 && unit[1].weight == 14 && bipe_join_units(unit, 2, 9) == 1);
    bipe_alloc_fail_at(0);
    CHECK(bipe_estimate_mean(&e, same, 12, 1, &err) == BIPE_ERR_MEMORY);
    bipe_alloc_fail_at(0);
    CHECK(bipe_block_length(&length, NULL, same, 12, &err) == BIPE_ERR_MEMORY);
    bipe_alloc_fail_at(-1);
}

/* All divisions of few units are counted. */
static void test_permutation(void)
{
    const bipe_unit a[] = { { 1, 1 }, { 2, 1 }, { 6, 1 } }, b[] = { { 5, 1 }, { 9, 1 }, { 7, 1 }, { 8, 1 } };
    const double all[] = { 1, 2, 6, 5, 9, 7, 8 };
    int reached = 0, divisions = 0;
    for (int mask = 0; mask < 128; mask++) {
        double sum[2] = { 0, 0 };
        int count = 0;
        for (int i = 0; i < 7; i++) {
            sum[mask >> i & 1] += all[i];
            count += mask >> i & 1;
        }
        if (count != 4)
            continue;
        divisions++;
        reached += fabs(sum[1] / 4 - sum[0] / 3) >= 29.0 / 4 - 3 - 1e-12;
    }
    double p, exact = (double)reached / divisions;
    bipe_error err;
    CHECK(bipe_permutation_means(&p, a, 3, b, 4, 20000, 9, &err) == BIPE_OK);
    CHECK_NEAR(p, exact, 0.01);
    const bipe_unit one[] = { { 3, 1 }, { 0, 0 } };
    CHECK(bipe_permutation_means(&p, a, 0, b, 4, 100, 9, &err) == BIPE_OK && isnan(p));
    CHECK(bipe_permutation_means(&p, one, 2, b, 4, 100, 9, &err) == BIPE_OK && isnan(p));
    CHECK(bipe_permutation_means(&p, a, 3, one, 1, 100, 9, &err) == BIPE_OK && isnan(p));
}

/* Units joined by their keys do not depend on how they came together, and are as many as the bound allows. */
static void test_unit_bins(void)
{
    enum { MOST = 9000 };
    static uint64_t key[MOST];
    uint64_t state = 4;
    bipe_error err;
    for (size_t n = 1; n <= MOST; n = n * 3 / 2 + 1) {
        bipe_unit_bins whole = {0}, part[3] = {{0}};
        for (size_t i = 0; i < n; i++) {
            key[i] = bipe_random_below(&state, UINT64_C(1) << BIPE_UNIT_KEY_BITS);
            CHECK(bipe_unit_bins_add(&whole, key[i], i, 1, &err) == BIPE_OK &&
                  bipe_unit_bins_add(&part[i * 7 % 3], key[i], i, 1, &err) == BIPE_OK);
        }
        for (size_t i = 0; i < 2; i++)
            CHECK(bipe_unit_bins_merge(&part[2], &part[i], &err) == BIPE_OK);
        bipe_unit_bins_settle(&whole);
        bipe_unit_bins_settle(&part[2]);
        CHECK(whole.count == part[2].count && whole.dropped == part[2].dropped && whole.count <= BIPE_UNITS_MOST);
        uint64_t sum = 0, weight = 0;
        for (size_t i = 0; i < whole.count; i++) {
            const bipe_unit_bin *a = &whole.bin[i], *b = &part[2].bin[i];
            CHECK(a->key == b->key && a->sum == b->sum && a->weight == b->weight && (i == 0 || a[-1].key < a->key));
            sum += a->sum;
            weight += a->weight;
        }
        CHECK(sum == (uint64_t)n * (n - 1) / 2 && weight == n);
        /* One bit less dropped would make too many. */
        size_t finer = 0;
        for (size_t i = 0; i < n && whole.dropped > 0; i++) {
            size_t k = 0;
            while (k < i && key[k] >> (whole.dropped - 1) != key[i] >> (whole.dropped - 1))
                k++;
            finer += k == i;
        }
        CHECK(whole.dropped == 0 ? whole.count == n : finer > BIPE_UNITS_MOST);
        bipe_unit_bins_free(&whole);
        for (size_t i = 0; i < 3; i++)
            bipe_unit_bins_free(&part[i]);
    }
}

/* Two texts, of which the second is harder: the mean of both is as sure as those of texts that are alike. */
static void test_texts(void)
{
    static const size_t end[] = { CELLS / 2, CELLS };
    int rounds = coverage_rounds(), held = 0;
    uint64_t state = 13;
    for (int round = 0; round < rounds; round++) {
        bipe_unit alike[CELLS], cell[CELLS];
        bipe_estimate e, of_alike;
        make_series(alike, CELLS / 2, 0.5, &state);
        make_series(alike + CELLS / 2, CELLS / 2, 0.5, &state);
        memcpy(cell, alike, sizeof cell);
        for (size_t i = CELLS / 2; i < CELLS; i++)
            cell[i].sum += 2 * CELL_TOKENS;
        bipe_level_units(alike, end, 2, 1);
        bipe_level_units(cell, end, 2, 1);
        CHECK(blocks_estimate(&e, NULL, cell, CELLS, (uint64_t)round) == BIPE_OK);
        CHECK(blocks_estimate(&of_alike, NULL, alike, CELLS, (uint64_t)round) == BIPE_OK);
        CHECK_NEAR(e.value, of_alike.value + 1, 1e-12);
        CHECK_NEAR(e.error, of_alike.error, 1e-12);
        held += e.low <= 4 && 4 <= e.high;
    }
    check_coverage("two texts", held, 0, rounds);

    /* Texts of 2, 1, 1 and 0 units, where 2 are enough: the two short ones are one. */
    bipe_unit unit[] = { { 1, 1 }, { 5, 2 }, { 7, 1 }, { 3, 2 } };
    bipe_level_units(unit, (const size_t[]){ 2, 3, 4, 4 }, 4, 2);
    /* All: 16 / 6. Means of the texts: 6 / 3 and 10 / 3. */
    const double expected[] = { 1 + 2.0 / 3, 5 + 4.0 / 3, 7 - 2.0 / 3, 3 - 4.0 / 3 };
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(unit[i].sum, expected[i], 1e-12);
}

int main(void)
{
    test_coverage();
    test_texts();
    test_groups();
    test_against_arithmetic();
    test_small();
    test_clusters();
    test_several();
    test_permutation();
    test_unit_bins();
    return test_result();
}
