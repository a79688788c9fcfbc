/* power.c - see power.h. */
#include "cli/power.h"

#include <stdio.h>

#include "base/numbers.h"

static bool parse_power(const char *text, bipe_power *p)
{
    double number[2] = {0, 0.8};
    bool good = bipe_parse_numbers(text, number, 2) > 0;
    *p = (bipe_power){number[0], number[1]};
    return good && p->difference > 0 && p->power > 0.05 && p->power < 1;
}

int bipe_power_check(const char *text, bipe_error *err)
{
    bipe_power p;
    return parse_power(text, &p)
               ? BIPE_OK
               : bipe_fail(err, BIPE_ERR_ARGUMENT,
                           "found '%s', expected a difference above 0, and perhaps a power between 0.05 and 1, such as "
                           "0.02,0.9", text);
}

uint64_t bipe_power_needed(const char *text, const bipe_estimate *estimate)
{
    bipe_power p;
    return text != NULL && parse_power(text, &p) ? bipe_units_needed(estimate, p.difference, p.power)
                                                 : BIPE_UNITS_UNKNOWN;
}

const char *bipe_power_words(const char *text, char words[64])
{
    bipe_power p;
    parse_power(text, &p);
    snprintf(words, 64, "%.6g at %.4g %% power", p.difference, 100 * p.power);
    return words;
}
