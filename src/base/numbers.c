/* numbers.c - see numbers.h. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"

/* "a number between 1 and 9", "a number of at least 1" ..., and where the suffixes are of use, that they may follow. */
static int fail_size(const char *text, uint64_t minimum, uint64_t maximum, bipe_error *err)
{
    const char *suffix = maximum == 0 || maximum > 1024 ? ", optionally with k or m" : "";
    if (maximum == 0)
        return bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected a number of at least %" PRIu64 "%s", text,
                         minimum, suffix);
    return bipe_fail(err, BIPE_ERR_ARGUMENT, "found '%s', expected a number between %" PRIu64 " and %" PRIu64 "%s",
                     text, minimum, maximum, suffix);
}

int bipe_parse_size(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value, bipe_error *err)
{
    const char *p = text;
    uint64_t n = 0;
    if (*p < '0' || *p > '9')
        return fail_size(text, minimum, maximum, err);
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (n > (UINT64_MAX - digit) / 10)
            return fail_size(text, minimum, maximum != 0 ? maximum : UINT64_MAX, err);
        n = n * 10 + digit;
    }
    unsigned shift = *p == 'k' || *p == 'K' ? 10 : *p == 'm' || *p == 'M' ? 20 : 0;
    p += shift != 0;
    if (*p != '\0' || n > UINT64_MAX >> shift)
        return fail_size(text, minimum, maximum, err);
    n <<= shift;
    if (n < minimum || (maximum != 0 && n > maximum))
        return fail_size(text, minimum, maximum, err);
    *value = n;
    return BIPE_OK;
}

bool bipe_parse_number(const char *text, double *value)
{
    /* The C library reads the locale's decimal point, so the digits are read here: value * 10^-decimals. */
    double n = 0;
    int decimals = 0, digits = 0;
    long exponent = 0;
    const char *p = text;
    for (bool point = false; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
        point = point || *p == '.';
        if (*p == '.')
            continue;
        n = n * 10 + (*p - '0');
        digits++;
        decimals += point;
    }
    if (digits > 0 && digits <= 300 && (*p == 'e' || *p == 'E')) {
        char *end;
        exponent = strtol(p + 1, &end, 10);
        p = end == p + 1 || exponent < -400 || exponent > 400 ? p : end;
    }
    exponent -= decimals;
    /* Powers of ten up to 10^22 are exact in double, so that 0.001 is the nearest double to it. */
    double result = exponent < 0 ? n / pow(10, (double)-exponent) : n * pow(10, (double)exponent);
    if (digits == 0 || digits > 300 || *p != '\0' || !(result >= 0 && result <= 1e300))
        return false;
    *value = result;
    return true;
}

size_t bipe_parse_numbers(const char *text, double *value, size_t most)
{
    for (size_t count = 0; count < most; count++) {
        char one[400];
        size_t length = strcspn(text, ",");
        if (length >= sizeof one)
            return 0;
        memcpy(one, text, length);
        one[length] = '\0';
        if (!bipe_parse_number(one, &value[count]))
            return 0;
        if (text[length] == '\0')
            return count + 1;
        text += length + 1;
    }
    return 0;
}
