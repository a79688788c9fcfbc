/* test_ladder.c - contexts on a ladder, the rungs of a document, and their sums over more documents than there are
 * units. Losses of models on ladders are compared with float64 by tests/peers/ladders. */
#include "tests/check.h"
#include "tools/score/score_ladder.h"

enum { RUNGS = 3, LAST = 40 };

static const uint64_t contexts[RUNGS] = {8, 32, 100};
static const bipe_ladder ladder = {.context = contexts, .rungs = RUNGS, .last = LAST, .bos = 1, .begin = true,
                                   .key = {.alpha = 2, .beta = 2}};

static void check_contexts(void)
{
    CHECK(!bipe_ladder_fits(&ladder, 0));
    CHECK(!bipe_ladder_fits(&ladder, LAST + 7));
    CHECK(bipe_ladder_fits(&ladder, LAST + 8));
    CHECK_UINT(bipe_ladder_context(&ladder, 0, LAST + 50), 8);
    CHECK_UINT(bipe_ladder_context(&ladder, 1, LAST + 50), 32);
    CHECK_UINT(bipe_ladder_context(&ladder, 2, LAST + 50), 50);
    CHECK_UINT(bipe_ladder_work(&ladder, LAST + 50), 8 + 32 + 50 + 3 * (LAST + 1));
    CHECK_UINT(bipe_ladder_work(&ladder, LAST), 0);
}

/* Losses of one document: 3 on the first rung, less on the second, where a token is no target; the third is the same
 * window. */
static void check_document(void)
{
    double nll[RUNGS * LAST];
    uint64_t bytes = 1;
    bipe_ladder_losses losses = {.documents = 1, .nll = nll, .bytes = &bytes};
    bipe_rung rung[RUNGS];
    bipe_error err = {0};
    double sum = 0;
    for (size_t k = 0; k < LAST; k++) {
        nll[k] = k == 5 ? (double)NAN : 3;
        nll[LAST + k] = nll[2 * LAST + k] = k == 5 ? (double)NAN : k == 7 ? 0.5 : 2.9 + 0.001 * (double)k;
        sum += k == 5 ? 0 : nll[LAST + k];
    }
    CHECK(bipe_ladder_document(&ladder, &losses, 0, LAST + 32, rung, &err) == BIPE_OK);
    for (size_t r = 0; r < RUNGS; r++)
        CHECK_UINT(rung[r].tokens, LAST - 1);
    CHECK_NEAR(rung[0].nll, 3, 1e-12);
    CHECK(rung[0].gain.value == 0 && isnan(rung[0].gain.low));
    CHECK_NEAR(rung[1].gain.value, 3 - sum / (LAST - 1), 1e-12);
    CHECK(rung[1].gain.low < rung[1].gain.value && rung[1].gain.value < rung[1].gain.high);
    CHECK_UINT(rung[1].key, 1);
    CHECK_UINT(rung[2].context, 32);
    CHECK(rung[2].gain.value == rung[1].gain.value && rung[2].key == 1);
}

/* Each document has losses of its own; the gain of document d is (d % 7) / 10 - 0.2. */
static void check_many(void)
{
    enum { DOCUMENTS = 150001, FEW = 2 };
    bipe_ladder short_one = ladder;
    double nll[RUNGS * FEW], sum = 0, gains = 0, squares = 0;
    uint64_t bytes = 3, gaining = 0;
    bipe_ladder_losses losses = {.documents = 1, .nll = nll, .bytes = &bytes};
    score_ladder_sum all;
    short_one.last = FEW;
    score_ladder_sum_open(&all, &short_one, false);
    for (size_t d = 0; d < DOCUMENTS; d++) {
        const double own = 4 + (double)(d % 11) / 8, gain = (double)(d % 7) / 10 - 0.2;
        bipe_rung rung[RUNGS] = {{.context = 8, .tokens = FEW}, {.context = 32, .tokens = FEW, .gain.value = gain},
                                 {.context = 99, .tokens = FEW, .gain.value = gain, .gain.low = gain - 0.3}};
        for (size_t k = 0; k < FEW; k++) {
            nll[k] = own;
            nll[FEW + k] = nll[2 * FEW + k] = own - gain;
        }
        sum += own - gain;
        gains += gain;
        squares += gain * gain;
        gaining += gain > 0;
        score_ladder_sum_add(&all, &losses, 0, rung, 0);
    }
    score_ladder_sum_end(&all);
    const double mean = gains / DOCUMENTS, error = sqrt(squares / DOCUMENTS - mean * mean) / sqrt(DOCUMENTS);
    CHECK_UINT(all.documents, DOCUMENTS);
    CHECK_UINT(all.bundle, 4);
    CHECK_UINT(all.rung[0].units.count, (DOCUMENTS + 3) / 4);
    CHECK_UINT(all.rung[1].reached, DOCUMENTS);
    CHECK_UINT(all.rung[2].reached, 0);
    CHECK_UINT(all.rung[2].tokens, DOCUMENTS * FEW);
    CHECK_UINT(all.rung[2].bytes, DOCUMENTS * 3);
    CHECK_UINT(all.rung[1].gaining, gaining);
    CHECK_NEAR(all.rung[2].error.estimate.value, sum / DOCUMENTS, 1e-9);
    CHECK_NEAR(all.rung[2].gain.estimate.value, mean, 1e-9);
    CHECK(!all.rung[2].gain.blocks);
    CHECK(all.rung[2].gain.estimate.error > 0 && all.rung[2].gain.estimate.error < error); /* gains take turns */
    score_ladder_sum_close(&all);
}

int main(void)
{
    check_contexts();
    check_document();
    check_many();
    return test_result();
}
