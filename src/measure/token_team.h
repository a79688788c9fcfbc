/* token_team.h - one document tokenized by several threads, as if by one.
 *
 * A long document is cut into blocks where the tokenizer says that both sides can do without each other (bipe_tokenizer_cut()). Threads
 * tokenize blocks, the caller's too while it would otherwise wait, and their tokens come out in the order of the text. Short documents,
 * and stretches without such a place, go through one stream as ever. Who just counts tokens and what closes segments gets that from the
 * threads as well: of tokens in blocks just ends are then made, which is why blocks are worth while for one thread, too. */
#ifndef BIPE_MEASURE_TOKEN_TEAM_H
#define BIPE_MEASURE_TOKEN_TEAM_H

#include <stdbool.h>

#include "measure/closes.h"
#include "measure/stream.h"
#include "token/tokenizer.h"

typedef struct bipe_token_team bipe_token_team;

/* What became of a block that is counted: the next tokens of the document. What stands in memory is the caller's, and changes places
 * with the block's. */
typedef struct bipe_token_counts {
    size_t tokens;
    uint64_t end;         /* of the block, in the document */
    bipe_closes *closes;  /* (tracks) as of one batch */
    bipe_tokens list;     /* with a maker */
    bipe_batch_made made; /* with a maker */
} bipe_token_counts;

/* threads: with the caller's; those of its own are started when there is work for them, and are at most 15. The tokenizer must outlive
 * the team. track: (tracks) where boundaries of segmenters stand, which have always been fed as far as the team and farther; then blocks
 * are counted. NULL: just tokens are wanted. maker: of something out of blocks that are counted, or NULL: their tokens are not kept. */
int bipe_token_team_open(bipe_token_team **team, const bipe_tokenizer *tokenizer, size_t threads, const bipe_boundaries *const *track,
                         size_t tracks, const bipe_batch_maker *maker, bipe_error *err);

/* Whether the threads take part from the next document on; they do at first. */
void bipe_token_team_share(bipe_token_team *team, bool share);
/* Called in another thread, whose team `own` is, of the same tokenizer: works for the team until it is released, once and for all. */
void bipe_token_team_help(bipe_token_team *team, bipe_token_team *own);
void bipe_token_team_release(bipe_token_team *team);

/* As the functions of bipe_token_stream, but that tokens come later. *taken: all bytes, or fewer when something must be taken first.
 * bipe_token_team_end() expects that all has been, and is called again when tokens are owed behind it. */
int bipe_token_team_begin(bipe_token_team *team, bipe_error *err);
int bipe_token_team_feed(bipe_token_team *team, const uint8_t *bytes, size_t size, size_t *taken, bipe_tokens *tokens, bipe_error *err);
/* The document is left: nothing is made of it any more. */
void bipe_token_team_leave(bipe_token_team *team);
int bipe_token_team_end(bipe_token_team *team, bipe_tokens *tokens, bipe_error *err);
/* With a maker: what the document has before the block that is taken next. */
void bipe_token_team_base(bipe_token_team *team, const bipe_batch_before *before);
/* Whether text goes into blocks, so that it holds back no more than these. */
bool bipe_token_team_shares(const bipe_token_team *team);
/* What text that went through one stream has needed is given back; none goes there now. */
void bipe_token_team_renew(bipe_token_team *team);
/* Between calls: gives back memory that can be got again, of those who help, too. */
void bipe_token_team_trim(bipe_token_team *team);
/* Whether there are tokens to take that no block has (bipe_token_stream_owes()). */
bool bipe_token_team_owes(const bipe_token_team *team);
/* Takes some of those, or the next block, if it is done or wait is set. *counted says whether it is counted, which goes to *counts;
 * otherwise tokens are appended to *tokens. BIPE_END: there is nothing. */
int bipe_token_team_take(bipe_token_team *team, bool wait, bool *counted, bipe_token_counts *counts, bipe_tokens *tokens, bipe_error *err);
void bipe_token_team_close(bipe_token_team *team);

/* For tests: sizes of blocks, and of what goes through one stream before; 0: the usual ones. */
void bipe_token_team_sizes(bipe_token_team *team, size_t block, size_t alone);

#endif
