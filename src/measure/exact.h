/* exact.h - sums of losses that do not depend on the order of addition: 128-bit integers in small units, so that parts
 * of a run, windows from a journal and results of shards add up to the same digits. */
#ifndef BIPE_MEASURE_EXACT_H
#define BIPE_MEASURE_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* A sum in some unit; BIPE_EXACT_NAN if a summand was NaN. Holds 2^64 summands below 2^63 units. */
__extension__ typedef __int128 bipe_exact;

#define BIPE_EXACT_NAN ((bipe_exact)((bipe_exact)INT64_MIN * ((bipe_exact)1 << 63) * 2))

enum { BIPE_EXACT_SIZE = 40 }; /* the longest text, and its NUL */

/* value in units of 2^-bits, rounded to the nearest. NaN where it is not finite, or 2^63 units and more. */
bipe_exact bipe_exact_of(double value, int bits);
bipe_exact bipe_exact_add(bipe_exact a, bipe_exact b);
/* The number, in double precision. */
double bipe_exact_value(bipe_exact sum, int bits);

/* As text: units in hexadecimal, with a sign if negative, or "nan". Parsing returns false for any other text. */
const char *bipe_exact_format(bipe_exact sum, char text[BIPE_EXACT_SIZE]);
bool bipe_exact_parse(bipe_exact *sum, const char *text);

#endif
