/* spm_text.h - SentencePiece's normalizer: user-defined symbols, the character map, spaces.
 *
 * At each position of the text a user-defined symbol stays as it is; otherwise the longest string of the character map
 * is replaced; otherwise a character stays. Then spaces: with `squeeze` those at both ends go and of several the first
 * stays; the prefix (or suffix); what a space becomes. Bytes that are removed belong to the character before them, at
 * an end to none, and of the characters that replace a string the last has all of its bytes. */
#ifndef BIPE_TOKEN_SPM_TEXT_H
#define BIPE_TOKEN_SPM_TEXT_H

#include <stdbool.h>

#include "base/status.h"
#include "token/spm/character_map.h"
#include "token/spm/piece_trie.h"

/* A character: code point (or BIPE_BAD_BYTE + byte), and the bytes of the document that it has. */
typedef struct bipe_character {
    uint32_t code, size;
} bipe_character;

/* A row of them. Zero-initialise. */
typedef struct bipe_characters {
    bipe_character *character;
    size_t count, capacity;
} bipe_characters;

enum { BIPE_CHARACTERS_LIMIT = 4 << 20 }; /* of a text in memory */

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

/* Zero-initialised: nothing changes. */
typedef struct bipe_spm_rules {
    bipe_character_map map;
    bipe_piece_trie symbols; /* user-defined symbols */
    bool dummy_prefix, squeeze;
    bool suffix;             /* the prefix is put after the text instead */
    uint32_t space;          /* what a space becomes; ' ': it stays */
} bipe_spm_rules;

/* Appends the characters of the normalized text. begins, ends: the text has its own beginning (end) here, where spaces
 * are removed and the prefix (suffix) goes; otherwise a text is divided where nothing is squeezed, replaced or removed
 * across. *gap: bytes at the front that belong to no character. BIPE_ERR_MEMORY, BIPE_ERR_LIMIT. */
int bipe_spm_normalize(const bipe_spm_rules *rules, const uint8_t *text, size_t size, bool begins, bool ends,
                       bipe_characters *characters, size_t *gap, bipe_error *err);
void bipe_spm_rules_free(bipe_spm_rules *rules);

#endif
