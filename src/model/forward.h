/* forward.h - an evaluator's insides: its workspace, and how a pass is cut into tasks for the pool's threads.
 * Internal to src/model.
 *
 * Letters as in parameters.h; R is the rows of a pass, the tokens of its windows one after the other, and B the blocks
 * that their keys take.
 *
 * Workspace, allocated once for max_rows rows:
 *
 *   x     (R, C)      the residual stream
 *   q     (R, wide)   queries, then what attention makes of them, in place
 *   keys  (B, G)      packed keys and values of each window, of each key head one after the other (nn_keys)
 *   token (max L)     0, 1, 2, ...: the token index
 *   scratch, for each worker:
 *     tiles:      a (TILE, C) | g (TILE, F or S) | k, v (TILE, G * D) | with experts: part, sum (TILE, C), routes |
 *                 product
 *     attention:  biases (H / G, terms) | attention
 *
 * A tile is whole blocks of keys of one window, so that it can pack them; or several whole windows that are shorter.
 * It is one block, or as many as leave some for all threads where weights are widened for each tile, or where experts
 * share its rows among them.
 * Everything but attention stays within a tile: from attention on, a task takes a tile through the rest of its layer
 * and to the next layer's queries, keys and values. A unit (a window, or a tile of short ones) is what attention joins:
 * its stages follow each other, units do not wait for each other. Tasks are numbered stage by stage and started in this
 * order; each waits until its unit has done all earlier stages. */
#ifndef BIPE_MODEL_FORWARD_H
#define BIPE_MODEL_FORWARD_H

#include <stdatomic.h>

#include "model/evaluator.h"
#include "model/layer.h"

enum {
    BIPE_TILE_MOST = 1024,   /* rows of a tile */
    BIPE_BATCH_ROWS = 4096, /* rows of a pass where a window is not longer and memory suffices, */
    BIPE_LARGE_BATCH_ROWS = 1 << 16 /* and at most where each pass reads the weights from disk */
};

/* Where a window of a pass begins: in the rows, and in the bytes of keys. */
typedef struct bipe_window_place {
    size_t row, keys;
} bipe_window_place;

/* Where each thing is in a worker's scratch: bytes. */
typedef struct bipe_forward_scratch {
    size_t g, k, v, part, sum, routes, product; /* a is first */
    size_t attention;        /* the biases are first */
    size_t size;
} bipe_forward_scratch;

struct bipe_evaluator {
    bipe_layers layers;
    bipe_pool *pool;
    size_t max_length, max_rows;
    size_t batch_rows;             /* of windows that go together */
    bool streamed;                 /* the file does not fit in memory: each pass reads it from disk */
    size_t key_block, query_block; /* rows */
    size_t wide;                /* from one row of q to the next: H * D of the layer that has most */

    float *x, *q;
    unsigned char *keys;
    uint32_t *token;
    unsigned char *scratch;
    bipe_forward_scratch layout;
    nn_attention_count *count;  /* (workers) */
    atomic_size_t *done;        /* tasks of each unit */
    bipe_waits waits;           /* for them */

    /* of the pass that is running */
    const bipe_window *windows;
    size_t window_count;
    bipe_window_place *place;   /* (window_count + 1) of each window, and where the last ends */
    uint32_t *window_of;        /* (R) the window of each row */
    size_t tile;                /* rows */
    size_t units;
    size_t *unit;               /* (units + 1) the first window of each, and window_count */
    size_t tile_tasks, attention_tasks; /* tasks of the largest unit in each kind of stage */
    bool paused;                /* a pass ends with x, before the losses */
};

/* A row from which a loss comes. */
typedef struct bipe_forward_loss {
    const bipe_window *window;
    size_t token;       /* of the row; the loss is that of the next one */
    uint32_t target;    /* which is this word, */
    float logit;        /* and this its logit */
    float cap;          /* of logits; 0: none */
    nn_log_sum sum;     /* of all logits so far */
} bipe_forward_loss;

/* How many of the windows, from the first, go through a pass together: as many as fit, at least one; only those of one
 * length where that changes losses. */
size_t bipe_forward_batch(const bipe_evaluator *evaluator, const bipe_window *windows, size_t count);
/* Whether tiles may have up to BIPE_TILE_MOST rows, else a block of keys. */
bool bipe_forward_has_large_tiles(const bipe_evaluator *evaluator);
/* Lays out a worker's scratch. */
bipe_forward_scratch bipe_forward_layout(const bipe_evaluator *evaluator);
/* Runs all layers over `count` windows, at most as many as bipe_forward_batch() says, and, unless it is paused, fills
 * their nll. */
void bipe_forward(bipe_evaluator *evaluator, const bipe_window *windows, size_t count);
/* Rows of the last pass. */
size_t bipe_forward_rows(const bipe_evaluator *evaluator);

/* ---- the last stage in parts ---- */

/* Starts losses (rows) of those of rows first .. first + rows - 1 of the pass that have one, .m of them, and puts what
 * the output projection multiplies of these in a (rows, C). The product has all columns of the vocabulary,
 * bipe_forward_add_logits() to finish and no y. */
nn_product bipe_forward_logits(const bipe_evaluator *evaluator, size_t first, size_t rows, float *a,
                               bipe_forward_loss *losses);
/* nn_finish: adds the logits of some words to the sums of losses. */
void bipe_forward_add_logits(void *losses, size_t row, size_t rows, size_t column, size_t columns, float *values,
                             size_t ld);
/* Fills nll of the windows. */
void bipe_forward_store(const bipe_forward_loss *losses, size_t count);

#endif
