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

/* The next token of a whole text: what stands in [from, *start) comes before it, it stands for [*start, *end), and text goes on at *resume, which
 * is `from` the next time. *search: 0 before the first. Within white space that the one before has taken, it is there as well, behind that,
 * and so is the text behind it, as in the library; but where it takes what is in front of it, nothing is left of it. */
bool bipe_added_next(const bipe_added_set *set, const uint8_t *text, size_t size, size_t from, size_t *search, size_t *start, size_t *end,
                     size_t *resume, const bipe_added **added);

/* Whether a text can be searched in pieces; otherwise it must be whole. */
bool bipe_added_in_pieces(const bipe_added_set *set);
/* Where a text begins. */
void bipe_added_search_begin(bipe_added_search_state *state, const bipe_added_set *set);
/* The next token at or behind `from`, the end of the one before: 1 with its place; text[from .. *start) comes before it. -1: nothing is
 * known from *start on (final: the text ends with these bytes, and there is none). For sets that bipe_added_in_pieces() tells. */
int bipe_added_search_next(bipe_added_search_state *state, const bipe_added_set *set, const uint8_t *text, size_t size, size_t from,
                           bool final, size_t *start, size_t *end, const bipe_added **added);
/* The first bytes are done with: what comes next begins behind them. */
void bipe_added_search_drop(bipe_added_search_state *state, const uint8_t *text, size_t size);

#endif
