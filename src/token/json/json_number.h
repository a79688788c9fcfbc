/* json_number.h - a number of a JSON text, read as Hugging Face's library reads it. */
#ifndef BIPE_TOKEN_JSON_NUMBER_H
#define BIPE_TOKEN_JSON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The number at *at, which is moved past it. That is not always the double nearest to what is written: the digits, as many as go into 64
 * bits, are rounded to a double, and that is multiplied or divided by a power of ten and rounded again. Scores of pieces that differ in
 * the last bit decide between segmentations that are equally good. False: no number of JSON, or one too large. */
bool bipe_json_read_number(const uint8_t **at, const uint8_t *end, double *value);

#endif
