/* matcher.h - finds fixed strings in a stream of characters: at each place the longest that begins there, from left
 * to right. What SentencePiece does with user-defined symbols and Hugging Face's library with added tokens.
 *
 * A stream holds back the characters that may still become a match, at most as many as the longest string has. */
#ifndef BIPE_TOKEN_MATCHER_H
#define BIPE_TOKEN_MATCHER_H

#include <stdbool.h>

#include "base/status.h"
#include "token/pair_table.h"

/* A character on its way: code point (or BIPE_BAD_BYTE + byte), and the bytes of the document that it stands for. */
typedef struct bipe_unit {
    uint32_t code, size;
} bipe_unit;

/* The strings, as a trie of characters. Zero-initialise; unchanged once all are added. */
typedef struct bipe_matcher {
    bipe_pair_table edge; /* (node, code) -> (child, 0); the root is node 0 */
    uint32_t *value;      /* [nodes] what a string that ends here is, BIPE_MATCH_NONE: none does */
    bool *leaf;           /* [nodes] nothing goes on from here */
    size_t nodes, value_capacity, leaf_capacity;
} bipe_matcher;

enum {
    BIPE_MATCH_NONE = 0x7FFFFFFF,
    BIPE_MATCH_TEXT = BIPE_MATCH_NONE - 1, /* the string is matched, and stays text */
    BIPE_MATCH_LENGTH = 1024               /* characters of a string: a text of n characters costs at most n times as much */
};

/* Adds a string of well-formed UTF-8, not empty, that means `value`; of two equal strings the first counts.
 * BIPE_ERR_MEMORY, BIPE_ERR_FORMAT, BIPE_ERR_LIMIT. */
int bipe_matcher_add(bipe_matcher *matcher, const uint8_t *text, size_t size, uint32_t value, bipe_error *err);
void bipe_matcher_free(bipe_matcher *matcher);

/* Whether a string may begin among these characters, whatever follows them: at one of them all that come after it are the beginning
 * of a string, or there is one. */
bool bipe_matcher_touches(const bipe_matcher *matcher, const uint32_t *code, size_t count);

/* The state of one stream. Zero-initialise. */
typedef struct bipe_matching {
    bipe_unit *unit;               /* [head, tail) is held */
    size_t head, tail, capacity;
    size_t scanned, best;          /* characters after head: walked through, in the longest match so far */
    uint32_t node, best_value;
    size_t plain;                  /* so many characters at the head are known to be text */
} bipe_matching;

int bipe_matching_push(bipe_matching *matching, bipe_unit unit, bipe_error *err);
/* The next thing that is decided: true with *value BIPE_MATCH_NONE and the character in *unit, or with *value and
 * unit->size the bytes of the match. false: wait for more (never with last, until all is given out). */
bool bipe_matching_next(bipe_matching *matching, const bipe_matcher *matcher, bool last, bipe_unit *unit,
                        uint32_t *value);
/* Nothing is held. */
static inline bool bipe_matching_is_empty(const bipe_matching *matching)
{
    return matching->head == matching->tail;
}
/* Forgets what is held. */
void bipe_matching_clear(bipe_matching *matching);
void bipe_matching_free(bipe_matching *matching);

#endif
