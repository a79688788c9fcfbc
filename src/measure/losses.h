/* losses.h - sums of token losses, and the numbers reported from them: mean, perplexity, bits per byte, perplexity per
 * word. Also losses by an index, of a token or of a resampled unit. Knows neither windows nor models.
 *
 * Sums are exact (exact.h): the same losses give the same digits in any order and division. A loss that is not finite,
 * or is at least 2^15 nats, makes its sums NaN. */
#ifndef BIPE_MEASURE_LOSSES_H
#define BIPE_MEASURE_LOSSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "measure/exact.h"

/* The unit of sums: a loss is rounded to 2^-48 nats. */
enum { BIPE_LOSS_BITS = 48 };

/* Zero-initialise. */
typedef struct bipe_losses {
    uint64_t windows, tokens;
    uint64_t bytes;       /* of the scored tokens */
    uint64_t words;       /* words whose first byte is in a scored token */
    bipe_exact sum;       /* nats */
} bipe_losses;

void bipe_losses_add(bipe_losses *losses, double nll, uint64_t bytes, uint64_t words);
void bipe_losses_merge(bipe_losses *losses, const bipe_losses *more);

/* Each is NaN where it is not defined (no tokens, bytes or words). */
double bipe_losses_sum(const bipe_losses *losses);            /* nats */
double bipe_losses_nll(const bipe_losses *losses);            /* nats a token */
double bipe_losses_perplexity(const bipe_losses *losses);     /* exp of it */
double bipe_losses_bits_per_byte(const bipe_losses *losses);
double bipe_losses_word_perplexity(const bipe_losses *losses); /* exp(sum / words) */

/* Losses by an index (token, segment or intra; document or block). Zero-initialise. */
typedef struct bipe_loss_bin {
    uint64_t tokens, bytes;
    bipe_exact sum;
} bipe_loss_bin;

typedef struct bipe_loss_bins {
    bipe_loss_bin *bin; /* [count] by index */
    size_t count, capacity;
} bipe_loss_bins;

void bipe_loss_bin_merge(bipe_loss_bin *bin, const bipe_loss_bin *more);
double bipe_loss_bin_mean(const bipe_loss_bin *bin); /* nats a token; NaN without tokens */
int bipe_loss_bins_add(bipe_loss_bins *bins, size_t index, double nll, uint64_t bytes, bipe_error *err);
/* One more, after the last. */
int bipe_loss_bins_append(bipe_loss_bins *bins, const bipe_loss_bin *bin, bipe_error *err);
int bipe_loss_bins_merge(bipe_loss_bins *bins, const bipe_loss_bins *more, bipe_error *err);
void bipe_loss_bins_free(bipe_loss_bins *bins);

#endif
