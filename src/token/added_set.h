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
    bool text;                 /* found but kept as text: it is special, and special tokens were not asked for */
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
    uint64_t second[256][4];   /* bit y & 63 of second[x][y >> 6]: one of them may begin between x and y */
} bipe_added_set;

/* Adds a string of at most BIPE_ADDED_LENGTH bytes; of two equal ones the first counts, an empty one is never found. */
int bipe_added_set_add(bipe_added_set *set, const uint8_t *text, size_t size, bipe_added added, bipe_error *err);
void bipe_added_set_free(bipe_added_set *set);

/* The first string of the set at or after `from` that is not left as text: true with its place in *start, *end (without
 * stripping), and *added. */
bool bipe_added_find(const bipe_added_set *set, const uint8_t *text, size_t size, size_t from, size_t *start, size_t *end,
                     const bipe_added **added);
/* The next one of a whole text, with all that tokens say of their place: what stands in [from, *start) comes before it, it has [*start, *end), and
 * text goes on at *resume, which is `from` the next time. *search: 0 before the first. Within white space that the one before has taken, it is
 * there as well, after that, and so is the text after it, as in the library; but where it takes what is in front of it, nothing is left of it. */
bool bipe_added_next(const bipe_added_set *set, const uint8_t *text, size_t size, size_t from, size_t *search, size_t *start, size_t *end,
                     size_t *resume, const bipe_added **added);
/* Whether the character that ends at text[at) (before), or begins at text[at], is one of a word. */
bool bipe_added_word_beside(const uint8_t *text, size_t size, size_t at, bool before);
/* Where the white space before (after) `at` begins (ends), not beyond `limit` (`size`). */
size_t bipe_added_strip_left(const uint8_t *text, size_t at, size_t limit);
size_t bipe_added_strip_right(const uint8_t *text, size_t at, size_t size);
/* Whether one of them is not left as text. */
bool bipe_added_is_live(const bipe_added_set *set);
/* Whether one of them may begin within white space, which another would take. */
bool bipe_added_begins_white(const bipe_added_set *set);
/* Whether those that are not left as text want nothing but their strings. */
bool bipe_added_is_plain(const bipe_added_set *set);

#endif
