/* names.h - names that come from files: kept as NUL-terminated copies, and made fit for a message.
 * Internal to src/format. */
#ifndef BIPE_FORMAT_NAMES_H
#define BIPE_FORMAT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Copies that live until the whole is freed. Zero-initialise to make an empty one. */
typedef struct bipe_names {
    struct bipe_names_chunk *chunk;
} bipe_names;

/* A NUL-terminated copy of text[0 .. size), or NULL when memory is exhausted. */
const char *bipe_names_copy(bipe_names *names, const char *text, size_t size);
void bipe_names_free(bipe_names *names);

/* The order of two names by their bytes; 0: they are equal. */
int bipe_names_compare(const char *a, size_t a_size, const char *b, size_t b_size);

/* True when text is not empty and holds no control characters (NUL among them). */
bool bipe_name_is_plain(const char *text, size_t size);

/* Writes at most 72 bytes of text into `out`, what is not printable ASCII as '?', and returns `out`. */
enum { BIPE_QUOTED_SIZE = 80 };
const char *bipe_quoted(char out[BIPE_QUOTED_SIZE], const char *text, size_t size);

#endif
