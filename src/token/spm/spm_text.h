/* spm_text.h - SentencePiece's normalizer: user-defined symbols, the character map, spaces.
 *
 * At each place of the text a user-defined symbol is taken as it is; otherwise the longest string of the character map is
 * replaced; otherwise a character stays. Then spaces: with `squeeze` those at both ends go and of several the first
 * stays; the prefix (or suffix); what a space becomes. Bytes that are removed belong to the character before them, at an
 * end to none, and of the characters that replace a string the last has all of its bytes. */
#ifndef BIPE_TOKEN_SPM_TEXT_H
#define BIPE_TOKEN_SPM_TEXT_H

#include <stdbool.h>

#include "token/matcher.h" /* bipe_character */
#include "token/spm/character_map.h"
#include "token/spm/piece_trie.h"

/* Zero-initialised: nothing changes. */
typedef struct bipe_spm_rules {
    bipe_character_map map;
    bipe_piece_trie symbols; /* user-defined symbols */
    bool dummy_prefix, squeeze;
    bool suffix;             /* the prefix is put after the text instead */
    uint32_t space;          /* what a space becomes; ' ': it stays */
} bipe_spm_rules;

/* Appends the characters of the normalized text. begins, ends: the text has its own beginning (end) here, where spaces are removed and the
 * prefix (suffix) goes; otherwise a text is divided where nothing is squeezed, replaced or removed across. *gap: bytes at the front that
 * belong to no character. BIPE_ERR_MEMORY, BIPE_ERR_LIMIT. */
int bipe_spm_normalize(const bipe_spm_rules *rules, const uint8_t *text, size_t size, bool begins, bool ends, bipe_characters *characters,
                       size_t *gap, bipe_error *err);
void bipe_spm_rules_free(bipe_spm_rules *rules);

#endif
