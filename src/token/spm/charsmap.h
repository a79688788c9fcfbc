/* charsmap.h - the precompiled character map of SentencePiece's normalizers: strings of a few characters and what they
 * become.
 *
 * A map is a number (u32, little-endian), so many bytes of a double array (Darts, u32 units: a trie of the
 * strings), and after it the replacements, each ended by a NUL; the value of a string is where its replacement
 * begins. Maps come from files: no index is believed. Which place of a text is looked at is the caller's affair. */
#ifndef BIPE_TOKEN_CHARSMAP_H
#define BIPE_TOKEN_CHARSMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    BIPE_CHARSMAP_KEY = 1024,  /* bytes of a string that is looked for: a text of n bytes costs at most n times as much */
    BIPE_CHARSMAP_RESULTS = 32 /* of the strings that begin at one place SentencePiece sees the 32 shortest */
};

/* Zero-initialised: the empty map, which changes nothing. */
typedef struct bipe_charsmap {
    uint8_t *blob;       /* the whole map, as it was read */
    size_t size;
    uint32_t *unit;      /* [units] the double array */
    size_t units;
    const uint8_t *text; /* [text_size] the replacements, in blob */
    size_t text_size;
    bool begins[256];    /* some string begins with this byte */
} bipe_charsmap;

/* Reads a map and keeps a copy. BIPE_ERR_FORMAT when the sizes do not fit. */
int bipe_charsmap_read(bipe_charsmap *map, const void *blob, size_t size, bipe_error *err);
void bipe_charsmap_free(bipe_charsmap *map);

/* A string of the map that the text begins with. */
typedef struct bipe_charsmap_match {
    size_t length;             /* bytes of the text; 0: none */
    const uint8_t *replacement; /* (size) the map's */
    size_t size;
} bipe_charsmap_match;

/* The longest string of the map that bytes[0 .. size) begin with, as SentencePiece takes it. BIPE_ERR_LIMIT when it takes more than
 * BIPE_CHARSMAP_KEY bytes to find it. */
int bipe_charsmap_longest(const bipe_charsmap *map, const uint8_t *bytes, size_t size, bipe_charsmap_match *match, bipe_error *err);
/* The shortest one, which is what Hugging Face's library takes for the whole of `bytes`. */
void bipe_charsmap_shortest(const bipe_charsmap *map, const uint8_t *bytes, size_t size, bipe_charsmap_match *match);

/* Whether some string begins with these bytes. */
bool bipe_charsmap_has(const bipe_charsmap *map, const uint8_t *bytes, size_t size);
/* Each string of at most `longest` bytes (8 or fewer) that begins with bytes[0 .. size), unless a shorter one of them begins it. Returns
 * what `found` returns when it is not BIPE_OK; BIPE_ERR_LIMIT when they are too many. */
typedef int bipe_charsmap_found(void *context, const bipe_charsmap_match *match, bipe_error *err);
int bipe_charsmap_strings(const bipe_charsmap *map, const uint8_t *bytes, size_t size, size_t longest, bipe_charsmap_found *found,
                          void *context, bipe_error *err);
/* A string of the map has `byte` after `before` (-1: it is its first byte), and begins with `first`; replacement: a string ends here,
 * otherwise NULL. */
typedef int bipe_charsmap_visit(void *context, uint8_t first, int before, uint8_t byte, const bipe_charsmap_match *replacement,
                                bipe_error *err);
/* Goes through the strings of the map, and through no more than that much twice. Returns what `visit` returns when it is not BIPE_OK;
 * BIPE_ERR_MEMORY; BIPE_ERR_LIMIT when the map is no tree and it would take too long. */
int bipe_charsmap_walk(const bipe_charsmap *map, bipe_charsmap_visit *visit, void *context, bipe_error *err);

#endif
