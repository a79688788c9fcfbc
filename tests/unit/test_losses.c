/* test_losses.c - sums of losses against two-pass formulas in long double; the same digits in any order. */
#include "measure/losses.h"

#include <float.h>

#include "base/alloc.h"
#include "tests/check.h"

enum { COUNT = 5000 };

static double nll[COUNT];
static uint64_t bytes[COUNT], words[COUNT];

static void compare(const bipe_losses *losses, int count)
{
    long double sum = 0;
    uint64_t all_bytes = 0, all_words = 0;
    for (int i = 0; i < count; i++) {
        sum += nll[i];
        all_bytes += bytes[i];
        all_words += words[i];
    }
    long double mean = sum / count;
    double ppl = exp((double)mean);
    CHECK_UINT(losses->tokens, (uint64_t)count);
    CHECK_UINT(losses->bytes, all_bytes);
    CHECK_UINT(losses->words, all_words);
    CHECK_NEAR(bipe_losses_nll(losses), (double)mean, 1e-13 * (double)mean);
    CHECK_NEAR(bipe_losses_perplexity(losses), ppl, 1e-11 * ppl);
    CHECK_NEAR(bipe_losses_bits_per_byte(losses), (double)(sum / 0.693147180559945309417L / all_bytes), 1e-11);
    double word_ppl = exp((double)(sum / all_words));
    CHECK_NEAR(bipe_losses_word_perplexity(losses), word_ppl, 1e-10 * word_ppl);
}

int main(void)
{
    uint64_t seed = 11;
    for (int i = 0; i < COUNT; i++) {
        nll[i] = (double)(test_random(&seed) % 1000000) / 1e5;
        bytes[i] = test_random(&seed) % 9;
        words[i] = 1 + test_random(&seed) % 2;
    }
    bipe_losses all = {0};
    for (int i = 0; i < COUNT; i++)
        bipe_losses_add(&all, nll[i], bytes[i], words[i]);
    compare(&all, COUNT);

    /* In parts, of which one is empty. */
    bipe_losses merged = {0}, none = {0};
    bipe_losses_merge(&merged, &none);
    for (int part = 0, i = 0; part < 7; part++) {
        bipe_losses some = {0};
        for (int end = part == 6 ? COUNT : i + 1 + part * 300; i < end; i++)
            bipe_losses_add(&some, nll[i], bytes[i], words[i]);
        some.windows = 2;
        bipe_losses_merge(&merged, &some);
        bipe_losses_merge(&merged, &none);
    }
    compare(&merged, COUNT);
    CHECK_UINT(merged.windows, 14);

    /* In any order and division the sums are the same to the last bit. */
    bipe_losses backwards = {0};
    for (int i = COUNT; i-- > 0;)
        bipe_losses_add(&backwards, nll[i], bytes[i], words[i]);
    CHECK(merged.sum == all.sum);
    CHECK(backwards.sum == all.sum);

    /* Sums as text. */
    const bipe_exact sums[] = {
        0, 1, -1, all.sum, -all.sum * ((bipe_exact)1 << 62), BIPE_EXACT_NAN, -(BIPE_EXACT_NAN + 1)};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        char written[BIPE_EXACT_SIZE];
        bipe_exact again = 77;
        CHECK(bipe_exact_parse(&again, bipe_exact_format(sums[i], written)) && again == sums[i]);
    }
    CHECK(bipe_exact_add(-(BIPE_EXACT_NAN + 1), 1) == BIPE_EXACT_NAN &&
          bipe_exact_add(BIPE_EXACT_NAN + 1, -2) == BIPE_EXACT_NAN);
    static const char *const wrong[] = {
        "", "-", "+1", "0x1", "1 ", "1G", "80000000000000000000000000000000", "100000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bipe_exact sum;
        CHECKF(!bipe_exact_parse(&sum, wrong[i]), "%s", wrong[i]);
    }

    /* What is not defined is no number. */
    CHECK(isnan(bipe_losses_nll(&none)) && isnan(bipe_losses_perplexity(&none)));
    CHECK(isnan(bipe_losses_bits_per_byte(&none)) && isnan(bipe_losses_word_perplexity(&none)));
    bipe_losses one = {0};
    bipe_losses_add(&one, 1.5, 0, 0);
    CHECK(isnan(bipe_losses_bits_per_byte(&one)));
    CHECK_NEAR(bipe_losses_nll(&one), 1.5, 0);
    bipe_losses_add(&one, (double)NAN, 1, 1);
    CHECK(isnan(bipe_losses_nll(&one)) && isnan(bipe_losses_perplexity(&one)));
    bipe_losses large = {0}, infinite = {0};
    bipe_losses_add(&large, 32767.5, 0, 0);
    CHECK_NEAR(bipe_losses_nll(&large), 32767.5, 0);
    bipe_losses_add(&large, 32768, 0, 0);
    bipe_losses_add(&infinite, (double)INFINITY, 0, 0);
    CHECK(isnan(bipe_losses_nll(&large)) && isnan(bipe_losses_nll(&infinite)));
    bipe_losses_merge(&all, &infinite);
    CHECK(isnan(bipe_losses_sum(&all)));

    /* Bins by index. */
    bipe_error err = {0};
    bipe_loss_bins bins = {0}, more = {0};
    CHECK(bipe_loss_bins_add(&bins, 3, 2.0, 7, &err) == BIPE_OK);
    CHECK(bipe_loss_bins_add(&bins, 0, 1.0, 1, &err) == BIPE_OK);
    CHECK(bipe_loss_bins_add(&more, 3, 4.0, 2, &err) == BIPE_OK);
    CHECK(bipe_loss_bins_add(&more, 5, 0.5, 1, &err) == BIPE_OK);
    CHECK(bipe_loss_bins_merge(&bins, &more, &err) == BIPE_OK);
    CHECK_UINT(bins.count, 6);
    CHECK(bins.bin[0].tokens == 1 && bipe_exact_value(bins.bin[0].sum, BIPE_LOSS_BITS) == 1.0);
    CHECK(bins.bin[1].tokens == 0 && bins.bin[1].sum == 0);
    CHECK(bins.bin[3].tokens == 2 && bins.bin[3].bytes == 9 &&
          bipe_exact_value(bins.bin[3].sum, BIPE_LOSS_BITS) == 6.0);
    CHECK(bins.bin[5].tokens == 1 && bipe_exact_value(bins.bin[5].sum, BIPE_LOSS_BITS) == 0.5);
    bipe_loss_bins_free(&bins);
    bipe_alloc_fail_at(0);
    CHECK(bipe_loss_bins_merge(&bins, &more, &err) == BIPE_ERR_MEMORY && bins.count == 0);
    bipe_alloc_fail_at(-1);
    bipe_loss_bins_free(&more);
    return test_result();
}
