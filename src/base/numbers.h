/* numbers.h - numbers that people write: options, variables of the environment. */
#ifndef BIPE_BASE_NUMBERS_H
#define BIPE_BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* "10k" -> 10240. BIPE_ERR_ARGUMENT says what was expected. */
int bipe_parse_size(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value, bipe_error *err);
/* "0.05", "1e-4": digits, a full stop (in any locale), an exponent; at least 0. false: it is no such number. */
bool bipe_parse_number(const char *text, double *value);
/* Up to `most` of them with commas between; returns how many, 0: something else. */
size_t bipe_parse_numbers(const char *text, double *value, size_t most);

#endif
