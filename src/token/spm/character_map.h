/* character_map.h - the precompiled character map of SentencePiece's normalizers: short strings and their replacements.
 *
 * The file format is a number n (u32, little-endian), n bytes of a double array (Darts, u32 units: a trie of the
 * strings), and the replacements, each ended by a NUL; the value of a string is the offset of its replacement. Maps
 * come from files: every index is checked. The caller chooses the positions of a text that are looked up. */
#ifndef BIPE_TOKEN_CHARACTER_MAP_H
#define BIPE_TOKEN_CHARACTER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    BIPE_CHARACTER_MAP_KEY = 1024,  /* longest string that is looked up, in bytes: a text of n bytes costs at most n
                                       times as much */
    BIPE_CHARACTER_MAP_RESULTS = 32 /* SentencePiece sees the 32 shortest strings that begin at a position */
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

/* Finds the longest string of the map at bytes[0], as SentencePiece does. BIPE_ERR_LIMIT when the search takes more
 * than BIPE_CHARACTER_MAP_KEY bytes. */
int bipe_character_map_longest(const bipe_character_map *map, const uint8_t *bytes, size_t size,
                               bipe_character_map_match *match, bipe_error *err);
/* Finds the shortest one, with which Hugging Face's library replaces all of `bytes`. */
void bipe_character_map_shortest(const bipe_character_map *map, const uint8_t *bytes, size_t size,
                                 bipe_character_map_match *match);

/* Whether some string begins with these bytes. */
bool bipe_character_map_has(const bipe_character_map *map, const uint8_t *bytes, size_t size);
/* Calls `found` for each string of at most `longest` bytes (8 or fewer) that begins with bytes[0 .. size), unless a
 * shorter one of them begins it. Returns the first status of `found` that is not BIPE_OK; BIPE_ERR_LIMIT when there are
 * too many. */
typedef int bipe_character_map_found(void *context, const bipe_character_map_match *match, bipe_error *err);
int bipe_character_map_strings(const bipe_character_map *map, const uint8_t *bytes, size_t size, size_t longest,
                               bipe_character_map_found *found, void *context, bipe_error *err);
/* Called for a byte of a string: `first` is the string's first byte, `before` the byte before it (-1: none),
 * `replacement` not NULL where the string ends. */
typedef int bipe_character_map_visit(void *context, uint8_t first, int before, uint8_t byte,
                                     const bipe_character_map_match *replacement, bipe_error *err);
/* Visits each byte of each string. Returns the first status of `visit` that is not BIPE_OK; BIPE_ERR_MEMORY;
 * BIPE_ERR_LIMIT when the map is no tree, so that the walk would take too long. */
int bipe_character_map_walk(const bipe_character_map *map, bipe_character_map_visit *visit, void *context,
                            bipe_error *err);

#endif
