/* json_number.c - reads numbers digit by digit, with two roundings. */
#include "token/json/json_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST_POWER = 308, EXPONENT_LIMIT = 100000 };

static bool is_digit(const uint8_t *at, const uint8_t *end)
{
    return at < end && (uint8_t)(*at - '0') < 10;
}

/* 10^power, the nearest double. */
static double power_of_ten(int power)
{
    char text[8];
    snprintf(text, sizeof text, "1e%d", power);
    return strtod(text, NULL);
}

/* digits * 10^exponent. */
static double scaled(uint64_t digits, long exponent)
{
    double value = (double)digits;
    for (; labs(exponent) > LARGEST_POWER; exponent += LARGEST_POWER) {
        if (value == 0)
            return 0;
        if (exponent > 0)
            return INFINITY;
        value /= power_of_ten(LARGEST_POWER);
    }
    double power = power_of_ten((int)labs(exponent));
    return exponent >= 0 ? value * power : value / power;
}

bool bipe_json_read_number(const uint8_t **at, const uint8_t *end, double *value)
{
    const uint8_t *c = *at;
    bool negative = c < end && *c == '-', full = false;
    uint64_t digits = 0;
    long exponent = 0, given = 0;
    c += negative;
    if (!is_digit(c, end) || (*c == '0' && is_digit(c + 1, end)))
        return false;
    for (bool fraction = false;; c++) {
        if (!fraction && c < end && *c == '.') {
            fraction = true;
            if (!is_digit(++c, end))
                return false;
        }
        if (!is_digit(c, end))
            break;
        unsigned digit = *c - '0';
        full = full || digits > (UINT64_MAX - digit) / 10;
        if (!full)
            digits = 10 * digits + digit;
        exponent += (full ? 1 : 0) - (fraction ? 1 : 0);
    }
    if (c < end && (*c | 0x20) == 'e') {
        c++;
        bool minus = c < end && *c == '-';
        c += c < end && (*c == '-' || *c == '+');
        if (!is_digit(c, end))
            return false;
        for (; is_digit(c, end); c++)
            given = given < EXPONENT_LIMIT ? 10 * given + (*c - '0') : given;
        exponent += minus ? -given : given;
    }
    *at = c;
    *value = negative ? -scaled(digits, exponent) : scaled(digits, exponent);
    return isfinite(*value);
}
