/* word_group.h - words of a text, many at a time: each is looked up in a cache of words; unknown ones are encoded
 * together and kept. */
#ifndef BIPE_TOKEN_WORD_GROUP_H
#define BIPE_TOKEN_WORD_GROUP_H

#include "base/status.h"
#include "token/tokenizer.h"
#include "token/words/word_cache.h"

enum { BIPE_WORD_GROUP = 512 }; /* words in a group at most */

/* Encodes words, each by its own bytes alone (up to BIPE_WORD_READ may be read); appends the tokens of each word to the
 * list. *done: how many were encoded, from the first on; fewer than `count` when the result is not BIPE_OK, which is
 * then about the next word. */
typedef int bipe_words_encode(void *context, bipe_new_word *word, size_t count, bipe_piece_tokens *tokens, size_t *done,
                              bipe_error *err);

/* Zero-initialise, set these, and open. */
typedef struct bipe_word_group {
    bipe_words_encode *encode;
    void *context;

    bipe_word_cache cache; /* its own from here on */
    bipe_piece_tokens ids;
    bipe_short_tokens known[BIPE_WORD_GROUP]; /* of each word, but for the misses, whose tokens are elsewhere: */
    uint16_t miss_number[BIPE_WORD_GROUP];    /* in the group */
    struct bipe_missed_word {
        const bipe_piece_token *token; /* (count) in the cache's store or in ids */
        size_t count;
    } miss[BIPE_WORD_GROUP];
    bipe_new_word unknown[BIPE_WORD_GROUP]; /* (unknowns) those of the misses that are encoded, */
    size_t unknown_miss[BIPE_WORD_GROUP], unknowns; /* and their numbers among these */
} bipe_word_group;

/* Makes the cache if it is not there: 0, or -1 when memory is exhausted. */
int bipe_word_group_open(bipe_word_group *group);
void bipe_word_group_free(bipe_word_group *group);

/* Adds the tokens of n <= BIPE_WORD_GROUP words text[start[k] .. start[k + 1]) to the list; text[0] has the offset
 * `base` in the document. BIPE_WORD_READ bytes of each may be read. *encoded: how many were added. Returns
 * BIPE_ERR_MEMORY, or the error of `encode`; the word that it is about and those after it are not encoded. */
int bipe_word_group_encode(bipe_word_group *group, const uint8_t *text, const uint32_t *start, size_t n, uint64_t base,
                           bipe_tokens *tokens, size_t *encoded, bipe_error *err);

#endif
