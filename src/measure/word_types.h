/* word_types.h - the different words of a text, numbered in the order in which they are first seen. */
#ifndef BIPE_MEASURE_WORD_TYPES_H
#define BIPE_MEASURE_WORD_TYPES_H

#include "base/buffer.h"

/* More types, or more bytes of them, are refused: memory stays below half a gigabyte. */
enum { BIPE_WORD_TYPES_MOST = 1 << 23, BIPE_WORD_BYTES_MOST = 1 << 28 };

/* A type's bytes, in `text` of all, where a NUL follows them. */
typedef struct bipe_word_type {
    uint32_t at, size, hash;
} bipe_word_type;

/* Zero-initialise. */
typedef struct bipe_word_types {
    bipe_buffer text;
    bipe_word_type *type; /* (count) */
    size_t count, capacity;
    uint32_t *slot;       /* (slots) open addressing: number + 1; 0: free */
    size_t slots;         /* 0, or a power of 2 */
} bipe_word_types;

/* *number: that of this word, which becomes a type if it is new. BIPE_OK, BIPE_ERR_MEMORY or BIPE_ERR_LIMIT. */
int bipe_word_types_find(bipe_word_types *types, const uint8_t *word, size_t size, uint32_t *number, bipe_error *err);
/* By bytes; as for qsort(). */
int bipe_word_types_compare(const bipe_word_types *types, uint32_t a, uint32_t b);
/* Forgets all of them, in a time that does not depend on how many there were once. */
void bipe_word_types_clear(bipe_word_types *types);
void bipe_word_types_free(bipe_word_types *types);

#endif
