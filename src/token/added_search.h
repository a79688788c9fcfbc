/* added_search.h - added tokens in a text that comes in pieces, with all that they say of their place: white space beside them that they
 * take, and that they are to stand alone. */
#ifndef BIPE_TOKEN_ADDED_SEARCH_H
#define BIPE_TOKEN_ADDED_SEARCH_H

#include "token/added_set.h"

/* What is known of the bytes that were searched already. */
typedef struct bipe_added_search_state {
    bool left, words;  /* the set's */
    uint8_t last[4];   /* of the text, in front of what is given next: the last `lasts` bytes */
    size_t lasts;
    size_t searched;   /* no token begins before this place, though one that is left as text may reach there */
    size_t white, white_end; /* text[white .. white_end) is white space */
    bool plain;        /* no token takes white space that is given now */
} bipe_added_search_state;

/* Where a text begins. */
void bipe_added_search_begin(bipe_added_search_state *state, const bipe_added_set *set);
/* The next token at or behind `from`, the end of the one before: 1 with its place; text[from .. *start) comes before it. -1: nothing is
 * known from *start on (final: the text ends with these bytes, and there is none). For sets none of which begins with white space, or no
 * token of which takes any (bipe_added_begins_white()). */
int bipe_added_search_next(bipe_added_search_state *state, const bipe_added_set *set, const uint8_t *text, size_t size, size_t from,
                           bool final, size_t *start, size_t *end, const bipe_added **added);
/* The first bytes are done with: what comes next begins behind them. */
void bipe_added_search_drop(bipe_added_search_state *state, const uint8_t *text, size_t size);

#endif
