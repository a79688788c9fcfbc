/* piece_trie.h - a set of strings as a double array: one step down the trie is one look-up.
 *
 * Node 0 is the root. The child of node n by byte b is n's base + b, if that slot names n as its parent. */
#ifndef BIPE_TOKEN_PIECE_TRIE_H
#define BIPE_TOKEN_PIECE_TRIE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { BIPE_TRIE_NONE = 0x7FFFFFFF };

typedef struct bipe_trie_node {
    uint32_t base;
    uint32_t parent; /* + 1; 0: free */
    uint32_t value;  /* of the string that ends here, or BIPE_TRIE_NONE */
} bipe_trie_node;

/* Zero-initialised: no strings. */
typedef struct bipe_piece_trie {
    bipe_trie_node *node; /* [size]; the last 256 are free, so that no step leaves the array */
    size_t size, capacity;
    size_t longest;       /* bytes of the longest string */
} bipe_piece_trie;

typedef struct bipe_trie_string {
    const uint8_t *text; /* (size), not empty */
    size_t size;
    uint32_t value;      /* below BIPE_TRIE_NONE */
} bipe_trie_string;

/* Builds the trie; the strings are put in order. Of equal strings the one of the largest value stays.
 * BIPE_ERR_MEMORY, BIPE_ERR_LIMIT. */
int bipe_piece_trie_build(bipe_piece_trie *trie, bipe_trie_string *strings, size_t count, bipe_error *err);
void bipe_piece_trie_free(bipe_piece_trie *trie);

/* The child of a node by a byte, or 0. The trie is not empty. */
static inline uint32_t bipe_piece_trie_step(const bipe_piece_trie *trie, uint32_t node, uint8_t byte)
{
    uint32_t child = trie->node[node].base + byte;
    return trie->node[child].parent == node + 1 ? child : 0;
}

#endif
