/* mapped.h - text changed by the steps of a pipeline, with its offsets in the original, and ranges of it. */
#ifndef BIPE_TOKEN_MAPPED_H
#define BIPE_TOKEN_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Changed text: byte i comes from bytes [start[i], end[i]) of the original. Neither ever decreases. Bytes with a common
 * origin all have its whole span: the first token with one of them gets the span, later ones nothing.
 * Zero-initialise. */
typedef struct bipe_mapped {
    uint8_t *text; /* (size) */
    uint32_t *start, *end; /* (size) */
    size_t size, text_capacity, start_capacity, end_capacity;
    bool first; /* the beginning of a text, which may get a prefix */
    bool origin; /* the document begins at offset 0 of the original */
    bool utf8;  /* what is split of it is known to be UTF-8 */
} bipe_mapped;

/* Reserves `more` bytes after text[size]. */
int bipe_mapped_reserve(bipe_mapped *mapped, size_t more, bipe_error *err);
/* Appends `size` bytes that come from [start, end) of the original: byte by byte if there are as many, else
 * together. */
int bipe_mapped_append(bipe_mapped *out, const void *bytes, size_t size, uint32_t start, uint32_t end, bipe_error *err);
/* Appends bytes [from, to) of `in` as they are. */
int bipe_mapped_copy(bipe_mapped *out, const bipe_mapped *in, size_t from, size_t to, bipe_error *err);
/* Appends bytes that together replace bytes [from, to) of `in`. from == to: they have no origin. */
int bipe_mapped_replace(bipe_mapped *out, const void *bytes, size_t size, const bipe_mapped *in, size_t from, size_t to,
                        bipe_error *err);
void bipe_mapped_free(bipe_mapped *mapped);

/* Bytes [start, end) of it. */
typedef struct bipe_range {
    uint32_t start, end;
} bipe_range;

/* Zero-initialise. */
typedef struct bipe_ranges {
    bipe_range *range;
    size_t count, capacity;
} bipe_ranges;

/* Appends [start, end), unless it is empty. */
int bipe_ranges_add(bipe_ranges *ranges, size_t start, size_t end, bipe_error *err);
void bipe_ranges_free(bipe_ranges *ranges);

#endif
