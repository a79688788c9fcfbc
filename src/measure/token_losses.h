/* token_losses.h - keeps the losses of a text by token, so that a later pass can read those of its own windows. */
#ifndef BIPE_MEASURE_TOKEN_LOSSES_H
#define BIPE_MEASURE_TOKEN_LOSSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/spool.h"
#include "base/status.h"
#include "measure/scorer.h"

typedef struct bipe_token_losses {
    bipe_spool *spool; /* a double for each token; NaN: not scored */
    double *window;    /* those of a window */
    size_t capacity;
} bipe_token_losses;

/* Closed by bipe_token_losses_free() whether it succeeds or not. */
int bipe_token_losses_open(bipe_token_losses *losses, bipe_error *err);
/* Those of a window, after those of windows before it in the text: `window` of a bipe_score_sink whose context is the
 * losses. */
int bipe_token_losses_add(void *losses, const bipe_scored_window *window, bipe_error *err);
/* All windows were added, of a text of so many tokens. */
int bipe_token_losses_end(bipe_token_losses *losses, uint64_t tokens, bipe_error *err);
/* Reads those of a window of the same text to losses->window; a BOS of its own has NaN. */
int bipe_token_losses_read(bipe_token_losses *losses, const bipe_scored_window *window, bipe_error *err);
void bipe_token_losses_free(bipe_token_losses *losses);

#endif
