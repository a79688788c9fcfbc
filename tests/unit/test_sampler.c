/* test_sampler.c - how often each token is drawn, against probabilities computed from the definitions by sorting. */
#include <math.h>
#include <stdbool.h>

#include "model/sampler.h"
#include "tests/check.h"

enum { COUNT = 12, DRAWS = 100000 };

static const float logits[COUNT] = {0.5f, 2, -1, 2, 3.25f, -40, 0, 1.5f, 3, 2.75f, -2, 1};

/* The probability of each token. */
static void expect(const bipe_sampling *s, double p[COUNT])
{
    size_t order[COUNT];
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++)
        sum += p[i] = exp((double)logits[i] / s->temperature);
    for (size_t i = 0; i < COUNT; i++) {
        size_t k = i;
        for (; k > 0 && logits[order[k - 1]] < logits[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    size_t left = s->top_k != 0 && s->top_k < COUNT ? s->top_k : COUNT;
    double whole = 0, taken = 0;
    for (size_t k = 0; k < left; k++)
        whole += p[order[k]];
    for (size_t k = 0; k < COUNT; k++) {
        bool keep = k < left && (k == 0 || taken < s->top_p * whole) && p[order[k]] >= s->min_p * p[order[0]];
        taken += p[order[k]];
        if (!keep)
            p[order[k]] = 0;
    }
    sum = 0;
    for (size_t i = 0; i < COUNT; i++)
        sum += p[i];
    for (size_t i = 0; i < COUNT; i++)
        p[i] /= sum;
}

static void test_frequencies(const bipe_sampling *s)
{
    bipe_candidate spare[COUNT];
    size_t drawn[COUNT] = {0};
    double p[COUNT];
    bipe_error err = {0};
    expect(s, p);
    uint64_t state = bipe_sampler_state(3, 1);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t id = COUNT;
        CHECK(bipe_sampler_choose(s, logits, COUNT, spare, &state, &id, &err) == BIPE_OK && id < COUNT);
        drawn[id < COUNT ? id : 0]++;
    }
    for (size_t i = 0; i < COUNT; i++) {
        double error = fabs((double)drawn[i] / DRAWS - p[i]), deviation = sqrt(p[i] * (1 - p[i]) / DRAWS);
        CHECKF(p[i] == 0 ? drawn[i] == 0 : error <= 5 * deviation + 1e-12,
               "T %g, k %zu, p %g, min %g: token %zu: %zu times, expected %g", s->temperature, s->top_k, s->top_p,
               s->min_p, i, drawn[i], p[i] * DRAWS);
    }
}

/* The penalty, for each window, against a search of the text for each token. */
static void test_penalty(void)
{
    enum { LENGTH = 6 };
    static const uint32_t text[LENGTH] = {4, 2, 4, 99, 6, 5}; /* 99 is beyond the model's vocabulary */
    static const double penalties[] = {1.3, 0.5, 1, 0};
    static const size_t lasts[] = {0, 1, 3, 5, 6, 64, SIZE_MAX};
    for (size_t k = 0; k < 4; k++)
        for (size_t n = 0; n < sizeof lasts / sizeof lasts[0]; n++) {
            const bipe_repetition r = {penalties[k], lasts[n]};
            float changed[COUNT];
            uint8_t seen[COUNT] = {0};
            memcpy(changed, logits, sizeof changed);
            bipe_sampler_penalize(&r, changed, COUNT, text, LENGTH, seen);
            for (size_t id = 0; id < COUNT; id++) {
                float expected = logits[id], penalty = (float)penalties[k];
                for (size_t i = 0; i < LENGTH && penalty > 0; i++)
                    if (text[i] == id && LENGTH - i <= lasts[n]) {
                        expected = expected > 0 ? expected / penalty : expected * penalty;
                        break;
                    }
                CHECKF(changed[id] == expected && seen[id] == 0, "penalty %g, last %zu: token %zu: %g, expected %g",
                       penalties[k], lasts[n], id, (double)changed[id], (double)expected);
            }
        }
}

int main(void)
{
    static const bipe_sampling all[] = {{1, 0, 1, 0},        {0.5, 0, 1, 0}, {2, 0, 1, 0},   {1, 1, 1, 0},
                                        {1, 4, 1, 0},        {1, 5, 0.6, 0}, {1, 0, 0.6, 0}, {1, 0, 1e-9, 0},
                                        {1.5, 0, 0.95, 0.2}, {1, 0, 1, 0.1}, {1, 99, 1, 1},  {1, 3, 0.999999, 0}};
    bipe_candidate spare[COUNT];
    bipe_error err = {0};
    uint64_t state = 1;
    uint32_t id;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        test_frequencies(&all[i]);
    test_penalty();
    const bipe_sampling greedy = {0, 0, 1, 0}, warm = {1, 0, 1, 0};
    CHECK(bipe_sampler_choose(&greedy, logits, COUNT, spare, &state, &id, &err) == BIPE_OK && id == 4 && state == 1);
    CHECK(bipe_sampler_choose(&greedy, (const float[]){1, 2, 2, 0}, 4, spare, &state, &id, &err) == BIPE_OK && id == 1);
    const float bad[][3] = {{1, NAN, 0}, {NAN, 1, 2}, {1, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < 4; i++)
        CHECK(bipe_sampler_choose(&warm, bad[i], 3, spare, &state, &id, &err) == BIPE_ERR_FORMAT);
    CHECK(bipe_sampler_choose(&warm, (const float[]){0, -INFINITY}, 2, spare, &state, &id, &err) == BIPE_OK && id == 0);
    CHECK(bipe_sampler_state(0, 0) != bipe_sampler_state(0, 1) && bipe_sampler_state(0, 0) != bipe_sampler_state(1, 0));
    return test_result();
}
