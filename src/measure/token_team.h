/* token_team.h - one document tokenized by several threads, as if by one.
 *
 * A long document is cut into blocks where the tokenizer says that both sides can do without each other (bipe_tokenizer_cut()). Threads
 * tokenize blocks, the caller's too while it would otherwise wait, and their tokens come out in the order of the text. Short documents,
 * and stretches without such a place, go through one stream as ever. */
#ifndef BIPE_MEASURE_TOKEN_TEAM_H
#define BIPE_MEASURE_TOKEN_TEAM_H

#include <stdbool.h>

#include "token/tokenizer.h"

typedef struct bipe_token_team bipe_token_team;

/* threads: with the caller's; those of its own are started when there is work for them, and are at most 15. The tokenizer must outlive the team. */
int bipe_token_team_open(bipe_token_team **team, const bipe_tokenizer *tokenizer, size_t threads, bipe_error *err);

/* Whether documents that begin from now on may be shared; they may at first. Without it the threads wait. */
void bipe_token_team_share(bipe_token_team *team, bool share);

/* As the functions of bipe_token_stream, but that tokens come later. */
int bipe_token_team_begin(bipe_token_team *team, bipe_error *err);
int bipe_token_team_feed(bipe_token_team *team, const uint8_t *bytes, size_t size, bipe_tokens *tokens, bipe_error *err);
int bipe_token_team_end(bipe_token_team *team, bipe_tokens *tokens, bipe_error *err);
void bipe_token_team_close(bipe_token_team *team);

/* For tests: sizes of blocks, and of what goes through one stream before; 0: the usual ones. */
void bipe_token_team_sizes(bipe_token_team *team, size_t block, size_t alone);

#endif
