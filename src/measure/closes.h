/* closes.h - which tokens close their segments: boundaries, which are bytes, made into numbers of tokens. */
#ifndef BIPE_MEASURE_CLOSES_H
#define BIPE_MEASURE_CLOSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "token/token_ends.h"

/* Numbers of tokens, rising. Zero-initialise; free with bipe_closes_free(). */
typedef struct bipe_closes {
    uint32_t *number;
    size_t count, capacity;
} bipe_closes;

/* Finds the tokens with start < b <= end for one of the boundaries b: boundary (count), rising, and `last`, which is not less than any.
 * BIPE_OK or BIPE_ERR_MEMORY. */
int bipe_closes_find(bipe_closes *closes, const bipe_token_ends *ends, const uint64_t *boundary, size_t count, uint64_t last, bipe_error *err);
void bipe_closes_free(bipe_closes *closes);

#endif
