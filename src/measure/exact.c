/* exact.c - sums that do not depend on the order of addition; see exact.h. */
#include "measure/exact.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bipe_exact bipe_exact_of(double value, int bits)
{
    double units = rint(ldexp(value, bits));
    return fabs(units) < 0x1p63 ? (bipe_exact)units : BIPE_EXACT_NAN;
}

bipe_exact bipe_exact_add(bipe_exact a, bipe_exact b)
{
    bipe_exact sum;
    bool invalid = a == BIPE_EXACT_NAN || b == BIPE_EXACT_NAN ||
                   __builtin_add_overflow(a, b, &sum); /* overflow: sums from a damaged file */
    return invalid ? BIPE_EXACT_NAN : sum;
}

double bipe_exact_value(bipe_exact sum, int bits)
{
    return sum == BIPE_EXACT_NAN ? (double)NAN : ldexp((double)sum, -bits);
}

const char *bipe_exact_format(bipe_exact sum, char text[BIPE_EXACT_SIZE])
{
    if (sum == BIPE_EXACT_NAN) {
        memcpy(text, "nan", sizeof "nan");
        return text;
    }
    bipe_exact size = sum < 0 ? -sum : sum;
    uint64_t high = (uint64_t)(size >> 64), low = (uint64_t)size;
    const char *sign = sum < 0 ? "-" : "";
    if (high != 0)
        snprintf(text, BIPE_EXACT_SIZE, "%s%" PRIx64 "%016" PRIx64, sign, high, low);
    else
        snprintf(text, BIPE_EXACT_SIZE, "%s%" PRIx64, sign, low);
    return text;
}

bool bipe_exact_parse(bipe_exact *sum, const char *text)
{
    bipe_exact size = 0;
    bool negative = *text == '-';
    *sum = BIPE_EXACT_NAN;
    if (strcmp(text, "nan") == 0)
        return true;
    text += negative;
    size_t digits = strlen(text);
    if (digits < 1 || digits > 32 || strspn(text, "0123456789abcdef") != digits || (digits == 32 && *text > '7'))
        return false;
    for (; *text != '\0'; text++)
        size = size * 16 + (*text <= '9' ? *text - '0' : *text - 'a' + 10);
    *sum = negative ? -size : size;
    return true;
}
