/* mapped.h - text that steps of a pipeline change, with the places that it comes from; ranges of it. */
#ifndef BIPE_TOKEN_MAPPED_H
#define BIPE_TOKEN_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Changed text: byte i stands for bytes [start[i], end[i]) of the original. Both never decrease. Several bytes that stand for one
 * thing together all have its whole span: the first token that has one of them gets it, those after it nothing. Zero-initialise. */
typedef struct bipe_mapped {
    uint8_t *text; /* (size) */
    uint32_t *start, *end; /* (size) */
    size_t size, text_capacity, start_capacity, end_capacity;
    bool first; /* nothing of the same text stands before it: what is put in front of a text is put here */
    bool origin; /* place 0 of the original is where the document begins */
} bipe_mapped;

/* Makes room for `more` bytes after text[size], which may be written then. */
int bipe_mapped_reserve(bipe_mapped *mapped, size_t more, bipe_error *err);
/* Appends `size` bytes that stand for [start, end) of the original together; as many bytes as that: each for one. */
int bipe_mapped_put(bipe_mapped *out, const void *bytes, size_t size, uint32_t start, uint32_t end, bipe_error *err);
/* Appends bytes [from, to) of `in` as they are. */
int bipe_mapped_copy(bipe_mapped *out, const bipe_mapped *in, size_t from, size_t to, bipe_error *err);
/* The same for bytes of ASCII, each of which becomes byte[...]. */
int bipe_mapped_translate(bipe_mapped *out, const bipe_mapped *in, size_t from, size_t to, const uint8_t byte[128], bipe_error *err);
/* Appends bytes that take the place of bytes [from, to) of `in`, together. from == to: they stand for nothing. */
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
