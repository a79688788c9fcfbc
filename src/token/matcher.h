/* matcher.h - finds fixed strings in a row of characters: from left to right, at each place the longest. SentencePiece finds user-defined
 * symbols so, Hugging Face's library added tokens. */
#ifndef BIPE_TOKEN_MATCHER_H
#define BIPE_TOKEN_MATCHER_H

#include <stdbool.h>

#include "base/status.h"
#include "token/pair_table.h"

/* A character: code point (or BIPE_BAD_BYTE + byte), and the bytes of the document that it has. */
typedef struct bipe_character {
    uint32_t code, size;
} bipe_character;

/* A row of them. Zero-initialise. */
typedef struct bipe_characters {
    bipe_character *character;
    size_t count, capacity;
} bipe_characters;

int bipe_characters_grow(bipe_characters *characters, bipe_error *err);
static inline int bipe_characters_add(bipe_characters *characters, uint32_t code, uint32_t size, bipe_error *err)
{
    if (characters->count == characters->capacity) {
        int status = bipe_characters_grow(characters, err);
        if (status != BIPE_OK)
            return status;
    }
    characters->character[characters->count++] = (bipe_character){.code = code, .size = size};
    return BIPE_OK;
}

/* The strings, as a trie of characters. Zero-initialise; unchanged once all are added. */
typedef struct bipe_matcher {
    bipe_pair_table edge; /* (node, code) -> (child, 0); the root is node 0 */
    uint32_t *value;      /* [nodes] of the string that ends here, BIPE_MATCH_NONE: none does */
    size_t nodes, value_capacity;
} bipe_matcher;

enum {
    BIPE_MATCH_NONE = 0x7FFFFFFF,
    BIPE_MATCH_TEXT = BIPE_MATCH_NONE - 1, /* the string is matched, and stays text */
    BIPE_CHARACTERS_LIMIT = 4 << 20, /* of a text in memory */
    BIPE_MATCH_LENGTH = 1024               /* characters of a string: a text of n characters costs at most n times as much */
};

/* Adds a string of well-formed UTF-8, not empty, with its value; of two equal strings the first counts.
 * BIPE_ERR_MEMORY, BIPE_ERR_FORMAT, BIPE_ERR_LIMIT. */
int bipe_matcher_add(bipe_matcher *matcher, const uint8_t *text, size_t size, uint32_t value, bipe_error *err);
void bipe_matcher_free(bipe_matcher *matcher);

/* The first match at or after character[from]: true with its place and value. Strings that stay text are passed over, and hide what
 * overlaps them. */
bool bipe_matcher_find(const bipe_matcher *matcher, const bipe_character *character, size_t count, size_t from, size_t *start, size_t *end,
                       uint32_t *value);

#endif
