/* character_map.h - the precompiled character map of SentencePiece's normalizers: strings of a few characters and what they
 * become.
 *
 * A map is a number (u32, little-endian), so many bytes of a double array (Darts, u32 units: a trie of the
 * strings), and after it the replacements, each ended by a NUL; the value of a string is where its replacement
 * begins. Maps come from files, so every index is checked. The caller chooses where in a text to look. */
#ifndef BIPE_TOKEN_CHARACTER_MAP_H
#define BIPE_TOKEN_CHARACTER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    BIPE_CHARACTER_MAP_KEY = 1024,  /* bytes of the longest string: bounds the work for each byte of text */
    BIPE_CHARACTER_MAP_RESULTS = 32 /* of the strings that begin at one place SentencePiece sees the 32 shortest */
};

/* Zero-initialised: the empty map, which changes nothing. */
typedef struct bipe_character_map {
    uint8_t *blob;       /* the whole map, as it was read */
    size_t size;
    uint32_t *unit;      /* [units] the double array */
    size_t units;
    const uint8_t *text; /* [text_size] the replacements, in blob */
    size_t text_size;
    bool begins[256];    /* some string begins with this byte */
} bipe_character_map;

/* Reads a map and keeps a copy. BIPE_ERR_FORMAT when the sizes do not fit. */
int bipe_character_map_read(bipe_character_map *map, const void *blob, size_t size, bipe_error *err);
void bipe_character_map_free(bipe_character_map *map);

/* A string of the map that the text begins with. */
typedef struct bipe_character_map_match {
    size_t length;             /* bytes of the text; 0: none */
    const uint8_t *replacement; /* (size) the map's */
    size_t size;
} bipe_character_map_match;

/* The longest string of the map that bytes[0 .. size) begin with, as SentencePiece takes it. BIPE_ERR_LIMIT when it takes more than
 * BIPE_CHARACTER_MAP_KEY bytes to find it. */
int bipe_character_map_longest(const bipe_character_map *map, const uint8_t *bytes, size_t size, bipe_character_map_match *match, bipe_error *err);
/* The shortest one, which is what Hugging Face's library takes for the whole of `bytes`. */
void bipe_character_map_shortest(const bipe_character_map *map, const uint8_t *bytes, size_t size, bipe_character_map_match *match);

/* Whether some string begins with these bytes. */
bool bipe_character_map_has(const bipe_character_map *map, const uint8_t *bytes, size_t size);
/* Each string of at most `longest` bytes (8 or fewer) that begins with bytes[0 .. size), unless a shorter one of them begins it. Returns
 * what `found` returns when it is not BIPE_OK; BIPE_ERR_LIMIT when they are too many. */
typedef int bipe_character_map_found(void *context, const bipe_character_map_match *match, bipe_error *err);
int bipe_character_map_strings(const bipe_character_map *map, const uint8_t *bytes, size_t size, size_t longest, bipe_character_map_found *found,
                          void *context, bipe_error *err);
/* A string of the map has `byte` after `before` (-1: it is its first byte), and begins with `first`; replacement: a string ends here,
 * otherwise NULL. */
typedef int bipe_character_map_visit(void *context, uint8_t first, int before, uint8_t byte, const bipe_character_map_match *replacement,
                                bipe_error *err);
/* Goes through the strings of the map, and through no more than that much twice. Returns what `visit` returns when it is not BIPE_OK;
 * BIPE_ERR_MEMORY; BIPE_ERR_LIMIT when the map is no tree and it would take too long. */
int bipe_character_map_walk(const bipe_character_map *map, bipe_character_map_visit *visit, void *context, bipe_error *err);

#endif
