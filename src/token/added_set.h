/* added_set.h - added tokens: strings that are found before anything else looks at the text (Hugging Face's `added_tokens`, the control
 * pieces of SentencePiece). */
#ifndef BIPE_TOKEN_ADDED_SET_H
#define BIPE_TOKEN_ADDED_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "token/pair_table.h"

enum { BIPE_ADDED_LENGTH = 1024 };

/* One of the added tokens. */
typedef struct bipe_added {
    uint32_t id;
    bool text;                 /* found, and left as text: special, and not asked for */
    bool left, right, word;    /* lstrip, rstrip, single_word */
} bipe_added;

/* Strings that are looked for: at each place the longest, from left to right. */
typedef struct bipe_added_set {
    bipe_added *added;         /* (count) */
    size_t count, capacity;
    bipe_pair_table edge;      /* a trie of bytes: (node, byte) -> (child, 0); the root is node 0 */
    uint32_t *value;           /* [nodes] 1 + index of the string that ends here, 0: none does */
    size_t nodes, value_capacity;
    bool lead[256];            /* bytes that one of them begins with */
    bool left, words;          /* some of those that are not left as text take the white space before them, or stand for words of their own */
    uint64_t second[256][4];   /* bit y & 63 of second[x][y >> 6]: one of them may begin where x stands in front of y */
    size_t white_held;         /* bytes of white space beside a token that are held (added_white.h): 0, or in tests few */
} bipe_added_set;

/* Adds a string of at most BIPE_ADDED_LENGTH bytes; of two equal ones the first counts, an empty one is never found. */
int bipe_added_set_add(bipe_added_set *set, const uint8_t *text, size_t size, bipe_added added, bipe_error *err);
void bipe_added_set_free(bipe_added_set *set);

/* The first string of the set at or behind `from` that is not left as text: true with its place in *start, *end (without
 * stripping), and *added. */
bool bipe_added_find(const bipe_added_set *set, const uint8_t *text, size_t size, size_t from, size_t *start, size_t *end,
                     const bipe_added **added);
/* The same where the text may go on (final: it does not): 1 with the place, 0 when there is none, -1 with *start when it takes more
 * text to know whether one stands there; nothing stands before. Without regard to single_word. */
int bipe_added_search(const bipe_added_set *set, const uint8_t *text, size_t size, size_t from, bool final, size_t *start, size_t *end,
                      const bipe_added **added);
/* Whether the character that ends at text[at) (before), or begins at text[at], is one of a word. */
bool bipe_added_word_beside(const uint8_t *text, size_t size, size_t at, bool before);
/* Where the white space that stands before (behind) `at` begins (ends), not beyond `limit` (`size`). */
size_t bipe_added_strip_left(const uint8_t *text, size_t at, size_t limit);
size_t bipe_added_strip_right(const uint8_t *text, size_t at, size_t size);
/* The one that has just these bytes and is not left as text, or NULL. */
const bipe_added *bipe_added_whole(const bipe_added_set *set, const uint8_t *text, size_t size);
/* Whether one that is not left as text may stand or begin within `text`, which is left as text, so that it is not found there. */
bool bipe_added_may_hide(const bipe_added_set *set, const uint8_t *text, size_t size);
/* Whether one of them is not left as text. */
bool bipe_added_is_live(const bipe_added_set *set);
/* Whether one of them may begin within white space, which another would take. */
bool bipe_added_begins_white(const bipe_added_set *set);
/* Whether one that is not left as text takes white space beside it. */
bool bipe_added_strips(const bipe_added_set *set);
/* Whether those that are not left as text want nothing but their strings. */
bool bipe_added_is_plain(const bipe_added_set *set);

#endif
