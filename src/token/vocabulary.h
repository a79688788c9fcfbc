/* vocabulary.h - strings by id and ids by string. */
#ifndef BIPE_TOKEN_VOCABULARY_H
#define BIPE_TOKEN_VOCABULARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { BIPE_NO_PIECE = -1 };

/* Zero-initialise. */
typedef struct bipe_vocabulary {
    uint8_t *text;      /* the strings, one after the other */
    size_t text_size, text_capacity;
    size_t *end;        /* [count] where each ends in text */
    size_t count, end_capacity;
    uint32_t *slot;     /* [mask + 1] id + 1, or 0 */
    size_t mask, used;
} bipe_vocabulary;

/* The hash of a string in this table. */
uint64_t bipe_vocabulary_hash(const uint8_t *bytes, size_t size);

/* Appends a string under the next id. It is not found by its text before bipe_vocabulary_index(). */
int bipe_vocabulary_append(bipe_vocabulary *vocabulary, const void *text, size_t size, bipe_error *err);
/* Makes the string of `id` findable. Returns the id under which the same text is known already, id itself
 * when it was not, or BIPE_NO_PIECE when memory is exhausted. */
int64_t bipe_vocabulary_index(bipe_vocabulary *vocabulary, uint32_t id);
/* Makes all strings findable but empty ones, under their first id; none is yet. 0, or -1 when memory is exhausted. */
int bipe_vocabulary_index_all(bipe_vocabulary *vocabulary);
/* The id of a text, or BIPE_NO_PIECE. */
int64_t bipe_vocabulary_find(const bipe_vocabulary *vocabulary, const void *text, size_t size);

static inline const uint8_t *bipe_vocabulary_text(const bipe_vocabulary *vocabulary, uint32_t id, size_t *size)
{
    size_t start = id != 0 ? vocabulary->end[id - 1] : 0;
    *size = vocabulary->end[id] - start;
    return vocabulary->text + start;
}

void bipe_vocabulary_free(bipe_vocabulary *vocabulary);

/* 0 .. 255 for "<0x00>" .. "<0xFF>" as the originals write them, otherwise -1. */
int bipe_byte_piece(const uint8_t *text, size_t size);

#endif
