/* added_white.h - white space that an added token may take, however long it is, in a text that comes in pieces: what is more
 * than a little is put aside (base/spool.h) until what stands behind it tells whether it is the token's, or text.
 *
 * What is undecided of a text is held by the caller. A look at it (added_search.h) leaves what may be a token, with white space
 * before or behind that. Where this is long, the white space that comes is left out, at one place; then the held text can be looked
 * at again: the first token that is found has the white space that was left out in it. Or there is none, and it comes back in
 * pieces. */
#ifndef BIPE_TOKEN_ADDED_WHITE_H
#define BIPE_TOKEN_ADDED_WHITE_H

#include "base/buffer.h"
#include "token/added_search.h"
#include "token/tokenizer.h"

struct bipe_spool;

#define BIPE_ADDED_WHITE ((size_t)64 << 10) /* bytes that are held */

/* Zero-initialise. */
typedef struct bipe_added_white {
    const bipe_added_set *set;
    bipe_added_search_state search;
    enum {
        BIPE_WHITE_HELD,    /* nothing is left out */
        BIPE_WHITE_GOES_ON, /* the white space may go on */
        BIPE_WHITE_ENDS,    /* it has ended; whose it is is not known */
        BIPE_WHITE_TAKEN,   /* it is a token's, of which `taken` bytes are left out */
        BIPE_WHITE_TEXT     /* it is text, which comes back */
    } state;
    size_t at;               /* where in the held text something is left out */
    struct bipe_spool *aside;
    uint64_t size, given;    /* what is there; of which so much has come back */
    bipe_buffer later;       /* BIPE_WHITE_TEXT: what comes behind it */
    uint64_t taken;
} bipe_added_white;

/* Where a document begins, in which strings of *set are looked for. */
void bipe_added_white_begin(bipe_added_white *white, const bipe_added_set *set);
void bipe_added_white_free(bipe_added_white *white);
/* When a look at its first `looked` bytes has left what is in *held, and the text goes on. */
void bipe_added_white_rest(bipe_added_white *white, const bipe_buffer *held, size_t looked);
/* Before a look at *held, to which the next bytes were added: puts white space aside, or gives some back. final: the text ends with
 * them. *ready: it may be looked at now; while the stream owes, as text that goes on, after which this is called again. */
int bipe_added_white_step(bipe_added_white *white, bipe_buffer *held, bool final, bool *ready, bipe_error *err);
static inline bool bipe_added_white_owes(const bipe_added_white *white)
{
    return white->state == BIPE_WHITE_TEXT;
}
/* A token was found: how many bytes of it are left out. */
static inline uint64_t bipe_added_white_take(bipe_added_white *white)
{
    uint64_t taken = white->taken;
    white->taken = 0;
    if (white->state == BIPE_WHITE_TAKEN)
        white->state = BIPE_WHITE_HELD;
    return taken;
}

/* Takes what is decided of a text (final: which ends with it): *taken bytes. */
typedef int bipe_added_look(void *context, const uint8_t *text, size_t size, bool final, size_t *taken, bipe_error *err);

/* All of this: looks at *held and the next bytes. The stream may owe then, and is called with no bytes until it does not. tokens: what
 * `look` appends to; when there are many, it owes. */
int bipe_added_white_feed(bipe_added_white *white, bipe_buffer *held, const uint8_t *bytes, size_t size, bool final, bipe_added_look *look,
                          void *context, const bipe_tokens *tokens, bipe_error *err);

#endif
