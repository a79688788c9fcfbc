/* losses.c - sums of token losses; see losses.h. */
#include "measure/losses.h"

#include <math.h>

#include "base/alloc.h"

void bipe_losses_add(bipe_losses *losses, double nll, uint64_t bytes, uint64_t words)
{
    losses->tokens++;
    losses->bytes += bytes;
    losses->words += words;
    losses->sum = bipe_exact_add(losses->sum, bipe_exact_of(nll, BIPE_LOSS_BITS));
}

void bipe_losses_merge(bipe_losses *losses, const bipe_losses *more)
{
    losses->windows += more->windows;
    losses->tokens += more->tokens;
    losses->bytes += more->bytes;
    losses->words += more->words;
    losses->sum = bipe_exact_add(losses->sum, more->sum);
}

double bipe_losses_sum(const bipe_losses *losses)
{
    return losses->tokens == 0 ? (double)NAN : bipe_exact_value(losses->sum, BIPE_LOSS_BITS);
}

double bipe_losses_nll(const bipe_losses *losses)
{
    return bipe_losses_sum(losses) / (double)losses->tokens;
}

double bipe_losses_perplexity(const bipe_losses *losses)
{
    return exp(bipe_losses_nll(losses));
}

double bipe_losses_bits_per_byte(const bipe_losses *losses)
{
    return losses->bytes == 0 ? (double)NAN : bipe_losses_sum(losses) / log(2.0) / (double)losses->bytes;
}

double bipe_losses_word_perplexity(const bipe_losses *losses)
{
    return losses->words == 0 ? (double)NAN : exp(bipe_losses_sum(losses) / (double)losses->words);
}

double bipe_loss_bin_mean(const bipe_loss_bin *bin)
{
    return bin->tokens == 0 ? (double)NAN : bipe_exact_value(bin->sum, BIPE_LOSS_BITS) / (double)bin->tokens;
}

static int bins_reach(bipe_loss_bins *bins, size_t count, bipe_error *err)
{
    if (count <= bins->count)
        return BIPE_OK;
    if (bipe_grow(&bins->bin, &bins->capacity, count, sizeof *bins->bin) != 0)
        return bipe_fail_memory(err);
    for (size_t i = bins->count; i < count; i++)
        bins->bin[i] = (bipe_loss_bin){0};
    bins->count = count;
    return BIPE_OK;
}

int bipe_loss_bins_add(bipe_loss_bins *bins, size_t index, double nll, uint64_t bytes, bipe_error *err)
{
    if (index == SIZE_MAX)
        return bipe_fail(err, BIPE_ERR_LIMIT, "an index of %zu does not fit in memory", index);
    int status = bins_reach(bins, index + 1, err);
    if (status != BIPE_OK)
        return status;
    bins->bin[index].tokens++;
    bins->bin[index].bytes += bytes;
    bins->bin[index].sum = bipe_exact_add(bins->bin[index].sum, bipe_exact_of(nll, BIPE_LOSS_BITS));
    return BIPE_OK;
}

int bipe_loss_bins_append(bipe_loss_bins *bins, const bipe_loss_bin *bin, bipe_error *err)
{
    if (bipe_grow(&bins->bin, &bins->capacity, bins->count + 1, sizeof *bins->bin) != 0)
        return bipe_fail_memory(err);
    bins->bin[bins->count++] = *bin;
    return BIPE_OK;
}

void bipe_loss_bin_merge(bipe_loss_bin *bin, const bipe_loss_bin *more)
{
    bin->tokens += more->tokens;
    bin->bytes += more->bytes;
    bin->sum = bipe_exact_add(bin->sum, more->sum);
}

int bipe_loss_bins_merge(bipe_loss_bins *bins, const bipe_loss_bins *more, bipe_error *err)
{
    int status = bins_reach(bins, more->count, err);
    if (status != BIPE_OK)
        return status;
    for (size_t i = 0; i < more->count; i++)
        bipe_loss_bin_merge(&bins->bin[i], &more->bin[i]);
    return BIPE_OK;
}

void bipe_loss_bins_free(bipe_loss_bins *bins)
{
    bipe_free(bins->bin);
    *bins = (bipe_loss_bins){0};
}
