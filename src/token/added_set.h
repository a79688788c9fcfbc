/* added_set.h - added tokens: strings that are found before anything else looks at the text (Hugging Face's
 * `added_tokens`, the control pieces of SentencePiece). */
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
    bool text;                 /* matched but kept as text: a special token without --special */
    bool left, right, word;    /* lstrip, rstrip, single_word */
} bipe_added;

/* The strings. A search goes from left to right and takes the longest at each position. */
typedef struct bipe_added_set {
    bipe_added *added;         /* (count) */
    size_t count, capacity;
    bool has_tokens, has_flags; /* some string becomes a token; some such token has lstrip, rstrip or single_word */
    bipe_pair_table edge;      /* a trie of bytes: (node, byte) -> (child, 0); the root is node 0 */
    uint32_t *value;           /* [nodes] 1 + index of the string that ends here, 0: none does */
    size_t nodes, value_capacity;
    bool lead[256];            /* bytes that one of them begins with */
    uint64_t second[256][4];   /* bit y & 63 of second[x][y >> 6]: one of them may begin where x stands in front of y */
} bipe_added_set;

/* Adds a string of at most BIPE_ADDED_LENGTH bytes. A duplicate or empty string is ignored. */
int bipe_added_set_add(bipe_added_set *set, const uint8_t *text, size_t size, bipe_added added, bipe_error *err);
void bipe_added_set_free(bipe_added_set *set);

/* Finds the first string at or after `from` that is not left as text: true with its range in *start, *end (without
 * stripping), and *added. */
bool bipe_added_find(const bipe_added_set *set, const uint8_t *text, size_t size, size_t from, size_t *start,
                     size_t *end, const bipe_added **added);
/* Finds the next token of a whole text, with its flags applied: [from, *start) is text, the token has [*start, *end),
 * and *resume is `from` of the next call. *search: 0 before the first call. A token within white space that the one
 * before has taken is found as well, as in the library; no token gets that white space a second time. */
bool bipe_added_next(const bipe_added_set *set, const uint8_t *text, size_t size, size_t from, size_t *search,
                     size_t *start, size_t *end, size_t *resume, const bipe_added **added);

#endif
