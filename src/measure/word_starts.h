/* word_starts.h - finds where words begin in a stream of bytes: a word is a maximal run of characters that are
 * not white space (Unicode White_Space; bytes that are not UTF-8 are no white space). */
#ifndef BIPE_MEASURE_WORD_STARTS_H
#define BIPE_MEASURE_WORD_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Zero-initialise; bipe_word_starts_begin() before each document. */
typedef struct bipe_word_starts {
    uint64_t *offset;         /* [count] offsets at which words begin, increasing; the caller takes them from the front */
    size_t count, taken, capacity;
    uint64_t settled;         /* every word that begins before this offset has been found */
    bool in_word;
    uint8_t carry[4];         /* a character cut by the end of the bytes */
    size_t carry_size;
} bipe_word_starts;

void bipe_word_starts_begin(bipe_word_starts *words);
/* The next bytes of the document, cut anywhere. BIPE_ERR_MEMORY. */
int bipe_word_starts_feed(bipe_word_starts *words, const uint8_t *bytes, size_t size, bipe_error *err);
/* The document is over. */
int bipe_word_starts_end(bipe_word_starts *words, bipe_error *err);
/* The number of words that begin in [start, end), end <= settled; drops them and earlier ones. Call with increasing spans. */
uint64_t bipe_word_starts_take(bipe_word_starts *words, uint64_t start, uint64_t end);
void bipe_word_starts_free(bipe_word_starts *words);

#endif
