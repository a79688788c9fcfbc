/* forward.h - an evaluator's insides: its workspace, and the stages that the pool's threads run. For the files of this
 * room only.
 *
 * Letters as in parameters.h; L is the length of the windows of a pass, B their number, R = B * L their rows. Row w * L + t of
 * each array is token t of window w.
 *
 * Workspace, allocated once for max_rows rows:
 *
 *   x     (R, C)      the residual stream
 *   q     (R, H * D)  queries, then what attention makes of them, in place
 *   k, v  (R, G * D)  keys and values
 *   token (max L)     0, 1, 2, ...: the token index
 *   scratch, for each worker, used by one stage after the other:
 *     rows of a tile:  a (TILE, C) | g (TILE, CHUNK) | u (TILE, CHUNK) | panel
 *     attention:       scores and values of a block of queries (nn_attention_scratch)
 *     losses:          a (TILE, C) | logits (TILE, CHUNK) | panel
 *
 * A tile is TILE rows of one window that start at a multiple of TILE: which products a token takes part in depends on
 * its window alone. The feed-forward layer and the vocabulary are gone through CHUNK columns at a time. */
#ifndef BIPE_MODEL_FORWARD_H
#define BIPE_MODEL_FORWARD_H

#include "model/evaluator.h"
#include "model/position_tables.h"
#include "model/weights.h"

enum {
    BIPE_TILE = 256,         /* a multiple of NN_QUERY_BLOCK */
    BIPE_CHUNK = 512,        /* a multiple of Q8_0's blocks */
    BIPE_PANEL = 256 * 1024, /* floats of widened weights at a time, or one row where that is more */
    BIPE_BATCH_ROWS = 4096   /* rows of a pass, as long as a window is not longer */
};

struct bipe_evaluator {
    const bipe_model *model;
    bipe_pool *pool;
    bipe_position_tables positions;
    bool bf16;
    size_t max_length, max_rows;

    float *x, *q, *k, *v;
    uint32_t *token;
    float *scratch;
    size_t scratch_size, panel_size; /* floats, a worker */

    /* of the pass that is running */
    const bipe_window *windows;
    size_t count, length;
    size_t layer;
    bool last;             /* of the layers: rows that no loss needs are left out */
};

/* Runs all layers over `count` windows of one length and fills their nll. */
void bipe_forward(bipe_evaluator *evaluator, const bipe_window *windows, size_t count);
/* Floats of scratch that a worker needs. */
size_t bipe_forward_scratch(const bipe_model *model, size_t panel);

#endif
